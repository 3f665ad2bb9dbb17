//! The search by a SAT solver that learns a clause from each refutation.
//!
//! A variable stands for a split with two cases. There is one only for splits that have come up, and there are no clauses for what a theory knows
//! anyway, such as that orders are transitive: an assignment is tried, and what is wrong with it becomes a nogood.

use super::solver::{EMPTY, Solver};
use super::tree::{Literal, Nogoods, refute};
use super::{Refuted, Theory};
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// What tries whole assignments. The types and what has no comment are as in [`Theory`].
pub(crate) trait Assign {
    type Case: Copy;
    type Proof;
    type Solution;
    type Limit;

    /// What was learned so far.
    fn nogoods(&self) -> &Nogoods<Self::Case>;

    fn count(&mut self, bytes: usize) -> Result<(), Self::Limit>;

    /// Tries an assignment, by variable: a solution; or else it learns more variables, or more nogoods, one of which the assignment breaks.
    fn assign(&mut self, values: &[bool]) -> Result<Option<Self::Solution>, Self::Limit>;

    /// Why a nogood is one, by its number, and how many bytes the proof takes.
    fn leaf(&mut self, nogood: usize) -> (Self::Proof, usize);

    fn join(&mut self, cases: Vec<(Self::Case, Self::Proof)>) -> Self::Proof;

    /// Refuses a proof whose cases nest as deep as this, if its readers could not follow.
    fn deepen(&mut self, _depth: usize) -> Result<(), Self::Limit> {
        Ok(())
    }
}

/// A solution, or why there is none.
type Decided<A> = Result<<A as Assign>::Solution, <A as Assign>::Proof>;

/// A solution, or why there is none. The solver stops if `stop` says so of the bytes that it takes; then counting a state must meet a limit.
pub(crate) fn solve<A: Assign>(theory: &mut A, stop: impl Fn(usize) -> bool) -> Result<Decided<A>, A::Limit> {
    let mut solver: Option<Solver<_>> = None;
    loop {
        theory.count(solver.as_ref().map_or(EMPTY, Solver::bytes) + theory.nogoods().bytes)?;
        let solver = solver.get_or_insert_with(|| Solver::new(&stop));
        solver.tell(theory.nogoods());
        match solver.is_satisfiable() {
            Some(true) => {}
            Some(false) => return refute(theory).map(Err),
            None => continue,
        }
        if let Some(solution) = theory.assign(&solver.values())? {
            return Ok(Ok(solution));
        }
    }
}

/// Pairs to be given variables, each with its two cases; or a solution, if nothing is left to order.
pub(crate) type Open<T> = Result<<T as Theory>::Solution, Vec<(<T as Theory>::Case, <T as Theory>::Case)>>;

/// A theory of pairs, which are ordered one way or the other.
pub(crate) trait Pairs: Theory<Limit = Limit, Proof: Clone> {
    /// What is left to order.
    fn pairs(&mut self) -> Result<Open<Self>, Limit>;

    /// As in [`Assign`].
    fn deepen(&mut self, _depth: usize) -> Result<(), Limit> {
        Ok(())
    }
}

/// A solution, or why there is none, by opening the cases of an assignment one after the other.
pub(crate) fn solve_pairs<T: Pairs>(
    theory: &mut T,
    limits: &Limits<'_>,
) -> Result<Result<T::Solution, T::Proof>, Limit> {
    let stop = |bytes: usize| limits.check(0).and_then(|()| limits.check_memory(bytes, 0)).is_err();
    solve(&mut CaseByCase { theory, open: Vec::new(), nogoods: Nogoods::new(), proofs: Vec::new() }, stop)
}

/// A theory whose open cases are those of an assignment.
struct CaseByCase<'t, T: Theory> {
    theory: &'t mut T,
    open: Vec<Literal>,
    nogoods: Nogoods<T::Case>,
    /// By nogood, why it is one, and how many bytes that takes.
    proofs: Vec<(T::Proof, usize)>,
}

impl<T: Pairs> Assign for CaseByCase<'_, T> {
    type Case = T::Case;
    type Proof = T::Proof;
    type Solution = T::Solution;
    type Limit = Limit;

    fn count(&mut self, bytes: usize) -> Result<(), Limit> {
        self.theory.count(bytes)
    }

    fn nogoods(&self) -> &Nogoods<T::Case> {
        &self.nogoods
    }

    /// Keeps the open cases up to the first in which the assignment differs.
    fn assign(&mut self, values: &[bool]) -> Result<Option<T::Solution>, Limit> {
        let holds = |literal: &&Literal| values[literal.variable as usize] == literal.forward;
        let same = self.open.iter().take_while(holds).count();
        self.open.drain(same..).for_each(|_| self.theory.retract());
        let mut is_open = vec![false; values.len()];
        self.open.iter().for_each(|literal| is_open[literal.variable as usize] = true);
        for variable in (0..values.len()).filter(|&variable| !is_open[variable]) {
            let literal = Literal { variable: variable as u32, forward: values[variable] };
            self.open.push(literal);
            if let Some(Refuted { proof, cases, bytes }) = self.theory.assume(self.nogoods.case(literal))? {
                let literals = cases.iter().map(|&case| self.open[case as usize]).collect();
                self.nogoods.forbid(literals, size_of_val(&proof) + bytes);
                self.proofs.push((proof, bytes));
                return Ok(None);
            }
        }
        let pairs = self.theory.pairs()?;
        Ok(pairs.map_err(|pairs| self.nogoods.splits.extend(pairs)).ok())
    }

    fn leaf(&mut self, nogood: usize) -> (T::Proof, usize) {
        self.proofs[nogood].clone()
    }

    fn join(&mut self, cases: Vec<(T::Case, T::Proof)>) -> T::Proof {
        self.theory.join(cases)
    }

    fn deepen(&mut self, depth: usize) -> Result<(), Limit> {
        self.theory.deepen(depth)
    }
}

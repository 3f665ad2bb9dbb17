//! The SAT solver, batsat, which stops at limits.

use super::tree::{Literal, Nogoods};
use batsat::{Callbacks, Lit, SolverInterface, SolverOpts, Var, clause, lbool};

/// What the solver takes before it has learned anything: room for a million words of clauses.
pub(super) const EMPTY: usize = 4 << 20;

/// What a variable takes, with what its owner knows of it.
const BYTES_PER_VARIABLE: usize = 400;

/// A SAT solver. `F` says whether to stop, given how many bytes it takes.
pub(super) struct Solver<F: Fn(usize) -> bool> {
    solver: batsat::Solver<Polling<F>>,
    variables: Vec<Var>,
    /// How many nogoods it was told.
    told: usize,
}

/// Stops the solver at a limit.
struct Polling<F> {
    stop: F,
    /// What the solver takes.
    bytes: usize,
}

impl<F: Fn(usize) -> bool> Callbacks for Polling<F> {
    fn on_new_clause(&mut self, literals: &[Lit], _: clause::Kind) {
        self.bytes += bytes_of_clause(literals);
    }

    fn on_delete_clause(&mut self, literals: &[Lit]) {
        self.bytes = self.bytes.saturating_sub(bytes_of_clause(literals));
    }

    fn stop(&self) -> bool {
        (self.stop)(self.bytes)
    }
}

/// Its literals, a header, and two watches in lists with room to grow.
fn bytes_of_clause(literals: &[Lit]) -> usize {
    96 + 8 * literals.len()
}

impl<F: Fn(usize) -> bool> Solver<F> {
    pub(super) fn new(stop: F) -> Self {
        let solver = batsat::Solver::new(SolverOpts::default(), Polling { stop, bytes: EMPTY });
        Solver { solver, variables: Vec::new(), told: 0 }
    }

    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        self.solver.cb().bytes
    }

    /// Tells the variables and nogoods that are new, in the order in which they were found.
    pub(super) fn tell<C>(&mut self, nogoods: &Nogoods<C>) {
        for nogood in &nogoods.all[self.told..] {
            let most = nogood.iter().map(|literal| literal.variable as usize + 1).max();
            self.grow(most.unwrap_or_default());
            let negated =
                |literal: &Literal| Lit::new(self.variables[literal.variable as usize], !literal.forward);
            let mut clause: Vec<Lit> = nogood.iter().map(negated).collect();
            self.solver.add_clause_reuse(&mut clause);
            self.told += 1;
        }
        self.grow(nogoods.splits.len());
    }

    /// Adds variables until there are so many.
    fn grow(&mut self, variables: usize) {
        while self.variables.len() < variables {
            self.variables.push(self.solver.new_var(lbool::TRUE, true));
            self.solver.cb_mut().bytes += BYTES_PER_VARIABLE;
        }
    }

    /// Whether something is not forbidden; nothing if the solver was stopped.
    pub(super) fn is_satisfiable(&mut self) -> Option<bool> {
        let satisfiable = self.solver.solve_limited(&[]);
        (satisfiable != lbool::UNDEF).then_some(satisfiable == lbool::TRUE)
    }

    /// The value of each variable in the last answer.
    pub(super) fn values(&self) -> Vec<bool> {
        let model = self.solver.get_model();
        self.variables.iter().map(|variable| model[variable.idx() as usize] == lbool::TRUE).collect()
    }
}

//! Nogoods, and the tree of cases that they make once they leave nothing.
//!
//! The tree comes from a search among the nogoods alone. It splits on a literal of a nogood that is nearly broken; mostly one of the two cases breaks it, which
//! is unit propagation.

use super::sat::Assign;
use super::{Next, Refuted, Theory, search};
use std::convert::Infallible;

/// A variable, and whether its first case holds, rather than its second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    pub variable: u32,
    pub forward: bool,
}

/// What a solver is told: variables, each of which is a split with two cases, and nogoods, which are literals that cannot all hold.
pub(crate) struct Nogoods<C> {
    pub splits: Vec<(C, C)>,
    pub all: Vec<Vec<Literal>>,
    /// How many bytes the nogoods take, with what is known of them.
    pub bytes: usize,
}

impl<C: Copy> Nogoods<C> {
    pub(crate) fn new() -> Self {
        Nogoods { splits: Vec::new(), all: Vec::new(), bytes: 0 }
    }

    /// Adds a nogood; to say why it is one takes so many bytes.
    pub(crate) fn forbid(&mut self, literals: Vec<Literal>, bytes: usize) {
        self.bytes += size_of_val(&literals) + size_of_val(&literals[..]) + bytes;
        self.all.push(literals);
    }

    /// The case that a literal stands for.
    pub(crate) fn case(&self, literal: Literal) -> C {
        let (forward, backward) = self.splits[literal.variable as usize];
        if literal.forward { forward } else { backward }
    }
}

/// The refutation of everything by nogoods that leave no assignment.
pub(crate) fn refute<A: Assign>(theory: &mut A) -> Result<A::Proof, A::Limit> {
    let assigned = vec![None; theory.nogoods().splits.len()];
    let mut tree = Tree { theory, assigned, open: Vec::new() };
    tree.count(0)?;
    match search(&mut tree, u64::MAX)?.expect("patience without end") {
        Ok(never) => match never {},
        Err(proof) => Ok(proof),
    }
}

/// A search among nogoods; its cases are literals.
struct Tree<'a, A: Assign> {
    theory: &'a mut A,
    /// By variable, its value and the number of the case.
    assigned: Vec<Option<(bool, u32)>>,
    open: Vec<Literal>,
}

impl<A: Assign> Theory for Tree<'_, A> {
    type Case = Literal;
    type Proof = A::Proof;
    type Solution = Infallible;
    type Limit = A::Limit;

    fn count(&mut self, bytes: usize) -> Result<(), A::Limit> {
        self.theory.count(self.theory.nogoods().bytes + bytes)
    }

    /// Of the nogoods that the open cases do not rule out, the first with fewest open literals: the first of these is split, and if there is none the nogood is
    /// broken.
    fn next(&mut self) -> Result<Next<Self>, A::Limit> {
        let mut best: Option<(usize, usize, Option<Literal>)> = None;
        'nogoods: for (index, nogood) in self.theory.nogoods().all.iter().enumerate() {
            let (mut open, mut first) = (0, None);
            for &literal in nogood {
                match self.assigned[literal.variable as usize] {
                    None => {
                        open += 1;
                        first = first.or(Some(literal));
                    }
                    Some((forward, _)) if forward != literal.forward => continue 'nogoods,
                    Some(_) => {}
                }
            }
            if best.is_none_or(|(least, ..)| open < least) {
                best = Some((open, index, first));
                if open == 0 {
                    break;
                }
            }
        }
        debug_assert!(best.is_some(), "the nogoods leave no assignment");
        let (_, index, first) = best.unwrap_or((0, 0, None));
        if let Some(literal) = first {
            self.theory.deepen(self.open.len())?;
            return Ok(Next::Split(vec![Literal { forward: !literal.forward, ..literal }, literal]));
        }
        let nogood = self.theory.nogoods().all[index].iter();
        let number = |literal: &Literal| self.assigned[literal.variable as usize].map(|(_, case)| case);
        let mut cases: Vec<u32> = nogood.filter_map(number).collect();
        cases.sort_unstable();
        let (proof, bytes) = self.theory.leaf(index);
        Ok(Next::Refuted(Refuted { proof, cases, bytes }))
    }

    fn assume(&mut self, literal: Literal) -> Result<Option<Refuted<A::Proof>>, A::Limit> {
        self.assigned[literal.variable as usize] = Some((literal.forward, self.open.len() as u32));
        self.open.push(literal);
        Ok(None)
    }

    fn retract(&mut self) {
        if let Some(literal) = self.open.pop() {
            self.assigned[literal.variable as usize] = None;
        }
    }

    fn join(&mut self, cases: Vec<(Literal, A::Proof)>) -> A::Proof {
        let cases = cases.into_iter().map(|(literal, proof)| (self.theory.nogoods().case(literal), proof));
        self.theory.join(cases.collect())
    }
}

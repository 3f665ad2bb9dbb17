//! Splitting cases, which decides where saturation leaves something open.
//!
//! A question that no rule settles, such as which of two writes comes first or which write a read is from, is split: each answer is assumed in turn, with all
//! that follows from it. Two ways lead through the cases, and each ends with a solution or with a proof that there is none.
//!
//! - [`search`] goes depth first. A refutation rests on some of the open cases, and the search goes back to the deepest of these: conflict-directed
//!   backjumping (Prosser 1993). The tree of cases that it has gone through is the proof.
//! - [`solve`] asks a SAT solver for an answer to all splits at once. What refutes it becomes a nogood, a clause that the solver learns: lazy clauses, as in
//!   wSC+ENUM of Zennou et al. 2020. Once the clauses are unsatisfiable, a search among the nogoods turns them into a tree of cases.
//!
//! Both are exponential in the number of splits. A search enters each combination of cases once at most, and holds a proof for each refuted case of
//! an open split; a solver holds all nogoods, each of which an assignment has broken, so that the rounds come to an end.
//!
//! Invariant: a refutation at hand rests on open cases alone, and the proof of a refuted case on that case and open cases before it. So the cases of a split
//! that are all refuted refute, together, the open cases that their proofs rest on; and a split that a refutation does not rest on is no part of the proof.

mod sat;
mod search;
mod solver;
mod tree;

pub(crate) use sat::{Assign, Open, Pairs, solve, solve_pairs};
pub(crate) use search::search;
pub(crate) use tree::{Literal, Nogoods, refute};

/// What is split into cases, and what follows from those that are open.
pub(crate) trait Theory {
    /// An answer to what a split asks.
    type Case: Copy;
    /// Why some cases cannot all hold.
    type Proof;
    /// What answers everything.
    type Solution;
    /// Why nothing was decided.
    type Limit;

    /// Counts a case that is about to be opened, or a state, while so many bytes are held beside those of the theory itself.
    fn count(&mut self, bytes: usize) -> Result<(), Self::Limit>;

    /// What comes of the open cases.
    fn next(&mut self) -> Result<Next<Self>, Self::Limit>;

    /// Opens a case; what refutes it, if that is known at once.
    fn assume(&mut self, case: Self::Case) -> Result<Option<Refuted<Self::Proof>>, Self::Limit>;

    /// Takes back the last case that was opened.
    fn retract(&mut self);

    /// As one proof: the cases of a split, all of them refuted and taken back, in the order in which they were tried.
    fn join(&mut self, cases: Vec<(Self::Case, Self::Proof)>) -> Self::Proof;
}

/// What comes of open cases.
pub(crate) enum Next<T: Theory + ?Sized> {
    Solved(T::Solution),
    Refuted(Refuted<T::Proof>),
    /// The cases to try, the first of them last.
    Split(Vec<T::Case>),
}

/// A proof, with the open cases that it rests on.
#[derive(Clone, Debug)]
pub(crate) struct Refuted<P> {
    pub proof: P,
    /// The numbers of the cases, in the order in which they were opened, from 0; ascending.
    pub cases: Vec<u32>,
    /// How many bytes the proof takes.
    pub bytes: usize,
}

/// The only two cases of a split, the first with what it assumes.
pub(crate) fn two<C, P>(cases: Vec<(C, P)>) -> (C, P, P) {
    match <[_; 2]>::try_from(cases) {
        Ok([(case, forward), (_, backward)]) => (case, forward, backward),
        Err(_) => unreachable!("a pair can be ordered in two ways"),
    }
}

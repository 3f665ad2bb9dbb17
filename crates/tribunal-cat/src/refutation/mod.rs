//! Why an execution has no orders on which a model's checks hold.

mod verify;

pub use verify::Invalid;

use crate::plan::ChoiceId;

/// A pair of events that a choice orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The choice.
    pub choice: u32,
    /// The event that comes first.
    pub first: usize,
    /// The event that comes after it.
    pub second: usize,
}

impl Edge {
    /// The same events the other way round.
    pub fn reversed(self) -> Edge {
        Edge { choice: self.choice, first: self.second, second: self.first }
    }

    /// The choice.
    pub fn choice(self) -> ChoiceId {
        ChoiceId(self.choice)
    }
}

/// Edges on which a check fails: with them, with what every order contains, and with what follows by transitivity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The check, by its number.
    pub check: usize,
    /// The edges; where the check's failure is not monotone they make the orders total.
    pub edges: Vec<Edge>,
    /// The events of the cycle, as in [`Failure`](crate::derive::Failure).
    pub events: Vec<usize>,
}

/// A case of a refutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// Two events are ordered one way or the other; each is another case, by its number.
    Split {
        /// The events, and the choice that orders them.
        edge: Edge,
        /// The case in which they are ordered so.
        forward: u32,
        /// The case in which they are ordered the other way round.
        backward: u32,
    },
    /// All edges of a clause follow from what the case assumes.
    Clause(u32),
    /// What the case assumes has a cycle.
    Cycle,
}

/// Every order fails: by cases, each of which has a clause.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refutation {
    /// The clauses.
    pub clauses: Vec<Clause>,
    /// The cases, those that a split is of before it; the last one assumes nothing.
    pub cases: Vec<Case>,
}

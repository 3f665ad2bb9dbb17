//! Proofs that an execution has no orders that satisfy a model's checks.

mod verify;

pub use verify::Invalid;

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
    /// The reversed edge.
    pub fn reversed(self) -> Edge {
        Edge { choice: self.choice, first: self.second, second: self.first }
    }
}

/// Edges on which a check fails, together with what every order contains, and transitivity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The check, by its number.
    pub check: usize,
    /// The edges; if the check is not monotone, they make the orders total.
    pub edges: Vec<Edge>,
    /// The events of the cycle, as in [`Failure`](crate::derive::Failure).
    pub events: Vec<usize>,
}

/// A case of a refutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// Two events are ordered one way or the other; each is a case, by its index.
    Split {
        /// The events, and the choice that orders them.
        edge: Edge,
        /// The case in which they are ordered this way.
        forward: u32,
        /// The case in which they are ordered the other way.
        backward: u32,
    },
    /// All edges of a clause follow from the assumptions of the case.
    Clause(u32),
    /// The assumptions of the case have a cycle.
    Cycle,
}

/// Every order fails: a tree of cases with a clause in each leaf.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refutation {
    /// The clauses.
    pub clauses: Vec<Clause>,
    /// The cases, each before the split that uses it; the last one assumes nothing.
    pub cases: Vec<Case>,
}

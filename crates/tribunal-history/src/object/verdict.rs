//! Verdicts on object histories, with their certificates.

use super::OpId;
use std::fmt;

/// The answer to "does this history satisfy that criterion?"
pub type Verdict = crate::verdict::Verdict<crate::verdict::Object>;

/// An explanation of a history: `lin` and `vis` (Emmi and Enea 2018, section 2).
///
/// Invariant: `lin` has every completed operation once and each pending one at most once; it contains hb (po for
/// `sequential`); `vis` satisfies the criterion's axioms over the operations in `lin`; every completed operation returns
/// what its invocation returns after the invocations visible to it, in `lin` order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractExecution {
    /// The linearization: the operations that took effect, in order.
    pub lin: Vec<OpId>,
    /// The operations that each of them sees.
    pub vis: Visibility,
}

/// The relation `vis` of an abstract execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Each operation sees all earlier ones in `lin`.
    All,
    /// For each position in `lin`, the operations visible to the one there, in `lin` order.
    Sets(Vec<Vec<OpId>>),
}

/// The reason why no abstract execution explains a history: a part of it that none explains.
///
/// Invariant: the part consists of these operations, ordered as in the history. With a cut, it is the state after
/// that many events: an operation that had not returned by then is pending. Every omitted operation may be omitted,
/// because each abstract execution of the whole yields one of the part:
///
/// - it was called after the cut (not under `sequential`, which ignores real time); or
/// - its invocation is read-only; or, under `linearizable` and `sequential`, where all see all, it is completed and its
///   return value shows that it changed nothing ([`Spec::unchanged`](super::Spec::unchanged): a dequeue of null); or
/// - it has a key, and every operation of the part has another key; or
/// - it belongs to a set or, under `linearizable` and `sequential`, to a queue, a stack or a priority queue, and no operation of the
///   part inserts, removes, asks for or returns its value; or
/// - under `linearizable` and `sequential`, it appends to a list, before the cut, a value that no operation of the part appends; the
///   value is then also removed from the lists that the part's reads returned; or
/// - it writes to or reads from a register a value that no completed read of the part returns.
///
/// That the part has no abstract execution is shown by exhaustive search. All of these reasons but the first depend on hints
/// of the specification; `verify::object` reports which of them it had to trust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The operations of the part, in the order of their ids.
    pub operations: Vec<OpId>,
    /// The number of events of the history that had happened; `None`: all.
    pub cut: Option<u32>,
}

/// The reason why an engine does not apply to a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// The object is not a collection with a special algorithm, or a method is called that the algorithm does not support.
    NoCollection,
    /// A value is inserted twice.
    NotDistinct,
    /// The order is not an interval order.
    NotIntervals,
    /// Too many removals never returned; the search handles these.
    Unfinished,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unsupported::NoCollection => "the engine supports only the methods of the built-in collections",
            Unsupported::NotDistinct => "the engine supports only histories that insert no value twice",
            Unsupported::NotIntervals => "the engine supports only histories with times",
            Unsupported::Unfinished => "too many removals never returned",
        })
    }
}

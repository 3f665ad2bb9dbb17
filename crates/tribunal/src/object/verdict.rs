//! Verdicts on histories of operations, and the certificates they carry.

use super::OpId;
use crate::verdict::Limit;
use std::fmt;

/// The answer to "does this history satisfy that criterion?".
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Yes, as the abstract execution shows.
    Consistent(AbstractExecution),
    /// No, as the violation shows.
    Inconsistent(Violation),
    /// A limit was reached before an answer was.
    Undecided(Limit),
    /// The engine asked for does not decide such a history.
    Unsupported(Unsupported),
}

impl Verdict {
    /// The verdict's word in every output: `consistent`, `inconsistent`, `undecided` or `unsupported`.
    pub const fn word(&self) -> &'static str {
        match self {
            Verdict::Consistent(_) => "consistent",
            Verdict::Inconsistent(_) => "inconsistent",
            Verdict::Undecided(_) => "undecided",
            Verdict::Unsupported(_) => "unsupported",
        }
    }

    /// Whether the answer is yes.
    pub const fn is_consistent(&self) -> bool {
        matches!(self, Verdict::Consistent(_))
    }

    /// Whether the answer is no.
    pub const fn is_inconsistent(&self) -> bool {
        matches!(self, Verdict::Inconsistent(_))
    }
}

/// What explains a history: `lin` and `vis` (paper 004, section 2).
///
/// The law: `lin` has every completed operation once and some of the pending ones once; it contains hb (po for
/// `sequential`); `vis` satisfies the criterion's axioms over the operations in `lin`; every completed operation returns
/// what its invocation returns after the invocations visible to it, in `lin`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractExecution {
    /// The linearization: the operations that took effect, in order.
    pub lin: Vec<OpId>,
    /// What each of them sees.
    pub vis: Visibility,
}

/// The relation `vis` of an abstract execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Each operation sees all that are before it in `lin`.
    All,
    /// By place in `lin`: the operations that are visible to the one there, in `lin` order.
    Sets(Vec<Vec<OpId>>),
}

/// Why no abstract execution explains a history: a part of it that none explains.
///
/// The law: the part are these operations, as the history orders them. With a cut, it is what had happened after
/// that many events: an operation that had not returned by then is pending. Every operation left out may be left out,
/// because each abstract execution of the whole gives one of the part:
///
/// - it was called after the cut (not under `sequential`, which knows no real time); or
/// - its invocation is read-only; or, under `linearizable` and `sequential`, where all see all, it is completed and its
///   return says that it changed nothing ([`Spec::unchanged`](super::Spec::unchanged): a dequeue of null); or
/// - it has a key, and every operation of the part has another key; or
/// - it is of a set or, under `linearizable` and `sequential`, of a queue, a stack or a priority queue, and the part has no
///   operation that inserts, removes, asks for or returns its value; or
/// - under `linearizable` and `sequential`, it appends to a list, by the cut, a value that no operation of the part appends: the
///   part's reads are then taken to return their lists without that value; or
/// - it writes to or reads from a register a value that no completed read of the part returns.
///
/// That the part has no abstract execution is found by exhausting them. All but the first of these reasons rest on what the
/// specification says of itself: [`verify::object`](crate::verify::object) says which of it it had to trust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The operations of the part, in the order of their ids.
    pub operations: Vec<OpId>,
    /// How many events of the history had happened; none: all.
    pub cut: Option<u32>,
}

/// Why an engine does not apply to a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// The specification is no collection with an algorithm of its own, or a method is called that the algorithm does not know.
    NoCollection,
    /// A value is inserted twice.
    NotDistinct,
    /// The order is not one of intervals.
    NotIntervals,
    /// Too many removals never returned: what they took is left to a search.
    Unfinished,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unsupported::NoCollection => "the engine knows only the methods of the built-in collections",
            Unsupported::NotDistinct => "the engine knows only histories that insert no value twice",
            Unsupported::NotIntervals => "the engine knows only histories with times",
            Unsupported::Unfinished => {
                "too many removals never returned for the engine to say what they took"
            }
        })
    }
}

//! Data races.

use crate::memory::EventId;

/// A data race: two accesses of one location in different threads, at least one a write and at least one non-atomic,
/// neither of which happens before the other.
///
/// It is its own certificate: it counts the events that happen before each access, and `verify_races`
/// counts them again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Race {
    /// The accesses; the second does not come before the first in po ∪ rf.
    pub accesses: [EventId; 2],
    /// For each access, the number of events of the other's thread that happen before it; the other access is not among them.
    pub known: [u32; 2],
}

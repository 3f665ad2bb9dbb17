//! Data races.

use crate::memory::EventId;

/// A data race: two accesses of one location in different threads, one of them a write and one of them non-atomic, of which
/// neither happens before the other.
///
/// It is its own certificate: what happens before each access is counted, and [`verify_races`](crate::verify::verify_races) counts
/// it anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Race {
    /// The accesses; the second does not come before the first in po ∪ rf.
    pub accesses: [EventId; 2],
    /// For each access, how many events of the other's thread happen before it: the other is not among them.
    pub known: [u32; 2],
}

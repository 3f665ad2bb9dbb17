//! The reason why a history is malformed.

use super::Slot;

/// The reason why a history is not an execution.
///
/// A variant that concerns one event has its [`Slot`], so that a reader of a file can name
/// the line. The message names the thread and the index.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MalformedHistory {
    /// An explicit source that is not a write of the value read to the location read.
    #[error("thread {thread}, event {}: `from` names {source_name}, {problem}", at.index)]
    BadSource {
        /// The read.
        at: Slot,
        /// Its thread's name.
        thread: String,
        /// The value of `from`.
        source_name: String,
        /// The fault.
        problem: BadSource,
    },
    /// A dependency on something that is not an earlier read of the same thread.
    #[error("thread {thread}, event {}: depends on event {dependency}, which is not an earlier read of the thread", at.index)]
    BadDependency {
        /// The dependent event.
        at: Slot,
        /// Its thread's name.
        thread: String,
        /// The index depended on.
        dependency: u32,
    },
    /// A fence whose order is missing, relaxed or `na`.
    #[error("thread {thread}, event {}: a fence needs an order: acquire, release, acq_rel or seq_cst", at.index)]
    FenceWithoutOrder {
        /// The fence.
        at: Slot,
        /// Its thread's name.
        thread: String,
    },
    /// An RMW of order `na`.
    #[error("thread {thread}, event {}: an RMW is atomic, so its order cannot be na", at.index)]
    NonAtomicRmw {
        /// The RMW.
        at: Slot,
        /// Its thread's name.
        thread: String,
    },
    /// An event that ended before it began.
    #[error("thread {thread}, event {}: ends at {end}, before it begins at {begin}", at.index)]
    EndsBeforeItBegins {
        /// The event.
        at: Slot,
        /// Its thread's name.
        thread: String,
        /// Its begin time.
        begin: u64,
        /// Its end time.
        end: u64,
    },
    /// More events and locations than 32-bit ids can name.
    #[error(
        "the history has {events} events and {locations} locations; together they must stay below 2^32 - 2"
    )]
    TooLarge {
        /// Events of threads.
        events: usize,
        /// Locations.
        locations: usize,
    },
}

/// The fault in an explicit reads-from source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSource {
    /// There is no such event.
    #[error("which does not exist")]
    Missing,
    /// The event does not write.
    #[error("which does not write")]
    NotAWrite,
    /// The write is to another location.
    #[error("which writes another location")]
    OtherLocation,
    /// The write wrote another value.
    #[error("which wrote another value")]
    OtherValue,
}

impl MalformedHistory {
    /// The event the error is about, if it is about one.
    pub fn slot(&self) -> Option<Slot> {
        match self {
            Self::BadSource { at, .. }
            | Self::BadDependency { at, .. }
            | Self::FenceWithoutOrder { at, .. }
            | Self::NonAtomicRmw { at, .. }
            | Self::EndsBeforeItBegins { at, .. } => Some(*at),
            Self::TooLarge { .. } => None,
        }
    }
}

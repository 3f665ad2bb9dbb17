//! Steps, and why they are refused.

use super::WriteId;
use tribunal_history::memory::{LocId, Order, ThreadId};

/// A possible next event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A write to a location.
    Write {
        /// The thread that writes.
        thread: ThreadId,
        /// The location.
        loc: LocId,
        /// With which order.
        order: Order,
    },
    /// A read from a write.
    Read {
        /// The thread that reads.
        thread: ThreadId,
        /// The write that is read.
        from: WriteId,
        /// With which order.
        order: Order,
    },
    /// Reads a write and overwrites it in one step.
    Rmw {
        /// The thread that reads and writes.
        thread: ThreadId,
        /// The write that is read.
        from: WriteId,
        /// With which order.
        order: Order,
    },
    /// A fence.
    Fence {
        /// The thread of the fence.
        thread: ThreadId,
        /// Of which order.
        order: Order,
    },
}

/// A step that is not possible. The session is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{because}")]
pub struct Refused {
    /// The step that was asked for.
    pub step: Step,
    /// The reason.
    pub because: Because,
}

/// The reason why a step is refused. [`Session::refutation`](super::Session::refutation) has the full proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Because {
    /// The write to be read is overwritten: this later write happens before the event, or is read before it.
    #[error("write {} overwrites that write before this event", .by.index())]
    Overwritten {
        /// The write that hides it.
        by: WriteId,
    },
    /// No two RMWs read from the same write.
    #[error("RMW {} already reads from that write", .by.index())]
    Shared {
        /// The RMW that already reads from it.
        by: WriteId,
    },
    /// The step implies a cycle.
    #[error("every order of the writes has a cycle")]
    Cyclic,
    /// The write was retired or undone.
    #[error("the write is no longer part of the session")]
    Gone,
}

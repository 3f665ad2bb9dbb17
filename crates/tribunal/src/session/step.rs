//! Steps, and why they are refused.

use super::WriteId;
use crate::memory::{LocId, Order, ThreadId};

/// An event that may be next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A write to a location.
    Write {
        /// Who writes.
        thread: ThreadId,
        /// The location.
        loc: LocId,
        /// With which order.
        order: Order,
    },
    /// A read from a write.
    Read {
        /// Who reads.
        thread: ThreadId,
        /// The write that is read.
        from: WriteId,
        /// With which order.
        order: Order,
    },
    /// A read from a write and an overwriting of it in one step.
    Rmw {
        /// Who reads and writes.
        thread: ThreadId,
        /// The write that is read.
        from: WriteId,
        /// With which order.
        order: Order,
    },
    /// A fence.
    Fence {
        /// Whose fence.
        thread: ThreadId,
        /// Of which order.
        order: Order,
    },
}

/// A step that cannot be next. The session is as if nobody had asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{because}")]
pub struct Refused {
    /// What was asked for.
    pub step: Step,
    /// Why not.
    pub because: Because,
}

/// Why a step is refused. [`Session::refutation`](super::Session::refutation) has the whole proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Because {
    /// The write to be read is overwritten: this one happens before the event, or is read before it, and is behind the other.
    #[error("the write is overwritten by write {} in what happens before", .by.index())]
    Overwritten {
        /// The write that hides it.
        by: WriteId,
    },
    /// No two RMWs read from one write.
    #[error("RMW {} reads from the write already", .by.index())]
    Shared {
        /// The RMW that reads from it.
        by: WriteId,
    },
    /// What the step implies is a cycle.
    #[error("every order of the writes has a cycle")]
    Cyclic,
    /// The write was retired or undone.
    #[error("the write is no longer part of the session")]
    Gone,
}

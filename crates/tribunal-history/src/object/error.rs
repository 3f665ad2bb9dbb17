//! The reason why a history of operations is malformed.

use super::{InvalidCall, OpId};

/// The reason why a history is malformed.
///
/// Every variant names its operation, so that a reader of a file can name the line. The message names process and method.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MalformedHistory {
    /// A process calls while its last operation has not returned.
    #[error("process {process} calls {called} while its {open} is still open")]
    Overlap {
        /// The later operation.
        op: OpId,
        /// The process.
        process: String,
        /// The method that it calls.
        called: String,
        /// The call that is open.
        open: String,
    },
    /// A return is not after its call.
    #[error("{shown} returns at {ret}, which is not after its call at {call}")]
    Backward {
        /// The operation.
        op: OpId,
        /// The operation in words.
        shown: String,
        /// The time of its call.
        call: u64,
        /// The time of its return.
        ret: u64,
    },
    /// An operation returns twice.
    #[error("{shown} returns again")]
    ReturnedTwice {
        /// The operation.
        op: OpId,
        /// The operation in words.
        shown: String,
    },
    /// Some operations have times and others have not.
    #[error("{shown} has no times, but others have: give times for all, or hb for all")]
    MixedOrders {
        /// The operation.
        op: OpId,
        /// The operation in words.
        shown: String,
    },
    /// The explicit order names an operation that does not exist.
    #[error("hb names operation {index}, but there are {operations}")]
    NoSuchOperation {
        /// The index named.
        index: u64,
        /// The number of operations.
        operations: usize,
    },
    /// The explicit order together with po has a cycle.
    #[error("hb and po together have a cycle through {shown}")]
    Cycle {
        /// An operation on the cycle.
        op: OpId,
        /// The operation in words.
        shown: String,
    },
    /// The explicit order needs too much memory.
    #[error("an explicit hb over {operations} operations of {processes} processes is too large; give times")]
    TooLarge {
        /// The number of operations.
        operations: usize,
        /// The number of processes.
        processes: usize,
    },
    /// A call does not match the specification.
    #[error("{misfit}")]
    IllTyped {
        /// The operation.
        op: OpId,
        /// The reason.
        misfit: InvalidCall,
    },
}

impl MalformedHistory {
    /// The operation at fault, if there is one.
    pub fn op(&self) -> Option<OpId> {
        match self {
            MalformedHistory::Overlap { op, .. }
            | MalformedHistory::Backward { op, .. }
            | MalformedHistory::ReturnedTwice { op, .. }
            | MalformedHistory::MixedOrders { op, .. }
            | MalformedHistory::Cycle { op, .. }
            | MalformedHistory::IllTyped { op, .. } => Some(*op),
            MalformedHistory::NoSuchOperation { .. } | MalformedHistory::TooLarge { .. } => None,
        }
    }
}

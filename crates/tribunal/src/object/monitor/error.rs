//! Why an event cannot follow those before it.

use crate::object::InvalidCall;

/// An event that no run of processes can have next. The monitor is as it was before it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MalformedEvent {
    /// A process calls while its last operation is open, or after it crashed.
    #[error("process {process} calls {called} while its {open} is still open")]
    Overlap {
        /// The process.
        process: String,
        /// What it calls.
        called: String,
        /// What is open.
        open: String,
    },
    /// A process returns and has called nothing.
    #[error("process {process} returns without a call")]
    NoCall {
        /// The process.
        process: String,
    },
    /// A call does not fit the specification.
    #[error(transparent)]
    IllTyped(#[from] InvalidCall),
}

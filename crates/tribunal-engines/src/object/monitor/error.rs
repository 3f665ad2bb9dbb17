//! Events that cannot follow those before them.

use tribunal_history::object::InvalidCall;

/// An event that is not possible next. The monitor is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MalformedEvent {
    /// A process calls while its last operation is open, or after it crashed.
    #[error("process {process} calls {called} while its {open} is still open")]
    Overlap {
        /// The process.
        process: String,
        /// The method that it calls.
        called: String,
        /// The call that is open.
        open: String,
    },
    /// A process returns without having called anything.
    #[error("process {process} returns without a call")]
    NoCall {
        /// The process.
        process: String,
    },
    /// A call does not match the specification.
    #[error(transparent)]
    IllTyped(#[from] InvalidCall),
}

//! What a reader gives.

use tribunal::memory::Execution;

/// The verdicts that a labelled history says are right: a model's name as written, and whether the history is
/// consistent with it; none where the model does not apply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels(pub Vec<(String, Option<bool>)>);

/// A history as read.
#[derive(Clone, Debug)]
pub struct History {
    /// The execution.
    pub execution: Execution,
    /// The right verdicts; empty if the history is not labelled.
    pub labels: Labels,
    /// The line where the history begins, from 1.
    pub line: u64,
}

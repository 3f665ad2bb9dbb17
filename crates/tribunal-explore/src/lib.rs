//! Explores every behaviour of a concurrent program under a memory model, an execution for each class of reads-from.

pub mod failure;
pub mod graph;
pub mod options;
pub mod program;
pub mod report;
pub mod search;
pub mod text;

pub use options::{Mode, Options, Progress};
pub use report::{End, Failure, Problem, Report};

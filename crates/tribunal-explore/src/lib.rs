//! Explores every behavior of a concurrent program under a memory model, with one execution per reads-from class.

pub mod alloc;
mod arena;
pub mod cell;
pub mod control;
pub mod environment;
mod explore;
pub mod failure;
pub mod foreign;
pub mod future;
pub mod graph;
pub mod hint;
mod lazy_static;
pub mod nondet;
pub mod options;
pub mod program;
pub mod report;
pub mod runtime;
pub mod search;
pub mod sync;
pub mod text;
pub mod thread;

pub use explore::{Explorer, Failed, explore};
pub use options::{Checkpoint, Mode, Options, Progress};
pub use report::{End, Estimate, Failure, Problem, Report};

//! Litmus tests, as herd reads them.
//!
//! A test is a small program of a few threads, with a question about its final states. The way from its text to an answer:
//!
//! - [`micro`]: what an instruction does, as micro-operations on registers and memory; [`arch`] reads instructions as these.

pub mod arch;
mod error;
mod few;
pub mod micro;
mod paths;
mod print;
mod run;
mod search;
mod structure;
mod syntax;
mod term;
mod test;
pub mod value;

pub use error::Error;
pub use run::{Executions, Observation, Options, Outcome, RunError, Runner, Verdict};
pub use syntax::{Comparison, Place, Position, Proposition, Quantifier, Term};
pub use test::{Condition, Instruction, Location, Observable, Test, Thread, Variable};

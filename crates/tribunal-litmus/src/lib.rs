//! Litmus tests, as herd reads them.
//!
//! A test is a small program of a few threads, with a question about its final states. The way from its text to an answer:
//!
//! - [`micro`]: what an instruction does, as micro-operations on registers and memory; [`arch`] reads instructions as these.

pub mod arch;
mod c;
mod error;
mod example;
mod facts;
pub mod history;
pub mod micro;
mod paths;
mod print;
mod read;
mod run;
mod search;
mod structure;
mod syntax;
mod term;
mod test;
pub mod value;

pub use c::Macros;
pub use error::Error;
pub use print::herd;
pub use run::{Executions, Observation, Options, Outcome, RunError, Runner, Verdict, text_of};
pub use syntax::{Comparison, Place, Position, Proposition, Quantifier, Scope, Term};
pub use test::{Condition, Instruction, Location, Observable, Shown, Test, Thread, Type, Variable};

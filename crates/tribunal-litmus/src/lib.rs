//! Litmus tests, as herd reads them.
//!
//! A test is a small program of a few threads, with a question about its final states. The way from its text to an answer:
//!
//! - [`micro`]: what an instruction does, as micro-operations on registers and memory; [`arch`] reads instructions as these.

pub mod arch;
pub mod micro;
pub mod value;

//! Engines, which decide whether a history satisfies what it promised: an engine takes a history, a model, criterion or level, and limits, and answers
//! with a verdict and its certificate. The crate [tribunal](https://docs.rs/tribunal) is the front of it.
//!
//! | module | decides |
//! |---|---|
//! | [`memory`] | memory models: of one execution, of executions that grow event by event, of races |
//! | [`object`] | criteria of concurrent objects |
//! | [`transactions`] | isolation levels |
//!
//! The three kinds share limits, what saturations are made of, `reach`, one way of splitting cases, `split`, and the loop that shrinks a history.

mod engine;
mod limits;
pub mod memory;
pub mod object;
mod reach;
mod shrink;
mod split;
pub mod transactions;

pub use engine::Engine;
pub use shrink::{Part, Shrunk};

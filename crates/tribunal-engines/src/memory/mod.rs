//! Memories: executions of threads that read and write locations, the models they may be required to satisfy, and what decides that.
//!
//! [`check`] decides one execution, a [`Checker`] many; [`session`] and [`monitor`] decide executions that grow.

mod checker;
pub mod definition;
pub mod models;
pub mod monitor;
mod order;
pub mod races;
pub mod session;
mod shrink;
mod small;
mod sources;

pub use checker::Checker;
pub use models::{check, engines, judge, judge_by};
pub use shrink::shrink;

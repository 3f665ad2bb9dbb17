//! Litmus tests: our answers against herd's, against histories, and against tables.

#[path = "../../../../tests/shared.rs"]
mod shared;

mod compare;
mod expected;
mod history;
mod instructions;

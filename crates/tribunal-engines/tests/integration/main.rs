//! The library against naive checkers, labels, definitions and logs by others.

#[path = "../../../../tests/shared.rs"]
mod shared;

mod memories;
mod objects;
mod transactions;

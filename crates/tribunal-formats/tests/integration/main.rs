//! The tests of the readers, the writers and the certificates.

#[path = "../../../../tests/shared.rs"]
mod shared;

mod cells;
mod certificates;
mod errors;
mod events;
mod foreign;
mod jepsen;
mod lossless;
mod mutations;
mod objects;
mod pieces;
mod readers;
mod round;
mod strings;
mod third_party;
mod transactions;
mod writers;

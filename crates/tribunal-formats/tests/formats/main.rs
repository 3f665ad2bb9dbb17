//! The tests of the readers, the writers and the certificates.

mod certificates;
mod common;
mod errors;
mod mutations;
mod readers;
mod writers;

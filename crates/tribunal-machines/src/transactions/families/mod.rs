//! Histories of transactions whose shape is given: large ones as benchmarks have them, and such that are hard to judge.
//!
//! Nearly every history that a store makes is decided by saturation. [`satisfiability`] turns a formula into a history that is not, and
//! [`of_memory`] the hard histories of memories. [`BlindWrites`], [`Orders`] and [`ListAppend`] are workloads of others, run on a serial
//! store, at any size.

mod append;
mod blind;
mod formula;
mod memory;
mod orders;

#[cfg(test)]
mod tests;

pub use append::ListAppend;
pub use blind::BlindWrites;
pub use formula::satisfiability;
pub use memory::of_memory;
pub use orders::Orders;

//! Hard histories, and histories that break their model.
//!
//! Saturation decides nearly every history of a machine, but not these: [`satisfiability`] turns a
//! [`Formula`] into a history, [`kernel`] hides an order of writes behind the order of others, [`triangles`] turns
//! a graph into a history, and [`compose`] combines many small histories into a large one. [`mutate`] redirects reads of a
//! history to other writes; [`drop_fences`] and [`weaken`] remove synchronization. A [`Pattern`] is
//! easy to check as a whole, but not while it grows.

mod compose;
mod event;
mod formula;
pub mod kernel;
mod lock;
mod mutate;
mod patterns;
pub mod satisfiability;
pub mod triangles;
mod weaken;

#[cfg(test)]
mod tests;

pub use compose::{Threads, compose};
pub use formula::{Formula, InvalidFormula, Literal};
pub use lock::Lock;
pub use mutate::{Mutation, mutants, mutate, renamed};
pub use patterns::Pattern;
pub use weaken::{drop_fences, weaken};

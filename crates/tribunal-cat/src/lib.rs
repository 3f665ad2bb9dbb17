//! Memory models as text.
//!
//! - [`relation`]: sets of events and relations on them, as bits.
//! - [`plan`]: a model once its names are resolved: a graph of operations, and checks on some of its nodes.
//!
//! A plan is evaluated on [facts](plan::Facts): the sets and relations that an execution comes with.

pub mod plan;
pub mod relation;

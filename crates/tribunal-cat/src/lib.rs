//! Memory models as text.
//!
//! - [`relation`]: sets of events and relations on them, as bits.
//! - [`plan`]: a model once its names are resolved: a graph of operations, and checks on some of its nodes.
//! - [`evaluate`]: the values of a plan's nodes on an execution.
//! - [`polarity`]: which way they move when what is chosen grows.
//! - [`decide`]: whether an execution has the orders that a model asks for.
//!
//! A plan is evaluated on [facts](plan::Facts): the sets and relations that an execution comes with.

pub mod decide;
pub mod evaluate;
pub mod limits;
pub mod plan;
pub mod polarity;
pub mod relation;

//! Memory models as text.
//!
//! - [`relation`]: sets of events and relations on them, as bits.
//! - [`plan`]: a model once its names are resolved: a graph of operations, and checks on some of its nodes.
//! - [`evaluate`]: the values of a plan's nodes on an execution.
//! - [`polarity`]: which way they move when what is chosen grows.
//! - [`derive`]: why a pair is in a relation, and why a check fails.
//! - [`decide`]: whether an execution has the orders that a model asks for.
//! - [`refutation`]: why it has none.
//!
//! A plan is evaluated on [facts](plan::Facts): the sets and relations that an execution comes with.

pub mod decide;
pub mod derive;
pub mod evaluate;
pub mod limits;
pub mod plan;
pub mod polarity;
pub mod refutation;
pub mod relation;

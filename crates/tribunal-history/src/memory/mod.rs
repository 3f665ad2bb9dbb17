//! Memory executions: the events of threads on locations, program order and reads-from.
//!
//! An [`Execution`] is built once, by an [`ExecutionBuilder`], and is valid from then on: every read has its write,
//! or the writes of its value that it may read from.
//! It knows nothing of memory models.

mod build;
mod builder;
mod error;
mod event;
mod execution;
pub(crate) mod ids;
pub(crate) mod names;
mod open;
mod part;
mod times;
mod write_index;

pub use builder::ExecutionBuilder;
pub use error::{BadSource, MalformedHistory};
pub use event::{Kind, Label, Op, Order, Slot, Source};
pub use execution::{EventDisplay, Execution, Features, put_operation};
pub use ids::{EventId, LocId, ThreadId};
pub use open::Observation;
pub use part::Extras;
pub use times::Interval;

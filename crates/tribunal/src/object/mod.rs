//! Concurrent objects: histories of calls and returns, sequential specifications, and the criteria between them.
//!
//! ```
//! use tribunal::object::{Criterion, History, Value, check, specs::Queue};
//! // Two concurrent enqueues, dequeued in the other order.
//! let mut b = History::builder();
//! let (p, q) = (b.process("0"), b.process("1"));
//! let one = b.call(p, "enqueue", &[Value::from(1)], 0);
//! let two = b.call(q, "enqueue", &[Value::from(2)], 1);
//! b.ret(one, Value::Null, 2);
//! b.ret(two, Value::Null, 3);
//! let first = b.call(p, "dequeue", &[], 4);
//! b.ret(first, Value::from(2), 5);
//! assert!(check(&b.build()?.typed(&Queue)?, &Criterion::Linearizable).is_consistent());
//! # Ok::<(), tribunal::object::MalformedHistory>(())
//! ```

mod builder;
mod collections;
mod criterion;
mod error;
mod heap;
mod history;
mod judge;
mod linearize;
mod machine;
mod meter;
mod methods;
mod monitor;
mod part;
mod promises;
mod shrink;
mod spec;
pub mod specs;
pub mod text;
mod typed;
mod value;
mod verdict;
mod visibility;
mod wing_gong;

pub use builder::Builder;
pub use criterion::{Axiom, Criterion, MalformedCriterion, Relation};
pub use error::MalformedHistory;
pub use history::{Event, History, Intervals, Invocation, InvocationId, NEVER, OpId, ProcessId, ReturnId};
pub use judge::{Engine, Judgment, check, judge, judge_by};
pub use linearize::{PartialLinearizations, Step, StepId, partial_linearizations};
pub use machine::{Exceeded, Machine, Replay, StateId};
pub use methods::{Atomic, AtomicMethods, StrongestCriteria, atomic_methods, strongest};
pub use monitor::{FirstViolation, Inconclusive, MalformedEvent, Monitor, ProcessSet, States, Status};
pub use promises::{BrokenPromise, Explored, Promise, check_promises};
pub use shrink::{Shrunk, shrink};
pub use spec::{Collection, Kind, Others, Signature, Spec, Specification};
pub use typed::{InvalidCall, Typed, typed_call};
pub use value::Value;
pub use verdict::{AbstractExecution, Unsupported, Verdict, Violation, Visibility};

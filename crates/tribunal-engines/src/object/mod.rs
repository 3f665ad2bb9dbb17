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

mod collections;
mod judge;
mod linearize;
mod meter;
mod methods;
mod monitor;
mod promises;
mod shrink;
mod visibility;
mod wing_gong;

pub use judge::{check, engines, judge, judge_by};
pub use linearize::{PartialLinearizations, Step, StepId, partial_linearizations};
pub use methods::{Atomic, AtomicMethods, StrongestCriteria, atomic_methods, strongest};
pub use monitor::{FirstViolation, Inconclusive, MalformedEvent, Monitor, Status};
pub use promises::{BrokenPromise, Explored, Promise, check_promises};
pub use shrink::shrink;
use tribunal_history::object::{
    AbstractExecution, Axiom, Collection, Criterion, Exceeded, History, Intervals, Invocation, Machine,
    NEVER, OpId, Relation, Spec, Specification, Typed, Unsupported, Value, Verdict, Violation, Visibility,
    typed_call,
};

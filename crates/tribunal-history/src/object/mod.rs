//! Concurrent objects: histories of calls and returns, sequential specifications, the criteria between them, and the form of verdicts.

mod builder;
mod criterion;
mod error;
mod history;
mod machine;
mod part;
mod processes;
mod spec;
pub mod specs;
mod states;
pub mod text;
mod typed;
mod value;
mod verdict;

pub use builder::Builder;
pub use criterion::{Axiom, Criterion, MalformedCriterion, Relation};
pub use error::MalformedHistory;
pub use history::{Event, History, Intervals, Invocation, InvocationId, NEVER, OpId, ProcessId, ReturnId};
pub use machine::{Exceeded, Machine, Replay, StateId};
pub use processes::ProcessSet;
pub use spec::{Collection, Kind, Others, Signature, Spec, Specification};
pub use states::States;
pub use typed::{InvalidCall, Typed, typed_call};
pub use value::Value;
pub use verdict::{AbstractExecution, Unsupported, Verdict, Violation, Visibility};

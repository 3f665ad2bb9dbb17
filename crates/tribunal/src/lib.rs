//! Tribunal decides whether an observed execution of a concurrent system is consistent with the memory model it
//! promised, and proves its answer.
//!
//! ```
//! use tribunal::{Model, Verdict, check, memory::{Execution, Op}};
//! // Message passing: T1 sees the flag y but not the data x.
//! let mut b = Execution::builder();
//! let (t0, t1) = (b.thread("T0"), b.thread("T1"));
//! let (x, y) = (b.location("x"), b.location("y"));
//! b.push(t0, Op::write(x, 1));
//! b.push(t0, Op::write(y, 1));
//! b.push(t1, Op::read(y, 1));
//! b.push(t1, Op::read(x, 0));
//! let mp = b.build()?;
//! assert!(check(&mp, Model::Relaxed).is_consistent());
//! assert!(check(&mp, Model::Ra).is_inconsistent());
//! # Ok::<(), tribunal::memory::MalformedHistory>(())
//! ```

mod checker;
mod limits;
pub mod models;
pub mod monitor;
pub mod object;
mod order;
pub mod races;
pub mod session;
mod shrink;
mod small;
mod solver;
mod sources;
pub mod transactions;

pub use checker::Checker;
pub use models::{Engine, Judgment, Model, check, judge, judge_by};
pub use shrink::{Shrunk, shrink};
#[cfg(feature = "polls")]
pub use tribunal_history::limits::polls;
#[doc(inline)]
pub use tribunal_history::limits::{Limits, heap};
#[doc(inline)]
pub use tribunal_history::model::definition;
#[doc(inline)]
pub use tribunal_history::{growth, memory, names, verdict};
#[doc(inline)]
pub use tribunal_verify as verify;
pub use verdict::Verdict;

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}

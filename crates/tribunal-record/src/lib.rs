//! Records what concurrent programs do on this machine.
//!
//! **Objects.** [`object!`] wraps a concurrent object, and [`assert_linearizable!`] tests it in a line: random clients call it
//! thousands of times a second, and each history is judged. [`Stress`] does the same for programs, and finds out
//! what each method promises. [`Recorder`] records a program of one's own.
//!
//! ```
//! use std::collections::VecDeque;
//! use std::sync::Mutex;
//! use tribunal::object::specs;
//! use tribunal_record::{assert_linearizable, object};
//!
//! object! {
//!     /// A queue behind a lock.
//!     struct Queue(Mutex<VecDeque<i64>>) as specs::Queue, new Mutex::default();
//!     enqueue(v in 1..1000) = |queue| queue.lock().expect("no panic").push_back(v);
//!     dequeue() = |queue| queue.lock().expect("no panic").pop_front();
//! }
//!
//! assert_linearizable!(Queue, runs = 1000);
//! ```
//!
//! **Memory.** [`memory::Recorder`] runs random programs on this machine's own memory, and gives what their threads read.
//!
//! The order of operations on an object is found without clock, lock or fence, which would keep threads from meeting or hide what a weak
//! memory does: each thread counts its calls and returns, and looks at the others' counters (Emmi and Enea, CAV 2018, section 5). What it
//! saw is certain. Where it leaves the order open, a run counts against an object only if it does in every order that it
//! may have had: there are no false alarms.

mod assert;
mod cores;
mod counters;
pub mod memory;
mod order;
#[cfg(feature = "programs")]
pub mod program;
mod recorder;
mod saved;
mod stress;
mod subject;
mod value;

pub use assert::assert_holds;
pub use recorder::{RecordError, Recorder, Thread};
pub use stress::{Counts, Evidence, Guarantee, Outcome, Panicked, Profile, Program, Stress, StressError};
pub use subject::Subject;
/// Criteria, specifications and values: for the macros, and for those who need no more of them.
pub use tribunal_history::object;
pub use tribunal_random::Random;
pub use value::ToValue;

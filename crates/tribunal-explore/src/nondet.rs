//! Nondeterministic choices: the explorer tries every answer. They stand for input, chance or time, of which a closure must otherwise be free.
//!
//! ```
//! use tribunal_explore::{Explorer, nondet};
//! let report = Explorer::new().check(|| {
//!     let requests = nondet::choose(3);
//!     let fails = nondet::choose_bool();
//!     assert!(requests < 3 || fails);
//! });
//! assert_eq!(report.executions, 6);
//! ```
//!
//! In random samples the answers are random, which is what `shuttle::rand` is for. Outside executions they are the first ones.

use crate::program::Place;
use crate::runtime::ops;

/// A number below `options`.
///
/// # Panics
/// If there are none.
#[track_caller]
pub fn choose(options: usize) -> usize {
    let most = u32::try_from(options).expect("fewer than 2^32 options");
    assert!(most > 0, "there is nothing to choose from");
    ops::choose(most, Place::caller()) as usize
}

/// Either.
#[track_caller]
pub fn choose_bool() -> bool {
    choose(2) == 1
}

/// One of these.
///
/// # Panics
/// If there are none.
#[track_caller]
pub fn choose_from<T>(options: &[T]) -> &T {
    &options[choose(options.len())]
}

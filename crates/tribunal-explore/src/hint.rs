//! Hints: those of [`std::hint`] and `loom::hint`.

use crate::runtime::{ops, state};
use std::panic::Location;

pub use std::hint::{assert_unchecked, black_box};

/// Ends an iteration of a waiting loop: the thread continues when something it read since the last one has changed.
#[track_caller]
pub fn spin_loop() {
    if !ops::spin(Location::caller()) {
        std::hint::spin_loop();
    }
}

/// Marks unreachable code; reaching it is an error.
///
/// # Safety
/// None in an execution; otherwise, it must not be reached.
///
/// # Panics
/// If it is reached.
#[allow(unsafe_code)]
#[track_caller]
pub unsafe fn unreachable_unchecked() -> ! {
    match state::is_inside() {
        true => panic!("unreachable code was reached"),
        false => unreachable!("unreachable code was reached, outside of executions"),
    }
}

//! Hints: what [`std::hint`] has, and `loom::hint`.

use crate::runtime::{ops, state};
use std::panic::Location;

pub use std::hint::{assert_unchecked, black_box};

/// The end of an iteration of a loop that waits: the thread goes on once something that it read since the last one has changed.
#[track_caller]
pub fn spin_loop() {
    if !ops::spin(Location::caller()) {
        std::hint::spin_loop();
    }
}

/// Says that this is never reached; an error, if it is.
///
/// # Safety
/// None in an execution; otherwise that it is never reached.
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

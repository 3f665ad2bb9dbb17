//! Hints: those of [`std::hint`] and `loom::hint`.

use crate::program::Place;
use crate::runtime::{ops, state};

pub use std::hint::{assert_unchecked, black_box, select_unpredictable};

/// Ends an iteration of a waiting loop: the thread continues when something it read since the last one has changed.
#[track_caller]
pub fn spin_loop() {
    if !ops::spin(Place::caller()) {
        std::hint::spin_loop();
    }
}

/// Says that a path is rarely taken; does nothing here.
pub const fn cold_path() {}

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

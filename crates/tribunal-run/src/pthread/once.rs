//! What is done once.

use crate::control::is_in_program;
use crate::operation::operation;
use crate::{entries, objects, real};
use std::ffi::c_int;
use tribunal_explore::foreign::{DONE, NOT_DONE, Object};
use tribunal_explore::program::Place;

/// Its word, which is [`DONE`] from the beginning if it was done before `main`: libc has the same number for that.
fn object(control: *mut c_int, place: Place) -> (&'static Object, u64) {
    // SAFETY: a word of the program.
    let initial = if unsafe { *control } == DONE as c_int { DONE } else { NOT_DONE };
    (&objects::lock(control.addr(), "Once", initial, place).object, initial)
}

/// What is under way is to be done again, if an exception leaves it.
struct UnderWay(*mut c_int, u64);

impl Drop for UnderWay {
    fn drop(&mut self) {
        operation(|place| object(self.0, place).0.end(self.1, place));
    }
}

/// Calls the routine, unless that was done; waits if another thread does.
pub extern "C-unwind" fn once(control: *mut c_int, routine: extern "C-unwind" fn()) -> c_int {
    if !is_in_program() {
        return real!(pthread_once(control: *mut c_int, routine: extern "C-unwind" fn()) -> c_int);
    }
    let is_ours = operation(|place| {
        let (object, initial) = object(control, place);
        object.begin(initial, place)
    });
    if is_ours {
        let mut under_way = UnderWay(control, NOT_DONE);
        routine();
        under_way.1 = DONE;
    }
    0
}

entries! {
    pthread_once = self::once;
}

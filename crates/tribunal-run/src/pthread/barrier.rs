//! Barriers.

use crate::control::is_in_program;
use crate::operation::{called, misuse, operation};
use crate::{entries, objects, real};
use std::ffi::{c_int, c_uint, c_void};

extern "C" fn init(barrier: *mut c_void, attributes: *const c_void, count: c_uint) -> c_int {
    let status =
        real!(pthread_barrier_init(barrier: *mut c_void, attributes: *const c_void, count: c_uint) -> c_int);
    if is_in_program() {
        operation(|_| objects::forget_lock(barrier.addr()));
    }
    status
}

extern "C" fn destroy(barrier: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_barrier_destroy(barrier: *mut c_void) -> c_int);
    }
    operation(|place| objects::destroy_lock(barrier.addr(), place));
    0
}

extern "C" fn wait(barrier: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_barrier_wait(barrier: *mut c_void) -> c_int);
    }
    // SAFETY: `count` is the third word of glibc's barrier.
    let count = unsafe { *barrier.cast::<u32>().add(2) };
    let is_last = operation(|place| {
        if count == 0 {
            misuse(format!("{} is not initialized", called(barrier, "the barrier")), place);
        }
        objects::lock(barrier.addr(), "Barrier", 0, place).object.meet(count.into(), place)
    });
    if is_last { libc::PTHREAD_BARRIER_SERIAL_THREAD } else { 0 }
}

entries! {
    pthread_barrier_init = self::init;
    pthread_barrier_destroy = self::destroy;
    pthread_barrier_wait = self::wait;
}

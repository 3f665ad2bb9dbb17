//! C++'s static variables that functions initialize when they are first called: `__cxa_guard_acquire` and the like.
//!
//! The first byte of the guard is 1 once that is done; the program looks at it by an atomic load. Whoever finds 0 comes here, where one thread at a time holds a lock of the runtime.

use crate::control::{caller, is_in_program};
use crate::operation::{Patience, operation};
use crate::pthread::mutex::take;
use crate::{atomics, entries, objects, real};
use std::ffi::c_int;
use tribunal_explore::foreign::{Access, MUTEX, Object};
use tribunal_explore::program::Place;
use tribunal_history::memory::Order;

fn lock(guard: *mut u8, place: Place) -> &'static Object {
    &objects::lock(guard.addr(), MUTEX, 0, place).object
}

fn unlock(guard: *mut u8, place: Place) {
    lock(guard, place).access(0, Access::Store(Order::Release, 0), place);
}

/// Whether the variable is the caller's to initialize.
extern "C" fn acquire(guard: *mut u8) -> c_int {
    if !is_in_program() {
        return real!(__cxa_guard_acquire(guard: *mut u8) -> c_int);
    }
    let pc = caller();
    operation(|place| {
        lock(guard, place).access(0, Patience::Forever.take(take()), place);
        let is_done = atomics::perform(guard, Access::Load(Order::Acquire), |_| None, pc) == 1;
        if is_done {
            unlock(guard, place);
        }
        (!is_done).into()
    })
}

extern "C" fn release(guard: *mut u8) {
    if !is_in_program() {
        return real!(__cxa_guard_release(guard: *mut u8));
    }
    let pc = caller();
    operation(|place| {
        atomics::perform(guard, Access::Store(Order::Release, 1), |_| Some(1), pc);
        unlock(guard, place);
    });
}

/// An exception has left the initialization.
extern "C" fn abort(guard: *mut u8) {
    if !is_in_program() {
        return real!(__cxa_guard_abort(guard: *mut u8));
    }
    operation(|place| unlock(guard, place));
}

entries! {
    __cxa_guard_acquire = self::acquire;
    __cxa_guard_release = self::release;
    __cxa_guard_abort = self::abort;
}

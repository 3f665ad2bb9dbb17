//! Condition variables.

use super::mutex;
use crate::control::is_in_program;
use crate::operation::{Patience, called, misuse, operation};
use crate::{entries, objects, real, time};
use std::ffi::{c_int, c_void};
use tribunal_explore::foreign::{Notified, Object, Synchronizes};
use tribunal_explore::program::Place;

fn object(condition: *mut c_void, place: Place) -> &'static Object {
    &objects::lock(condition.addr(), "Condvar", 0, place).object
}

/// Unlocks the mutex, waits, and locks it again.
pub fn wait_at(condition: *mut c_void, mutex: *mut c_void, patience: Patience, place: Place) -> c_int {
    if !mutex::is_held(mutex) {
        misuse(
            format!("{} is waited for without its mutex", called(condition, "the condition variable")),
            place,
        );
    }
    let timed = matches!(patience, Patience::Until(_));
    let release = || _ = mutex::unlock_at(mutex, place);
    let left = object(condition, place).wait(Synchronizes::No, release, timed, place);
    mutex::lock_at(mutex, Patience::Forever, place);
    match patience {
        Patience::Until(deadline) if left => {
            time::has_come(deadline);
            libc::ETIMEDOUT
        }
        _ => 0,
    }
}

/// Wakes threads that wait.
pub fn notify_at(condition: *mut c_void, whom: Notified, place: Place) {
    object(condition, place).notify(Synchronizes::No, whom, place);
}

extern "C" fn init(condition: *mut c_void, attributes: *const c_void) -> c_int {
    let status = real!(pthread_cond_init(condition: *mut c_void, attributes: *const c_void) -> c_int);
    if is_in_program() {
        operation(|_| objects::forget_lock(condition.addr()));
    }
    status
}

extern "C" fn wait(condition: *mut c_void, mutex: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_cond_wait(condition: *mut c_void, mutex: *mut c_void) -> c_int);
    }
    operation(|place| wait_at(condition, mutex, Patience::Forever, place))
}

extern "C" fn timed_wait(
    condition: *mut c_void,
    mutex: *mut c_void,
    deadline: *const libc::timespec,
) -> c_int {
    if !is_in_program() {
        return real!(pthread_cond_timedwait(
            condition: *mut c_void,
            mutex: *mut c_void,
            deadline: *const libc::timespec
        ) -> c_int);
    }
    operation(|place| wait_at(condition, mutex, Patience::until(deadline), place))
}

extern "C" fn clock_wait(
    condition: *mut c_void,
    mutex: *mut c_void,
    _: c_int,
    deadline: *const libc::timespec,
) -> c_int {
    timed_wait(condition, mutex, deadline)
}

extern "C" fn signal(condition: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_cond_signal(condition: *mut c_void) -> c_int);
    }
    operation(|place| notify_at(condition, Notified::One, place));
    0
}

extern "C" fn broadcast(condition: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_cond_broadcast(condition: *mut c_void) -> c_int);
    }
    operation(|place| notify_at(condition, Notified::All, place));
    0
}

extern "C" fn destroy(condition: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_cond_destroy(condition: *mut c_void) -> c_int);
    }
    operation(|place| objects::destroy_lock(condition.addr(), place));
    0
}

entries! {
    pthread_cond_init = self::init;
    pthread_cond_wait = self::wait;
    pthread_cond_timedwait = self::timed_wait;
    pthread_cond_clockwait = self::clock_wait;
    pthread_cond_signal = self::signal;
    pthread_cond_broadcast = self::broadcast;
    pthread_cond_destroy = self::destroy;
}

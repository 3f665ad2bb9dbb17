//! Threads of C11, `threads.h`, in libc's place. libc's types are those of POSIX, and so are the operations.

use crate::control::is_in_program;
use crate::operation::{Patience, operation};
use crate::pthread::{condition, mutex, once, thread};
use crate::threads::{self, Start};
use crate::{entries, objects, real};
use std::ffi::{c_int, c_void};
use tribunal_explore::foreign::Notified;

const SUCCESS: c_int = 0;
const BUSY: c_int = 1;
const ERROR: c_int = 2;
const NO_MEMORY: c_int = 3;
const TIMED_OUT: c_int = 4;

/// What `threads.h` calls an error of POSIX.
fn status(posix: c_int) -> c_int {
    match posix {
        0 => SUCCESS,
        libc::EBUSY => BUSY,
        libc::ENOMEM | libc::EAGAIN => NO_MEMORY,
        libc::ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    }
}

type Routine = unsafe extern "C" fn(*mut c_void) -> c_int;

extern "C" fn create(handle: *mut usize, start: Routine, argument: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(thrd_create(handle: *mut usize, start: Routine, argument: *mut c_void) -> c_int);
    }
    operation(|place| {
        let Some(made) = thread::make(Start::C11(start, argument), false, place) else { return NO_MEMORY };
        // SAFETY: the program gives a place for it.
        unsafe { *handle = made };
        SUCCESS
    })
}

extern "C" fn join(handle: usize, result: *mut c_int) -> c_int {
    if !is_in_program() {
        return real!(thrd_join(handle: usize, result: *mut c_int) -> c_int);
    }
    operation(|place| match thread::join_at(handle, place) {
        Ok(value) => {
            if !result.is_null() {
                // SAFETY: the program gives a place for it.
                unsafe { *result = value.addr() as c_int };
            }
            SUCCESS
        }
        Err(_) => ERROR,
    })
}

extern "C" fn detach(handle: usize) -> c_int {
    if !is_in_program() {
        return real!(thrd_detach(handle: usize) -> c_int);
    }
    status(thread::detach_at(handle))
}

extern "C" fn exit(result: c_int) {
    if !is_in_program() {
        return real!(thrd_exit(result: c_int));
    }
    threads::exit(std::ptr::without_provenance_mut(result.cast_unsigned() as usize))
}

extern "C" fn mutex_init(mutex: *mut c_void, kind: c_int) -> c_int {
    let initialized = real!(mtx_init(mutex: *mut c_void, kind: c_int) -> c_int);
    if is_in_program() {
        operation(|_| objects::forget_lock(mutex.addr()));
    }
    initialized
}

extern "C" fn mutex_lock(mutex: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(mtx_lock(mutex: *mut c_void) -> c_int);
    }
    status(operation(|place| mutex::lock_at(mutex, Patience::Forever, place)))
}

extern "C" fn mutex_try_lock(mutex: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(mtx_trylock(mutex: *mut c_void) -> c_int);
    }
    status(operation(|place| mutex::lock_at(mutex, Patience::Try, place)))
}

extern "C" fn mutex_timed_lock(mutex: *mut c_void, deadline: *const libc::timespec) -> c_int {
    if !is_in_program() {
        return real!(mtx_timedlock(mutex: *mut c_void, deadline: *const libc::timespec) -> c_int);
    }
    status(operation(|place| mutex::lock_at(mutex, Patience::until(deadline), place)))
}

extern "C" fn mutex_unlock(mutex: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(mtx_unlock(mutex: *mut c_void) -> c_int);
    }
    status(operation(|place| mutex::unlock_at(mutex, place)))
}

extern "C" fn mutex_destroy(mutex: *mut c_void) {
    if !is_in_program() {
        return real!(mtx_destroy(mutex: *mut c_void));
    }
    operation(|place| mutex::destroy_at(mutex, place));
}

extern "C" fn condition_init(condition: *mut c_void) -> c_int {
    let initialized = real!(cnd_init(condition: *mut c_void) -> c_int);
    if is_in_program() {
        operation(|_| objects::forget_lock(condition.addr()));
    }
    initialized
}

extern "C" fn condition_wait(condition: *mut c_void, mutex: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(cnd_wait(condition: *mut c_void, mutex: *mut c_void) -> c_int);
    }
    status(operation(|place| condition::wait_at(condition, mutex, Patience::Forever, place)))
}

extern "C" fn condition_timed_wait(
    condition: *mut c_void,
    mutex: *mut c_void,
    deadline: *const libc::timespec,
) -> c_int {
    if !is_in_program() {
        return real!(cnd_timedwait(
            condition: *mut c_void,
            mutex: *mut c_void,
            deadline: *const libc::timespec
        ) -> c_int);
    }
    status(operation(|place| condition::wait_at(condition, mutex, Patience::until(deadline), place)))
}

extern "C" fn condition_signal(condition: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(cnd_signal(condition: *mut c_void) -> c_int);
    }
    operation(|place| condition::notify_at(condition, Notified::One, place));
    SUCCESS
}

extern "C" fn condition_broadcast(condition: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(cnd_broadcast(condition: *mut c_void) -> c_int);
    }
    operation(|place| condition::notify_at(condition, Notified::All, place));
    SUCCESS
}

extern "C" fn condition_destroy(condition: *mut c_void) {
    if !is_in_program() {
        return real!(cnd_destroy(condition: *mut c_void));
    }
    operation(|_| objects::forget_lock(condition.addr()));
}

type Destroy = Option<unsafe extern "C" fn(*mut c_void)>;

extern "C" fn key_create(key: *mut libc::pthread_key_t, destroy: Destroy) -> c_int {
    status(crate::pthread::key::create(key, destroy))
}

extern "C" fn key_delete(key: libc::pthread_key_t) {
    crate::pthread::key::delete(key);
}

extern "C-unwind" fn call_once(flag: *mut c_int, routine: extern "C-unwind" fn()) {
    once::once(flag, routine);
}

entries! {
    thrd_create = self::create;
    thrd_join = self::join;
    thrd_detach = self::detach;
    thrd_exit = self::exit;
    mtx_init = self::mutex_init;
    mtx_lock = self::mutex_lock;
    mtx_trylock = self::mutex_try_lock;
    mtx_timedlock = self::mutex_timed_lock;
    mtx_unlock = self::mutex_unlock;
    mtx_destroy = self::mutex_destroy;
    cnd_init = self::condition_init;
    cnd_wait = self::condition_wait;
    cnd_timedwait = self::condition_timed_wait;
    cnd_signal = self::condition_signal;
    cnd_broadcast = self::condition_broadcast;
    cnd_destroy = self::condition_destroy;
    tss_create = self::key_create;
    tss_delete = self::key_delete;
    call_once = self::call_once;
}

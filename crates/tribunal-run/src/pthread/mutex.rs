//! Mutexes.

use crate::control::{self, is_in_program};
use crate::operation::{Patience, called, misuse, operation};
use crate::{entries, objects, real};
use std::ffi::{c_int, c_void};
use tribunal_explore::foreign::{Access, MUTEX};
use tribunal_explore::program::{Place, Update};
use tribunal_history::memory::Order;

/// Takes a lock that is free: 0 becomes a number of the thread.
pub fn take() -> Update {
    Update { apply: |held, [by, _]| (held == 0).then_some(by), operands: [me().into(), 0] }
}

/// The number of the thread that runs, and one.
pub fn me() -> u32 {
    control::thread().0 + 1
}

/// What the runtime keeps in a mutex of the program: how often a recursive one is held, in the word that libc has for it.
fn depth(mutex: *mut c_void) -> *mut u32 {
    // SAFETY: `__count` is the second word of glibc's mutex.
    unsafe { mutex.cast::<u32>().add(1) }
}

/// The kind of a mutex, as `pthread_mutexattr_settype` has it: `__kind` of glibc's mutex.
fn kind(mutex: *mut c_void) -> c_int {
    // SAFETY: as glibc has it.
    unsafe { *mutex.cast::<c_int>().add(4) & 3 }
}

/// The thread that holds a mutex, as [`me`] has it: `__owner` of glibc's mutex.
fn owner(mutex: *mut c_void) -> *mut u32 {
    // SAFETY: as glibc has it.
    unsafe { mutex.cast::<u32>().add(2) }
}

/// Whether the thread that runs holds it.
pub fn is_held(mutex: *mut c_void) -> bool {
    // SAFETY: a word of glibc's mutex.
    unsafe { *owner(mutex) == me() }
}

/// Whether the thread that runs holds it already; a recursive one is then held once more, and an error is told of the others.
fn again(mutex: *mut c_void, patience: Patience, place: Place) -> Option<c_int> {
    if !is_held(mutex) {
        return None;
    }
    // SAFETY: words of glibc's mutex.
    unsafe {
        Some(match (kind(mutex), patience) {
            (libc::PTHREAD_MUTEX_RECURSIVE, _) => {
                *depth(mutex) += 1;
                0
            }
            (_, Patience::Try) => libc::EBUSY,
            (libc::PTHREAD_MUTEX_ERRORCHECK, _) => libc::EDEADLK,
            (_, Patience::Until(deadline)) => {
                crate::time::has_come(deadline);
                libc::ETIMEDOUT
            }
            (_, Patience::Forever) => {
                misuse(format!("{} is locked by the thread that holds it", called(mutex, "the mutex")), place)
            }
        })
    }
}

/// Locks a mutex.
pub fn lock_at(mutex: *mut c_void, patience: Patience, place: Place) -> c_int {
    if let Some(status) = again(mutex, patience, place) {
        return status;
    }
    let known = objects::lock(mutex.addr(), MUTEX, 0, place);
    let word = known.object.access(0, patience.take(take()), place);
    let status = patience.answer(word, take());
    if status == 0 {
        // SAFETY: words of glibc's mutex.
        unsafe {
            *owner(mutex) = me();
            *depth(mutex) = 1;
        }
    }
    status
}

/// Unlocks a mutex.
pub fn unlock_at(mutex: *mut c_void, place: Place) -> c_int {
    // SAFETY: words of glibc's mutex.
    unsafe {
        if !is_held(mutex) {
            if matches!(kind(mutex), libc::PTHREAD_MUTEX_RECURSIVE | libc::PTHREAD_MUTEX_ERRORCHECK) {
                return libc::EPERM;
            }
            misuse(
                format!("{} is unlocked by a thread that does not hold it", called(mutex, "the mutex")),
                place,
            );
        }
        *depth(mutex) -= 1;
        if *depth(mutex) > 0 {
            return 0;
        }
        *owner(mutex) = 0;
    }
    let known = objects::lock(mutex.addr(), MUTEX, 0, place);
    known.object.access(0, Access::Store(Order::Release, 0), place);
    0
}

/// A mutex is no more.
pub fn destroy_at(mutex: *mut c_void, place: Place) {
    // SAFETY: a word of glibc's mutex.
    if unsafe { *owner(mutex) } != 0 {
        misuse(format!("{} is destroyed while it is held", called(mutex, "the mutex")), place);
    }
    objects::destroy_lock(mutex.addr(), place);
}

extern "C" fn init(mutex: *mut c_void, attributes: *const c_void) -> c_int {
    let status = real!(pthread_mutex_init(mutex: *mut c_void, attributes: *const c_void) -> c_int);
    if is_in_program() {
        operation(|_| objects::forget_lock(mutex.addr()));
    }
    status
}

extern "C" fn lock(mutex: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_mutex_lock(mutex: *mut c_void) -> c_int);
    }
    operation(|place| lock_at(mutex, Patience::Forever, place))
}

extern "C" fn try_lock(mutex: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_mutex_trylock(mutex: *mut c_void) -> c_int);
    }
    operation(|place| lock_at(mutex, Patience::Try, place))
}

extern "C" fn timed_lock(mutex: *mut c_void, deadline: *const libc::timespec) -> c_int {
    if !is_in_program() {
        return real!(pthread_mutex_timedlock(mutex: *mut c_void, deadline: *const libc::timespec) -> c_int);
    }
    operation(|place| lock_at(mutex, Patience::until(deadline), place))
}

extern "C" fn clock_lock(mutex: *mut c_void, _: c_int, deadline: *const libc::timespec) -> c_int {
    timed_lock(mutex, deadline)
}

extern "C" fn unlock(mutex: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_mutex_unlock(mutex: *mut c_void) -> c_int);
    }
    operation(|place| unlock_at(mutex, place))
}

extern "C" fn destroy(mutex: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_mutex_destroy(mutex: *mut c_void) -> c_int);
    }
    operation(|place| destroy_at(mutex, place));
    0
}

entries! {
    pthread_mutex_init = self::init;
    pthread_mutex_lock = self::lock;
    pthread_mutex_trylock = self::try_lock;
    pthread_mutex_timedlock = self::timed_lock;
    pthread_mutex_clocklock = self::clock_lock;
    pthread_mutex_unlock = self::unlock;
    pthread_mutex_destroy = self::destroy;
}

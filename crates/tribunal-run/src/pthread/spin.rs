//! Spin locks: locks like mutexes, which their threads do not know again.

use super::mutex::take;
use crate::control::is_in_program;
use crate::operation::{Patience, operation};
use crate::{entries, objects, real};
use std::ffi::{c_int, c_void};
use tribunal_explore::foreign::{Access, MUTEX};
use tribunal_history::memory::Order;

extern "C" fn init(lock: *mut c_void, shared: c_int) -> c_int {
    let status = real!(pthread_spin_init(lock: *mut c_void, shared: c_int) -> c_int);
    if is_in_program() {
        operation(|_| objects::forget_lock(lock.addr()));
    }
    status
}

extern "C" fn destroy(lock: *mut c_void) -> c_int {
    if is_in_program() {
        operation(|place| objects::destroy_lock(lock.addr(), place));
    }
    0
}

fn locked(lock: *mut c_void, patience: Patience) -> c_int {
    operation(|place| {
        let known = objects::lock(lock.addr(), MUTEX, 0, place);
        patience.answer(known.object.access(0, patience.take(take()), place), take())
    })
}

extern "C" fn lock(lock: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_spin_lock(lock: *mut c_void) -> c_int);
    }
    locked(lock, Patience::Forever)
}

extern "C" fn try_lock(lock: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_spin_trylock(lock: *mut c_void) -> c_int);
    }
    locked(lock, Patience::Try)
}

extern "C" fn unlock(lock: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_spin_unlock(lock: *mut c_void) -> c_int);
    }
    operation(|place| {
        let known = objects::lock(lock.addr(), MUTEX, 0, place);
        known.object.access(0, Access::Store(Order::Release, 0), place);
    });
    0
}

entries! {
    pthread_spin_init = self::init;
    pthread_spin_destroy = self::destroy;
    pthread_spin_lock = self::lock;
    pthread_spin_trylock = self::try_lock;
    pthread_spin_unlock = self::unlock;
}

//! Locks for many readers or one writer.

use super::mutex::me;
use crate::control::is_in_program;
use crate::operation::{Patience, called, misuse, operation};
use crate::{entries, objects, real};
use std::ffi::{c_int, c_void};
use tribunal_explore::foreign::{Access, GIVE_READ, Object, TAKE_READ, TAKE_WRITE};
use tribunal_explore::program::{Place, Update};
use tribunal_history::memory::Order;

/// The thread that holds it for writing: `__cur_writer` of glibc's lock.
fn writer(lock: *mut c_void) -> *mut u32 {
    // SAFETY: as glibc has it.
    unsafe { lock.cast::<u32>().add(6) }
}

fn object(lock: *mut c_void, place: Place) -> &'static Object {
    &objects::lock(lock.addr(), "RwLock", 0, place).object
}

fn take(lock: *mut c_void, patience: Patience, update: Update) -> c_int {
    operation(|place| {
        // SAFETY: a word of glibc's lock.
        if unsafe { *writer(lock) } == me() {
            return if matches!(patience, Patience::Try) { libc::EBUSY } else { libc::EDEADLK };
        }
        let word = object(lock, place).access(0, patience.take(update), place);
        patience.answer(word, update)
    })
}

fn write(lock: *mut c_void, patience: Patience) -> c_int {
    let status = take(lock, patience, TAKE_WRITE);
    if status == 0 {
        // SAFETY: a word of glibc's lock.
        unsafe { *writer(lock) = me() };
    }
    status
}

fn give(lock: *mut c_void, place: Place) {
    // SAFETY: a word of glibc's lock.
    let writer = unsafe { &mut *writer(lock) };
    if *writer == me() {
        *writer = 0;
        object(lock, place).access(0, Access::Store(Order::Release, 0), place);
        return;
    }
    if object(lock, place).update(Order::Release, GIVE_READ, place) == 0 {
        misuse(format!("{} is unlocked by a thread that does not hold it", called(lock, "the lock")), place);
    }
}

extern "C" fn init(lock: *mut c_void, attributes: *const c_void) -> c_int {
    let status = real!(pthread_rwlock_init(lock: *mut c_void, attributes: *const c_void) -> c_int);
    if is_in_program() {
        operation(|_| objects::forget_lock(lock.addr()));
    }
    status
}

extern "C" fn destroy(lock: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_rwlock_destroy(lock: *mut c_void) -> c_int);
    }
    operation(|place| objects::destroy_lock(lock.addr(), place));
    0
}

extern "C" fn unlock(lock: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_rwlock_unlock(lock: *mut c_void) -> c_int);
    }
    operation(|place| give(lock, place));
    0
}

extern "C" fn read_lock(lock: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_rwlock_rdlock(lock: *mut c_void) -> c_int);
    }
    take(lock, Patience::Forever, TAKE_READ)
}

extern "C" fn try_read_lock(lock: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_rwlock_tryrdlock(lock: *mut c_void) -> c_int);
    }
    take(lock, Patience::Try, TAKE_READ)
}

extern "C" fn timed_read_lock(lock: *mut c_void, deadline: *const libc::timespec) -> c_int {
    if !is_in_program() {
        return real!(pthread_rwlock_timedrdlock(lock: *mut c_void, deadline: *const libc::timespec) -> c_int);
    }
    take(lock, Patience::until(deadline), TAKE_READ)
}

extern "C" fn clock_read_lock(lock: *mut c_void, _: c_int, deadline: *const libc::timespec) -> c_int {
    timed_read_lock(lock, deadline)
}

extern "C" fn write_lock(lock: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_rwlock_wrlock(lock: *mut c_void) -> c_int);
    }
    write(lock, Patience::Forever)
}

extern "C" fn try_write_lock(lock: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_rwlock_trywrlock(lock: *mut c_void) -> c_int);
    }
    write(lock, Patience::Try)
}

extern "C" fn timed_write_lock(lock: *mut c_void, deadline: *const libc::timespec) -> c_int {
    if !is_in_program() {
        return real!(pthread_rwlock_timedwrlock(lock: *mut c_void, deadline: *const libc::timespec) -> c_int);
    }
    write(lock, Patience::until(deadline))
}

extern "C" fn clock_write_lock(lock: *mut c_void, _: c_int, deadline: *const libc::timespec) -> c_int {
    timed_write_lock(lock, deadline)
}

entries! {
    pthread_rwlock_init = self::init;
    pthread_rwlock_destroy = self::destroy;
    pthread_rwlock_unlock = self::unlock;
    pthread_rwlock_rdlock = self::read_lock;
    pthread_rwlock_tryrdlock = self::try_read_lock;
    pthread_rwlock_timedrdlock = self::timed_read_lock;
    pthread_rwlock_clockrdlock = self::clock_read_lock;
    pthread_rwlock_wrlock = self::write_lock;
    pthread_rwlock_trywrlock = self::try_write_lock;
    pthread_rwlock_timedwrlock = self::timed_write_lock;
    pthread_rwlock_clockwrlock = self::clock_write_lock;
}

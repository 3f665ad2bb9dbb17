//! Semaphores.

use crate::control::is_in_program;
use crate::operation::{Patience, operation, refuse, status};
use crate::{entries, objects, real};
use std::ffi::{c_int, c_uint, c_void};
use tribunal_explore::foreign::Access;
use tribunal_explore::program::Update;
use tribunal_history::memory::Order;

const TAKE: Update = Update { apply: |count, _| count.checked_sub(1), operands: [0; 2] };
const GIVE: Update = Update { apply: |count, _| Some(count + 1), operands: [0; 2] };

/// Does something to the count.
fn access(semaphore: *mut c_void, access: Access) -> u64 {
    // SAFETY: the count is the first word of glibc's semaphore, as `sem_init` left it.
    let initial = unsafe { *semaphore.cast::<u32>() }.into();
    operation(|place| {
        objects::lock(semaphore.addr(), "Semaphore", initial, place).object.access(initial, access, place)
    })
}

fn take(semaphore: *mut c_void, patience: Patience) -> c_int {
    let taken = patience.answer(access(semaphore, patience.take(TAKE)), TAKE);
    status(if taken == libc::EBUSY { libc::EAGAIN } else { taken })
}

extern "C" fn init(semaphore: *mut c_void, shared: c_int, count: c_uint) -> c_int {
    let status = real!(sem_init(semaphore: *mut c_void, shared: c_int, count: c_uint) -> c_int);
    if is_in_program() {
        operation(|_| objects::forget_lock(semaphore.addr()));
    }
    status
}

extern "C" fn destroy(semaphore: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(sem_destroy(semaphore: *mut c_void) -> c_int);
    }
    operation(|place| objects::destroy_lock(semaphore.addr(), place));
    0
}

extern "C" fn wait(semaphore: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(sem_wait(semaphore: *mut c_void) -> c_int);
    }
    take(semaphore, Patience::Forever)
}

extern "C" fn try_wait(semaphore: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(sem_trywait(semaphore: *mut c_void) -> c_int);
    }
    take(semaphore, Patience::Try)
}

extern "C" fn timed_wait(semaphore: *mut c_void, deadline: *const libc::timespec) -> c_int {
    if !is_in_program() {
        return real!(sem_timedwait(semaphore: *mut c_void, deadline: *const libc::timespec) -> c_int);
    }
    take(semaphore, Patience::until(deadline))
}

extern "C" fn clock_wait(semaphore: *mut c_void, _: c_int, deadline: *const libc::timespec) -> c_int {
    timed_wait(semaphore, deadline)
}

extern "C" fn post(semaphore: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(sem_post(semaphore: *mut c_void) -> c_int);
    }
    access(semaphore, Access::Rmw { order: Order::Release, failure: Order::Relaxed, update: GIVE });
    0
}

extern "C" fn get_value(semaphore: *mut c_void, value: *mut c_int) -> c_int {
    if !is_in_program() {
        return real!(sem_getvalue(semaphore: *mut c_void, value: *mut c_int) -> c_int);
    }
    let count = access(semaphore, Access::Load(Order::Relaxed));
    // SAFETY: the program gives a place for it.
    unsafe { *value = count as c_int };
    0
}

extern "C" fn open() -> *mut c_void {
    if !is_in_program() {
        return std::ptr::null_mut();
    }
    refuse("sem_open")
}

entries! {
    sem_init = self::init;
    sem_destroy = self::destroy;
    sem_wait = self::wait;
    sem_trywait = self::try_wait;
    sem_timedwait = self::timed_wait;
    sem_clockwait = self::clock_wait;
    sem_post = self::post;
    sem_getvalue = self::get_value;
    sem_open = self::open;
}

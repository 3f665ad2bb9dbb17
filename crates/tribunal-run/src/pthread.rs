//! Threads and locks of POSIX, in libc's place.

use crate::control::{self, caller, is_in_program, outside};
use crate::threads::{self, Start};
use crate::{entries, objects, plain, real, names};
use std::ffi::{c_int, c_void};
use tribunal_explore::foreign::{self, Access, MUTEX};
use tribunal_explore::program::{Place, Update};
use tribunal_explore::Problem;
use tribunal_history::memory::Order;

/// Leaves the program for the runtime with the place of the call.
pub fn operation<R>(f: impl FnOnce(Place) -> R) -> R {
    let pc = caller();
    outside(|| {
        plain::flush(control::thread());
        let place = names::place(pc);
        threads::current().place = place;
        f(place)
    })
}

/// The program uses something as it must not.
pub fn misuse(message: impl Into<String>, place: Place) -> ! {
    threads::fail(Problem::Misuse { message: message.into() }, place)
}

type Routine = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

extern "C" fn create(
    handle: *mut usize,
    attributes: *const libc::pthread_attr_t,
    start: Routine,
    argument: *mut c_void,
) -> c_int {
    if !is_in_program() {
        return real!(pthread_create(
            handle: *mut usize,
            attributes: *const libc::pthread_attr_t,
            start: Routine,
            argument: *mut c_void
        ) -> c_int);
    }
    let mut detached = 0;
    if !attributes.is_null() {
        let detached: *mut c_int = &raw mut detached;
        real!(pthread_attr_getdetachstate(attributes: *const libc::pthread_attr_t, detached: *mut c_int) -> c_int);
    }
    operation(|place| {
        let Some(child) = threads::make(Start::Posix(start, argument), place) else { return libc::EAGAIN };
        threads::of(child).is_detached = detached == libc::PTHREAD_CREATE_DETACHED;
        // SAFETY: the program gives a place for it.
        unsafe { *handle = threads::handle(child) };
        0
    })
}

extern "C" fn join(handle: usize, result: *mut *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_join(handle: usize, result: *mut *mut c_void) -> c_int);
    }
    operation(|place| {
        let Some(thread) = threads::with_handle(handle) else { return libc::ESRCH };
        if thread == control::thread() {
            return libc::EDEADLK;
        }
        if threads::of(thread).is_detached || threads::of(thread).is_joined {
            misuse("a thread is joined that was detached or joined before", place);
        }
        threads::of(thread).is_joined = true;
        foreign::join(thread, place);
        if !result.is_null() {
            // SAFETY: the program gives a place for it.
            unsafe { *result = threads::of(thread).result };
        }
        0
    })
}

extern "C" fn detach(handle: usize) -> c_int {
    if !is_in_program() {
        return real!(pthread_detach(handle: usize) -> c_int);
    }
    match threads::with_handle(handle) {
        Some(thread) => {
            threads::of(thread).is_detached = true;
            0
        }
        None => libc::ESRCH,
    }
}

extern "C" fn exit(result: *mut c_void) {
    if !is_in_program() {
        return real!(pthread_exit(result: *mut c_void));
    }
    threads::exit(result)
}

const TAKE: Update = Update { apply: |held, [by, _]| (held == 0).then_some(by), operands: [0; 2] };

fn take() -> Update {
    Update { operands: [u64::from(control::thread().0) + 1, 0], ..TAKE }
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

/// The thread that holds a mutex, and one: `__owner` of glibc's mutex.
fn owner(mutex: *mut c_void) -> *mut u32 {
    // SAFETY: as glibc has it.
    unsafe { mutex.cast::<u32>().add(2) }
}

fn me() -> u32 {
    control::thread().0 + 1
}

/// Whether the thread that runs holds it already; a recursive one is then held once more, and an error is told of the others.
fn again(mutex: *mut c_void, tries: bool, place: Place) -> Option<c_int> {
    // SAFETY: words of glibc's mutex.
    unsafe {
        if *owner(mutex) != me() {
            return None;
        }
        match kind(mutex) {
            libc::PTHREAD_MUTEX_RECURSIVE => {
                *depth(mutex) += 1;
                Some(0)
            }
            libc::PTHREAD_MUTEX_ERRORCHECK => Some(if tries { libc::EBUSY } else { libc::EDEADLK }),
            _ if tries => Some(libc::EBUSY),
            _ => misuse(format!("{} is locked by the thread that holds it", called(mutex, "the mutex")), place),
        }
    }
}

/// What something is called, in a sentence.
pub fn called(at: *mut c_void, what: &str) -> String {
    plain::name(at.addr()).map_or(what.into(), |name| format!("{what} `{name}`"))
}

fn held(mutex: *mut c_void) {
    // SAFETY: words of glibc's mutex.
    unsafe {
        *owner(mutex) = me();
        *depth(mutex) = 1;
    }
}

pub fn lock_at(mutex: *mut c_void, place: Place) -> c_int {
    if let Some(status) = again(mutex, false, place) {
        return status;
    }
    let known = objects::lock(mutex.addr(), MUTEX, place);
    known.object.access(0, Access::AwaitRmw { order: Order::Acquire, update: take() }, place);
    held(mutex);
    0
}

pub fn unlock_at(mutex: *mut c_void, place: Place) -> c_int {
    // SAFETY: words of glibc's mutex.
    unsafe {
        if *owner(mutex) != me() {
            if kind(mutex) != libc::PTHREAD_MUTEX_NORMAL {
                return libc::EPERM;
            }
            misuse(format!("{} is unlocked by a thread that does not hold it", called(mutex, "the mutex")), place);
        }
        *depth(mutex) -= 1;
        if *depth(mutex) > 0 {
            return 0;
        }
        *owner(mutex) = 0;
    }
    let known = objects::lock(mutex.addr(), MUTEX, place);
    known.object.access(0, Access::Store(Order::Release, 0), place);
    0
}

extern "C" fn lock(mutex: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_mutex_lock(mutex: *mut c_void) -> c_int);
    }
    operation(|place| lock_at(mutex, place))
}

extern "C" fn try_lock(mutex: *mut c_void) -> c_int {
    if !is_in_program() {
        return real!(pthread_mutex_trylock(mutex: *mut c_void) -> c_int);
    }
    operation(|place| {
        if let Some(status) = again(mutex, true, place) {
            return status;
        }
        let known = objects::lock(mutex.addr(), MUTEX, place);
        let take = Access::Rmw { order: Order::Acquire, failure: Order::Relaxed, update: take() };
        if known.object.access(0, take, place) != 0 {
            return libc::EBUSY;
        }
        held(mutex);
        0
    })
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
    operation(|place| {
        // SAFETY: a word of glibc's mutex.
        if unsafe { *owner(mutex) } != 0 {
            misuse(format!("{} is destroyed while it is held", called(mutex, "the mutex")), place);
        }
        objects::forget_lock(mutex.addr());
        0
    })
}

extern "C" fn yields() -> c_int {
    if !is_in_program() {
        return real!(sched_yield() -> c_int);
    }
    operation(foreign::spin);
    0
}

entries! {
    pthread_create = self::create;
    pthread_join = self::join;
    pthread_detach = self::detach;
    pthread_exit = self::exit;
    pthread_mutex_lock = self::lock;
    pthread_mutex_trylock = self::try_lock;
    pthread_mutex_unlock = self::unlock;
    pthread_mutex_destroy = self::destroy;
    sched_yield = self::yields;
    pthread_yield = self::yields;
    thrd_yield = self::yields;
}

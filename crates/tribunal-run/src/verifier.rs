//! The functions by which programs talk to GenMC, Nidhugg and the tools of SV-COMP.

use crate::control::{self, is_in_program};
use crate::operation::{Patience, misuse, operation};
use crate::pthread::mutex::take;
use crate::threads::{self, Start};
use crate::{chance, crash, entries, heap, objects};
use std::ffi::{c_int, c_void};
use tribunal_explore::foreign::{self, Access, MUTEX};
use tribunal_history::memory::{Order, ThreadId};

/// Executions in which it does not hold do not count.
extern "C" fn assume(condition: c_int) {
    if is_in_program() && condition == 0 {
        operation(foreign::block);
    }
}

/// Some number. It is not one of all that there are, but the next of a sequence that each thread has: so GenMC has it.
extern "C" fn nondet() -> u64 {
    if is_in_program() { chance::next() >> 33 } else { 0 }
}

extern "C" fn nondet_bool() -> bool {
    if is_in_program() { operation(|place| foreign::choose(2, place)) == 1 } else { false }
}

extern "C" fn error() {
    crash::gives_up("an error is reached".into(), None);
}

/// What stands for all atomic sections, of which one thread is in one at a time.
static SECTION: u8 = 0;

fn section() -> usize {
    (&raw const SECTION).addr()
}

extern "C" fn atomic_begin() {
    if is_in_program() {
        operation(|place| {
            let lock = objects::lock(section(), MUTEX, 0, place);
            lock.object.access(0, Patience::Forever.take(take()), place);
        });
    }
}

extern "C" fn atomic_end() {
    if is_in_program() {
        operation(|place| {
            objects::lock(section(), MUTEX, 0, place).object.access(
                0,
                Access::Store(Order::Release, 0),
                place,
            );
        });
    }
}

/// The end of an iteration of a loop, which goes on if the condition does not hold: it is one that waits.
extern "C" fn spin_end(condition: c_int) {
    if is_in_program() && condition == 0 {
        crate::operation::spin();
    }
}

/// What only helps GenMC.
extern "C" fn nothing() -> c_int {
    0
}

type Routine = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// Threads have numbers here.
extern "C" fn thread_create(_: *const c_void, start: Routine, argument: *mut c_void) -> c_int {
    operation(|place| match threads::make(Start::Posix(start, argument), place) {
        Some(thread) => thread.0 as c_int,
        None => misuse("there are too many threads", place),
    })
}

extern "C" fn thread_join(number: usize) -> *mut c_void {
    operation(|place| {
        let thread = ThreadId::from_index(number);
        foreign::join(thread, place);
        threads::of(thread).result
    })
}

extern "C" fn thread_self() -> usize {
    control::thread().index()
}

extern "C" fn thread_exit(result: *mut c_void) {
    threads::exit(result)
}

/// A hazard pointer, which protects what is never given back anyway.
extern "C" fn hazard_pointer() -> *mut u8 {
    heap::malloc(8)
}

entries! {
    __VERIFIER_assume = self::assume;
    __VERIFIER_error = self::error;
    reach_error = self::error;
    __VERIFIER_nondet_bool = self::nondet_bool;
    __VERIFIER_nondet__Bool = self::nondet_bool;
    __VERIFIER_nondet_char = self::nondet;
    __VERIFIER_nondet_uchar = self::nondet;
    __VERIFIER_nondet_short = self::nondet;
    __VERIFIER_nondet_ushort = self::nondet;
    __VERIFIER_nondet_int = self::nondet;
    __VERIFIER_nondet_uint = self::nondet;
    __VERIFIER_nondet_unsigned = self::nondet;
    __VERIFIER_nondet_long = self::nondet;
    __VERIFIER_nondet_ulong = self::nondet;
    __VERIFIER_nondet_longlong = self::nondet;
    __VERIFIER_nondet_ulonglong = self::nondet;
    __VERIFIER_nondet_size_t = self::nondet;
    __VERIFIER_nondet_pointer = self::nondet;
    __VERIFIER_atomic_begin = self::atomic_begin;
    __VERIFIER_atomic_end = self::atomic_end;
    __VERIFIER_loop_begin = self::nothing;
    __VERIFIER_spin_start = self::nothing;
    __VERIFIER_spin_end = self::spin_end;
    __VERIFIER_opt_begin = self::nothing;
    __VERIFIER_annotate_begin = self::nothing;
    __VERIFIER_annotate_end = self::nothing;
    __VERIFIER_method_begin = self::nothing;
    __VERIFIER_method_end = self::nothing;
    __VERIFIER_pbarrier = self::nothing;
    __VERIFIER_hazptr_alloc = self::hazard_pointer;
    __VERIFIER_hazptr_protect = self::nothing;
    __VERIFIER_hazptr_clear = self::nothing;
    __VERIFIER_hazptr_free = self::nothing;
    __VERIFIER_hazptr_retire = self::nothing;
    __VERIFIER_thread_create = self::thread_create;
    __VERIFIER_thread_create_symmetric = self::thread_create;
    __VERIFIER_thread_join = self::thread_join;
    __VERIFIER_thread_self = self::thread_self;
    __VERIFIER_thread_exit = self::thread_exit;
}

//! What programs tell ThreadSanitizer of themselves: that something happens before something else, or that accesses are not to be looked at.

use crate::control::{is_in_program, set_recorded};
use crate::operation::{operation, refuse};
use crate::{entries, objects, threads};
use std::ffi::{c_char, c_int};
use tribunal_explore::foreign::{Access, Object};
use tribunal_explore::program::{Condition, Place, Update};
use tribunal_history::memory::Order;

/// Its word counts what was released there.
fn object(address: usize, place: Place) -> &'static Object {
    &objects::lock(address, "Annotation", 0, place).object
}

/// What comes before it happens before what comes after an [`acquire`] of this address that sees it.
extern "C" fn release(address: usize) {
    if is_in_program() {
        let count = Update { apply: |count, _| Some(count + 1), operands: [0; 2] };
        operation(|place| object(address, place).update(Order::Release, count, place));
    }
}

/// The program says that there was a release, so it is waited for; if none comes, the program goes on.
extern "C" fn acquire(address: usize) {
    if is_in_program() {
        let until = Condition { holds: |count, _| count > 0, operand: 0 };
        let wait = Access::TimedAwait { order: Order::Acquire, until };
        operation(|place| object(address, place).access(0, wait, place));
    }
}

extern "C" fn happens_before(_: *const c_char, _: c_int, address: usize) {
    release(address);
}

extern "C" fn happens_after(_: *const c_char, _: c_int, address: usize) {
    acquire(address);
}

/// Plain accesses of the thread are not looked at.
extern "C" fn ignore_begin() -> c_int {
    if is_in_program() {
        threads::current().ignores += 1;
        set_recorded(false);
    }
    0
}

extern "C" fn ignore_end() -> c_int {
    if is_in_program() {
        let ignores = &mut threads::current().ignores;
        *ignores = ignores.saturating_sub(1);
        set_recorded(*ignores == 0);
    }
    0
}

extern "C" fn nothing() -> c_int {
    0
}

extern "C" fn fiber() {
    refuse("a fiber");
}

entries! {
    __tsan_acquire = self::acquire;
    __tsan_release = self::release;
    AnnotateHappensAfter = self::happens_after;
    AnnotateHappensBefore = self::happens_before;
    WTFAnnotateHappensAfter = self::happens_after;
    WTFAnnotateHappensBefore = self::happens_before;
    __tsan_ignore_thread_begin = self::ignore_begin;
    __tsan_ignore_thread_end = self::ignore_end;
    AnnotateIgnoreReadsBegin = self::ignore_begin;
    AnnotateIgnoreReadsEnd = self::ignore_end;
    AnnotateIgnoreWritesBegin = self::ignore_begin;
    AnnotateIgnoreWritesEnd = self::ignore_end;
    AnnotateIgnoreSyncBegin = self::nothing;
    AnnotateIgnoreSyncEnd = self::nothing;
    __tsan_mutex_create = self::nothing;
    __tsan_mutex_destroy = self::nothing;
    __tsan_mutex_pre_lock = self::ignore_begin;
    __tsan_mutex_post_lock = self::ignore_end;
    __tsan_mutex_pre_unlock = self::ignore_begin;
    __tsan_mutex_post_unlock = self::ignore_end;
    __tsan_mutex_pre_signal = self::ignore_begin;
    __tsan_mutex_post_signal = self::ignore_end;
    __tsan_mutex_pre_divert = self::ignore_end;
    __tsan_mutex_post_divert = self::ignore_begin;
    __tsan_check_no_mutexes_held = self::nothing;
    __tsan_create_fiber = self::fiber;
    __tsan_switch_to_fiber = self::fiber;
    __tsan_destroy_fiber = self::nothing;
    __tsan_get_current_fiber = self::nothing;
    __tsan_set_fiber_name = self::nothing;
    __tsan_external_register_tag = self::nothing;
    __tsan_external_register_header = self::nothing;
    __tsan_external_assign_tag = self::nothing;
    __tsan_external_read = self::nothing;
    __tsan_external_write = self::nothing;
    AnnotateRWLockCreate = self::nothing;
    AnnotateRWLockCreateStatic = self::nothing;
    AnnotateRWLockDestroy = self::nothing;
    AnnotateRWLockAcquired = self::nothing;
    AnnotateRWLockReleased = self::nothing;
    AnnotateBenignRace = self::nothing;
    AnnotateBenignRaceSized = self::nothing;
    WTFAnnotateBenignRaceSized = self::nothing;
    AnnotateCondVarSignal = self::nothing;
    AnnotateCondVarSignalAll = self::nothing;
    AnnotateCondVarWait = self::nothing;
    AnnotateEnableRaceDetection = self::nothing;
    AnnotateExpectRace = self::nothing;
    AnnotateFlushExpectedRaces = self::nothing;
    AnnotateFlushState = self::nothing;
    AnnotateMemoryIsInitialized = self::nothing;
    AnnotateMemoryIsUninitialized = self::nothing;
    AnnotateMutexIsNotPHB = self::nothing;
    AnnotateMutexIsUsedAsCondVar = self::nothing;
    AnnotateNewMemory = self::nothing;
    AnnotateNoOp = self::nothing;
    AnnotatePCQCreate = self::nothing;
    AnnotatePCQDestroy = self::nothing;
    AnnotatePCQGet = self::nothing;
    AnnotatePCQPut = self::nothing;
    AnnotatePublishMemoryRange = self::nothing;
    AnnotateUnpublishMemoryRange = self::nothing;
    AnnotateThreadName = self::nothing;
    AnnotateTraceMemory = self::nothing;
    RunningOnValgrind = self::nothing;
    ThreadSanitizerQuery = self::nothing;
    __sanitizer_print_stack_trace = self::nothing;
    __sanitizer_set_report_path = self::nothing;
    __sanitizer_set_report_fd = self::nothing;
    __sanitizer_set_death_callback = self::nothing;
}

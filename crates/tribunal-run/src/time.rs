//! Time, which is the same in every run of an execution: each thread has a clock, which its calls, its sleeps and the timeouts of its waits set forward.
//!
//! A thread's clock begins where that of its maker is, and a join sets it to that of the thread that ended if that is later. All of libc's clocks are this one.

use crate::control::is_in_program;
use crate::operation::{duration, spin};
use crate::{entries, real, threads};
use std::ffi::{c_int, c_uint};
use std::time::Duration;

/// When executions begin, since 1970.
pub const START: Duration = Duration::from_secs(1_700_000_000);
/// What a look at the clock takes.
const LOOK: Duration = Duration::from_micros(1);

/// The time of the thread that runs.
pub fn now() -> Duration {
    let now = &mut threads::current().now;
    *now += LOOK;
    *now
}

/// The thread has waited up to a time, if it was not later anyway.
pub fn has_come(deadline: Duration) {
    let now = &mut threads::current().now;
    *now = deadline.max(*now);
}

fn sleeps_until(deadline: Duration) -> c_int {
    has_come(deadline);
    spin();
    0
}

fn sleeps(time: Duration) -> c_int {
    sleeps_until(now().saturating_add(time))
}

/// # Safety
/// The program gives a place for it.
unsafe fn put(time: Duration, at: *mut libc::timespec) {
    let (seconds, nanoseconds) = (time.as_secs().cast_signed(), time.subsec_nanos().into());
    unsafe { *at = libc::timespec { tv_sec: seconds, tv_nsec: nanoseconds } };
}

extern "C" fn nanosleep(time: *const libc::timespec, left: *mut libc::timespec) -> c_int {
    if !is_in_program() {
        return real!(nanosleep(time: *const libc::timespec, left: *mut libc::timespec) -> c_int);
    }
    // SAFETY: the program gives it.
    sleeps(duration(unsafe { &*time }))
}

extern "C" fn clock_nanosleep(
    clock: c_int,
    flags: c_int,
    time: *const libc::timespec,
    left: *mut libc::timespec,
) -> c_int {
    if !is_in_program() {
        return real!(clock_nanosleep(
            clock: c_int,
            flags: c_int,
            time: *const libc::timespec,
            left: *mut libc::timespec
        ) -> c_int);
    }
    // SAFETY: the program gives it.
    let time = duration(unsafe { &*time });
    if flags & libc::TIMER_ABSTIME != 0 { sleeps_until(time) } else { sleeps(time) }
}

extern "C" fn usleep(microseconds: c_uint) -> c_int {
    if !is_in_program() {
        return real!(usleep(microseconds: c_uint) -> c_int);
    }
    sleeps(Duration::from_micros(microseconds.into()))
}

extern "C" fn sleep(seconds: c_uint) -> c_uint {
    if !is_in_program() {
        return real!(sleep(seconds: c_uint) -> c_uint);
    }
    sleeps(Duration::from_secs(seconds.into()));
    0
}

/// As `thrd_sleep` has it.
extern "C" fn thread_sleep(time: *const libc::timespec, left: *mut libc::timespec) -> c_int {
    nanosleep(time, left)
}

extern "C" fn clock_gettime(clock: c_int, time: *mut libc::timespec) -> c_int {
    if !is_in_program() {
        return real!(clock_gettime(clock: c_int, time: *mut libc::timespec) -> c_int);
    }
    // SAFETY: the program gives a place for it.
    unsafe { put(now(), time) };
    0
}

extern "C" fn timespec_get(time: *mut libc::timespec, base: c_int) -> c_int {
    clock_gettime(libc::CLOCK_REALTIME, time);
    base
}

extern "C" fn gettimeofday(time: *mut libc::timeval, zone: *mut libc::timezone) -> c_int {
    if !is_in_program() {
        return real!(gettimeofday(time: *mut libc::timeval, zone: *mut libc::timezone) -> c_int);
    }
    let now = now();
    if !time.is_null() {
        let value =
            libc::timeval { tv_sec: now.as_secs().cast_signed(), tv_usec: now.subsec_micros().into() };
        // SAFETY: the program gives a place for it.
        unsafe { *time = value };
    }
    0
}

extern "C" fn time(at: *mut libc::time_t) -> libc::time_t {
    if !is_in_program() {
        return real!(time(at: *mut libc::time_t) -> libc::time_t);
    }
    let seconds = now().as_secs().cast_signed();
    if !at.is_null() {
        // SAFETY: the program gives a place for it.
        unsafe { *at = seconds };
    }
    seconds
}

extern "C" fn clock() -> libc::clock_t {
    if !is_in_program() {
        return real!(clock() -> libc::clock_t);
    }
    now().saturating_sub(START).as_micros() as libc::clock_t
}

entries! {
    nanosleep = self::nanosleep;
    clock_nanosleep = self::clock_nanosleep;
    usleep = self::usleep;
    sleep = self::sleep;
    thrd_sleep = self::thread_sleep;
    clock_gettime = self::clock_gettime;
    timespec_get = self::timespec_get;
    gettimeofday = self::gettimeofday;
    time = self::time;
    clock = self::clock;
}

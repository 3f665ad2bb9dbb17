//! System calls that the program makes by `syscall`: that of futexes, by which libraries make threads wait.
//!
//! The system compares the word and queues the thread in one step, and so do all executions that count: a thread reads the word, joins the queue, and reads the word again. If it has
//! changed then, the execution does not count, since there is one in which the first read sees it. What happens before a wake-up happens before what the woken thread does next; and what happens
//! before a wake-up that comes too early for a thread happens before its second read. The reads are sequentially consistent, as the system's fences make them.

use crate::control::{self, caller, is_in_program};
use crate::operation::{duration, operation, refuse};
use crate::pthread::thread;
use crate::{atomics, chance, entries, objects, real, time};
use std::ffi::{c_int, c_long, c_void};
use std::time::Duration;
use tribunal_explore::foreign::{self, Access, Notified, Object, Synchronizes};
use tribunal_explore::program::Place;
use tribunal_history::memory::Order;

const ANY: u32 = u32::MAX;

fn queue(word: *mut u32, place: Place) -> &'static Object {
    &objects::lock(word.addr(), "Futex", 0, place).object
}

/// Waits while the word has a value, at the latest until a time: an error number.
fn wait(word: *mut u32, value: u32, deadline: Option<Duration>, pc: usize) -> c_int {
    operation(|place| {
        let read = || atomics::perform(word, Access::Load(Order::SeqCst), |_| None, pc);
        if read() != value {
            return libc::EAGAIN;
        }
        let check = || {
            if read() != value {
                foreign::block(place);
            }
        };
        let left = queue(word, place).wait(Synchronizes::Yes, check, deadline.is_some(), place);
        match deadline {
            Some(deadline) if left => {
                time::has_come(deadline);
                libc::ETIMEDOUT
            }
            _ => 0,
        }
    })
}

/// Wakes so many threads, or all that wait: how many.
fn wake(word: *mut u32, count: u32, mask: u32) -> c_int {
    operation(|place| {
        let notify = |whom| queue(word, place).notify(Synchronizes::Yes, whom, place);
        // Whose mask it is not is woken for no reason, as it must expect anyway.
        if count > i32::MAX as u32 / 2 || mask != ANY {
            return notify(Notified::All) as c_int;
        }
        let mut woken = 0;
        while woken < count && notify(Notified::One) > 0 {
            woken += 1;
        }
        woken as c_int
    })
}

/// The system call for futexes: what it returns, or an error number that is negative.
fn futex(word: *mut u32, operation: c_int, value: u32, timeout: usize, mask: u32) -> c_int {
    let pc = caller();
    // SAFETY: the program gives it where it is one.
    let given = || unsafe { (timeout as *const libc::timespec).as_ref() }.map(duration);
    match operation & !(libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME) {
        libc::FUTEX_WAIT => -wait(word, value, given().map(|time| time::now().saturating_add(time)), pc),
        libc::FUTEX_WAIT_BITSET => -wait(word, value, given(), pc),
        libc::FUTEX_WAKE => wake(word, value, ANY),
        libc::FUTEX_WAKE_BITSET => wake(word, value, mask),
        // Those that would be moved to another queue are woken, as they must expect anyway.
        libc::FUTEX_REQUEUE | libc::FUTEX_CMP_REQUEUE => wake(word, ANY, ANY),
        _ => -libc::ENOSYS,
    }
}

/// The numbers of a call as they are in registers, and the last one on the stack.
extern "C" fn syscall(
    number: c_long,
    first: usize,
    second: usize,
    third: usize,
    fourth: usize,
    fifth: usize,
    sixth: usize,
) -> c_long {
    if !is_in_program() {
        return real!(syscall(
            number: c_long,
            first: usize,
            second: usize,
            third: usize,
            fourth: usize,
            fifth: usize,
            sixth: usize
        ) -> c_long);
    }
    let result = match number {
        libc::SYS_futex => futex(first as *mut u32, second as c_int, third as u32, fourth, sixth as u32),
        libc::SYS_gettid => thread::number(control::thread()),
        libc::SYS_getrandom => {
            chance::fill(first as *mut c_void, second);
            second as c_int
        }
        // Where there is no such call, programs use fences.
        libc::SYS_membarrier => -libc::ENOSYS,
        libc::SYS_sched_yield => {
            crate::operation::spin();
            0
        }
        libc::SYS_clone | libc::SYS_clone3 | libc::SYS_fork | libc::SYS_vfork => refuse("fork"),
        _ => {
            return real!(syscall(
                number: c_long,
                first: usize,
                second: usize,
                third: usize,
                fourth: usize,
                fifth: usize,
                sixth: usize
            ) -> c_long);
        }
    };
    if result < 0 { crate::operation::error(-result).into() } else { result.into() }
}

entries! {
    syscall = self::syscall;
}

//! What hooks of libc's functions have in common: they leave the program with the place of the call, and complain in its words.

use crate::control::{self, caller, outside};
use crate::{names, plain, threads};
use std::ffi::{c_int, c_void};
use std::time::Duration;
use tribunal_explore::Problem;
use tribunal_explore::foreign::{self, Access, TIMED_OUT};
use tribunal_explore::program::{Place, Update};
use tribunal_history::memory::Order;

/// Leaves the program for the runtime with the place of the call.
pub fn operation<R>(f: impl FnOnce(Place) -> R) -> R {
    let pc = caller();
    outside(|| {
        plain::flush(control::thread());
        let place = names::place(pc);
        threads::current().place = place;
        threads::come_by(pc, place);
        f(place)
    })
}

/// The program uses something as it must not.
pub fn misuse(message: impl Into<String>, place: Place) -> ! {
    threads::fail(Problem::Misuse { message: message.into() }, place)
}

/// A function that the runtime does not have.
pub fn refuse(name: &str) -> ! {
    operation(|place| misuse(format!("{name} cannot be explored"), place))
}

/// What something is called, in a sentence.
pub fn called(at: *mut c_void, what: &str) -> String {
    plain::name(at.addr()).map_or(what.into(), |name| format!("{what} `{name}`"))
}

/// How long somebody waits for something.
#[derive(Clone, Copy)]
pub enum Patience {
    /// Not at all.
    Try,
    /// Until it comes.
    Forever,
    /// Until then, at the latest.
    Until(Duration),
}

impl Patience {
    /// Until a time that the program gives.
    pub fn until(deadline: *const libc::timespec) -> Self {
        // SAFETY: the program gives it.
        Patience::Until(duration(unsafe { &*deadline }))
    }

    /// An access that waits so long until an update writes.
    pub fn take(self, update: Update) -> Access {
        let order = Order::Acquire;
        match self {
            Patience::Try => Access::Rmw { order, failure: Order::Relaxed, update },
            Patience::Forever => Access::AwaitRmw { order, update },
            Patience::Until(_) => Access::TimedAwaitRmw { order, update },
        }
    }

    /// The answer where that read `word`: an error if it did not write.
    pub fn answer(self, word: u64, update: Update) -> c_int {
        match self {
            Patience::Until(deadline) if word == TIMED_OUT => {
                crate::time::has_come(deadline);
                libc::ETIMEDOUT
            }
            Patience::Try if update.of(word).is_none() => libc::EBUSY,
            _ => 0,
        }
    }
}

/// A time as libc has it.
pub fn duration(time: &libc::timespec) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds).saturating_add(Duration::from_nanos(time.tv_nsec.unsigned_abs()))
}

/// Says why a function of libc failed, in the way of those that return -1.
pub fn error(number: c_int) -> c_int {
    // SAFETY: the error number of the thread that runs.
    unsafe { *libc::__errno_location() = number };
    -1
}

/// A status that is an error number in the way of those that return -1.
pub fn status(number: c_int) -> c_int {
    if number == 0 { 0 } else { error(number) }
}

/// The end of an iteration of a loop that waits.
pub fn spin() {
    operation(foreign::spin);
}

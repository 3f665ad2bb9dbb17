//! The processor time that threads spend between two polls of their limits, for builds with the feature `polls`: where it is long,
//! a limit is noticed late.

use rustc_hash::FxHashMap;
use rustix::time::{ClockId, clock_gettime};
use std::cell::Cell;
use std::panic::Location;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Two polls in a row, by their places in the code.
pub type Between = (&'static Location<'static>, &'static Location<'static>);

static LONGEST: Mutex<Option<FxHashMap<Between, Duration>>> = Mutex::new(None);

thread_local! {
    /// The time and the place at which this thread polled last.
    static LAST: Cell<Option<(Duration, &'static Location<'static>)>> = const { Cell::new(None) };
}

/// Gaps below this are not worth keeping.
const SHORT: Duration = Duration::from_millis(5);

/// A thread begins to answer, or polls.
#[track_caller]
pub fn note() {
    let (now, here) = (clock(), Location::caller());
    if let Some((before, there)) = LAST.replace(Some((now, here)))
        && now - before > SHORT
    {
        let mut longest = LONGEST.lock().unwrap_or_else(PoisonError::into_inner);
        let gap = longest.get_or_insert_default().entry((there, here)).or_default();
        *gap = (*gap).max(now - before);
    }
    // What it took to keep this is no part of the next gap.
    LAST.set(Some((clock(), here)));
}

/// A thread is done with an answer: what it does next has no limit.
pub fn pause() {
    LAST.set(None);
}

/// The longest gap between each two polls, the longest first.
pub fn gaps() -> Vec<(Between, Duration)> {
    let longest = LONGEST.lock().unwrap_or_else(PoisonError::into_inner);
    let mut gaps: Vec<_> = longest.iter().flatten().map(|(&between, &gap)| (between, gap)).collect();
    gaps.sort_by_key(|&((from, to), gap)| (std::cmp::Reverse(gap), from.line(), to.line()));
    gaps
}

/// The processor time of this thread: unlike the time of day it does not depend on what else the machine does.
fn clock() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

//! Processes that share the work of one exploration.
//!
//! Where there is something to be given away, and room for another process, the process forks, and the child takes the oldest of what is to be tried: its memory, and with it the program's, is a copy. What they
//! count they add up in memory that they share. The first one that fails reports, and stops the others.

use crate::crash;
use crate::only::Only;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use tribunal_explore::program::Fork;
use tribunal_explore::{End, Mode, Options, Report};

/// What all processes see.
#[derive(Default)]
struct Common {
    /// How many there are.
    live: AtomicU32,
    stop: AtomicBool,
    /// One of them has reported a failure.
    has_reported: AtomicBool,
    executions: AtomicU64,
    with_mo: AtomicU64,
    blocked: AtomicU64,
    events: AtomicU64,
    /// The first end of a process that was not complete, and one.
    end: AtomicU32,
}

static COMMON: Only<Option<&'static Common>> = Only::new(None);
/// How many processes there may be.
static MOST: AtomicU32 = AtomicU32::new(1);
static IS_CHILD: AtomicBool = AtomicBool::new(false);
/// What of this process's counts is in the sums: executions and blocked ones.
static ADDED: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

/// Ends that are not complete, by number.
const ENDS: [End; 6] =
    [End::Failed, End::Interrupted, End::MaxMemory, End::MaxDuration, End::MaxExecutions, End::Skipped];

/// Before the exploration: so many processes share it, if it is one that can be shared.
pub fn begin(most: u32, options: &Options) {
    let (rights, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
    // SAFETY: new memory, which is zero, as `Common` is at first.
    *COMMON.get() = unsafe {
        let room = libc::mmap(std::ptr::null_mut(), size_of::<Common>(), rights, flags, -1, 0);
        (room != libc::MAP_FAILED).then(|| &*room.cast::<Common>())
    };
    let is_limited =
        options.max_executions.is_some() || options.max_preemptions.is_some() || options.checkpoint.is_some();
    if let Some(common) = COMMON.get()
        && options.mode == Mode::Exhaustive
        && !is_limited
    {
        MOST.store(most, Relaxed);
        common.live.store(1, Relaxed);
    }
}

/// The flag that stops all processes.
pub fn stop() -> &'static AtomicBool {
    static ALONE: AtomicBool = AtomicBool::new(false);
    COMMON.get().map_or(&ALONE, |common| &common.stop)
}

/// Whether this process is not the first one.
pub fn is_child() -> bool {
    IS_CHILD.load(Relaxed)
}

/// See [`tribunal_explore::foreign::Foreign`].
pub fn may_fork() -> bool {
    MOST.load(Relaxed) > 1
}

/// See [`tribunal_explore::foreign::Foreign`].
pub fn fork() -> Fork {
    let most = MOST.load(Relaxed);
    let Some(common) = COMMON.get().filter(|common| most > 1 && common.live.load(Relaxed) < most) else {
        return Fork::Alone;
    };
    if common.live.fetch_add(1, Relaxed) >= most {
        common.live.fetch_sub(1, Relaxed);
        return Fork::Alone;
    }
    // SAFETY: the process has one thread.
    match unsafe { libc::syscall(libc::SYS_fork) } {
        0 => {
            // SAFETY: asks that it does not outlive who made it.
            unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
            IS_CHILD.store(true, Relaxed);
            ADDED.iter().for_each(|added| added.store(0, Relaxed));
            crash::begin_timer();
            Fork::Child
        }
        1.. => Fork::Parent,
        _ => {
            common.live.fetch_sub(1, Relaxed);
            Fork::Alone
        }
    }
}

/// Adds what this process has counted to the sums, and says what they are.
pub fn add(executions: u64, blocked: u64) -> (u64, u64) {
    let Some(common) = COMMON.get() else { return (executions, blocked) };
    let sum = |sum: &AtomicU64, added: &AtomicU64, now: u64| {
        let more = now.wrapping_sub(added.swap(now, Relaxed));
        sum.fetch_add(more, Relaxed).wrapping_add(more)
    };
    (sum(&common.executions, &ADDED[0], executions), sum(&common.blocked, &ADDED[1], blocked))
}

/// Whether this process is the one that reports a failure: the first one that comes here. The others stop.
pub fn reports_failure() -> bool {
    let Some(common) = COMMON.get() else { return true };
    common.stop.store(true, Relaxed);
    !common.has_reported.swap(true, Relaxed)
}

/// Whether another process has reported a failure.
pub fn has_reported() -> bool {
    COMMON.get().is_some_and(|common| common.has_reported.load(Relaxed))
}

/// Waits for the processes that this one made, and makes its report that of all.
pub fn join(report: &mut Report) {
    let Some(common) = COMMON.get().filter(|_| may_fork()) else { return };
    common.live.fetch_sub(1, Relaxed);
    // SAFETY: waits for children of this process.
    while unsafe { libc::waitpid(-1, std::ptr::null_mut(), 0) } > 0 {}
    if let Some(with_mo) = report.with_mo {
        report.with_mo = Some(common.with_mo.fetch_add(with_mo, Relaxed) + with_mo);
    }
    let events = report.events as u64;
    report.events = common.events.fetch_max(events, Relaxed).max(events) as usize;
    if let Some(end) = ENDS.iter().position(|&end| end == report.end) {
        let _ = common.end.compare_exchange(0, end as u32 + 1, Relaxed, Relaxed);
    }
    (report.executions, report.blocked) = add(report.executions, report.blocked);
    if let Some(&end) = common.end.load(Relaxed).checked_sub(1).and_then(|end| ENDS.get(end as usize)) {
        report.end = end;
    }
}

//! The watchdog, which ends work that forgets to look at its limits.
//!
//! Answers are begun with [`Watched`] limits, and as long as these exist the watchdog knows of them. An answer that is not there a
//! while after its deadline, or a process that takes more than its memory and a reserve, ends the command: what was delivered is
//! written out, a line says why, and the status is 3. Work that polls its limits never comes to that.

use crate::exit::{self, Status};
use crate::output;
use std::borrow::Borrow;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};
use tribunal_history::limits::Limits;
use tribunal_host::{LEAST, all_memory, heap, most_memory};

/// The time after its deadline in which an answer may still come.
pub const GRACE: Duration = Duration::from_secs(1);

/// The time for which the end waits for another thread that is writing.
const WRITER_TIME: Duration = Duration::from_millis(200);

/// The memory that the process may take beside the answers: a quarter of what they may, and this.
const RESERVE: usize = 64 << 20;

/// Limits of an answer that is being computed. The watchdog waits for their end.
#[must_use = "limits are watched as long as they are kept"]
#[derive(Debug)]
pub struct Watched {
    limits: Limits<'static>,
    number: u64,
}

/// The watchdog's knowledge of an answer.
struct Live {
    number: u64,
    deadline: Option<Instant>,
    grace: Duration,
    /// The time at which it was found to be late.
    late: Option<Instant>,
    /// The memory that the process may hold for it.
    memory: usize,
}

/// The answers that are being computed.
struct Answers {
    next: u64,
    live: Vec<Live>,
    /// The time at which the watchdog looks again; none if it waits to be woken.
    wakes: Option<Instant>,
}

static ANSWERS: Mutex<Answers> = Mutex::new(Answers { next: 0, live: Vec::new(), wakes: None });
/// The limits that the user allows.
static ALLOWED: AtomicUsize = AtomicUsize::new(usize::MAX);
static WATCHDOG: OnceLock<Thread> = OnceLock::new();

/// Starts the watchdog, for a command that was allowed so many bytes.
pub fn start(max_memory: Option<usize>) -> io::Result<()> {
    let watchdog = thread::Builder::new().name("watchdog".into()).spawn(watch)?;
    heap::watch(watchdog.thread().clone());
    let _ = WATCHDOG.set(watchdog.thread().clone());
    ALLOWED.store(max_memory.unwrap_or_else(most_memory), Ordering::Relaxed);
    bound(idle());
    Ok(())
}

/// The memory that the process may hold while there is no answer to compute: for a history, and what is done with it.
fn idle() -> usize {
    let allowed = ALLOWED.load(Ordering::Relaxed);
    allowed.max(LEAST).saturating_add(allowed)
}

/// Lets the process hold so much, and a reserve for what polls nothing; but never all that there is.
fn bound(bytes: usize) {
    let (all, reserve) = (all_memory(), ALLOWED.load(Ordering::Relaxed) / 4);
    let allowed = bytes.min(all - all / 16);
    tribunal_history::limits::heap::allow(allowed);
    heap::stop_beyond(allowed.saturating_add(reserve).saturating_add(RESERVE).min(all - all / 32));
}

impl Watched {
    /// Watches limits that begin now, and that may be exceeded by some time. What the process holds already, up to the size of a
    /// history that fits, does not count.
    pub fn new(limits: Limits<'static>, grace: Duration) -> Self {
        let allowed = limits.max_memory;
        let before = tribunal_history::limits::heap::held().min(allowed.max(LEAST));
        let mut answers = answers();
        let number = answers.next;
        answers.next += 1;
        let memory = before.saturating_add(allowed);
        answers.live.push(Live { number, deadline: limits.deadline, grace, late: None, memory });
        answers.bound();
        let sooner = limits.deadline.is_some_and(|end| answers.wakes.is_none_or(|wakes| end < wakes));
        drop(answers);
        if let (true, Some(watchdog)) = (sooner, WATCHDOG.get()) {
            watchdog.unpark();
        }
        #[cfg(feature = "polls")]
        tribunal_history::limits::polls::note();
        Watched { limits, number }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        #[cfg(feature = "polls")]
        {
            tribunal_history::limits::polls::note();
            tribunal_history::limits::polls::pause();
        }
        let mut answers = answers();
        answers.live.retain(|live| live.number != self.number);
        answers.bound();
    }
}

impl Deref for Watched {
    type Target = Limits<'static>;

    fn deref(&self) -> &Limits<'static> {
        &self.limits
    }
}

impl Borrow<Limits<'static>> for Watched {
    fn borrow(&self) -> &Limits<'static> {
        &self.limits
    }
}

impl Answers {
    /// Lets the process hold what its answers need together. They share the memory: the largest need is all of it.
    fn bound(&self) {
        bound(self.live.iter().map(|live| live.memory).max().unwrap_or_else(idle));
    }

    /// Looks for late answers: the one that is later than it may be, or when to look again.
    fn look(&mut self) -> Result<Option<Instant>, Duration> {
        let now = Instant::now();
        let mut next: Option<Instant> = None;
        for live in &mut self.live {
            let Some(deadline) = live.deadline else { continue };
            let mut ends = deadline;
            if deadline <= now {
                // The time counts from here: the whole process may have been stopped for a while.
                ends = *live.late.get_or_insert(now) + live.grace;
                if ends <= now {
                    return Err(now - deadline);
                }
            }
            next = Some(next.map_or(ends, |next| next.min(ends)));
        }
        self.wakes = next;
        Ok(next)
    }
}

fn answers() -> MutexGuard<'static, Answers> {
    ANSWERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The work of the watchdog.
fn watch() {
    loop {
        if heap::is_full() {
            let allowed = ALLOWED.load(Ordering::Relaxed);
            end(&format!(
                "undecided: out of memory: --max-memory allows {allowed} bytes and a reserve, unless the system has less"
            ));
        }
        // Whoever holds the lock may have stopped for lack of memory.
        match patiently(&ANSWERS).map(|mut answers| answers.look()) {
            Some(Ok(None)) => thread::park(),
            Some(Ok(Some(next))) => thread::park_timeout(next.saturating_duration_since(Instant::now())),
            Some(Err(late)) => end(&format!(
                "undecided: --timeout passed {:.1} s ago, and the check has not noticed: a bug of tribunal, please report it",
                late.as_secs_f64()
            )),
            None => {}
        }
    }
}

/// Locks what a thread may hold that never goes on, for a process that ends: none after a while.
pub fn patiently<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    let begin = Instant::now();
    while begin.elapsed() < WRITER_TIME {
        match mutex.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(error)) => return Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
        }
    }
    None
}

/// Ends the process with what was delivered.
fn end(why: &str) -> ! {
    heap::stop_beyond(usize::MAX);
    output::flush();
    // Another thread may have stopped within the usual way to standard error.
    if let Some(mut stderr) = stderr() {
        let _ = writeln!(stderr, "{why}");
    }
    exit::at_once(Status::Undecided)
}

#[cfg(unix)]
fn stderr() -> Option<File> {
    use std::os::fd::AsFd;
    io::stderr().as_fd().try_clone_to_owned().ok().map(File::from)
}

#[cfg(not(unix))]
fn stderr() -> Option<io::Stderr> {
    Some(io::stderr())
}

/// Appends the longest times between two polls to the file that TRIBUNAL_POLLS names: milliseconds, and the two places.
#[cfg(feature = "polls")]
pub fn tell_gaps() {
    let Some(name) = std::env::var_os("TRIBUNAL_POLLS") else { return };
    let lines: String = tribunal_history::limits::polls::gaps()
        .into_iter()
        .map(|((from, to), gap)| format!("{}\t{from}\t{to}\n", gap.as_millis()))
        .collect();
    let written = File::options().create(true).append(true).open(name);
    if let Err(error) = written.and_then(|mut file| file.write_all(lines.as_bytes())) {
        output::complain(&format!("TRIBUNAL_POLLS: {error}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(number: u64, deadline: Option<Instant>, grace: Duration) -> Live {
        Live { number, deadline, grace, late: None, memory: 0 }
    }

    #[test]
    fn an_answer_is_late_only_after_its_grace() {
        let now = Instant::now();
        let hour = Duration::from_secs(3600);
        let mut answers = Answers { next: 0, live: vec![answer(0, None, GRACE)], wakes: None };
        assert_eq!(answers.look(), Ok(None), "no deadline");
        answers.live.push(answer(1, Some(now + 2 * hour), GRACE));
        assert_eq!(answers.look(), Ok(Some(now + 2 * hour)));
        answers.live.push(answer(2, Some(now), hour));
        let wakes = answers.look().expect("none is late yet").expect("one will be");
        assert!(wakes >= now + hour && wakes < now + 2 * hour, "its time counts from when it was noticed");
        answers.live.push(answer(3, Some(now), Duration::ZERO));
        assert!(answers.look().is_err());
        answers.live.retain(|live| live.number != 3);
        assert_eq!(answers.look(), Ok(Some(wakes)), "what was answered in time is not late");
    }
}

//! Notices threads of programs that do not come to their next operation.
//!
//! All threads of a program take turns on one thread of the system, so that one that blocks it, such as by a lock of std that another holds, hangs
//! the test in silence. A thread of the system looks at the workers once a second while there are any.

use crate::environment;
use crate::program::Place;
use std::io::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tribunal::memory::ThreadId;

/// How often workers are looked at.
const PERIOD: Duration = Duration::from_secs(1);
/// After so many times without an operation, it is told.
const PATIENCE: u64 = 5;

/// What a worker runs.
#[derive(Debug, Default)]
pub(super) struct Beat(Mutex<Running>);

#[derive(Clone, Copy, Debug, Default)]
struct Running {
    /// How often threads were resumed.
    resumed: u64,
    /// The thread that runs, and the place of its last operation.
    thread: Option<(ThreadId, Place)>,
}

impl Beat {
    /// A worker that is looked at until this is dropped.
    pub(super) fn new() -> Arc<Self> {
        let beat = Arc::new(Beat::default());
        // Miri does not like threads that are never joined.
        if !cfg!(miri) {
            watch(Arc::downgrade(&beat));
        }
        beat
    }

    /// A thread goes on from its last operation.
    #[inline]
    pub(super) fn begin(&self, thread: ThreadId, place: Place) {
        let mut running = self.lock();
        running.resumed += 1;
        running.thread = Some((thread, place));
    }

    /// It has come to another one.
    #[inline]
    pub(super) fn end(&self) {
        self.lock().thread = None;
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A worker, how often it had resumed a thread, and for how many periods.
type Watched = (Weak<Beat>, u64, u64);

/// The workers, and whether somebody looks at them.
static WORKERS: Mutex<(Vec<Watched>, bool)> = Mutex::new((Vec::new(), false));

fn watch(beat: Weak<Beat>) {
    let mut workers = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
    workers.0.push((beat, 0, 0));
    if !workers.1 {
        // Without a thread for it, nobody is told.
        workers.1 = std::thread::Builder::new().name("watchdog".into()).spawn(look).is_ok();
    }
}

fn look() {
    let limit = environment::hang();
    loop {
        std::thread::sleep(PERIOD);
        let mut workers = WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
        workers.0.retain(|(beat, ..)| beat.strong_count() > 0);
        if workers.0.is_empty() {
            workers.1 = false;
            return;
        }
        for (beat, resumed, periods) in &mut workers.0 {
            let Some(running) = beat.upgrade().map(|beat| *beat.lock()) else { continue };
            let Some((thread, place)) = running.thread.filter(|_| running.resumed == *resumed) else {
                (*resumed, *periods) = (running.resumed, 0);
                continue;
            };
            *periods += 1;
            if *periods == PATIENCE {
                tell(thread, place);
            }
            if limit.is_some_and(|limit| *periods >= limit) {
                std::process::abort();
            }
        }
    }
}

/// Past what captures the output of tests: the test may never end.
fn tell(thread: ThreadId, place: Place) {
    let who = if thread == ThreadId(0) { "main".into() } else { format!("T{}", thread.0) };
    let since = match place.line {
        0 => "it began".into(),
        _ => format!("its operation at {place}"),
    };
    // Where nobody listens, nobody is told.
    let _ = writeln!(
        std::io::stderr(),
        "tribunal: {who} has not come to another operation for {PATIENCE} s since {since}. The threads of a test take turns on one thread of \
         the system: is a std Mutex (or another lock that is not of this crate) held across an operation? TRIBUNAL_HANG=SECONDS aborts."
    );
}

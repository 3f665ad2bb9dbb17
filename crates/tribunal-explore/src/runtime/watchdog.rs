//! Notices threads of programs that do not come to their next operation.
//!
//! All threads of a program take turns on one thread of the system, so that one that blocks it, such as by a lock of std that another holds, hangs
//! the test in silence. A thread of the system looks at the workers once a second while there are any.

use crate::environment;
use crate::program::Place;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tribunal_history::memory::ThreadId;

/// The time between two looks at the workers.
const PERIOD: Duration = Duration::from_secs(1);
/// After so many times without an operation, it is told.
const SILENT_PERIODS: u64 = 5;

/// The state of a worker. It is told at each operation and looked at once a second, so that telling takes no lock.
#[derive(Debug, Default)]
pub(super) struct Beat {
    /// The number of times that threads were resumed.
    resumed: AtomicU64,
    /// The thread that runs, or [`NOBODY`].
    thread: AtomicU64,
    /// The file of its last operation, by its place in `files`.
    file: AtomicUsize,
    /// The line of that operation, and the column in the low half.
    position: AtomicU64,
    files: Mutex<Vec<&'static str>>,
}

/// In place of a thread: none runs.
const NOBODY: u64 = u64::MAX;

/// The reports of a worker about itself, with what it told last.
#[derive(Debug)]
pub(super) struct Pulse {
    beat: Arc<Beat>,
    resumed: u64,
    /// The files that were told of.
    files: Vec<&'static str>,
    file: usize,
}

impl Pulse {
    /// A worker that is looked at, if it is to be, until this is dropped.
    pub(super) fn new(watched: bool) -> Self {
        let beat = Arc::new(Beat::default());
        beat.thread.store(NOBODY, Relaxed);
        // Miri does not like threads that are never joined.
        if watched && !cfg!(miri) {
            watch(Arc::downgrade(&beat));
        }
        Pulse { beat, resumed: 0, files: Vec::new(), file: 0 }
    }

    /// A thread goes on from its last operation.
    #[inline]
    pub(super) fn begin(&mut self, thread: ThreadId, place: Place) {
        if self.files.get(self.file).is_none_or(|file| !std::ptr::eq(*file, place.file)) {
            self.open(place.file);
        }
        self.resumed += 1;
        let beat = &*self.beat;
        beat.resumed.store(self.resumed, Relaxed);
        beat.position.store(u64::from(place.line) << 32 | u64::from(place.column), Relaxed);
        beat.thread.store(u64::from(thread.0), Release);
    }

    /// Operations are in another file from now on.
    fn open(&mut self, file: &'static str) {
        let known = self.files.iter().position(|known| std::ptr::eq(*known, file));
        self.file = known.unwrap_or_else(|| {
            self.files.push(file);
            self.beat.files.lock().unwrap_or_else(PoisonError::into_inner).push(file);
            self.files.len() - 1
        });
        self.beat.file.store(self.file, Relaxed);
    }

    /// It has come to another one.
    #[inline]
    pub(super) fn end(&self) {
        self.beat.thread.store(NOBODY, Relaxed);
    }
}

impl Beat {
    /// The number of times that threads were resumed, and what runs since the last time: the thread and the place of its last operation. What is told while this looks
    /// may be mixed up; whoever looks twice sees whether it still runs.
    fn running(&self) -> (u64, Option<(ThreadId, Place)>) {
        let thread = self.thread.load(Acquire);
        let (position, file) = (self.position.load(Relaxed), self.file.load(Relaxed));
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let place = Place {
            file: files.get(file).copied().unwrap_or_default(),
            line: (position >> 32) as u32,
            column: position as u32,
        };
        (self.resumed.load(Relaxed), (thread != NOBODY).then_some((ThreadId(thread as u32), place)))
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
            let Some((now, running)) = beat.upgrade().map(|beat| beat.running()) else { continue };
            let Some((thread, place)) = running.filter(|_| now == *resumed) else {
                (*resumed, *periods) = (now, 0);
                continue;
            };
            *periods += 1;
            if *periods == SILENT_PERIODS {
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
        "tribunal: {who} has not come to another operation for {SILENT_PERIODS} s since {since}. The threads of a test take turns on one thread of \
         the system: is a std Mutex (or another lock that is not of this crate) held across an operation? TRIBUNAL_HANG=SECONDS aborts."
    );
}

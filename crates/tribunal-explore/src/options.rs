//! Options of an exploration.

use crate::report::Estimate;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tribunal_history::{limits::Limits, model::Model};

/// The executions that are explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// All executions, each reads-from class once.
    Exhaustive,
    /// A random sample: each read picks uniformly among the writes it may read, each step among the threads that can run.
    Random {
        /// The seed of the random numbers.
        seed: u64,
        /// The number of executions.
        executions: u64,
    },
    /// A random sample with thread priorities that change at `depth - 1` random points; each read picks uniformly.
    Pct {
        /// The seed of the random numbers.
        seed: u64,
        /// The number of executions.
        executions: u64,
        /// The number of ordering constraints that trigger a bug.
        depth: u32,
    },
}

/// The options of an exploration.
#[derive(Clone, Debug)]
pub struct Options {
    /// The memory model; it must be supported by [sessions](tribunal_engines::memory::session).
    pub model: Model,
    /// The executions to explore.
    pub mode: Mode,
    /// The number of cores to use.
    pub threads: NonZeroUsize,
    /// Ends after so many executions.
    pub max_executions: Option<u64>,
    /// Ends after so long.
    pub max_duration: Option<Duration>,
    /// Ends when the process holds more bytes, if it [counts](tribunal_history::limits::Limits::check) them.
    pub max_memory: usize,
    /// The maximum number of events; a longer execution fails.
    pub max_events: usize,
    /// Explores exactly the executions that some schedule with at most so many preemptions has: so often it goes from a thread that could go on to another one. A failure
    /// that is met outside of the bound is reported all the same.
    pub max_preemptions: Option<usize>,
    /// Treats non-atomic accesses as relaxed and does not look for races.
    pub allow_races: bool,
    /// Counts the modification orders of executions too, unless it samples: see [`Report::with_mo`](crate::Report::with_mo).
    pub count_mo: bool,
    /// Tells it to stop.
    pub stop: Option<&'static AtomicBool>,
    /// Called now and then with the progress.
    pub progress: Option<fn(&Progress)>,
    /// The file in which an exhaustive search on one core keeps how far it is.
    pub checkpoint: Option<Checkpoint>,
}

/// A file from which a search that was ended goes on. It is removed when there is nothing left to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Its name.
    pub file: PathBuf,
    /// It is written after so many executions, and at the end.
    pub interval: u64,
}

impl Checkpoint {
    /// The first line of the file.
    pub const HEAD: &str = "tribunal checkpoint 1";
}

/// The progress of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Executions so far.
    pub executions: u64,
    /// Blocked executions so far, which do not count.
    pub blocked: u64,
    /// The number of executions within the bound, as far as one can tell.
    pub estimate: Option<Estimate>,
    /// The time that it has taken.
    pub elapsed: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            model: Model::Rc20,
            mode: Mode::Exhaustive,
            threads: NonZeroUsize::MIN,
            max_executions: None,
            max_duration: None,
            max_memory: usize::MAX,
            max_events: 10_000,
            max_preemptions: None,
            allow_races: false,
            count_mo: false,
            stop: None,
            progress: None,
            checkpoint: None,
        }
    }
}

impl Options {
    /// Whether it counts modification orders.
    pub(crate) fn counts_mo(&self) -> bool {
        self.count_mo && self.mode == Mode::Exhaustive
    }

    /// The limits of an exploration that begins now.
    pub fn limits(&self) -> Limits<'static> {
        Limits {
            deadline: self.max_duration.and_then(|most| Instant::now().checked_add(most)),
            max_states: u64::MAX,
            max_memory: self.max_memory,
            stop: self.stop,
        }
    }
}

//! How to explore.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tribunal::Model;

/// Which executions are explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// All, each class of reads-from once.
    Exhaustive,
    /// So many, each read picking uniformly among what it may read, each step a thread among those that can run.
    Random { seed: u64, executions: u64 },
    /// So many, by thread priorities that change at `depth - 1` random points; each read picks uniformly.
    Pct { seed: u64, executions: u64, depth: u32 },
}

/// How to explore.
#[derive(Clone, Debug)]
pub struct Options {
    /// The memory model: one that [sessions](tribunal::session) decide.
    pub model: Model,
    /// Which executions.
    pub mode: Mode,
    /// How many cores share the work.
    pub threads: NonZeroUsize,
    /// Ends after so many executions.
    pub max_executions: Option<u64>,
    /// Ends after so long.
    pub max_duration: Option<Duration>,
    /// An execution with more events fails.
    pub max_events: usize,
    /// Leaves out executions with more preemptions in the order in which they are found.
    pub max_preemptions: Option<usize>,
    /// Takes plain accesses for relaxed ones and does not look for races.
    pub allow_races: bool,
    /// Tells it to stop.
    pub stop: Option<&'static AtomicBool>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            model: Model::Rc20,
            mode: Mode::Exhaustive,
            threads: NonZeroUsize::MIN,
            max_executions: None,
            max_duration: None,
            max_events: 10_000,
            max_preemptions: None,
            allow_races: false,
            stop: None,
        }
    }
}

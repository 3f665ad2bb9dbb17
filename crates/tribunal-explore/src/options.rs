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
    Random {
        /// Where chance begins.
        seed: u64,
        /// How many.
        executions: u64,
    },
    /// So many, by thread priorities that change at `depth - 1` random points; each read picks uniformly.
    Pct {
        /// Where chance begins.
        seed: u64,
        /// How many.
        executions: u64,
        /// How many ordering constraints a bug may need to show.
        depth: u32,
    },
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
    /// Told now and then how far it is.
    pub progress: Option<fn(&Progress)>,
}

/// How far an exploration is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Executions so far.
    pub executions: u64,
    /// Executions so far that do not count.
    pub blocked: u64,
    /// Which part of the whole is done, between 0 and 1, by an estimate: what is left to be tried at a point counts as much as
    /// what was done there.
    pub done: f64,
    /// How long it has taken.
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
            max_events: 10_000,
            max_preemptions: None,
            allow_races: false,
            stop: None,
            progress: None,
        }
    }
}

//! The result of an exploration.

use crate::graph::{EventId, Graph};
use crate::program::Place;
use std::time::Duration;
use tribunal::memory::{LocId, ThreadId};
use tribunal::verdict::Limit;

/// What is wrong with an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A thread panicked, or an assertion of a program as text failed.
    Panic {
        /// What it says.
        message: String,
    },
    /// Two accesses of a location, at least one non-atomic and at least one a write, are not ordered by hb.
    Race {
        /// The earlier one in the execution.
        first: EventId,
        /// The other one, which would be the next event.
        second: EventId,
    },
    /// Threads wait for something that can no longer happen: locks, notifications, threads.
    Deadlock {
        /// Who waits, and where.
        waiting: Vec<(ThreadId, Place)>,
    },
    /// Threads wait in loops for values that nobody will write.
    Livelock {
        /// Who waits, and where.
        waiting: Vec<(ThreadId, Place)>,
    },
    /// Something was not given back.
    Leak {
        /// What.
        what: String,
        /// Where it was made.
        place: Place,
    },
    /// Something was misused: freed twice, locked twice by one thread, and the like.
    Misuse {
        /// What, in words.
        message: String,
    },
    /// The program behaved differently in the same circumstances.
    Nondeterminism {
        /// The thread that did not.
        thread: ThreadId,
        /// What it did before.
        expected: String,
        /// What it did now.
        found: String,
    },
    /// An execution has too many events; see [`Options::max_events`](crate::Options::max_events).
    TooLong {
        /// The thread that ran last.
        thread: ThreadId,
        /// The location, if a loop keeps reading the same value.
        reads: Option<LocId>,
    },
}

/// An execution with something wrong.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What is wrong.
    pub problem: Problem,
    /// Where it was noticed.
    pub place: Place,
    /// The thread that noticed it, if any.
    pub thread: Option<ThreadId>,
    /// The execution up to there.
    pub graph: Graph,
    /// Names of threads, by number.
    pub threads: Vec<String>,
    /// Names of locations, by number.
    pub locations: Vec<String>,
}

/// How an exploration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every execution was explored.
    Complete,
    /// An execution failed.
    Failed,
    /// `max_executions` was reached.
    MaxExecutions,
    /// `max_duration` was reached.
    MaxDuration,
    /// `max_memory` was reached.
    MaxMemory,
    /// It was told to stop.
    Interrupted,
    /// Preemptions were bounded, and executions were skipped because of that.
    Bounded,
    /// The requested number of random executions was sampled.
    Sampled,
}

impl From<Limit> for End {
    fn from(limit: Limit) -> Self {
        match limit {
            Limit::Stopped => End::Interrupted,
            Limit::Memory { .. } => End::MaxMemory,
            _ => End::MaxDuration,
        }
    }
}

/// The result of an exploration.
#[derive(Clone, Debug)]
pub struct Report {
    /// Complete executions, each of a different reads-from class (unless random).
    pub executions: u64,
    /// Blocked executions, in which a thread waits for something that comes too late; they do not count.
    pub blocked: u64,
    /// The maximum number of events in an execution.
    pub events: usize,
    /// How it ended.
    pub end: End,
    /// The first execution that failed.
    pub failure: Option<Failure>,
    /// How long it took.
    pub duration: Duration,
}

/// An execution that was guided.
#[derive(Clone, Debug)]
pub struct Guided {
    /// The execution.
    pub graph: Graph,
    /// Whether every thread ended.
    pub complete: bool,
    /// The limit that ended it, if one did.
    pub limit: Option<Limit>,
    /// What is wrong with it, if anything.
    pub failure: Option<Failure>,
}

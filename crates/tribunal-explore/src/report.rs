//! What an exploration found.

use crate::graph::{EventId, Graph};
use crate::program::Place;
use std::time::Duration;
use tribunal::memory::{LocId, ThreadId};

/// What is wrong with an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A thread panicked, or an assertion of a program as text does not hold.
    Panic {
        /// What it says.
        message: String,
    },
    /// Two accesses of a location, one of them plain and one a write, are not ordered by hb.
    Race {
        /// The one that came first in the execution.
        first: EventId,
        /// The other, which would be the next event.
        second: EventId,
    },
    /// Threads wait for what cannot happen any more: locks, notifications, threads.
    Deadlock {
        /// Who waits, and where.
        waiting: Vec<(ThreadId, Place)>,
    },
    /// Threads wait in loops for what nobody writes any more.
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
    /// Something was used wrongly: freed twice, locked twice by one thread, and the like.
    Misuse {
        /// What, in words.
        message: String,
    },
    /// The program did not do the same in the same circumstances.
    Nondeterminism {
        /// The thread that did not.
        thread: ThreadId,
        /// What it did before.
        expected: String,
        /// What it did now.
        found: String,
    },
    /// An execution has too many events, see [`Options::max_events`](crate::Options::max_events).
    TooLong {
        /// The thread that went on last.
        thread: ThreadId,
        /// If it is a loop that reads the same again and again: the location.
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
    /// The thread that noticed it, if it was one.
    pub thread: Option<ThreadId>,
    /// The execution up to there.
    pub graph: Graph,
    /// Names of threads, by their numbers.
    pub threads: Vec<String>,
    /// Names of locations, by their numbers.
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
    /// It was told to stop.
    Interrupted,
    /// Preemptions were bounded, and executions were left out because of that.
    Bounded,
    /// Random executions were asked for, and made.
    Sampled,
}

/// What an exploration did and found.
#[derive(Clone, Debug)]
pub struct Report {
    /// Complete executions, each of another class of reads-from (unless random).
    pub executions: u64,
    /// Executions in which a thread waits for what comes too late for it, so that they do not count.
    pub blocked: u64,
    /// The most events of an execution.
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
    /// Whether every thread came to its end.
    pub complete: bool,
    /// What is wrong with it, if something is.
    pub failure: Option<Failure>,
}

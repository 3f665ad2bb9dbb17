//! The result of an exploration.

use crate::graph::{EventId, Graph};
use crate::program::Place;
use std::fmt;
use std::time::Duration;
use tribunal_history::memory::{LocId, ThreadId};
use tribunal_history::verdict::Limit;

/// The fault in an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A thread panicked, or an assertion of a program as text failed.
    Panic {
        /// The message.
        message: String,
    },
    /// Two accesses of a location, at least one non-atomic and at least one a write, are not ordered by hb.
    Race {
        /// The earlier one in the execution.
        first: EventId,
        /// The other one, which would be the next event.
        second: EventId,
    },
    /// The same of accesses of memory that are no events, in a program as it is.
    Conflict {
        /// What is accessed, in words.
        what: String,
        /// The two, in the order of the run.
        accesses: Box<[Plain; 2]>,
    },
    /// A thread did what ends a process: it used memory that is not there, say.
    Crash {
        /// The problem, in words.
        message: String,
    },
    /// Threads wait for something that can no longer happen: locks, notifications, threads.
    Deadlock {
        /// The threads that wait, and where.
        waiting: Vec<(ThreadId, Place)>,
    },
    /// Threads wait in loops for values that nobody will write.
    Livelock {
        /// The threads that wait, and where.
        waiting: Vec<(ThreadId, Place)>,
    },
    /// Something was not given back.
    Leak {
        /// The thing, in words.
        what: String,
        /// The place where it was made.
        place: Place,
    },
    /// Something was misused: freed twice, locked twice by one thread, and the like.
    Misuse {
        /// The problem, in words.
        message: String,
    },
    /// The program behaved differently in the same circumstances.
    Nondeterminism {
        /// The thread that did not.
        thread: ThreadId,
        /// The operation that it made before.
        expected: String,
        /// The operation that it made now.
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

/// An access of memory that is no event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plain {
    /// The thread.
    pub thread: ThreadId,
    /// The number of its events before the access.
    pub after: u32,
    /// The access in words, such as `a write of 4 bytes`.
    pub what: String,
    /// The place in the source.
    pub place: Place,
}

/// An execution with something wrong.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The problem.
    pub problem: Problem,
    /// The place where it was noticed.
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

/// The end of an exploration.
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
    /// Every execution was explored but those that the program [left out](crate::control).
    Skipped,
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

/// The number of executions, by chance: see [`Report::estimate`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean over all probes.
    pub executions: f64,
    /// The error that it may have, in 19 of 20 cases: about two standard errors of the mean.
    pub error: f64,
}

impl Estimate {
    /// The largest error that is told, as a part of the mean. With more, the next probe may change all.
    const MOST: f64 = 1.0;

    /// Whether there is something to it, if there are at least so many executions.
    pub(crate) fn is_sound(&self, least: u64) -> bool {
        self.executions.is_finite()
            && self.executions + self.error >= least as f64
            && self.error <= Self::MOST * self.executions
    }
}

/// Such as `about 4.7e9 (± 3 %)`.
impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Estimate { executions, error } = *self;
        let percent = (100.0 * error / executions.max(1.0)).ceil();
        match executions {
            ..1e6 => write!(f, "about {executions:.0} (± {percent} %)"),
            _ => write!(f, "about {executions:.1e} (± {percent} %)"),
        }
    }
}

/// The result of an exploration.
#[derive(Clone, Debug)]
pub struct Report {
    /// Complete executions, each of a different reads-from class (unless random).
    pub executions: u64,
    /// The same with mo: each counts as often as there are modification orders that the model allows. None if that was [not asked for](crate::Options::count_mo).
    pub with_mo: Option<u64>,
    /// Blocked executions, in which a thread waits for something that comes too late; they do not count.
    pub blocked: u64,
    /// Complete executions that were met though they have more preemptions than the bound; they do not count.
    pub outside: u64,
    /// The maximum number of events in an execution.
    pub events: usize,
    /// The way in which it ended.
    pub end: End,
    /// If it ended before all executions were explored: how many there are, without a bound on preemptions. None if that is unknown.
    ///
    /// It is the mean of probes by chance of the tree of what is tried, after Knuth (*Estimating the Efficiency of Backtrack Programs*, Mathematics of Computation 1975) and Chen
    /// (*Heterogeneous Sampling*, SIAM Journal on Computing 1992), which is right in the long run.
    pub estimate: Option<Estimate>,
    /// The first execution that failed.
    pub failure: Option<Failure>,
    /// The time that it took.
    pub duration: Duration,
}

impl Report {
    /// In a line, how it ended, if not with a failure or with every execution explored. If none of them is complete, that is said too: then nothing was shown
    /// of what comes at the end of an execution.
    pub fn unfinished(&self) -> Option<String> {
        let why = match self.end {
            End::Complete if self.executions == 0 && self.blocked > 0 => {
                "each has a thread that stops or waits"
            }
            End::Complete | End::Failed => return None,
            End::MaxExecutions => "the limit of executions was reached",
            End::MaxDuration => "the limit of time was reached",
            End::MaxMemory => "the limit of memory was reached",
            End::Interrupted => "it was stopped",
            End::Bounded => "executions with more preemptions were left out",
            End::Skipped => "the program left executions out",
            End::Sampled => "executions were picked by chance",
        };
        let mut seen = match self.executions {
            0 => "no execution is complete".to_string(),
            1 => "not complete: 1 execution".to_string(),
            many => format!("not complete: {many} executions"),
        };
        for (count, what) in [(self.blocked, "blocked"), (self.outside, "outside of the bound")] {
            if count > 0 {
                seen += &format!(", {count} {what}");
            }
        }
        let all = match (self.end, self.estimate) {
            (End::Complete, _) => String::new(),
            (_, None) => "; how many there are is unknown".to_string(),
            (_, Some(estimate)) => format!("; there are {estimate}"),
        };
        Some(format!("{seen}; {why}{all}"))
    }

    /// Whether nothing was shown: not one execution was completed before it ended.
    pub fn is_vacuous(&self) -> bool {
        self.executions == 0 && !matches!(self.end, End::Complete | End::Failed)
    }
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
    /// The fault, if anything.
    pub failure: Option<Failure>,
}

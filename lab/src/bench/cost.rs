//! Timing checks.

use crate::bench::table::time;
use std::time::{Duration, Instant};
use tribunal_engines::Engine;
use tribunal_engines::memory::{judge, judge_by};
use tribunal_history::memory::Execution;
use tribunal_history::{limits::Limits, model::Model, verdict::Verdict};

/// A verdict, the engine that decided, and what it cost.
pub(crate) struct Timed {
    pub verdict: Verdict,
    pub engine: Engine,
    pub time: Duration,
}

impl Timed {
    pub fn decided(&self) -> bool {
        !matches!(self.verdict, Verdict::Undecided(_))
    }

    pub fn consistent(&self) -> bool {
        self.verdict.is_consistent()
    }

    /// The time it took, or that it was not enough.
    pub fn show(&self) -> String {
        if self.decided() { time(self.time) } else { format!("> {}", time(self.time)) }
    }
}

/// What is begun at this time may go on as long as patience and memory last; there is no other limit.
pub(crate) fn limits(start: Instant, patience: Duration) -> Limits<'static> {
    Limits {
        deadline: Some(start + patience),
        max_states: u64::MAX,
        max_memory: 2 << 30,
        ..Limits::default()
    }
}

/// Judges once, by an engine or by whatever is best.
pub(crate) fn timed(x: &Execution, model: Model, engine: Option<Engine>, patience: Duration) -> Timed {
    let start = Instant::now();
    let limits = limits(start, patience);
    let (verdict, engine) = match engine {
        Some(engine) => judge_by(x, model, engine, &limits).expect("an engine of the model"),
        None => judge(x, model, &limits),
    };
    Timed { verdict, engine, time: start.elapsed() }
}

/// The fastest of so many runs.
pub(crate) fn best(runs: u32, x: &Execution, model: Model, patience: Duration) -> Timed {
    let first = timed(x, model, None, patience);
    (1..runs).fold(first, |best, _| {
        let again = timed(x, model, None, patience);
        if again.time < best.time { again } else { best }
    })
}

/// Times of one engine over a set of histories.
#[derive(Clone, Default)]
pub(crate) struct Times {
    all: Vec<Duration>,
    pub undecided: usize,
}

impl Times {
    pub fn add(&mut self, timed: &Timed) {
        self.all.push(timed.time);
        self.undecided += usize::from(!timed.decided());
    }

    /// The number of histories.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    pub fn mean(&self) -> Duration {
        self.all.iter().sum::<Duration>() / self.all.len().max(1) as u32
    }

    /// Those of the first so many histories.
    pub fn first(&self, count: usize) -> Times {
        Times { all: self.all.iter().copied().take(count).collect(), undecided: 0 }
    }

    pub fn longest(&self) -> Duration {
        self.all.iter().copied().max().unwrap_or_default()
    }

    /// The mean, and how many of the histories were given up, if any.
    pub fn show(&self) -> String {
        match self.undecided {
            _ if self.all.is_empty() => "-".into(),
            0 => time(self.mean()),
            undecided => format!("> {} ({undecided} of {})", time(self.mean()), self.all.len()),
        }
    }
}

//! Judging objects with a stopwatch.

use crate::bench::cost::limits;
use crate::bench::table::time;
use std::time::{Duration, Instant};
use tribunal_engines::Engine;
use tribunal_engines::object::{judge, judge_by};
use tribunal_history::object::{Criterion, History, Specification, Verdict};
use tribunal_verify::object::verify;

/// Whether a history satisfies a criterion.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub history: &'a History,
    pub spec: &'a dyn Specification,
    pub criterion: &'a Criterion,
}

/// A verdict, the engine that decided, and what it cost.
pub(crate) struct Timed {
    pub verdict: Verdict,
    pub engine: Engine,
    pub time: Duration,
}

impl<'a> Question<'a> {
    pub fn linearizable(history: &'a History, spec: &'a dyn Specification) -> Self {
        Question { history, spec, criterion: &Criterion::Linearizable }
    }

    /// Judges once, by an engine or by whatever is best.
    pub fn timed(self, engine: Option<Engine>, patience: Duration) -> Timed {
        let Question { history, spec, criterion } = self;
        let typed = history.typed(spec).expect("calls of the specification");
        let start = Instant::now();
        let limits = limits(start, patience);
        let (verdict, engine) = match engine {
            Some(engine) => judge_by(&typed, criterion, engine, &limits).expect("an engine of the criterion"),
            None => judge(&typed, criterion, &limits),
        };
        Timed { verdict, engine, time: start.elapsed() }
    }

    /// The fastest of so many runs.
    pub fn best(self, runs: u32, engine: Option<Engine>, patience: Duration) -> Timed {
        let mut best = self.timed(engine, patience);
        for _ in 1..runs {
            let again = self.timed(engine, patience);
            if again.time < best.time {
                best = again;
            }
        }
        best
    }

    /// The time that the certificate takes to verify.
    pub fn verified(self, verdict: &Verdict) -> String {
        let start = Instant::now();
        if let Err(refusal) = verify(self.history, self.spec, self.criterion, verdict) {
            panic!("a certificate is refused: {refusal}");
        }
        time(start.elapsed())
    }
}

impl Timed {
    pub fn decided(&self) -> bool {
        !matches!(self.verdict, Verdict::Undecided(_) | Verdict::Unsupported(_))
    }

    pub fn consistent(&self) -> bool {
        self.verdict.is_consistent()
    }

    /// The time it took, or that it was not enough.
    pub fn show(&self) -> String {
        if self.decided() { time(self.time) } else { format!("> {}", time(self.time)) }
    }
}

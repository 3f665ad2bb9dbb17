//! Engines on the same histories.

use crate::bench::Plot;
use crate::bench::cost::{Timed, Times, timed};
use crate::bench::table::time;
use std::time::Duration;
use tribunal_engines::Engine;
use tribunal_history::memory::Execution;
use tribunal_history::model::Model;

/// For how long to go on, where a run is short, until the fastest is no chance.
const AGAIN: Duration = Duration::from_millis(100);

/// Engines on the same histories: first whatever is best, then those that are named. What gives up is asked no more, since the
/// histories grow; only the first always is.
pub(super) struct Contest {
    entries: Vec<Entry>,
    patience: Duration,
}

struct Entry {
    engine: Option<Engine>,
    times: Times,
    out: bool,
}

impl Contest {
    pub fn new(engines: &[Engine], patience: Duration) -> Self {
        let engines = std::iter::once(None).chain(engines.iter().copied().map(Some));
        let entry = |engine| Entry { engine, times: Times::default(), out: false };
        Contest { entries: engines.map(entry).collect(), patience }
    }

    /// Asks everybody, and compares the answers with what is known, or else with each other. The answer is the first's.
    pub fn judge(&mut self, x: &Execution, model: Model, known: Option<bool>) -> Timed {
        let mut expected = known;
        let mut first = None;
        for entry in self.entries.iter_mut().filter(|entry| !entry.out) {
            let timed = fastest(x, model, entry.engine, self.patience);
            entry.times.add(&timed);
            if timed.decided() {
                let name = entry.name();
                assert_eq!(
                    timed.consistent(),
                    *expected.get_or_insert(timed.consistent()),
                    "{model} by {name}"
                );
            }
            entry.out = entry.engine.is_some() && !timed.decided();
            first.get_or_insert(timed);
        }
        first.expect("the first is never out")
    }

    /// What the columns of a row are called.
    pub fn names(&self) -> Vec<&'static str> {
        self.entries.iter().map(Entry::name).collect()
    }

    /// Ends a row: what each took for its histories.
    pub fn row(&mut self) -> Row {
        Row(self.entries.iter_mut().map(|entry| (entry.name(), std::mem::take(&mut entry.times))).collect())
    }
}

impl Entry {
    fn name(&self) -> &'static str {
        self.engine.map_or("auto", Engine::name)
    }
}

/// Judges once, or up to five times if that is short.
fn fastest(x: &Execution, model: Model, engine: Option<Engine>, patience: Duration) -> Timed {
    let first = timed(x, model, engine, patience);
    let again = (AGAIN.as_nanos() / first.time.as_nanos().max(1)).min(4);
    (0..again)
        .map(|_| timed(x, model, engine, patience))
        .fold(first, |best, again| if again.time < best.time { again } else { best })
}

/// What each engine took for some histories.
pub(super) struct Row(Vec<(&'static str, Times)>);

impl Row {
    pub fn cells(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(_, times)| times.show())
    }

    /// The mean time of an engine that was asked.
    pub fn mean(&self, engine: Engine) -> Option<Duration> {
        let times = &self.0.iter().find(|(name, _)| *name == engine.name())?.1;
        (times.count() > 0).then(|| times.mean())
    }

    /// Adds a point to the curve of each engine that was asked.
    pub fn plot(&self, plot: &mut Plot, x: f64) {
        for (name, times) in self.0.iter().filter(|(_, times)| times.count() > 0) {
            plot.point(name, x, times.mean(), times.undecided > 0);
        }
    }
}

/// The time that a history may take, as a table's title says it.
pub(super) fn at_most(patience: Duration) -> String {
    format!("at most {} a history", time(patience))
}

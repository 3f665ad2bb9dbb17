//! Engines compared on the sets of histories of the papers.

use crate::bench::cost::{Times, timed};
use crate::bench::papers::Set;
use crate::bench::table::{kept, ratio, time};
use crate::bench::{Error, Plot, Session, Table};
use std::time::Duration;
use tribunal_engines::Engine;
use tribunal_history::model::Model;

/// A figure of a paper.
pub(crate) struct Experiment {
    /// What its plot is called.
    pub plot: &'static str,
    /// The figure that it is.
    pub figure: &'static str,
    pub model: Model,
    pub set: Set,
    /// How many histories of each of the paper's sizes.
    pub histories: u64,
    pub axis: Axis,
}

/// What grows from row to row.
pub(crate) enum Axis {
    /// The operations of so many threads; then again, ten times as many.
    Operations(u32, &'static [u64]),
    /// The threads, with 50 operations each; then again, with 500.
    Threads(&'static [u32]),
}

/// A row of an experiment.
struct Case {
    threads: u32,
    events: u64,
    /// Where it is in the plot, if it is there.
    x: Option<f64>,
}

impl Case {
    /// The one of three that is for the papers' sizes, for up to ten times those, and beyond.
    fn pick(&self, figures: [u64; 3]) -> u64 {
        figures[usize::from(self.events > PAPERS) + usize::from(self.events > 10 * PAPERS)]
    }

    /// The budget is for the largest of the papers' histories.
    fn has_budget(&self) -> bool {
        (self.threads, self.events) == (16, PAPERS)
    }
}

impl Axis {
    fn cases(&self) -> Vec<Case> {
        match *self {
            Axis::Operations(threads, operations) => [1, 10]
                .into_iter()
                .flat_map(|times| operations.iter().map(move |&operations| times * operations))
                .map(|events| Case { threads, events, x: Some(events as f64) })
                .collect(),
            Axis::Threads(threads) => [50, 500]
                .into_iter()
                .flat_map(|each| threads.iter().map(move |&threads| (threads, each)))
                .map(|(threads, each)| Case {
                    threads,
                    events: each * u64::from(threads),
                    x: (each == 50).then_some(f64::from(threads)),
                })
                .collect(),
        }
    }

    fn label(&self) -> String {
        match self {
            Axis::Operations(threads, _) => format!("operations, {threads} threads"),
            Axis::Threads(_) => "threads, 50 operations each".into(),
        }
    }
}

/// How much is measured.
struct Effort {
    /// How many histories of the papers' sizes, of up to ten times those, and beyond.
    histories: [u64; 3],
    /// On how many of each size engines and saturations are compared.
    compared: [u64; 3],
    /// On how many the baseline is tried.
    memoized: u64,
    /// The time that an engine may take over one history.
    patience: Duration,
}

/// The papers' histories have at most so many events.
const PAPERS: u64 = 800;

/// A way to decide, other than what is best: another engine, or the saturation that refuses some of what the model does.
struct Way {
    name: &'static str,
    model: Model,
    engine: Option<Engine>,
    /// Whether it gave up on an earlier size.
    gave_up: bool,
}

const WAYS: usize = 4;

impl Way {
    /// The baseline last.
    fn all(model: Model) -> [Way; WAYS] {
        let by = |engine: Engine| Way { name: engine.name(), model, engine: Some(engine), gave_up: false };
        let weaker = if model == Model::Sc { Model::Ccm } else { Model::Wccm };
        let saturation = Way { name: weaker.name(), model: weaker, engine: None, gave_up: false };
        [by(Engine::Search), by(Engine::Sat), saturation, by(Engine::Memoized)]
    }

    /// On how many histories of a size it is tried. What it gave up on is tried once more in the plot, and not beyond.
    fn most(&self, case: &Case, effort: &Effort) -> u64 {
        match (self.gave_up, case.x) {
            (true, Some(_)) => 1,
            (true, None) => 0,
            _ if self.engine == Some(Engine::Memoized) => effort.memoized,
            _ => case.pick(effort.compared),
        }
    }
}

impl Experiment {
    /// Adds a table and a plot; says how many histories were undecided.
    pub fn run(&self, session: &mut Session<'_>) -> Result<usize, Error> {
        let &Experiment { model, set, .. } = self;
        let seconds = Duration::from_secs;
        let effort = session.pick(
            Effort { histories: [10, 2, 0], compared: [3, 2, 0], memoized: 1, patience: seconds(1) },
            Effort {
                histories: [self.histories, 20, 5],
                compared: [20, 10, 2],
                memoized: 3,
                patience: seconds(10),
            },
        );
        let count = |case: &Case| case.pick(effort.histories);
        let mut cases = self.axis.cases();
        cases.retain(|case| count(case) > 0);
        session.begin(self.figure, cases.iter().map(count).sum());

        let mut ways = Way::all(model);
        let heads = ["threads", "events", "histories", "consistent", "tribunal", "longest"];
        let budgeted = cases.iter().any(Case::has_budget);
        let heads = heads.into_iter().chain(ways.iter().map(|way| way.name)).chain(["memoized/tribunal"]);
        let heads = heads.chain(budgeted.then_some(">= 100"));
        let title = format!("{}: {model}, {}", self.figure, set.name());
        let means = format!("{title}; means, memoized on {} at most", effort.memoized);
        let mut table = Table::new(means, &heads.collect::<Vec<_>>());
        let mut plot = Plot::new(self.plot, title, self.axis.label());
        let mut undecided = 0;
        for case in &cases {
            let (ours, consistent, times) = self.judge(case, count(case), &ways, &effort, session)?;
            undecided += ours.undecided;
            if let Some(x) = case.x {
                plot.point("tribunal", x, ours.mean(), ours.undecided > 0);
                for (way, times) in ways.iter().zip(&times).filter(|(_, times)| times.count() > 0) {
                    plot.point(way.name, x, times.mean(), times.undecided > 0);
                }
            }
            for (way, times) in ways.iter_mut().zip(&times) {
                way.gave_up |= times.undecided > 0;
            }
            let [.., memoized] = &times;
            let gain = ratio(memoized.mean(), ours.first(memoized.count()).mean());
            let shown = format!("{}{gain:.0}", if memoized.undecided > 0 { "> " } else { "" });
            let row = [
                case.threads.to_string(),
                case.events.to_string(),
                ours.count().to_string(),
                consistent.to_string(),
                ours.show(),
                time(ours.longest()),
            ];
            let shown = if memoized.count() > 0 { shown } else { "-".into() };
            let budget = if case.has_budget() { kept(gain >= 100.0) } else { String::new() };
            let gain = [shown].into_iter().chain(budgeted.then_some(budget));
            table.row(row.into_iter().chain(times.iter().map(Times::show)).chain(gain));
        }
        session.table(table);
        session.plot(plot);
        Ok(undecided)
    }

    /// Our times, how many histories are consistent, and the times of the other ways.
    fn judge(
        &self,
        case: &Case,
        histories: u64,
        ways: &[Way; WAYS],
        effort: &Effort,
        session: &mut Session<'_>,
    ) -> Result<(Times, u64, [Times; WAYS]), Error> {
        let &Experiment { model, set, .. } = self;
        let &Case { threads, events, .. } = case;
        let (mut ours, mut consistent, mut times) =
            (Times::default(), 0, [(); WAYS].map(|()| Times::default()));
        for seed in 0..histories {
            let x = set.history(model, threads, events, seed)?;
            let known = set.is_consistent(seed);
            let which = || format!("{threads} threads, {events} events, seed {seed}");
            let verdict = timed(&x, model, None, effort.patience);
            assert!(!verdict.decided() || verdict.consistent() == known, "{model}: {}", which());
            ours.add(&verdict);
            consistent += u64::from(verdict.consistent());
            for (way, times) in ways.iter().zip(&mut times) {
                if seed >= way.most(case, effort) {
                    continue;
                }
                let by = timed(&x, way.model, way.engine, effort.patience);
                // A weaker model may allow more.
                let agrees = by.consistent() == known || (way.model != model && by.consistent());
                assert!(!by.decided() || agrees, "{model} by {}: {}", way.name, which());
                times.add(&by);
            }
            session.step()?;
        }
        Ok((ours, consistent, times))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{SUITES, Size, Watch};

    #[test]
    fn sizes_are_the_papers_and_ten_times_those() {
        let sizes = |axis: Axis| -> Vec<_> {
            axis.cases().iter().map(|case| (case.threads, case.events, case.x.is_some())).collect()
        };
        assert_eq!(sizes(Axis::Operations(6, &[200])), [(6, 200, true), (6, 2000, true)]);
        assert_eq!(sizes(Axis::Threads(&[4])), [(4, 200, true), (4, 2000, false)]);
    }

    /// Looks on for one step.
    struct Impatient(bool);

    impl Watch for Impatient {
        fn begin(&mut self, _: &str, steps: u64) {
            assert!(steps > 0);
        }
        fn step(&mut self) {
            assert!(!self.0, "it was asked to stop");
            self.0 = true;
        }
        fn stopped(&self) -> bool {
            self.0
        }
    }

    #[test]
    fn suites_stop_between_steps() {
        for name in ["sc", "tso", "jumps", "kernel", "shrink"] {
            let suite = SUITES.iter().find(|suite| suite.name == name).expect("a suite");
            let (_, outcome) = suite.run(Size::Quick, &mut Impatient(false));
            assert!(matches!(outcome, Err(Error::Stopped)), "{name}: {outcome:?}");
        }
    }
}

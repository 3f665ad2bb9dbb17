//! How many executions there are, by chance.
//!
//! The search goes through the tree of what is tried from one side, so that what it has seen says little of the rest. Knuth (*Estimating the Efficiency of Backtrack Programs*,
//! Mathematics of Computation 29, 1975) goes down from the root by chance, once, and multiplies the numbers of ways; the mean of that is right, but a tree like this one, where one way leads to an
//! execution and the next to a thousand, takes very many probes. Chen (*Heterogeneous Sampling*, SIAM Journal on Computing 21, 1992) goes down along several branches at a time: nodes are put into
//! strata that grow from parent to child. Each stratum keeps one of its nodes, by chance in proportion to the nodes that each stands for, and this one then stands for all of them. The mean is
//! right whatever the strata are, and the numbers are the closer the more alike the nodes of a stratum are. Here a node is a try, and its stratum is the number of
//! tries that led to it, and the number of events from which it begins.

use super::memory::Memory;
use super::revisit::Try;
use super::run::{Outcome, Worker};
use crate::graph::Graph;
use crate::program::Program;
use crate::report::Estimate;
use std::collections::BTreeMap;
use std::sync::Arc;
use tribunal_random::Random;

/// Probes below which nothing is told.
const FEWEST: u64 = 4;

/// Strata above which it is given up.
const MOST_STRATA: usize = 1 << 12;

/// The mean of numbers and its error (Welford 1962).
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    count: u64,
    mean: f64,
    /// The sum of squares of differences from the mean.
    squares: f64,
}

impl Mean {
    fn add(&mut self, number: f64) {
        self.count += 1;
        let off = number - self.mean;
        self.mean += off / self.count as f64;
        self.squares += off * (number - self.mean);
    }

    /// The mean, if it is to be trusted and there are at least so many.
    fn estimate(&self, least: u64) -> Option<Estimate> {
        if self.count < FEWEST {
            return None;
        }
        let (count, others) = (self.count as f64, (self.count - 1) as f64);
        // Student's t, near enough.
        let deviations = 1.96 + 3.6 / others;
        let error = deviations * (self.squares / others / count).sqrt();
        Some(Estimate { executions: self.mean, error }).filter(|estimate| estimate.is_sound(least))
    }
}

/// What stands for a stratum.
struct Node {
    trace: Arc<Graph>,
    attempt: Try,
    /// For how many it stands.
    weight: f64,
}

/// Probes of the tree, one after the other.
pub(super) struct Probes {
    random: Random,
    /// The strata of the probe that is under way, by number of tries and of events.
    strata: BTreeMap<(u32, usize), Node>,
    /// What it has found so far: executions, and those within the bound.
    found: [f64; 2],
    /// The same for all probes that are done.
    means: [Mean; 2],
    /// What it has cost: runs, and tries that were only begun.
    runs: u64,
    begun: u64,
    given_up: bool,
}

impl Probes {
    pub(super) fn new() -> Self {
        Probes {
            random: Random::new(1),
            strata: BTreeMap::new(),
            found: [0.0; 2],
            means: [Mean::default(); 2],
            runs: 0,
            begun: 0,
            given_up: false,
        }
    }

    /// Probes that are done; as many as one likes if there will be no more.
    pub(super) fn count(&self) -> u64 {
        if self.given_up { u64::MAX } else { self.means[0].count }
    }

    /// What it has cost, in executions.
    pub(super) fn cost(&self) -> u64 {
        /// About so many are begun in the time of one run.
        const BEGUN: u64 = 4;
        if self.given_up { u64::MAX } else { self.runs + self.begun / BEGUN }
    }

    /// How many executions there are, if at least so many are known.
    pub(super) fn all(&self, known: u64) -> Option<Estimate> {
        self.means[0].estimate(known)
    }

    /// The same for those within the bound on preemptions.
    pub(super) fn within(&self, known: u64) -> Option<Estimate> {
        self.means[1].estimate(known)
    }

    /// Runs the next node of a probe. Gives what it ended with, if it failed.
    pub(super) fn step<P: Program, M: Memory>(&mut self, worker: &mut Worker<'_, P, M>) -> Option<Outcome> {
        worker.todo.clear();
        let (depth, weight) = match self.strata.pop_first() {
            None => {
                worker.truncate(0);
                (0, 1.0)
            }
            Some(((depth, _), Node { trace, attempt, weight })) => {
                if !worker.install(&trace, attempt) {
                    self.given_up = true;
                    return None;
                }
                (depth, weight)
            }
        };
        worker.probing = true;
        let outcome = worker.run();
        worker.probing = false;
        self.runs += 1;
        match outcome {
            Outcome::Complete => self.found.iter_mut().for_each(|found| *found += weight),
            Outcome::Outside => self.found[0] += weight,
            Outcome::Blocked
            | Outcome::Elsewhere
            | Outcome::Continued
            | Outcome::Freed
            | Outcome::Stale(_) => {}
            Outcome::Cut(_) | Outcome::Failed { .. } => {
                self.given_up = true;
                return Some(outcome);
            }
        }
        self.keep(worker, depth + 1, weight);
        if self.strata.is_empty() {
            let found = std::mem::take(&mut self.found);
            self.means.iter_mut().zip(found).for_each(|(mean, found)| mean.add(found));
        }
        self.given_up = self.strata.len() > MOST_STRATA;
        None
    }

    /// Puts what a run found to be tried into strata.
    fn keep<P: Program, M: Memory>(&mut self, worker: &mut Worker<'_, P, M>, depth: u32, weight: f64) {
        let tries = std::mem::take(&mut worker.todo);
        let trace = Arc::new(worker.graph.clone());
        for attempt in tries {
            self.begun += 1;
            if !worker.install(&trace, attempt) {
                continue;
            }
            let node = Node { trace: trace.clone(), attempt, weight };
            let kept = self.strata.entry((depth, worker.graph.len()));
            kept.and_modify(|kept| {
                kept.weight += weight;
                if self.random.fraction() * kept.weight < weight {
                    (kept.trace, kept.attempt) = (node.trace.clone(), attempt);
                }
            })
            .or_insert(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::search::model::InModel;
    use crate::search::threads::Threads;
    use crate::text::{Interpreter, Source};
    use tribunal_history::model::Model;

    /// The mean of many probes is the number of executions.
    #[test]
    fn the_mean_is_right() {
        let increments = |n: usize| (0..n).map(|i| format!("thread T{i} {{ x += 1 }}\n")).collect::<String>();
        let writes: String = (0..4).map(|i| format!("thread T{i} {{ r = x; x = {i} + 1 }}\n")).collect();
        for (threads, executions) in [
            (increments(4), 24.0),
            (increments(6), 720.0),
            (writes, 125.0),
            ("thread A { a = x; b = x }; thread B { x = 1; x = 2 }".into(), 6.0),
            ("thread A { x = 1; a = y }; thread B { y = 1; b = x }".into(), 4.0),
            (
                "thread A { await cas(x, 0 -> 1); x = 0 }; thread B { await cas(x, 0 -> 1); x = 0 }".into(),
                2.0,
            ),
        ] {
            let source = Source::parse(&format!("atomic x, y @rlx\n{threads}")).expect("a program");
            let code = Arc::new(source.compile(&[]).expect("a program"));
            let options = Options::default();
            let memory = InModel::new(Model::Rc20).expect("a model");
            let program = Interpreter::new(code, Model::Rc20);
            let mut worker = Worker::new(program, memory, &options, options.limits(), Threads::new().share());
            let mut probes = Probes::new();
            while probes.count() < 1000 {
                assert!(probes.step(&mut worker).is_none());
            }
            let Estimate { executions: mean, error } = probes.all(0).expect("enough");
            assert!((mean - executions).abs() < 2.0 * error + 1e-9, "{mean} ± {error}: {threads}");
        }
    }
}

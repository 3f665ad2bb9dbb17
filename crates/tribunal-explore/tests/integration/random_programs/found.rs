//! The executions that the explorer finds.

use crate::random_programs::brute_force::{Outcome, ReadsFrom, Shape, outcome};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tribunal_explore::graph::{Event, Graph, Source};
use tribunal_explore::program::{Action, Answer, Program, Request};
use tribunal_explore::search::{Guide, guided, search};
use tribunal_explore::text::{Code, Interpreter};
use tribunal_explore::{Options, Problem, Report};
use tribunal_history::memory::{LocId, ThreadId};

/// A program that remembers its executions.
struct Remembering {
    program: Interpreter,
    threads: usize,
    seen: BTreeMap<Shape, u64>,
    outcomes: BTreeSet<Outcome>,
}

impl Program for Remembering {
    fn start(&mut self) {
        self.program.start();
    }

    fn resume(&mut self, thread: ThreadId, answer: Answer, fresh: LocId) -> Request {
        self.program.resume(thread, answer, fresh)
    }

    fn has_fixed_locations(&self) -> bool {
        self.program.has_fixed_locations()
    }

    fn is_lock(&self, loc: LocId) -> bool {
        self.program.is_lock(loc)
    }

    fn local_state(&self, thread: ThreadId) -> Option<u64> {
        self.program.local_state(thread)
    }

    fn initial(&self, loc: LocId) -> u64 {
        self.program.initial(loc)
    }

    fn finish(&mut self, graph: &Graph) -> Result<(), Problem> {
        *self.seen.entry(shape(graph, self.threads)).or_default() += 1;
        let mut told = vec![Vec::new(); self.threads];
        for event in graph.events().iter().filter(|event| event.thread.index() > 0 && counts(event)) {
            told[event.thread.index() - 1].push(match event.action {
                Action::Store { .. } | Action::Fence { .. } => Answer::Done,
                _ if event.timed_out() => Answer::TimedOut,
                _ => Answer::Value(event.read),
            });
        }
        self.outcomes.insert(outcome(&mut self.program.clone(), &told));
        self.program.finish(graph)
    }
}

/// Chance, which says that executions are long.
struct Long(u64);

impl Long {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

impl Guide for Long {
    fn order(&mut self, threads: &mut Vec<ThreadId>, _: &Graph) {
        for i in (1..threads.len()).rev() {
            threads.swap(i, self.below(i + 1));
        }
    }

    fn pick(&mut self, _: &Event, sources: &[Source], _: &Graph) -> Source {
        sources[self.below(sources.len())]
    }

    fn length(&self) -> Option<usize> {
        Some(10_000)
    }
}

/// Executions by chance, as of a program whose executions are long: those that were found, and the failures.
pub fn found_as_long(code: &Arc<Code>, options: &Options, runs: u64) -> (BTreeMap<Shape, u64>, Vec<Problem>) {
    let mut program = remembering(code, options);
    let mut failures = Vec::new();
    for run in 0..runs {
        let (found, used) = guided(program, Long(run), options).expect("a model of sessions");
        failures.extend(found.failure.map(|failure| failure.problem));
        program = used;
    }
    (program.seen, failures)
}

fn remembering(code: &Arc<Code>, options: &Options) -> Remembering {
    Remembering {
        program: Interpreter::new(Arc::clone(code), options.model),
        threads: code.threads() - 1,
        seen: BTreeMap::new(),
        outcomes: BTreeSet::new(),
    }
}

/// Explores a program: the executions, and how often each was found.
pub fn found(code: &Arc<Code>, options: &Options) -> (Report, BTreeMap<Shape, u64>) {
    let (report, seen, _) = found_outcomes(code, options);
    (report, seen)
}

/// The same, with the outcomes.
pub fn found_outcomes(
    code: &Arc<Code>,
    options: &Options,
) -> (Report, BTreeMap<Shape, u64>, BTreeSet<Outcome>) {
    let (report, workers) =
        search(|| remembering(code, options), |worker| (worker.seen, worker.outcomes), options)
            .expect("a model of sessions");
    let (mut seen, mut outcomes) = (BTreeMap::new(), BTreeSet::new());
    for (shapes, more) in workers {
        shapes.into_iter().for_each(|(shape, times)| *seen.entry(shape).or_default() += times);
        outcomes.extend(more);
    }
    (report, seen, outcomes)
}

/// Whether an event is an access or a fence.
fn counts(event: &Event) -> bool {
    matches!(
        event.action,
        Action::Load { .. }
            | Action::Store { .. }
            | Action::Rmw { .. }
            | Action::Await { .. }
            | Action::AwaitRmw { .. }
            | Action::Fence { .. }
    )
}

fn shape(graph: &Graph, threads: usize) -> Shape {
    let (mut shape, mut timeouts) = (vec![Vec::new(); threads], Vec::new());
    // By event, where it stands among the accesses and fences of its thread.
    let mut places = Vec::new();
    for event in graph.events() {
        let thread = event.thread.index();
        if thread == 0 || !counts(event) {
            places.push((0, 0));
            continue;
        }
        places.push((thread, shape[thread - 1].len()));
        if event.timed_out() {
            timeouts.push((thread, shape.iter().map(Vec::len).collect()));
        }
        shape[thread - 1].push(match event.source {
            Source::Init => ReadsFrom::Init,
            Source::Event(write) => {
                let (thread, place) = places[write.index()];
                ReadsFrom::Event(thread, place)
            }
            _ if event.timed_out() => ReadsFrom::TimedOut,
            _ => ReadsFrom::Nothing,
        });
    }
    (shape, timeouts)
}

//! The executions that the explorer finds.

use crate::brute_force::{From, Shape};
use std::collections::BTreeMap;
use std::sync::Arc;
use tribunal::memory::{LocId, ThreadId};
use tribunal_explore::graph::{Graph, Source};
use tribunal_explore::program::{Action, Answer, Program, Request};
use tribunal_explore::search::search;
use tribunal_explore::text::{Code, Interpreter};
use tribunal_explore::{Options, Problem, Report};

/// A program that remembers its executions.
struct Remembering {
    program: Interpreter,
    threads: usize,
    seen: BTreeMap<Shape, u64>,
}

impl Program for Remembering {
    fn start(&mut self) {
        self.program.start();
    }

    fn resume(&mut self, thread: ThreadId, answer: Answer, fresh: LocId) -> Request {
        self.program.resume(thread, answer, fresh)
    }

    fn initial(&self, loc: LocId) -> u64 {
        self.program.initial(loc)
    }

    fn finish(&mut self, graph: &Graph) -> Result<(), Problem> {
        *self.seen.entry(shape(graph, self.threads)).or_default() += 1;
        self.program.finish(graph)
    }
}

/// Explores a program: the executions, and how often each was found.
pub fn found(code: &Arc<Code>, options: &Options) -> (Report, BTreeMap<Shape, u64>) {
    let make = || Remembering {
        program: Interpreter::new(Arc::clone(code), options.model),
        threads: code.threads() - 1,
        seen: BTreeMap::new(),
    };
    let (report, workers) = search(make, |worker| worker.seen, options).expect("a model of sessions");
    let mut seen = BTreeMap::new();
    for (shape, times) in workers.into_iter().flatten() {
        *seen.entry(shape).or_default() += times;
    }
    (report, seen)
}

fn shape(graph: &Graph, threads: usize) -> Shape {
    let mut shape = vec![Vec::new(); threads];
    // By event, where it stands among the accesses and fences of its thread.
    let mut places = Vec::new();
    for event in graph.events() {
        let thread = event.thread.index();
        let counts = matches!(
            event.action,
            Action::Load { .. }
                | Action::Store { .. }
                | Action::Rmw { .. }
                | Action::Await { .. }
                | Action::AwaitRmw { .. }
                | Action::Fence { .. }
        );
        if thread == 0 || !counts {
            places.push((0, 0));
            continue;
        }
        places.push((thread, shape[thread - 1].len()));
        shape[thread - 1].push(match event.source {
            Source::Init => From::Init,
            Source::Event(write) => {
                let (thread, place) = places[write.index()];
                From::Event(thread, place)
            }
            _ => From::Nothing,
        });
    }
    shape
}

//! All executions of a program, by growing graphs read by read and asking the batch checker about each.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use tribunal::memory::{Execution, LocId, Op, Order, Slot, Source as Written, ThreadId};
use tribunal::{Limits, Model, judge};
use tribunal_explore::program::{Action, Answer, Program};
use tribunal_explore::text::{Code, Interpreter};

/// From where an event reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum From {
    /// It does not read.
    Nothing,
    Init,
    /// A thread (from 1) and a place in it.
    Event(usize, usize),
}

/// An execution: by thread (but the main thread), from where each event reads.
pub type Shape = Vec<Vec<From>>;

/// States of a program that is looked at.
const STATES: usize = 4_000;

#[derive(Clone)]
struct Event {
    action: Action,
    from: From,
    read: u64,
    written: Option<u64>,
}

/// A graph, by thread.
type Partial = Vec<Vec<Event>>;

/// What a thread does next.
enum Next {
    /// It has ended.
    Ended,
    /// Its assumption is false.
    Blocked,
    Event(Action),
}

/// All executions; none if there are too many.
pub fn brute_force(code: &Arc<Code>, model: Model) -> Option<BTreeSet<Shape>> {
    let threads = code.threads() - 1;
    let mut interpreter = Interpreter::new(Arc::clone(code), model);
    let (mut seen, mut complete) = (HashSet::new(), BTreeSet::new());
    let mut left: Vec<Partial> = vec![vec![Vec::new(); threads]];
    while let Some(mut graph) = left.pop() {
        let mut next = write_on(&mut interpreter, &mut graph);
        if !seen.insert(shape(&graph)) {
            continue;
        }
        if seen.len() > STATES {
            return None;
        }
        if next.iter().all(|next| matches!(next, Next::Ended)) {
            complete.insert(shape(&graph));
            continue;
        }
        for (thread, next) in next.drain(..).enumerate() {
            let Next::Event(action) = next else { continue };
            for (from, read) in writes(&interpreter, &graph, location(&action)) {
                let mut longer = graph.clone();
                let written = match &action {
                    Action::Rmw { update, .. } => update.of(read),
                    _ => None,
                };
                longer[thread].push(Event { action: action.clone(), from, read, written });
                if is_consistent(&longer, model) {
                    left.push(longer);
                }
            }
        }
    }
    Some(complete)
}

/// Lets threads write as far as they come without a read, and says what they do next.
fn write_on(interpreter: &mut Interpreter, graph: &mut Partial) -> Vec<Next> {
    let mut next = Vec::new();
    for (number, events) in graph.iter_mut().enumerate() {
        let thread = ThreadId(number as u32 + 1);
        interpreter.start();
        let mut answer = Answer::Done;
        for event in events.iter() {
            interpreter.resume(thread, answer, LocId(0));
            answer = if event.from == From::Nothing { Answer::Done } else { Answer::Value(event.read) };
        }
        next.push(loop {
            let action = interpreter.resume(thread, answer, LocId(0)).action;
            let written = match &action {
                Action::Store { value, .. } => Some(*value),
                Action::Fence { .. } => None,
                Action::End => break Next::Ended,
                Action::Block => break Next::Blocked,
                _ => break Next::Event(action),
            };
            events.push(Event { action, from: From::Nothing, read: 0, written });
            answer = Answer::Done;
        });
    }
    next
}

fn location(action: &Action) -> LocId {
    match action {
        Action::Load { loc, .. } | Action::Store { loc, .. } | Action::Rmw { loc, .. } => *loc,
        other => panic!("{other:?} has no location, or is not generated"),
    }
}

/// All writes of a location, with their values.
fn writes(interpreter: &Interpreter, graph: &Partial, loc: LocId) -> Vec<(From, u64)> {
    let mut writes = vec![(From::Init, interpreter.initial(loc))];
    for (thread, events) in graph.iter().enumerate() {
        for (place, event) in events.iter().enumerate() {
            if let Some(value) = event.written.filter(|_| location(&event.action) == loc) {
                writes.push((From::Event(thread + 1, place), value));
            }
        }
    }
    writes
}

fn shape(graph: &Partial) -> Shape {
    graph.iter().map(|events| events.iter().map(|event| event.from).collect()).collect()
}

fn is_consistent(graph: &Partial, model: Model) -> bool {
    let mut builder = Execution::builder();
    let threads: Vec<ThreadId> =
        (0..graph.len()).map(|thread| builder.thread(&format!("T{thread}"))).collect();
    let locations: Vec<LocId> = ["x", "y", "z"].map(|name| builder.location(name)).into();
    let at = |loc: &LocId| locations[loc.index()];
    for (events, &thread) in graph.iter().zip(&threads) {
        for event in events {
            let from = match event.from {
                From::Event(thread, place) => {
                    Written::At(Slot { thread: threads[thread - 1], index: place as u32 })
                }
                _ => Written::Init,
            };
            let op = match (&event.action, event.written) {
                (Action::Load { loc, order }, _) => Op::read(at(loc), event.read).order(*order).from(from),
                (Action::Store { loc, order, value }, _) => Op::write(at(loc), *value).order(*order),
                (Action::Rmw { loc, order, .. }, Some(value)) => {
                    Op::rmw(at(loc), event.read, value).order(*order).from(from)
                }
                (Action::Rmw { loc, failure, .. }, None) => {
                    Op::read(at(loc), event.read).order(*failure).from(from)
                }
                (Action::Fence { order }, _) => Op::fence(*order),
                (other, _) => panic!("{other:?} is not generated"),
            };
            debug_assert!(op.order != Order::NonAtomic);
            builder.push(thread, op);
        }
    }
    let execution = builder.build().expect("a history");
    judge(&execution, model, &Limits::default()).verdict.is_consistent()
}

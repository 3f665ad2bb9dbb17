//! All executions of a program, by growing graphs read by read and asking the batch checker about each.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use tribunal::memory::{Execution, LocId, Op, Order, Slot, Source as Written, ThreadId};
use tribunal::races::{Listing, each_race};
use tribunal::{Limits, Model, judge};
use tribunal_explore::Problem;
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
    /// Its assertion is false.
    Failed,
    Event(Action),
}

/// All that a program does.
#[derive(Default)]
pub struct Behavior {
    /// Complete executions.
    pub complete: BTreeSet<Shape>,
    /// Whether threads may wait forever for what nobody writes any more.
    pub stuck: bool,
    /// Whether plain accesses race.
    pub racy: bool,
    /// Whether an assertion fails.
    pub fails: bool,
}

/// All executions; none if there are more states to look at than this. If races are allowed, plain accesses are relaxed ones.
pub fn brute_force(code: &Arc<Code>, model: Model, allow_races: bool, states: usize) -> Option<Behavior> {
    let threads = code.threads() - 1;
    let mut interpreter = Interpreter::new(Arc::clone(code), model);
    let (mut seen, mut behavior) = (HashSet::new(), Behavior::default());
    let mut left: Vec<Partial> = vec![vec![Vec::new(); threads]];
    while let Some(mut graph) = left.pop() {
        let next = write_on(&mut interpreter, &mut graph, allow_races)?;
        if !seen.insert(shape(&graph)) {
            continue;
        }
        if seen.len() > states {
            return None;
        }
        behavior.racy = behavior.racy || has_race(&graph, code, model);
        behavior.fails |= next.iter().any(|next| matches!(next, Next::Failed));
        if next.iter().all(|next| matches!(next, Next::Ended)) {
            behavior.complete.insert(shape(&graph));
            continue;
        }
        // Who waits may look too late for what would have let it go on.
        let waits = |next: &Next| {
            matches!(next, Next::Ended | Next::Event(Action::Await { .. } | Action::AwaitRmw { .. }))
        };
        behavior.stuck |= next.iter().all(waits) && is_last_word(&interpreter, &graph, &next, code, model);
        for (thread, next) in next.iter().enumerate() {
            let Next::Event(action) = next else { continue };
            for (from, read) in writes(&interpreter, &graph, location(action)) {
                let mut longer = graph.clone();
                let written = match action {
                    Action::Rmw { update, .. } | Action::AwaitRmw { update, .. } => update.of(read),
                    _ => None,
                };
                if lets_go_on(action, read) {
                    longer[thread].push(Event { action: action.clone(), from, read, written });
                    if is_consistent(&longer, code, &[], model) {
                        left.push(longer);
                    }
                }
            }
        }
    }
    Some(behavior)
}

fn lets_go_on(action: &Action, read: u64) -> bool {
    match action {
        Action::Await { until, .. } => until.of(read),
        Action::AwaitRmw { update, .. } => update.of(read).is_some(),
        _ => true,
    }
}

/// Whether mo may end so that nobody who waits can go on.
fn is_last_word(
    interpreter: &Interpreter,
    graph: &Partial,
    next: &[Next],
    code: &Code,
    model: Model,
) -> bool {
    // For each location that is waited for, the values that are no help.
    let mut last: BTreeMap<LocId, Vec<u64>> = BTreeMap::new();
    for next in next {
        let Next::Event(action) = next else { continue };
        let loc = location(action);
        let values = last
            .entry(loc)
            .or_insert_with(|| writes(interpreter, graph, loc).into_iter().map(|(_, value)| value).collect());
        values.retain(|&value| !lets_go_on(action, value));
    }
    let combinations = last.iter().fold(vec![Vec::new()], |rows: Vec<Vec<(LocId, u64)>>, (&loc, values)| {
        let longer = |row: &Vec<(LocId, u64)>| {
            let row = row.clone();
            values.iter().map(move |&value| [row.as_slice(), &[(loc, value)]].concat()).collect::<Vec<_>>()
        };
        rows.iter().flat_map(longer).collect()
    });
    combinations.iter().any(|finals| is_consistent(graph, code, finals, model))
}

/// Lets threads write as far as they come without a read, and says what they do next.
/// None if that is not known here: a loop that waits, a failure.
fn write_on(interpreter: &mut Interpreter, graph: &mut Partial, allow_races: bool) -> Option<Vec<Next>> {
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
            let mut action = interpreter.resume(thread, answer, LocId(0)).action;
            if let Action::Load { order: order @ Order::NonAtomic, .. }
            | Action::Store { order: order @ Order::NonAtomic, .. } = &mut action
                && allow_races
            {
                *order = Order::Relaxed;
            }
            let written = match &action {
                Action::Store { value, .. } => Some(*value),
                Action::Fence { .. } => None,
                Action::End => break Next::Ended,
                Action::Block => break Next::Blocked,
                Action::Fail(Problem::Panic { .. }) => break Next::Failed,
                Action::Yield | Action::Fail(_) => return None,
                _ => break Next::Event(action),
            };
            events.push(Event { action, from: From::Nothing, read: 0, written });
            answer = Answer::Done;
        });
    }
    Some(next)
}

fn location(action: &Action) -> LocId {
    match action {
        Action::Load { loc, .. }
        | Action::Store { loc, .. }
        | Action::Rmw { loc, .. }
        | Action::Await { loc, .. }
        | Action::AwaitRmw { loc, .. } => *loc,
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

fn is_consistent(graph: &Partial, code: &Code, finals: &[(LocId, u64)], model: Model) -> bool {
    judge(&history(graph, code, finals), model, &Limits::default()).verdict.is_consistent()
}

/// Under ra and its kin, everything that is read happens before what comes after the read.
fn has_race(graph: &Partial, code: &Code, model: Model) -> bool {
    match model {
        Model::Rc20 | Model::Rc11 => has_race_by_orders(graph, code, model),
        Model::Ra => has_race_by_reads(graph),
        _ => false,
    }
}

/// Whether plain accesses of different threads conflict, with no path of po and rf between them.
fn has_race_by_reads(graph: &Partial) -> bool {
    let events: Vec<(usize, usize)> =
        (0..graph.len()).flat_map(|thread| (0..graph[thread].len()).map(move |at| (thread, at))).collect();
    let mut before: BTreeSet<[(usize, usize); 2]> = BTreeSet::new();
    // Each round makes paths longer; the longest visits each event once.
    for _ in &events {
        for &(thread, at) in &events {
            let own = (at > 0).then(|| (thread, at - 1));
            let read = match graph[thread][at].from {
                From::Event(of, place) => Some((of - 1, place)),
                _ => None,
            };
            for last in own.into_iter().chain(read) {
                let earlier =
                    events.iter().filter(|&&event| event == last || before.contains(&[event, last]));
                let longer: Vec<_> = earlier.map(|&event| [event, (thread, at)]).collect();
                before.extend(longer);
            }
        }
    }
    let is_access = |event: &Event| !matches!(event.action, Action::Fence { .. });
    let is_plain = |event: &Event| {
        matches!(
            event.action,
            Action::Load { order: Order::NonAtomic, .. } | Action::Store { order: Order::NonAtomic, .. }
        )
    };
    events.iter().any(|&a| {
        events.iter().filter(|&&b| a.0 < b.0).any(|&b| {
            let [one, other] = [a, b].map(|(thread, at)| &graph[thread][at]);
            is_access(one)
                && is_access(other)
                && location(&one.action) == location(&other.action)
                && (one.written.is_some() || other.written.is_some())
                && (is_plain(one) || is_plain(other))
                && !before.contains(&[a, b])
                && !before.contains(&[b, a])
        })
    })
}

fn has_race_by_orders(graph: &Partial, code: &Code, model: Model) -> bool {
    let mut found = false;
    let listed = each_race(&history(graph, code, &[]), model, Listing::All, &Limits::default(), |_| {
        found = true;
        ControlFlow::Break(())
    });
    listed.expect("an execution");
    found
}

fn history(graph: &Partial, code: &Code, finals: &[(LocId, u64)]) -> Execution {
    let mut builder = Execution::builder();
    let threads: Vec<ThreadId> =
        (0..graph.len()).map(|thread| builder.thread(&format!("T{thread}"))).collect();
    // They are numbered as the program's are.
    for number in 0..code.locations() {
        let loc = builder.location(&format!("l{number}"));
        builder.init(loc, code.initial(loc));
    }
    finals.iter().for_each(|&(loc, value)| _ = builder.final_value(loc, value));
    for (events, &thread) in graph.iter().zip(&threads) {
        for event in events {
            let from = match event.from {
                From::Event(thread, place) => {
                    Written::At(Slot { thread: threads[thread - 1], index: place as u32 })
                }
                _ => Written::Init,
            };
            let op = match (&event.action, event.written) {
                (Action::Load { loc, order } | Action::Await { loc, order, .. }, _) => {
                    Op::read(*loc, event.read).order(*order).from(from)
                }
                (Action::Store { loc, order, value }, _) => Op::write(*loc, *value).order(*order),
                (Action::Rmw { loc, order, .. } | Action::AwaitRmw { loc, order, .. }, Some(value)) => {
                    Op::rmw(*loc, event.read, value).order(*order).from(from)
                }
                (Action::Rmw { loc, failure, .. }, None) => {
                    Op::read(*loc, event.read).order(*failure).from(from)
                }
                (Action::Fence { order }, _) => Op::fence(*order),
                (other, _) => panic!("{other:?} is not generated"),
            };
            builder.push(thread, op);
        }
    }
    builder.build().expect("a history")
}

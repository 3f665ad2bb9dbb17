//! All executions of a program, by growing graphs read by read and asking the batch checker about each.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use tribunal_engines::memory::judge;
use tribunal_engines::memory::races::{Listing, each_race};
use tribunal_explore::Problem;
use tribunal_explore::program::{Action, Answer, Program};
use tribunal_explore::text::{Code, Interpreter};
use tribunal_history::memory::{Execution, LocId, Op, Order, Slot, Source as Written, ThreadId};
use tribunal_history::{limits::Limits, model::Model};

/// ReadsFrom where an event reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReadsFrom {
    /// It does not read.
    Nothing,
    Init,
    /// A thread (from 1) and a place in it.
    Event(usize, usize),
    /// It timed out.
    TimedOut,
}

/// An execution: by thread (but the main thread), from where each event reads; and for each timeout its thread (from 1), and how many events each thread had before.
pub type Shape = (Vec<Vec<ReadsFrom>>, Vec<Timeout>);

pub type Timeout = (usize, Vec<usize>);

#[derive(Clone)]
pub struct Event {
    pub action: Action,
    pub from: ReadsFrom,
    pub read: u64,
    pub written: Option<u64>,
}

/// A graph, by thread.
pub type Partial = Vec<Vec<Event>>;

/// What a thread has in its registers at its end, given what it was told; for each thread (but the main thread).
pub type Outcome = Vec<u64>;

/// The outcome of an execution, from what the accesses and fences of each thread were told.
pub fn outcome(interpreter: &mut Interpreter, told: &[Vec<Answer>]) -> Outcome {
    let threads = told.iter().enumerate().map(|(number, told)| {
        let thread = ThreadId(number as u32 + 1);
        interpreter.start();
        let mut told = told.iter().copied();
        let mut answer = Answer::Done;
        loop {
            match interpreter.resume(thread, answer, LocId(0)).action {
                Action::End => break interpreter.local_state(thread).expect("it is known"),
                Action::Yield => answer = Answer::Done,
                _ => answer = told.next().expect("an answer for each access"),
            }
        }
    });
    threads.collect()
}

fn answer(event: &Event) -> Answer {
    match event.from {
        ReadsFrom::Nothing => Answer::Done,
        ReadsFrom::TimedOut => Answer::TimedOut,
        ReadsFrom::Init | ReadsFrom::Event(..) => Answer::Value(event.read),
    }
}

/// What a thread does next.
pub enum Next {
    /// It has ended.
    Ended,
    /// Its assumption is false.
    Blocked,
    /// Its assertion is false.
    Failed,
    Event(Action),
    /// It has gone round loops as often as is looked at; if it may go round for ever, what it then finds.
    Spins(Option<Vec<(LocId, u64)>>),
}

/// All that a program does.
#[derive(Default)]
pub struct Behavior {
    /// Complete executions.
    pub complete: BTreeSet<Shape>,
    /// Their outcomes.
    pub outcomes: BTreeSet<Outcome>,
    /// Whether threads may wait forever for what nobody writes any more.
    pub stuck: bool,
    /// Whether plain accesses race.
    pub racy: bool,
    /// Whether an assertion fails.
    pub fails: bool,
}

/// All executions; none if there are more states to look at than this. If races are allowed, plain accesses are relaxed ones.
pub fn brute_force(code: &Arc<Code>, model: Model, allow_races: bool, states: usize) -> Option<Behavior> {
    brute_force_loops(code, model, allow_races, states, 0)
}

/// The same, with at most so many yields of each thread.
pub fn brute_force_loops(
    code: &Arc<Code>,
    model: Model,
    allow_races: bool,
    states: usize,
    yields: usize,
) -> Option<Behavior> {
    let threads = code.threads() - 1;
    let mut interpreter = Interpreter::new(Arc::clone(code), model);
    let (mut seen, mut behavior) = (HashSet::new(), Behavior::default());
    let mut left: Vec<(Partial, Vec<Timeout>)> = vec![(vec![Vec::new(); threads], Vec::new())];
    while let Some((mut graph, timeouts)) = left.pop() {
        let next = write_on(&mut interpreter, &mut graph, allow_races, yields)?;
        if !seen.insert(shape(&graph, &timeouts)) {
            continue;
        }
        if seen.len() > states {
            return None;
        }
        behavior.racy = behavior.racy || has_race(&graph, code, model);
        behavior.fails |= next.iter().any(|next| matches!(next, Next::Failed));
        if next.iter().all(|next| matches!(next, Next::Ended)) {
            behavior.complete.insert(shape(&graph, &timeouts));
            let told: Vec<Vec<Answer>> =
                graph.iter().map(|events| events.iter().map(answer).collect()).collect();
            behavior.outcomes.insert(outcome(&mut interpreter, &told));
            continue;
        }
        // Who waits may look too late for what would have let it go on.
        let waits = |next: &Next| {
            matches!(
                next,
                Next::Ended
                    | Next::Spins(Some(_))
                    | Next::Event(Action::Await { .. } | Action::AwaitRmw { .. })
            )
        };
        let stuck = next.iter().all(waits) && is_last_word(&interpreter, &graph, &next, code, model);
        let may_time_out = |next: &Next| matches!(next, Next::Event(action) if action.may_time_out());
        behavior.stuck |= stuck && !next.iter().any(may_time_out);
        if stuck {
            for (thread, next) in next.iter().enumerate().filter(|(_, next)| may_time_out(next)) {
                let Next::Event(action) = next else { continue };
                let (mut longer, mut timeouts) = (graph.clone(), timeouts.clone());
                timeouts.push((thread + 1, graph.iter().map(Vec::len).collect()));
                let event =
                    Event { action: action.clone(), from: ReadsFrom::TimedOut, read: 0, written: None };
                longer[thread].push(event);
                left.push((longer, timeouts));
            }
        }
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
                        left.push((longer, timeouts.clone()));
                    }
                }
            }
        }
    }
    Some(behavior)
}

pub fn lets_go_on(action: &Action, read: u64) -> bool {
    match action {
        Action::Await { until, .. } => until.of(read),
        Action::AwaitRmw { update, .. } => update.of(read).is_some(),
        _ => true,
    }
}

/// Whether mo may end so that nobody who waits can go on.
pub fn is_last_word(
    interpreter: &Interpreter,
    graph: &Partial,
    next: &[Next],
    code: &Code,
    model: Model,
) -> bool {
    // For each location that is waited for, the values that are no help.
    let mut last: BTreeMap<LocId, Vec<u64>> = BTreeMap::new();
    let mut useful = |loc: LocId, keeps: &dyn Fn(u64) -> bool| {
        let values = last
            .entry(loc)
            .or_insert_with(|| writes(interpreter, graph, loc).into_iter().map(|(_, value)| value).collect());
        values.retain(|&value| keeps(value));
    };
    for next in next {
        match next {
            Next::Event(action) => useful(location(action), &|value| !lets_go_on(action, value)),
            Next::Spins(Some(seen)) => {
                seen.iter().for_each(|&(loc, found)| useful(loc, &|value| value == found));
            }
            _ => {}
        }
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
fn write_on(
    interpreter: &mut Interpreter,
    graph: &mut Partial,
    allow_races: bool,
    yields: usize,
) -> Option<Vec<Next>> {
    let mut next = Vec::new();
    for (number, events) in graph.iter_mut().enumerate() {
        let thread = ThreadId(number as u32 + 1);
        interpreter.start();
        let mut told = Answer::Done;
        // By yield, the events before it, and the state of the thread.
        let mut passed: Vec<(usize, Option<u64>)> = Vec::new();
        for (place, event) in events.iter().enumerate() {
            while let Action::Yield = interpreter.resume(thread, told, LocId(0)).action {
                passed.push((place, interpreter.local_state(thread)));
                told = Answer::Done;
            }
            told = answer(event);
        }
        next.push(loop {
            let action = interpreter.resume(thread, told, LocId(0)).action;
            if let Action::Yield = action {
                if yields == 0 {
                    return None;
                }
                let state = interpreter.local_state(thread);
                let before = passed.iter().rev().find(|&&(_, before)| before == state);
                let round = before.and_then(|&(place, _)| found_again(&events[place..]));
                if passed.len() == yields {
                    break Next::Spins(round);
                }
                passed.push((events.len(), state));
                told = Answer::Done;
                continue;
            }
            let action = match next_of(action, allow_races)? {
                Next::Event(action) => action,
                stopped => break stopped,
            };
            let written = match &action {
                Action::Store { value, .. } => Some(*value),
                Action::Fence { .. } => None,
                _ => break Next::Event(action),
            };
            events.push(Event { action, from: ReadsFrom::Nothing, read: 0, written });
            told = Answer::Done;
        });
    }
    Some(next)
}

/// Runs a thread along its events; gives the answer to the last one.
pub fn replay(interpreter: &mut Interpreter, thread: ThreadId, events: &[Event]) -> Answer {
    interpreter.start();
    let mut told = Answer::Done;
    for event in events {
        interpreter.resume(thread, told, LocId(0));
        told = answer(event);
    }
    told
}

/// The next step of a thread. None if it is not known here: a loop that waits, a failure.
pub fn step(
    interpreter: &mut Interpreter,
    thread: ThreadId,
    answer: Answer,
    allow_races: bool,
) -> Option<Next> {
    next_of(interpreter.resume(thread, answer, LocId(0)).action, allow_races)
}

fn next_of(mut action: Action, allow_races: bool) -> Option<Next> {
    if let Action::Load { order: order @ Order::NonAtomic, .. }
    | Action::Store { order: order @ Order::NonAtomic, .. } = &mut action
        && allow_races
    {
        *order = Order::Relaxed;
    }
    Some(match action {
        Action::End => Next::Ended,
        Action::Block => Next::Blocked,
        Action::Fail(Problem::Panic { .. }) => Next::Failed,
        Action::Yield | Action::Fail(_) => return None,
        _ => Next::Event(action),
    })
}

/// What a thread finds in each location when it goes round alone, if it is told what it was told and leaves what it found: then it goes round for ever.
fn found_again(round: &[Event]) -> Option<Vec<(LocId, u64)>> {
    // By location, the value found and the one left.
    let mut values: BTreeMap<LocId, (u64, u64)> = BTreeMap::new();
    for event in round.iter().filter(|event| !matches!(event.action, Action::Fence { .. })) {
        let left = event.written.unwrap_or(event.read);
        let reads = event.from != ReadsFrom::Nothing;
        let found = if reads { event.read } else { left };
        let value = values.entry(location(&event.action)).or_insert((found, found));
        if reads && event.read != value.1 {
            return None;
        }
        value.1 = left;
    }
    let is_left = values.values().all(|(found, left)| found == left);
    is_left.then(|| values.into_iter().map(|(loc, (found, _))| (loc, found)).collect())
}

pub fn location(action: &Action) -> LocId {
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
pub fn writes(interpreter: &Interpreter, graph: &Partial, loc: LocId) -> Vec<(ReadsFrom, u64)> {
    let mut writes = vec![(ReadsFrom::Init, interpreter.initial(loc))];
    for (thread, events) in graph.iter().enumerate() {
        for (place, event) in events.iter().enumerate() {
            if let Some(value) = event.written.filter(|_| location(&event.action) == loc) {
                writes.push((ReadsFrom::Event(thread + 1, place), value));
            }
        }
    }
    writes
}

pub fn shape(graph: &Partial, timeouts: &[Timeout]) -> Shape {
    let threads = graph.iter().map(|events| events.iter().map(|event| event.from).collect());
    (threads.collect(), timeouts.to_vec())
}

pub fn is_consistent(graph: &Partial, code: &Code, finals: &[(LocId, u64)], model: Model) -> bool {
    judge(&history(graph, code, finals), model, &Limits::default()).0.is_consistent()
}

/// Under ra and its kin, everything that is read happens before what comes after the read.
pub fn has_race(graph: &Partial, code: &Code, model: Model) -> bool {
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
                ReadsFrom::Event(of, place) => Some((of - 1, place)),
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
    let is_access =
        |event: &Event| !matches!(event.action, Action::Fence { .. }) && event.from != ReadsFrom::TimedOut;
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
        for event in events.iter().filter(|event| event.from != ReadsFrom::TimedOut) {
            let from = match event.from {
                ReadsFrom::Event(thread, place) => {
                    let before = graph[thread - 1][..place].iter();
                    let index = before.filter(|event| event.from != ReadsFrom::TimedOut).count() as u32;
                    Written::At(Slot { thread: threads[thread - 1], index })
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

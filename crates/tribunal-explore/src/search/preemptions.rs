//! A bound on preemptions: exactly the executions that some schedule within the bound has.
//!
//! **What is bounded.** A *schedule* of an execution is a linear extension of po ∪ rf: an order in which its events can be done one by one. If a schedule
//! goes from a thread t to another one, that is a *preemption* if t could go on there: it has not ended, it is not at a join of a thread that has not ended, not at
//! a wait that nothing done so far lets go on, and not at a yield, nor where an iteration of a loop that waits begins: iterations that end with a yield
//! and change nothing are not part of an execution. An execution is within a bound if one of its schedules has no more preemptions
//! (Musuvathi and Qadeer, *Iterative Context Bounding for Systematic Testing of Multithreaded Programs*, PLDI 2007; for partial orders, Coons, Musuvathi and McKinley,
//! *Bounded Partial-Order Reduction*, OOPSLA 2013).
//!
//! **Complete executions** are within the bound or not: a search over how far each thread is and who runs, by number of preemptions, decides it. The
//! question is NP-hard; here a thread runs on wherever nothing is won by leaving it, so that few states are left.
//!
//! **Parts of executions** must not be dropped because their own schedules have too many preemptions: what comes of one may lack events that it has. Let G be a graph
//! from which an execution E within a bound k comes, and let X be the events of G that are not in E as they are in G. G without X is closed under po ∪ rf, so a best schedule of E, without
//! what is not in G, is a schedule of it; this one has at most k preemptions at which a thread goes on within it. The events of X go in revisits. Events that go
//! read from no event that goes and was added later ([`part`](super::revisit)), and each thread was run as far as it could be before the next one was. So X can be scheduled
//! behind all else, thread by thread, with no preemption among them. What is left are the threads that are left once before their first event in X: at most
//! one preemption for each. That event is a read, a wait, a choice or the drop of a handle: others are as they are whenever what is before them is.
//! It does not go if it is before a write that was read by a revisit, for `part` never lets that one go. So if no schedule of G has at most k preemptions and one more
//! for each thread that has an event that may go, behind its first, then no execution within the bound comes of G.
//! (Marmanis and Vafeiadis, *Reconciling Preemption Bounding with DPOR*, TACAS 2023, have such a slack by the number of threads.) Waits and joins count here
//! if what they read is there, which is at most as often as in E.
//!
//! **Failures** within the bound are found: its threads, run on without a preemption, would make an execution within the bound. Those that are met outside of it are real, and are reported.

use super::memory::Memory;
use super::run::Worker;
use crate::graph::{Event, EventId, Graph, Source};
use crate::program::{Action, Place, Program, Waits};
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tribunal_history::memory::LocId;

/// What is known of a bound while executions are explored.
#[derive(Debug, Default)]
pub(super) struct Bound {
    /// Where iterations of loops that wait begin. A thread may have been there as often as one likes, and yielded each time, before it goes on.
    loops: Mutex<FxHashSet<Place>>,
    /// Whether executions were left out.
    left_out: AtomicBool,
    /// Whether a loop was found after that: what was left out may be within the bound.
    late: AtomicBool,
}

impl Bound {
    fn loops(&self) -> MutexGuard<'_, FxHashSet<Place>> {
        self.loops.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An iteration of a loop that waits begins here.
    pub(super) fn add_loop(&self, place: Place) {
        if self.loops().insert(place) && self.left_out.load(Relaxed) {
            self.late.store(true, Relaxed);
        }
    }

    pub(super) fn leave_out(&self) {
        self.left_out.store(true, Relaxed);
    }

    pub(super) fn has_left_out(&self) -> bool {
        self.left_out.load(Relaxed)
    }

    /// Whether all is to be done again, with what is known now.
    pub(super) fn begin_again(&self) -> bool {
        self.left_out.store(false, Relaxed);
        self.late.swap(false, Relaxed)
    }
}

/// A place in a thread: the thread, and how many of its events are done if that one is.
type Point = (usize, u32);

/// An event of a schedule.
#[derive(Default)]
struct Step {
    /// What must be done before, but for what its own thread did.
    needs: Vec<Point>,
    /// A yield is before it: it may be left for nothing.
    yields: bool,
    /// A join or a receive that may be left for nothing as long as the thread has not ended, or the message was not sent.
    joins: bool,
    /// A wait, which may be left for nothing as long as it cannot go on.
    wait: Option<Wait>,
    /// What it writes lets others go on: that may be done too early.
    lets_go_on: bool,
}

/// An event that waits.
struct Wait {
    event: EventId,
    /// The writes of its location, the initial one first.
    writes: Vec<Write>,
}

struct Write {
    /// The initial write is always there.
    at: Option<Point>,
    lets_go_on: bool,
    /// The RMW that reads it, if the wait is for an RMW.
    taker: Option<Point>,
    /// How many writes are before it in mo by program order and RMWs alone.
    depth: usize,
}

/// How far each thread is, and who runs.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    done: Box<[u32]>,
    running: usize,
}

impl State {
    fn has(&self, (thread, count): Point) -> bool {
        self.done[thread] >= count
    }
}

/// The events of an execution by thread.
struct Schedules {
    threads: Vec<Vec<Step>>,
}

impl Schedules {
    /// If it is `exact`, waits go on by whatever lets them. Otherwise only by what they read.
    fn new(graph: &Graph, bound: &Bound, exact: bool) -> Self {
        let loops = bound.loops();
        let count = graph.events().iter().map(|event| event.thread.index() + 1).max().unwrap_or(0);
        let mut threads: Vec<Vec<Step>> = (0..count).map(|_| Vec::new()).collect();
        let point = |id: EventId| {
            let event = graph.event(id);
            (event.thread.index(), event.index + 1)
        };
        let waits: Vec<&Event> = graph.events().iter().filter(|event| is_wait(event)).collect();
        for (i, event) in graph.events().iter().enumerate() {
            // A thread that waits is at its end, as far as one knows.
            if event.waiting && event.is_read() {
                continue;
            }
            let mut needs = Vec::new();
            if event.index == 0 {
                needs.extend(graph.spawn_of(event.thread).map(point));
            }
            match (event.source, &event.action) {
                (Source::Event(source), _) => needs.push(point(source)),
                (Source::Choice(1), &(Action::Release { loc, .. } | Action::Receive { loc, .. })) => {
                    let others = graph.accesses(loc).releases.iter().copied();
                    needs.extend(others.filter(|other| other.index() < i).map(point));
                }
                _ => {}
            }
            needs.retain(|&(thread, _)| thread != event.thread.index());
            let wakes = |wait: &&Event| {
                wait.loc() == event.loc()
                    && wait.thread != event.thread
                    && event.written.is_some_and(|value| goes_on_with(wait, value))
            };
            threads[event.thread.index()].push(Step {
                needs,
                yields: event.yields || loops.contains(&event.place),
                joins: match event.action {
                    Action::Join { .. } => true,
                    Action::Receive { waits, .. } => waits != Waits::No,
                    _ => false,
                },
                wait: (is_wait(event))
                    .then(|| Wait { event: EventId(i as u32), writes: writes(graph, event, exact) }),
                lets_go_on: exact && event.written.is_some() && waits.iter().any(wakes),
            });
        }
        Schedules { threads }
    }

    fn next(&self, state: &State, thread: usize) -> Option<&Step> {
        self.threads.get(thread)?.get(state.done[thread] as usize)
    }

    fn is_over(&self, state: &State) -> bool {
        self.threads.iter().zip(&state.done).all(|(steps, &done)| steps.len() == done as usize)
    }

    /// Lets the running thread do what it may as well do now. Says whether it can still go on.
    fn run(&self, state: &mut State) -> bool {
        loop {
            let Some(step) = self.next(state, state.running) else { return false };
            if !step.needs.iter().all(|&need| state.has(need)) {
                return false;
            }
            if step.yields || step.lets_go_on {
                return true;
            }
            state.done[state.running] += 1;
        }
    }

    /// The states in which another thread has done its next event.
    fn others<'a>(&'a self, state: &'a State) -> impl Iterator<Item = State> + 'a {
        (0..self.threads.len()).filter_map(move |thread| {
            let step = self.next(state, thread).filter(|_| thread != state.running)?;
            step.needs.iter().all(|&need| state.has(need)).then(|| self.after(state, thread))
        })
    }

    fn after(&self, state: &State, thread: usize) -> State {
        let mut done = state.done.clone();
        done[thread] += 1;
        State { done, running: thread }
    }
}

fn is_wait(event: &Event) -> bool {
    matches!(event.action, Action::Await { .. } | Action::AwaitRmw { .. })
}

/// Whether a wait goes on if it reads a value.
fn goes_on_with(wait: &Event, value: u64) -> bool {
    match wait.action {
        Action::Await { until, .. } => until.of(value),
        Action::AwaitRmw { update, .. } => update.of(value).is_some(),
        _ => true,
    }
}

/// The writes that a wait may read from.
fn writes(graph: &Graph, wait: &Event, exact: bool) -> Vec<Write> {
    let Some(loc) = wait.loc().filter(|_| exact) else { return Vec::new() };
    let accesses = graph.accesses(loc);
    let point = |id: EventId| {
        let event = graph.event(id);
        (event.thread.index(), event.index + 1)
    };
    let taker = |source: Source| {
        let takes = |id: &EventId| graph.event(*id).source == source && graph.event(*id).written.is_some();
        let is_rmw = matches!(wait.action, Action::AwaitRmw { .. });
        accesses.reads.iter().copied().find(takes).filter(|_| is_rmw).map(point)
    };
    let initial = Write {
        at: None,
        lets_go_on: goes_on_with(wait, wait.initial),
        taker: taker(Source::Init),
        depth: 0,
    };
    let others = accesses.writes.iter().map(|&id| Write {
        at: Some(point(id)),
        lets_go_on: graph.event(id).written.is_some_and(|value| goes_on_with(wait, value)),
        taker: taker(Source::Event(id)),
        depth: depth(graph, loc, id),
    });
    std::iter::once(initial).chain(others).collect()
}

/// How many writes are before a write in mo by program order and RMWs alone, itself included.
fn depth(graph: &Graph, loc: LocId, write: EventId) -> usize {
    let mut depth = 0;
    let mut at = Source::Event(write);
    while let Source::Event(id) = at {
        depth += 1;
        let event = graph.event(id);
        at = if event.is_read() {
            event.source
        } else {
            let own = graph.accesses(loc).writes.iter().rev().copied();
            let mut own = own.filter(|&other| {
                let other = graph.event(other);
                other.thread == event.thread && other.index < event.index
            });
            own.next().map_or(Source::Init, Source::Event)
        };
    }
    depth
}

/// The number of threads that may have been left once more than the execution's schedule does that a graph leads to.
fn slack(graph: &Graph) -> usize {
    let mut staying: Vec<u32> = Vec::new();
    for (i, event) in graph.events().iter().enumerate() {
        let stays = match event.source {
            Source::Event(from) if event.is_read() && event.stamp < graph.event(from).write_stamp => from,
            Source::Choice(2) if matches!(event.action, Action::Release { .. }) => EventId(i as u32),
            _ => continue,
        };
        let before = graph.before(stays);
        staying.resize(staying.len().max(before.len()), 0);
        staying.iter_mut().zip(before).for_each(|(staying, &before)| *staying = (*staying).max(before));
    }
    let mut may_go: Vec<usize> = Vec::new();
    for event in graph.events() {
        let thread = event.thread.index();
        let chooses = matches!(event.action, Action::Choose { .. } | Action::Release { .. });
        if event.index >= staying.get(thread).copied().unwrap_or(0).max(1)
            && !event.waiting
            && (event.is_read() || chooses)
            && !may_go.contains(&thread)
        {
            may_go.push(thread);
        }
    }
    may_go.len()
}

impl<P: Program, M: Memory> Worker<'_, P, M> {
    /// Whether an execution within the bound may come of the graph.
    pub(super) fn may_come_within(&mut self, most: usize) -> bool {
        let slack = slack(&self.graph);
        let schedules = Schedules::new(&self.graph, &self.bound, false);
        self.has_schedule(&schedules, most.saturating_add(slack), None)
    }

    /// Whether the execution, which is complete, is within the bound.
    pub(super) fn is_within(&mut self, most: usize) -> bool {
        let whole = self.graph.clone();
        let schedules = Schedules::new(&whole, &self.bound, true);
        let within = self.has_schedule(&schedules, most, Some(&whole));
        within & self.adopt(whole.events())
    }

    /// Whether there is a schedule with at most so many preemptions, of this execution if it is complete. False if a limit is reached.
    fn has_schedule(&mut self, schedules: &Schedules, most: usize, whole: Option<&Graph>) -> bool {
        let mut seen: FxHashSet<State> = FxHashSet::default();
        let start = State { done: vec![0; schedules.threads.len()].into(), running: 0 };
        let mut level = vec![start];
        for _ in 0..=most {
            let mut dearer = Vec::new();
            while let Some(mut state) = level.pop() {
                if self.poll().is_some() {
                    return false;
                }
                let goes_on = schedules.run(&mut state);
                if schedules.is_over(&state) {
                    return true;
                }
                if seen.contains(&state) {
                    continue;
                }
                if goes_on {
                    level.push(schedules.after(&state, state.running));
                }
                let free = match schedules.next(&state, state.running) {
                    None => true,
                    Some(step) => {
                        step.yields
                            || !goes_on
                                && (step.joins
                                    || step
                                        .wait
                                        .as_ref()
                                        .is_some_and(|wait| !self.would_go_on(whole, &state, wait)))
                    }
                };
                let next = if free { &mut level } else { &mut dearer };
                next.extend(schedules.others(&state));
                seen.insert(state);
            }
            if dearer.is_empty() {
                return false;
            }
            level = dearer;
        }
        false
    }

    /// Whether something that is done lets a wait go on, though what it reads in this execution is not done. The write that is last in mo can always be read; of others the memory is asked.
    fn would_go_on(&mut self, whole: Option<&Graph>, state: &State, wait: &Wait) -> bool {
        let Some(whole) = whole else { return false };
        let is_done = |write: &&Write| write.at.is_none_or(|at| state.has(at));
        let count = wait.writes.iter().filter(is_done).count() - 1;
        let may_do = |write: &&Write| write.lets_go_on && !write.taker.is_some_and(|taker| state.has(taker));
        let mut found = wait.writes.iter().filter(is_done).filter(may_do).peekable();
        if found.peek().is_none() {
            return false;
        }
        found.any(|write| write.depth == count) || self.may_read_behind(whole, state, wait.event)
    }

    /// Whether an event could go on behind a part of an execution.
    fn may_read_behind(&mut self, whole: &Graph, state: &State, wait: EventId) -> bool {
        let mut places = vec![EventId(0); whole.len()];
        let mut part: Vec<Event> = Vec::new();
        for (i, event) in whole.events().iter().enumerate() {
            if state.has((event.thread.index(), event.index + 1)) {
                places[i] = EventId(part.len() as u32);
                let mut event = event.clone();
                if let Source::Event(source) = &mut event.source {
                    *source = places[source.index()];
                }
                part.push(event);
            }
        }
        let wait = whole.event(wait);
        let Some(loc) = wait.loc() else { return false };
        self.adopt(&part)
            && (std::iter::once(Source::Init))
                .chain(self.graph.accesses(loc).writes.clone().into_iter().map(Source::Event))
                .any(|source| self.may_take(wait, source))
    }
}

//! A run of the program: what is to be tried, and on from there to the end of an execution.

use super::guide::Guide;
use super::memory::Memory;
use super::preemptions::Bound;
use super::revisit::Try;
use super::spin::Loop;
use super::stale::Stale;
use super::threads::Threads;
use super::wait::Standstill;
use crate::graph::{Event, EventId, Graph, Source, Values};
use crate::options::Options;
use crate::program::{Action, Answer, DISCONNECTED, EMPTY, Place, Program, Request};
use crate::report::Problem;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{LocId, Order, ThreadId};
use tribunal_history::verdict::Limit;

/// A thread in a run.
#[derive(Debug)]
pub(super) struct Runner {
    /// The operation that it is about to do.
    pub(super) pending: Option<Request>,
    /// The answer to its last one.
    pub(super) answer: Answer,
    pub(super) state: State,
    /// How many events it had at its last yield.
    pub(super) since: u32,
    /// How many threads it has made.
    pub(super) children: u32,
    /// Whether it yielded since its last event.
    pub(super) yields: bool,
    /// It was let go on, to see whether it comes round again: it is further than its events say.
    pub(super) tried: bool,
    /// It has left a loop that waits for a reason that is not seen: how many events its last iteration had.
    pub(super) unseen: Option<u32>,
    /// In a guided execution, its operation waits for its location: how often that had [changed](Graph::changes) when it was last tried.
    stuck: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Running,
    /// Its last event waits.
    Waiting(Place),
    /// It waits to be the last to give up a handle.
    Claiming(LocId),
    /// It waits in a loop.
    Spinning(Place),
    /// It goes no further, and the execution does not count.
    Stopped,
    Ended,
}

/// How a run ended.
pub(super) enum Outcome {
    Complete,
    Blocked,
    /// It goes on in another run, which came to the same. Which of the two is first depends on the workers, so that neither is gone on with in place.
    Elsewhere,
    /// Complete, with too many preemptions.
    Outside,
    /// It goes on in others, in which a wait times out.
    Continued,
    /// It goes on in others, in which a thread takes the lock that it waits for.
    Freed,
    /// It leads nowhere, because of a thread that spins, unless what lets it go on [turns up](super::stale).
    Stale(Stale),
    /// A limit was reached.
    Cut(Limit),
    Failed {
        problem: Problem,
        place: Place,
        thread: Option<ThreadId>,
    },
}

/// What came of a thread's turn.
enum Turn {
    /// It did something.
    Done,
    /// It cannot go on.
    None,
    /// The run is to be begun again, with what was learned.
    Again,
    /// It spins, and the run need not go on; see [`Outcome::Stale`].
    Stale(Stale),
}

pub(super) type Failed = (Problem, Place, Option<ThreadId>);

/// Yields of a thread in a row.
const MOST_YIELDS: usize = 1 << 16;

/// The most events of an execution that is sampled without [committing](Memory::sample) it.
pub(super) const LONGEST_EXACT: usize = 32;

/// What runs executions one after the other.
pub(super) struct Worker<'a, P, M> {
    pub(super) program: P,
    pub(super) options: &'a Options,
    pub(super) graph: Graph,
    pub(super) memory: M,
    limits: Limits<'static>,
    /// The limit that was reached.
    limit: Option<Limit>,
    /// How often it was asked whether to go on.
    polls: u32,
    pub(super) threads: Threads,
    pub(super) runners: Vec<Option<Runner>>,
    /// The threads of the run, in the order of spawns.
    pub(super) order: Vec<ThreadId>,
    /// The next location to be given.
    pub(super) fresh: u32,
    pub(super) stamp: u32,
    /// What is to be tried instead of what this run does.
    pub(super) todo: Vec<Try>,
    /// The same of what the program does not explore. It is tried only where nothing else helps.
    pub(super) held: Vec<Try>,
    /// Some of that was left out.
    pub(super) skipped: bool,
    /// By a thread and what it was told: whether a yield ends an iteration of a loop that waits.
    pub(super) loops: FxHashMap<u64, Loop>,
    /// Places of loops that are known to wait though they do not say so, with the events of an iteration.
    pub(super) waiting_places: FxHashSet<(Place, usize)>,
    /// How often this run was begun again.
    pub(super) attempts: usize,
    /// How often threads have looked again in vain, in a guided execution.
    pub(super) idle_rounds: usize,
    /// Who decides in executions that are not part of a search.
    pub(super) guide: Option<Box<dyn Guide + 'a>>,
    /// What is known of a bound on preemptions.
    pub(super) bound: Arc<Bound>,
    /// Whether executions are only looked at, to learn how many there are.
    pub(super) probing: bool,
    /// Whether it is chance.
    pub(super) samples: bool,
    /// Whether an execution that becomes [long](LONGEST_EXACT) and hard to decide is given up, and that one was.
    pub(super) gives_up: bool,
    pub(super) gave_up: bool,
    /// Room.
    pub(super) new_places: Vec<u32>,
    pub(super) preference: Vec<Source>,
    pub(super) found: Vec<Source>,
    /// A thread that waits for a lock can take it: the run goes on with that alone.
    pub(super) frees: bool,
    /// A write of a lock that is meant for a thread that has waited since this time.
    pub(super) handed: Option<(u32, LocId, Source)>,
    /// The access that raced, which is not part of the execution yet.
    pub(super) racing: Option<Event>,
    /// The program runs along the graph, which the memory knows to its end.
    replays: bool,
    /// Room for what a thread knows.
    known: Vec<u32>,
}

impl<'a, P: Program, M: Memory> Worker<'a, P, M> {
    pub(super) fn new(
        mut program: P,
        mut memory: M,
        options: &'a Options,
        limits: Limits<'static>,
        threads: Threads,
    ) -> Self {
        program.keep_to(limits);
        memory.keep_to(limits);
        if program.asks_what_threads_know() {
            memory.count_ends();
        }
        Worker {
            program,
            options,
            graph: Graph::default(),
            memory,
            limits,
            limit: None,
            polls: 0,
            threads,
            runners: Vec::new(),
            order: Vec::new(),
            fresh: 0,
            stamp: 0,
            todo: Vec::new(),
            held: Vec::new(),
            skipped: false,
            loops: FxHashMap::default(),
            waiting_places: FxHashSet::default(),
            attempts: 0,
            idle_rounds: 0,
            guide: None,
            bound: Arc::default(),
            probing: false,
            samples: false,
            gives_up: false,
            gave_up: false,
            new_places: Vec::new(),
            preference: Vec::new(),
            found: Vec::new(),
            frees: false,
            handed: None,
            racing: None,
            replays: false,
            known: Vec::new(),
        }
    }

    /// The limit that was reached, if one was. Asked at each step, it looks now and then.
    pub(super) fn poll(&mut self) -> Option<Limit> {
        /// Steps between two looks at the clock.
        const STEPS: u32 = 8;
        self.polls = self.polls.wrapping_add(1);
        if self.polls.is_multiple_of(STEPS) { self.look_at_limits() } else { self.limit }
    }

    pub(super) fn look_at_limits(&mut self) -> Option<Limit> {
        if self.limit.is_none() {
            self.limit = self.limits.check(0).err();
        }
        self.limit
    }

    /// Makes the graph these events: what it has in common with them stays. Says whether it could, before a limit was reached.
    pub(super) fn adopt(&mut self, events: &[Event]) -> bool {
        let same = |(a, b): &(&Event, &Event)| {
            a.thread == b.thread
                && a.source == b.source
                && a.waiting == b.waiting
                && (a.stamp, a.write_stamp) == (b.stamp, b.write_stamp)
        };
        let common = self.graph.events().iter().zip(events).take_while(same).count();
        self.truncate(common);
        // Values are those of one and the same run.
        for (i, event) in events[..common].iter().enumerate() {
            self.graph.renew(EventId(i as u32), event);
        }
        for event in &events[common..] {
            if !self.push(event.clone()) {
                debug_assert!(
                    self.look_at_limits().is_some(),
                    "a prefix of a consistent execution is consistent"
                );
                return false;
            }
        }
        true
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.memory.truncate(&self.graph, length);
        if length == 0 {
            self.graph.clear();
        }
        while self.graph.len() > length {
            self.graph.pop();
        }
    }

    /// Adds an event, if the model lets it.
    pub(super) fn push(&mut self, event: Event) -> bool {
        let taken = self.memory.push(&self.graph, &event);
        if taken {
            self.graph.push(event);
        }
        taken
    }

    /// Runs the program along the graph and on to the end of an execution.
    pub(super) fn run(&mut self) -> Outcome {
        let begun = self.replay();
        self.run_to_the_end(begun)
    }

    /// Goes on with a run to the end of an execution, from where it was [begun](Self::replay) or [freed](Self::free).
    pub(super) fn run_to_the_end(&mut self, mut begun: Result<(), Failed>) -> Outcome {
        let (length, todo, held) = (self.graph.len(), self.todo.len(), self.held.len());
        self.attempts = 0;
        loop {
            let ended = begun.and_then(|()| match self.limit {
                Some(_) => Ok(Some(Outcome::Blocked)),
                None => self.look_for_races_of_last().and_then(|()| self.extend()),
            });
            // What comes of an execution that a limit cut short is not to be believed.
            if let Some(limit) = self.look_at_limits() {
                return Outcome::Cut(limit);
            }
            match ended {
                Ok(Some(outcome)) => {
                    self.learn_writes(length);
                    self.settle_held(&outcome);
                    return outcome;
                }
                Ok(None) => {
                    self.attempts += 1;
                    self.truncate(length);
                    self.todo.truncate(todo);
                    self.held.truncate(held);
                    begun = self.replay();
                }
                Err((problem, place, thread)) => return Outcome::Failed { problem, place, thread },
            }
        }
    }

    /// What the program does not explore is left out, unless a thread waits in a loop that reads it: nothing else lets the thread go on.
    fn settle_held(&mut self, outcome: &Outcome) {
        let waits = |thread: &ThreadId| {
            let Some(runner) = &self.runners[thread.index()] else { return false };
            let round = &self.graph.thread(*thread)[runner.since as usize..];
            matches!(runner.state, State::Spinning(_))
                && round.iter().any(|&id| !self.graph.event(id).explored)
        };
        if matches!(outcome, Outcome::Blocked | Outcome::Elsewhere) && self.order.iter().any(waits) {
            self.todo.append(&mut self.held);
        }
        self.skipped |= !self.held.is_empty();
        self.held.clear();
    }

    fn begin(&mut self, thread: ThreadId) {
        if self.runners.len() <= thread.index() {
            self.runners.resize_with(thread.index() + 1, || None);
        }
        self.runners[thread.index()] = Some(Runner {
            pending: None,
            answer: Answer::Done,
            state: State::Running,
            since: 0,
            children: 0,
            yields: false,
            tried: false,
            unseen: None,
            stuck: None,
        });
        let place = self.order.partition_point(|&other| self.threads.compare(other, thread).is_lt());
        self.order.insert(place, thread);
    }

    pub(super) fn runner(&mut self, thread: ThreadId) -> &mut Runner {
        self.runners[thread.index()].as_mut().expect("a thread is spawned before it runs")
    }

    pub(super) fn resume(&mut self, thread: ThreadId, fresh: LocId) -> Request {
        let answer = std::mem::replace(&mut self.runner(thread).answer, Answer::Done);
        if self.program.asks_what_threads_know() {
            self.tell_what_is_known(thread);
        }
        let mut request = self.program.resume(thread, answer, fresh);
        if self.options.allow_races {
            request.action.relax();
        }
        request
    }

    /// Tells the program what a thread knows. While it runs along the graph, each thread does what it did before, but for the last one.
    fn tell_what_is_known(&mut self, thread: ThreadId) {
        if self.replays {
            return self.program.told(thread, None);
        }
        let mut known = std::mem::take(&mut self.known);
        known.clear();
        known.resize(self.runners.len(), 0);
        for &by in &self.order {
            let events = self.graph.thread(by);
            known[by.index()] = match by == thread {
                true => events.len() as u32,
                false => {
                    events.partition_point(|&event| self.memory.happens_before(event, by, thread)) as u32
                }
            };
        }
        self.program.told(thread, Some(&known));
        self.known = known;
    }

    /// Runs the program along the graph.
    fn replay(&mut self) -> Result<(), Failed> {
        self.replays = true;
        let replayed = self.run_along();
        self.replays = false;
        replayed
    }

    fn run_along(&mut self) -> Result<(), Failed> {
        self.program.start();
        self.order.clear();
        self.runners.iter_mut().for_each(|runner| *runner = None);
        self.begin(ThreadId::from_index(0));
        (self.stamp, self.idle_rounds) = (0, 0);
        let locs = self.graph.events().iter().filter_map(Event::loc);
        self.fresh = locs.map(|loc| loc.index() as u32 + 1).max().unwrap_or(0);
        for i in 0..self.graph.len() {
            if self.poll().is_some() {
                return Ok(());
            }
            let event = &self.graph.events()[i];
            let (thread, index) = (event.thread, event.index);
            let fresh = event.loc().unwrap_or(LocId::from_index(self.fresh as usize));
            self.stamp = self.stamp.max(event.write_stamp + 1);
            let granted = matches!(self.runner(thread).state, State::Claiming(_));
            if !granted {
                let pending = self.runner(thread).pending.take();
                let mut request = pending.unwrap_or_else(|| self.resume(thread, fresh));
                if let Some(unseen) = self.graph.event(EventId(i as u32)).unseen {
                    request = self.run_on_to(EventId(i as u32), unseen, request);
                }
                while let Action::Yield = request.action {
                    self.runner(thread).since = index;
                    request = self.resume(thread, fresh);
                }
                self.renew(EventId(i as u32), request)?;
            }
            self.settle(EventId(i as u32));
        }
        Ok(())
    }

    /// Gives an event the values of this run, if it is the same.
    fn renew(&mut self, id: EventId, request: Request) -> Result<(), Failed> {
        let event = self.graph.event(id);
        let (thread, place) = (event.thread, request.place);
        let nondeterminism = |expected: String, found: String| {
            let problem = Problem::Nondeterminism { thread, expected, found };
            Err((problem, place, Some(thread)))
        };
        if !same(&event.action, &request.action) {
            let before = match event.place.is_known() {
                false => String::new(),
                true => format!(" at {}", event.place),
            };
            return nondeterminism(format!("{}{before}", event.action), request.action.to_string());
        }
        if event.loc().is_none() {
            return Ok(());
        }
        let initial = event.action.loc().map_or(0, |loc| self.program.initial(loc));
        let read = match event.source {
            Source::Event(write) => self.graph.event(write).written.unwrap_or_default(),
            Source::Init => initial,
            Source::Choice(choice) => u64::from(choice),
            Source::Nothing => 0,
        };
        let passed = self.graph.pass(&request.action, event.source, initial);
        let (written, waits) = effect(&request.action, event.source, read).unwrap_or((None, event.waiting));
        let (read, written) = passed.unwrap_or((read, written));
        let values = Values { read, written, initial };
        if event.waiting != waits || event.written.is_some() != values.written.is_some() {
            let what = event.action.to_string();
            let other = if values.written.is_some() { "succeeds" } else { "fails" };
            return nondeterminism(what.clone(), format!("{what} that {other}"));
        }
        self.graph.set_values(id, values, request);
        Ok(())
    }

    /// The thread of an event goes on from it.
    pub(super) fn settle(&mut self, id: EventId) {
        let event = self.graph.event(id);
        let (thread, place, waiting) = (event.thread, event.place, event.waiting);
        let plain = event.is_plain();
        let mut state = if waiting { State::Waiting(place) } else { State::Running };
        match event.action {
            Action::Release { loc, .. } if waiting => state = State::Claiming(loc),
            Action::End => state = State::Ended,
            _ => {}
        }
        let answer = answer(event);
        if let Answer::Thread(child) = answer {
            self.begin(child);
            self.runner(thread).children += 1;
            self.program.spawn(thread, child);
        }
        let runner = self.runner(thread);
        (runner.answer, runner.state, runner.yields) = (answer, state, false);
        if plain && !self.memory.has_races() {
            self.look_ahead(id);
        }
    }

    /// The thread of an event goes on to its next operation, which it does later. What Rust code does to memory in a plain access it does behind the
    /// event: where accesses need not be ordered, before any other thread goes on.
    fn look_ahead(&mut self, id: EventId) {
        let Event { thread, index, .. } = *self.graph.event(id);
        let next = self.graph.thread(thread).get(index as usize + 1).copied();
        let known = next.and_then(|next| self.graph.event(next).loc());
        let fresh = known.unwrap_or(LocId::from_index(self.fresh as usize));
        let request = self.resume(thread, fresh);
        self.fresh += u32::from(known.is_none() && request.action.loc() == Some(fresh));
        self.runner(thread).pending = Some(request);
    }

    /// Goes on to the end of an execution. None if the run is to be begun again.
    fn extend(&mut self) -> Result<Option<Outcome>, Failed> {
        if self.guide.is_none() {
            for i in 0..self.order.len() {
                if self.spins_on(self.order[i]).is_none() {
                    return Ok(None);
                }
            }
        }
        loop {
            if self.frees {
                return Ok(Some(Outcome::Freed));
            }
            if self.gives_up && self.graph.len() > LONGEST_EXACT && self.memory.is_hard() {
                self.gave_up = true;
                return Ok(Some(Outcome::Blocked));
            }
            match self.turn()? {
                _ if self.poll().is_some() => return Ok(Some(Outcome::Blocked)),
                Turn::Done => {}
                Turn::Again => return Ok(None),
                Turn::Stale(stale) => return Ok(Some(Outcome::Stale(stale))),
                Turn::None => match self.standstill() {
                    Standstill::GoesOn => {}
                    Standstill::Again => return Ok(None),
                    Standstill::Continued => return Ok(Some(Outcome::Continued)),
                    Standstill::Elsewhere => return Ok(Some(Outcome::Elsewhere)),
                    Standstill::End => return self.end().map(Some),
                },
            }
        }
    }

    /// The next event of the execution.
    fn turn(&mut self) -> Result<Turn, Failed> {
        if let Some(guide) = &mut self.guide {
            guide.order(&mut self.order, &self.graph);
        }
        for i in 0..self.order.len() {
            let thread = self.order[i];
            match self.advance(thread)? {
                Turn::None => {}
                turn => return Ok(turn),
            }
        }
        Ok(Turn::None)
    }

    /// A thread does its next operation, if it can.
    fn advance(&mut self, thread: ThreadId) -> Result<Turn, Failed> {
        let mut yields = 0;
        loop {
            let state = self.runner(thread).state;
            match state {
                State::Running => {}
                State::Claiming(loc) if self.program.handles(loc) == 0 => {
                    let last = *self.graph.thread(thread).last().expect("it claims");
                    let mut event = self.graph.event(last).clone();
                    (event.source, event.waiting) = (Source::Choice(1), false);
                    self.place(&mut event);
                    self.add(event);
                    self.settle(EventId(self.graph.len() as u32 - 1));
                    return Ok(Turn::Done);
                }
                _ => return Ok(Turn::None),
            }
            if self.is_stuck_as_before(thread) {
                return Ok(Turn::None);
            }
            let request = match self.runner(thread).pending.take() {
                Some(request) => request,
                None => {
                    let fresh = LocId::from_index(self.fresh as usize);
                    let request = self.resume(thread, fresh);
                    self.fresh += u32::from(request.action.loc() == Some(fresh));
                    request
                }
            };
            match request.action {
                Action::Join { thread: child } if !self.has_ended(child) => {
                    self.runner(thread).pending = Some(request);
                    return Ok(Turn::None);
                }
                Action::Block => self.runner(thread).state = State::Stopped,
                Action::Fail(problem) => return Err((problem, request.place, Some(thread))),
                // It has nothing to wait for: a loop without an operation.
                Action::Yield if yields == MOST_YIELDS => {
                    return Err((Problem::TooLong { thread, reads: None }, request.place, Some(thread)));
                }
                Action::Yield => match self.passes(thread, request.place) {
                    Some(true) => {
                        yields += 1;
                        self.runner(thread).yields = true;
                    }
                    Some(false) => {
                        self.runner(thread).state = State::Spinning(request.place);
                        let since = self.runner(thread).since as usize;
                        if let Some(&first) = self.graph.thread(thread).get(since) {
                            self.bound.add_loop(self.graph.event(first).place);
                        }
                        if let Some(stale) = self.is_stale(thread) {
                            return Ok(Turn::Stale(stale));
                        }
                    }
                    None => return Ok(Turn::Again),
                },
                _ => {
                    if self.graph.len() >= self.options.max_events {
                        let reads = self.read_again(thread);
                        return Err((Problem::TooLong { thread, reads }, request.place, Some(thread)));
                    }
                    if !self.perform(thread, &request)? {
                        let stuck = self.changes_awaited(&request.action);
                        let runner = self.runner(thread);
                        (runner.pending, runner.stuck) = (Some(request), stuck);
                        return Ok(Turn::None);
                    }
                    self.settle(EventId(self.graph.len() as u32 - 1));
                    if self.guide.is_some() {
                        self.stop_spinning();
                    } else if self.spins_on(thread).is_none() {
                        return Ok(Turn::Again);
                    }
                    return Ok(Turn::Done);
                }
            }
        }
    }

    /// What an operation that waits outside of a guided execution waits for: that its location changes more often than now. A plain one may race with
    /// what comes, and a seq_cst one that looks again hears of others.
    fn changes_awaited(&self, action: &Action) -> Option<usize> {
        match *action {
            _ if self.guide.is_none() => None,
            Action::Await { loc, order, .. } | Action::AwaitRmw { loc, order, .. } => {
                let quiet = !matches!(order, Order::NonAtomic | Order::SeqCst);
                quiet.then(|| self.graph.changes(loc))
            }
            Action::Receive { loc, .. } => Some(self.graph.changes(loc)),
            _ => None,
        }
    }

    /// Whether the operation of a thread waits for a location that has not changed since it was last tried. Its thread has learned nothing either, so that it need
    /// not be tried.
    fn is_stuck_as_before(&mut self, thread: ThreadId) -> bool {
        let Some(runner) = &mut self.runners[thread.index()] else { return false };
        let Some(stuck) = runner.stuck else { return false };
        let loc = runner.pending.as_ref().and_then(|request| request.action.loc());
        if loc.is_some_and(|loc| self.graph.changes(loc) == stuck) {
            return true;
        }
        runner.stuck = None;
        false
    }

    /// Every thread has ended.
    pub(super) fn complete(&mut self) -> Result<Outcome, Failed> {
        let bound = self.options.max_preemptions.filter(|_| self.guide.is_none());
        if bound.is_some_and(|most| !self.is_within(most)) {
            return Ok(Outcome::Outside);
        }
        if self.probing {
            return Ok(Outcome::Complete);
        }
        match self.program.finish(&self.graph) {
            Ok(()) => Ok(Outcome::Complete),
            Err(problem) => Err((problem, Place::default(), None)),
        }
    }

    fn has_ended(&self, thread: ThreadId) -> bool {
        let runner = self.runners.get(thread.index()).and_then(Option::as_ref);
        runner.is_some_and(|runner| runner.state == State::Ended)
    }

    /// The location that a thread reads again and again.
    fn read_again(&self, thread: ThreadId) -> Option<LocId> {
        let events = self.graph.thread(thread);
        let last = self.graph.event(*events.last()?);
        let recent = events.iter().rev().take(32).map(|&id| self.graph.event(id));
        let same = recent.filter(|event| event.loc() == last.loc() && event.is_read()).count();
        last.loc().filter(|_| same >= 8)
    }
}

/// Whether a thread does what it did before.
pub(super) fn same(expected: &Action, found: &Action) -> bool {
    use Action::{Await, AwaitRmw, Choose, Fence, Join, Load, Receive, Release, Rmw, Send, Share, Store};
    match (expected, found) {
        (Load { loc, order }, Load { loc: l, order: o }) => loc == l && order == o,
        // Not the values: they may be addresses.
        (Store { loc, order, .. }, Store { loc: l, order: o, .. }) => loc == l && order == o,
        (Rmw { loc, order, .. }, Rmw { loc: l, order: o, .. }) => loc == l && order == o,
        (Fence { order }, Fence { order: o }) => order == o,
        (Await { loc, order, .. }, Await { loc: l, order: o, .. }) => loc == l && order == o,
        (AwaitRmw { loc, order, .. }, AwaitRmw { loc: l, order: o, .. }) => loc == l && order == o,
        (Join { thread }, Join { thread: t }) => thread == t,
        (Choose { options }, Choose { options: o }) => options == o,
        (Release { loc, .. }, Release { loc: l, .. }) | (Share { loc }, Share { loc: l }) => loc == l,
        (Send { loc, message, after }, Send { loc: l, message: m, after: a }) => {
            (loc, message.is_some(), after) == (l, m.is_some(), a)
        }
        (Receive { loc, after, waits }, Receive { loc: l, after: a, waits: w }) => {
            (loc, after, waits) == (l, a, w)
        }
        _ => std::mem::discriminant(expected) == std::mem::discriminant(found),
    }
}

/// What an access that reads this from there writes, and whether it waits. None if it is none.
pub(super) fn effect(action: &Action, source: Source, read: u64) -> Option<(Option<u64>, bool)> {
    match action {
        Action::Load { .. } => Some((None, false)),
        Action::Store { value, .. } => Some((Some(*value), false)),
        Action::Rmw { update, .. } => Some((update.of(read), false)),
        Action::Await { .. } | Action::AwaitRmw { .. } if matches!(source, Source::Choice(_)) => {
            Some((None, false))
        }
        Action::Await { .. } | Action::AwaitRmw { .. } if source == Source::Nothing => Some((None, true)),
        Action::AwaitRmw { update, .. } => Some((update.of(read), update.of(read).is_none())),
        Action::Await { until, .. } => Some((None, !until.of(read))),
        _ => None,
    }
}

/// What the thread of an event is told.
pub(super) fn answer(event: &Event) -> Answer {
    match event.action {
        _ if event.timed_out() => Answer::TimedOut,
        Action::Load { .. }
        | Action::Rmw { .. }
        | Action::Await { .. }
        | Action::AwaitRmw { .. }
        | Action::Choose { .. }
        | Action::Send { .. } => Answer::Value(event.read),
        Action::Receive { .. } => Answer::Value(match (event.source, event.written) {
            (Source::Choice(_), _) => DISCONNECTED,
            (_, Some(_)) => EMPTY,
            _ => event.read,
        }),
        Action::Release { .. } => Answer::Value(u64::from(event.source == Source::Choice(1))),
        Action::Spawn => Answer::Thread(ThreadId::from_index(event.read as usize)),
        _ => Answer::Done,
    }
}

pub(super) fn operands(action: &Action) -> Option<[u64; 2]> {
    match action {
        Action::Rmw { update, .. } => Some(update.operands),
        _ => None,
    }
}

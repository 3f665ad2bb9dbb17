//! A run of the program: what is to be tried, and on from there to the end of an execution.

use super::guide::Guide;
use super::memory::Memory;
use super::revisit::Try;
use super::threads::Threads;
use crate::graph::{Event, EventId, Graph, Source, Values};
use crate::options::Options;
use crate::program::{Action, Answer, Place, Program, Request};
use crate::report::Problem;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use tribunal::memory::{LocId, ThreadId};
use tribunal::session::NoSession;

/// How often a loop must come round again, having read the same, to be taken for one that waits.
const ROUNDS: usize = 3;

/// A thread in a run.
#[derive(Debug)]
struct Runner {
    /// The operation that it is about to do.
    pending: Option<Request>,
    /// The answer to its last one.
    answer: Answer,
    state: State,
    /// How many events it had at its last yield.
    since: u32,
    /// How many threads it has made.
    children: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
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
    Failed { problem: Problem, place: Place, thread: Option<ThreadId> },
}

/// What came of a thread's turn.
enum Turn {
    /// It did something.
    Done,
    /// It cannot go on.
    None,
    /// The run is to be begun again, with what was learnt.
    Again,
}

type Failed = (Problem, Place, Option<ThreadId>);

/// What runs executions one after the other.
pub(super) struct Worker<'a, P> {
    pub(super) program: P,
    options: &'a Options,
    pub(super) graph: Graph,
    memory: Memory,
    pub(super) threads: Threads,
    runners: Vec<Option<Runner>>,
    /// The threads of the run, in the order of spawns.
    order: Vec<ThreadId>,
    /// The next location to be given.
    fresh: u32,
    stamp: u32,
    /// What is to be tried instead of what this run does.
    pub(super) todo: Vec<Try>,
    /// By a thread and what it was told: whether a yield ends an iteration of a loop that waits.
    loops: FxHashMap<u64, bool>,
    /// Who decides in executions that are not part of a search.
    pub(super) guide: Option<Box<dyn Guide + 'a>>,
    /// Room.
    pub(super) new_places: Vec<u32>,
    pub(super) preference: Vec<Source>,
    found: Vec<Source>,
}

impl<'a, P: Program> Worker<'a, P> {
    pub(super) fn new(program: P, options: &'a Options, threads: Threads) -> Result<Self, NoSession> {
        Ok(Worker {
            program,
            options,
            graph: Graph::default(),
            memory: Memory::new(options.model)?,
            threads,
            runners: Vec::new(),
            order: Vec::new(),
            fresh: 0,
            stamp: 0,
            todo: Vec::new(),
            loops: FxHashMap::default(),
            guide: None,
            new_places: Vec::new(),
            preference: Vec::new(),
            found: Vec::new(),
        })
    }

    /// Makes the graph these events: what it has in common with them stays.
    pub(super) fn adopt(&mut self, events: &[Event]) {
        let same = |(a, b): &(&Event, &Event)| {
            a.thread == b.thread && a.source == b.source && a.waiting == b.waiting && a.stamp == b.stamp
        };
        let common = self.graph.events().iter().zip(events).take_while(same).count();
        self.truncate(common);
        // Values are those of one and the same run.
        for (i, event) in events[..common].iter().enumerate() {
            self.graph.renew(EventId(i as u32), event);
        }
        for event in &events[common..] {
            let pushed = self.push(event.clone());
            debug_assert!(pushed, "a prefix of a consistent execution is consistent");
        }
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.memory.truncate(&self.graph, length);
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

    /// Gives an event that reads another source: what it reads, what it writes and whether it waits follow.
    pub(super) fn redirect(&self, event: &mut Event, source: Source) {
        event.source = source;
        event.waiting = false;
        if !event.is_read() {
            if let Source::Choice(choice) = source {
                event.read = u64::from(choice);
            }
            return;
        }
        event.written = None;
        event.read = match source {
            Source::Nothing => 0,
            _ => self.value(event, source),
        };
        match event.action {
            Action::Rmw { update, .. } => event.written = update.of(event.read),
            Action::AwaitRmw { update, .. } => {
                event.written = update.of(event.read);
                event.waiting = event.written.is_none();
            }
            Action::Await { until, .. } => event.waiting = source == Source::Nothing || !until.of(event.read),
            _ => {}
        }
    }

    fn value(&self, event: &Event, source: Source) -> u64 {
        match source {
            Source::Event(write) => self.graph.event(write).written.unwrap_or_default(),
            _ => event.initial,
        }
    }

    /// Whether an event may read from a write, and goes on if it does.
    pub(super) fn may_take(&mut self, event: &Event, source: Source) -> bool {
        let Some(loc) = event.loc() else { return false };
        let value = self.value(event, source);
        let (order, rmw) = match event.action {
            Action::Load { order, .. } => (order, false),
            Action::Rmw { order, failure, update, .. } => match update.of(value) {
                Some(_) => (order, true),
                None => (failure, false),
            },
            Action::Await { order, until, .. } if until.of(value) => (order, false),
            Action::AwaitRmw { order, update, .. } if update.of(value).is_some() => (order, true),
            _ => return false,
        };
        self.memory.admits(event.thread, loc, source, order, rmw)
    }

    /// Whether an event goes on if it reads from a write.
    pub(super) fn lets_go_on(&self, event: &Event, source: Source) -> bool {
        match event.action {
            Action::Await { until, .. } => source != Source::Nothing && until.of(self.value(event, source)),
            Action::AwaitRmw { update, .. } => update.of(self.value(event, source)).is_some(),
            _ => true,
        }
    }

    /// Whether an RMW may wait behind a write: it may read from it, though it cannot go on, and neither another RMW nor the
    /// write's own thread overwrites it.
    pub(super) fn may_wait_behind(&mut self, event: &Event, source: Source) -> bool {
        let (Some(loc), Some(order)) = (event.loc(), event.order()) else { return false };
        !self.lets_go_on(event, source)
            && self.taker(loc, source).is_none()
            && !self.is_overwritten(loc, source)
            && self.memory.admits(event.thread, loc, source, order, false)
    }

    /// Whether the thread of a write has written the location again.
    fn is_overwritten(&self, loc: LocId, source: Source) -> bool {
        let Source::Event(write) = source else { return false };
        let write = self.graph.event(write);
        self.graph.accesses(loc).writes.iter().any(|&other| {
            let other = self.graph.event(other);
            other.thread == write.thread && other.index > write.index
        })
    }

    /// The RMW that reads from a write.
    fn taker(&self, loc: LocId, source: Source) -> Option<EventId> {
        let mut reads = self.graph.accesses(loc).reads.iter().copied();
        reads.find(|&read| {
            let reader = self.graph.event(read);
            reader.source == source && reader.written.is_some()
        })
    }

    /// Whether a thread may read from a write whatever others do: each write of the location that happens before the thread's next event comes before it
    /// in mo, by program order and RMWs alone.
    fn stays_readable(&self, event: &Event, source: Source) -> bool {
        let Some(loc) = event.loc() else { return false };
        let mut before = Vec::new();
        let mut at = source;
        while let Source::Event(write) = at {
            before.push(write);
            let written = self.graph.event(write);
            at = match written.action {
                Action::Store { .. } => {
                    let writes = self.graph.accesses(loc).writes.iter().copied();
                    let mut own = writes.filter(|&other| {
                        let other = self.graph.event(other);
                        other.thread == written.thread && other.index < written.index
                    });
                    own.next_back().map_or(Source::Init, Source::Event)
                }
                _ => written.source,
            };
        }
        self.graph.accesses(loc).writes.iter().all(|&write| {
            let by = self.graph.event(write).thread;
            before.contains(&write) || !self.memory.happens_before(write, by, event.thread)
        })
    }

    /// Adds an event to the execution, and what it makes possible to what is to be tried. Says whether the model lets it.
    pub(super) fn add(&mut self, event: Event) -> bool {
        let id = EventId(self.graph.len() as u32);
        if !self.push(event) {
            return false;
        }
        if self.guide.is_none() {
            self.revisit(id);
        }
        true
    }

    /// The write at `id` tries every read of its location that is not before it.
    fn revisit(&mut self, id: EventId) {
        let event = self.graph.event(id);
        let (Some(loc), Some(value)) = (event.loc(), event.written) else { return };
        for &read in &self.graph.accesses(loc).reads {
            if read == id || self.graph.is_before(read, id) {
                continue;
            }
            let reader = self.graph.event(read);
            let useful = match reader.action {
                Action::Await { until, .. } => until.of(value),
                Action::AwaitRmw { update, .. } => update.of(value).is_some(),
                _ => !reader.is_plain() || self.options.allow_races,
            };
            if useful {
                self.todo.push(Try::Backward { at: id, source: event.source, read });
            }
        }
    }

    /// An RMW would read what another one reads already: what it makes possible if that one goes.
    fn revisit_from_taken(&mut self, event: &Event, source: Source, taken_by: EventId) {
        let at = EventId(self.graph.len() as u32);
        let Some(loc) = event.loc() else { return };
        let before = |graph: &Graph, other: &Event| {
            graph.before_next(event.thread, other.thread) > other.index
                || matches!(source, Source::Event(from) if graph.has_before(other, from))
        };
        let taker = self.graph.event(taken_by);
        if before(&self.graph, taker) {
            return;
        }
        let mut written = event.clone();
        self.redirect(&mut written, source);
        let Some(value) = written.written else { return };
        for &read in &self.graph.accesses(loc).reads {
            let reader = self.graph.event(read);
            if before(&self.graph, reader) || reader.stamp > taker.stamp {
                continue;
            }
            let useful = match reader.action {
                _ if read == taken_by => true,
                Action::Await { until, .. } => until.of(value),
                Action::AwaitRmw { update, .. } => update.of(value).is_some(),
                _ => true,
            };
            if useful {
                self.todo.push(Try::Backward { at, source, read });
            }
        }
    }

    /// Runs the program along the graph and on to the end of an execution.
    pub(super) fn run(&mut self) -> Outcome {
        let (length, todo) = (self.graph.len(), self.todo.len());
        loop {
            let ended = self.replay().and_then(|()| self.extend());
            match ended {
                Ok(Some(outcome)) => return outcome,
                Ok(None) => {
                    self.truncate(length);
                    self.todo.truncate(todo);
                }
                Err((problem, place, thread)) => return Outcome::Failed { problem, place, thread },
            }
        }
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
        });
        let place = self.order.partition_point(|&other| self.threads.compare(other, thread).is_lt());
        self.order.insert(place, thread);
    }

    fn runner(&mut self, thread: ThreadId) -> &mut Runner {
        self.runners[thread.index()].as_mut().expect("a thread is spawned before it runs")
    }

    fn resume(&mut self, thread: ThreadId, fresh: LocId) -> Request {
        let answer = std::mem::replace(&mut self.runner(thread).answer, Answer::Done);
        self.program.resume(thread, answer, fresh)
    }

    /// Runs the program along the graph.
    fn replay(&mut self) -> Result<(), Failed> {
        self.program.start();
        self.order.clear();
        self.runners.iter_mut().for_each(|runner| *runner = None);
        self.begin(ThreadId::from_index(0));
        (self.fresh, self.stamp) = (0, 0);
        for i in 0..self.graph.len() {
            let event = &self.graph.events()[i];
            let (thread, index) = (event.thread, event.index);
            let fresh = event.loc().unwrap_or(LocId::from_index(self.fresh as usize));
            self.stamp = self.stamp.max(event.stamp + 1);
            if let Some(loc) = event.loc() {
                self.fresh = self.fresh.max(loc.index() as u32 + 1);
            }
            let granted = matches!(self.runner(thread).state, State::Claiming(_));
            if !granted {
                let mut request = self.resume(thread, fresh);
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
            return nondeterminism(describe(&event.action), describe(&request.action));
        }
        if event.loc().is_none() {
            return Ok(());
        }
        let mut values = Values {
            initial: event.action.loc().map_or(0, |loc| self.program.initial(loc)),
            ..Values::default()
        };
        values.read = match event.source {
            Source::Event(write) => self.graph.event(write).written.unwrap_or_default(),
            Source::Init => values.initial,
            Source::Choice(choice) => u64::from(choice),
            Source::Nothing => 0,
        };
        let waits = match request.action {
            Action::Store { value, .. } => {
                values.written = Some(value);
                false
            }
            Action::Rmw { update, .. } => {
                values.written = update.of(values.read);
                false
            }
            Action::AwaitRmw { update, .. } => {
                values.written = update.of(values.read);
                values.written.is_none()
            }
            Action::Await { until, .. } => event.source == Source::Nothing || !until.of(values.read),
            _ => event.waiting,
        };
        if event.waiting != waits || event.written.is_some() != values.written.is_some() {
            let what = describe(&event.action);
            let other = if values.written.is_some() { "succeeds" } else { "fails" };
            return nondeterminism(what.clone(), format!("{what} that {other}"));
        }
        self.graph.set_values(id, values, request);
        Ok(())
    }

    /// The thread of an event goes on from it.
    fn settle(&mut self, id: EventId) {
        let event = self.graph.event(id);
        let (thread, read, place, waiting) = (event.thread, event.read, event.place, event.waiting);
        let mut state = if waiting { State::Waiting(place) } else { State::Running };
        let answer = match event.action {
            Action::Load { .. }
            | Action::Rmw { .. }
            | Action::Await { .. }
            | Action::AwaitRmw { .. }
            | Action::Choose { .. } => Answer::Value(read),
            Action::Release { loc, .. } => {
                if waiting {
                    state = State::Claiming(loc);
                }
                Answer::Value(u64::from(matches!(event.source, Source::Choice(1))))
            }
            Action::Spawn => Answer::Thread(ThreadId::from_index(read as usize)),
            Action::End => {
                state = State::Ended;
                Answer::Done
            }
            _ => Answer::Done,
        };
        if let Answer::Thread(child) = answer {
            self.begin(child);
            self.runner(thread).children += 1;
            self.program.spawn(thread, child);
        }
        let runner = self.runner(thread);
        (runner.answer, runner.state) = (answer, state);
    }

    /// Goes on to the end of an execution. None if the run is to be begun again.
    fn extend(&mut self) -> Result<Option<Outcome>, Failed> {
        loop {
            match self.turn()? {
                Turn::Done => {}
                Turn::Again => return Ok(None),
                Turn::None if self.guide.is_some() && self.is_any_spinning() && !self.is_stuck() => {
                    self.stop_spinning();
                }
                Turn::None => return self.end().map(Some),
            }
        }
    }

    fn is_any_spinning(&self) -> bool {
        self.runners.iter().flatten().any(|runner| matches!(runner.state, State::Spinning(_)))
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
            if self.runner(thread).pending.is_none() {
                let fresh = LocId::from_index(self.fresh as usize);
                let request = self.resume(thread, fresh);
                self.fresh += u32::from(request.action.loc() == Some(fresh));
                self.runner(thread).pending = Some(request);
            }
            let Some(request) = self.runner(thread).pending.take() else { return Ok(Turn::None) };
            match request.action {
                Action::Join { thread: child } if !self.has_ended(child) => {
                    self.runner(thread).pending = Some(request);
                    return Ok(Turn::None);
                }
                Action::Block => self.runner(thread).state = State::Stopped,
                Action::Fail(problem) => return Err((problem, request.place, Some(thread))),
                Action::Yield => match self.passes(thread, request.place) {
                    Some(true) => {}
                    Some(false) => self.runner(thread).state = State::Spinning(request.place),
                    None => return Ok(Turn::Again),
                },
                _ => {
                    if self.graph.len() >= self.options.max_events {
                        let reads = self.read_again(thread);
                        return Err((Problem::TooLong { thread, reads }, request.place, Some(thread)));
                    }
                    if !self.perform(thread, &request)? {
                        self.runner(thread).pending = Some(request);
                        return Ok(Turn::None);
                    }
                    self.settle(EventId(self.graph.len() as u32 - 1));
                    if self.guide.is_some() {
                        self.stop_spinning();
                    }
                    return Ok(Turn::Done);
                }
            }
        }
    }

    /// In a guided execution, threads that wait in loops look again.
    fn stop_spinning(&mut self) {
        for &thread in &self.order {
            let count = self.graph.thread(thread).len() as u32;
            if let Some(runner) = &mut self.runners[thread.index()]
                && let State::Spinning(_) = runner.state
            {
                (runner.state, runner.since) = (State::Running, count);
            }
        }
    }

    fn has_ended(&self, thread: ThreadId) -> bool {
        let runner = self.runners.get(thread.index()).and_then(Option::as_ref);
        runner.is_some_and(|runner| runner.state == State::Ended)
    }

    /// Where an event goes that is added now.
    fn place(&mut self, event: &mut Event) {
        event.index = self.graph.thread(event.thread).len() as u32;
        event.stamp = self.stamp;
        self.stamp += 1;
    }

    /// Adds the event of a request. Says whether there is one: in guided executions a thread that waits does nothing.
    fn perform(&mut self, thread: ThreadId, request: &Request) -> Result<bool, Failed> {
        let loc = request.action.loc();
        let mut event = Event {
            thread,
            index: 0,
            action: request.action.clone(),
            place: request.place,
            source: Source::Nothing,
            read: 0,
            written: None,
            waiting: false,
            initial: loc.map_or(0, |loc| self.program.initial(loc)),
            stamp: 0,
        };
        match event.action {
            Action::Store { value, .. } => {
                event.written = Some(value);
                self.look_for_race(&event, true)?;
            }
            Action::Load { .. } | Action::Rmw { .. } | Action::Await { .. } | Action::AwaitRmw { .. } => {
                let writes = matches!(event.action, Action::Rmw { .. } | Action::AwaitRmw { .. });
                self.look_for_race(&event, writes)?;
                let source = self.pick_source(&event);
                if source == Source::Nothing && self.guide.is_some() {
                    return Ok(false);
                }
                self.redirect(&mut event, source);
            }
            Action::Choose { options } => self.pick_choice(&mut event, options),
            Action::Release { loc, others } => {
                let claimed = self.graph.accesses(loc).releases.iter();
                let claimed = claimed.into_iter().any(|&release| self.graph.event(release).waiting);
                let last = others == 0 && !claimed;
                event.source = Source::Choice(u32::from(last));
                if last && self.guide.is_none() {
                    self.try_other_last(loc);
                }
            }
            Action::Spawn => {
                let made = self.runner(thread).children;
                event.read = self.threads.child(thread, made).index() as u64;
            }
            Action::Join { thread: child } => {
                event.source =
                    self.graph.thread(child).last().map_or(Source::Nothing, |&end| Source::Event(end));
            }
            _ => {}
        }
        self.place(&mut event);
        let added = self.add(event);
        debug_assert!(added, "what was picked is consistent");
        Ok(true)
    }

    /// Every other handle may have been the last to be given up, if it is not before another.
    fn try_other_last(&mut self, loc: LocId) {
        let at = EventId(self.graph.len() as u32);
        let releases = &self.graph.accesses(loc).releases;
        for &release in releases {
            let before = |&other: &EventId| other != release && self.graph.is_before(release, other);
            if !releases.iter().any(before) {
                self.todo.push(Try::Last { at, release });
            }
        }
    }

    /// Picks what an event reads from; what else it may read from is to be tried.
    fn pick_source(&mut self, event: &Event) -> Source {
        let (Some(loc), Some(order)) = (event.loc(), event.order()) else { return Source::Nothing };
        let mut found = std::mem::take(&mut self.found);
        self.memory.candidates(event.thread, loc, order, false, &mut found);
        let at = EventId(self.graph.len() as u32);
        found.retain(|&source| {
            if let Action::Load { .. } = event.action {
                return true;
            }
            let may = self.may_take(event, source);
            if !may
                && self.guide.is_none()
                && let Some(taker) = self.taker(loc, source)
            {
                self.revisit_from_taken(event, source, taker);
            }
            may
        });
        self.sort_by_preference(&mut found);
        if self.guide.is_none()
            && matches!(event.action, Action::Await { .. } | Action::AwaitRmw { .. })
            && !found.iter().any(|&source| self.stays_readable(event, source))
        {
            found.extend(self.preferred_wait(event));
        }
        let picked = match &mut self.guide {
            Some(guide) if !found.is_empty() => guide.pick(event, &found, &self.graph),
            _ => found.first().copied().unwrap_or(Source::Nothing),
        };
        if self.guide.is_none() {
            self.todo.extend(found.iter().skip(1).map(|&source| Try::Forward { at, source }));
        }
        self.found = found;
        picked
    }

    /// How an event waits, if it does.
    pub(super) fn preferred_wait(&mut self, event: &Event) -> Option<Source> {
        match event.action {
            Action::AwaitRmw { loc, .. } => {
                let mut writes = std::mem::take(&mut self.preference);
                self.by_preference(loc, &mut writes);
                let found = writes.iter().copied().find(|&source| self.may_wait_behind(event, source));
                self.preference = writes;
                found
            }
            _ => Some(Source::Nothing),
        }
    }

    fn pick_choice(&mut self, event: &mut Event, options: u32) {
        let at = EventId(self.graph.len() as u32);
        let picked = match &mut self.guide {
            Some(guide) => {
                let choices: Vec<Source> = (0..options).map(Source::Choice).collect();
                guide.pick(event, &choices, &self.graph)
            }
            None => {
                let others = (1..options).map(Source::Choice);
                self.todo.extend(others.map(|source| Try::Forward { at, source }));
                Source::Choice(0)
            }
        };
        self.redirect(event, picked);
    }

    /// Whether an access races with one before.
    fn look_for_race(&self, event: &Event, writes: bool) -> Result<(), Failed> {
        let Some(loc) = event.loc() else { return Ok(()) };
        let accesses = self.graph.accesses(loc);
        let plain = event.is_plain();
        if self.options.allow_races || !plain && accesses.plain == 0 {
            return Ok(());
        }
        let reads = accesses.reads.iter().filter(|_| writes);
        for &other in accesses.writes.iter().chain(reads) {
            let before = self.graph.event(other);
            if before.thread != event.thread
                && (plain || before.is_plain())
                && !before.waiting
                && !self.memory.happens_before(other, before.thread, event.thread)
            {
                let problem = Problem::Race { first: other, second: EventId(self.graph.len() as u32) };
                return Err((problem, event.place, Some(event.thread)));
            }
        }
        Ok(())
    }

    /// Whether a thread goes on from a yield. Not so if it is in a loop that reads the same again, and changes nothing, as often as it
    /// is tried. None if it was tried and goes on: then the run is to be begun again.
    fn passes(&mut self, thread: ThreadId, place: Place) -> Option<bool> {
        let since = self.runner(thread).since as usize;
        let events = self.graph.thread(thread);
        let iteration: Vec<Event> = events[since..].iter().map(|&id| self.graph.event(id).clone()).collect();
        let idle = |event: &Event| match event.action {
            Action::Load { .. } | Action::Fence { .. } | Action::Await { .. } => true,
            Action::Rmw { .. } => event.written.is_none_or(|written| written == event.read),
            _ => false,
        };
        let waits = iteration.iter().any(Event::is_read) && iteration.iter().all(idle);
        let count = events.len() as u32;
        if waits && self.guide.is_some() {
            return Some(false);
        }
        if !waits {
            self.runner(thread).since = count;
            return Some(true);
        }
        let key = self.history(thread, place);
        let waits = match self.loops.get(&key) {
            Some(&waits) => waits,
            None => {
                let waits = (0..ROUNDS).all(|_| self.comes_round(thread, &iteration));
                self.loops.insert(key, waits);
                if !waits {
                    return None;
                }
                waits
            }
        };
        if !waits {
            self.runner(thread).since = count;
        }
        Some(!waits)
    }

    /// What a thread was told until now.
    fn history(&self, thread: ThreadId, place: Place) -> u64 {
        let mut hasher = FxHasher::default();
        (thread, place).hash(&mut hasher);
        for &id in self.graph.thread(thread) {
            let event = self.graph.event(id);
            (event.read, event.written, event.waiting).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Whether a thread does the same again, told the same.
    fn comes_round(&mut self, thread: ThreadId, iteration: &[Event]) -> bool {
        let fresh = LocId::from_index(self.fresh as usize);
        for event in iteration {
            let request = self.resume(thread, fresh);
            if !same(&event.action, &request.action) || operands(&event.action) != operands(&request.action) {
                return false;
            }
            self.runner(thread).answer = match event.action {
                Action::Fence { .. } => Answer::Done,
                _ => Answer::Value(event.read),
            };
        }
        matches!(self.resume(thread, fresh).action, Action::Yield)
    }

    /// The location that a thread reads again and again.
    fn read_again(&self, thread: ThreadId) -> Option<LocId> {
        let events = self.graph.thread(thread);
        let last = self.graph.event(*events.last()?);
        let recent = events.iter().rev().take(32).map(|&id| self.graph.event(id));
        let same = recent.filter(|event| event.loc() == last.loc() && event.is_read()).count();
        last.loc().filter(|_| same >= 8)
    }

    /// No thread can go on.
    fn end(&mut self) -> Result<Outcome, Failed> {
        let state = |thread: &ThreadId| self.runners[thread.index()].as_ref().map(|runner| runner.state);
        if self.order.iter().all(|thread| state(thread) == Some(State::Ended)) {
            return match self.program.finish(&self.graph) {
                Ok(()) => Ok(Outcome::Complete),
                Err(problem) => Err((problem, Place::default(), None)),
            };
        }
        let claims = |state| matches!(state, Some(State::Stopped | State::Claiming(_)));
        if self.order.iter().any(|thread| claims(state(thread))) || !self.is_stuck() {
            return Ok(Outcome::Blocked);
        }
        let mut waiting = Vec::new();
        let mut spinning = true;
        for &thread in &self.order {
            let Some(runner) = &self.runners[thread.index()] else { continue };
            match runner.state {
                State::Waiting(place) => (waiting.push((thread, place)), spinning = false).0,
                State::Spinning(place) => waiting.push((thread, place)),
                State::Ended => {}
                _ => waiting.push((
                    thread,
                    runner.pending.as_ref().map_or(Place::default(), |request| request.place),
                )),
            }
        }
        let (thread, place) = waiting[waiting.len() - 1];
        let problem = if spinning { Problem::Livelock { waiting } } else { Problem::Deadlock { waiting } };
        Err((problem, place, Some(thread)))
    }

    /// Whether what threads wait for will never come, however long they look: mo may end with what they have seen.
    fn is_stuck(&mut self) -> bool {
        // For each location that is waited for, the writes that are no help.
        let mut seen: Vec<(LocId, Vec<Source>)> = Vec::new();
        for &thread in &self.order {
            let Some(runner) = &self.runners[thread.index()] else { continue };
            let events = self.graph.thread(thread);
            match runner.state {
                State::Spinning(_) => {
                    for &id in &events[runner.since as usize..] {
                        let event = self.graph.event(id);
                        if let (true, Some(loc)) = (event.is_read(), event.loc()) {
                            let last = if event.written.is_some() { Source::Event(id) } else { event.source };
                            seen.push((loc, vec![last]));
                        }
                    }
                }
                State::Waiting(_) => {
                    let Some(&id) = events.last() else { continue };
                    let event = self.graph.event(id);
                    let Some(loc) = event.loc() else { continue };
                    let writes = self.graph.accesses(loc).writes.iter().map(|&write| Source::Event(write));
                    let useless = writes.chain([Source::Init]).filter(|&source| {
                        let value = self.value(event, source);
                        match event.action {
                            Action::Await { until, .. } => !until.of(value),
                            Action::AwaitRmw { update, .. } => update.of(value).is_none(),
                            _ => true,
                        }
                    });
                    let useless: Vec<Source> = useless.collect();
                    seen.push((loc, useless));
                }
                _ => {}
            }
        }
        let mut chosen = Vec::with_capacity(seen.len());
        self.may_end_with(&seen, &mut chosen)
    }

    fn may_end_with(&mut self, seen: &[(LocId, Vec<Source>)], chosen: &mut Vec<(LocId, Source)>) -> bool {
        let Some((loc, sources)) = seen.get(chosen.len()) else { return true };
        for &source in sources {
            chosen.push((*loc, source));
            if self.memory.may_be_last(chosen.iter().copied()) && self.may_end_with(seen, chosen) {
                return true;
            }
            chosen.pop();
        }
        false
    }
}

/// Whether a thread does what it did before.
fn same(expected: &Action, found: &Action) -> bool {
    use Action::{Await, AwaitRmw, Choose, Fence, Join, Load, Release, Rmw, Store};
    match (expected, found) {
        (Load { loc, order }, Load { loc: l, order: o }) => loc == l && order == o,
        (Store { loc, order, value }, Store { loc: l, order: o, value: v }) => {
            (loc, order, value) == (l, o, v)
        }
        (Rmw { loc, order, update, .. }, Rmw { loc: l, order: o, update: u, .. }) => {
            (loc, order, update.operands) == (l, o, u.operands)
        }
        (Fence { order }, Fence { order: o }) => order == o,
        (Await { loc, order, .. }, Await { loc: l, order: o, .. }) => loc == l && order == o,
        (AwaitRmw { loc, order, .. }, AwaitRmw { loc: l, order: o, .. }) => loc == l && order == o,
        (Join { thread }, Join { thread: t }) => thread == t,
        (Choose { options }, Choose { options: o }) => options == o,
        (Release { loc, .. }, Release { loc: l, .. }) => loc == l,
        _ => std::mem::discriminant(expected) == std::mem::discriminant(found),
    }
}

fn operands(action: &Action) -> Option<[u64; 2]> {
    match action {
        Action::Rmw { update, .. } => Some(update.operands),
        _ => None,
    }
}

fn describe(action: &Action) -> String {
    match action {
        Action::Load { order, .. } => format!("a load ({})", order.name()),
        Action::Store { order, value, .. } => format!("a store of {value} ({})", order.name()),
        Action::Rmw { order, .. } => format!("a read-modify-write ({})", order.name()),
        Action::Fence { order } => format!("a fence ({})", order.name()),
        Action::Await { .. } => "a wait".into(),
        Action::AwaitRmw { .. } => "a lock".into(),
        Action::Spawn => "a spawn".into(),
        Action::Join { .. } => "a join".into(),
        Action::Yield => "a yield".into(),
        Action::Choose { .. } => "a choice".into(),
        Action::Release { .. } => "a drop of a handle".into(),
        Action::Block => "a stop".into(),
        Action::Fail(_) => "a failure".into(),
        Action::End => "its end".into(),
    }
}

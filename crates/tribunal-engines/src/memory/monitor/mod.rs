//! Monitoring a memory: which event makes the execution inconsistent with its model?
//!
//! Events come as observed: those of a thread in program order, a read possibly before the write it reads from. A
//! [`Monitor`] puts them into an order that contains po and rf and passes them to a [`Session`]. A thread waits at a read until its write
//! arrives, for at most a window of events.
//!
//! The source of a read is given by its [`Source`], or by its value if no two writes of the location within the window of
//! the read wrote that value. If several writes of the value could be read, the read is
//! skipped: the other answers remain correct, and [`Monitor::unsettled`] counts it.
//!
//! | models | answers |
//! |---|---|
//! | ra, wra, relaxed; rc20 and rc11 without seq_cst; sra without RMWs | at once: the event named is the first that makes the execution inconsistent |
//! | sc, tso, pso; sra with RMWs; rc20 and rc11 with seq_cst | mostly at once; the rest is [settled](Monitor::finish) for the latest events, and anything undecided is reported |
//!
//! Writes that no thread can read any more are retired, so memory is bounded if threads keep up with each other. [Announce](Monitor::thread)
//! threads before events come: what a late thread reads may have been retired, and then the read is skipped.

mod recent;
mod values;

use crate::memory::session::{Because, NoSession, Refused, Session, WriteId};
use crate::memory::{judge, shrink};
use crate::{Part, Shrunk};
use recent::{Origin, Recent};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::fmt;
use tribunal_history::heap::{Heap, held};
use tribunal_history::limits::Limits;
use tribunal_history::memory::put_operation;
use tribunal_history::memory::{
    EventId, Execution, ExecutionBuilder, Kind, Label, LocId, Op, Order, Slot, Source, ThreadId,
};
use tribunal_history::model::Model;
use tribunal_history::verdict::{Limit, Verdict};
use values::{Key, Values, Written};

/// Monitors an execution of a memory.
///
/// ```
/// use tribunal::{Limits, Model, memory::{Op, Monitor}};
/// let mut monitor = Monitor::new(Model::Ra, 100)?;
/// let (t0, t1) = (monitor.thread("T0"), monitor.thread("T1"));
/// let (x, y) = (monitor.location("x", 0), monitor.location("y", 0));
/// // The flag is read before its write has come.
/// monitor.event(t1, Op::read(y, 1));
/// monitor.event(t1, Op::read(x, 0));
/// monitor.event(t0, Op::write(x, 1));
/// assert!(monitor.found().is_none());
/// monitor.event(t0, Op::write(y, 1));
/// let found = monitor.found().expect("T1 has seen the flag, and reads old data");
/// assert_eq!((found.event, found.slot.thread, found.slot.index), (1, t1, 1));
/// let shrunk = monitor.part(&found, &Limits::default()).expect("the events are there");
/// assert_eq!(shrunk.part.history.len(), 4);
/// # Ok::<(), tribunal::memory::NoSession>(())
/// ```
#[derive(Debug)]
pub struct Monitor {
    session: Session,
    window: u64,
    threads: Vec<Thread>,
    locations: Vec<Location>,
    values: Values,
    recent: Recent,
    /// The number of events that have come.
    arrived: u64,
    /// Threads that wait for a write that has not come, by when they began to.
    expiring: VecDeque<(u64, Pending)>,
    /// By the value they wait for, threads whose first event in line is a read of it.
    waiting: FxHashMap<Key, Vec<ThreadId>>,
    /// By thread, value and kind of access: which of several writes of the value it has looked at.
    looks: FxHashMap<(ThreadId, Key, Kind), Look>,
    /// Threads to go on with.
    ready: Vec<ThreadId>,
    /// The violation that was found and not yet asked for.
    found: Option<Violation>,
    unsettled: Unsettled,
    /// The number of events that are retired, how many were left then, and whether there is a write among them.
    retired: u64,
    left: u64,
    forgetful: bool,
    /// Whether seq_cst events and RMWs have come, which may keep the session from being exact.
    seq_cst: bool,
    rmws: bool,
    /// The number of events that had come when they were last settled.
    settled: u64,
}

#[derive(Debug)]
struct Thread {
    name: String,
    /// The number of its events that have come.
    arrived: u32,
    /// The events that have come and wait, the first of them for `awaits`.
    queue: VecDeque<Pending>,
    awaits: Option<Awaits>,
    /// Whether something had been retired when it came.
    late: bool,
}

#[derive(Debug)]
struct Location {
    name: String,
    init: u64,
}

/// An event that has come.
#[derive(Clone, Copy, Debug)]
struct Pending {
    op: Op,
    slot: Slot,
    /// The number of events that came before it.
    event: u64,
}

/// The thing that a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaits {
    /// A write that has not come.
    Arrival,
    /// A write that waits in the line of a thread.
    Turn(ThreadId),
}

/// Which of the writes of a value a thread may read. What it may not read once, it may not read later: with more events there are only
/// more constraints.
#[derive(Debug, Default)]
struct Look {
    /// The events that were looked at and are not refused whatever the order of the access is.
    open: Vec<u64>,
    /// Later events have not been looked at.
    next: u64,
}

/// An event that makes the execution inconsistent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The number of events that came before it.
    pub event: u64,
    /// Its place.
    pub slot: Slot,
    /// The reason why it does.
    pub why: Why,
    /// The origin that it reads from, and the number of events that had come.
    origin: Origin,
    end: u64,
}

/// The reason why an event makes an execution inconsistent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The session refuses it.
    Refused(Because),
    /// No write of the value it reads can still be read, and none arrived in time.
    Unwritten,
    /// po ∪ rf has a cycle.
    Cyclic,
    /// The engines for whole executions found it.
    Settled,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Refused(Because::Overwritten { .. } | Because::Gone) => {
                "what it reads is overwritten in its past"
            }
            Why::Refused(Because::Shared { .. }) => "another RMW reads from the same write",
            Why::Refused(Because::Cyclic) => "every order of the writes has a cycle with it",
            Why::Unwritten => {
                "no write that could still be read, nor one that came in time, wrote what it reads"
            }
            Why::Cyclic => "po ∪ rf has a cycle with it",
            Why::Settled => "no order of the writes explains it",
        })
    }
}

/// The events that a monitor could not decide.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unsettled {
    /// Reads that were skipped because several writes of their value could be read.
    pub ambiguous: u64,
    /// The first of them: the number of events before it.
    pub first_ambiguous: Option<u64>,
    /// Reads that were skipped because their thread came late and their source may have been retired.
    pub late: u64,
    /// The number of events at the beginning that were not settled beyond saturation.
    pub events: u64,
    /// The limit that was reached in settling.
    pub limit: Option<Limit>,
}

impl Unsettled {
    /// Whether everything was decided.
    pub fn is_empty(&self) -> bool {
        *self == Unsettled::default()
    }
}

/// Between two looks at what can be retired come at least so many events.
const RETIRE: u64 = 1 << 12;

/// The number of events that come before anything is settled, unless it is asked for.
const LEAST: u64 = 1 << 10;

impl Monitor {
    /// A monitor of rc20, rc11, ra, relaxed, wra, sra, sc, tso or pso, in which a read may come up to `window` events before its write.
    pub fn new(model: Model, window: u64) -> Result<Self, NoSession> {
        Ok(Monitor {
            session: Session::new(model)?,
            window,
            threads: Vec::new(),
            locations: Vec::new(),
            values: Values::default(),
            recent: Recent::default(),
            arrived: 0,
            expiring: VecDeque::new(),
            waiting: FxHashMap::default(),
            looks: FxHashMap::default(),
            ready: Vec::new(),
            found: None,
            unsettled: Unsettled::default(),
            retired: 0,
            left: 0,
            forgetful: false,
            seq_cst: false,
            rmws: false,
            settled: 0,
        })
    }

    /// A new thread.
    pub fn thread(&mut self, name: &str) -> ThreadId {
        let late = self.forgetful;
        self.threads.push(Thread {
            name: name.into(),
            arrived: 0,
            queue: VecDeque::new(),
            awaits: None,
            late,
        });
        self.session.thread()
    }

    /// A new location, with its initial value.
    pub fn location(&mut self, name: &str, init: u64) -> LocId {
        self.locations.push(Location { name: name.into(), init });
        self.session.location()
    }

    /// The number of events that have come.
    pub fn events(&self) -> u64 {
        self.arrived
    }

    /// The next event of its thread. Its location must belong to this monitor.
    pub fn event(&mut self, thread: ThreadId, op: Op) {
        let event = self.arrived;
        self.arrived += 1;
        self.seq_cst |= op.order == Order::SeqCst;
        self.rmws |= op.kind == Kind::Rmw;
        let state = &mut self.threads[thread.index()];
        let slot = Slot { thread, index: state.arrived };
        state.arrived += 1;
        self.recent.push(slot, op);
        let waits = state.awaits.is_some();
        if matches!(op.kind, Kind::Write | Kind::Rmw) {
            self.values.arrive((op.loc, op.value), slot, event);
            if !self.waiting.is_empty() {
                // Its readers know now whom they wait for.
                self.wake((op.loc, op.value));
            }
        }
        state_of(&mut self.threads, thread).queue.push_back(Pending { op, slot, event });
        if !waits {
            self.ready.push(thread);
        }
        self.go_on();
        self.expire(Some(self.window));
        if self.session.len() - self.retired >= 2 * self.left + RETIRE {
            self.retire();
        }
    }

    /// The next violation, if there is one. Call it after each event until it returns `None`. Where the answers are not exact, the
    /// [first](Self::first) event with which the execution is inconsistent may be an earlier one. The monitor stops at the violation, so that
    /// [`part`](Self::part) refers to it.
    pub fn found(&mut self) -> Option<Violation> {
        if self.found.is_none() {
            self.go_on();
            self.expire(Some(self.window));
        }
        self.found.take()
    }

    /// Goes on with all threads that can, up to a violation.
    fn go_on(&mut self) {
        while self.found.is_none()
            && let Some(thread) = self.ready.pop()
        {
            while let Some(&pending) = self.threads[thread.index()].queue.front() {
                if !self.step(pending) {
                    break;
                }
                self.threads[thread.index()].queue.pop_front();
                if self.found.is_some() {
                    self.ready.push(thread);
                    break;
                }
            }
        }
    }

    /// Takes an event into the execution, or passes it over; false if its thread has to wait.
    #[inline]
    fn step(&mut self, pending: Pending) -> bool {
        let Pending { op, slot, event } = pending;
        match op.kind {
            Kind::Fence => self.session.fence(slot.thread, op.order),
            Kind::Write => self.write(pending),
            Kind::Read | Kind::Rmw => match self.resolve(pending) {
                Origins::Write(from, origin) => {
                    self.recent.reads_from(event, origin);
                    let refused = match op.kind {
                        Kind::Rmw => match self.session.rmw(slot.thread, from, op.order) {
                            Ok(write) => {
                                self.written(pending, write);
                                None
                            }
                            Err(refused) => Some(refused),
                        },
                        _ => self.session.read(slot.thread, from, op.order).err(),
                    };
                    if let Some(Refused { because, .. }) = refused {
                        self.violation(pending, origin, Why::Refused(because));
                        self.pass_over(pending);
                    }
                }
                Origins::Several => {
                    self.unsettled.ambiguous += 1;
                    self.unsettled.first_ambiguous.get_or_insert(event);
                    self.pass_over(pending);
                }
                Origins::Gone => self.unwritten(pending),
                Origins::Awaited(awaits, origin) => {
                    self.recent.reads_from(event, origin);
                    return self.wait(pending, awaits, origin);
                }
            },
        }
        true
    }

    fn write(&mut self, pending: Pending) {
        let write = self.session.write(pending.slot.thread, pending.op.loc, pending.op.order);
        self.written(pending, write);
    }

    /// A write has had its turn.
    fn written(&mut self, Pending { op, event, .. }: Pending, write: WriteId) {
        let key = (op.loc, op.value);
        self.values.execute(key, event, write);
        if !self.waiting.is_empty() {
            self.wake(key);
        }
    }

    /// Those who wait for a value look again.
    fn wake(&mut self, key: Key) {
        for thread in self.waiting.remove(&key).unwrap_or_default() {
            self.threads[thread.index()].awaits = None;
            self.ready.push(thread);
        }
    }

    /// Lets a thread wait; false, unless it would wait for itself.
    fn wait(&mut self, pending: Pending, awaits: Awaits, origin: Origin) -> bool {
        let thread = pending.slot.thread;
        self.threads[thread.index()].awaits = Some(awaits);
        if self.is_in_cycle(thread) {
            self.threads[thread.index()].awaits = None;
            self.violation(pending, origin, Why::Cyclic);
            self.pass_over(pending);
            return true;
        }
        self.waiting.entry((pending.op.loc, pending.read())).or_default().push(thread);
        if awaits == Awaits::Arrival {
            self.expiring.push_back((self.arrived, pending));
        }
        false
    }

    /// Whether a thread waits for itself, by way of others.
    fn is_in_cycle(&self, start: ThreadId) -> bool {
        let mut at = start;
        for _ in &self.threads {
            match self.threads[at.index()].awaits {
                Some(Awaits::Turn(next)) if next == start => return true,
                Some(Awaits::Turn(next)) => at = next,
                Some(Awaits::Arrival) | None => return false,
            }
        }
        false
    }

    /// Skips reads that have waited for more than so many events, or for any, up to a violation.
    fn expire(&mut self, window: Option<u64>) {
        while self.found.is_none()
            && let Some(&(since, pending)) = self.expiring.front()
        {
            let state = &self.threads[pending.slot.thread.index()];
            let waits = state.awaits == Some(Awaits::Arrival)
                && state.queue.front().is_some_and(|head| head.event == pending.event);
            if waits && window.is_some_and(|window| self.arrived - since <= window) {
                return;
            }
            self.expiring.pop_front();
            if waits {
                self.give_up(pending);
            }
        }
    }

    /// A read's write has not come in time.
    fn give_up(&mut self, pending: Pending) {
        let thread = pending.slot.thread;
        let key = (pending.op.loc, pending.read());
        if let Some(waiting) = self.waiting.get_mut(&key) {
            waiting.retain(|&other| other != thread);
            if waiting.is_empty() {
                self.waiting.remove(&key);
            }
        }
        let state = state_of(&mut self.threads, thread);
        state.awaits = None;
        state.queue.pop_front();
        self.unwritten(pending);
        self.ready.push(thread);
        self.go_on();
    }

    /// There is nothing to read from.
    fn unwritten(&mut self, pending: Pending) {
        if self.threads[pending.slot.thread.index()].late {
            self.unsettled.late += 1;
        } else {
            self.violation(pending, Origin::Unknown, Why::Unwritten);
        }
        self.pass_over(pending);
    }

    fn violation(&mut self, Pending { slot, event, .. }: Pending, origin: Origin, why: Why) {
        self.found = Some(Violation { event, slot, why, origin, end: self.arrived });
    }

    /// Leaves an event out, except for what it writes.
    fn pass_over(&mut self, pending: Pending) {
        self.recent.reads_from(pending.event, Origin::Unknown);
        if pending.op.kind == Kind::Rmw {
            self.write(pending);
        }
    }

    /// The origins that a read or an RMW may read from.
    fn resolve(&mut self, Pending { op, slot, event: _ }: Pending) -> Origins {
        let (session, values) = (&mut self.session, &self.values);
        let read = if op.kind == Kind::Rmw { op.read } else { op.value };
        let key = (op.loc, read);
        let of = |written: Written| match written.write {
            Some(write) => Origins::Write(write, Origin::Event(written.event)),
            None => Origins::Awaited(Awaits::Turn(written.slot.thread), Origin::Event(written.event)),
        };
        let init = || session.initial(op.loc).map(|init| Origins::Write(init, Origin::Init));
        match op.source {
            Source::Init => return init().unwrap_or(Origins::Gone),
            Source::At(source) => {
                let come = self.threads.get(source.thread.index()).is_some_and(|t| source.index < t.arrived);
                return match values.at(key, source) {
                    Some(written) => of(written),
                    None if come => Origins::Gone,
                    None => Origins::Awaited(Awaits::Arrival, Origin::Unknown),
                };
            }
            Source::ByValue => {}
        }
        let init = if self.locations[op.loc.index()].init == read { init() } else { None };
        // An RMW may write what it reads, but does not read from itself.
        let others = || values.of(key).filter(|written| written.slot != slot);
        let mut writes = others();
        match (init, writes.next(), writes.next()) {
            (None, None, _) => return Origins::Awaited(Awaits::Arrival, Origin::Unknown),
            (Some(init), None, _) => return init,
            (None, Some(written), None) => return of(written),
            _ => {}
        }
        // One of several: those that it cannot read from do not count, unless there are no others.
        let may_read = |session: &mut Session, from: WriteId, order: Order| match op.kind {
            Kind::Rmw => session.may_rmw_from(slot.thread, from, order),
            _ => session.may_read_from(slot.thread, from, order),
        };
        // Mostly it may be either of the latest, which takes less to see than of others: hardly anything comes after them.
        let latest = values.latest(key).filter(|written| written.slot != slot).take(2);
        let is_possible =
            |written: Written| written.write.is_none_or(|from| may_read(session, from, op.order));
        if latest.map(is_possible).filter(|&possible| possible).count() == 2 {
            return Origins::Several;
        }
        let (mut possible, mut refused) = (None, None);
        let init = session.initial(op.loc).filter(|_| self.locations[op.loc.index()].init == read);
        if let Some(from) = init {
            let origin = Origins::Write(from, Origin::Init);
            *(if may_read(session, from, op.order) { &mut possible } else { &mut refused }) = Some(origin);
        }
        let look = self.looks.entry((slot.thread, key, op.kind)).or_default();
        let mut at = 0;
        loop {
            let written = match look.open.get(at) {
                Some(&event) => values.of_event(key, event),
                None => match values.first_from(key, look.next) {
                    Some(written) => {
                        look.next = written.event + 1;
                        look.open.push(written.event);
                        Some(written)
                    }
                    None => break,
                },
            };
            let Some(written) = written.filter(|written| written.slot != slot) else {
                // It is gone, or the RMW itself.
                look.open.remove(at);
                continue;
            };
            match written.write {
                Some(from) if !may_read(session, from, op.order) => {
                    refused = Some(of(written));
                    if may_read(session, from, Order::Relaxed) {
                        at += 1;
                    } else {
                        // Nor will any later access of the thread.
                        look.open.remove(at);
                    }
                }
                _ if possible.is_some() => return Origins::Several,
                _ => {
                    possible = Some(of(written));
                    at += 1;
                }
            }
        }
        // Why none can be read is told by the latest.
        let latest = || others().last().map(of);
        possible.or(refused).or_else(latest).unwrap_or(Origins::Gone)
    }

    /// Drops what no thread can read any more.
    fn retire(&mut self) {
        let initial = |session: &Session, locations: &[Location]| {
            let initial = |loc: &usize| session.initial(LocId::from_index(*loc)).is_some();
            (0..locations.len()).filter(initial).count()
        };
        let before = initial(&self.session, &self.locations);
        self.retired += self.session.retire();
        let session = &self.session;
        let forgotten = self.values.retain(|write| session.location_of(write).is_some());
        self.looks.clear();
        self.forgetful |= forgotten || initial(session, &self.locations) < before;
        self.left = session.len() - self.retired;
    }

    /// Whether each answer is given at once.
    fn is_exact(&self) -> bool {
        match self.session.model() {
            Model::Rc20 | Model::Rc11 => !self.seq_cst,
            Model::Sra => !self.rmws,
            model => matches!(model, Model::Ra | Model::Wra | Model::Relaxed),
        }
    }

    /// Whether it is time to [settle](Self::settle): the number of events has doubled since the last time or, with `now`, there is anything new.
    pub fn is_due(&self, now: bool) -> bool {
        let fresh = self.arrived > self.settled && !self.is_exact();
        fresh && (now || self.recent.is_whole() && self.arrived >= 2 * self.settled.max(LEAST))
    }

    /// Decides the latest events with the engines for whole executions, if the session does not.
    pub fn settle(&mut self, limits: &Limits<'_>) {
        if self.is_exact() || self.found.is_some() {
            return;
        }
        self.settled = self.arrived;
        (self.found, self.unsettled.limit) = match self.settled_before(self.arrived, limits) {
            Ok(found) => (found, None),
            Err(limit) => (None, Some(limit)),
        };
    }

    /// The first event with which the execution is inconsistent: that of the violation, which was [found](Self::found), or one before it
    /// that the session took. Where the answers are exact that is the violation itself.
    ///
    /// ```
    /// # use tribunal::{Limits, Model, memory::{Op, Monitor}};
    /// # let mut monitor = Monitor::new(Model::Sc, 100)?;
    /// # let (t, x) = (monitor.thread("T0"), monitor.location("x", 0));
    /// # monitor.event(t, Op::write(x, 1));
    /// # monitor.event(t, Op::read(x, 0));
    /// while let Some(violation) = monitor.found() {
    ///     let violation = monitor.first(violation, &Limits::default());
    ///     println!("{}: {}", monitor.show(&violation), violation.why);
    /// }
    /// # Ok::<(), tribunal::memory::NoSession>(())
    /// ```
    pub fn first(&self, violation: Violation, limits: &Limits<'_>) -> Violation {
        let end = match violation.why {
            Why::Settled => return violation,
            // Until its time was over, what came after it made no difference.
            Why::Unwritten => violation.event,
            Why::Refused(_) | Why::Cyclic => violation.end - 1,
        };
        if self.is_exact() {
            return violation;
        }
        self.settled_before(end, limits).ok().flatten().unwrap_or(violation)
    }

    /// The first event before `end` with which the latest events are inconsistent, if there is one.
    fn settled_before(&self, end: u64, limits: &Limits<'_>) -> Result<Option<Violation>, Limit> {
        let inconsistent = |end: u64| {
            let Ok(execution) = self.recent.execution(self.builder(), end, None) else { return Ok(false) };
            match judge(&execution, self.session.model(), limits).0 {
                Verdict::Undecided(limit) => Err(limit),
                verdict => Ok(verdict.is_inconsistent()),
            }
        };
        let mut consistent = self.recent.gone();
        if end <= consistent || !inconsistent(end)? {
            return Ok(None);
        }
        let mut end = end;
        while end - consistent > 1 {
            let middle = consistent + (end - consistent) / 2;
            match inconsistent(middle) {
                Ok(true) => end = middle,
                _ => consistent = middle,
            }
        }
        let (event, why, origin) = (end - 1, Why::Settled, Origin::Unknown);
        Ok(self.recent.slot(event).map(|slot| Violation { event, slot, why, origin, end }))
    }

    /// A minimal inconsistent part of the latest events with the event that was found last. `None` if it is not among
    /// the latest events, or a limit was reached.
    pub fn part(
        &self,
        violation: &Violation,
        limits: &Limits<'_>,
    ) -> Option<Shrunk<Part<Execution, EventId>>> {
        let Violation { event, end, origin, ref why, .. } = *violation;
        if *why == Why::Unwritten && self.recent.gone() > 0 {
            return None;
        }
        let but = (*why != Why::Settled).then_some((event, origin));
        let execution = self.recent.execution(self.builder(), end, but).ok()?;
        shrink(&execution, self.session.model(), limits, |_| ()).ok()
    }

    /// Continues after a violation that was [settled](Self::settle), as if everything before had been removed.
    pub fn resume(&mut self, violation: &Violation) {
        if violation.why == Why::Settled {
            self.recent.clear();
        }
    }

    /// There are no more events: reads whose writes have not come are violations, and the rest is settled. Call it again after each
    /// violation until there is none.
    pub fn finish(&mut self, limits: &Limits<'_>) {
        self.go_on();
        self.expire(None);
        if !self.is_exact() {
            self.unsettled.events = if self.recent.is_whole() { 0 } else { self.recent.gone() };
            if self.found.is_none() && self.is_due(true) {
                self.settle(limits);
            }
        }
    }

    /// Displays the event of a violation: `T0:3 R x 1`.
    pub fn show(&self, Violation { event, slot, .. }: &Violation) -> String {
        let mut text = format!("{}:{} ", self.threads[slot.thread.index()].name, slot.index);
        if let Some(op) = self.recent.op(*event) {
            let loc = self.locations.get(op.loc.index()).map_or("", |location| &location.name);
            put_operation(&mut text, Label::new(op.kind, op.order), loc, op.read, op.value)
                .expect("a string takes everything");
        }
        text
    }

    /// A lower bound for later violations: the number of events before the oldest event that may still be one.
    pub fn oldest(&self) -> u64 {
        let waiting = self.expiring.front().map(|(_, pending)| pending.event);
        waiting.unwrap_or(u64::MAX).min(self.recent.gone())
    }

    /// The events that could not be decided so far.
    pub fn unsettled(&self) -> &Unsettled {
        &self.unsettled
    }

    /// Approximate memory use in bytes.
    pub fn bytes(&self) -> usize {
        let queued: usize = self.threads.iter().map(|thread| thread.queue.held()).sum();
        let own = held(&[&self.threads, &self.looks]) + queued;
        self.session.bytes() + self.values.bytes() + self.recent.bytes() + own
    }

    /// Approximate memory use in bytes while another thread is [added](Self::thread): clocks of all events get an entry for it.
    pub fn bytes_with_thread(&self) -> usize {
        self.bytes() + self.session.bytes_of_thread()
    }

    /// Threads and locations by their names.
    fn builder(&self) -> ExecutionBuilder {
        let mut b = Execution::builder();
        for thread in &self.threads {
            b.thread(&thread.name);
        }
        for Location { name, init } in &self.locations {
            let loc = b.location(name);
            b.init(loc, *init);
        }
        b
    }
}

fn state_of(threads: &mut [Thread], thread: ThreadId) -> &mut Thread {
    &mut threads[thread.index()]
}

impl Pending {
    /// The value that a read or an RMW reads.
    fn read(&self) -> u64 {
        if self.op.kind == Kind::Rmw { self.op.read } else { self.op.value }
    }
}

/// The origins that a value may have.
#[derive(Clone, Copy)]
enum Origins {
    Write(WriteId, Origin),
    /// It is still to come, or to have its turn.
    Awaited(Awaits, Origin),
    /// More than one write can be meant.
    Several,
    /// It has been there, and can no longer be read.
    Gone,
}

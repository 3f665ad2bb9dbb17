//! An execution as a graph: the events of each thread in program order, and the source of each read.

use crate::program::{Action, CLOSED, Place, Request, Update};
use tribunal_history::memory::{LocId, Order, ThreadId};

/// An event, by its index in [`Graph::events`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(pub(crate) u32);

impl EventId {
    /// The event at an index of [`Graph::events`].
    pub fn from_index(index: usize) -> Self {
        EventId(index as u32)
    }

    /// Its place in [`Graph::events`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The source of an event's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// It reads nothing.
    Nothing,
    /// The initial write of its location.
    Init,
    /// A write; for a join, the end of the thread.
    Event(EventId),
    /// The number chosen; for a release, 1 if it is the last, and 2 if it waits to be; for a wait, that it timed out.
    Choice(u32),
}

/// An event of an execution.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its thread.
    pub thread: ThreadId,
    /// The number of earlier events of its thread.
    pub index: u32,
    /// The action that was asked for.
    pub action: Action,
    /// Its place in the source.
    pub place: Place,
    /// From where it reads.
    pub source: Source,
    /// The value read; for a spawn, the new thread; 0 if it reads nothing.
    pub read: u64,
    /// The value written, if it writes.
    pub written: Option<u64>,
    /// Whether it is still waiting.
    pub waiting: bool,
    /// Whether that it waits was tried when it was added.
    pub(crate) might_wait: bool,
    /// Whether its location is a [lock](crate::program::Program::is_lock).
    pub(crate) of_lock: bool,
    /// Whether its thread yielded just before it.
    pub(crate) yields: bool,
    /// Whether alternatives to it are tried, see [`Program::explores`](crate::program::Program::explores).
    pub(crate) explored: bool,
    /// The value with which its location starts.
    pub(crate) initial: u64,
    /// Events in the order in which the explorer first added them, see [`crate::search`].
    pub(crate) stamp: u32,
    /// The same for what it writes, which an RMW writes anew whenever it comes to read something else.
    pub(crate) write_stamp: u32,
    /// Before it, its thread went round a loop again and left it for a reason that is not seen, such as the time: how many events an iteration had.
    pub(crate) unseen: Option<u32>,
}

impl Event {
    /// The location that it accesses.
    pub fn loc(&self) -> Option<LocId> {
        self.action.loc()
    }

    /// Whether it reads a location or waits to.
    pub fn is_read(&self) -> bool {
        use Action::{Await, AwaitRmw, Load, Receive, Rmw, Send};
        matches!(
            self.action,
            Load { .. } | Rmw { .. } | Await { .. } | AwaitRmw { .. } | Send { .. } | Receive { .. }
        )
    }

    /// Its order; for a failed RMW, the failure order.
    pub fn order(&self) -> Option<Order> {
        match self.action {
            Action::Rmw { failure, .. } if self.written.is_none() => Some(failure),
            Action::Send { .. } | Action::Receive { .. } if self.written.is_none() => Some(Order::Acquire),
            Action::Send { .. } | Action::Receive { .. } => Some(Order::AcqRel),
            Action::Load { order, .. }
            | Action::Store { order, .. }
            | Action::Rmw { order, .. }
            | Action::Fence { order }
            | Action::Await { order, .. }
            | Action::AwaitRmw { order, .. } => Some(order),
            _ => None,
        }
    }

    /// Whether it is a wait that timed out: it read nothing.
    pub fn timed_out(&self) -> bool {
        match self.action {
            // It may also find no sender.
            Action::Receive { .. } => self.source == Source::Choice(0),
            _ => self.is_read() && matches!(self.source, Source::Choice(_)),
        }
    }

    /// Whether it is to take a lock, and waits for that if need be.
    pub(crate) fn awaits_lock(&self) -> bool {
        self.of_lock && matches!(self.action, Action::AwaitRmw { .. })
    }

    /// Whether it took a lock, if only by a try.
    pub(crate) fn took_lock(&self) -> bool {
        self.of_lock && self.is_read() && self.written.is_some()
    }

    /// Whether it took a lock for which it had waited.
    pub(crate) fn has_waited(&self) -> bool {
        self.time() > self.stamp
    }

    /// The time at which it took effect: a lock is taken later than its thread came to it if it had to wait.
    pub(crate) fn time(&self) -> u32 {
        if self.awaits_lock() && !self.waiting { self.write_stamp } else { self.stamp }
    }

    /// Whether it is to take a lock, waits for that if need be, and could take it where it has this value.
    pub(crate) fn might_take(&self, lock: LocId, value: u64) -> bool {
        let could = |update: &Update| update.of(value).is_some();
        self.of_lock
            && self.loc() == Some(lock)
            && matches!(&self.action, Action::AwaitRmw { update, .. } if could(update))
    }

    /// Whether it came to a lock before another event that took it, and could take it instead.
    pub(crate) fn might_overtake(&self, taker: &Event) -> bool {
        self.stamp < taker.stamp && taker.loc().is_some_and(|lock| self.might_take(lock, taker.read))
    }

    /// Whether it is a non-atomic access.
    pub fn is_plain(&self) -> bool {
        self.loc().is_some() && self.order() == Some(Order::NonAtomic)
    }
}

/// The values of an event, which may differ from run to run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Values {
    pub(crate) read: u64,
    pub(crate) written: Option<u64>,
    pub(crate) initial: u64,
}

/// The events of a location.
#[derive(Clone, Debug, Default)]
pub(crate) struct Accesses {
    pub(crate) writes: Vec<EventId>,
    pub(crate) reads: Vec<EventId>,
    /// Handles that were given up.
    pub(crate) releases: Vec<EventId>,
    /// Of a channel: how many senders were made after the first.
    pub(crate) shares: u32,
    /// Those that are plain.
    pub(crate) plain_writes: Vec<EventId>,
    pub(crate) plain_reads: Vec<EventId>,
}

/// An execution. Events are in an order that contains program order and reads-from.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    events: Vec<Event>,
    /// The events of each thread, in program order.
    threads: Vec<Vec<EventId>>,
    /// The spawn of each thread.
    spawns: Vec<Option<EventId>>,
    locs: Vec<Accesses>,
    /// Waits that timed out.
    timeouts: Vec<EventId>,
    prefixes: Prefixes,
}

/// For each event and each thread, how many of the thread's events are before it in po and rf, itself included.
#[derive(Clone, Debug, Default)]
struct Prefixes {
    width: usize,
    counts: Vec<u32>,
}

impl Prefixes {
    fn row(&self, event: EventId) -> &[u32] {
        &self.counts[event.index() * self.width..][..self.width]
    }

    /// Makes room for threads, more than are needed so that it happens rarely.
    fn widen(&mut self, threads: usize) {
        if threads > self.width {
            let width = threads.next_power_of_two().max(4);
            let mut counts = Vec::with_capacity(self.counts.capacity() / self.width.max(1) * width);
            for row in self.counts.chunks_exact(self.width.max(1)) {
                counts.extend_from_slice(row);
                counts.resize(counts.len() + width - row.len(), 0);
            }
            *self = Prefixes { width, counts };
        }
    }
}

/// The value that a send to a channel with so many messages writes.
pub(crate) fn sent(count: u64, message: Option<u64>, after: Option<u64>) -> Option<u64> {
    let sends = count != CLOSED && after.is_none_or(|after| after == count);
    sends.then(|| if message.is_some() { count + 1 } else { CLOSED })
}

fn at<T: Default>(list: &mut Vec<T>, index: usize) -> &mut T {
    if list.len() <= index {
        list.resize_with(index + 1, T::default);
    }
    &mut list[index]
}

impl Graph {
    /// The events, in an order that contains program order and reads-from.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// An event.
    pub fn event(&self, id: EventId) -> &Event {
        &self.events[id.index()]
    }

    /// The events of a thread, in program order.
    pub fn thread(&self, thread: ThreadId) -> &[EventId] {
        self.threads.get(thread.index()).map_or(&[], Vec::as_slice)
    }

    /// Whether the first event is before the second in program order and reads-from, or the same.
    pub fn is_before(&self, first: EventId, second: EventId) -> bool {
        self.has_before(self.event(first), second)
    }

    /// By thread: how many of its events are before an event in program order and reads-from, itself included.
    pub(crate) fn before(&self, event: EventId) -> &[u32] {
        self.prefixes.row(event)
    }

    /// Whether an event is before another in program order and reads-from, or the same. It need not be the graph's own.
    pub(crate) fn has_before(&self, event: &Event, other: EventId) -> bool {
        self.prefixes.row(other).get(event.thread.index()).is_some_and(|&count| count > event.index)
    }

    /// Whether an event is before another in program order and reads-from, whatever the other reads.
    pub(crate) fn is_before_next(&self, event: &Event, other: &Event) -> bool {
        let before = match other.index {
            0 => self.spawn_of(other.thread),
            index => Some(self.threads[other.thread.index()][index as usize - 1]),
        };
        before.is_some_and(|before| self.has_before(event, before))
    }

    pub(crate) fn len(&self) -> usize {
        self.events.len()
    }

    /// The last wait that timed out. What was added before it stays as it is.
    pub(crate) fn last_timeout(&self) -> Option<&Event> {
        self.timeouts.last().map(|&id| self.event(id))
    }

    /// Whether an event was there before the last timeout.
    pub(crate) fn is_settled(&self, event: &Event) -> bool {
        self.last_timeout().is_some_and(|timeout| event.stamp <= timeout.stamp)
    }

    pub(crate) fn accesses(&self, loc: LocId) -> &Accesses {
        const NONE: &Accesses = &Accesses {
            writes: Vec::new(),
            reads: Vec::new(),
            releases: Vec::new(),
            shares: 0,
            plain_writes: Vec::new(),
            plain_reads: Vec::new(),
        };
        self.locs.get(loc.index()).unwrap_or(NONE)
    }

    /// The number of events of a thread that are before what a thread does next in program order and reads-from.
    pub(crate) fn before_next(&self, thread: ThreadId, of: ThreadId) -> u32 {
        let last = self.thread(thread).last().copied().or(self.spawn_of(thread));
        last.map_or(0, |last| self.prefixes.row(last).get(of.index()).copied().unwrap_or(0))
    }

    /// The send of message number `after + 1` of a channel.
    pub(crate) fn sent_after(&self, loc: LocId, after: u64) -> Option<EventId> {
        let number = Some(after + 1);
        let writes = &self.accesses(loc).writes;
        let is_it = |&send: &EventId| {
            let event = self.event(send);
            event.written == number && matches!(event.action, Action::Send { .. })
        };
        // Where no receive found the channel empty, messages are their own numbers.
        let own = writes.get(after as usize).copied().filter(is_it);
        own.or_else(|| {
            // Each reads from the one before, and none makes the number smaller.
            let first = writes.partition_point(|&write| self.event(write).written < number);
            writes.get(first).copied().filter(is_it)
        })
    }

    /// The event that a channel ends with if nothing comes after message number `after`: the last that found the channel empty, or the send.
    pub(crate) fn end_of_channel(&self, loc: LocId, after: u64) -> Source {
        let writes = &self.accesses(loc).writes;
        let behind = writes.partition_point(|&write| self.event(write).written <= Some(after));
        let last = behind.checked_sub(1).map(|last| writes[last]);
        last.filter(|&last| self.event(last).written == Some(after)).map_or(Source::Init, Source::Event)
    }

    /// Whether every sender of a channel was dropped.
    pub(crate) fn is_disconnected(&self, loc: LocId) -> bool {
        let accesses = self.accesses(loc);
        accesses.releases.len() == accesses.shares as usize + 1
    }

    /// The values that an operation of a channel that reads from there reads and writes.
    pub(crate) fn pass(&self, action: &Action, source: Source, initial: u64) -> Option<(u64, Option<u64>)> {
        let write = match source {
            Source::Event(write) => Some(self.event(write)),
            _ => None,
        };
        let value = write.map_or(initial, |write| write.written.unwrap_or_default());
        match *action {
            Action::Send { message, after, .. } => Some((value, sent(value, message, after))),
            Action::Receive { after, .. } => match (source, write.map(|write| &write.action)) {
                (Source::Choice(choice), _) => Some((u64::from(choice), None)),
                (_, Some(&Action::Send { message: Some(message), .. })) if value != after => {
                    Some((message, None))
                }
                _ => Some((value, Some(value))),
            },
            _ => None,
        }
    }

    /// The event that made a thread.
    pub(crate) fn spawn_of(&self, thread: ThreadId) -> Option<EventId> {
        self.spawns.get(thread.index()).copied().flatten()
    }

    /// Adds an event, whose thread and source are there.
    pub(crate) fn push(&mut self, event: Event) -> EventId {
        let id = EventId(self.events.len() as u32);
        let before = self.thread(event.thread).last().copied().or(self.spawn_of(event.thread));
        self.prefixes.widen(event.thread.index() + 1);
        let start = self.prefixes.counts.len();
        let width = self.prefixes.width;
        match before {
            Some(before) => {
                self.prefixes.counts.extend_from_within(before.index() * width..(before.index() + 1) * width)
            }
            None => self.prefixes.counts.resize(start + width, 0),
        }
        let (old, row) = self.prefixes.counts.split_at_mut(start);
        let mut join = |source: EventId| {
            let more = &old[source.index() * width..][..width];
            row.iter_mut().zip(more).for_each(|(count, &more)| *count = (*count).max(more));
        };
        match (&event.source, &event.action) {
            (&Source::Event(source), _) => join(source),
            (Source::Choice(1..), &(Action::Release { loc, .. } | Action::Receive { loc, .. })) => {
                self.locs
                    .get(loc.index())
                    .iter()
                    .for_each(|loc| loc.releases.iter().for_each(|&release| join(release)));
            }
            _ => {}
        }
        row[event.thread.index()] = event.index + 1;
        if let Action::Release { loc, .. } = event.action {
            at(&mut self.locs, loc.index()).releases.push(id);
        } else if let Action::Share { loc } = event.action {
            at(&mut self.locs, loc.index()).shares += 1;
        } else if let Some(loc) = event.loc() {
            let accesses = at(&mut self.locs, loc.index());
            let plain = event.is_plain();
            if event.written.is_some() {
                accesses.writes.push(id);
                if plain {
                    accesses.plain_writes.push(id);
                }
            }
            if event.is_read() {
                accesses.reads.push(id);
                if plain {
                    accesses.plain_reads.push(id);
                }
            }
        }
        if event.timed_out() {
            self.timeouts.push(id);
        }
        if matches!(event.action, Action::Spawn) {
            *at(&mut self.spawns, event.read as usize) = Some(id);
        }
        at(&mut self.threads, event.thread.index()).push(id);
        self.events.push(event);
        id
    }

    /// Gives an event the values of one that differs in values alone.
    pub(crate) fn renew(&mut self, id: EventId, from: &Event) {
        let event = &mut self.events[id.index()];
        (event.read, event.written, event.initial) = (from.read, from.written, from.initial);
        event.explored = from.explored;
        if event.is_read() {
            event.action = from.action.clone();
        }
    }

    /// Gives an event the values of a run.
    pub(crate) fn set_values(&mut self, id: EventId, values: Values, request: Request) {
        let event = &mut self.events[id.index()];
        (event.read, event.written, event.initial) = (values.read, values.written, values.initial);
        (event.action, event.place) = (request.action, request.place);
    }

    /// Takes all events away. The room that they had stays.
    pub(crate) fn clear(&mut self) {
        self.events.clear();
        self.threads.iter_mut().for_each(Vec::clear);
        self.spawns.clear();
        self.timeouts.clear();
        self.prefixes.counts.clear();
        for Accesses { writes, reads, releases, shares, plain_writes, plain_reads } in &mut self.locs {
            [writes, reads, releases, plain_writes, plain_reads].into_iter().for_each(Vec::clear);
            *shares = 0;
        }
    }

    /// The number of events of a location that may let a thread go on that waits for it.
    pub(crate) fn changes(&self, loc: LocId) -> usize {
        let accesses = self.accesses(loc);
        accesses.writes.len() + accesses.releases.len()
    }

    /// Takes the last event away.
    pub(crate) fn pop(&mut self) -> Option<Event> {
        let event = self.events.pop()?;
        self.prefixes.counts.truncate(self.events.len() * self.prefixes.width);
        self.threads[event.thread.index()].pop();
        if let Action::Release { loc, .. } = event.action {
            self.locs[loc.index()].releases.pop();
        } else if let Action::Share { loc } = event.action {
            self.locs[loc.index()].shares -= 1;
        } else if let Some(loc) = event.loc() {
            let accesses = &mut self.locs[loc.index()];
            let plain = event.is_plain();
            if event.written.is_some() {
                accesses.writes.pop();
                if plain {
                    accesses.plain_writes.pop();
                }
            }
            if event.is_read() {
                accesses.reads.pop();
                if plain {
                    accesses.plain_reads.pop();
                }
            }
        }
        if event.timed_out() {
            self.timeouts.pop();
        }
        if matches!(event.action, Action::Spawn) {
            self.spawns[event.read as usize] = None;
        }
        Some(event)
    }
}

//! pram: the total order that each thread sees, built from its end.

use super::cycle;
use crate::Refusal;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, ThreadId};
use tribunal_history::verdict::Axiom;

/// Accepts a history where, for each thread t, the writes of everyone and the events of t have a total order that
/// contains po and in which every read of t reads the latest write to its location.
///
/// The order is built backward, so that what may come next is the last event of some thread that has no place yet. Once
/// a read of t has its place, the write that it reads from is due: until that comes, no other write of the location may,
/// nor a read of t from another. And a write may come only after all reads of t from it. So an order in which every event
/// has found its place is as required.
///
/// A write that may come is placed at once, a read of t when no write may. That loses no order: take any way to go on and
/// move the write to its front. If it was due, no access of its location that matters came before it; if not, no
/// write of the location was due, and nothing waited for this one. So where nothing may come, there is no order.
///
/// O(n·k) time and O(n) memory: for each thread every event is placed or skipped once, and the k threads are looked
/// at again when a write that was due has come, which each of the thread's reads causes at most once.
pub(super) fn pram(x: &Execution, limits: &Limits<'_>) -> Result<(), Refusal> {
    // A thread that reads nothing sees any order of the writes that contains po.
    let reads = |t: &ThreadId| x.thread_events(*t).any(|e| x.label(EventId(e)).reads());
    x.threads().filter(reads).try_for_each(|t| {
        limits.check(0).map_err(Refusal::Limit)?;
        let mut order = Backward::new(x, t);
        order.build();
        order.stuck().map_or(Ok(()), |event| Err(cycle(x, Axiom::Pipelined, event.0)))
    })
}

/// The end of a thread's total order.
struct Backward<'a> {
    x: &'a Execution,
    observer: ThreadId,
    /// By thread: its events from this id on have their place, or need none.
    placed_from: Vec<u32>,
    /// By write: the observer's first read from it.
    first_reader: Vec<Option<EventId>>,
    /// By location: the write that must come next of all its writes.
    due: Vec<Option<EventId>>,
    /// All threads of which a write may come next, and perhaps more.
    ready: Vec<ThreadId>,
}

impl<'a> Backward<'a> {
    fn new(x: &'a Execution, observer: ThreadId) -> Self {
        let mut first_reader = vec![None; x.len() + x.location_count()];
        for read in x.thread_events(observer).rev().map(EventId) {
            if let Some(source) = x.rf(read) {
                first_reader[source.index()] = Some(read);
            }
        }
        Backward {
            x,
            observer,
            placed_from: x.threads().map(|t| x.thread_events(t).end).collect(),
            first_reader,
            due: vec![None; x.location_count()],
            ready: x.threads().collect(),
        }
    }

    fn build(&mut self) {
        loop {
            while let Some(t) = self.ready.pop() {
                while let Some(write) = self.last(t).filter(|&e| self.seen_from(e).is_none())
                    && self.waits_for(write).is_none()
                {
                    self.place(t, write);
                }
            }
            match self.last(self.observer).filter(|&e| self.waits_for(e).is_none()) {
                Some(read) => self.place(self.observer, read),
                None => return,
            }
        }
    }

    /// The last event of a thread without a place.
    fn last(&mut self, t: ThreadId) -> Option<EventId> {
        let (x, observed) = (self.x, t == self.observer);
        let matters = |e: EventId| x.label(e).writes() || observed && x.label(e).reads();
        let last =
            (x.thread_events(t).start..self.placed_from[t.index()]).rev().map(EventId).find(|&e| matters(e));
        self.placed_from[t.index()] = last.map_or(x.thread_events(t).start, |e| e.0 + 1);
        last
    }

    /// The source of a read of the observer. The reads of other threads have no part in the order.
    fn seen_from(&self, e: EventId) -> Option<EventId> {
        self.x.rf(e).filter(|_| self.x.thread_of(e) == Some(self.observer))
    }

    /// Some event without a place that must be placed before `e` is.
    fn waits_for(&self, e: EventId) -> Option<EventId> {
        let writes = self.x.label(e).writes();
        let end = self.placed_from[self.observer.index()];
        let reader = self.first_reader[e.index()].filter(|read| writes && read.0 < end);
        let latest = if writes { Some(e) } else { self.x.rf(e) };
        reader.or_else(|| self.due[self.x.loc(e)?.index()].filter(|&write| Some(write) != latest))
    }

    fn place(&mut self, t: ThreadId, e: EventId) {
        self.placed_from[t.index()] = e.0;
        let Some(loc) = self.x.loc(e) else { return };
        if self.x.label(e).writes() && self.due[loc.index()].take().is_some() {
            self.ready.extend(self.x.threads());
        }
        if let Some(source) = self.seen_from(e) {
            self.due[loc.index()] = Some(source);
            self.ready.extend(self.x.thread_of(source));
            self.ready.push(t);
        }
    }

    /// An event that never finds a place: it waits for another, and so on to itself or to an initial write, which is
    /// before it in program order.
    fn stuck(&mut self) -> Option<EventId> {
        let x = self.x;
        let mut at = x.threads().find_map(|t| self.last(t))?;
        // After k steps the walk is on the cycle.
        for _ in x.threads() {
            let before = self.waits_for(at).and_then(|e| x.thread_of(e)).and_then(|t| self.last(t));
            at = before.unwrap_or(at);
        }
        Some(at)
    }
}

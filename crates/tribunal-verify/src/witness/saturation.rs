//! The order that events must have had: a graph of the events, its reachability, and what follows from it.
//!
//! Reachability is kept as one clock per event, with an entry per thread: how far its writes (of a relation that stays at
//! one location: its writes of that location) are before the event. That is enough. The rules ask for writes only; the
//! writes of a thread are in line in every relation here; and every cycle passes through a write, since reads alone are
//! ordered by program order alone.

use super::cycle;
use crate::Refusal;
use crate::graph::{Digraph, Successors};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, LocId, ThreadId};
use tribunal_history::verdict::{Axiom, Limit};

/// The reason why a relation cannot be computed.
pub(super) enum Fault {
    /// It is cyclic: an event on a cycle.
    Cycle(u32),
    /// It takes more than is allowed.
    Limit(Limit),
}

impl Fault {
    /// The refusal of a witness, given the axiom that a cycle breaks.
    pub(super) fn refusal(self, x: &Execution, axiom: Axiom) -> Refusal {
        match self {
            Fault::Cycle(event) => cycle(x, axiom, event),
            Fault::Limit(limit) => Refusal::Limit(limit),
        }
    }
}

impl From<u32> for Fault {
    fn from(event: u32) -> Self {
        Fault::Cycle(event)
    }
}

impl From<Limit> for Fault {
    fn from(limit: Limit) -> Self {
        Fault::Limit(limit)
    }
}

/// The writes of each location and the readers of each write.
pub(super) struct Sites<'a> {
    pub(super) x: &'a Execution,
    limits: &'a Limits<'a>,
    /// By location, then by id; without the initial writes.
    writes: Grouped,
    /// By write: its last reader in each thread.
    readers: Grouped,
}

/// Events in groups, each sorted by id.
struct Grouped {
    events: Vec<u32>,
    starts: Vec<u32>,
}

impl Grouped {
    fn new(x: &Execution, groups: usize, group_of: impl Fn(EventId) -> Option<usize>) -> Self {
        let mut starts = vec![0; groups + 1];
        for group in x.events().filter_map(&group_of) {
            starts[group + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut events = vec![0; starts[groups] as usize];
        for (e, group) in x.events().filter_map(|e| Some((e, group_of(e)?))) {
            events[next[group] as usize] = e.0;
            next[group] += 1;
        }
        Grouped { events, starts }
    }

    fn of(&self, group: usize) -> &[u32] {
        &self.events[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}

impl<'a> Sites<'a> {
    pub(super) fn new(x: &'a Execution, limits: &'a Limits<'a>) -> Self {
        let writes =
            Grouped::new(x, x.location_count(), |e| Some(x.loc(e).filter(|_| x.label(e).writes())?.index()));
        let all = x.len() + x.location_count();
        // Backward the last reader of a thread comes first.
        let mut last_of = vec![NONE; all];
        let mut is_last = vec![false; x.len()];
        for e in x.events().rev() {
            if let (Some(w), Some(t)) = (x.rf(e), x.thread_of(e)) {
                is_last[e.index()] = std::mem::replace(&mut last_of[w.index()], t.0) != t.0;
            }
        }
        let readers = Grouped::new(x, all, |e| Some(x.rf(e).filter(|_| is_last[e.index()])?.index()));
        Sites { x, limits, writes, readers }
    }

    fn threads(&self) -> usize {
        self.x.thread_count()
    }

    /// The threads that read: the others see nothing that orders writes.
    pub(super) fn observers(&self) -> impl Iterator<Item = ThreadId> + '_ {
        let reads = |t: &ThreadId| self.x.thread_events(*t).any(|e| self.x.label(EventId(e)).reads());
        self.x.threads().filter(reads)
    }

    /// Whether there is room for so many entries of clocks an event and thread.
    fn check(&self, entries: usize) -> Result<(), Limit> {
        let bytes = self.x.len().saturating_mul(4 * entries * self.threads() + BYTES_PER_EVENT);
        self.limits.check_memory(bytes, 0).and(self.limits.check(0))
    }

    /// The last write of a location by a thread with an id below `bound`, an entry of a clock.
    fn last_write(&self, loc: LocId, thread: usize, bound: u32) -> Option<u32> {
        let last = bound.checked_sub(1)?;
        if self.x.loc(EventId(last)) == Some(loc) {
            return Some(last);
        }
        let writes = self.writes.of(loc.index());
        let last = writes[..writes.partition_point(|&w| w < bound)].last().copied()?;
        (last >= self.x.thread_events(ThreadId(thread as u32)).start).then_some(last)
    }

    /// The last reader of a write in each thread that reads it: the others are before them.
    pub(super) fn last_readers(&self, write: u32) -> &[u32] {
        self.readers.of(write as usize)
    }

    /// fr from the readers of the initial writes, which are before all other writes: to the first of each thread.
    pub(super) fn fr_from_initial_writes(&self, mut fr: impl FnMut(u32, u32)) {
        let x = self.x;
        for loc in x.locations() {
            let mut last_thread = None;
            for &write in self.writes.of(loc.index()) {
                if last_thread.replace(x.thread_of(EventId(write))) == Some(x.thread_of(EventId(write))) {
                    continue;
                }
                for &read in self.last_readers(x.init_write(loc).0) {
                    if read != write {
                        fr(read, write);
                    }
                }
            }
        }
    }
}

/// A relation between events: the transitive closure of an acyclic graph.
pub(super) struct Relation {
    successors: Successors,
    /// The place of every event in a topological order.
    rank: Vec<u32>,
    /// Entry e·k + u: one more than the id of the last write of thread u that is before event e, or 0.
    clocks: Vec<u32>,
}

impl Relation {
    pub(super) fn new(sites: &Sites<'_>, graph: &Digraph) -> Result<Self, Fault> {
        let successors = graph.successors();
        let order = graph.order(&successors)?;
        Ok(Self::in_order(sites, successors, &order)?)
    }

    /// For a graph of which a topological order is known.
    pub(super) fn in_order(sites: &Sites<'_>, successors: Successors, order: &[u32]) -> Result<Self, Limit> {
        let (x, k) = (sites.x, sites.threads());
        sites.check(2)?;
        let mut relation = Relation { rank: vec![0; x.len()], clocks: vec![0; x.len() * k], successors };
        for (place, &e) in order.iter().enumerate() {
            relation.rank[e as usize] = place as u32;
            for i in 0..relation.successors.of(e).len() {
                let next = relation.successors.of(e)[i];
                join(sites, &mut relation.clocks, e, next);
            }
            if place.is_multiple_of(POLL) {
                sites.limits.check(0)?;
            }
        }
        Ok(relation)
    }

    /// The writes of an event's location that are before it and before no other such write: O(k²).
    fn latest_writes(&self, sites: &Sites<'_>, event: EventId, latest: &mut Vec<u32>) {
        let (x, k) = (sites.x, sites.threads());
        latest.clear();
        let Some(loc) = x.loc(event) else { return };
        let row = &self.clocks[event.index() * k..][..k];
        for (u, &bound) in row.iter().enumerate() {
            let Some(write) = sites.last_write(loc, u, bound) else { continue };
            if latest.iter().any(|&other| self.clocks[other as usize * k + u] > write) {
                continue;
            }
            let bounds = &self.clocks[write as usize * k..][..k];
            latest.retain(|&other| {
                let t = x.thread_of(EventId(other)).map_or(0, ThreadId::index);
                bounds[t] <= other
            });
            latest.push(write);
        }
    }

    /// cf, with what follows by pairs of writes of the relation left out: for every read that `counts`, the latest writes
    /// before it, and the write it reads from. The error is a read from an initial write with another write of the
    /// location before it.
    pub(super) fn conflicts(
        &self,
        sites: &Sites<'_>,
        counts: impl Fn(EventId) -> bool,
        mut conflict: impl FnMut(u32, u32),
    ) -> Result<(), Fault> {
        let mut latest = Vec::new();
        for read in sites.x.events().filter(|&e| counts(e)) {
            if read.index().is_multiple_of(POLL) {
                sites.limits.check(0)?;
            }
            let Some(source) = sites.x.rf(read) else { continue };
            self.latest_writes(sites, read, &mut latest);
            for &write in latest.iter().filter(|&&write| write != source.0) {
                if sites.x.is_init(source) {
                    return Err(read.0.into());
                }
                conflict(write, source.0);
            }
        }
        Ok(())
    }

    /// The pairs of writes to one location, with what follows from two of them left out: for every write the latest
    /// before it.
    pub(super) fn write_pairs(&self, sites: &Sites<'_>, mut pair: impl FnMut(u32, u32)) {
        let mut latest = Vec::new();
        for write in sites.x.events().filter(|&e| sites.x.label(e).writes()) {
            self.latest_writes(sites, write, &mut latest);
            latest.iter().for_each(|&before| pair(before, write.0));
        }
    }

    /// The pairs that an observer must have seen: w1 before w2, other writes of one location, where w1 is before a read of the thread that reads
    /// from w2. Edges with which the relation has all such pairs; the error is an event on a cycle.
    ///
    /// That is hb_o for the last event o of the thread, since hb_o only grows along the thread. (That hb_o keeps to the
    /// past of o needs no care: whatever leads to a read of the thread is in that past.) For tso's ppo the last read o of
    /// the thread has all its reads before it, and the last write no more; for po-loc the locations do not interact, so
    /// that the last events of all of them may share one relation.
    pub(super) fn seen_by(&self, sites: &Sites<'_>, thread: ThreadId) -> Result<Vec<(u32, u32)>, Fault> {
        WitnessSaturation::new(sites, self, Some(thread))?.run(sites.x.thread_events(thread))
    }

    /// Like [`seen_by`](Self::seen_by) for the reads of all threads at once, and with fr: where w1 is before w2, the
    /// readers of w1 are before w2.
    pub(super) fn saturated(&self, sites: &Sites<'_>) -> Result<(), Fault> {
        let mut order = vec![0; self.rank.len()];
        for (e, &place) in self.rank.iter().enumerate() {
            order[place as usize] = e as u32;
        }
        WitnessSaturation::new(sites, self, None)?.run(order.into_iter()).map(drop)
    }
}

/// The number of events that are looked at between two looks at the limits.
const POLL: usize = 256;

/// The bytes that graphs take beside clocks, and what a derived edge takes.
const BYTES_PER_EVENT: usize = 64;
const BYTES_PER_EDGE: usize = 16;

/// Notes that `from`, and all before it, is before `to`: whether that is new.
fn join(sites: &Sites<'_>, clocks: &mut [u32], from: u32, to: u32) -> bool {
    let (x, k) = (sites.x, sites.threads());
    let mut grown = false;
    let mut raise = |entry: &mut u32, bound: u32| {
        if *entry < bound {
            (*entry, grown) = (bound, true);
        }
    };
    for u in 0..k {
        let bound = clocks[from as usize * k + u];
        raise(&mut clocks[to as usize * k + u], bound);
    }
    if x.label(EventId(from)).writes()
        && let Some(t) = x.thread_of(EventId(from))
    {
        raise(&mut clocks[to as usize * k + t.index()], from + 1);
    }
    grown
}

/// A relation that grows until the rules give nothing new. Events whose clock grew wait in topological order of the
/// relation at the start, so that a clock has mostly grown up when its event is looked at.
struct WitnessSaturation<'a> {
    sites: &'a Sites<'a>,
    start: &'a Relation,
    /// The one thread whose reads count, without fr; or all, with fr.
    observer: Option<ThreadId>,
    clocks: Vec<u32>,
    /// By entry of the clocks: its value when the rules were last applied.
    applied: Vec<u32>,
    derived: Vec<(u32, u32)>,
    /// By event: its last derived edge; by derived edge: the one before it from the same event.
    last_edge: Vec<u32>,
    edge_before: Vec<u32>,
    waiting: BinaryHeap<Reverse<(u32, u32)>>,
    waits: Vec<bool>,
    visits: usize,
}

const NONE: u32 = u32::MAX;

impl<'a> WitnessSaturation<'a> {
    fn new(sites: &'a Sites<'a>, start: &'a Relation, observer: Option<ThreadId>) -> Result<Self, Limit> {
        // Two relations may be held, and this one's clocks twice.
        sites.check(4)?;
        Ok(WitnessSaturation {
            sites,
            start,
            observer,
            clocks: start.clocks.clone(),
            applied: vec![0; start.clocks.len()],
            derived: Vec::new(),
            last_edge: vec![NONE; sites.x.len()],
            edge_before: Vec::new(),
            waiting: BinaryHeap::new(),
            waits: vec![false; sites.x.len()],
            visits: 0,
        })
    }

    fn put(&mut self, event: u32) {
        if !std::mem::replace(&mut self.waits[event as usize], true) {
            self.waiting.push(Reverse((self.start.rank[event as usize], event)));
        }
    }

    /// The rules are applied to these events, which come in topological order, even if their clocks do not grow.
    fn run(mut self, events: impl Iterator<Item = u32>) -> Result<Vec<(u32, u32)>, Fault> {
        for e in events {
            self.settle(self.start.rank[e as usize])?;
            self.apply(EventId(e))?;
        }
        self.settle(NONE)?;
        Ok(self.derived)
    }

    /// Looks at the waiting events up to a place in topological order.
    fn settle(&mut self, place: u32) -> Result<(), Fault> {
        while let Some(&Reverse((rank, e))) = self.waiting.peek()
            && rank <= place
        {
            self.waiting.pop();
            self.visits += 1;
            if self.visits.is_multiple_of(POLL) {
                let edges = self.derived.capacity() * BYTES_PER_EDGE;
                self.sites.limits.check(0)?;
                self.sites.limits.check_memory(4 * 3 * self.clocks.len() + edges, 0)?;
            }
            self.waits[e as usize] = false;
            self.apply(EventId(e))?;
            let start = self.start;
            for &next in start.successors.of(e) {
                self.follow(e, next)?;
            }
            let mut edge = self.last_edge[e as usize];
            while edge != NONE {
                self.follow(e, self.derived[edge as usize].1)?;
                edge = self.edge_before[edge as usize];
            }
        }
        Ok(())
    }

    /// Applies the rules to what is new in the clock of an event.
    fn apply(&mut self, e: EventId) -> Result<(), u32> {
        let (sites, k) = (self.sites, self.sites.threads());
        let (x, Some(loc)) = (sites.x, sites.x.loc(e)) else { return Ok(()) };
        let source = x.rf(e).filter(|_| self.observer.is_none_or(|t| x.thread_of(e) == Some(t)));
        let fr = self.observer.is_none() && x.label(e).writes();
        if source.is_none() && !fr {
            return Ok(());
        }
        for u in 0..k {
            let entry = e.index() * k + u;
            let bound = self.clocks[entry];
            let before = std::mem::replace(&mut self.applied[entry], bound);
            if before == bound {
                continue;
            }
            // What was below the bound before has had the rules applied to it.
            let Some(write) = sites.last_write(loc, u, bound).filter(|&write| write >= before) else {
                continue;
            };
            if let Some(source) = source.filter(|source| source.0 != write) {
                if x.is_init(source) {
                    return Err(e.0);
                }
                if self.clocks[source.index() * k + u] <= write {
                    self.derive(write, source.0)?;
                }
            }
            if fr {
                for &read in sites.last_readers(write).iter().filter(|&&read| read != e.0) {
                    // Where a write of its thread from then on is before this one, so is the read.
                    let t = x.thread_of(EventId(read)).map_or(0, ThreadId::index);
                    if self.clocks[e.index() * k + t] <= read {
                        self.derive(read, e.0)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn derive(&mut self, from: u32, to: u32) -> Result<(), u32> {
        let edge = self.derived.len() as u32;
        self.derived.push((from, to));
        self.edge_before.push(std::mem::replace(&mut self.last_edge[from as usize], edge));
        self.follow(from, to)
    }

    fn follow(&mut self, from: u32, to: u32) -> Result<(), u32> {
        if join(self.sites, &mut self.clocks, from, to) {
            let (x, k) = (self.sites.x, self.sites.threads());
            let own = x.thread_of(EventId(to)).map_or(0, ThreadId::index);
            if x.label(EventId(to)).writes() && self.clocks[to as usize * k + own] > to {
                return Err(to);
            }
            self.put(to);
        }
        Ok(())
    }
}

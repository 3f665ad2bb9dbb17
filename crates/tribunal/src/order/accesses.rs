//! The accesses of each location, thread by thread, and the rf-chains they form.

use super::clocks::{Clocks, Row};
use crate::memory::{EventId, Execution, LocId, ThreadId};
use std::ops::Range;

/// An access or an initial write, by its place in [`Accesses`].
pub(crate) type Place = u32;

/// No place.
pub(crate) const NOWHERE: Place = u32::MAX;

/// All accesses, grouped by location, then by thread, then in program order; behind them the initial writes. 16 bytes an
/// access.
pub(crate) struct Accesses {
    /// `starts[x]..starts[x + 1]` are the places of location x.
    starts: Vec<u32>,
    /// The event at each place.
    pub events: Vec<EventId>,
    /// The place of each event of a thread; [`NOWHERE`] for a fence.
    place_of: Vec<Place>,
    /// The write that each access looks at: the one it reads from if it reads, else itself.
    pub target: Vec<Place>,
    /// The write that each access leaves its thread with: itself if it writes, else the one it reads from.
    pub seen: Vec<Place>,
    /// `runs[run_starts[x]..run_starts[x + 1]]` are the runs of location x.
    run_starts: Vec<u32>,
    runs: Vec<Run>,
}

/// The accesses of one thread to one location: a range of places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub thread: ThreadId,
    /// The thread's first event, of whatever location.
    pub origin: u32,
    pub start: Place,
    pub end: Place,
}

impl Accesses {
    /// Groups the accesses in O(n + k) time.
    pub(crate) fn new(x: &Execution) -> Self {
        let (labels, locs) = (x.labels(), x.locs());
        let mut starts = vec![0u32; x.location_count() + 1];
        for (label, loc) in labels.iter().zip(locs) {
            if !label.is_fence() {
                starts[loc.index() + 1] += 1;
            }
        }
        for i in 0..x.location_count() {
            starts[i + 1] += starts[i];
        }
        let count = starts[x.location_count()] as usize;
        // Event ids go thread by thread in program order, so a stable sort by location gives the order wanted.
        let mut fill = starts.clone();
        let mut events = vec![EventId(0); count];
        let mut place_of = vec![NOWHERE; x.len()];
        for (i, (label, loc)) in labels.iter().zip(locs).enumerate() {
            if !label.is_fence() {
                let slot = &mut fill[loc.index()];
                events[*slot as usize] = EventId(i as u32);
                place_of[i] = *slot;
                *slot += 1;
            }
        }
        events.extend(x.locations().map(|loc| x.init_write(loc)));
        let init = |write: EventId| (count + write.index() - x.len()) as Place;
        let place = |e: EventId| place_of.get(e.index()).copied().unwrap_or_else(|| init(e));
        // What does not read looks at itself, and so does an initial write; what writes leaves itself. Going through the events
        // thread by thread keeps the sources, which are of about the same time, in cache.
        let mut target: Vec<Place> = (0..events.len() as Place).collect();
        let mut seen = target.clone();
        for (i, label) in labels.iter().enumerate() {
            if label.reads()
                && let Some(write) = x.rf(EventId(i as u32))
            {
                let here = place_of[i] as usize;
                target[here] = place(write);
                if !label.writes() {
                    seen[here] = target[here];
                }
            }
        }
        let (run_starts, runs) = find_runs(x, &starts, &events);
        Accesses { starts, events, place_of, target, seen, run_starts, runs }
    }

    /// The places of a location's accesses.
    pub(crate) fn of(&self, loc: LocId) -> Range<Place> {
        self.starts[loc.index()]..self.starts[loc.index() + 1]
    }

    /// The place of a location's initial write.
    pub(crate) fn init(&self, loc: LocId) -> Place {
        self.starts[self.starts.len() - 1] + loc.0
    }

    /// The place of an access or an initial write.
    pub(crate) fn place(&self, x: &Execution, e: EventId) -> Place {
        match x.is_init(e) {
            true => self.init(LocId(e.0 - x.len() as u32)),
            false => self.place_of[e.index()],
        }
    }

    /// The threads that access a location.
    pub(crate) fn runs(&self, loc: LocId) -> &[Run] {
        &self.runs[self.run_starts[loc.index()] as usize..self.run_starts[loc.index() + 1] as usize]
    }

    /// For each access e of `thread` that observes, calls `visit(location, a, e)` as [`Observer::advance`] does.
    pub(crate) fn observe(
        &self,
        x: &Execution,
        thread: ThreadId,
        clocks: Option<&Clocks>,
        observes: impl Fn(Place) -> bool,
        visit: impl FnMut(LocId, Place, Place),
    ) {
        Observer::new(x, self, thread).advance(x, self, clocks, u32::MAX, observes, visit);
    }

    /// How many runs there are: the size of an observer.
    pub(crate) fn run_count(&self) -> usize {
        self.runs.len()
    }
}

/// A thread on its way through its accesses, with what it has observed of the other threads' accesses.
pub(crate) struct Observer {
    thread: ThreadId,
    next: u32,
    /// For each run, the first access not observed yet.
    cursors: Vec<Place>,
    /// For each location, the last access that observed, or the initial write, and its clock.
    previous: Vec<(Place, Row)>,
}

impl Observer {
    pub(crate) fn new(x: &Execution, accesses: &Accesses, thread: ThreadId) -> Self {
        Observer {
            thread,
            next: x.thread_events(thread).start,
            cursors: accesses.runs.iter().map(|run| run.start).collect(),
            previous: x.locations().map(|loc| (accesses.init(loc), Clocks::EMPTY)).collect(),
        }
    }

    /// Goes on by at most `count` events. For each access e among them that observes, calls `visit(location, a, e)` where a
    /// is the thread's previous access to that location that observes, or the initial write; and where a is the last access
    /// of another thread to that location before e in `clocks`, unless it was before that previous access already. Says
    /// whether there are more events.
    ///
    /// The cursors only move forward, since clocks only grow along po: O(n) for each observer, O(n·k) in all (paper 000,
    /// section 3). Without clocks, O(n) in all.
    #[inline(always)]
    pub(crate) fn advance(
        &mut self,
        x: &Execution,
        accesses: &Accesses,
        clocks: Option<&Clocks>,
        count: u32,
        observes: impl Fn(Place) -> bool,
        mut visit: impl FnMut(LocId, Place, Place),
    ) -> bool {
        let end = x.thread_events(self.thread).end;
        let stop = end.min(self.next.saturating_add(count));
        for e in (self.next..stop).map(EventId) {
            let place = accesses.place_of[e.index()];
            if place == NOWHERE || !observes(place) {
                continue;
            }
            let loc = x.locs()[e.index()];
            let (last, row) = &mut self.previous[loc.index()];
            visit(loc, *last, place);
            *last = place;
            let Some(clocks) = clocks else { continue };
            let now = clocks.row_of(e);
            if now == *row {
                continue;
            }
            *row = now;
            let clock = clocks.row(now);
            let runs =
                accesses.run_starts[loc.index()] as usize..accesses.run_starts[loc.index() + 1] as usize;
            for (run, cursor) in accesses.runs[runs.clone()].iter().zip(&mut self.cursors[runs]) {
                let limit = run.origin + clock[run.thread.index()];
                let before = *cursor;
                if before == run.end
                    || accesses.events[before as usize].0 >= limit
                    || run.thread == self.thread
                {
                    continue;
                }
                let mut at = before + 1;
                while at < run.end && accesses.events[at as usize].0 < limit {
                    at += 1;
                }
                *cursor = at;
                visit(loc, at - 1, place);
            }
        }
        self.next = stop;
        stop < end
    }
}

fn find_runs(x: &Execution, starts: &[u32], events: &[EventId]) -> (Vec<u32>, Vec<Run>) {
    let (mut run_starts, mut runs) = (Vec::with_capacity(starts.len()), Vec::new());
    run_starts.push(0);
    for bounds in starts.windows(2) {
        let mut start = bounds[0];
        while start < bounds[1] {
            let thread = x.thread_of(events[start as usize]).expect("an event of a thread");
            let thread_events = x.thread_events(thread);
            let rest = &events[start as usize..bounds[1] as usize];
            let end = start + rest.partition_point(|e| e.0 < thread_events.end) as u32;
            runs.push(Run { thread, origin: thread_events.start, start, end });
            start = end;
        }
        run_starts.push(runs.len() as u32);
    }
    (run_starts, runs)
}

/// The rf-chains (paper 000, section 3): maximal sequences of a write and RMWs in which each reads from the one before
/// it. mo must keep the writes of a chain together, so chains are what it orders. 12 bytes an access, 8 a chain.
pub(crate) struct Chains {
    /// The chain of each access, by place: the one that the writes it looks at and leaves belong to. Chains are numbered
    /// location by location.
    pub chain: Vec<u32>,
    /// The position in its chain of the write that each access leaves, by place.
    pub position: Vec<u32>,
    /// The RMW that reads from each write, or [`NOWHERE`].
    pub next: Vec<Place>,
    /// The first write of each chain.
    pub tops: Vec<Place>,
    /// The last write of each chain.
    pub bottoms: Vec<Place>,
    /// `starts[x]..starts[x + 1]` are the chains of location x, the initial write's first.
    starts: Vec<u32>,
    /// How many writes each location has, the initial one included.
    pub writes: Vec<u32>,
}

/// Two RMWs that read from one write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedSource {
    pub write: EventId,
    pub rmws: [EventId; 2],
}

impl Chains {
    /// Finds the chains in O(n) time. po ∪ rf must be acyclic.
    pub(crate) fn new(x: &Execution, accesses: &Accesses) -> Result<Self, SharedSource> {
        let Accesses { events, target, seen, .. } = accesses;
        let mut next = vec![NOWHERE; events.len()];
        let mut tops = Vec::new();
        let (mut starts, mut writes) = (vec![0], vec![1; x.location_count()]);
        for loc in x.locations() {
            tops.push(accesses.init(loc));
            let count = &mut writes[loc.index()];
            for place in accesses.of(loc) {
                let looks_at = target[place as usize];
                *count += u32::from(seen[place as usize] == place);
                if looks_at == place {
                    tops.push(place);
                } else if seen[place as usize] == place {
                    let first = std::mem::replace(&mut next[looks_at as usize], place);
                    if first != NOWHERE {
                        let rmws = [first, place].map(|place| events[place as usize]);
                        return Err(SharedSource { write: events[looks_at as usize], rmws });
                    }
                }
            }
            starts.push(tops.len() as u32);
        }
        let (mut chain, mut position) = (vec![0; events.len()], vec![0; events.len()]);
        let mut bottoms = tops.clone();
        for (id, bottom) in (0..).zip(&mut bottoms) {
            let mut depth = 0;
            chain[*bottom as usize] = id;
            while next[*bottom as usize] != NOWHERE {
                *bottom = next[*bottom as usize];
                depth += 1;
                chain[*bottom as usize] = id;
                position[*bottom as usize] = depth;
            }
        }
        for (place, &write) in seen.iter().enumerate() {
            (chain[place], position[place]) = (chain[write as usize], position[write as usize]);
        }
        Ok(Chains { chain, position, next, tops, bottoms, starts, writes })
    }

    /// The chains of a location.
    pub(crate) fn of(&self, loc: LocId) -> Range<u32> {
        self.starts[loc.index()]..self.starts[loc.index() + 1]
    }

    /// Whether a chain has more than its first write.
    pub(crate) fn is_long(&self, chain: u32) -> bool {
        self.tops[chain as usize] != self.bottoms[chain as usize]
    }
}

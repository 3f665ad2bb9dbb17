//! The accesses of others that each thread observes (Tunç et al. 2023, section 3: lastWriteBefore and lastReadBefore).

use super::chains::{Chains, Link};
use super::latest::{Latest, Walk};
use crate::memory::order::past::clocks::{Clocks, Row};
use crate::memory::order::past::pasts::{PastSets, Pasts, has_many_threads};
use std::ops::Range;
use tribunal_history::memory::{EventId, Execution, LocId, ThreadId};

/// An access and the write it leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observed {
    pub event: EventId,
    pub left: Link,
}

/// The accesses that other threads may observe: grouped by location, then by thread, then in program order. 12 bytes
/// each.
///
/// A read need not be among them if its source is before it in the order that the observers go by: whoever observes the
/// read then observes the source, which the source's thread never goes back behind.
pub(crate) struct Observable {
    entries: Vec<Observed>,
    /// `runs[run_starts[x]..run_starts[x + 1]]` are the runs of location x.
    run_starts: Vec<u32>,
    runs: Vec<Run>,
}

/// The accesses of one thread to one location, up to the next run or the location's end.
#[derive(Clone, Copy, Debug)]
struct Run {
    thread: ThreadId,
    /// The thread's first event, of whatever location.
    origin: u32,
    start: u32,
}

/// The number of events that a thread goes on by before the next thread has its turn.
pub(crate) const TURN: u32 = 2048;

/// Behind the accesses of a location: it comes after every event.
const END: EventId = EventId(u32::MAX);

impl Observable {
    /// The accesses for which `observable` holds, in O(n + k) time.
    pub(crate) fn new(x: &Execution, chains: &Chains, observable: impl Fn(EventId) -> bool) -> Self {
        Observable::linked(x, |e| chains.link(e), observable)
    }

    /// The writes, for observers to whom chains mean nothing.
    pub(crate) fn writes(x: &Execution) -> Self {
        Observable::linked(x, |_| Link::default(), |e| x.label(e).writes())
    }

    fn linked(x: &Execution, link: impl Fn(EventId) -> Link, observable: impl Fn(EventId) -> bool) -> Self {
        let chosen: Vec<bool> = x.events().map(|e| !x.label(e).is_fence() && observable(e)).collect();
        let mut starts = vec![1u32; x.location_count() + 1];
        starts[0] = 0;
        for (loc, _) in x.locs().iter().zip(&chosen).filter(|&(_, &chosen)| chosen) {
            starts[loc.index() + 1] += 1;
        }
        for i in 0..x.location_count() {
            starts[i + 1] += starts[i];
        }
        // Event ids go thread by thread in program order, so a stable sort by location gives the order wanted.
        let end = Observed { event: END, left: Link::default() };
        let mut entries = vec![end; starts[x.location_count()] as usize];
        let mut fill = starts.clone();
        for e in x.events().filter(|&e| chosen[e.index()]) {
            let slot = &mut fill[x.locs()[e.index()].index()];
            entries[*slot as usize] = Observed { event: e, left: link(e) };
            *slot += 1;
        }
        let (run_starts, runs) = find_runs(x, &starts, &entries);
        Observable { entries, run_starts, runs }
    }

    /// The number of runs: the size of an observer.
    pub(crate) fn run_count(&self) -> usize {
        self.runs.len()
    }

    /// The runs of a location.
    pub(crate) fn run_range(&self, loc: LocId) -> Range<usize> {
        self.run_starts[loc.index()] as usize..self.run_starts[loc.index() + 1] as usize
    }

    pub(crate) fn run_thread(&self, run: usize) -> ThreadId {
        self.runs[run].thread
    }
}

fn find_runs(x: &Execution, starts: &[u32], entries: &[Observed]) -> (Vec<u32>, Vec<Run>) {
    let (mut run_starts, mut runs) = (Vec::with_capacity(starts.len()), Vec::new());
    run_starts.push(0);
    for bounds in starts.windows(2) {
        let (mut start, end) = (bounds[0] as usize, bounds[1] as usize - 1);
        while start < end {
            let thread = x.thread_of(entries[start].event).expect("an event of a thread");
            let events = x.thread_events(thread);
            runs.push(Run { thread, origin: events.start, start: start as u32 });
            start += entries[start..end].partition_point(|entry| entry.event.0 < events.end);
        }
        run_starts.push(runs.len() as u32);
    }
    (run_starts, runs)
}

/// The accesses that threads may observe of each other, as it suits the pasts by which they observe.
pub(crate) enum Accesses {
    /// For clocks, or to see only one's own.
    ByThread(Observable),
    /// For sets.
    InReplay(Latest),
    /// To see only one's own, where threads are many.
    Own,
}

impl Accesses {
    /// The accesses for which `observable` holds, in O(n + k) time.
    pub(crate) fn new(
        x: &Execution,
        chains: &Chains,
        pasts: Option<&Pasts>,
        observable: impl Fn(EventId) -> bool,
    ) -> Self {
        match pasts {
            Some(Pasts::Sets(sets)) => Accesses::InReplay(Latest::new(x, sets, observable)),
            None if has_many_threads(x) => Accesses::Own,
            _ => Accesses::ByThread(Observable::new(x, chains, observable)),
        }
    }

    /// The accesses with the pasts they were made for.
    pub(crate) fn sight<'a>(&'a self, pasts: Option<&'a Pasts>) -> Sight<'a> {
        match (self, pasts) {
            (Accesses::ByThread(observable), Some(Pasts::Clocks(clocks))) => {
                Sight::Clocks(observable, Some(clocks))
            }
            (Accesses::ByThread(observable), _) => Sight::Clocks(observable, None),
            (Accesses::InReplay(latest), Some(Pasts::Sets(sets))) => Sight::Sets(Some((latest, sets))),
            _ => Sight::Sets(None),
        }
    }
}

/// The way in which threads see each other's accesses.
#[derive(Clone, Copy)]
pub(crate) enum Sight<'a> {
    /// By clocks; without clocks they see only their own accesses.
    Clocks(&'a Observable, Option<&'a Clocks>),
    /// By sets, where threads are many; without sets they see only their own accesses.
    Sets(Option<(&'a Latest, &'a PastSets)>),
}

/// The scene that observers look at by clocks. Without clocks they see only their own accesses.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub x: &'a Execution,
    pub chains: &'a Chains,
    pub observable: &'a Observable,
    pub clocks: Option<&'a Clocks>,
}

/// Has every thread observe all it does: `visit(a, e)` for each access `e` that `observes` and each `a` that it observes, as
/// [`Observer::advance`] and [`Walk::observe`] say.
pub(crate) fn observe_all(
    x: &Execution,
    chains: &Chains,
    sight: Sight<'_>,
    observes: impl Fn(EventId) -> bool,
    mut visit: impl FnMut(EventId, EventId),
) {
    match sight {
        Sight::Clocks(observable, clocks) => {
            let scene = Scene { x, chains, observable, clocks };
            for thread in x.threads() {
                let enter = |e, _| observes(e).then_some(e);
                Observer::new(&scene, thread).advance(&scene, u32::MAX, enter, |&e, a| visit(a.event, e));
            }
        }
        Sight::Sets(sight) => {
            let mut walk = Walk::new(x, sight);
            x.threads().for_each(|thread| walk.observe(thread, &observes, &mut visit));
        }
    }
}

/// A thread on its way through its accesses, with what it has observed of the other threads' accesses.
pub(crate) struct Observer {
    thread: ThreadId,
    next: u32,
    fronts: Fronts,
    /// For each location, the last access that observed, or the initial write, and its clock.
    previous: Vec<(Observed, Row)>,
}

impl Observer {
    pub(crate) fn new(scene: &Scene<'_>, thread: ThreadId) -> Self {
        let init = |loc| scene.x.init_write(loc);
        let first = |loc| Observed { event: init(loc), left: scene.chains.link(init(loc)) };
        Observer {
            thread,
            next: scene.x.thread_events(thread).start,
            fronts: Fronts::new(scene.observable, thread),
            previous: scene.x.locations().map(|loc| (first(loc), Clocks::EMPTY)).collect(),
        }
    }

    /// Goes on by at most `count` events. For each access e among them for which `enter(e, location)` gives a view, calls
    /// `visit(view, a)` for the thread's previous such access to that location, or the initial write; and for the last
    /// observable access a of each other thread to that location before e in the clocks, unless it was before that previous
    /// access already. Says whether there are more events.
    ///
    /// The fronts only move forward, since clocks only grow along po: O(n) for each observer, O(n·k) in all. Without clocks,
    /// O(n) in all.
    #[inline(always)]
    pub(crate) fn advance<V>(
        &mut self,
        scene: &Scene<'_>,
        count: u32,
        mut enter: impl FnMut(EventId, LocId) -> Option<V>,
        mut visit: impl FnMut(&V, Observed),
    ) -> bool {
        let Scene { x, chains, observable, clocks } = *scene;
        let end = x.thread_events(self.thread).end;
        let stop = end.min(self.next.saturating_add(count));
        for e in (self.next..stop).map(EventId) {
            if x.labels()[e.index()].is_fence() {
                continue;
            }
            let loc = x.locs()[e.index()];
            let Some(view) = enter(e, loc) else { continue };
            let (last, row) = &mut self.previous[loc.index()];
            visit(&view, std::mem::replace(last, Observed { event: e, left: chains.link(e) }));
            if let Some(clocks) = clocks
                && clocks.row_of(e) != *row
            {
                *row = clocks.row_of(e);
                self.fronts.advance(observable, loc, clocks.row(*row), |_, last| visit(&view, last));
            }
        }
        self.next = stop;
        stop < end
    }
}

/// For each run, how much of it an observer has observed.
pub(crate) struct Fronts {
    /// The first entry of the run not observed yet, or the one behind the run.
    cursors: Vec<u32>,
    /// What its event is as an index in the run's thread: at least the length of the thread if it is behind the run, or
    /// [`NEVER`] for the observer's own run.
    next: Vec<u32>,
}

/// More than any clock counts.
const NEVER: u32 = u32::MAX;

impl Fronts {
    /// The fronts of an observer at its start. It never observes its own accesses.
    pub(crate) fn new(observable: &Observable, observer: ThreadId) -> Self {
        let next = |run: &Run| match run.thread == observer {
            true => NEVER,
            false => observable.entries[run.start as usize].event.0 - run.origin,
        };
        Fronts {
            cursors: observable.runs.iter().map(|run| run.start).collect(),
            next: observable.runs.iter().map(next).collect(),
        }
    }

    /// Moves the fronts of a location past the accesses that `clock` knows; calls `moved(run, last)` for those that move,
    /// with the last access they move past.
    #[inline(always)]
    pub(crate) fn advance(
        &mut self,
        observable: &Observable,
        loc: LocId,
        clock: &[u32],
        mut moved: impl FnMut(usize, Observed),
    ) {
        let Observable { entries, runs, .. } = observable;
        let Range { mut start, end } = observable.run_range(loc);
        while start < end {
            let stop = end.min(start + 64);
            let mut moving = Self::moving(&runs[start..stop], &self.next[start..stop], clock);
            while moving != 0 {
                let i = start + moving.trailing_zeros() as usize;
                moving &= moving - 1;
                let run = &runs[i];
                let limit = run.origin + clock[run.thread.index()];
                // Behind the run are later threads' events, or the location's end: all of them are beyond the limit.
                let mut last = entries[self.cursors[i] as usize];
                let mut cursor = self.cursors[i] + 1;
                let mut behind = entries[cursor as usize];
                while behind.event.0 < limit {
                    last = behind;
                    cursor += 1;
                    behind = entries[cursor as usize];
                }
                self.cursors[i] = cursor;
                self.next[i] = behind.event.0 - run.origin;
                moved(i, last);
            }
            start = stop;
        }
    }

    /// A bit for each of at most 64 fronts that `clock` moves. Without a branch: which ones move is anyone's guess.
    #[inline(always)]
    fn moving(runs: &[Run], next: &[u32], clock: &[u32]) -> u64 {
        let bits = |bits: u64, moves: bool| bits << 1 | u64::from(moves);
        match runs.len() == clock.len() {
            // Every thread accesses the location, so the clock has the entries in the order of the runs.
            true => next.iter().zip(clock).rev().fold(0, |moving, (next, known)| bits(moving, next < known)),
            false => next
                .iter()
                .zip(runs)
                .rev()
                .fold(0, |moving, (&next, run)| bits(moving, next < clock[run.thread.index()])),
        }
    }
}

//! What must come before each access whatever mo is, for the baseline search.
//!
//! Edges lead from an event to those that wait for it. A thread may keep all of its earlier reads before an event: rather
//! than an edge from each there is one from a *junction*, a node that waits for the reads so far. So there are few edges an
//! event, whatever the model.

use crate::reach::lists::Lists;
use std::collections::VecDeque;
use tribunal_history::heap::Heap;
use tribunal_history::memory::{EventId, Execution, LocId, Order};
use tribunal_history::model::{Keep, Preserved};

/// The nodes are the events of the threads, then the junctions. Fences are no part of it.
pub(super) struct Placement {
    events: usize,
    /// By node, those that wait for it.
    targets: Lists<u32>,
    /// For how many nodes a node still waits.
    waits: Vec<u32>,
    /// Junctions that are being freed, or unfreed.
    stack: Vec<u32>,
}

impl Placement {
    /// None if no mo can satisfy the local view or the given dependencies.
    pub(super) fn new(
        x: &Execution,
        preserved: &Preserved,
        pairs: impl Iterator<Item = (EventId, EventId)>,
    ) -> Option<Self> {
        if preserved.dependencies && !dependencies_are_grounded(x) {
            return None;
        }
        let mut edges = Edges { list: Vec::new(), nodes: x.len() as u32 };
        global(x, preserved, &mut edges);
        if !keeps_all(preserved) {
            local(x, preserved, &mut edges)?;
        }
        finals(x, &mut edges)?;
        pairs.for_each(|(first, second)| edges.add(first.0, second.0));
        Some(Placement::from_edges(x.len(), edges))
    }

    fn from_edges(events: usize, Edges { mut list, nodes }: Edges) -> Self {
        list.sort_unstable();
        list.dedup();
        let mut waits = vec![0; nodes as usize];
        list.iter().for_each(|&(_, to)| waits[to as usize] += 1);
        let targets = Lists::of_pairs(nodes as usize, list.iter().map(|&(from, to)| (from as usize, to)));
        Placement { events, targets, waits, stack: Vec::new() }
    }

    /// Whether an event waits for nothing.
    pub(super) fn is_free(&self, event: EventId) -> bool {
        self.waits[event.index()] == 0
    }

    /// Frees those that wait for the event; appends the events that now wait for nothing.
    pub(super) fn free(&mut self, event: EventId, freed: &mut VecDeque<EventId>) {
        self.stack.push(event.0);
        while let Some(node) = self.stack.pop() {
            for &target in self.targets.of(node as usize) {
                self.waits[target as usize] -= 1;
                if self.waits[target as usize] == 0 {
                    if (target as usize) < self.events {
                        freed.push_back(EventId(target));
                    } else {
                        self.stack.push(target);
                    }
                }
            }
        }
    }

    /// Undoes [`free`](Self::free).
    pub(super) fn unfree(&mut self, event: EventId) {
        self.stack.push(event.0);
        while let Some(node) = self.stack.pop() {
            for &target in self.targets.of(node as usize) {
                if self.waits[target as usize] == 0 && target as usize >= self.events {
                    self.stack.push(target);
                }
                self.waits[target as usize] += 1;
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.targets.bytes() + self.waits.held()
    }
}

struct Edges {
    list: Vec<(u32, u32)>,
    nodes: u32,
}

impl Edges {
    fn add(&mut self, from: u32, to: u32) {
        self.list.push((from, to));
    }

    /// A node that waits for these two.
    fn junction(&mut self, a: u32, b: u32) -> u32 {
        let node = self.nodes;
        self.nodes += 1;
        self.list.extend([(a, node), (b, node)]);
        node
    }

    /// mo(first, second), both of one location; none if that cannot be.
    fn mo(&mut self, x: &Execution, first: EventId, second: EventId) -> Option<()> {
        if first == second || x.is_init(first) {
            Some(())
        } else if x.is_init(second) {
            None
        } else {
            self.add(first.0, second.0);
            Some(())
        }
    }
}

/// Whether the global view has all of po and of rf, and the local view with it.
fn keeps_all(p: &Preserved) -> bool {
    [p.rr, p.rw, p.wr, p.ww] == [Keep::Always; 4] && p.rmws && p.internal_rf
}

/// Some events of a thread so far, as a node that waits for them all, if there is one yet.
#[derive(Clone, Copy, Default)]
struct SoFar(Option<u32>);

impl SoFar {
    /// Adds an event; if it comes after the others anyway it can stand for them.
    fn add(&mut self, event: u32, comes_after: bool, edges: &mut Edges) {
        self.0 = match self.0 {
            Some(others) if !comes_after => Some(edges.junction(others, event)),
            _ => Some(event),
        };
    }
}

/// po-mm and rf-mm.
fn global(x: &Execution, p: &Preserved, edges: &mut Edges) {
    let fences = x.features().fences > 0 && !keeps_all(p);
    // Reads and writes of a thread and a location so far, forgotten with the thread.
    let mut of_loc = vec![(u32::MAX, [SoFar::default(); 2]); x.location_count()];
    for thread in x.threads() {
        let (mut all, mut timed) = ([SoFar::default(); 2], TimedReads::default());
        let mut fenced = Fenced::default();
        for e in x.thread_events(thread) {
            let (event, label) = (EventId(e), x.label(EventId(e)));
            let Some(LocId(loc)) = x.loc(event) else {
                fenced.fence(label.order());
                continue;
            };
            let (stamp, here) = &mut of_loc[loc as usize];
            if *stamp != thread.0 {
                (*stamp, *here) = (thread.0, Default::default());
            }
            let kinds =
                if label.is_of_rmw() && !p.rmws { [false; 2] } else { [label.reads(), label.writes()] };
            let keep = [[p.rr, p.rw], [p.wr, p.ww]];
            for (from, to) in [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().filter(|&(_, to)| kinds[to]) {
                let before = match keep[from][to] {
                    Keep::Never => None,
                    Keep::SameLocation => here[from].0,
                    Keep::Always => all[from].0,
                };
                before.inspect(|&before| edges.add(before, e));
            }
            for kind in [0, 1].into_iter().filter(|&kind| kinds[kind]) {
                if keep[kind].contains(&Keep::Always) {
                    all[kind].add(e, keep[kind][kind] == Keep::Always, edges);
                }
                if keep[kind].contains(&Keep::SameLocation) {
                    here[kind].add(e, keep[kind][kind] >= Keep::SameLocation, edges);
                }
            }
            if fences {
                fenced.access(event, x, edges);
            }
            if p.dependencies {
                x.deps(event).for_each(|on| edges.add(on.0, e));
            }
            if p.times && x.features().times {
                timed.access(event, x, edges);
            }
            if let Some(source) = x.rf(event)
                && !x.is_init(source)
                && (p.internal_rf || x.thread_of(source) != Some(thread))
            {
                edges.add(source.0, e);
            }
        }
    }
}

/// What the fences of a thread so far keep before its later events.
#[derive(Default)]
struct Fenced {
    accesses: SoFar,
    reads: SoFar,
    /// Accesses before the last seq_cst fence, reads before the last acquire fence, accesses before the last release
    /// fence: a later fence keeps all that an earlier one of its sort does.
    full: Option<u32>,
    acquire: Option<u32>,
    release: Option<u32>,
}

impl Fenced {
    fn fence(&mut self, order: Order) {
        if order == Order::SeqCst {
            self.full = self.accesses.0;
        }
        if order.is_acquire() {
            self.acquire = self.reads.0;
        }
        if order.is_release() {
            self.release = self.accesses.0;
        }
    }

    fn access(&mut self, event: EventId, x: &Execution, edges: &mut Edges) {
        let label = x.label(event);
        let release = self.release.filter(|_| label.writes());
        for before in [self.full, self.acquire, release].into_iter().flatten() {
            edges.add(before, event.0);
        }
        self.accesses.add(event.0, false, edges);
        if label.reads() {
            self.reads.add(event.0, false, edges);
        }
    }
}

/// The reads of a thread so far, with when they ended.
#[derive(Default)]
struct TimedReads {
    reads: Vec<(u64, EventId)>,
    /// For each read, when it and all before it had ended, and a node that waits for them.
    prefixes: Vec<(u64, SoFar)>,
}

impl TimedReads {
    fn access(&mut self, event: EventId, x: &Execution, edges: &mut Edges) {
        let interval = x.interval(event);
        if let Some(begin) = interval.begin {
            let ended = self.prefixes.partition_point(|&(end, _)| end < begin);
            let prefix = ended.checked_sub(1).and_then(|i| self.prefixes[i].1.0);
            prefix.inspect(|&before| edges.add(before, event.0));
            for &(_, read) in self.reads[ended..].iter().filter(|&&(end, _)| end < begin) {
                edges.add(read.0, event.0);
            }
        }
        if x.label(event).reads() {
            let end = interval.end.unwrap_or(u64::MAX);
            let (latest, mut reads) = self.prefixes.last().copied().unwrap_or_default();
            reads.add(event.0, false, edges);
            self.prefixes.push((latest.max(end), reads));
            self.reads.push((end, event));
        }
    }
}

/// mo edges of the local view: what one thread's accesses of a location write or read from is in mo order.
fn local(x: &Execution, p: &Preserved, edges: &mut Edges) -> Option<()> {
    // The last write, and what the last access wrote or read from, forgotten with the thread.
    let mut of_loc = vec![(u32::MAX, None, None); x.location_count()];
    for thread in x.threads() {
        for event in x.thread_events(thread).map(EventId) {
            let Some(loc) = x.loc(event) else { continue };
            let (stamp, last_write, last_seen) = &mut of_loc[loc.index()];
            if *stamp != thread.0 {
                (*stamp, *last_write, *last_seen) = (thread.0, None, None);
            }
            if x.rf(event).is_some_and(|source| source >= event && x.thread_of(source) == Some(thread)) {
                return None;
            }
            let writes = x.label(event).writes();
            let seen = if writes { event } else { x.rf(event).expect("a read has a source") };
            if let Some(first) = if p.load_hazards { *last_write } else { *last_seen } {
                edges.mo(x, first, seen)?;
            }
            if writes {
                *last_write = Some(event);
            }
            *last_seen = Some(seen);
        }
    }
    if p.load_hazards {
        reads_before_writes(x, edges);
    }
    Some(())
}

/// With load hazards, each read, not just the last, is compared with the write that follows it.
fn reads_before_writes(x: &Execution, edges: &mut Edges) {
    let mut next_write = vec![(u32::MAX, EventId(0)); x.location_count()];
    for thread in x.threads() {
        for event in x.thread_events(thread).rev().map(EventId) {
            let Some(loc) = x.loc(event) else { continue };
            if let Some(source) = x.rf(event)
                && next_write[loc.index()].0 == thread.0
                && !x.is_init(source)
            {
                edges.add(source.0, next_write[loc.index()].1.0);
            }
            if x.label(event).writes() {
                next_write[loc.index()] = (thread.0, event);
            }
        }
    }
}

/// mo edges to the writes that must be last.
fn finals(x: &Execution, edges: &mut Edges) -> Option<()> {
    if x.finals().is_empty() {
        return Some(());
    }
    let mut last = vec![None; x.location_count()];
    for &(loc, write) in x.finals() {
        if last[loc.index()].is_some_and(|other| other != write) {
            return None;
        }
        last[loc.index()] = Some(write);
    }
    for write in x.events().filter(|&e| x.label(e).writes()) {
        if let Some(last) = last[x.locs()[write.index()].index()] {
            edges.mo(x, write, last)?;
        }
    }
    Some(())
}

/// acyclic(deps ∪ rf).
fn dependencies_are_grounded(x: &Execution) -> bool {
    if !x.features().deps {
        return true;
    }
    let mut edges = Edges { list: Vec::new(), nodes: x.len() as u32 };
    for event in x.events() {
        x.deps(event).for_each(|on| edges.add(on.0, event.0));
        if let Some(source) = x.rf(event).filter(|&source| !x.is_init(source)) {
            edges.add(source.0, event.0);
        }
    }
    let mut graph = Placement::from_edges(x.len(), edges);
    let mut free: VecDeque<EventId> = x.events().filter(|&event| graph.is_free(event)).collect();
    let mut grounded = 0;
    while let Some(event) = free.pop_front() {
        grounded += 1;
        graph.free(event, &mut free);
    }
    grounded == x.len()
}

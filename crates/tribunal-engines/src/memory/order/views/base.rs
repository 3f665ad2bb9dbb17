//! The base graph of a multiprocessor model: what its global view holds before any mo is chosen.
//!
//! Its edges are po-mm, rf-mm and the mo edges that the local view asks for. For a total mo, acyclic(po-loc ∪ rf ∪ mo ∪ fr)
//! says no more than this, with W(e) = e if e writes and its source otherwise: in every thread, W(e1) and W(e2) of adjacent
//! accesses of one location are the same write or mo-ordered so; no read comes before its source; nothing comes
//! between an RMW and its source. The first is O(n) edges, the second is checked here, the third follows in the global
//! view. So one graph decides both views.
//!
//! The initial writes have no nodes. What reads one comes before every other write of its location: by way of a node
//! that stands for the location's first overwriting. There are O(n) edges and nodes in all.

use crate::reach::graph::Node;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tribunal_history::memory::{EventId, Execution, Kind, LocId, Order, ThreadId};
use tribunal_history::model::{Keep, Preserved};

/// What makes up the line of each thread: events that every path of the global view keeps in order, and from which the
/// writes that come before an event can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// All events (sc).
    Events,
    /// Writes, RMWs and full fences (tso).
    Writes,
    /// Reads, RMWs and full fences (pso).
    Reads,
    /// Full fences, and what stands beside acquire fences (rmo, wmo).
    Fences,
    /// seq_cst events (psc).
    SeqCst,
}

impl Line {
    pub(crate) fn of(x: &Execution, preserved: &Preserved) -> Self {
        if !keeps_all_kinds(x, preserved) {
            return Line::Fences;
        }
        let [rr, rw, wr, ww] =
            [preserved.rr, preserved.rw, preserved.wr, preserved.ww].map(|keep| keep == Keep::Always);
        match (rr && rw && wr && ww, ww && rw, rr) {
            (true, _, _) => Line::Events,
            (_, true, _) => Line::Writes,
            (_, _, true) => Line::Reads,
            _ => Line::Fences,
        }
    }

    /// Whether an event is on the line of its thread.
    #[inline(always)]
    pub(crate) fn holds(self, kind: Kind, order: Order) -> bool {
        match kind {
            _ if self == Line::SeqCst => order == Order::SeqCst,
            Kind::Fence => self == Line::Events || order == Order::SeqCst,
            Kind::Read => matches!(self, Line::Events | Line::Reads),
            Kind::Write => matches!(self, Line::Events | Line::Writes),
            Kind::Rmw => self != Line::Fences,
        }
    }

    /// Whether the writes of a thread are on its line.
    pub(crate) fn holds_writes(self) -> bool {
        matches!(self, Line::Events | Line::Writes)
    }
}

/// Whether what a model keeps of the reads and of the writes of a thread it keeps of all of them: RMWs may be an exception.
pub(crate) fn keeps_all_kinds(x: &Execution, preserved: &Preserved) -> bool {
    preserved.rmws || x.features().rmws == 0
}

/// A contradiction that is found before any order is considered.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Contradiction {
    /// The read comes before its source in its thread, or is it.
    ReadsLater { read: EventId },
    /// The read reads the initial write after `after`, an earlier access of its thread, had left another.
    ReadsInitial { read: EventId, after: EventId },
    /// The initial write is the given final one, and this is another.
    FinalInitial { write: EventId },
    /// Two RMWs read from one write.
    SharedSource { write: EventId, rmws: [EventId; 2] },
}

pub(crate) struct Base {
    pub nodes: usize,
    pub edges: Vec<(Node, Node)>,
    pub line: Line,
    pub barriers: Vec<Barrier>,
}

/// A node beside an acquire or a release fence: it comes after what the fence holds back of the events before it, and
/// before what the fence holds back of those after it. Those of one side are in line in a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Barrier {
    pub node: Node,
    pub fence: EventId,
    pub release: bool,
}

/// The write that an access leaves behind or sees: itself if it writes, its source otherwise.
#[inline(always)]
pub(crate) fn seen_by(x: &Execution, e: EventId) -> Option<EventId> {
    if x.label(e).writes() { Some(e) } else { x.rf(e) }
}

impl Base {
    pub(crate) fn new(x: &Execution, preserved: &Preserved) -> Result<Self, Contradiction> {
        shared_source(x)?;
        let line = Line::of(x, preserved);
        let mut builder = Builder {
            x,
            preserved,
            nodes: x.len(),
            edges: Vec::with_capacity(2 * x.len()),
            last: vec![None; x.location_count()],
            hazards: vec![Vec::new(); if preserved.load_hazards { x.location_count() } else { 0 }],
            touched: Vec::new(),
            init_readers: Vec::new(),
            barriers: Vec::new(),
        };
        for thread in x.threads() {
            builder.preserved_order(thread, line);
            builder.local_view(thread)?;
        }
        builder.reads_from();
        builder.initial_reads();
        builder.finals()?;
        let Builder { nodes, edges, barriers, .. } = builder;
        Ok(Base { nodes, edges, line, barriers })
    }
}

fn shared_source(x: &Execution) -> Result<(), Contradiction> {
    if x.features().rmws < 2 {
        return Ok(());
    }
    let mut reader: Vec<u32> = vec![u32::MAX; x.len() + x.location_count()];
    for e in x.events().filter(|&e| x.label(e).kind() == Kind::Rmw) {
        let write = x.rf(e).expect("an RMW reads");
        let other = std::mem::replace(&mut reader[write.index()], e.0);
        if other != u32::MAX {
            return Err(Contradiction::SharedSource { write, rmws: [EventId(other), e] });
        }
    }
    Ok(())
}

struct Builder<'a> {
    x: &'a Execution,
    preserved: &'a Preserved,
    nodes: usize,
    edges: Vec<(Node, Node)>,
    /// The last access of the thread at hand to each location (where load-load hazards are allowed: the last that writes).
    last: Vec<Option<EventId>>,
    /// The sources of the reads since, where load-load hazards are allowed.
    hazards: Vec<Vec<EventId>>,
    touched: Vec<LocId>,
    /// Reads from initial writes that others of their thread do not come after.
    init_readers: Vec<EventId>,
    barriers: Vec<Barrier>,
}

/// Some earlier events of a thread: the last of them if they are in line, otherwise all, by way of collecting nodes.
#[derive(Clone, Default)]
struct Past {
    last: Option<Node>,
    pending: Vec<Node>,
}

impl Past {
    fn add(&mut self, node: Node, in_line: bool) {
        if in_line {
            self.last = Some(node);
        } else {
            self.pending.push(node);
        }
    }

    /// A node that comes after all of them and nothing else, unless there are none.
    fn gather(&mut self, nodes: &mut usize, edges: &mut Vec<(Node, Node)>) -> Option<Node> {
        if !self.pending.is_empty() {
            let gathered = Node(*nodes as u32);
            *nodes += 1;
            edges.extend(self.pending.drain(..).chain(self.last).map(|node| (node, gathered)));
            self.last = Some(gathered);
        }
        self.last
    }

    fn clear(&mut self) {
        self.last = None;
        self.pending.clear();
    }
}

impl Builder<'_> {
    /// The edges of po-mm in a thread.
    fn preserved_order(&mut self, thread: ThreadId, line: Line) {
        let x = self.x;
        let events = x.thread_events(thread);
        if line == Line::Events {
            self.edges.extend(events.clone().skip(1).map(|e| (Node(e - 1), Node(e))));
            return;
        }
        self.kinds(thread);
        if x.features().fences > 0 {
            self.fences(thread);
        }
        if self.preserved.dependencies && x.features().deps {
            for e in events.clone().map(EventId) {
                self.edges.extend(x.deps(e).map(|on| (on.into(), e.into())));
            }
        }
        if self.preserved.times && x.features().times {
            self.times(thread);
        }
    }

    /// Pairs kept by the kinds of their ends.
    fn kinds(&mut self, thread: ThreadId) {
        let Preserved { rr, rw, wr, ww, rmws, .. } = *self.preserved;
        let mut any: [Past; 2] = Default::default();
        let by_location = [rr, rw, wr, ww].contains(&Keep::SameLocation);
        let mut of_location: Vec<[Past; 2]> = Vec::new();
        if by_location {
            of_location.resize(self.x.location_count(), Default::default());
        }
        for e in self.x.thread_events(thread).map(EventId) {
            let label = self.x.label(e);
            let Some(loc) = self.x.loc(e) else { continue };
            if label.is_of_rmw() && !rmws {
                continue;
            }
            let (reads, writes) = (label.reads(), label.writes());
            let before = self.edges.len();
            for (past, keep_read, keep_write) in [(0, rr, rw), (1, wr, ww)] {
                let keep = match (reads, writes) {
                    (true, true) => keep_read.max(keep_write),
                    (true, _) => keep_read,
                    _ => keep_write,
                };
                let pred = match keep {
                    Keep::Never => None,
                    Keep::Always => any[past].gather(&mut self.nodes, &mut self.edges),
                    Keep::SameLocation => {
                        of_location[loc.index()][past].gather(&mut self.nodes, &mut self.edges)
                    }
                };
                if let Some(pred) = pred
                    && self.edges[before..].last() != Some(&(pred, e.into()))
                {
                    self.edges.push((pred, e.into()));
                }
            }
            let uses = |keep: Keep| rr == keep || rw == keep;
            let write_uses = |keep: Keep| wr == keep || ww == keep;
            if reads && uses(Keep::Always) {
                any[0].add(e.into(), rr == Keep::Always);
            }
            if writes && write_uses(Keep::Always) {
                any[1].add(e.into(), ww == Keep::Always);
            }
            if reads && uses(Keep::SameLocation) {
                of_location[loc.index()][0].add(e.into(), rr == Keep::SameLocation);
            }
            if writes && write_uses(Keep::SameLocation) {
                of_location[loc.index()][1].add(e.into(), ww == Keep::SameLocation);
            }
        }
    }

    /// Pairs kept by a fence between them. A full fence is a node of its own; what an acquire or a release fence holds
    /// back is gathered in a node beside it.
    fn fences(&mut self, thread: ThreadId) {
        // What kinds keep, fences need not keep once more.
        let Preserved { rr, rw, ww, rmws, .. } = *self.preserved;
        let kept = |pairs: [Keep; 2]| rmws && pairs == [Keep::Always; 2];
        let (acquires, releases) = (!kept([rr, rw]), !kept([rw, ww]));
        let (mut all, mut reads, mut full) = (Past::default(), Past::default(), Past::default());
        let mut last_full: Option<Node> = None;
        for e in self.x.thread_events(thread).map(EventId) {
            let label = self.x.label(e);
            let node = Node::from(e);
            if !label.is_fence() {
                let held_by = [last_full, reads.last, if label.writes() { all.last } else { None }];
                self.edges.extend(held_by.into_iter().flatten().map(|fence| (fence, node)));
                full.add(node, false);
                if releases {
                    all.add(node, false);
                }
                if acquires && label.reads() {
                    reads.add(node, false);
                }
            } else if label.order() == Order::SeqCst {
                self.edges.extend(full.pending.drain(..).chain(last_full).map(|before| (before, node)));
                last_full = Some(node);
                all.clear();
                reads.clear();
            } else {
                let sides = [
                    (label.order().is_acquire(), &mut reads, false),
                    (label.order().is_release(), &mut all, true),
                ];
                for (holds, past, release) in sides {
                    let nodes = self.nodes;
                    if holds
                        && let Some(node) = past.gather(&mut self.nodes, &mut self.edges)
                        && node.index() == nodes
                    {
                        self.barriers.push(Barrier { node, fence: e, release });
                    }
                }
            }
        }
    }

    /// Pairs kept because the first, a read, had ended before the second began.
    fn times(&mut self, thread: ThreadId) {
        let mut running: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
        let mut ended = Past::default();
        let mut latest = 0;
        for e in self.x.thread_events(thread).map(EventId) {
            let interval = self.x.interval(e);
            if let Some(begin) = interval.begin {
                if begin >= latest {
                    latest = begin;
                    while let Some(&Reverse((end, read))) = running.peek()
                        && end < begin
                    {
                        running.pop();
                        ended.add(Node(read), false);
                    }
                    let gathered = ended.gather(&mut self.nodes, &mut self.edges);
                    self.edges.extend(gathered.map(|before| (before, e.into())));
                } else {
                    // It began before an earlier event did: the reads gathered may include some that it overtook.
                    let earlier = self.x.thread_events(thread).start..e.0;
                    let ended_before = |&r: &EventId| {
                        self.x.label(r).reads() && self.x.interval(r).end.is_some_and(|end| end < begin)
                    };
                    let reads = earlier.map(EventId).filter(ended_before);
                    self.edges.extend(reads.map(|r| (r.into(), e.into())));
                }
            }
            if let Some(end) = interval.end
                && self.x.label(e).reads()
            {
                running.push(Reverse((end, e.0)));
            }
        }
    }

    /// The mo edges between what adjacent accesses of a location see.
    fn local_view(&mut self, thread: ThreadId) -> Result<(), Contradiction> {
        let x = self.x;
        for e in x.thread_events(thread).map(EventId) {
            let Some(loc) = x.loc(e) else { continue };
            if let Some(source) = x.rf(e)
                && source >= e
                && x.thread_of(source) == Some(thread)
            {
                return Err(Contradiction::ReadsLater { read: e });
            }
            let seen = seen_by(x, e).expect("an access sees a write");
            if self.last[loc.index()].is_none() {
                self.touched.push(loc);
            }
            if self.preserved.load_hazards {
                self.hazard(loc, e, seen)?;
                continue;
            }
            let before = self.last[loc.index()].replace(e);
            if let Some(before) = before {
                self.ordered(before, e, seen)?;
            }
            if x.rf(e).is_some_and(|source| x.is_init(source)) {
                self.init_read(before, e);
            }
        }
        for loc in self.touched.drain(..) {
            self.last[loc.index()] = None;
            if let Some(hazards) = self.hazards.get_mut(loc.index()) {
                hazards.clear();
            }
        }
        Ok(())
    }

    /// mo puts what `before` sees before what `e` sees.
    fn ordered(&mut self, before: EventId, e: EventId, seen: EventId) -> Result<(), Contradiction> {
        let x = self.x;
        let first = seen_by(x, before).expect("an access sees a write");
        if first == seen || x.is_init(first) {
            return Ok(());
        }
        if x.is_init(seen) {
            return Err(Contradiction::ReadsInitial { read: e, after: before });
        }
        // What the line says anyway need not be said twice.
        let by_line = self.preserved.ww == Keep::Always
            && x.thread_of(first) == x.thread_of(seen)
            && first < seen
            && (self.preserved.rmws || !x.label(first).is_of_rmw() && !x.label(seen).is_of_rmw());
        if !by_line {
            self.edges.push((first.into(), seen.into()));
        }
        Ok(())
    }

    /// As `ordered`, where plain reads of a location may be out of order.
    fn hazard(&mut self, loc: LocId, e: EventId, seen: EventId) -> Result<(), Contradiction> {
        let x = self.x;
        if let Some(before) = self.last[loc.index()] {
            self.ordered(before, e, seen)?;
        }
        if x.label(e).writes() {
            let mut hazards = std::mem::take(&mut self.hazards[loc.index()]);
            hazards.sort_unstable();
            hazards.dedup();
            for read_from in hazards.drain(..) {
                if read_from != seen && !x.is_init(read_from) {
                    self.edges.push((read_from.into(), seen.into()));
                }
            }
            self.hazards[loc.index()] = hazards;
            self.last[loc.index()] = Some(e);
        } else {
            self.hazards[loc.index()].push(seen);
        }
        if x.rf(e).is_some_and(|source| x.is_init(source)) {
            self.init_readers.push(e);
        }
        Ok(())
    }

    /// Notes a read from an initial write; it takes the place of one before it that it comes after.
    fn init_read(&mut self, before: Option<EventId>, e: EventId) {
        if self.preserved.rr != Keep::Never
            && keeps_all_kinds(self.x, self.preserved)
            && let (Some(before), Some(last)) = (before, self.init_readers.last_mut())
            && *last == before
        {
            *last = e;
        } else {
            self.init_readers.push(e);
        }
    }

    fn reads_from(&mut self) {
        let x = self.x;
        for thread in x.threads() {
            let events = x.thread_events(thread);
            for e in events.clone().map(EventId) {
                if let Some(source) = x.rf(e)
                    && !x.is_init(source)
                    && (self.preserved.internal_rf || !events.contains(&source.0))
                {
                    self.edges.push((source.into(), e.into()));
                }
            }
        }
    }

    /// What reads an initial write comes before the other writes of its location; an RMW that does, last of them.
    fn initial_reads(&mut self) {
        let x = self.x;
        let mut readers = std::mem::take(&mut self.init_readers);
        readers.sort_unstable_by_key(|&r| (x.loc(r), r));
        let mut read: Vec<bool> = vec![false; x.location_count()];
        readers.iter().filter_map(|&r| x.loc(r)).for_each(|loc| read[loc.index()] = true);
        let mut firsts: Vec<(LocId, EventId)> = Vec::new();
        for thread in x.threads() {
            for e in x.thread_events(thread).map(EventId).filter(|&e| x.label(e).writes()) {
                let loc = x.loc(e).expect("a write");
                if read[loc.index()] && self.last[loc.index()].is_none() {
                    self.last[loc.index()] = Some(e);
                    self.touched.push(loc);
                    firsts.push((loc, e));
                }
            }
            self.touched.drain(..).for_each(|loc| self.last[loc.index()] = None);
        }
        firsts.sort_unstable();
        let mut firsts = &firsts[..];
        for readers in readers.chunk_by(|&a, &b| x.loc(a) == x.loc(b)) {
            let loc = x.loc(readers[0]).expect("a read");
            let skipped = firsts.partition_point(|&(of, _)| of < loc);
            let count = firsts[skipped..].partition_point(|&(of, _)| of == loc);
            let writes = &firsts[skipped..skipped + count];
            firsts = &firsts[skipped + count..];
            let rmw = readers.iter().copied().find(|&r| x.label(r).writes());
            let overwriting = Node(self.nodes as u32);
            self.nodes += 1;
            self.edges
                .extend(readers.iter().filter(|&&r| Some(r) != rmw).map(|&r| (Node::from(r), overwriting)));
            let after = match rmw {
                Some(rmw) => {
                    let after = Node(self.nodes as u32);
                    self.nodes += 1;
                    self.edges.extend([(overwriting, rmw.into()), (rmw.into(), after)]);
                    after
                }
                None => overwriting,
            };
            for &(_, write) in writes.iter().filter(|&&(_, write)| Some(write) != rmw) {
                self.edges.push((after, write.into()));
            }
        }
    }

    fn finals(&mut self) -> Result<(), Contradiction> {
        let x = self.x;
        if x.finals().is_empty() {
            return Ok(());
        }
        let mut target: Vec<Option<EventId>> = vec![None; x.location_count()];
        x.finals().iter().for_each(|&(loc, write)| target[loc.index()] = Some(write));
        for thread in x.threads() {
            for e in x.thread_events(thread).map(EventId).rev().filter(|&e| x.label(e).writes()) {
                let loc = x.loc(e).expect("a write");
                if let Some(last) = target[loc.index()]
                    && self.last[loc.index()].is_none()
                {
                    self.last[loc.index()] = Some(e);
                    self.touched.push(loc);
                    if x.is_init(last) {
                        return Err(Contradiction::FinalInitial { write: e });
                    }
                    if last != e {
                        self.edges.push((e.into(), last.into()));
                    }
                }
            }
            self.touched.drain(..).for_each(|loc| self.last[loc.index()] = None);
        }
        Ok(())
    }
}

//! The baseline: writes-before (Lahav and Vafeiadis, "Owicki-Gries reasoning for weak memory models", 2015), the way
//! model checkers compute it for release-acquire.
//!
//! For each location, a write w is before another, w', if w or a reader of w happens before w' or a reader of w'. What
//! is before an RMW, and not in its rf-chain, is before the whole chain, and likewise behind. The history is consistent
//! iff the transitive closure, O(n³) on bitset rows, is irreflexive.
//!
//! As in those checkers, a clock for each event is at hand, and an edge between chains is added from the last write
//! of the one to the first of the other as well, after which one closure is all it takes.

use tribunal_history::memory::{EventId, Execution, Kind};

/// For each event, how many events of each thread happen before it; hb = (po ∪ rf)⁺.
pub(super) struct EventClocks {
    threads: usize,
    entries: Vec<u32>,
}

impl EventClocks {
    /// None if po ∪ rf is cyclic.
    pub(super) fn new(x: &Execution) -> Option<Self> {
        let threads = x.thread_count();
        let mut entries = vec![0; x.len() * threads];
        let mut next: Vec<u32> = x.threads().map(|thread| x.thread_events(thread).start).collect();
        let mut done = vec![false; x.len()];
        let mut clock = vec![0; threads];
        loop {
            let mut moved = false;
            for thread in x.threads() {
                let events = x.thread_events(thread);
                while next[thread.index()] < events.end {
                    let e = next[thread.index()];
                    let source = x.rf(EventId(e)).and_then(|write| Some((write, x.slot(write)?)));
                    if source.is_some_and(|(write, _)| !done[write.index()]) {
                        break;
                    }
                    clock.fill(0);
                    if e > events.start {
                        clock.copy_from_slice(row(&entries, threads, EventId(e - 1)));
                    }
                    clock[thread.index()] = e - events.start;
                    if let Some((write, slot)) = source {
                        join(&mut clock, row(&entries, threads, write));
                        let known = &mut clock[slot.thread.index()];
                        *known = (*known).max(slot.index + 1);
                    }
                    entries[e as usize * threads..][..threads].copy_from_slice(&clock);
                    done[e as usize] = true;
                    next[thread.index()] += 1;
                    moved = true;
                }
            }
            if !moved {
                return done.iter().all(|&done| done).then_some(EventClocks { threads, entries });
            }
        }
    }

    fn row(&self, event: EventId) -> &[u32] {
        row(&self.entries, self.threads, event)
    }
}

fn row(entries: &[u32], threads: usize, event: EventId) -> &[u32] {
    &entries[event.index() * threads..][..threads]
}

fn join(clock: &mut [u32], other: &[u32]) {
    for (entry, &other) in clock.iter_mut().zip(other) {
        *entry = (*entry).max(other);
    }
}

/// How to find out whether w or a reader of w happens before w' or a reader of w'. Checkers have done both.
#[derive(Clone, Copy)]
pub(super) enum Edges {
    /// Test their accesses pair by pair, until one is found.
    ByPairs,
    /// Join the clocks of w' and its readers, and test w and its readers against that.
    ByJoin,
}

impl Edges {
    pub(super) const ALL: [Edges; 2] = [Edges::ByPairs, Edges::ByJoin];
}

/// Whether ra allows an execution with an acyclic po ∪ rf.
pub(super) fn consistent(x: &Execution, clocks: &EventClocks, edges: Edges) -> bool {
    let mut stores = Stores::of_each_location(x);
    let irreflexive = |stores: &Stores| stores.writes_before(x, clocks, edges).is_irreflexive();
    stores.iter_mut().all(|stores| stores.find_chains(x) && irreflexive(stores))
}

/// The writes of one location, the initial one first, with the places of their accesses.
struct Stores {
    writes: Vec<EventId>,
    /// For each write, itself, unless it is initial, and its readers: thread, index, event.
    accesses: Vec<Vec<(usize, u32, EventId)>>,
    /// The rf-chain of each write: the first and the last write of its chain.
    ends: Vec<(usize, usize)>,
    /// The location's writes by event.
    node: Vec<(EventId, usize)>,
}

impl Stores {
    fn of_each_location(x: &Execution) -> Vec<Self> {
        let new =
            |loc| Stores { writes: vec![x.init_write(loc)], accesses: vec![], ends: vec![], node: vec![] };
        let mut stores: Vec<Stores> = x.locations().map(new).collect();
        let at = |e: EventId| x.slot(e).map(|slot| (slot.thread.index(), slot.index, e));
        let accesses = || x.events().filter_map(|e| Some((e, x.loc(e)?)));
        for (e, loc) in accesses().filter(|&(e, _)| x.label(e).writes()) {
            stores[loc.index()].writes.push(e);
        }
        for stores in &mut stores {
            stores.accesses = stores.writes.iter().map(|&write| at(write).into_iter().collect()).collect();
            stores.node = stores.writes.iter().copied().zip(0..).collect();
            stores.node.sort_unstable();
        }
        for (e, loc) in accesses() {
            if let Some(write) = x.rf(e) {
                let stores = &mut stores[loc.index()];
                let node = stores.node_of(write);
                stores.accesses[node].extend(at(e));
            }
        }
        stores
    }

    fn node_of(&self, write: EventId) -> usize {
        let i = self.node.binary_search_by_key(&write, |&(write, _)| write);
        self.node[i.expect("a write of this location")].1
    }

    /// Finds the ends of each write's chain. False if two RMWs read from one write.
    fn find_chains(&mut self, x: &Execution) -> bool {
        let mut next = vec![None; self.writes.len()];
        let mut tops = vec![];
        for (node, &write) in self.writes.iter().enumerate() {
            if x.label(write).kind() != Kind::Rmw {
                tops.push(node);
            } else if let Some(source) = x.rf(write)
                && next[self.node_of(source)].replace(node).is_some()
            {
                return false;
            }
        }
        self.ends = vec![(0, 0); self.writes.len()];
        for top in tops {
            let chain: Vec<usize> = std::iter::successors(Some(top), |&node| next[node]).collect();
            for &node in &chain {
                self.ends[node] = (top, chain[chain.len() - 1]);
            }
        }
        true
    }

    fn writes_before(&self, x: &Execution, clocks: &EventClocks, edges: Edges) -> Relation {
        let mut before = Relation::new(self.writes.len());
        let mut joined = vec![0; x.thread_count()];
        for (head, heads) in self.accesses.iter().enumerate() {
            joined.fill(0);
            for &(_, _, e) in heads {
                join(&mut joined, clocks.row(e));
            }
            for (tail, tails) in self.accesses.iter().enumerate().filter(|&(tail, _)| tail != head) {
                let known = |clock: &[u32]| tails.iter().any(|&(thread, index, _)| index < clock[thread]);
                let happens_before = match edges {
                    Edges::ByPairs => heads.iter().any(|&(_, _, e)| known(clocks.row(e))),
                    Edges::ByJoin => known(&joined),
                };
                // The initial write is before every other.
                if tail == 0 || happens_before {
                    before.insert(tail, head);
                    if self.ends[tail] != self.ends[head] {
                        before.insert(self.ends[tail].1, self.ends[head].0);
                    }
                }
            }
        }
        before.close();
        before
    }
}

/// A relation on 0..size as rows of bits.
struct Relation {
    size: usize,
    words: usize,
    bits: Vec<u64>,
}

impl Relation {
    fn new(size: usize) -> Self {
        let words = size.div_ceil(64);
        Relation { size, words, bits: vec![0; size * words] }
    }

    fn insert(&mut self, tail: usize, head: usize) {
        self.bits[tail * self.words + head / 64] |= 1 << (head % 64);
    }

    fn contains(&self, tail: usize, head: usize) -> bool {
        self.bits[tail * self.words + head / 64] >> (head % 64) & 1 == 1
    }

    /// Warshall's transitive closure, a row at a time.
    fn close(&mut self) {
        let mut through = vec![0; self.words];
        for middle in 0..self.size {
            through.copy_from_slice(&self.bits[middle * self.words..][..self.words]);
            for tail in 0..self.size {
                if self.contains(tail, middle) {
                    let row = &mut self.bits[tail * self.words..][..self.words];
                    for (word, &through) in row.iter_mut().zip(&through) {
                        *word |= through;
                    }
                }
            }
        }
    }

    fn is_irreflexive(&self) -> bool {
        (0..self.size).all(|node| !self.contains(node, node))
    }
}

//! The baseline: an mo in the manner of C11Tester (Luo and Demsky 2021), as Tunç et al. 2023 describe it in section
//! 5.2.
//!
//! Two things are different from Algorithm 5. Its mo is stronger: an rf-chain is before or behind another write as a
//! whole, so that an edge leads from the last write of a chain to the first of another, and goes on from an RMW that
//! extends the chain. And it is transitively closed at all times: each write has a clock of all that is before it,
//! and a new edge is passed on to all that is behind it, as long as there is news. In return, whether a write may be
//! read is a matter of k comparisons.
//!
//! Whatever has nothing to do with that is as in the library: fronts that only move forward, flat clocks.

use super::replay::Checker;
use std::collections::VecDeque;
use tribunal_history::memory::{LocId, Order, ThreadId};
use tribunal_history::model::Model;

/// An execution that grows, with an mo that is always closed.
#[derive(Clone)]
pub(in super::super) struct Closed {
    threads: usize,
    /// Whether events synchronize by their orders, as under rc20; otherwise all do, as under ra.
    annotated: bool,
    /// For each thread, how many events of each thread happen before its next one.
    now: Vec<u32>,
    /// The same of its last release fence, and of what an acquire fence will acquire.
    fenced: Vec<u32>,
    pending: Vec<u32>,
    writes: Writes,
    /// For each location and thread, the thread's writes and its front there.
    lines: Vec<Line>,
    /// Writes whose clock has news to pass on.
    news: VecDeque<u32>,
}

/// Columns over the writes, the initial ones first.
#[derive(Clone, Default)]
struct Writes {
    locs: Vec<u32>,
    threads: Vec<u32>,
    indices: Vec<u32>,
    ordinals: Vec<u32>,
    tops: Vec<u32>,
    /// Of a top: the last write of its chain.
    bottoms: Vec<u32>,
    /// For each write and thread, how many events of the thread who reads it may acquire.
    clocks: Vec<u32>,
    /// For each write and thread, how many writes of its location by the thread mo has before it; then whether it has
    /// the initial one before it.
    before: Vec<u32>,
    successors: Vec<Vec<u32>>,
}

/// The accesses of a thread that others must know of: its writes, and its reads of what does not happen before them.
#[derive(Clone, Default)]
struct Line {
    /// The write that each leaves.
    left: Vec<u32>,
    indices: Vec<u32>,
    /// How many of them are writes.
    writes: u32,
    /// For each thread, how many of its accesses of the location happened before this thread's last access here.
    front: Vec<u32>,
}

impl Checker for Closed {
    fn new(model: Model, threads: u32, locations: u32) -> Self {
        let k = threads as usize;
        let line = Line { front: vec![0; k], ..Line::default() };
        let mut closed = Closed {
            threads: k,
            annotated: model == Model::Rc20,
            now: vec![0; k * k],
            fenced: vec![0; k * k],
            pending: vec![0; k * k],
            writes: Writes::default(),
            lines: vec![line; k * locations as usize],
            news: VecDeque::new(),
        };
        for loc in 0..locations {
            closed.push(loc, threads, 0, 0, None);
        }
        closed
    }

    fn write(&mut self, thread: ThreadId, loc: LocId, order: Order) {
        self.move_front(thread, loc);
        let write = self.append(thread, loc, order, None);
        // The initial write's chain is before every other write.
        self.order(self.writes.bottoms[loc.index()], write);
        self.order_seen(thread, loc, write);
        self.enter(thread, loc, write, true);
    }

    fn read(&mut self, thread: ThreadId, source: u32, order: Order) -> bool {
        if !self.observe(thread, source, order) {
            return false;
        }
        let (k, of) = (self.threads, self.writes.threads[source as usize] as usize);
        let heard = of >= k || self.now[thread.index() * k + of] > self.writes.indices[source as usize];
        match heard {
            true => self.now[thread.index() * k + thread.index()] += 1,
            false => self.enter(thread, LocId(self.writes.locs[source as usize]), source, false),
        }
        true
    }

    fn rmw(&mut self, thread: ThreadId, source: u32, order: Order) -> bool {
        let top = self.writes.tops[source as usize];
        if self.writes.bottoms[top as usize] != source || !self.observe(thread, source, order) {
            return false;
        }
        let loc = LocId(self.writes.locs[source as usize]);
        let write = self.append(thread, loc, order, Some(source));
        self.extend(source, write);
        self.enter(thread, loc, write, true);
        true
    }

    fn fence(&mut self, thread: ThreadId, order: Order) {
        let k = self.threads;
        let own = thread.index() * k..(thread.index() + 1) * k;
        if self.annotated && order.is_acquire() {
            join(&mut self.now[own.clone()], &self.pending[own.clone()]);
        }
        self.now[own.start + thread.index()] += 1;
        if order.is_release() {
            self.fenced[own.clone()].copy_from_slice(&self.now[own]);
        }
    }
}

impl Closed {
    /// Whether a thread may read from a write.
    pub(in super::super) fn may_read(&mut self, thread: ThreadId, source: u32) -> bool {
        let (k, loc) = (self.threads, LocId(self.writes.locs[source as usize]));
        self.move_front(thread, loc);
        !(0..k).any(|u| {
            self.seen(thread, loc, u)
                .is_some_and(|seen| seen != source && self.writes.is_before(source, seen, k))
        })
    }

    /// Whether no RMW reads from a write.
    pub(in super::super) fn may_be_overwritten(&self, write: u32) -> bool {
        self.writes.bottoms[self.writes.tops[write as usize] as usize] == write
    }

    /// Whether a thread may read from a write; if so, it does.
    fn observe(&mut self, thread: ThreadId, source: u32, order: Order) -> bool {
        let (k, loc) = (self.threads, LocId(self.writes.locs[source as usize]));
        if !self.may_read(thread, source) {
            return false;
        }
        let top = self.writes.tops[source as usize];
        self.order_seen(thread, loc, top);
        let acquires = !self.annotated || order.is_acquire();
        let clock = if acquires { &mut self.now } else { &mut self.pending };
        let own = &mut clock[thread.index() * k..][..k];
        let index = own[thread.index()];
        join(own, &self.writes.clocks[source as usize * k..][..k]);
        // A thread knows its own events.
        own[thread.index()] = index;
        true
    }

    /// Moves the front of a thread up to what it knows.
    fn move_front(&mut self, thread: ThreadId, loc: LocId) {
        let k = self.threads;
        let lines = &mut self.lines[loc.index() * k..][..k];
        let mut front = std::mem::take(&mut lines[thread.index()].front);
        let now = &self.now[thread.index() * k..][..k];
        for ((line, count), &known) in lines.iter().zip(&mut front).zip(now) {
            while line.indices.get(*count as usize).is_some_and(|&index| index < known) {
                *count += 1;
            }
        }
        lines[thread.index()].front = front;
    }

    /// The last write of a location by `of` that a thread knows.
    fn seen(&self, thread: ThreadId, loc: LocId, of: usize) -> Option<u32> {
        let lines = &self.lines[loc.index() * self.threads..][..self.threads];
        match lines[thread.index()].front[of] {
            0 => None,
            count => Some(lines[of].left[count as usize - 1]),
        }
    }

    /// Puts all that a thread knows before a write that is the first of its chain, except for that chain.
    fn order_seen(&mut self, thread: ThreadId, loc: LocId, top: u32) {
        for of in 0..self.threads {
            if let Some(seen) = self.seen(thread, loc, of) {
                let chain = self.writes.tops[seen as usize];
                if chain != top {
                    self.order(self.writes.bottoms[chain as usize], top);
                }
            }
        }
    }

    fn append(&mut self, thread: ThreadId, loc: LocId, order: Order, source: Option<u32>) -> u32 {
        let k = self.threads;
        let own = thread.index() * k..(thread.index() + 1) * k;
        let index = self.now[own.start + thread.index()];
        let ordinal = self.lines[loc.index() * k + thread.index()].writes;
        let write = self.push(loc.0, thread.0, index, ordinal, source);
        let (earlier, clock) = self.writes.clocks.split_at_mut(write as usize * k);
        if !self.annotated || order.is_release() {
            join(clock, &self.now[own]);
            clock[thread.index()] = index + 1;
        } else {
            join(clock, &self.fenced[own]);
        }
        if let Some(source) = source {
            join(clock, &earlier[source as usize * k..][..k]);
        }
        write
    }

    /// The thread has accessed a location and left a write.
    fn enter(&mut self, thread: ThreadId, loc: LocId, left: u32, writes: bool) {
        let now = &mut self.now[thread.index() * self.threads + thread.index()];
        let line = &mut self.lines[loc.index() * self.threads + thread.index()];
        line.left.push(left);
        line.indices.push(*now);
        line.writes += u32::from(writes);
        line.front[thread.index()] += 1;
        *now += 1;
    }

    fn push(&mut self, loc: u32, thread: u32, index: u32, ordinal: u32, source: Option<u32>) -> u32 {
        let (k, writes) = (self.threads, &mut self.writes);
        let write = writes.locs.len() as u32;
        let top = source.map_or(write, |source| writes.tops[source as usize]);
        writes.locs.push(loc);
        writes.threads.push(thread);
        writes.indices.push(index);
        writes.ordinals.push(ordinal);
        writes.tops.push(top);
        writes.bottoms.push(write);
        writes.bottoms[top as usize] = write;
        writes.clocks.resize(writes.clocks.len() + k, 0);
        writes.before.resize(writes.before.len() + k + 1, 0);
        writes.successors.push(Vec::new());
        write
    }

    /// Adds an edge, unless it is there.
    fn order(&mut self, tail: u32, head: u32) {
        if !self.writes.is_before(tail, head, self.threads) {
            self.writes.successors[tail as usize].push(head);
            self.pass_on(tail, head);
        }
    }

    /// Puts an RMW between the last write of a chain and all that is behind the chain.
    fn extend(&mut self, bottom: u32, rmw: u32) {
        let behind = std::mem::replace(&mut self.writes.successors[bottom as usize], vec![rmw]);
        self.pass_on(bottom, rmw);
        for &head in &behind {
            self.pass_on(rmw, head);
        }
        self.writes.successors[rmw as usize] = behind;
    }

    /// Tells a write of another that is before it, with all before that, and whatever is behind it as well.
    fn pass_on(&mut self, tail: u32, head: u32) {
        let Closed { threads, writes, news, .. } = self;
        if writes.join_before(tail, head, *threads) {
            news.push_back(head);
        }
        while let Some(tail) = news.pop_front() {
            let heads = std::mem::take(&mut writes.successors[tail as usize]);
            news.extend(heads.iter().copied().filter(|&head| writes.join_before(tail, head, *threads)));
            writes.successors[tail as usize] = heads;
        }
    }
}

impl Writes {
    /// Whether mo has a write before another.
    fn is_before(&self, tail: u32, head: u32, k: usize) -> bool {
        let column = self.threads[tail as usize] as usize;
        self.before[head as usize * (k + 1) + column] > self.ordinals[tail as usize]
    }

    /// Puts a write, with all that is before it, before another. Says whether that is news.
    fn join_before(&mut self, tail: u32, head: u32, k: usize) -> bool {
        let (tail_row, head_row) = (tail as usize * (k + 1), head as usize * (k + 1));
        let (tails, heads) = if tail < head {
            let (low, high) = self.before.split_at_mut(head_row);
            (&low[tail_row..][..k + 1], &mut high[..k + 1])
        } else {
            let (low, high) = self.before.split_at_mut(tail_row);
            (&high[..k + 1], &mut low[head_row..][..k + 1])
        };
        let column = self.threads[tail as usize] as usize;
        let mut news = heads[column] <= self.ordinals[tail as usize];
        heads[column] = heads[column].max(self.ordinals[tail as usize] + 1);
        for (head, &tail) in heads.iter_mut().zip(tails) {
            news |= *head < tail;
            *head = (*head).max(tail);
        }
        news
    }
}

fn join(clock: &mut [u32], other: &[u32]) {
    for (entry, &other) in clock.iter_mut().zip(other) {
        *entry = (*entry).max(other);
    }
}

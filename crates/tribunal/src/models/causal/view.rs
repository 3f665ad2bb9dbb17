//! What an observer has seen: hb_o.
//!
//! hb_o is the least transitive relation that contains a base (co = (po ∪ rf)⁺, or a part of it) in the past of o,
//! and w → w' for distinct writes of one location whenever w → r for a read r of w' that is o or before o in its
//! thread. It grows along the thread, so the last read of each thread is observer enough.
//!
//! One backward pass finds it, in O(n + r·k) for the r reads of the thread. The edges that a read r demands are
//! among events in r's past, so they do not change the past of r, nor of a later read of the thread. Hence each
//! read is looked at once, the last one first, with the edges of all later ones in place: the events that nothing
//! comes after are taken away, until those that are left are r and its past. Of each thread's writes of the
//! location that are left the last has an edge to the write that r reads from; the others follow. And of the reads
//! of one write only the last matters.

use super::base::{Base, NONE, Writes};
use crate::memory::{EventId, ThreadId};

/// An edge that an observer has seen: it reads `to`, at `read`, though `from` is before `read`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub from: EventId,
    pub to: EventId,
    pub read: EventId,
}

/// What an observer has seen.
pub(super) struct View {
    /// In the order in which they were found: each rests on earlier ones only.
    pub seen: Vec<Seen>,
    /// Whether hb_o is acyclic. If it is not, only the edges up to one that closes a cycle are to be relied on.
    pub acyclic: bool,
}

/// What a thread has seen; `known` tells of edges that the base has anyway.
///
/// 8 bytes an event, and 16 an edge.
pub(super) fn observe(
    base: &Base<'_>,
    writes: &Writes,
    thread: ThreadId,
    known: impl Fn(EventId, EventId) -> bool,
) -> View {
    let x = base.x;
    let observer = x.thread_events(thread);
    let mut pass = Pass {
        base,
        writes,
        left: writes.run_starts()[1..].to_vec(),
        seen: Vec::new(),
        next_seen: Vec::new(),
        seen_into: vec![NONE; x.len()],
        acyclic: true,
    };
    let mut after = vec![0u32; x.len()];
    for e in x.events() {
        base.before(e, &observer).into_iter().filter(|&p| p != NONE).for_each(|p| after[p as usize] += 1);
    }
    let mut free: Vec<u32> = (0..x.len() as u32).filter(|&e| after[e as usize] == 0).collect();
    // Reads of the observer that are free: one, or one a location if locations are not ordered with each other.
    let mut held: Vec<EventId> = Vec::new();
    let mut taken = 0;
    loop {
        while let Some(e) = free.pop().map(EventId) {
            if x.labels()[e.index()].reads() && observer.contains(&e.0) {
                held.push(e);
            } else {
                taken += 1;
                pass.take(e, &observer, &mut after, &mut free);
            }
        }
        if held.is_empty() {
            break;
        }
        held.iter().for_each(|&read| pass.look(read, &mut after, &known));
        for read in held.drain(..) {
            taken += 1;
            pass.take(read, &observer, &mut after, &mut free);
        }
    }
    View { seen: pass.seen, acyclic: pass.acyclic && taken == x.len() }
}

struct Pass<'a> {
    base: &'a Base<'a>,
    writes: &'a Writes,
    /// For each run, where the writes that are left end.
    left: Vec<u32>,
    seen: Vec<Seen>,
    /// For each edge, the one before it to the same write.
    next_seen: Vec<u32>,
    /// For each write, the last edge to it.
    seen_into: Vec<u32>,
    acyclic: bool,
}

impl Pass<'_> {
    /// Takes away an event that nothing left comes after.
    #[inline(always)]
    fn take(&mut self, e: EventId, observer: &std::ops::Range<u32>, after: &mut [u32], free: &mut Vec<u32>) {
        let mut release = |p: u32| {
            after[p as usize] -= 1;
            if after[p as usize] == 0 {
                free.push(p);
            }
        };
        self.base.before(e, observer).into_iter().filter(|&p| p != NONE).for_each(&mut release);
        if self.base.x.labels()[e.index()].writes() {
            self.left[self.writes.run_of(e)] -= 1;
            let mut edge = self.seen_into[e.index()];
            while edge != NONE {
                release(self.seen[edge as usize].from.0);
                edge = self.next_seen[edge as usize];
            }
        }
    }

    /// Adds the edges that a read demands when what is left is its past.
    fn look(&mut self, read: EventId, after: &mut [u32], known: &impl Fn(EventId, EventId) -> bool) {
        let x = self.base.x;
        let source = x.rf(read).expect("a read");
        let init = x.is_init(source);
        if !init && self.seen_into[source.index()] != NONE {
            return;
        }
        let (starts, events) = (self.writes.run_starts(), self.writes.events());
        // A source in the observer's own thread may be gone, where the base does not put it before the read.
        let is_left = !init && {
            let run = self.writes.run_of(source);
            self.left[run] > starts[run] && events[self.left[run] as usize - 1] >= source
        };
        for run in self.writes.runs(x, read) {
            let left = &events[starts[run] as usize..self.left[run] as usize];
            let Some(&from) = left.iter().rev().find(|&&write| write != read) else { continue };
            if from == source
                || (!init && from < source && self.writes.run_of(source) == run)
                || known(from, source)
            {
                continue;
            }
            let edge = self.seen.len() as u32;
            self.seen.push(Seen { from, to: source, read });
            if init {
                self.next_seen.push(NONE);
                self.acyclic = false;
                continue;
            }
            self.next_seen.push(std::mem::replace(&mut self.seen_into[source.index()], edge));
            after[from.index()] += u32::from(is_left);
        }
    }
}

//! The view of an observer: hb_o.
//!
//! hb_o is the least transitive relation that contains a base (co = (po ∪ rf)⁺, or a part of it) in the past of o,
//! and w → w' for distinct writes of one location whenever w → r for a read r of w' that is o or before o in its
//! thread. It grows along the thread, so the last read of each thread is observer enough.
//!
//! One backward pass finds it, in O(p + r·k) for the r reads of the thread and the p events in their past. The edges that a read r demands are
//! among events in r's past, so they do not change the past of r, nor of a later read of the thread. Hence each
//! read is looked at once, the last one first, with the edges of all later ones in place: the events that nothing
//! comes after are taken away, until those that are left are r and its past. Of each thread's writes of the
//! location that are left the last has an edge to the write that r reads from; the others follow. And of the reads
//! of one write only the last matters.

use super::base::{Base, NONE, Writes};
use crate::limits::Meter;
use std::ops::Range;
use tribunal_history::heap::Heap;
use tribunal_history::memory::{EventId, ThreadId};
use tribunal_history::verdict::Limit;

/// An edge that an observer has seen: it reads `to`, at `read`, though `from` is before `read`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub from: EventId,
    pub to: EventId,
    pub read: EventId,
}

/// The view of an observer.
pub(super) struct View {
    /// In the order in which they were found: each depends on earlier ones only.
    pub seen: Vec<Seen>,
    /// Whether hb_o is acyclic. If it is not, only the edges up to one that closes a cycle are to be relied on.
    pub acyclic: bool,
}

/// The memory that observers use one after the other. 8 bytes per event and 4 per run of writes.
pub(super) struct Scratch {
    /// The number of events that that are left come after each.
    after: Vec<u32>,
    /// For each write, the last edge to it.
    seen_into: Vec<u32>,
    /// For each run, where the writes that are left end.
    left: Vec<u32>,
    /// The observer's past, and whether an event is in it.
    past: Vec<u32>,
    in_past: Vec<bool>,
}

impl Scratch {
    pub(super) fn new(base: &Base<'_>, writes: &Writes) -> Self {
        let (events, starts) = (base.x.len(), writes.run_starts());
        Scratch {
            after: vec![0; events],
            seen_into: vec![NONE; events],
            left: starts[..starts.len() - 1].to_vec(),
            past: Vec::new(),
            in_past: vec![false; events],
        }
    }

    /// Finds the reads of an observer and all that is before them, which are then left.
    fn begin(&mut self, base: &Base<'_>, writes: &Writes, observer: &Range<u32>) {
        let labels = base.x.labels();
        for read in observer.clone().filter(|&e| labels[e as usize].reads()) {
            self.in_past[read as usize] = true;
            self.past.push(read);
        }
        let mut visited = 0;
        while let Some(&e) = self.past.get(visited) {
            visited += 1;
            if labels[e as usize].writes() {
                self.left[writes.run_of(EventId(e))] += 1;
            }
            for before in base.before(EventId(e), observer).into_iter().filter(|&before| before != NONE) {
                self.after[before as usize] += 1;
                if !std::mem::replace(&mut self.in_past[before as usize], true) {
                    self.past.push(before);
                }
            }
        }
    }

    /// Leaves all as it was before these edges were seen.
    fn end(&mut self, base: &Base<'_>, writes: &Writes, seen: &[Seen]) {
        for seen in seen.iter().filter(|seen| !base.x.is_init(seen.to)) {
            self.seen_into[seen.to.index()] = NONE;
        }
        for e in self.past.drain(..).map(|e| e as usize) {
            (self.after[e], self.in_past[e]) = (0, false);
            if writes.is_write(EventId(e as u32)) {
                let run = writes.run_of(EventId(e as u32));
                self.left[run] = writes.run_starts()[run];
            }
        }
    }
}

/// The view of a thread; `known` tells of edges that the base, which is acyclic or the thread's own, has anyway.
///
/// O(p + r·k) for p events in the past of r reads; 20 bytes per edge.
pub(super) fn observe(
    base: &Base<'_>,
    writes: &Writes,
    thread: ThreadId,
    known: impl Fn(EventId, EventId) -> bool,
    scratch: &mut Scratch,
    meter: &Meter<'_>,
) -> Result<View, Limit> {
    let observer = base.x.thread_events(thread);
    scratch.begin(base, writes, &observer);
    let view = Pass::new(base, writes, scratch).run(&observer, known, meter)?;
    scratch.end(base, writes, &view.seen);
    Ok(view)
}

/// So many runs of writes are looked at between two polls.
const MOST: usize = 1 << 12;

struct Pass<'a> {
    base: &'a Base<'a>,
    writes: &'a Writes,
    scratch: &'a mut Scratch,
    seen: Vec<Seen>,
    /// For each edge, the one before it to the same write.
    next_seen: Vec<u32>,
    acyclic: bool,
}

impl<'a> Pass<'a> {
    fn new(base: &'a Base<'a>, writes: &'a Writes, scratch: &'a mut Scratch) -> Self {
        Pass { base, writes, scratch, seen: Vec::new(), next_seen: Vec::new(), acyclic: true }
    }

    fn run(
        mut self,
        observer: &Range<u32>,
        known: impl Fn(EventId, EventId) -> bool,
        meter: &Meter<'_>,
    ) -> Result<View, Limit> {
        let labels = self.base.x.labels();
        let Scratch { past, after, .. } = &*self.scratch;
        let (events, mut taken) = (past.len(), 0);
        let mut free: Vec<u32> = past.iter().copied().filter(|&e| after[e as usize] == 0).collect();
        // Reads of the observer that are free: one, or one per location if locations are not ordered with each other.
        let mut held: Vec<EventId> = Vec::new();
        let (mut counted, mut looked) = (0, 0);
        loop {
            while let Some(e) = free.pop().map(EventId) {
                if labels[e.index()].reads() && observer.contains(&e.0) {
                    held.push(e);
                } else {
                    taken += 1;
                    self.take(e, observer, &mut free);
                }
            }
            if held.is_empty() {
                break;
            }
            held.iter().for_each(|&read| looked += self.look(read, &known));
            if looked >= MOST {
                looked = 0;
                meter.check()?;
            }
            let bytes = self.seen.held() + self.next_seen.held();
            meter.take(bytes - std::mem::replace(&mut counted, bytes))?;
            for read in held.drain(..) {
                taken += 1;
                self.take(read, observer, &mut free);
            }
        }
        meter.give(self.next_seen.held());
        Ok(View { seen: self.seen, acyclic: self.acyclic && taken == events })
    }

    /// Takes away an event that nothing left comes after.
    #[inline(always)]
    fn take(&mut self, e: EventId, observer: &Range<u32>, free: &mut Vec<u32>) {
        let Scratch { after, left, seen_into, .. } = &mut *self.scratch;
        let mut release = |p: u32| {
            after[p as usize] -= 1;
            if after[p as usize] == 0 {
                free.push(p);
            }
        };
        self.base.before(e, observer).into_iter().filter(|&p| p != NONE).for_each(&mut release);
        if self.base.x.labels()[e.index()].writes() {
            left[self.writes.run_of(e)] -= 1;
            let mut edge = seen_into[e.index()];
            while edge != NONE {
                release(self.seen[edge as usize].from.0);
                edge = self.next_seen[edge as usize];
            }
        }
    }

    /// Adds the edges that a read demands when what is left is its past. How many runs of writes it looks at.
    fn look(&mut self, read: EventId, known: &impl Fn(EventId, EventId) -> bool) -> usize {
        let x = self.base.x;
        let Scratch { after, left, seen_into, .. } = &mut *self.scratch;
        let source = x.rf(read).expect("a read");
        let init = x.is_init(source);
        if !init && seen_into[source.index()] != NONE {
            return 1;
        }
        let mut looked = 1;
        let (starts, events) = (self.writes.run_starts(), self.writes.events());
        // A source in the observer's own thread may be gone, where the base does not put it before the read.
        let is_left = !init && {
            let run = self.writes.run_of(source);
            left[run] > starts[run] && events[left[run] as usize - 1] >= source
        };
        for run in self.writes.runs(x, read) {
            looked += 1;
            let left = &events[starts[run] as usize..left[run] as usize];
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
            self.next_seen.push(std::mem::replace(&mut seen_into[source.index()], edge));
            after[from.index()] += u32::from(is_left);
        }
        looked
    }
}

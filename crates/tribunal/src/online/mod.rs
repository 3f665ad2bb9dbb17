//! Release-acquire, while the execution grows: which writes may the next read observe?
//!
//! Model checkers and online testers build an execution event by event, and at each read they need to know which
//! writes it may read from. [`Online`] answers that without starting anew: Algorithm 5 of Tunç et al. 2023 (section
//! 5.2 and appendix B.2). Events come in an order that contains po and rf; every access counts as acq_rel and fences
//! order nothing, so there are none.
//!
//! mo orders rf-chains: a write with the RMWs behind it. If a write happens before an access that looks at another
//! chain, then mo has the write's chain before that one. Of these edges, mo', the execution is consistent as long as
//! they are acyclic at each location and nothing is read that is overwritten within its chain (Lemma 4.4 there). A
//! new write is behind all it knows, so that only a read can close a cycle: r may not read from w if mo' has a path
//! from w's chain to another that happens before r.
//!
//! For each location `hbmo` keeps, for a write and each thread, how many of the thread's writes are before it, with the
//! invariants
//!
//! - (i) hbmo ⊆ (hb ∪ mo')⁺: it never says too much;
//! - (ii) hb ∪ (mo' ; po?) ⊆ hbmo: what is before a chain's first write is before all that follow it in its thread.
//!
//! It is not transitively closed. By (ii) the closure of what a read knows is found from the last write of each
//! thread, row by row, and it is asked for only if the chain to be read has something behind it.
//!
//! Where the paper passes an edge on to all later writes of a thread, here it is kept once, with the place from which
//! it holds: a reader that lags n writes behind pays O(k + log n), not O(n·k).
//!
//! An event takes O(k) time, and O(k) for each row that a closure visits: at worst a row for each write of the
//! location, mostly one or two for each thread. Memory: 8 bytes an event, about 45 a write, and 8·k for each write
//! before which its thread learnt something.

mod location;
mod look;
mod rows;
mod writes;

use crate::memory::{Execution, LocId, MalformedHistory, Op, Order, Slot, Source, ThreadId};
use location::Location;
use look::Look;
use rows::{Rows, join};
use writes::{NONE, NewWrite, Writes};

pub use writes::WriteId;

/// An execution that grows and is consistent with ra at every moment.
///
/// ```
/// use tribunal::online::{Online, Refused};
/// use tribunal::{Model, check};
/// let mut online = Online::new();
/// let (t0, t1) = (online.thread(), online.thread());
/// let (x, y) = (online.location(), online.location());
/// let data = online.write(t0, x);
/// let flag = online.write(t0, y);
/// assert_eq!(online.candidates(t1, x).collect::<Vec<_>>(), [online.initial(x), data]);
/// online.read(t1, flag)?;
/// // Who has seen the flag sees the data.
/// assert_eq!(online.candidates(t1, x).collect::<Vec<_>>(), [data]);
/// let stale = online.initial(x);
/// assert_eq!(online.read(t1, stale), Err(Refused::Overwritten { write: stale, by: data }));
/// online.read(t1, data)?;
/// assert!(check(&online.execution()?, Model::Ra).is_consistent());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A method panics if it is given a thread, a location or a write that is not of this execution.
#[derive(Clone, Debug, Default)]
pub struct Online {
    threads: Vec<Thread>,
    locations: Vec<Location>,
    writes: Writes,
    /// For each thread, how many events of each thread happen before its next event.
    now: Rows,
    /// The clocks that writes have had. A thread's own entry means nothing: what happens before a write of its own
    /// thread is what is before it there.
    clocks: Rows,
    look: Look,
    /// What a read puts before a chain.
    edges: Vec<u32>,
}

/// The events of one thread: what each reads from and writes, or [`NONE`].
#[derive(Clone, Debug)]
struct Thread {
    sources: Vec<u32>,
    writes: Vec<u32>,
    /// How often it has learnt of events of other threads.
    learnt: u32,
    /// The row of its clock since it last learnt something, or [`NONE`].
    clock: u32,
}

/// Why an event cannot be next. The execution is as if nobody had asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// `by` happens before the event, and mo has it behind `write`.
    #[error("write {} is overwritten by write {}, which happens before", .write.0, .by.0)]
    Overwritten {
        /// The write to be read from.
        write: WriteId,
        /// The write that hides it.
        by: WriteId,
    },
    /// No two RMWs read from one write.
    #[error("RMW {} reads from write {} already", .by.0, .write.0)]
    Shared {
        /// The write to be read from.
        write: WriteId,
        /// The RMW that reads from it.
        by: WriteId,
    },
}

impl Online {
    /// An execution without threads and locations.
    pub fn new() -> Self {
        Self::default()
    }

    /// A new thread, of which nobody knows and which knows nothing.
    pub fn thread(&mut self) -> ThreadId {
        let thread = ThreadId::from_index(self.threads.len());
        self.threads.push(Thread { sources: Vec::new(), writes: Vec::new(), learnt: 0, clock: NONE });
        self.now.widen(self.threads.len());
        self.clocks.widen(self.threads.len());
        self.now.push();
        thread
    }

    /// A new location, with its initial write.
    pub fn location(&mut self) -> LocId {
        let loc = LocId::from_index(self.locations.len());
        let new = NewWrite { loc, slot: None, ordinal: 0, source: None, clock: NONE };
        let init = self.writes.push(new);
        self.locations.push(Location::new(init));
        loc
    }

    /// The initial write of a location.
    pub fn initial(&self, loc: LocId) -> WriteId {
        self.locations[loc.index()].init
    }

    /// Where a write stands; none if it is initial.
    pub fn slot(&self, write: WriteId) -> Option<Slot> {
        self.writes.slot(write)
    }

    /// The location of a write.
    pub fn location_of(&self, write: WriteId) -> LocId {
        self.writes.loc(write)
    }

    /// Number of events of threads: initial writes do not count.
    pub fn len(&self) -> usize {
        self.threads.iter().map(|thread| thread.sources.len()).sum()
    }

    /// Whether no thread has an event.
    pub fn is_empty(&self) -> bool {
        self.threads.iter().all(|thread| thread.sources.is_empty())
    }

    /// The thread writes the location. A write is always consistent.
    pub fn write(&mut self, thread: ThreadId, loc: LocId) -> WriteId {
        let line = self.look_at(thread, loc);
        for &seen in &self.look.seen {
            self.writes.follow(self.writes.top(seen));
        }
        self.settle(thread, loc, line);
        self.append(thread, loc, line, None)
    }

    /// The thread reads from a write.
    pub fn read(&mut self, thread: ThreadId, source: WriteId) -> Result<Slot, Refused> {
        match self.refusal(thread, source) {
            Some(refused) => Err(refused),
            None => {
                self.observe(thread, source);
                Ok(self.push(thread, source.0, NONE))
            }
        }
    }

    /// The thread reads from a write and overwrites it in one step.
    pub fn rmw(&mut self, thread: ThreadId, source: WriteId) -> Result<WriteId, Refused> {
        if let Some(by) = self.writes.next(source) {
            return Err(Refused::Shared { write: source, by });
        }
        match self.refusal(thread, source) {
            Some(refused) => Err(refused),
            None => {
                let line = self.observe(thread, source);
                Ok(self.append(thread, self.writes.loc(source), line, Some(source)))
            }
        }
    }

    /// Whether [`read`](Self::read) would be accepted.
    pub fn may_read(&mut self, thread: ThreadId, source: WriteId) -> bool {
        self.refusal(thread, source).is_none()
    }

    /// Whether [`rmw`](Self::rmw) would be accepted.
    pub fn may_rmw(&mut self, thread: ThreadId, source: WriteId) -> bool {
        self.writes.next(source).is_none() && self.may_read(thread, source)
    }

    /// The writes of a location that the thread may read from now: the initial write first, then thread by thread in
    /// program order.
    pub fn candidates(&mut self, thread: ThreadId, loc: LocId) -> impl Iterator<Item = WriteId> + '_ {
        self.look_at(thread, loc);
        self.look.close(&self.locations[loc.index()], &self.writes);
        self.not_overwritten(thread, loc)
    }

    /// Those of the [`candidates`](Self::candidates) that no RMW reads from, so that the thread's next event may be
    /// one that does.
    pub fn rmw_candidates(&mut self, thread: ThreadId, loc: LocId) -> impl Iterator<Item = WriteId> + '_ {
        self.look_at(thread, loc);
        self.look.close(&self.locations[loc.index()], &self.writes);
        self.not_overwritten(thread, loc).filter(|&write| self.writes.next(write).is_none())
    }

    /// The execution so far: threads `T0`, `T1`, ..., locations `x0`, `x1`, ...; the n-th write of a location writes n.
    pub fn execution(&self) -> Result<Execution, MalformedHistory> {
        let mut b = Execution::builder();
        for loc in 0..self.locations.len() {
            b.location(&format!("x{loc}"));
        }
        let mut count = vec![0; self.locations.len()];
        let values: Vec<u64> = (0..self.writes.len() as u32)
            .map(|write| {
                let count = &mut count[self.writes.loc(WriteId(write)).index()];
                *count += 1;
                *count - 1
            })
            .collect();
        for (t, thread) in self.threads.iter().enumerate() {
            let id = b.thread(&format!("T{t}"));
            for (&source, &write) in thread.sources.iter().zip(&thread.writes) {
                let from = |source: WriteId| self.slot(source).map_or(Source::Init, Source::At);
                let value = |write: u32| values[write as usize];
                let loc = self.writes.loc(WriteId(if write == NONE { source } else { write }));
                let op = match (source, write) {
                    (NONE, write) => Op::write(loc, value(write)),
                    (source, NONE) => Op::read(loc, value(source)).from(from(WriteId(source))),
                    (source, write) => Op::rmw(loc, value(source), value(write)).from(from(WriteId(source))),
                };
                b.push(id, op.order(Order::AcqRel));
            }
        }
        b.build()
    }

    /// The writes of a location, at which the thread looks, that it may read from.
    fn not_overwritten(&self, thread: ThreadId, loc: LocId) -> impl Iterator<Item = WriteId> + '_ {
        let (location, clock) = (&self.locations[loc.index()], self.now.row(thread.0));
        let lines = location.lines.iter().zip(&location.threads).zip(&self.look.before);
        let of_lines = lines.flat_map(move |((line, of), &before)| {
            // Of what the thread knows of a line, all but the last is overwritten.
            let known = line.indices.partition_point(|&index| index < clock[of.index()]);
            &line.writes[known.saturating_sub(1).max(before as usize)..]
        });
        std::iter::once(&location.init).chain(of_lines).copied().filter(move |&write| {
            self.overwritten_in_sight(clock, write).is_none()
                && !self.look.has_before(self.writes.top(write), location, &self.writes)
        })
    }

    /// Why a thread may not read from a write.
    fn refusal(&mut self, thread: ThreadId, source: WriteId) -> Option<Refused> {
        if let Some(by) = self.overwritten_in_sight(self.now.row(thread.0), source) {
            return Some(Refused::Overwritten { write: source, by });
        }
        let (loc, top) = (self.writes.loc(source), self.writes.top(source));
        self.look_at(thread, loc);
        let Online { locations, writes, look, .. } = self;
        let location = &locations[loc.index()];
        let by = if top == location.init {
            look.seen.iter().copied().find(|&seen| writes.top(seen) != top)
        } else if !writes.is_followed(top) || look.seen.iter().all(|&seen| writes.top(seen) == top) {
            // A chain with nothing behind it is before nothing, and no chain is before itself.
            None
        } else {
            look.close(location, writes);
            match look.has_before(top, location, writes) {
                true => look.overwriting(top, location, writes),
                false => None,
            }
        };
        by.map(|by| Refused::Overwritten { write: source, by })
    }

    /// The write that is next to a write in its chain or in its thread's line, if `clock` knows it.
    #[inline]
    fn overwritten_in_sight(&self, clock: &[u32], write: WriteId) -> Option<WriteId> {
        let knows = |write: WriteId| {
            self.writes.slot(write).is_some_and(|slot| slot.index < clock[slot.thread.index()])
        };
        if let Some(next) = self.writes.next(write).filter(|&next| knows(next)) {
            return Some(next);
        }
        let location = &self.locations[self.writes.loc(write).index()];
        let (line, ordinal) = location.place(&self.writes, write)?;
        location.lines[line].writes.get(ordinal as usize + 1).copied().filter(|&next| knows(next))
    }

    /// Looks at a location with a thread's eyes. Says which line is the thread's.
    #[inline]
    fn look_at(&mut self, thread: ThreadId, loc: LocId) -> u32 {
        let (clock, learnt) = (self.now.row(thread.0), self.threads[thread.index()].learnt);
        self.look.at(&mut self.locations[loc.index()], (thread, loc), clock, learnt)
    }

    /// A thread reads from a write that it may read from: what it has seen goes before that write's chain, and what
    /// happens before the write happens before the thread's next event. Says which line is the thread's.
    fn observe(&mut self, thread: ThreadId, source: WriteId) -> u32 {
        let (loc, top) = (self.writes.loc(source), self.writes.top(source));
        let line = self.look_at(thread, loc);
        let Online { threads, locations, writes, now, clocks, look, edges } = self;
        let location = &mut locations[loc.index()];
        if let Some((top_line, top_ordinal)) = location.place(writes, top)
            && look.seen.iter().any(|&seen| writes.top(seen) != top)
        {
            edges.clear();
            if look.closed {
                edges.extend_from_slice(&look.before);
            }
            edges.resize(location.width(), 0);
            for &seen in &look.seen {
                if writes.top(seen) == top {
                    continue;
                }
                writes.follow(writes.top(seen));
                if let Some((line, ordinal)) = location.place(writes, seen) {
                    edges[line] = edges[line].max(ordinal + 1);
                }
            }
            location.raise(top_line, top_ordinal, edges);
        }
        if let Some(slot) = writes.slot(source) {
            let now = now.row_mut(thread.0);
            if now[slot.thread.index()] <= slot.index {
                join(now, clocks.row(writes.clock(source)));
                now[slot.thread.index()] = slot.index + 1;
                let thread = &mut threads[thread.index()];
                thread.learnt += 1;
                thread.clock = NONE;
                location.advance(line, &mut look.front, now, |_| {});
            }
        }
        self.settle(thread, loc, line);
        self.locations[loc.index()].lines[line as usize].left = source;
        line
    }

    /// A thread accesses the location that it has looked at.
    #[inline]
    fn settle(&mut self, thread: ThreadId, loc: LocId, line: u32) {
        let location = &mut self.locations[loc.index()];
        let learnt = self.threads[thread.index()].learnt;
        if std::mem::replace(&mut location.lines[line as usize].learnt, learnt) != learnt {
            location.settle(line, &self.look.front);
        }
    }

    /// A thread writes a location on which it has settled.
    fn append(&mut self, thread: ThreadId, loc: LocId, line: u32, source: Option<WriteId>) -> WriteId {
        let Thread { clock, .. } = &mut self.threads[thread.index()];
        if *clock == NONE {
            *clock = self.clocks.push_row(self.now.row(thread.0));
        }
        let own = &self.locations[loc.index()].lines[line as usize];
        let slot = Slot { thread, index: self.now.row(thread.0)[thread.index()] };
        let new = NewWrite { loc, slot: Some(slot), ordinal: own.writes.len() as u32, source, clock: *clock };
        let write = self.writes.push(new);
        let location = &mut self.locations[loc.index()];
        location.append(line, write, slot.index);
        location.lines[line as usize].left = write;
        self.push(thread, source.map_or(NONE, |source| source.0), write.0);
        write
    }

    fn push(&mut self, thread: ThreadId, source: u32, write: u32) -> Slot {
        self.look.forget();
        let columns = &mut self.threads[thread.index()];
        columns.sources.push(source);
        columns.writes.push(write);
        let index = &mut self.now.row_mut(thread.0)[thread.index()];
        *index += 1;
        Slot { thread, index: *index - 1 }
    }
}

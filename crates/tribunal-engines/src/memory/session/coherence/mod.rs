//! Minimal coherence, while the execution grows: rc20, rc11, ra and relaxed; and wra, which has no mo.
//!
//! After Algorithm 5 of Tunç et al. 2023 (section 5.2 and appendix B.2), for every kind of synchronization. mo orders
//! rf-chains: a write with the RMWs behind it. An access leaves a write: itself, or the one it reads from. If an access
//! happens before one that looks at another chain, then mo has the chain of what it leaves before that one. Of these edges,
//! mo', the execution is consistent as long as they are acyclic at each location and nothing is read that is overwritten
//! within its chain (Lemma 4.4 there). A new write is behind all it knows, so that only a read can close a cycle: r may not
//! read from w if mo' has a path from w's chain to another that is left before r.
//!
//! For each location `hbmo` keeps, for an access and each thread, how many of the thread's accesses are before it, with the
//! invariants
//!
//! - (i) hbmo ⊆ (hb ∪ mo')⁺: it never says too much;
//! - (ii) hb ∪ (mo' ; po?) ⊆ hbmo: what is before a chain's first write is before all that follow it in its thread.
//!
//! It is not transitively closed. By (ii) the closure of what a read knows is found from the last access of each
//! thread, row by row, and it is asked for only if the chain to be read has something behind it.
//!
//! The accesses are the writes and, where orders are given, the reads of what does not happen before them: whoever knows
//! of another read knows of its source.
//!
//! Where the paper passes an edge on to all later writes of a thread, here it is kept once, with the place from which
//! it holds: a reader that lags n writes behind pays O(k + log n), not O(n·k).
//!
//! An event takes O(k) time, and O(k) for each row that a closure visits: at worst a row for each access of the
//! location, mostly one or two for each thread.

mod location;
mod look;
mod place;
mod retire;

use super::knowledge::{Knowledge, Release};
use super::log::{Log, NONE};
use super::{Because, WriteId};
use crate::memory::order::past::happens_before::Synchronization;
use crate::reach::trail::Trail;
use location::{LineState, Location};
use look::Look;
use tribunal_history::heap::Heap;
use tribunal_history::memory::{LocId, Order, ThreadId};

/// A write in its chain and in its line, by its place.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// The first write of its rf-chain that is left.
    top: u32,
    /// The number of writes of the chain that are before it.
    position: u32,
    /// The RMW that reads from it, or [`NONE`].
    next: u32,
    /// The number of accesses of its location that its thread has before it.
    ordinal: u32,
    /// The knowledge that its readers may acquire.
    release: Release,
    /// Of a top: whether mo may be known to put another chain behind this one.
    followed: bool,
}

type Links = Vec<Link>;

/// A change, with the value to put back to go back.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// A line before an access, how many accesses it had and how many rows its location.
    Line {
        loc: LocId,
        line: u32,
        accesses: u32,
        rows: u32,
        state: LineState,
    },
    /// The row of an access.
    Row {
        loc: LocId,
        line: u32,
        ordinal: u32,
        row: u32,
    },
    /// A row that was learned later, or that there was none.
    Late {
        loc: LocId,
        line: u32,
        at: u32,
        row: u32,
    },
    LateNew {
        loc: LocId,
        line: u32,
        at: u32,
    },
    /// No RMW read from the write.
    Next {
        write: u32,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Coherence {
    /// Whether there is an mo: not so for wra.
    mo: bool,
    knowledge: Knowledge,
    /// More than there are if some were undone.
    locations: Vec<Location>,
    links: Links,
    look: Look,
    /// The chains that a read puts before a chain.
    edges: Vec<u32>,
    /// The chains before which a write is placed.
    behind: Vec<u32>,
    /// Whether there is a mark to go back to.
    trail: Trail<Change>,
}

impl Coherence {
    pub(super) fn new(synchronization: Synchronization, mo: bool) -> Self {
        Coherence {
            mo,
            knowledge: Knowledge::new(synchronization),
            locations: Vec::new(),
            links: Vec::new(),
            look: Look::default(),
            edges: Vec::new(),
            behind: Vec::new(),
            trail: Trail::default(),
        }
    }

    pub(super) fn add_thread(&mut self) {
        self.knowledge.add_thread();
    }

    /// Bytes that another thread needs beside those held.
    pub(super) fn bytes_of_thread(&self) -> usize {
        self.knowledge.bytes_of_thread()
    }

    pub(super) fn add_location(&mut self, loc: LocId, init: WriteId) {
        self.link(init.place, None, 0, Release::default());
        match self.locations.get_mut(loc.index()) {
            Some(location) => location.renew(init.place),
            None => self.locations.push(Location::new(init.place)),
        }
    }

    /// Puts a write behind its source, or on top of a chain of its own.
    #[inline(always)]
    fn link(&mut self, write: u32, source: Option<u32>, ordinal: u32, release: Release) {
        let (top, position) = match source {
            Some(source) if self.mo => {
                let Link { top, position, .. } = self.links[source as usize];
                (top, position.checked_add(1).expect("the writes of a chain are counted with 32 bits"))
            }
            _ => (write, 0),
        };
        let link = Link { top, position, next: NONE, ordinal, release, followed: false };
        match self.links.get_mut(write as usize) {
            Some(place) => *place = link,
            None => self.links.push(link),
        }
        if let Some(source) = source {
            self.links[source as usize].next = write;
            self.trail.note(Change::Next { write: source });
        }
    }

    pub(super) fn write(&mut self, log: &mut Log, thread: ThreadId, loc: LocId, order: Order) -> WriteId {
        self.look_at(thread, loc);
        for &seen in &self.look.seen {
            let top = self.links[seen as usize].top;
            self.links[top as usize].followed = true;
        }
        self.begin(thread, loc);
        self.settle(thread, loc);
        self.append(log, thread, loc, order, None)
    }

    pub(super) fn read(
        &mut self,
        log: &mut Log,
        thread: ThreadId,
        source: u32,
        order: Order,
    ) -> Result<(), Because> {
        if let Some(because) = self.refusal(log, thread, source) {
            return Err(because);
        }
        let loc = log.at(source).loc;
        self.look_at(thread, loc);
        self.begin(thread, loc);
        let heard = self.observe(log, thread, source, order);
        if !heard {
            let location = &mut self.locations[loc.index()];
            let place = location.place(log, &self.links, source);
            let line = &location.lines[self.look.line];
            // Who knows of the earlier access knows as much.
            if line.accesses.last().is_none_or(|last| last.left != source) {
                location.append(self.look.line, self.knowledge.count(thread), source, place);
            }
        }
        self.end(thread);
        Ok(())
    }

    pub(super) fn rmw(
        &mut self,
        log: &mut Log,
        thread: ThreadId,
        source: u32,
        order: Order,
    ) -> Result<WriteId, Because> {
        if let Some(by) = self.reader(source) {
            return Err(Because::Shared { by: log.id(by) });
        }
        if let Some(because) = self.refusal(log, thread, source) {
            return Err(because);
        }
        let loc = log.at(source).loc;
        self.look_at(thread, loc);
        self.begin(thread, loc);
        self.observe(log, thread, source, order);
        Ok(self.append(log, thread, loc, order, Some(source)))
    }

    pub(super) fn fence(&mut self, thread: ThreadId, order: Order) {
        self.knowledge.remember(thread);
        self.knowledge.fence(thread, order);
        self.end(thread);
    }

    /// The RMW that reads from a write.
    pub(super) fn reader(&self, source: u32) -> Option<u32> {
        Some(self.links[source as usize].next).filter(|&next| next != NONE)
    }

    pub(super) fn may_read(&mut self, log: &Log, thread: ThreadId, source: u32) -> bool {
        self.refusal(log, thread, source).is_none()
    }

    /// Collects the writes of a location that the thread may read from, the initial write first, then thread by thread in
    /// program order.
    pub(super) fn candidates(
        &mut self,
        log: &Log,
        thread: ThreadId,
        loc: LocId,
        rmws: bool,
        found: &mut Vec<WriteId>,
    ) {
        self.look_at(thread, loc);
        let Coherence { locations, links, look, .. } = self;
        let location = &locations[loc.index()];
        look.close(location, log, links);
        let mut consider = |write: u32| {
            let link = &links[write as usize];
            if !(rmws && link.next != NONE)
                && look.hiding(write, links).is_none()
                && !look.has_before(link.top, location, log, links)
            {
                found.push(log.id(write));
            }
        };
        let initial = log.initial(loc).place;
        if initial != NONE {
            consider(initial);
        }
        for (i, line) in location.lines.iter().enumerate() {
            // Of what the thread knows of a line, all but the last is overwritten.
            let known = if i == look.line { line.end() } else { look.front[i] };
            let start = known.saturating_sub(1).max(look.before[i]).max(line.base);
            for access in line.accesses.get((start - line.base) as usize..).unwrap_or_default() {
                if log.at(access.left).thread == line.thread.0 {
                    consider(access.left);
                }
            }
        }
    }

    /// The reason why a thread may not read from a write.
    fn refusal(&mut self, log: &Log, thread: ThreadId, source: u32) -> Option<Because> {
        let loc = log.at(source).loc;
        self.look_at(thread, loc);
        let Coherence { locations, links, look, mo, .. } = self;
        let location = &locations[loc.index()];
        let top = links[source as usize].top;
        let by = look.hiding(source, links).or_else(|| {
            if top == location.first {
                look.seen.iter().copied().find(|&seen| links[seen as usize].top != top)
            } else if *mo && !links[top as usize].followed
                || look.seen.iter().all(|&seen| links[seen as usize].top == top)
            {
                // A chain with nothing behind it is before nothing, and no chain is before itself.
                None
            } else {
                look.close(location, log, links);
                match look.has_before(top, location, log, links) {
                    true => look.overwriting(top, location, log, links),
                    false => None,
                }
            }
        });
        by.map(|by| Because::Overwritten { by: log.id(by) })
    }

    /// Looks at a location with a thread's eyes.
    #[inline(always)]
    fn look_at(&mut self, thread: ThreadId, loc: LocId) {
        let known = (self.knowledge.now(thread), self.knowledge.now_row(thread));
        self.look.at(&mut self.locations[loc.index()], (thread, loc), known, self.mo);
    }

    /// Remembers what an access of the location that was looked at may change.
    #[inline(always)]
    fn begin(&mut self, thread: ThreadId, loc: LocId) {
        self.knowledge.remember(thread);
        if self.trail.is_marked() {
            let (location, line) = (&self.locations[loc.index()], self.look.line);
            let own = &location.lines[line];
            let (accesses, rows) = (own.accesses.len() as u32, location.rows.len());
            self.trail.push(Change::Line { loc, line: line as u32, accesses, rows, state: own.state });
        }
    }

    /// A thread reads from a write that it may read from: what it has seen goes before that write's chain, and what the
    /// write releases is acquired. Says whether the write happens before the read.
    fn observe(&mut self, log: &Log, thread: ThreadId, source: u32, order: Order) -> bool {
        let written = *log.at(source);
        let Coherence { mo, knowledge, locations, links, look, edges, trail, .. } = self;
        let location = &mut locations[written.loc.index()];
        let top = links[source as usize].top;
        if *mo
            && top != location.first
            && let Some((top_line, top_ordinal)) = location.place(log, links, top)
            && look.seen.iter().any(|&seen| links[seen as usize].top != top)
        {
            edges.clear();
            if look.closed {
                edges.extend_from_slice(&look.before);
            }
            edges.resize(location.width(), 0);
            for &seen in &look.seen {
                let chain = links[seen as usize].top;
                if chain == top {
                    continue;
                }
                links[chain as usize].followed = true;
                if let Some((line, ordinal)) = location.place(log, links, seen) {
                    edges[line] = edges[line].max(ordinal + 1);
                }
            }
            location.raise((written.loc, top_line, top_ordinal), edges, |change| trail.note(change));
        }
        let mut heard = true;
        if written.thread != NONE {
            let writer = ThreadId(written.thread);
            let before = knowledge.now_row(thread);
            knowledge.read(thread, writer, links[source as usize].release, order);
            let now = knowledge.now(thread);
            heard = writer == thread || !knowledge.has_unheard_reads() || now[writer.index()] > written.index;
            if knowledge.now_row(thread) != before {
                location.advance(look.line, &mut look.front, now, |_| {});
            }
        }
        self.settle(thread, written.loc);
        self.locations[written.loc.index()].lines[self.look.line].state.left = source;
        heard
    }

    /// A thread accesses the location that it has looked at.
    #[inline(always)]
    fn settle(&mut self, thread: ThreadId, loc: LocId) {
        let location = &mut self.locations[loc.index()];
        let known = self.knowledge.now_row(thread);
        let state = &mut location.lines[self.look.line].state;
        if state.known != known {
            state.known = known;
            if location.rows.row(state.front) != self.look.front {
                state.front = location.rows.push(&self.look.front);
            }
        }
    }

    /// A thread writes a location on which it has settled.
    fn append(
        &mut self,
        log: &mut Log,
        thread: ThreadId,
        loc: LocId,
        order: Order,
        source: Option<u32>,
    ) -> WriteId {
        let (line, index) = (self.look.line, self.knowledge.count(thread));
        let passed = source.and_then(|source| match log.at(source).thread {
            NONE => None,
            writer => Some((ThreadId(writer), self.links[source as usize].release)),
        });
        let location = &mut self.locations[loc.index()];
        let own = &mut location.lines[line];
        let release = self.knowledge.release(thread, order, &mut own.state.release, passed);
        let write = log.add_write(thread.0, index, loc);
        own.state.left = write.place;
        let ordinal = own.end();
        let place = source.and_then(|source| location.place(log, &self.links, source));
        let place = place.filter(|&(of, _)| of != line);
        location.append(line, index, write.place, place);
        self.link(write.place, source, ordinal, release);
        self.end(thread);
        write
    }

    #[inline(always)]
    fn end(&mut self, thread: ThreadId) {
        self.look.forget();
        self.knowledge.advance(thread);
    }

    /// hb.
    #[inline(always)]
    pub(super) fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// What a thread would know behind a read, where orders are given.
    pub(super) fn clock_after(
        &self,
        log: &Log,
        thread: ThreadId,
        source: u32,
        order: Order,
        clock: &mut Vec<u32>,
    ) {
        let (writer, order) = match log.at(source).thread {
            NONE => (thread, Order::Relaxed),
            writer => (ThreadId(writer), order),
        };
        self.knowledge.after_read(thread, writer, self.links[source as usize].release, order, clock);
    }

    pub(super) fn count(&self, thread: ThreadId) -> u32 {
        self.knowledge.count(thread)
    }

    pub(super) fn mark(&mut self) -> [usize; 2] {
        [self.knowledge.mark(), self.trail.mark()]
    }

    /// As if there were no thread and none of so many locations.
    pub(super) fn clear(&mut self, locations: usize) {
        self.look.forget();
        self.knowledge.clear();
        self.locations[..locations].iter_mut().for_each(Location::clear);
        self.links.clear();
        self.trail.forget();
    }

    /// Goes back to a mark, at which there were so many threads.
    pub(super) fn undo(&mut self, [knowledge, trail]: [usize; 2], threads: usize) {
        self.look.forget();
        self.knowledge.undo(knowledge, threads);
        while let Some(change) = self.trail.pop_to(trail) {
            match change {
                Change::Line { loc, line, accesses, rows, state } => {
                    let location = &mut self.locations[loc.index()];
                    let own = &mut location.lines[line as usize];
                    own.accesses.truncate(accesses as usize);
                    own.state = state;
                    location.rows.truncate(rows);
                }
                Change::Row { loc, line, ordinal, row } => {
                    let own = &mut self.locations[loc.index()].lines[line as usize];
                    let at = (ordinal - own.base) as usize;
                    own.accesses[at].row = row;
                }
                Change::Late { loc, line, at, row } => {
                    self.locations[loc.index()].lines[line as usize].late[at as usize].1 = row;
                }
                Change::LateNew { loc, line, at } => {
                    self.locations[loc.index()].lines[line as usize].late.remove(at as usize);
                }
                Change::Next { write } => self.links[write as usize].next = NONE,
            }
        }
    }

    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        self.knowledge.bytes()
            + self.locations.iter().map(Location::bytes).sum::<usize>()
            + self.links.held()
            + self.trail.bytes()
    }
}

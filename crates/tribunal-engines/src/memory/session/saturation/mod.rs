//! Saturation, while the execution grows: sc, tso, pso and sra.
//!
//! A graph of events holds whatever every mo must bring about. Its edges are what the model keeps of po and rf, and what
//! follows from two rules:
//!
//! - a write w' that comes before a read r of its location, which reads from another write w, is before w;
//! - what reads from w comes before every write w' of its location that comes after w.
//!
//! For tso and pso the local view adds that what an access of a thread leaves is before what its next access of the location
//! leaves, or the same (as `order/views/base` says, one graph then decides both views). For sra the first rule is of happens-before
//! alone, the second of RMWs alone, and an RMW keeps to the first rule with whatever comes before it.
//!
//! A cycle refuses the step that closed it. Without one there may still be no mo: the rules are sound and not complete, except for
//! sra without RMWs and wherever the writes of each location are totally ordered.
//!
//! Reachability is kept as clocks over lines of writes that the model keeps in order: a thread's writes or, under pso, those to
//! one location. An entry says how far the line is before the event. All edges that the rules derive end in writes, so nothing
//! else needs to be counted. What an old event learns goes on along its edges, as long as there is news.

mod retire;
mod rules;

use super::knowledge::{Knowledge, Release};
use super::log::{Log, NONE};
use super::{Because, WriteId};
use crate::memory::order::past::happens_before::Synchronization;
use crate::reach::clocks::Rows;
use crate::reach::trail::Trail;
use tribunal_history::heap::{Heap, held};
use tribunal_history::memory::{LocId, Order, ThreadId};

/// The rules of a model, with the parts of po and rf that it keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rules {
    /// All of po.
    Sc,
    /// All but W→R.
    Tso,
    /// R→R and R→W.
    Pso,
    /// All of po; hb decides what reads ask for.
    Sra,
}

/// In place of an event: none. Its row is empty.
const NOTHING: u32 = 0;

#[derive(Clone, Copy, Debug)]
struct Event {
    /// [`NONE`] of an initial write.
    thread: u32,
    loc: LocId,
    /// Its place in its thread.
    index: u32,
    reads: bool,
    writes: bool,
    /// The event it reads from.
    source: u32,
    /// The line it is on if it writes, else [`NONE`].
    line: u32,
    /// Its readers, if it writes: a row with the last of each thread.
    readers: u32,
    /// Its last edge.
    edge: u32,
    /// Of a plain write: the one before it that no fence has held back.
    earlier: u32,
    /// The write's place in the log, if it writes.
    place: u32,
}

/// The state of a thread: its last events that the model keeps others behind.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    count: u32,
    /// The last one that later reads and writes come after.
    read: u32,
    /// tso: the last write, RMW or full fence; pso: the last plain write that no fence has held back.
    write: u32,
    /// pso: the last release fence.
    barrier: u32,
}

#[derive(Clone, Debug, Default)]
struct Location {
    init: u32,
    lines: Vec<Line>,
    /// By thread, which of the lines is its own, or [`NONE`].
    line_of: Vec<u32>,
    /// By thread, the write that its last access left, or [`NOTHING`] if that is the initial one.
    left: Vec<u32>,
}

/// The writes of a thread to a location, in order.
#[derive(Clone, Debug)]
struct Line {
    line: u32,
    writes: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    index: u32,
    event: u32,
}

impl Event {
    /// No event, and of a fence all but its thread and index.
    const NOTHING: Event = Event {
        thread: NONE,
        loc: LocId(0),
        index: 0,
        reads: false,
        writes: false,
        source: NOTHING,
        line: NONE,
        readers: 0,
        edge: NONE,
        earlier: NOTHING,
        place: NONE,
    };
}

/// A change, with the value to put back to go back.
#[derive(Clone, Copy, Debug)]
enum Change {
    Event,
    Clock { event: u32, line: u32, entry: u32 },
    Reader { row: u32, thread: u32, event: u32 },
    Edge { event: u32, edge: u32 },
    Left { loc: LocId, thread: ThreadId, event: u32 },
    State { thread: ThreadId, state: State },
}

#[derive(Clone, Debug)]
pub(super) struct SessionSaturation {
    rules: Rules,
    /// hb, for sra.
    knowledge: Knowledge,
    releases: Vec<Release>,
    /// The first is [`NOTHING`].
    events: Vec<Event>,
    /// By event, how far each line is before it.
    clocks: Rows,
    readers: Rows,
    /// The end of each edge, and the edge before it of the same event.
    edges: Vec<(u32, u32)>,
    threads: Vec<State>,
    /// More than there are if some were undone.
    locations: Vec<Location>,
    /// The thread of each line; of pso's lines, also the location.
    line_threads: Vec<u32>,
    /// By place, the event.
    events_of: Vec<u32>,
    /// Edges to be followed, and whether they are new.
    queue: Vec<(u32, u32, bool)>,
    /// Also the way back of a step that is refused.
    trail: Trail<Change>,
    /// Events that were left after retiring.
    kept: usize,
}

/// An access to be added.
#[derive(Clone, Copy, Debug)]
struct Access {
    thread: ThreadId,
    loc: LocId,
    source: Option<u32>,
    writes: bool,
    /// The write directly after which mo is to have it.
    after: Option<u32>,
    order: Order,
}

impl SessionSaturation {
    pub(super) fn new(rules: Rules) -> Self {
        SessionSaturation {
            rules,
            knowledge: Knowledge::new(Synchronization::EveryRead),
            releases: Vec::new(),
            events: vec![Event::NOTHING],
            clocks: Rows::default(),
            readers: Rows::default(),
            edges: Vec::new(),
            threads: Vec::new(),
            locations: Vec::new(),
            line_threads: Vec::new(),
            events_of: Vec::new(),
            queue: Vec::new(),
            trail: Trail::default(),
            kept: 0,
        }
    }

    pub(super) fn add_thread(&mut self) {
        let thread = self.threads.len();
        self.threads.push(State::default());
        self.readers.widen(thread + 1);
        self.knowledge.add_thread();
        if self.rules != Rules::Pso && self.line_threads.len() <= thread {
            self.line_threads.push(thread as u32);
            self.clocks.widen(self.line_threads.len());
        }
    }

    /// Bytes that another thread needs beside those held.
    pub(super) fn bytes_of_thread(&self) -> usize {
        let thread = self.threads.len();
        let lines = self.line_threads.len().max(thread) + 1;
        self.readers.bytes_to_widen(thread + 1)
            + self.clocks.bytes_to_widen(lines)
            + self.knowledge.bytes_of_thread()
    }

    pub(super) fn add_location(&mut self, loc: LocId, init: WriteId) {
        let event = self.add_event(Event {
            thread: NONE,
            loc,
            index: 0,
            reads: false,
            writes: true,
            source: NOTHING,
            line: NONE,
            readers: 0,
            edge: NONE,
            earlier: NOTHING,
            place: init.place,
        });
        if self.locations.len() <= loc.index() {
            self.locations.push(Location::default());
        }
        self.locations[loc.index()].init = event;
        self.locations[loc.index()].left.fill(NOTHING);
        self.trail.forget_unmarked();
    }

    /// Makes an event that comes after nothing.
    fn add_event(&mut self, mut event: Event) -> u32 {
        let id = self.events.len() as u32;
        self.clocks.push(&[]);
        if event.writes {
            event.readers = self.readers.push(&[]);
            // What is only tried out has no place.
            if event.place != NONE {
                let place = event.place as usize;
                if self.events_of.len() <= place {
                    self.events_of.resize(place + 1, NOTHING);
                }
                self.events_of[place] = id;
            }
        }
        self.events.push(event);
        self.trail.push(Change::Event);
        id
    }

    pub(super) fn write(&mut self, log: &mut Log, thread: ThreadId, loc: LocId, order: Order) -> WriteId {
        let access = Access { thread, loc, source: None, writes: true, after: None, order };
        match self.step(log, access) {
            Ok(write) => write.expect("it writes"),
            Err(_) => unreachable!("a write comes before nothing, so that it closes no cycle"),
        }
    }

    pub(super) fn write_after(
        &mut self,
        log: &mut Log,
        (thread, loc, order): (ThreadId, LocId, Order),
        after: u32,
    ) -> Result<WriteId, Because> {
        let after = Some(self.events_of[after as usize]);
        let access = Access { thread, loc, source: None, writes: true, after, order };
        self.step(log, access).map(|write| write.expect("it writes"))
    }

    pub(super) fn read(
        &mut self,
        log: &mut Log,
        thread: ThreadId,
        from: u32,
        order: Order,
    ) -> Result<(), Because> {
        let source = Some(self.events_of[from as usize]);
        let access = Access { thread, loc: log.at(from).loc, source, writes: false, after: None, order };
        self.step(log, access).map(|_| ())
    }

    pub(super) fn rmw(
        &mut self,
        log: &mut Log,
        thread: ThreadId,
        from: u32,
        order: Order,
    ) -> Result<WriteId, Because> {
        let source = Some(self.events_of[from as usize]);
        if let Some(by) = self.reader(from) {
            return Err(Because::Shared { by: log.id(by) });
        }
        let access = Access { thread, loc: log.at(from).loc, source, writes: true, after: None, order };
        self.step(log, access).map(|write| write.expect("it writes"))
    }

    /// The RMW that reads from a write.
    pub(super) fn reader(&self, from: u32) -> Option<u32> {
        let row = self.events[self.events_of[from as usize] as usize].readers;
        let readers = self.readers.row(row).iter().map(|&reader| &self.events[reader as usize]);
        readers.filter(|reader| reader.writes).map(|rmw| rmw.place).next()
    }

    pub(super) fn may_read(&mut self, log: &Log, thread: ThreadId, from: u32, writes: bool) -> bool {
        let source = Some(self.events_of[from as usize]);
        let loc = log.at(from).loc;
        let access = Access { thread, loc, source, writes, after: None, order: Order::Relaxed };
        !(writes && self.reader(from).is_some()) && self.try_out(access)
    }

    /// Collects the writes of a location that satisfy the rules for a read or an RMW of the thread.
    pub(super) fn candidates(
        &mut self,
        log: &Log,
        thread: ThreadId,
        loc: LocId,
        rmws: bool,
        found: &mut Vec<WriteId>,
    ) {
        self.each_write(loc, |this, event| {
            let place = this.events[event as usize].place;
            if this.may_read(log, thread, place, rmws) {
                found.push(log.id(place));
            }
        });
    }

    /// Collects the writes directly after which a new write of the thread may go.
    pub(super) fn positions(&mut self, log: &Log, thread: ThreadId, loc: LocId, found: &mut Vec<WriteId>) {
        self.each_write(loc, |this, event| {
            let after = Some(event);
            let access = Access { thread, loc, source: None, writes: true, after, order: Order::Relaxed };
            if this.try_out(access) {
                found.push(log.id(this.events[event as usize].place));
            }
        });
    }

    fn each_write(&mut self, loc: LocId, mut visit: impl FnMut(&mut Self, u32)) {
        let init = self.locations[loc.index()].init;
        if init != NOTHING {
            visit(self, init);
        }
        for line in 0..self.locations[loc.index()].lines.len() {
            for at in 0..self.locations[loc.index()].lines[line].writes.len() {
                let event = self.locations[loc.index()].lines[line].writes[at].event;
                visit(self, event);
            }
        }
    }

    /// Whether an access is possible; all stays as it is.
    fn try_out(&mut self, access: Access) -> bool {
        let mark = self.trail.len();
        let possible = self.access(access, NONE).is_ok();
        self.undo_to(mark);
        possible
    }

    /// Adds an access, unless it closes a cycle.
    fn step(&mut self, log: &mut Log, access: Access) -> Result<Option<WriteId>, Because> {
        let mark = self.trail.len();
        let Access { thread, loc, .. } = access;
        let index = self.threads[thread.index()].count;
        // An id that nobody sees is given back if the step is refused.
        let write = access.writes.then(|| log.add_write(thread.0, index, loc));
        match self.access(access, write.map_or(NONE, |write| write.place)) {
            Ok(event) => {
                if self.rules == Rules::Sra {
                    self.acquire(access, event);
                }
                self.trail.forget_unmarked();
                Ok(write)
            }
            Err(()) => {
                self.undo_to(mark);
                if write.is_some() {
                    log.take_back();
                }
                Err(Because::Cyclic)
            }
        }
    }

    /// hb goes on, for sra.
    fn acquire(&mut self, Access { thread, source, writes, order, .. }: Access, event: u32) {
        self.knowledge.remember(thread);
        if let Some(Event { thread: writer, place, .. }) = source.map(|source| self.events[source as usize])
            && writer != NONE
            && writer != thread.0
        {
            self.knowledge.read(thread, ThreadId(writer), self.releases[place as usize], order);
        }
        if writes {
            let release = self.knowledge.release(thread, order, &mut Release::default(), None);
            let place = self.events[event as usize].place as usize;
            if self.releases.len() <= place {
                self.releases.resize(place + 1, Release::default());
            }
            self.releases[place] = release;
        }
        self.knowledge.advance(thread);
    }

    fn access(&mut self, access: Access, place: u32) -> Result<u32, ()> {
        let Access { thread, loc, source, writes, after, .. } = access;
        let index = self.threads[thread.index()].count;
        let at = self.line_at(thread, loc);
        let line = if writes { self.locations[loc.index()].lines[at].line } else { NONE };
        let event = self.add_event(Event {
            thread: thread.0,
            loc,
            index,
            reads: source.is_some(),
            writes,
            source: source.unwrap_or(NOTHING),
            line,
            readers: 0,
            edge: NONE,
            earlier: NOTHING,
            place,
        });
        if writes {
            self.locations[loc.index()].lines[at].writes.push(Entry { index, event });
        }
        self.queue.clear();
        self.keep_order(thread, event);
        self.local_view(thread, loc, source, event, writes)?;
        if let Some(source) = source {
            self.read_from(thread, loc, source, event)?;
        }
        if writes {
            self.overwrite_initial(loc, at, event);
        }
        if let Some(after) = after {
            if self.events[after as usize].thread != NONE {
                self.add_edge(after, event);
            }
            self.before_all_behind(loc, after, event);
        }
        self.follow()?;
        Ok(event)
    }

    /// The line of a thread among those of a location.
    fn line_at(&mut self, thread: ThreadId, loc: LocId) -> usize {
        let location = &mut self.locations[loc.index()];
        if location.line_of.len() <= thread.index() {
            location.line_of.resize(thread.index() + 1, NONE);
            location.left.resize(thread.index() + 1, NOTHING);
        }
        if location.line_of[thread.index()] == NONE {
            location.line_of[thread.index()] = location.lines.len() as u32;
            let line = if self.rules == Rules::Pso {
                self.line_threads.push(thread.0);
                self.clocks.widen(self.line_threads.len());
                self.line_threads.len() as u32 - 1
            } else {
                thread.0
            };
            location.lines.push(Line { line, writes: Vec::new() });
        }
        location.line_of[thread.index()] as usize
    }

    pub(super) fn fence(&mut self, thread: ThreadId, order: Order) {
        let state = self.threads[thread.index()];
        self.trail.push(Change::State { thread, state });
        let full = order == Order::SeqCst;
        let holds = match self.rules {
            Rules::Sc | Rules::Sra => false,
            Rules::Tso => full,
            Rules::Pso => full || order.is_release(),
        };
        let State { count, mut read, mut write, mut barrier } = state;
        if holds {
            let fence = self.add_event(Event { thread: thread.0, index: count, ..Event::NOTHING });
            self.queue.clear();
            self.add_edge(read, fence);
            match self.rules {
                Rules::Tso => {
                    self.add_edge(write, fence);
                    write = fence;
                }
                _ => {
                    self.add_edge(barrier, fence);
                    while write != NOTHING {
                        self.add_edge(write, fence);
                        write = self.events[write as usize].earlier;
                    }
                    barrier = if full { NOTHING } else { fence };
                }
            }
            if full {
                read = fence;
            }
            let followed = self.follow();
            debug_assert!(followed.is_ok(), "a fence comes before nothing");
        }
        self.threads[thread.index()] = State { count: count + 1, read, write, barrier };
        if self.rules == Rules::Sra {
            self.knowledge.remember(thread);
            self.knowledge.advance(thread);
        }
        self.trail.forget_unmarked();
    }

    /// hb, which only sra has.
    #[inline(always)]
    pub(super) fn knowledge(&self) -> Option<&Knowledge> {
        (self.rules == Rules::Sra).then_some(&self.knowledge)
    }

    pub(super) fn count(&self, thread: ThreadId) -> u32 {
        self.threads[thread.index()].count
    }

    pub(super) fn mark(&mut self) -> [usize; 2] {
        [self.knowledge.mark(), self.trail.mark()]
    }

    /// Goes back to a mark, at which there were so many threads.
    pub(super) fn undo(&mut self, [knowledge, trail]: [usize; 2], threads: usize) {
        self.knowledge.undo(knowledge, threads);
        self.undo_to(trail);
        self.threads.truncate(threads);
    }

    fn undo_to(&mut self, mark: usize) {
        while let Some(change) = self.trail.pop_to(mark) {
            match change {
                Change::Event => {
                    let id = self.events.len() as u32 - 1;
                    let Event { thread, loc, writes, readers, .. } = self.events[id as usize];
                    if writes {
                        self.readers.truncate(readers);
                        let location = &mut self.locations[loc.index()];
                        match location.line_of.get(thread as usize) {
                            Some(&at) if thread != NONE => _ = location.lines[at as usize].writes.pop(),
                            _ => location.init = NOTHING,
                        }
                    }
                    self.events.truncate(id as usize);
                    self.clocks.truncate(id);
                }
                Change::Clock { event, line, entry } => self.clocks.row_mut(event)[line as usize] = entry,
                Change::Reader { row, thread, event } => {
                    self.readers.row_mut(row)[thread as usize] = event;
                }
                Change::Edge { event, edge } => {
                    self.events[event as usize].edge = edge;
                    self.edges.pop();
                }
                Change::Left { loc, thread, event } => {
                    self.locations[loc.index()].left[thread.index()] = event;
                }
                Change::State { thread, state } => self.threads[thread.index()] = state,
            }
        }
    }

    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        let lines = self.locations.iter().flat_map(|location| &location.lines);
        self.knowledge.bytes()
            + self.clocks.bytes()
            + self.readers.bytes()
            + self.trail.bytes()
            + held(&[&self.events, &self.edges, &self.queue])
            + lines.map(|line| line.writes.held()).sum::<usize>()
    }
}

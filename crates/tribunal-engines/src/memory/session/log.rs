//! The record of a session: threads, locations, writes by id, and events in order.

use super::Step;
use tribunal_history::heap::held;
use tribunal_history::memory::{Execution, Kind, Label, LocId, MalformedHistory, Op, Slot, Source, ThreadId};

/// A write of a session, initial or not, or an RMW.
///
/// A slot in a table with a generation: when a write is retired, its slot is reused, and the old
/// id is recognized as stale. Undo also frees slots, and then the ids of undone writes are used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WriteId {
    pub(super) place: u32,
    pub(super) turn: u32,
}

impl WriteId {
    /// The write's slot: a small number for your own tables. No two current writes have the same.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.place as usize
    }

    /// The id as a number, for other languages: the low half is the [`index`](Self::index).
    ///
    /// ```
    /// use tribunal::{Model, memory::{Session, WriteId}};
    /// let mut session = Session::new(Model::Sc)?;
    /// let loc = session.location();
    /// let init = session.initial(loc).expect("nothing is retired");
    /// assert_eq!(WriteId::from_bits(init.to_bits()), init);
    /// // A number that is no id is of nothing, as an id of a write that is gone.
    /// assert_eq!(session.location_of(WriteId::from_bits(u64::MAX)), None);
    /// # Ok::<(), tribunal::memory::NoSession>(())
    /// ```
    #[inline(always)]
    pub const fn to_bits(self) -> u64 {
        (self.turn as u64) << 32 | self.place as u64
    }

    /// The id of a number.
    #[inline(always)]
    pub const fn from_bits(bits: u64) -> Self {
        WriteId { place: bits as u32, turn: (bits >> 32) as u32 }
    }
}

/// In place of a thread, of a write or of a row: none.
pub(super) const NONE: u32 = u32::MAX;

/// A write, by its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    /// The number of times that the place was used before.
    pub(super) turn: u32,
    /// [`NONE`] if it is initial.
    pub(super) thread: u32,
    /// Its place in its thread.
    pub(super) index: u32,
    /// [`NONE`] if it is undone.
    pub(super) loc: LocId,
}

/// An event as it came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) label: Label,
    pub(super) thread: ThreadId,
    pub(super) loc: LocId,
    /// The places of what it reads from and of what it writes, or [`NONE`].
    pub(super) source: u32,
    pub(super) write: u32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    /// By thread, whether it has finished.
    threads: Vec<bool>,
    /// By location, its initial write, or [`NONE`] if that is retired.
    initial: Vec<WriteId>,
    writes: Vec<Written>,
    /// Places to be used again, the next one last.
    free: Vec<u32>,
    events: Vec<Event>,
    /// Places in the order in which they were taken, and threads in the order in which they finished, if there is a mark.
    taken: Vec<u32>,
    finished: Vec<ThreadId>,
    /// The number of events that are no longer there.
    pub(super) retired: u64,
}

/// The length that a log had.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogMark {
    pub(super) threads: usize,
    pub(super) locations: usize,
    events: usize,
    taken: usize,
    finished: usize,
}

impl Log {
    pub(super) fn add_thread(&mut self) -> ThreadId {
        self.threads.push(false);
        ThreadId::from_index(self.threads.len() - 1)
    }

    pub(super) fn thread_count(&self) -> usize {
        self.threads.len()
    }

    pub(super) fn is_finished(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()]
    }

    pub(super) fn running(&self) -> impl Iterator<Item = ThreadId> + Clone + '_ {
        (0..).map(ThreadId).zip(&self.threads).filter(|&(_, &finished)| !finished).map(|(thread, _)| thread)
    }

    pub(super) fn finish(&mut self, thread: ThreadId) {
        if !std::mem::replace(&mut self.threads[thread.index()], true) {
            self.finished.push(thread);
        }
    }

    pub(super) fn add_location(&mut self) -> (LocId, WriteId) {
        let loc = LocId::from_index(self.initial.len());
        let init = self.add_write(NONE, 0, loc);
        self.initial.push(init);
        (loc, init)
    }

    pub(super) fn location_count(&self) -> usize {
        self.initial.len()
    }

    pub(super) fn initial(&self, loc: LocId) -> WriteId {
        self.initial[loc.index()]
    }

    /// The number of places for writes.
    pub(super) fn places(&self) -> usize {
        self.writes.len()
    }

    pub(super) fn add_write(&mut self, thread: u32, index: u32, loc: LocId) -> WriteId {
        let place = self.free.pop().unwrap_or_else(|| {
            self.writes.push(Written { turn: 0, thread, index, loc });
            self.writes.len() as u32 - 1
        });
        let write = &mut self.writes[place as usize];
        *write = Written { turn: write.turn, thread, index, loc };
        let turn = write.turn;
        self.taken.push(place);
        WriteId { place, turn }
    }

    /// Takes back the last write, undone or of a step that was refused.
    pub(super) fn take_back(&mut self) {
        if let Some(place) = self.taken.pop() {
            self.writes[place as usize].loc = LocId(NONE);
            self.free.push(place);
        }
    }

    /// The places of no write.
    pub(super) fn free(&self) -> &[u32] {
        &self.free
    }

    /// The write of an id, unless it is retired or undone.
    #[inline(always)]
    pub(super) fn get(&self, write: WriteId) -> Option<&Written> {
        let is_there = |written: &&Written| written.turn == write.turn && written.loc.0 != NONE;
        self.writes.get(write.index()).filter(is_there)
    }

    #[inline(always)]
    pub(super) fn at(&self, place: u32) -> &Written {
        &self.writes[place as usize]
    }

    #[inline(always)]
    pub(super) fn id(&self, place: u32) -> WriteId {
        WriteId { place, turn: self.writes[place as usize].turn }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, label: Label, thread: ThreadId, loc: LocId, source: u32, write: u32) {
        self.events.push(Event { label, thread, loc, source, write });
    }

    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    pub(super) fn event(&self, at: usize) -> &Event {
        &self.events[at]
    }

    pub(super) fn mark(&self) -> LogMark {
        LogMark {
            threads: self.threads.len(),
            locations: self.initial.len(),
            events: self.events.len(),
            taken: self.taken.len(),
            finished: self.finished.len(),
        }
    }

    /// What is not needed as long as there is no mark.
    #[inline(always)]
    pub(super) fn forget_way_back(&mut self) {
        self.taken.clear();
        self.finished.clear();
    }

    /// As if it were new, with the room that it has.
    pub(super) fn clear(&mut self) {
        self.threads.clear();
        self.initial.clear();
        self.writes.clear();
        self.free.clear();
        self.events.clear();
        self.forget_way_back();
        self.retired = 0;
    }

    pub(super) fn undo(&mut self, mark: &LogMark) {
        self.events.truncate(mark.events);
        while self.taken.len() > mark.taken {
            self.take_back();
        }
        while self.finished.len() > mark.finished {
            if let Some(thread) = self.finished.pop() {
                self.threads[thread.index()] = false;
            }
        }
        self.threads.truncate(mark.threads);
        self.initial.truncate(mark.locations);
    }

    /// Leaves the writes for which `left` holds by their places, and no other events. What an RMW read from may be gone: then it
    /// is a write.
    pub(super) fn retire(&mut self, left: impl Fn(u32) -> bool) {
        self.forget_way_back();
        let Log { events, writes, free, initial, .. } = self;
        let before = events.len();
        let mut gone = |place: u32| {
            let write = &mut writes[place as usize];
            write.turn = write.turn.wrapping_add(1);
            free.push(place);
        };
        for init in initial {
            if init.place != NONE && !left(init.place) {
                gone(init.place);
                *init = WriteId { place: NONE, turn: NONE };
            }
        }
        events.retain_mut(|event| {
            let stays = event.write != NONE && left(event.write);
            if event.write != NONE && !stays {
                gone(event.write);
            }
            if event.source != NONE && !left(event.source) {
                event.source = NONE;
                event.label = Label::new(Kind::Write, event.label.order());
            }
            stays
        });
        self.retired += (before - events.len()) as u64;
    }

    /// The execution of the events that are left, with one more if there is a step.
    pub(super) fn execution(&self, step: Option<&Step>) -> Result<Execution, MalformedHistory> {
        let mut b = Execution::builder();
        for thread in 0..self.threads.len() {
            b.thread(&format!("T{thread}"));
        }
        let mut written = vec![(Source::Init, 0u64); self.writes.len()];
        let mut values = vec![0u64; self.initial.len()];
        for loc in 0..self.initial.len() {
            b.location(&format!("x{loc}"));
        }
        let next = step.map(|step| match *step {
            Step::Write { thread, loc, order } => {
                Event { label: Label::new(Kind::Write, order), thread, loc, source: NONE, write: NONE }
            }
            Step::Read { thread, from, order } => {
                let (label, loc) = (Label::new(Kind::Read, order), self.at(from.place).loc);
                Event { label, thread, loc, source: from.place, write: NONE }
            }
            Step::Rmw { thread, from, order } => {
                let (label, loc) = (Label::new(Kind::Rmw, order), self.at(from.place).loc);
                Event { label, thread, loc, source: from.place, write: NONE }
            }
            Step::Fence { thread, order } => {
                let label = Label::new(Kind::Fence, order);
                Event { label, thread, loc: LocId(0), source: NONE, write: NONE }
            }
        });
        for event in self.events.iter().chain(&next) {
            let (from, read) = match event.source {
                NONE => (Source::Init, 0),
                source => written[source as usize],
            };
            let mut value = || {
                values[event.loc.index()] += 1;
                values[event.loc.index()]
            };
            let op = match event.label.kind() {
                Kind::Read => Op::read(event.loc, read).from(from),
                Kind::Write => Op::write(event.loc, value()),
                Kind::Rmw => Op::rmw(event.loc, read, value()).from(from),
                Kind::Fence => Op::fence(event.label.order()),
            };
            let slot: Slot = b.push(event.thread, op.order(event.label.order()));
            if event.write != NONE {
                written[event.write as usize] = (Source::At(slot), op.value);
            }
        }
        b.build()
    }

    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        let Log { threads, initial, writes, free, taken, finished, events, .. } = self;
        held(&[threads, initial, writes, free, taken, finished, events])
    }
}

//! Collecting events: they are pushed thread by thread or interleaved.

use super::names::{Interner, NAME};
use super::write_index::{INDEXED, ROW, WriteIndex};
use super::{EventId, Execution, Interval, Kind, Label, LocId, MalformedHistory, Op, Slot, Source, ThreadId};
use crate::heap::held;
use std::mem::size_of;
use std::str::{Utf8Error, from_utf8};

impl Execution {
    /// Starts an empty execution.
    pub fn builder() -> ExecutionBuilder {
        ExecutionBuilder::default()
    }
}

/// Collects events; made by [`Execution::builder`].
#[derive(Clone, Debug, Default)]
pub struct ExecutionBuilder {
    pub(super) name: Option<String>,
    pub(super) threads: Interner,
    /// The number of events that each thread has.
    pub(super) lengths: Vec<u32>,
    pub(super) locs: Interner,
    pub(super) init: Vec<u64>,
    pub(super) pushed: Pushed,
    pub(super) finals: Vec<(LocId, u64)>,
    pub(super) times: Vec<(Slot, Interval)>,
    /// For building; kept for its room.
    pub(super) index: WriteIndex,
    /// The bytes that collecting and building take, except for the times and what is kept from history to history.
    taken: usize,
}

/// An event that was pushed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) value: u64,
    pub(super) loc: LocId,
    pub(super) thread: ThreadId,
    pub(super) label: Label,
}

/// The events in the order in which they were pushed; and, in the same order, what few of them have.
#[derive(Clone, Debug, Default)]
pub(super) struct Pushed {
    pub(super) rows: Vec<Row>,
    /// Whether a thread had events after those of a later one: else the events are in the order of their ids.
    pub(super) interleaved: bool,
    /// The values that RMWs read.
    pub(super) rmw_reads: Vec<(Slot, u64)>,
    /// Reads with an explicit source.
    pub(super) sources: Vec<(Slot, Source)>,
    pub(super) deps: Vec<(Slot, u32)>,
}

/// The bytes that a column takes for an entry: it grows by doubling.
const fn growing<T>() -> usize {
    2 * size_of::<T>()
}

/// For an event: its place among those pushed, in the columns and the sources of the execution, in the table of threads and in the
/// index of writes. The index is larger than the copies that columns make when they grow, and is made after them.
const EVENT: usize = growing::<Row>()
    + size_of::<Label>()
    + size_of::<LocId>()
    + size_of::<u64>()
    + 2 * size_of::<u32>()
    + INDEXED;
/// For a location: its name, its initial value, which is copied when that column grows, and its place in the index.
const LOCATION: usize = NAME + 3 * size_of::<u64>() + ROW;
/// For a thread: its name, how many events it has, the table of threads, and where it begins, which is copied to arrange columns.
const THREAD: usize = NAME + 9 * size_of::<u32>();
/// For what few events have.
const RMW: usize = 3 * size_of::<(Slot, u64)>();
const SOURCE: usize = 3 * size_of::<(Slot, Source)>();
const DEPENDENCY: usize = 3 * size_of::<(Slot, u32)>() + 3 * size_of::<(EventId, EventId)>();
const FINAL: usize = 6 * size_of::<(LocId, u64)>();
const TIME: usize = 3 * size_of::<(Slot, Interval)>();

/// The bytes that are kept from history to history. It counts for every history, so that what one takes does not depend on
/// those before it.
const KEPT: usize = 32 << 10;

impl ExecutionBuilder {
    /// Names the history.
    pub fn name(&mut self, name: impl Into<String>) -> &mut Self {
        let name = name.into();
        self.taken += name.capacity();
        self.name = Some(name);
        self
    }

    /// The thread of this name, new or not.
    #[inline]
    pub fn thread(&mut self, name: &str) -> ThreadId {
        match self.threads.find(name.as_bytes()) {
            Some(id) => ThreadId(id),
            None => self.new_thread(name),
        }
    }

    fn new_thread(&mut self, name: &str) -> ThreadId {
        let id = ThreadId(self.threads.add(name));
        self.taken += THREAD + 3 * name.len();
        self.make_thread(id);
        id
    }

    /// The thread that gets the next new name, so that its events may come before its name. Without a name it is called by its number,
    /// such as `T0`.
    ///
    /// ```
    /// use tribunal::memory::{Execution, Op};
    /// let mut b = Execution::builder();
    /// let (t, x) = (b.next_thread(), b.location("x"));
    /// b.push(t, Op::write(x, 1));
    /// assert_eq!(b.thread("writer"), t);
    /// assert_eq!(b.build()?.thread_name(t), "writer");
    /// # Ok::<(), tribunal::memory::MalformedHistory>(())
    /// ```
    pub fn next_thread(&mut self) -> ThreadId {
        let id = ThreadId::from_index(self.threads.len());
        self.make_thread(id);
        id
    }

    fn make_thread(&mut self, thread: ThreadId) {
        if self.lengths.len() == thread.index() {
            self.lengths.push(0);
        }
    }

    /// The location of this name, new or not; its initial value is 0.
    #[inline]
    pub fn location(&mut self, name: &str) -> LocId {
        match self.locs.find(name.as_bytes()) {
            Some(id) => LocId(id),
            None => self.new_location(name),
        }
    }

    /// The name of a location.
    ///
    /// ```
    /// use tribunal::memory::Execution;
    /// let mut b = Execution::builder();
    /// let (t, x) = (b.thread("T0"), b.location("x"));
    /// assert_eq!((b.thread_name(t), b.location_name(x)), ("T0", "x"));
    /// ```
    pub fn location_name(&self, loc: LocId) -> &str {
        self.locs.get(loc.index())
    }

    /// The name of a thread, if it has one yet.
    pub fn thread_name(&self, thread: ThreadId) -> &str {
        self.threads.get(thread.index())
    }

    /// Like [`location`](Self::location), for a name in bytes. UTF-8 is checked only if the location is new.
    ///
    /// ```
    /// use tribunal::memory::Execution;
    /// let mut b = Execution::builder();
    /// let x = b.location("x");
    /// assert_eq!(b.location_of(b"x"), Ok(x));
    /// assert!(b.location_of(b"\xff").is_err());
    /// ```
    #[inline]
    pub fn location_of(&mut self, name: &[u8]) -> Result<LocId, Utf8Error> {
        match self.locs.find(name) {
            Some(id) => Ok(LocId(id)),
            None => Ok(self.new_location(from_utf8(name)?)),
        }
    }

    /// Like [`thread`](Self::thread), for a name in bytes. UTF-8 is checked only if the thread is new.
    #[inline]
    pub fn thread_of(&mut self, name: &[u8]) -> Result<ThreadId, Utf8Error> {
        match self.threads.find(name) {
            Some(id) => Ok(ThreadId(id)),
            None => Ok(self.new_thread(from_utf8(name)?)),
        }
    }

    fn new_location(&mut self, name: &str) -> LocId {
        self.taken += LOCATION + 3 * name.len();
        self.init.push(0);
        LocId(self.locs.add(name))
    }

    /// Sets the initial value of a location; the default is 0.
    pub fn init(&mut self, loc: LocId, value: u64) -> &mut Self {
        self.init[loc.index()] = value;
        self
    }

    /// Requires that the last write in mo of a location writes this value.
    pub fn final_value(&mut self, loc: LocId, value: u64) -> &mut Self {
        self.finals.push((loc, value));
        self.taken += FINAL;
        self
    }

    /// Appends an operation to a thread and returns its position.
    #[inline(always)]
    pub fn push(&mut self, thread: ThreadId, op: Op) -> Slot {
        let length = &mut self.lengths[thread.index()];
        let slot = Slot { thread, index: *length };
        *length += 1;
        let pushed = &mut self.pushed;
        pushed.interleaved |= pushed.rows.last().is_some_and(|last| last.thread > thread);
        let label = Label::new(op.kind, op.order);
        pushed.rows.push(Row { value: op.value, loc: op.loc, thread, label });
        self.taken += EVENT;
        if op.kind == Kind::Rmw {
            pushed.rmw_reads.push((slot, op.read));
            self.taken += RMW;
        }
        if op.source != Source::ByValue {
            pushed.sources.push((slot, op.source));
            self.taken += SOURCE;
        }
        slot
    }

    /// Records that an event depends on an earlier read of its thread.
    pub fn depends(&mut self, event: Slot, on: u32) -> &mut Self {
        self.pushed.deps.push((event, on));
        self.taken += DEPENDENCY;
        self
    }

    /// Records when an event began and ended.
    pub fn interval(&mut self, event: Slot, interval: Interval) -> &mut Self {
        self.times.push((event, interval));
        self.taken += TIME;
        self
    }

    /// An upper bound on the heap bytes that [`build`](Self::build) needs for the history so far, including those already in use.
    ///
    /// ```
    /// use tribunal::memory::{Execution, Op};
    /// let mut b = Execution::builder();
    /// let (t, x) = (b.thread("T0"), b.location("x"));
    /// let before = b.memory();
    /// (0..100).for_each(|value| _ = b.push(t, Op::write(x, value)));
    /// assert!(b.memory() > before + 100 * 13);
    /// ```
    #[inline]
    pub fn memory(&self) -> usize {
        let times = if self.times.is_empty() { 0 } else { self.len() * size_of::<Interval>() };
        KEPT + self.taken + times
    }

    /// Number of events so far.
    #[inline]
    pub fn len(&self) -> usize {
        self.pushed.rows.len()
    }

    /// Whether there is no event yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of events of a thread so far.
    pub fn thread_len(&self, thread: ThreadId) -> usize {
        self.lengths[thread.index()] as usize
    }

    /// For each thread the id of its first event, followed by the total number of events.
    pub fn thread_starts(&self) -> Vec<u32> {
        let mut starts = Vec::with_capacity(self.lengths.len() + 1);
        starts.push(0);
        starts.extend(self.lengths.iter().scan(0, |end, &length| {
            *end += length;
            Some(*end)
        }));
        starts
    }

    /// Rearranges a column, given in the order in which events were pushed, into the order of their ids.
    ///
    /// ```
    /// use tribunal::memory::{Execution, Op};
    /// let mut b = Execution::builder();
    /// let (t, u, x) = (b.thread("T0"), b.thread("T1"), b.location("x"));
    /// for (value, thread) in [(1, t), (2, u), (3, t)] {
    ///     b.push(thread, Op::write(x, value));
    /// }
    /// assert_eq!(b.arranged(&[1, 2, 3]), [1, 3, 2]);
    /// ```
    pub fn arranged<T: Copy>(&self, column: &[T]) -> Vec<T> {
        let mut arranged = column.to_vec();
        if self.pushed.interleaved {
            let mut next = self.thread_starts();
            for (row, &given) in self.pushed.rows.iter().zip(column) {
                let place = &mut next[row.thread.index()];
                arranged[*place as usize] = given;
                *place += 1;
            }
        }
        arranged
    }

    /// Assigns a write to every read and validates the history. A read of a value that nothing wrote, or that several
    /// writes wrote, stays [open](Execution::is_open).
    ///
    /// ```
    /// use tribunal::memory::{Execution, MalformedHistory, Op};
    /// let mut b = Execution::builder();
    /// let (t, x) = (b.thread("T0"), b.location("x"));
    /// let read = b.push(t, Op::read(x, 7));
    /// b.depends(read, 1);
    /// assert!(matches!(b.build(), Err(MalformedHistory::BadDependency { dependency: 1, .. })));
    /// ```
    pub fn build(mut self) -> Result<Execution, MalformedHistory> {
        self.build_next()
    }

    /// Like [`build`](Self::build), and starts the next history. This is faster for many small histories, since it reuses memory.
    ///
    /// ```
    /// use tribunal::memory::{Execution, Op};
    /// let mut b = Execution::builder();
    /// for value in 1..3 {
    ///     let (t, x) = (b.thread("T0"), b.location("x"));
    ///     b.push(t, Op::write(x, value));
    ///     assert_eq!(b.build_next()?.len(), 1);
    /// }
    /// # Ok::<(), tribunal::memory::MalformedHistory>(())
    /// ```
    pub fn build_next(&mut self) -> Result<Execution, MalformedHistory> {
        let execution = self.resolve();
        self.clear();
        execution
    }

    /// Begins another history.
    fn clear(&mut self) {
        if !self.is_small() {
            *self = ExecutionBuilder::default();
            return;
        }
        let ExecutionBuilder { name, threads, lengths, locs, init, pushed, finals, times, index: _, taken } =
            self;
        *name = None;
        threads.clear();
        locs.clear();
        lengths.clear();
        init.clear();
        pushed.clear();
        finals.clear();
        times.clear();
        *taken = 0;
    }

    /// Whether so little is held that it is kept for the next history.
    pub(super) fn is_small(&self) -> bool {
        let bytes = self.threads.bytes()
            + self.locs.bytes()
            + self.pushed.bytes()
            + self.index.bytes()
            + held(&[&self.lengths, &self.init, &self.finals, &self.times]);
        bytes <= KEPT
    }
}

impl Pushed {
    fn clear(&mut self) {
        let Pushed { rows, interleaved, rmw_reads, sources, deps } = self;
        *interleaved = false;
        rows.clear();
        rmw_reads.clear();
        sources.clear();
        deps.clear();
    }

    /// Bytes that are held.
    fn bytes(&self) -> usize {
        held(&[&self.rows, &self.rmw_reads, &self.sources, &self.deps])
    }
}

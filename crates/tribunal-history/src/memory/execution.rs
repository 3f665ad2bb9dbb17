//! The execution itself: struct-of-arrays columns over the events of all threads.

use super::names::Names;
use super::open::Open;
use super::times::Times;
use super::{EventId, Interval, Kind, Label, LocId, Order, Slot, ThreadId};
use crate::heap::held;
use std::fmt;
use std::ops::Range;

/// No write: the `rf` entry of an event that does not read.
pub(super) const NO_SOURCE: u32 = u32::MAX;

/// An execution (E, po, rf): immutable, valid, at most 32 bytes per event.
///
/// The events of a thread are consecutive, in program order; the initial writes come last, one per location, and take
/// no space in the columns. An event takes 17 bytes, or 29 with begin and end times; a dependency takes 8.
///
/// ```
/// use tribunal::memory::{Execution, Op, Order};
/// let mut b = Execution::builder();
/// let (t0, t1) = (b.thread("T0"), b.thread("T1"));
/// let (x, y) = (b.location("x"), b.location("y"));
/// b.push(t0, Op::write(x, 1));
/// b.push(t0, Op::write(y, 1).order(Order::Release));
/// b.push(t1, Op::read(y, 1).order(Order::Acquire));
/// let r = b.push(t1, Op::read(x, 0));
/// let mp = b.build()?;
/// assert_eq!(mp.rf(mp.event(r)), Some(mp.init_write(x)));
/// # Ok::<(), tribunal::memory::MalformedHistory>(())
/// ```
#[derive(Clone, Debug)]
pub struct Execution {
    pub(super) name: Option<String>,
    pub(super) thread_names: Names,
    /// `thread_starts[t]..thread_starts[t + 1]` are the events of thread t.
    pub(super) thread_starts: Vec<u32>,
    pub(super) thread_table: ThreadTable,
    pub(super) loc_names: Names,
    pub(super) init: Vec<u64>,
    pub(super) labels: Vec<Label>,
    pub(super) locs: Vec<LocId>,
    pub(super) values: Vec<u64>,
    pub(super) sources: Vec<u32>,
    /// (event, the earlier read it depends on), sorted.
    pub(super) deps: Vec<(EventId, EventId)>,
    pub(super) finals: Vec<(LocId, EventId)>,
    pub(super) times: Option<Times>,
    /// The reads and final values whose sources values leave open, if any.
    pub(super) open: Option<Box<Open>>,
    pub(super) features: Features,
}

/// The thread of each event, without a column for it: the threads of every 2^shift-th event, between which a thread is
/// searched for if they differ. Mostly they do not.
#[derive(Clone, Debug)]
pub(super) struct ThreadTable {
    shift: u32,
    threads: Vec<u32>,
}

impl ThreadTable {
    pub(super) fn new(thread_starts: &[u32]) -> Self {
        let (events, threads) = (thread_starts[thread_starts.len() - 1], thread_starts.len() as u32);
        let shift = (0..32).find(|&shift| events >> shift <= threads.saturating_mul(32)).unwrap_or(31);
        let mut thread = 0;
        // One entry beyond the last, so that every event is between two.
        let samples = (0..=(events >> shift) + 1).map(|i| {
            let event = (i << shift).min(events.saturating_sub(1));
            while thread_starts.get(thread + 1).is_some_and(|&start| start <= event) {
                thread += 1;
            }
            thread as u32
        });
        ThreadTable { shift, threads: samples.collect() }
    }

    #[inline(always)]
    fn thread_of(&self, thread_starts: &[u32], event: EventId) -> ThreadId {
        let i = (event.0 >> self.shift) as usize;
        let (first, last) = (self.threads[i], self.threads[i + 1]);
        if first == last {
            return ThreadId(first);
        }
        let starts = &thread_starts[first as usize + 1..=last as usize];
        ThreadId(first + starts.partition_point(|&start| start <= event.0) as u32)
    }
}

/// The features of an execution, which determine the models that apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Number of reads, not counting RMWs.
    pub reads: usize,
    /// Number of writes, not counting RMWs and initial writes.
    pub writes: usize,
    /// Number of RMWs.
    pub rmws: usize,
    /// Number of fences.
    pub fences: usize,
    /// Whether an access or a fence is seq_cst.
    pub seq_cst: bool,
    /// Whether an access is non-atomic.
    pub non_atomic: bool,
    /// Whether a location has a given final value.
    pub finals: bool,
    /// Whether an event has dependencies.
    pub deps: bool,
    /// Whether an event has a begin or an end time.
    pub times: bool,
}

impl Execution {
    /// An execution of these columns, for engines: threads and locations have no names, and nobody may ask for a value.
    pub fn of_columns(
        thread_starts: Vec<u32>,
        locations: usize,
        labels: Vec<Label>,
        locs: Vec<LocId>,
        sources: Vec<u32>,
    ) -> Self {
        let names = |count| {
            let mut names = Names::default();
            (0..count).for_each(|_| names.push(""));
            names
        };
        let mut features = Features::default();
        for label in &labels {
            match label.kind() {
                Kind::Read => features.reads += 1,
                Kind::Write => features.writes += 1,
                Kind::Rmw => features.rmws += 1,
                Kind::Fence => features.fences += 1,
            }
        }
        Execution {
            name: None,
            thread_names: names(thread_starts.len() - 1),
            thread_table: ThreadTable::new(&thread_starts),
            thread_starts,
            loc_names: names(locations),
            init: vec![0; locations],
            values: Vec::new(),
            labels,
            locs,
            sources,
            deps: Vec::new(),
            finals: Vec::new(),
            times: None,
            open: None,
            features,
        }
    }

    /// The history's name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Number of events, not counting initial writes.
    #[inline]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether no thread has an event.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Number of threads.
    #[inline]
    pub fn thread_count(&self) -> usize {
        self.thread_names.len()
    }

    /// All threads.
    #[inline]
    pub fn threads(&self) -> impl DoubleEndedIterator<Item = ThreadId> + ExactSizeIterator + Clone + use<> {
        (0..self.thread_count() as u32).map(ThreadId)
    }

    /// A thread's name.
    pub fn thread_name(&self, thread: ThreadId) -> &str {
        self.thread_names.get(thread.index())
    }

    /// Number of locations.
    #[inline]
    pub fn location_count(&self) -> usize {
        self.loc_names.len()
    }

    /// All locations.
    #[inline]
    pub fn locations(&self) -> impl DoubleEndedIterator<Item = LocId> + ExactSizeIterator + Clone + use<> {
        (0..self.location_count() as u32).map(LocId)
    }

    /// A location's name.
    #[inline]
    pub fn location_name(&self, loc: LocId) -> &str {
        self.loc_names.get(loc.index())
    }

    /// A location's initial value.
    #[inline]
    pub fn init_value(&self, loc: LocId) -> u64 {
        self.init[loc.index()]
    }

    /// The ids of a thread's events, in program order.
    #[inline]
    pub fn thread_events(&self, thread: ThreadId) -> Range<u32> {
        self.thread_starts[thread.index()]..self.thread_starts[thread.index() + 1]
    }

    /// The ids of the events of all threads.
    #[inline]
    pub fn events(&self) -> impl DoubleEndedIterator<Item = EventId> + ExactSizeIterator + Clone + use<> {
        (0..self.len() as u32).map(EventId)
    }

    /// The initial write of a location.
    #[inline(always)]
    pub fn init_write(&self, loc: LocId) -> EventId {
        EventId(self.labels.len() as u32 + loc.0)
    }

    /// Whether this is an initial write.
    #[inline(always)]
    pub fn is_init(&self, event: EventId) -> bool {
        event.index() >= self.labels.len()
    }

    /// The event at a position, which must exist.
    #[inline]
    pub fn event(&self, slot: Slot) -> EventId {
        self.event_at(slot.thread, slot.index).expect("a slot of this execution")
    }

    /// The event of a thread at an index, if there is one.
    #[inline]
    pub fn event_at(&self, thread: ThreadId, index: u32) -> Option<EventId> {
        let (start, end) =
            (*self.thread_starts.get(thread.index())?, *self.thread_starts.get(thread.index() + 1)?);
        (index < end - start).then(|| EventId(start + index))
    }

    /// The position of an event in its thread; `None` for an initial write.
    #[inline]
    pub fn slot(&self, event: EventId) -> Option<Slot> {
        let thread = self.thread_of(event)?;
        Some(Slot { thread, index: event.0 - self.thread_starts[thread.index()] })
    }

    /// The thread of an event; `None` for an initial write.
    #[inline]
    pub fn thread_of(&self, event: EventId) -> Option<ThreadId> {
        (!self.is_init(event)).then(|| self.thread_table.thread_of(&self.thread_starts, event))
    }

    /// Kind and order of an event; an initial write is a relaxed write.
    #[inline]
    pub fn label(&self, event: EventId) -> Label {
        const INIT: Label = Label::new(Kind::Write, Order::Relaxed);
        self.labels.get(event.index()).copied().unwrap_or(INIT)
    }

    /// The location an event accesses; `None` for a fence.
    #[inline]
    pub fn loc(&self, event: EventId) -> Option<LocId> {
        if self.is_init(event) {
            Some(LocId(event.0 - self.len() as u32))
        } else {
            (!self.labels[event.index()].is_fence()).then(|| self.locs[event.index()])
        }
    }

    /// The value an event writes, or the value read by a read that is not an RMW; 0 for a fence.
    #[inline]
    pub fn value(&self, event: EventId) -> u64 {
        match self.values.get(event.index()) {
            Some(&value) => value,
            None => self.init[event.index() - self.len()],
        }
    }

    /// The write an event reads from; `None` if it does not read or its source is [open](Self::is_open).
    #[inline]
    pub fn rf(&self, event: EventId) -> Option<EventId> {
        match self.sources.get(event.index()) {
            None | Some(&NO_SOURCE) => None,
            Some(&source) => Some(EventId(source)),
        }
    }

    /// The reads of its thread that an event depends on.
    #[inline]
    pub fn deps(&self, event: EventId) -> impl Iterator<Item = EventId> + '_ {
        let first = self.deps.partition_point(|&(dependent, _)| dependent < event);
        self.deps[first..].iter().take_while(move |&&(dependent, _)| dependent == event).map(|&(_, on)| on)
    }

    /// The writes that must be last in mo of their locations.
    #[inline]
    pub fn finals(&self) -> &[(LocId, EventId)] {
        &self.finals
    }

    /// The times when an event began and ended.
    #[inline]
    pub fn interval(&self, event: EventId) -> Interval {
        match &self.times {
            Some(times) if !self.is_init(event) => times.get(event),
            _ => Interval::default(),
        }
    }

    /// The features of the execution.
    #[inline]
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The column of labels by event id, without initial writes.
    #[inline]
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// The column of locations by event id; the entry of a fence has no meaning.
    #[inline]
    pub fn locs(&self) -> &[LocId] {
        &self.locs
    }

    /// Memory used by the execution, in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + held(&[&self.labels, &self.locs, &self.values, &self.sources, &self.deps])
            + held(&[&self.thread_starts, &self.init])
            + self.times.as_ref().map_or(0, Times::bytes)
            + self.open.as_ref().map_or(0, |open| open.bytes())
            + self.thread_names.bytes()
            + self.loc_names.bytes()
    }

    /// Displays an event: `T0:1 R.acq y 0`, or `init x` for an initial write.
    ///
    /// ```
    /// use tribunal::memory::{Execution, Op, Order};
    /// let mut b = Execution::builder();
    /// let (t, x) = (b.thread("T0"), b.location("x"));
    /// let w = b.push(t, Op::write(x, 1).order(Order::Release));
    /// let execution = b.build()?;
    /// assert_eq!(execution.show(execution.event(w)).to_string(), "T0:0 W.rel x 1");
    /// # Ok::<(), tribunal::memory::MalformedHistory>(())
    /// ```
    pub fn show(&self, event: EventId) -> EventDisplay<'_> {
        EventDisplay { execution: self, event }
    }
}

/// Displays an event; made by [`Execution::show`].
pub struct EventDisplay<'a> {
    execution: &'a Execution,
    event: EventId,
}

impl fmt::Display for EventDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (x, e) = (self.execution, self.event);
        let Some(slot) = x.slot(e) else {
            return write!(f, "init {}", x.loc(e).map_or("", |loc| x.location_name(loc)));
        };
        write!(f, "{}:{} ", x.thread_name(slot.thread), slot.index)?;
        let name = x.loc(e).map_or("", |loc| x.location_name(loc));
        put_operation(f, x.label(e), name, x.value_read(e).unwrap_or_default(), x.value(e))
    }
}

/// An operation as people write it. `read` is what an RMW reads.
pub fn put_operation(
    out: &mut impl fmt::Write,
    label: Label,
    loc: &str,
    read: u64,
    value: u64,
) -> fmt::Result {
    let order = label.order().suffix();
    match label.kind() {
        Kind::Read => write!(out, "R{order} {loc} {value}"),
        Kind::Write => write!(out, "W{order} {loc} {value}"),
        Kind::Rmw => write!(out, "U{order} {loc} {read}>{value}"),
        Kind::Fence => write!(out, "F{order}"),
    }
}

//! Building an execution: events are pushed thread by thread or interleaved; [`build`](ExecutionBuilder::build)
//! finds every read its write.

use super::execution::{NO_SOURCE, ThreadTable};
use super::open::OPEN;
use super::times::Times;
use super::{
    BadSource, EventId, Execution, Features, Interval, Kind, Label, LocId, MalformedHistory, Op, Order, Slot,
    Source, ThreadId,
};
use crate::growth::Growth;
use rustc_hash::FxHashMap;
use std::mem::size_of;

impl Execution {
    /// Starts an empty execution.
    pub fn builder() -> ExecutionBuilder {
        ExecutionBuilder::default()
    }
}

/// Collects events; made by [`Execution::builder`].
#[derive(Clone, Debug, Default)]
pub struct ExecutionBuilder {
    name: Option<String>,
    threads: Vec<Thread>,
    thread_ids: FxHashMap<Box<str>, ThreadId>,
    loc_names: Vec<Box<str>>,
    loc_ids: FxHashMap<Box<str>, LocId>,
    init: Vec<u64>,
    finals: Vec<(LocId, u64)>,
    times: Vec<(Slot, Interval)>,
    events: usize,
    growth: Growth,
    /// What building takes, but for the times.
    built: usize,
}

/// What building takes for an event: its place in the joined columns and among the sources, and in the index of writes, whose map is
/// never more than half empty.
const EVENT: usize = size_of::<Label>() + size_of::<LocId>() + size_of::<u64>() + size_of::<u32>() + INDEXED;
const INDEXED: usize = 58;
/// For a location: its tables, and its initial write in the index.
const LOCATION: usize = 4 * size_of::<u64>() + INDEXED;
/// For a thread: its name, where it begins, and the table of threads.
const THREAD: usize = size_of::<Box<str>>() + 2 * size_of::<u32>();
/// For a dependency and for a final value, whose columns grow by doubling.
const DEPENDENCY: usize = 3 * size_of::<(EventId, EventId)>();
const FINAL: usize = 3 * size_of::<(LocId, EventId)>();

/// The columns of one thread, growing.
#[derive(Clone, Debug, Default)]
struct Thread {
    name: Box<str>,
    labels: Vec<Label>,
    locs: Vec<LocId>,
    values: Vec<u64>,
    /// The values that the thread's RMWs read, in program order.
    rmw_reads: Vec<u64>,
    /// Reads with an explicit source, in program order.
    sources: Vec<(u32, Source)>,
    deps: Vec<(u32, u32)>,
}

impl ExecutionBuilder {
    /// Names the history.
    pub fn name(&mut self, name: impl Into<String>) -> &mut Self {
        self.name = Some(name.into());
        self
    }

    /// The thread of this name, new or not.
    pub fn thread(&mut self, name: &str) -> ThreadId {
        if let Some(&id) = self.thread_ids.get(name) {
            return id;
        }
        let id = ThreadId::from_index(self.threads.len());
        self.growth.hold(name.len());
        self.growth.insert(&mut self.thread_ids, name.into(), id);
        self.growth.hold(name.len());
        self.growth.push(&mut self.threads, Thread { name: name.into(), ..Thread::default() });
        self.built += THREAD;
        id
    }

    /// The location of this name, new or not; its initial value is 0.
    pub fn location(&mut self, name: &str) -> LocId {
        if let Some(&id) = self.loc_ids.get(name) {
            return id;
        }
        let id = LocId::from_index(self.loc_names.len());
        self.growth.hold(name.len());
        self.growth.insert(&mut self.loc_ids, name.into(), id);
        self.growth.hold(name.len());
        self.growth.push(&mut self.loc_names, name.into());
        self.growth.push(&mut self.init, 0);
        self.built += LOCATION;
        id
    }

    /// Gives a location another initial value than 0.
    pub fn init(&mut self, loc: LocId, value: u64) -> &mut Self {
        self.init[loc.index()] = value;
        self
    }

    /// Requires that the last write in mo of a location wrote this value.
    pub fn final_value(&mut self, loc: LocId, value: u64) -> &mut Self {
        self.growth.push(&mut self.finals, (loc, value));
        self.built += FINAL;
        self
    }

    /// Makes room for so many more events of a thread.
    pub fn reserve(&mut self, thread: ThreadId, events: usize) -> &mut Self {
        let (columns, growth) = (&mut self.threads[thread.index()], &mut self.growth);
        growth.reserve(&mut columns.labels, events);
        growth.reserve(&mut columns.locs, events);
        growth.reserve(&mut columns.values, events);
        self
    }

    /// Appends an operation to a thread and says where it stands.
    #[inline]
    pub fn push(&mut self, thread: ThreadId, op: Op) -> Slot {
        let (columns, growth) = (&mut self.threads[thread.index()], &mut self.growth);
        let index = columns.labels.len() as u32;
        growth.push(&mut columns.labels, Label::new(op.kind, op.order));
        growth.push(&mut columns.locs, op.loc);
        growth.push(&mut columns.values, op.value);
        if op.kind == Kind::Rmw {
            growth.push(&mut columns.rmw_reads, op.read);
        }
        if op.source != Source::ByValue {
            growth.push(&mut columns.sources, (index, op.source));
        }
        self.events += 1;
        self.built += EVENT;
        Slot { thread, index }
    }

    /// Says that an event depends on an earlier read of its thread.
    pub fn depends(&mut self, event: Slot, on: u32) -> &mut Self {
        self.growth.push(&mut self.threads[event.thread.index()].deps, (event.index, on));
        self.built += DEPENDENCY;
        self
    }

    /// Says when an event began and ended.
    pub fn interval(&mut self, event: Slot, interval: Interval) -> &mut Self {
        self.growth.push(&mut self.times, (event, interval));
        self
    }

    /// How many bytes of the heap it takes at most to [`build`](Self::build) what there is so far, those held included.
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
        let times = if self.times.is_empty() { 0 } else { self.events * size_of::<Interval>() };
        self.growth.peak() + self.built + times
    }

    /// Number of events so far.
    pub fn len(&self) -> usize {
        self.events
    }

    /// Whether there is no event yet.
    pub fn is_empty(&self) -> bool {
        self.events == 0
    }

    /// Number of events of a thread so far.
    pub fn thread_len(&self, thread: ThreadId) -> usize {
        self.threads[thread.index()].labels.len()
    }

    /// Finds every read its write and checks that the history makes sense. A read of a value that nothing wrote, or more than
    /// one write, is left [open](Execution::is_open).
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
        let locations = self.loc_names.len();
        // The two largest ids mark "no source" and "more than one write", or an open read.
        if self.events + locations >= AMBIGUOUS as usize {
            return Err(MalformedHistory::TooLarge { events: self.events, locations });
        }
        let mut execution = self.concatenate()?;
        let threads = std::mem::take(&mut self.threads);
        let index = WriteIndex::new(&execution);
        execution.resolve_reads(&threads, &index)?;
        execution.resolve_deps(&threads)?;
        let open_finals = execution.resolve_finals(&self.finals, &index);
        drop(index);
        let rmw_reads = threads.iter().flat_map(|thread| thread.rmw_reads.iter().copied());
        execution.resolve_open(rmw_reads, &open_finals);
        execution.resolve_times(&self.times)?;
        execution.features = Features {
            finals: !self.finals.is_empty(),
            deps: !execution.deps.is_empty(),
            times: execution.times.is_some(),
            ..execution.features
        };
        Ok(execution)
    }

    /// Joins the threads' columns, leaving in `self.threads` only what is sparse.
    fn concatenate(&mut self) -> Result<Execution, MalformedHistory> {
        let mut x = Execution {
            name: self.name.take(),
            thread_names: Vec::with_capacity(self.threads.len()),
            thread_starts: vec![0],
            thread_table: ThreadTable::new(&[0]),
            loc_names: std::mem::take(&mut self.loc_names),
            init: std::mem::take(&mut self.init),
            labels: Vec::with_capacity(self.events),
            locs: Vec::with_capacity(self.events),
            values: Vec::with_capacity(self.events),
            sources: Vec::new(),
            deps: Vec::new(),
            finals: Vec::new(),
            times: None,
            open: None,
            features: Features::default(),
        };
        for (t, thread) in self.threads.iter_mut().enumerate() {
            for (index, label) in thread.labels.iter().enumerate() {
                match label.kind() {
                    Kind::Read => x.features.reads += 1,
                    Kind::Write => x.features.writes += 1,
                    Kind::Rmw => x.features.rmws += 1,
                    Kind::Fence => {
                        x.features.fences += 1;
                        if label.order() == Order::Relaxed {
                            let at = Slot { thread: ThreadId(t as u32), index: index as u32 };
                            return Err(MalformedHistory::FenceWithoutOrder {
                                at,
                                thread: thread.name.to_string(),
                            });
                        }
                    }
                }
                x.features.seq_cst |= label.order() == Order::SeqCst;
            }
            x.labels.append(&mut thread.labels);
            x.locs.append(&mut thread.locs);
            x.values.append(&mut thread.values);
            // Free each thread's columns before the next is copied: it keeps the peak low.
            (thread.labels, thread.locs, thread.values) = (Vec::new(), Vec::new(), Vec::new());
            x.thread_starts.push(x.labels.len() as u32);
            x.thread_names.push(std::mem::take(&mut thread.name));
        }
        x.thread_table = ThreadTable::new(&x.thread_starts);
        Ok(x)
    }
}

impl Execution {
    fn resolve_reads(&mut self, threads: &[Thread], index: &WriteIndex) -> Result<(), MalformedHistory> {
        let mut sources = vec![NO_SOURCE; self.len()];
        for (t, thread) in threads.iter().enumerate() {
            let thread_id = ThreadId(t as u32);
            let range = self.thread_events(thread_id);
            let mut rmw_reads = thread.rmw_reads.iter();
            let mut explicit = thread.sources.iter().peekable();
            for e in range.clone() {
                let event = EventId(e);
                let label = self.label(event);
                let at = Slot { thread: thread_id, index: e - range.start };
                let source = explicit.next_if(|&&(i, _)| i == at.index).map_or(Source::ByValue, |&(_, s)| s);
                if !label.reads() {
                    continue;
                }
                let value = match label.kind() {
                    Kind::Rmw => rmw_reads.next().copied().unwrap_or_default(),
                    _ => self.values[event.index()],
                };
                let loc = self.locs[event.index()];
                sources[event.index()] = match source {
                    Source::ByValue => match index.writer(loc, value) {
                        NO_SOURCE | AMBIGUOUS => OPEN,
                        writer => writer,
                    },
                    explicit => self.explicit_source(at, explicit, loc, value)?.0,
                };
            }
        }
        self.sources = sources;
        Ok(())
    }

    fn explicit_source(
        &self,
        at: Slot,
        source: Source,
        loc: LocId,
        value: u64,
    ) -> Result<EventId, MalformedHistory> {
        let (write, source_name) = match source {
            Source::At(slot) => {
                let thread = match self.thread_names.get(slot.thread.index()) {
                    Some(name) => name.to_string(),
                    None => format!("number {}", slot.thread.0),
                };
                (self.event_at(slot.thread, slot.index), format!("event {} of thread {thread}", slot.index))
            }
            Source::Init | Source::ByValue => (Some(self.init_write(loc)), "the initial write".to_string()),
        };
        let problem = match write {
            None => BadSource::Missing,
            Some(w) if !self.label(w).writes() => BadSource::NotAWrite,
            Some(w) if self.loc(w) != Some(loc) => BadSource::OtherLocation,
            Some(w) if self.value(w) != value => BadSource::OtherValue,
            Some(w) => return Ok(w),
        };
        let thread = self.thread_name(at.thread).into();
        Err(MalformedHistory::BadSource { at, thread, source_name, problem })
    }

    fn resolve_deps(&mut self, threads: &[Thread]) -> Result<(), MalformedHistory> {
        for (t, thread) in threads.iter().enumerate() {
            let thread_id = ThreadId(t as u32);
            for &(index, dependency) in &thread.deps {
                let at = Slot { thread: thread_id, index };
                match self.event_at(thread_id, dependency) {
                    Some(on) if dependency < index && self.label(on).reads() => {
                        self.deps.push((self.event(at), on));
                    }
                    _ => {
                        let thread = self.thread_name(thread_id).into();
                        return Err(MalformedHistory::BadDependency { at, thread, dependency });
                    }
                }
            }
        }
        self.deps.sort_unstable();
        self.deps.dedup();
        self.deps.shrink_to_fit();
        Ok(())
    }

    /// The final values that no write wrote, or more than one.
    fn resolve_finals(&mut self, finals: &[(LocId, u64)], index: &WriteIndex) -> Vec<(LocId, u64)> {
        let mut open = Vec::new();
        for &(loc, value) in finals {
            match index.writer(loc, value) {
                NO_SOURCE | AMBIGUOUS => open.push((loc, value)),
                writer => self.finals.push((loc, EventId(writer))),
            }
        }
        self.finals.sort_unstable();
        self.finals.dedup();
        open
    }

    fn resolve_times(&mut self, given: &[(Slot, Interval)]) -> Result<(), MalformedHistory> {
        if given.is_empty() {
            return Ok(());
        }
        let mut times = Times::new(self.len());
        for &(at, interval) in given {
            if let Interval { begin: Some(begin), end: Some(end) } = interval
                && end < begin
            {
                let thread = self.thread_name(at.thread).into();
                return Err(MalformedHistory::EndsBeforeItBegins { at, thread, begin, end });
            }
            times.set(self.event(at), interval);
        }
        self.times = Some(times);
        Ok(())
    }
}

/// In place of a writer: the value has more than one.
const AMBIGUOUS: u32 = u32::MAX - 1;

/// Finds the write of a value to a location. Values of a location are mostly small and dense: then a table, else a
/// hash map.
struct WriteIndex {
    /// Per location: where its table begins, and how many values it covers.
    tables: Vec<(usize, u64)>,
    table: Vec<u32>,
    map: FxHashMap<(LocId, u64), u32>,
}

impl WriteIndex {
    fn new(x: &Execution) -> Self {
        let mut counts = vec![1u64; x.location_count()];
        let mut largest = x.init.clone();
        let writes =
            || (0..x.len()).filter(|&i| x.labels[i].writes()).map(|i| (x.locs[i], x.values[i], i as u32));
        for (loc, value, _) in writes() {
            counts[loc.index()] += 1;
            largest[loc.index()] = largest[loc.index()].max(value);
        }
        let mut tables = Vec::with_capacity(counts.len());
        let (mut room, mut mapped) = (0, 0);
        for (&count, &largest) in counts.iter().zip(&largest) {
            let covered = if largest <= 4 * count { largest + 1 } else { 0 };
            tables.push((room, covered));
            room += covered as usize;
            mapped += if covered == 0 { count as usize } else { 0 };
        }
        // At once, so that it is not copied as it grows.
        let map = FxHashMap::with_capacity_and_hasher(mapped, Default::default());
        let mut index = WriteIndex { tables, table: vec![NO_SOURCE; room], map };
        for loc in x.locations() {
            index.insert(loc, x.init_value(loc), x.init_write(loc).0);
        }
        for (loc, value, event) in writes() {
            index.insert(loc, value, event);
        }
        index
    }

    fn insert(&mut self, loc: LocId, value: u64, event: u32) {
        let (start, covered) = self.tables[loc.index()];
        let entry = if value < covered {
            &mut self.table[start + value as usize]
        } else {
            self.map.entry((loc, value)).or_insert(NO_SOURCE)
        };
        *entry = if *entry == NO_SOURCE { event } else { AMBIGUOUS };
    }

    fn writer(&self, loc: LocId, value: u64) -> u32 {
        let (start, covered) = self.tables[loc.index()];
        if value < covered {
            self.table[start + value as usize]
        } else {
            self.map.get(&(loc, value)).copied().unwrap_or(NO_SOURCE)
        }
    }
}

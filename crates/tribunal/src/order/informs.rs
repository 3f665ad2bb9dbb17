//! Which writes of a location come before an event, told from the lines that reach it.

use super::base::{Line, seen_by};
use crate::memory::{EventId, Execution, LocId, Order};

/// For each location, in the order of threads and within a thread of program order: at which event of the thread's line
/// which write of the location is known to come before it. The last entry that a line offers is the latest write.
#[derive(Clone, Debug)]
pub(crate) struct Informs {
    /// `segments[starts[x]..starts[x + 1]]` are the threads that tell of location x.
    starts: Vec<u32>,
    segments: Vec<Segment>,
    at: Vec<u32>,
    /// Empty where every entry tells of itself.
    writes: Vec<u32>,
}

/// What one thread tells of one location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub thread: u32,
    start: u32,
    end: u32,
    /// Where the last question was answered: the next one is mostly near.
    hint: u32,
}

impl Informs {
    pub(crate) fn new(x: &Execution, line: Line) -> Self {
        let mut entries: Vec<(LocId, u32, u32)> = Vec::new();
        if line.holds_writes() {
            let writes = x.events().filter(|&e| x.label(e).writes());
            return Informs::from_entries(
                x,
                || writes.clone().map(|e| (x.loc(e).expect("a write"), e.0, e.0)),
                false,
            );
        }
        let mut left: Vec<Option<EventId>> = vec![None; x.location_count()];
        let mut touched: Vec<LocId> = Vec::new();
        for thread in x.threads() {
            let events = x.thread_events(thread);
            for e in events.clone().map(EventId) {
                let label = x.label(e);
                let Some(loc) = x.loc(e) else {
                    if label.order() == Order::SeqCst {
                        // A full fence comes after whatever the accesses before it saw.
                        for loc in touched.drain(..) {
                            let write = left[loc.index()].take().expect("touched");
                            entries.push((loc, e.0, write.0));
                        }
                    }
                    continue;
                };
                let seen = seen_by(x, e).expect("an access sees a write");
                if x.is_init(seen) {
                    continue;
                }
                let external = !events.contains(&seen.0);
                if line.holds(label.kind(), label.order()) && (external || seen == e) {
                    entries.push((loc, e.0, seen.0));
                }
                if left[loc.index()].replace(seen).is_none() {
                    touched.push(loc);
                }
            }
            touched.drain(..).for_each(|loc| left[loc.index()] = None);
        }
        Informs::from_entries(x, || entries.iter().copied(), true)
    }

    /// Groups entries by location, in the order given; those of a thread are consecutive.
    fn from_entries<I: Iterator<Item = (LocId, u32, u32)>>(
        x: &Execution,
        entries: impl Fn() -> I,
        keep_writes: bool,
    ) -> Self {
        let mut fill = vec![0u32; x.location_count() + 1];
        for (loc, ..) in entries() {
            fill[loc.index() + 1] += 1;
        }
        for i in 0..x.location_count() {
            fill[i + 1] += fill[i];
        }
        let bounds = fill.clone();
        let total = fill[x.location_count()] as usize;
        let mut at = vec![0; total];
        let mut writes = vec![0; if keep_writes { total } else { 0 }];
        for (loc, event, write) in entries() {
            let slot = &mut fill[loc.index()];
            at[*slot as usize] = event;
            if keep_writes {
                writes[*slot as usize] = write;
            }
            *slot += 1;
        }
        let (mut starts, mut segments) = (vec![0], Vec::new());
        for loc in 0..x.location_count() {
            let mut start = bounds[loc];
            while start < bounds[loc + 1] {
                let thread = x.thread_of(EventId(at[start as usize])).expect("an event of a thread");
                let last = x.thread_events(thread).end;
                let rest = &at[start as usize..bounds[loc + 1] as usize];
                let end = start + rest.partition_point(|&event| event < last) as u32;
                segments.push(Segment { thread: thread.0, start, end, hint: start });
                start = end;
            }
            starts.push(segments.len() as u32);
        }
        Informs { starts, segments, at, writes }
    }

    /// The segments of a location.
    #[inline(always)]
    pub(crate) fn of(&self, loc: LocId) -> std::ops::Range<usize> {
        self.starts[loc.index()] as usize..self.starts[loc.index() + 1] as usize
    }

    #[inline(always)]
    pub(crate) fn thread(&self, segment: usize) -> usize {
        self.segments[segment].thread as usize
    }

    /// The latest write that a segment tells of before event number `bound` of its thread, other than `except`.
    #[inline]
    pub(crate) fn latest(&mut self, segment: usize, bound: u32, except: EventId) -> Option<EventId> {
        let Segment { start, end, hint, .. } = self.segments[segment];
        let mut i = hint;
        // Invariant at the end: entries before i are below the bound, those from i on are not.
        while i < end && self.at[i as usize] < bound {
            i += 1;
            if i - hint > 8 {
                i += self.at[i as usize..end as usize].partition_point(|&event| event < bound) as u32;
                break;
            }
        }
        while i > start && self.at[i as usize - 1] >= bound {
            i -= 1;
            if i + 8 < hint {
                i = start
                    + self.at[start as usize..i as usize].partition_point(|&event| event < bound) as u32;
                break;
            }
        }
        self.segments[segment].hint = i;
        while i > start {
            i -= 1;
            let write = *self.writes.get(i as usize).unwrap_or(&self.at[i as usize]);
            if write != except.0 {
                return Some(EventId(write));
            }
        }
        None
    }
}

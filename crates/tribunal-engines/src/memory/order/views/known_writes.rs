//! Which writes of a location come before an event, told from the lines that reach it.

use super::base::{Line, seen_by};
use tribunal_history::memory::{EventId, Execution, LocId, Order};

/// For each location, in the order of threads and within a thread of program order: at which event of the thread's line
/// which write of the location is known to come before it. The last entry that a line offers is a latest write; those
/// before it are earlier, except for plain reads of a location that may be out of order between two fences.
#[derive(Clone, Debug)]
pub(crate) struct KnownWrites {
    /// `segments[starts[x]..starts[x + 1]]` are the threads that tell of location x.
    starts: Vec<u32>,
    segments: Vec<Segment>,
    at: Vec<u32>,
    /// Empty where every entry tells of itself.
    writes: Vec<u32>,
    /// Whether the entry before may tell of a write that does not come before that of this one; empty where none does.
    not_alone: Vec<bool>,
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

/// The latest writes that a segment tells of, still to be looked at: of the entries from `start` on, those before `end`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Latest {
    start: u32,
    end: u32,
    except: u32,
}

/// That `at` tells of a write of a location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub loc: LocId,
    pub at: u32,
    pub write: u32,
    /// Whether an entry before it may tell of a write that does not come before this one.
    pub not_alone: bool,
}

/// What the accesses of a thread to each location have seen since a fence last told of it.
struct Held {
    seen: Vec<Vec<u32>>,
    touched: Vec<LocId>,
    /// The number of fences that had come that keep what was seen before them before what is read after them, when the location was last told of.
    told: Vec<u32>,
}

impl Held {
    /// What is held of one location at most: beyond this some is left to the search.
    const MOST: usize = 32;

    fn new(x: &Execution) -> Self {
        let locations = x.location_count();
        Held { seen: vec![Vec::new(); locations], touched: Vec::new(), told: vec![0; locations] }
    }

    /// A write is seen; if it is `latest`, what was seen before comes before it.
    fn add(&mut self, loc: LocId, write: EventId, latest: bool) {
        let seen = &mut self.seen[loc.index()];
        if seen.is_empty() {
            self.touched.push(loc);
        }
        if latest {
            seen.clear();
        }
        if seen.len() < Held::MOST && !seen.contains(&write.0) {
            seen.push(write.0);
        }
    }

    /// A fence tells of all.
    fn tell(&mut self, at: EventId, fences: u32, entries: &mut Vec<Entry>) {
        for loc in self.touched.drain(..) {
            // A location is told of for the first time since such a fence, or by a write.
            let mut not_alone = std::mem::replace(&mut self.told[loc.index()], fences) == fences;
            for write in self.seen[loc.index()].drain(..) {
                entries.push(Entry { loc, at: at.0, write, not_alone });
                not_alone = true;
            }
        }
    }

    fn clear(&mut self) {
        self.touched.drain(..).for_each(|loc| self.seen[loc.index()].clear());
    }
}

impl KnownWrites {
    /// What the lines tell. `hazards`: plain reads of a location may be out of order.
    pub(crate) fn new(x: &Execution, line: Line, hazards: bool) -> Self {
        if line.holds_writes() {
            let writes = x.events().filter(|&e| x.label(e).writes());
            let entry =
                |e: EventId| Entry { loc: x.locs()[e.index()], at: e.0, write: e.0, not_alone: false };
            return KnownWrites::from_entries(x, || writes.clone().map(entry), false, false);
        }
        let mut entries: Vec<Entry> = Vec::new();
        // What is before a full fence; and before an acquire fence.
        let (mut all, mut reads) = (Held::new(x), Held::new(x));
        // Every fence of these keeps the reads before it before those after it.
        let mut fences = 0;
        for thread in x.threads() {
            let events = x.thread_events(thread);
            fences += 1;
            for e in events.clone().map(EventId) {
                let label = x.label(e);
                let Some(loc) = x.loc(e) else {
                    if label.order() == Order::SeqCst {
                        fences += 1;
                        all.tell(e, fences, &mut entries);
                        reads.clear();
                    } else if line == Line::Fences && label.order().is_acquire() {
                        fences += 1;
                        // What was written before the last of these reads comes before what it saw.
                        for loc in &reads.touched {
                            let seen = &mut all.seen[loc.index()];
                            if seen.last().is_some_and(|write| reads.seen[loc.index()].contains(write)) {
                                seen.clear();
                            }
                        }
                        all.touched.retain(|loc| !all.seen[loc.index()].is_empty());
                        reads.tell(e, fences, &mut entries);
                    }
                    continue;
                };
                let seen = seen_by(x, e).expect("an access sees a write");
                if x.is_init(seen) || (seen != e && events.contains(&seen.0)) {
                    continue;
                }
                if line.holds(label.kind(), label.order()) {
                    entries.push(Entry { loc, at: e.0, write: seen.0, not_alone: false });
                }
                let latest = !hazards || label.writes();
                all.add(loc, seen, latest);
                if line == Line::Fences && label.reads() {
                    reads.add(loc, seen, latest);
                }
            }
            all.clear();
            reads.clear();
        }
        KnownWrites::from_entries(x, || entries.iter().copied(), true, hazards)
    }

    /// What these entries tell, which come thread by thread, in program order.
    pub(crate) fn of_entries(x: &Execution, entries: &[Entry]) -> Self {
        KnownWrites::from_entries(x, || entries.iter().copied(), true, true)
    }

    /// What release fences tell, where writes are not on the lines.
    pub(crate) fn release(x: &Execution, line: Line, hazards: bool) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        let mut all = Held::new(x);
        let mut fences = 0;
        for thread in x.threads() {
            let events = x.thread_events(thread);
            fences += 1;
            for e in events.clone().map(EventId) {
                let label = x.label(e);
                let Some(loc) = x.loc(e) else {
                    if label.order() == Order::SeqCst {
                        fences += 1;
                        all.clear();
                        continue;
                    }
                    if label.order().is_release() {
                        all.tell(e, fences, &mut entries);
                    }
                    fences += u32::from(label.order().is_acquire());
                    continue;
                };
                let seen = seen_by(x, e).expect("an access sees a write");
                if x.is_init(seen) || (seen != e && events.contains(&seen.0)) {
                    continue;
                }
                // Reads on a line of their own tell of what they see themselves.
                if line == Line::Fences || seen == e {
                    let latest = !hazards || label.writes();
                    all.add(loc, seen, latest);
                    if latest {
                        // What was told before comes before it.
                        all.told[loc.index()] = 0;
                    }
                }
            }
            all.clear();
        }
        KnownWrites::from_entries(x, || entries.iter().copied(), true, hazards)
    }

    /// Groups entries by location, in the order given; those of a thread are consecutive.
    fn from_entries<I: Iterator<Item = Entry>>(
        x: &Execution,
        entries: impl Fn() -> I,
        keep_writes: bool,
        hazards: bool,
    ) -> Self {
        let mut fill = vec![0u32; x.location_count() + 1];
        for Entry { loc, .. } in entries() {
            fill[loc.index() + 1] += 1;
        }
        for i in 0..x.location_count() {
            fill[i + 1] += fill[i];
        }
        let bounds = fill.clone();
        let total = fill[x.location_count()] as usize;
        let mut at = vec![0; total];
        let mut writes = vec![0; if keep_writes { total } else { 0 }];
        let mut not_alone = vec![false; if hazards { total } else { 0 }];
        for entry in entries() {
            let slot = &mut fill[entry.loc.index()];
            at[*slot as usize] = entry.at;
            if keep_writes {
                writes[*slot as usize] = entry.write;
            }
            if hazards {
                not_alone[*slot as usize] = entry.not_alone;
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
        KnownWrites { starts, segments, at, writes, not_alone }
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

    /// The latest writes that a segment tells of before event number `bound` of its thread, other than `except`: to be
    /// looked at with [`next`](Self::next).
    #[inline]
    pub(crate) fn latest(&mut self, segment: usize, bound: u32, except: EventId) -> Latest {
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
        Latest { start, end: i, except: except.0 }
    }

    /// The next of the latest writes.
    #[inline]
    pub(crate) fn next(&self, latest: &mut Latest) -> Option<EventId> {
        while latest.end > latest.start {
            latest.end -= 1;
            let i = latest.end as usize;
            let write = *self.writes.get(i).unwrap_or(&self.at[i]);
            if write != latest.except {
                if !self.not_alone.get(i).is_some_and(|&not_alone| not_alone) {
                    latest.end = latest.start;
                }
                return Some(EventId(write));
            }
        }
        None
    }
}

//! irr(hbloc ; \[W\] ; hb ; rf⁻¹), hb = (po ∪ rf)⁺: no read from a write that another overwrote in the read's past.
//! The causal models call hb co, and the axiom irr(rw\[co\] ; co).
//!
//! Decided as in Tunç et al. 2023, Algorithm 1, in O(n·k): for a read e of w and each thread u, the last write of u
//! to the location before e in hb is the only one of u that can be between w and e, since an earlier one that is
//! after w makes the last one be after w, too.

use crate::limits::Meter;
use crate::memory::order::coherence::latest::{Latest, Previous, teams};
use crate::memory::order::coherence::observer::{Fronts, Observable, TURN};
use crate::memory::order::parallel;
use crate::memory::order::past::clocks::{Clocks, Row};
use crate::memory::order::past::happens_before::HappensBefore;
use crate::memory::order::past::pasts::{PastSets, Pasts};
use crate::memory::order::past::sets::Sets;
use std::ops::Range;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, ThreadId};
use tribunal_history::verdict::{Axiom, Limit, Refutation, Violation};

/// Histories up to this size are explained by the shortest of all explanations.
const LITMUS: usize = 128;

/// The bytes that observable writes take, and what an observer takes for each of their runs.
const BYTES_PER_EVENT: usize = 24;
const BYTES_PER_LOCATION: usize = 16;
const BYTES_PER_RUN: usize = 8 + size_of::<Option<LastWrite>>();

/// The reason why `axiom`, which is the one above, is broken, if it is. Every read synchronizes in `hb`.
pub(in crate::memory::models) fn find(
    x: &Execution,
    hb: &HappensBefore,
    axiom: Axiom,
    limits: &Limits<'_>,
) -> Result<Option<Violation>, Limit> {
    let meter = Meter::new(limits);
    meter.take(hb.bytes() + BYTES_PER_EVENT * x.len() + BYTES_PER_LOCATION * x.location_count())?;
    let search = Search { x, hb, axiom };
    let found = match hb.pasts.as_ref().expect("every read synchronizes") {
        Pasts::Clocks(clocks) => {
            let writes = Observable::writes(x);
            // As many threads as are on their way at once have what each of them has observed.
            let at_once = parallel::states_at_once(x, writes.run_count());
            let watcher = BYTES_PER_RUN * writes.run_count() + 4 * x.location_count();
            meter.take(watcher.saturating_mul(at_once))?;
            let new = |thread| Watcher::new(x, &writes, thread);
            let advance = |watcher: &mut Watcher| meter.check().map(|()| watcher.advance(x, &writes, clocks));
            let found = parallel::in_turns(x, writes.run_count(), new, advance, |watcher| watcher.found)?;
            found.into_iter().flatten().next()
        }
        Pasts::Sets(sets) => {
            let latest = Latest::new(x, sets, |e| x.label(e).writes());
            let found = parallel::map(x, &teams(x), |team| {
                let mut own_writes = Previous::new(x);
                for &thread in team {
                    meter.check()?;
                    let found = search.in_thread(sets, &latest, thread, &mut own_writes, &meter)?;
                    if found.is_some() {
                        return Ok(found);
                    }
                }
                Ok(None)
            });
            found.into_iter().collect::<Result<Vec<_>, Limit>>()?.into_iter().flatten().next()
        }
    };
    Ok(match found {
        Some(_) if x.len() <= LITMUS => search.shortest(),
        first => first.map(|(read, by)| search.explain(read, by)),
    })
}

struct Search<'a> {
    x: &'a Execution,
    hb: &'a HappensBefore,
    axiom: Axiom,
}

/// The last write of a thread to a location that happens before the observer, with its clock.
#[derive(Clone, Copy)]
struct LastWrite {
    write: EventId,
    row: Row,
}

/// A thread on its way through its accesses, looking for a read of an overwritten write.
struct Watcher {
    thread: ThreadId,
    next: u32,
    fronts: Fronts,
    /// For each run.
    last_writes: Vec<Option<LastWrite>>,
    /// For each location, the clock at the last access.
    rows: Vec<Row>,
    /// The first such read, and an overwriting write.
    found: Option<(EventId, EventId)>,
}

impl Watcher {
    fn new(x: &Execution, writes: &Observable, thread: ThreadId) -> Self {
        Watcher {
            thread,
            next: x.thread_events(thread).start,
            fronts: Fronts::new(writes, thread),
            last_writes: vec![None; writes.run_count()],
            rows: vec![Clocks::EMPTY; x.location_count()],
            found: None,
        }
    }

    /// Goes on for a turn; says whether there is more to look at.
    fn advance(&mut self, x: &Execution, writes: &Observable, clocks: &Clocks) -> bool {
        let end = x.thread_events(self.thread).end;
        let stop = end.min(self.next.saturating_add(TURN));
        for e in (self.next..stop).map(EventId) {
            let label = x.labels()[e.index()];
            if label.is_fence() {
                continue;
            }
            let loc = x.locs()[e.index()];
            let row = clocks.row_of(e);
            if std::mem::replace(&mut self.rows[loc.index()], row) != row {
                self.fronts.advance(writes, loc, clocks.row(row), |run, last| {
                    self.last_writes[run] =
                        Some(LastWrite { write: last.event, row: clocks.row_of(last.event) });
                });
            }
            let runs = writes.run_range(loc);
            if label.reads()
                && let Some(by) = self.overwriter(x, writes, clocks, runs.clone(), e)
            {
                self.found = Some((e, by));
                return false;
            }
            if label.writes() {
                let own = runs.clone().find(|&run| writes.run_thread(run) == self.thread);
                self.last_writes[own.expect("a write is in a run")] = Some(LastWrite { write: e, row });
            }
        }
        self.next = stop;
        stop < end
    }

    /// One of the last writes, those of these runs, that the write that `read` reads from happens before.
    #[inline]
    fn overwriter(
        &self,
        x: &Execution,
        writes: &Observable,
        clocks: &Clocks,
        runs: Range<usize>,
        read: EventId,
    ) -> Option<EventId> {
        let write = x.rf(read)?;
        let last_writes = &self.last_writes[runs.clone()];
        let mut last = runs.zip(last_writes).filter_map(|(run, last)| Some((run, (*last)?)));
        let overwriter = match x.slot(write) {
            // The initial write happens before every other.
            None => last.next(),
            Some(slot) => last.find(|&(run, last)| match writes.run_thread(run) == slot.thread {
                true => last.write > write,
                false => clocks.entry(last.row, slot.thread) > slot.index,
            }),
        };
        overwriter.map(|(_, last)| last.write)
    }
}

impl Search<'_> {
    /// The first read of a thread from a write that is overwritten, and an overwriting write. If some write is after the one
    /// read, so is one of the latest that happen before the read.
    fn in_thread(
        &self,
        sets: &PastSets,
        latest: &Latest,
        thread: ThreadId,
        own_writes: &mut Previous,
        meter: &Meter<'_>,
    ) -> Result<Option<(EventId, EventId)>, Limit> {
        /// So many writes are visited between two polls.
        const MOST: usize = 1 << 12;
        let x = self.x;
        let mut visited = 0;
        own_writes.begin();
        for e in x.thread_events(thread).map(EventId).filter(|&e| !x.label(e).is_fence()) {
            let loc = x.locs()[e.index()];
            let own = own_writes.get(loc);
            if let Some(source) = x.rf(e) {
                let mut by = own.filter(|&own| self.hb.before(x, source, own));
                // What is before the thread's own last write is no better than that.
                let known = own.map_or(Sets::EMPTY, |own| sets.set_of(own));
                latest.before(x, sets, e, (known, x.thread_events(thread)), |write| {
                    visited += 1;
                    if by.is_none() && self.hb.before(x, source, write) {
                        by = Some(write);
                    }
                });
                if let Some(by) = by {
                    return Ok(Some((e, by)));
                }
                if visited >= MOST {
                    visited = 0;
                    meter.check()?;
                }
            }
            if x.label(e).writes() {
                own_writes.replace(loc, e);
            }
        }
        Ok(None)
    }

    /// The violation that takes the fewest edges to say, for small histories.
    fn shortest(&self) -> Option<Violation> {
        let mut found = Vec::new();
        for (read, write) in self.x.events().filter_map(|read| Some((read, self.x.rf(read)?))) {
            let overwrites = |&by: &EventId| {
                self.x.label(by).writes()
                    && self.x.loc(by) == self.x.loc(read)
                    && self.hb.before(self.x, write, by)
                    && self.hb.before(self.x, by, read)
            };
            found.extend(self.x.events().filter(overwrites).map(|by| self.explain(read, by)));
        }
        found.into_iter().min_by_key(Violation::weight)
    }

    fn explain(&self, read: EventId, by: EventId) -> Violation {
        let write = self.x.rf(read).expect("a read");
        let path = |from, to| self.hb.path(self.x, from, to).expect("from happens before to");
        let refutation = Refutation::Overwritten { read, by, before: path(write, by), after: path(by, read) };
        Violation { axiom: self.axiom, refutation }
    }
}

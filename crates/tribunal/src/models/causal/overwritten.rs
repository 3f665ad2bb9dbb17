//! irr(hbloc ; \[W\] ; hb ; rf⁻¹), hb = (po ∪ rf)⁺: no read from a write that another overwrote in the read's past.
//! The causal models call hb co, and the axiom irr(rw\[co\] ; co).
//!
//! Decided as in Tunç et al. 2023, Algorithm 1, in O(n·k): for a read e of w and each thread u, the last write of u
//! to the location before e in hb is the only one of u that can be between w and e, since an earlier one that is
//! after w makes the last one be after w, too.

use crate::limits::Limits;
use crate::memory::{EventId, Execution, ThreadId};
use crate::order::clocks::{Clocks, Row};
use crate::order::happens_before::HappensBefore;
use crate::order::observer::{Fronts, Observable, TURN};
use crate::order::parallel;
use crate::verdict::{Axiom, Limit, Refutation, Violation};

/// Histories up to this size are explained by the shortest of all explanations.
const LITMUS: usize = 128;

/// Why `axiom`, which is the one above, is broken, if it is. Every read synchronises in `hb`.
pub(in crate::models) fn find(
    x: &Execution,
    hb: &HappensBefore,
    axiom: Axiom,
    limits: &Limits<'_>,
) -> Result<Option<Violation>, Limit> {
    let search = Search { x, hb, axiom, writes: Observable::writes(x) };
    let new = |thread| Watcher::new(&search, thread);
    let watchers = parallel::in_turns(x, search.writes.run_count(), new, |watcher| {
        limits.check(0)?;
        Ok(watcher.advance(&search))
    })?;
    let found = watchers.into_iter().find_map(|watcher| watcher.found);
    Ok(match found {
        Some(_) if x.len() <= LITMUS => search.shortest(),
        first => first.map(|(read, by)| search.explain(read, by)),
    })
}

struct Search<'a> {
    x: &'a Execution,
    hb: &'a HappensBefore,
    axiom: Axiom,
    writes: Observable,
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
    fn new(search: &Search<'_>, thread: ThreadId) -> Self {
        Watcher {
            thread,
            next: search.x.thread_events(thread).start,
            fronts: Fronts::new(&search.writes, thread),
            last_writes: vec![None; search.writes.run_count()],
            rows: vec![Clocks::EMPTY; search.x.location_count()],
            found: None,
        }
    }

    /// Goes on for a turn; says whether there is more to look at.
    fn advance(&mut self, search: &Search<'_>) -> bool {
        let x = search.x;
        let clocks = search.hb.clocks.as_ref().expect("every read synchronises");
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
                self.fronts.advance(&search.writes, loc, clocks.row(row), |run, last| {
                    self.last_writes[run] =
                        Some(LastWrite { write: last.event, row: clocks.row_of(last.event) });
                });
            }
            let runs = search.writes.run_range(loc);
            if label.reads()
                && let Some(by) = search.overwriter(clocks, &self.last_writes[runs.clone()], runs.start, e)
            {
                self.found = Some((e, by));
                return false;
            }
            if label.writes() {
                let own = runs.clone().find(|&run| search.writes.run_thread(run) == self.thread);
                self.last_writes[own.expect("a write is in a run")] = Some(LastWrite { write: e, row });
            }
        }
        self.next = stop;
        stop < end
    }
}

impl Search<'_> {
    /// One of the last writes, those of the runs from `first_run` on, that the write that `read` reads from happens
    /// before.
    #[inline]
    fn overwriter(
        &self,
        clocks: &Clocks,
        last_writes: &[Option<LastWrite>],
        first_run: usize,
        read: EventId,
    ) -> Option<EventId> {
        let write = self.x.rf(read)?;
        let mut last = (first_run..).zip(last_writes).filter_map(|(run, last)| Some((run, (*last)?)));
        let overwriter = match self.x.slot(write) {
            // The initial write happens before every other.
            None => last.next(),
            Some(slot) => last.find(|&(run, last)| match self.writes.run_thread(run) == slot.thread {
                true => last.write > write,
                false => clocks.entry(last.row, slot.thread) > slot.index,
            }),
        };
        overwriter.map(|(_, last)| last.write)
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

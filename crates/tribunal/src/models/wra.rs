//! WRA, weak release-acquire.
//!
//! - acyclic(po ∪ rf)
//! - irr(hbloc ; \[W\] ; hb ; rf⁻¹)   weak read coherence
//! - no two RMWs read from one write   weak atomicity
//!
//! with hb = (po ∪ rf)⁺; there is no mo.
//!
//! Decided as in paper 000, Algorithm 1, in O(n·k): for a read e of w and each thread u, the last write of u to the
//! location before e in hb is the only one of u that can be between w and e, since an earlier one that is after w makes
//! the last one be after w, too.

use crate::memory::{EventId, Execution, ThreadId};
use crate::order::accesses::{Accesses, Chains, NOWHERE, Place, Run, SharedSource};
use crate::order::clocks::{Clocks, Row};
use crate::order::happens_before::{HappensBefore, Synchronisation};
use crate::order::{causality, parallel};
use crate::verdict::{Axiom, Refutation, Verdict, Violation, Witness};

/// Histories up to this size are explained by the shortest of all explanations.
const LITMUS: usize = 128;

pub(super) fn decide(x: &Execution) -> Verdict {
    let hb = match HappensBefore::new(x, Synchronisation::EveryRead) {
        Ok(hb) => hb,
        Err(deadlock) => return Verdict::Inconsistent(causality::explain(x, &deadlock)),
    };
    let accesses = Accesses::new(x);
    if let Err(SharedSource { write, rmws }) = Chains::new(x, &accesses) {
        let refutation = Refutation::SharedSource { write, rmws };
        return Verdict::Inconsistent(Violation { axiom: Axiom::WeakAtomicity, refutation });
    }
    let search = Search { x, hb: &hb, accesses };
    let observers: Vec<ThreadId> = x.threads().collect();
    let found = parallel::map(x, &observers, |&observer| search.overwritten(observer));
    let violation = match found.into_iter().flatten().next() {
        Some(_) if x.len() <= LITMUS => search.shortest(),
        first => first.map(|(read, by)| search.explain(read, by)),
    };
    violation.map_or(Verdict::Consistent(Witness::History), Verdict::Inconsistent)
}

struct Search<'a> {
    x: &'a Execution,
    hb: &'a HappensBefore,
    accesses: Accesses,
}

/// The last write of a thread to a location that happens before the observer, with its clock.
#[derive(Clone, Copy)]
struct LastWrite {
    /// How far the thread's accesses have been looked at.
    cursor: Place,
    place: Place,
    row: Row,
}

impl Search<'_> {
    /// The first read of a thread that reads an overwritten write, and an overwriting write.
    fn overwritten(&self, observer: ThreadId) -> Option<(EventId, EventId)> {
        let Accesses { events, target, seen, .. } = &self.accesses;
        let clocks = self.hb.clocks.as_ref().expect("every read synchronises");
        let none = |cursor| LastWrite { cursor, place: NOWHERE, row: Clocks::EMPTY };
        let mut last_writes: Vec<Vec<LastWrite>> = Vec::with_capacity(self.x.location_count());
        for loc in self.x.locations() {
            last_writes.push(self.accesses.runs(loc).iter().map(|run| none(run.start)).collect());
        }
        let mut rows = vec![Clocks::EMPTY; self.x.location_count()];
        for e in self.x.thread_events(observer).map(EventId).filter(|&e| !self.x.label(e).is_fence()) {
            let loc = self.x.locs()[e.index()];
            let (runs, last_writes) = (self.accesses.runs(loc), &mut last_writes[loc.index()]);
            let row = clocks.row_of(e);
            let news = std::mem::replace(&mut rows[loc.index()], row) != row;
            for (run, last) in runs.iter().zip(last_writes.iter_mut()) {
                let limit = match run.thread == observer {
                    true => e.0,
                    false if news => run.origin + clocks.entry(row, run.thread),
                    false => continue,
                };
                while last.cursor < run.end && events[last.cursor as usize].0 < limit {
                    if seen[last.cursor as usize] == last.cursor {
                        (last.place, last.row) = (last.cursor, clocks.row_of(events[last.cursor as usize]));
                    }
                    last.cursor += 1;
                }
            }
            let source = target[self.accesses.place(self.x, e) as usize];
            let write = events[source as usize];
            let reads = self.x.labels()[e.index()].reads();
            if reads && let Some(by) = self.overwriter(clocks, runs_with(runs, last_writes), source, write) {
                return Some((e, by));
            }
        }
        None
    }

    /// One of the last writes that `write`, which is at `source`, happens before.
    #[inline]
    fn overwriter<'b>(
        &self,
        clocks: &Clocks,
        mut last: impl Iterator<Item = (ThreadId, &'b LastWrite)>,
        source: Place,
        write: EventId,
    ) -> Option<EventId> {
        let event = |last: &LastWrite| self.accesses.events[last.place as usize];
        let Some(writer) = self.x.thread_of(write) else {
            // The initial write happens before every other.
            return last.next().map(|(_, last)| event(last));
        };
        let count = write.0 - self.x.thread_events(writer).start;
        let after = |&(thread, last): &(ThreadId, &LastWrite)| match thread == writer {
            true => last.place > source,
            false => clocks.entry(last.row, writer) > count,
        };
        last.find(after).map(|(_, last)| event(last))
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
        Violation { axiom: Axiom::WeakReadCoherence, refutation }
    }
}

/// The last writes there are, with their threads.
#[inline]
fn runs_with<'a>(
    runs: &'a [Run],
    last_writes: &'a [LastWrite],
) -> impl Iterator<Item = (ThreadId, &'a LastWrite)> + 'a {
    runs.iter().map(|run| run.thread).zip(last_writes).filter(|(_, last)| last.place != NOWHERE)
}

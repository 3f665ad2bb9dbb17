//! Relations of bases and of what observers have seen, and the writes in the past of each event.

use super::base::{Base, NONE, Writes};
use super::graph::{Arrows, Graph, sort};
use crate::memory::order::coherence::latest::{Latest, Previous};
use crate::memory::order::past::clocks::Clocks;
use crate::memory::order::past::pasts::{PastSets, has_many_threads};
use crate::memory::order::past::sets::Sets;
use std::ops::Range;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, ThreadId};
use tribunal_history::verdict::Limit;

/// Bases and further edges between writes.
pub(super) struct Relation<'a> {
    pub bases: &'a [&'a Base<'a>],
    pub further: Arrows,
    /// The events of the thread that observes; it matters where rf is heard by the observer only.
    pub observer: Range<u32>,
}

impl Graph for Relation<'_> {
    fn nodes(&self) -> usize {
        self.bases[0].x.len()
    }

    #[inline(always)]
    fn before(&self, node: u32, mut visit: impl FnMut(u32)) {
        for base in self.bases {
            let before = base.before(EventId(node), &self.observer);
            before.into_iter().filter(|&e| e != NONE).for_each(&mut visit);
        }
        self.further.of(node as usize).iter().for_each(|from| visit(from.0));
    }
}

/// For each event and each thread, up to which write of the thread a relation has in the event's past; the writes
/// of a thread (for po-loc: of a thread to a location) are in order. Bound and memory are those of [`Clocks`].
///
/// An entry is an index in its thread: the writes below it are in the past. An event that comes after all earlier
/// writes of its own thread has no entry for them.
pub(super) struct Past<'a> {
    bases: &'a [&'a Base<'a>],
    known: Known,
}

/// The writes in each event's past.
enum Known {
    Clocks(Clocks),
    /// Where threads are many.
    Sets(PastSets, Latest),
}

impl<'a> Past<'a> {
    /// The past in a relation, or a cycle of events.
    pub(super) fn new(relation: &Relation<'a>, limits: &Limits<'_>) -> Result<Result<Self, Vec<u32>>, Limit> {
        let order = match sort(relation, limits)? {
            Ok(order) => order,
            Err(cycle) => return Ok(Err(cycle)),
        };
        let bases = relation.bases;
        let x = bases[0].x;
        if has_many_threads(x) {
            let before = |e, visit: &mut dyn FnMut(u32)| relation.before(e, visit);
            let sets = PastSets::of_writes(x, &order, before, limits)?;
            let latest = Latest::new(x, &sets, |e| x.label(e).writes());
            return Ok(Ok(Past { bases, known: Known::Sets(sets, latest) }));
        }
        let mut clocks = Clocks::new(x.len(), x.thread_count());
        for (i, e) in order.into_iter().map(EventId).enumerate() {
            let slot = x.slot(e).expect("an event of a thread");
            let mut row = Clocks::EMPTY;
            relation.before(e.0, |before| {
                let before = EventId(before);
                let from = x.slot(before).expect("an event of a thread");
                if from.thread != slot.thread {
                    // What comes before a write comes before the later writes of its thread.
                    if clocks.entry(row, from.thread) <= from.index {
                        row = clocks.join(row, clocks.row_of(before), from.thread, from.index + 1);
                    }
                    return;
                }
                row = clocks.join_row(row, clocks.row_of(before));
                if !after_own_writes(bases, e) && after_own_writes(bases, before) {
                    row = clocks.raise(row, from.thread, from.index + 1);
                }
            });
            clocks.set_row(e, row);
            limits.check_memory(clocks.bytes(), 0)?;
            if i.is_multiple_of(1 << 12) {
                limits.check(0)?;
            }
        }
        Ok(Ok(Past { bases, known: Known::Clocks(clocks) }))
    }

    /// The number of bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        match &self.known {
            Known::Clocks(clocks) => clocks.bytes(),
            Known::Sets(sets, _) => sets.bytes() + 4 * self.bases[0].x.len(),
        }
    }

    /// Below which id the writes of `thread` are in the past of `e`, which is of thread `own`.
    #[inline(always)]
    fn limit(&self, clocks: &Clocks, own: ThreadId, e: EventId, thread: ThreadId) -> u32 {
        match own == thread && after_own_writes(self.bases, e) {
            true => e.0,
            false => self.bases[0].x.thread_events(thread).start + clocks.known(e, thread),
        }
    }

    /// Whether a write is in the past of an event; for po-loc they must be of one location.
    pub(super) fn has(&self, e: EventId, write: EventId) -> bool {
        let x = self.bases[0].x;
        match (x.thread_of(e), x.thread_of(write), &self.known) {
            (Some(own), Some(thread), Known::Clocks(clocks)) => write.0 < self.limit(clocks, own, e, thread),
            (Some(_), Some(_), Known::Sets(sets, _)) => sets.has(e, write),
            (own, ..) => own.is_some(),
        }
    }

    /// Has a thread go through those of its events that `looks` is true of, which must be in line: `visit(write,
    /// e)` for the last write of each thread to the location of e that is in the past of e and was not before the
    /// previous such event; where threads are many, for the latest of these, before which all others are. `previous` is of use
    /// for all threads.
    pub(super) fn observe(
        &self,
        writes: &Writes,
        thread: ThreadId,
        previous: &mut Previous,
        looks: impl Fn(EventId) -> bool,
        mut visit: impl FnMut(EventId, EventId),
    ) {
        let x = self.bases[0].x;
        let clocks = match &self.known {
            Known::Clocks(clocks) => clocks,
            Known::Sets(sets, latest) => {
                previous.begin();
                for e in x.thread_events(thread).map(EventId).filter(|&e| looks(e)) {
                    let before = previous.replace(x.locs()[e.index()], e);
                    let known = before.map_or(Sets::EMPTY, |before| sets.set_of(before));
                    latest.before(x, sets, e, (known, 0..0), |write| visit(write, e));
                }
                return;
            }
        };
        let (starts, events) = (writes.run_starts(), writes.events());
        let mut fronts = starts.to_vec();
        for e in x.thread_events(thread).map(EventId).filter(|&e| looks(e)) {
            for run in writes.runs(x, e) {
                let limit = self.limit(clocks, thread, e, writes.thread(run));
                let ahead = &events[fronts[run] as usize..starts[run + 1] as usize];
                let known = ahead.iter().take_while(|write| write.0 < limit).count();
                if known > 0 {
                    visit(ahead[known - 1], e);
                    fronts[run] += known as u32;
                }
            }
        }
    }
}

#[inline(always)]
fn after_own_writes(bases: &[&Base<'_>], e: EventId) -> bool {
    bases.iter().all(|base| base.after_own_writes(e))
}

//! Happens-before by vector clocks, computed in one pass over the events.

use rustc_hash::FxHashMap;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, LocId, Order, ThreadId};
use tribunal_history::verdict::Limit;

/// Visits every event after its po-predecessors and after the events that `after` gives for it. If that cannot be,
/// some events stand on a cycle: one of them is the error.
///
/// Time O(n·k): a thread that made progress wakes at most k others.
pub(super) fn replay(
    x: &Execution,
    after: impl Fn(EventId) -> [Option<EventId>; 2],
    mut visit: impl FnMut(ThreadId, EventId),
) -> Result<(), EventId> {
    let mut next: Vec<u32> = x.threads().map(|t| x.thread_events(t).start).collect();
    let mut waits_for: Vec<Option<ThreadId>> = vec![None; x.thread_count()];
    let mut waiters: Vec<Vec<ThreadId>> = vec![Vec::new(); x.thread_count()];
    let mut ready: Vec<ThreadId> = x.threads().rev().collect();
    while let Some(t) = ready.pop() {
        let events = x.thread_events(t);
        let first = next[t.index()];
        waits_for[t.index()] = None;
        while next[t.index()] < events.end {
            let e = EventId(next[t.index()]);
            let missing = after(e).into_iter().flatten().find_map(|before| {
                let u = x.thread_of(before)?;
                (before.0 >= next[u.index()]).then_some(u)
            });
            if let Some(u) = missing {
                waits_for[t.index()] = Some(u);
                waiters[u.index()].push(t);
                break;
            }
            visit(t, e);
            next[t.index()] += 1;
        }
        if next[t.index()] > first {
            ready.append(&mut waiters[t.index()]);
        }
    }
    match x.threads().find(|t| waits_for[t.index()].is_some()) {
        None => Ok(()),
        Some(mut t) => {
            // After k steps along who waits for whom, the walk is on the cycle.
            for _ in x.threads() {
                t = waits_for[t.index()].unwrap_or(t);
            }
            Err(EventId(next[t.index()]))
        }
    }
}

/// The happens-before of a model.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HappensBefore {
    /// po
    Po,
    /// (po ∪ rf)⁺
    PoRf,
    /// (po ∪ sw)⁺
    Synchronized,
    /// (po ∪ sw)⁺, where a later write of the same thread to the location continues a release sequence
    Continued,
}

/// For every event, how far into each other thread its past reaches.
pub(super) struct Clocks {
    /// Entries of a row: the threads, or none where hb never leaves a thread.
    width: usize,
    /// Row after row. Entry u: the past holds the events of thread u with ids below it. A thread's own entry is 0,
    /// since po says it all.
    rows: Vec<u32>,
    /// The row of each event; consecutive events of a thread share it until it changes.
    row_of: Vec<u32>,
}

impl Clocks {
    /// The inner error is an event on a cycle of po ∪ rf.
    pub(super) fn new(
        x: &Execution,
        hb: HappensBefore,
        limits: &Limits<'_>,
    ) -> Result<Result<Self, EventId>, Limit> {
        let mut limit = Ok(());
        // What rc11 keeps of each thread and location.
        let continued = 64 * x.len().min(x.thread_count().saturating_mul(x.location_count()));
        let beside = 24 * x.len() + if hb == HappensBefore::Continued { continued } else { 0 };
        let clocks = Clocks::within(x, hb, |clocks: &Clocks| {
            // What is held beside the rows, and the rows twice more: when they grow, they move.
            limit = limit.and_then(|()| limits.check_memory(beside + 12 * clocks.rows.len(), 0));
            limit.is_ok()
        });
        limit.map(|()| clocks)
    }

    /// Stops learning when `room` says that there is none left.
    fn within(
        x: &Execution,
        hb: HappensBefore,
        mut room: impl FnMut(&Clocks) -> bool,
    ) -> Result<Self, EventId> {
        let rf = |e| [x.rf(e), None];
        let k = x.thread_count();
        match hb {
            HappensBefore::Po => {
                replay(x, rf, |_, _| ())?;
                Ok(Clocks { width: 0, rows: Vec::new(), row_of: Vec::new() })
            }
            HappensBefore::PoRf => {
                let mut clocks = Clocks::empty(x);
                let mut current = vec![0; k];
                let mut learned = vec![0; k];
                replay(x, rf, |t, e| {
                    let row = &mut current[t.index()];
                    if let Some((w, u)) = x.rf(e).and_then(|w| Some((w, x.thread_of(w)?)))
                        && u != t
                        && clocks.row(*row)[u.index()] <= w.0
                        && room(&clocks)
                    {
                        learned.fill(0);
                        clocks
                            .add_to(&mut learned, Past { row: clocks.row_of[w.index()], thread: u, last: w });
                        learned[t.index()] = 0;
                        *row = clocks.widen(*row, &learned);
                    }
                    clocks.row_of[e.index()] = *row;
                })?;
                Ok(clocks)
            }
            HappensBefore::Synchronized | HappensBefore::Continued => {
                let mut synchronization = Synchronization::new(x, hb == HappensBefore::Continued);
                replay(x, rf, |t, e| {
                    if room(&synchronization.clocks) {
                        synchronization.visit(x, t, e);
                    }
                })?;
                Ok(synchronization.clocks)
            }
        }
    }

    /// The number of bytes that they take.
    pub(super) fn bytes(&self) -> usize {
        4 * (self.rows.len() + self.row_of.len())
    }

    /// Row 0 says that no event of another thread is in the past.
    fn empty(x: &Execution) -> Self {
        Clocks { width: x.thread_count(), rows: vec![0; x.thread_count()], row_of: vec![0; x.len()] }
    }

    /// The row of an event: entry u bounds the ids of the events of thread u in its past. Empty if hb is po.
    #[inline]
    pub(super) fn before(&self, event: EventId) -> &[u32] {
        if self.width == 0 { &[] } else { self.row(self.row_of[event.index()]) }
    }

    fn row(&self, row: u32) -> &[u32] {
        &self.rows[row as usize * self.width..][..self.width]
    }

    fn add_to(&self, bounds: &mut [u32], past: Past) {
        for (bound, &other) in bounds.iter_mut().zip(self.row(past.row)) {
            *bound = other.max(*bound);
        }
        let bound = &mut bounds[past.thread.index()];
        *bound = (past.last.0 + 1).max(*bound);
    }

    /// The row that holds what `row` and `bounds` hold: the same row if `bounds` adds nothing.
    fn widen(&mut self, row: u32, bounds: &[u32]) -> u32 {
        let start = row as usize * self.width;
        if self.row(row).iter().zip(bounds).all(|(old, new)| new <= old) {
            return row;
        }
        let new = (self.rows.len() / self.width) as u32;
        self.rows.extend_from_within(start..start + self.width);
        let tail = self.rows.len() - self.width;
        for (entry, &bound) in self.rows[tail..].iter_mut().zip(bounds) {
            *entry = bound.max(*entry);
        }
        new
    }
}

/// A set of events closed under hb: what a row says, and the events of `thread` up to `last`.
#[derive(Clone, Copy)]
struct Past {
    row: u32,
    thread: ThreadId,
    last: EventId,
}

/// hb of rc20: `sw = [E⊒REL] ; ([F];po)? ; [W⊒rlx] ; rf⁺ ; [R⊒rlx] ; (po;[F])? ; [E⊒ACQ]`; and of rc11, with
/// `[W⊒rlx];po-loc?` before that.
struct Synchronization {
    clocks: Clocks,
    /// By thread: the row of its latest event.
    current: Vec<u32>,
    /// By thread: the past of its latest release fence, which has every earlier one in it.
    fenced: Vec<Option<Past>>,
    /// By thread: the bounds of what an acquire fence would learn from the reads so far, k entries a thread.
    unfenced: Vec<u32>,
    /// By write: what an acquire learns that reads from it.
    released: Vec<Option<Past>>,
    /// By thread and location: the past of the last release write, which later writes release too; of rc11.
    continued: Option<FxHashMap<(ThreadId, LocId), Past>>,
    /// k entries.
    learned: Vec<u32>,
}

impl Synchronization {
    fn new(x: &Execution, continued: bool) -> Self {
        let k = x.thread_count();
        Synchronization {
            clocks: Clocks::empty(x),
            current: vec![0; k],
            fenced: vec![None; k],
            unfenced: vec![0; k * k],
            released: vec![None; x.len()],
            continued: continued.then(FxHashMap::default),
            learned: vec![0; k],
        }
    }

    fn visit(&mut self, x: &Execution, t: ThreadId, e: EventId) {
        let (clocks, learned, k) = (&mut self.clocks, &mut self.learned, x.thread_count());
        let row = &mut self.current[t.index()];
        let unfenced = &mut self.unfenced[t.index() * k..][..k];
        let label = x.label(e);
        // An initial write releases nothing.
        let read = x.rf(e).and_then(|w| self.released.get(w.index()).copied().flatten());

        if label.is_fence() && label.order().is_acquire() {
            unfenced[t.index()] = 0;
            *row = clocks.widen(*row, unfenced);
        }
        if let Some(past) = read {
            if label.order().is_acquire() {
                learned.fill(0);
                clocks.add_to(learned, past);
                learned[t.index()] = 0;
                *row = clocks.widen(*row, learned);
            }
            if label.order().is_atomic() {
                clocks.add_to(unfenced, past);
            }
        }
        clocks.row_of[e.index()] = *row;

        let own = Past { row: *row, thread: t, last: e };
        if label.is_fence() && label.order().is_release() {
            self.fenced[t.index()] = Some(own);
        }
        if label.writes() {
            let mut released = match label.order() {
                Order::NonAtomic => None,
                order if order.is_release() => Some(own),
                _ => self.fenced[t.index()],
            };
            if let Some(continued) = self.continued.as_mut().filter(|_| label.is_atomic())
                && let Some(loc) = x.loc(e)
            {
                if label.order().is_release() {
                    continued.insert((t, loc), own);
                }
                // The later of two pasts of one thread has the earlier in it.
                let earlier = continued.get(&(t, loc)).copied();
                released = released.into_iter().chain(earlier).max_by_key(|past| past.last);
            }
            // The release sequences of the write an RMW reads from go on through it.
            self.released[e.index()] = match (released, read) {
                (Some(past), Some(carried)) => {
                    learned.fill(0);
                    clocks.add_to(learned, carried);
                    Some(Past { row: clocks.widen(past.row, learned), ..past })
                }
                (past, carried) => past.or(carried),
            };
        }
    }
}

//! Program order, and what the models keep of it, pair by pair.

use std::cell::OnceCell;
use tribunal_history::memory::{EventId, Execution, Kind, Order};
use tribunal_history::model::{Keep, Preserved};

/// Program order of an execution.
pub(super) struct Program<'a> {
    x: &'a Execution,
    fences: OnceCell<Fences>,
}

/// By event: one more than the id of the last fence of a sort before it in its thread, or 0. acq_rel is of two sorts.
struct Fences {
    full: Vec<u32>,
    acquire: Vec<u32>,
    release: Vec<u32>,
}

impl<'a> Program<'a> {
    pub(super) fn new(x: &'a Execution) -> Self {
        Program { x, fences: OnceCell::new() }
    }

    /// Whether a is before b in program order; initial writes are before everything else.
    pub(super) fn po(&self, a: EventId, b: EventId) -> bool {
        match self.x.thread_of(a) {
            None => !self.x.is_init(b),
            thread => a < b && self.x.thread_of(b) == thread,
        }
    }

    /// Whether `read` reads from a write that program order does not relate to it.
    pub(super) fn reads_externally(&self, read: EventId) -> bool {
        self.x.rf(read).is_some_and(|w| !self.po(w, read) && !self.po(read, w))
    }

    /// Whether po-loc holds; with load hazards it lacks the pairs of plain reads.
    pub(super) fn po_loc(&self, a: EventId, b: EventId, load_hazards: bool) -> bool {
        let plain_read = |e| self.x.label(e).kind() == Kind::Read;
        self.po(a, b)
            && self.x.loc(a).is_some_and(|loc| self.x.loc(b) == Some(loc))
            && !(load_hazards && plain_read(a) && plain_read(b))
    }

    /// Whether `b` depends on the read `a`.
    pub(super) fn dep(&self, a: EventId, b: EventId) -> bool {
        !self.x.is_init(b) && self.x.deps(b).any(|read| read == a)
    }

    /// Whether a model keeps the accesses a and b in program order.
    pub(super) fn ppo(&self, kept: &Preserved, a: EventId, b: EventId) -> bool {
        let x = self.x;
        if !self.po(a, b) || x.label(a).is_fence() || x.label(b).is_fence() {
            return false;
        }
        let ended_before = || match (x.interval(a).end, x.interval(b).begin) {
            (Some(end), Some(begin)) => x.label(a).reads() && begin > end,
            _ => false,
        };
        self.kept_by_kind(kept, a, b)
            || kept.dependencies && self.dep(a, b)
            || kept.times && ended_before()
            || x.features().fences > 0 && self.fenced(a, b)
    }

    fn kept_by_kind(&self, kept: &Preserved, a: EventId, b: EventId) -> bool {
        let (first, second) = (self.x.label(a), self.x.label(b));
        if !kept.rmws && (first.is_of_rmw() || second.is_of_rmw()) {
            return false;
        }
        let pairs = [
            (kept.rr, first.reads() && second.reads()),
            (kept.rw, first.reads() && second.writes()),
            (kept.wr, first.writes() && second.reads()),
            (kept.ww, first.writes() && second.writes()),
        ];
        pairs.into_iter().any(|(keep, applies)| {
            applies
                && match keep {
                    Keep::Never => false,
                    Keep::SameLocation => self.x.loc(a) == self.x.loc(b),
                    Keep::Always => true,
                }
        })
    }

    /// Whether a fence between the accesses a and b keeps them in order.
    fn fenced(&self, a: EventId, b: EventId) -> bool {
        let fences = self.fences.get_or_init(|| Fences::new(self.x));
        let after = if self.x.is_init(a) { 0 } else { a.0 + 1 };
        let between = |last: &[u32]| last[b.index()] > after;
        between(&fences.full)
            || self.x.label(a).reads() && between(&fences.acquire)
            || self.x.label(b).writes() && between(&fences.release)
    }
}

impl Fences {
    fn new(x: &Execution) -> Self {
        let column = || Vec::with_capacity(x.len());
        let mut fences = Fences { full: column(), acquire: column(), release: column() };
        for t in x.threads() {
            let (mut full, mut acquire, mut release) = (0, 0, 0);
            for e in x.thread_events(t).map(EventId) {
                fences.full.push(full);
                fences.acquire.push(acquire);
                fences.release.push(release);
                if x.label(e).is_fence() {
                    match x.label(e).order() {
                        Order::NonAtomic | Order::Relaxed => {}
                        Order::Acquire => acquire = e.0 + 1,
                        Order::Release => release = e.0 + 1,
                        Order::AcqRel => (acquire, release) = (e.0 + 1, e.0 + 1),
                        Order::SeqCst => full = e.0 + 1,
                    }
                }
            }
        }
        fences
    }
}

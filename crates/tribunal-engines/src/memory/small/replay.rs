//! Replaying a small history in an order that contains po and rf, with what threads know of the writes.

use super::word::Word;
use super::writes::Writes;
use crate::memory::order::past::happens_before::Synchronization;
use tribunal_history::memory::{EventId, Execution, Label};

/// The threads on their way.
#[derive(Default)]
pub(super) struct Replay<W> {
    threads: Vec<Thread<W>>,
    /// The threads that wait for each event.
    waiting: Vec<W>,
    /// The knowledge that a reader of each write may acquire.
    released: Vec<Knowledge<W>>,
}

#[derive(Clone, Copy)]
struct Thread<W> {
    next: u32,
    /// The events that happened before.
    known: Knowledge<W>,
    /// The knowledge that the last release fence released, and that which relaxed reads have read and an acquire fence will acquire.
    fence: Knowledge<W>,
    pending: Knowledge<W>,
}

/// The writes that accesses left, and those of them that are known to be overwritten.
#[derive(Clone, Copy)]
struct Knowledge<W> {
    left: W,
    overwritten: W,
}

impl<W: Word> Knowledge<W> {
    const NOTHING: Self = Knowledge { left: W::EMPTY, overwritten: W::EMPTY };

    #[inline(always)]
    fn learn(&mut self, other: Self) {
        self.left |= other.left;
        self.overwritten |= other.overwritten;
    }
}

/// Every access acquires and releases, and fences do nothing.
#[inline(always)]
fn every_access(label: Label) -> (bool, bool, bool) {
    (!label.is_fence(), !label.is_fence(), false)
}

/// As the orders say.
#[inline(always)]
fn annotated(label: Label) -> (bool, bool, bool) {
    (label.acquires(), label.releases(), label.is_atomic())
}

impl<W: Word> Replay<W> {
    /// What hb and the given final values ask of mo (`order/coherence/minimal.rs`): each write that was left before an access of its
    /// location is the one that the access looks at, or mo-before it. False if po ∪ rf is cyclic or no mo has that.
    pub(super) fn coherence(
        &mut self,
        x: &Execution,
        synchronization: Synchronization,
        writes: &mut Writes<W>,
    ) -> bool {
        writes.reset(x);
        let look = |e: EventId, looked_at: EventId, _: Label, known: &mut Knowledge<W>| {
            writes.learn(looked_at, known.left & writes.of[x.locs()[e.index()].index()])
        };
        let replayed = match synchronization {
            Synchronization::Nothing => self.run(x, |_| (false, false, false), look),
            Synchronization::EveryRead => self.run(x, every_access, look),
            // Not worth its while: no witness is found here.
            Synchronization::Continued => false,
            Synchronization::Annotated => self.run(x, annotated, look),
        };
        replayed && writes.finals(x) && writes.links(x)
    }

    /// Whether po ∪ rf is acyclic and no read's source is overwritten in the read's past.
    pub(super) fn none_overwritten(&mut self, x: &Execution, writes: &Writes<W>) -> bool {
        let look = |e: EventId, looked_at: EventId, label: Label, known: &mut Knowledge<W>| {
            let before = known.left & writes.of[x.locs()[e.index()].index()];
            let current = match x.is_init(looked_at) {
                true => before.is_empty(),
                false => !known.overwritten.has(looked_at.0),
            };
            if label.writes() {
                known.overwritten |= before;
            }
            !label.reads() || current
        };
        self.run(x, every_access, look)
    }

    /// Visits every access after its po-predecessors and its source: `look(access, the write it looks at, label, what its
    /// thread knows)`, which says whether to go on. `order` says whether an event acquires, releases, and does either by way of a
    /// fence. False if `look` said so or po ∪ rf is cyclic.
    #[inline(always)]
    fn run(
        &mut self,
        x: &Execution,
        order: impl Fn(Label) -> (bool, bool, bool),
        mut look: impl FnMut(EventId, EventId, Label, &mut Knowledge<W>) -> bool,
    ) -> bool {
        let n = x.len();
        let start = |thread| Thread {
            next: x.thread_events(thread).start,
            known: Knowledge::NOTHING,
            fence: Knowledge::NOTHING,
            pending: Knowledge::NOTHING,
        };
        self.threads.clear();
        self.threads.extend(x.threads().map(start));
        self.waiting.clear();
        self.waiting.resize(n, W::EMPTY);
        // What was released before is not looked at again: a source is replayed first.
        if self.released.len() < n {
            self.released.resize(n, Knowledge::NOTHING);
        }
        let (mut done, mut ready) = (W::EMPTY, W::EMPTY);
        x.threads().for_each(|thread| ready |= W::of(thread.0));
        let mut left = n;
        while let Some(t) = ready.first() {
            ready = ready.without(W::of(t));
            let mut thread = self.threads[t as usize];
            let end = x.thread_events(tribunal_history::memory::ThreadId(t)).end;
            while thread.next < end {
                let e = EventId(thread.next);
                let label = x.labels()[e.index()];
                let (acquires, releases, fenced) = order(label);
                let source = x.rf(e);
                let mut passed_on = Knowledge::NOTHING;
                if let Some(source) = source.filter(|&source| !x.is_init(source)) {
                    if !done.has(source.0) {
                        self.waiting[source.index()] |= W::of(t);
                        break;
                    }
                    passed_on = self.released[source.index()];
                }
                thread.next += 1;
                left -= 1;
                if label.is_fence() {
                    if acquires {
                        thread.known.learn(thread.pending);
                    }
                    if releases {
                        thread.fence = thread.known;
                    }
                    continue;
                }
                if acquires {
                    thread.known.learn(passed_on);
                } else if fenced {
                    thread.pending.learn(passed_on);
                }
                let looked_at = source.unwrap_or(e);
                if !look(e, looked_at, label, &mut thread.known) {
                    return false;
                }
                if label.writes() {
                    done |= W::of(e.0);
                    thread.known.left |= W::of(e.0);
                    let mut released = match (releases, fenced) {
                        (true, _) => thread.known,
                        (false, true) => thread.fence,
                        (false, false) => Knowledge::NOTHING,
                    };
                    released.learn(passed_on);
                    self.released[e.index()] = released;
                    ready |= self.waiting[e.index()];
                } else if !x.is_init(looked_at) {
                    thread.known.left |= W::of(looked_at.0);
                }
            }
            self.threads[t as usize] = thread;
        }
        left == 0
    }
}

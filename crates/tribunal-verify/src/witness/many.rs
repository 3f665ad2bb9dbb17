//! The C11 family, and weak read coherence, where threads are many: what each thread knows is carried along hb, and clocks of
//! all threads are not needed.

use super::c11::Accesses;
use super::{Positions, broken, c11};
use crate::clocks::{HappensBefore, replay};
use crate::maps::{MapId, Maps};
use crate::{BrokenAxiom, Named, Refusal};
use rustc_hash::FxHashMap;
use tribunal_history::heap::Heap;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, LocId, Order, ThreadId};
use tribunal_history::verdict::{Axiom, Limit, ModificationOrder};

/// From so many threads on, what threads know is carried along.
const MANY: usize = 64;

pub(super) fn has_many_threads(x: &Execution) -> bool {
    x.thread_count() > MANY
}

/// The knowledge at an event: two maps.
type Known = [MapId; 2];

/// The knowledge of threads while the events are replayed, which they pass on by synchronizing.
struct Knowledge<'a> {
    x: &'a Execution,
    hb: HappensBefore,
    maps: Maps,
    /// By thread: what is known of all that happens before its next event.
    current: Vec<Known>,
    /// By thread: what its last release fence releases, and what an acquire fence would learn.
    fenced: Vec<Known>,
    unfenced: Vec<Known>,
    /// By event: what one who acquires from it learns.
    released: Vec<Known>,
    /// By thread and location: what its last release write released, where later writes release it too.
    continued: FxHashMap<(ThreadId, LocId), Known>,
}

const NOTHING: Known = [Maps::EMPTY; 2];

impl<'a> Knowledge<'a> {
    fn new(x: &'a Execution, hb: HappensBefore, keys: usize) -> Self {
        let threads = || vec![NOTHING; x.thread_count()];
        let (current, fenced, unfenced) = (threads(), threads(), threads());
        Knowledge {
            x,
            hb,
            maps: Maps::new(keys),
            current,
            fenced,
            unfenced,
            released: vec![NOTHING; x.len()],
            continued: FxHashMap::default(),
        }
    }

    fn check(&self, limits: &Limits<'_>) -> Result<(), Limit> {
        let known = self.released.len() + 3 * self.current.len();
        let continued = 2 * self.continued.held();
        self.maps.check(size_of::<Known>() * known + continued, limits)
    }

    fn join(&mut self, a: Known, b: Known) -> Known {
        [self.maps.join(a[0], b[0]), self.maps.join(a[1], b[1])]
    }

    /// Learns what happens before `e`, other than by po.
    fn learn(&mut self, t: ThreadId, e: EventId) {
        let label = self.x.label(e);
        let read = self.x.rf(e).and_then(|w| self.released.get(w.index())).copied().unwrap_or(NOTHING);
        match self.hb {
            HappensBefore::Po => {}
            HappensBefore::PoRf => self.current[t.index()] = self.join(self.current[t.index()], read),
            HappensBefore::Synchronized | HappensBefore::Continued => {
                if label.is_fence() && label.order().is_acquire() {
                    self.current[t.index()] = self.join(self.current[t.index()], self.unfenced[t.index()]);
                }
                if label.order().is_acquire() {
                    self.current[t.index()] = self.join(self.current[t.index()], read);
                }
                if label.order().is_atomic() {
                    self.unfenced[t.index()] = self.join(self.unfenced[t.index()], read);
                }
            }
        }
    }

    /// Notes what `e` did, which it may release.
    fn release(&mut self, t: ThreadId, e: EventId) {
        let label = self.x.label(e);
        let own = self.current[t.index()];
        match self.hb {
            HappensBefore::Po => {}
            HappensBefore::PoRf => self.released[e.index()] = own,
            HappensBefore::Synchronized | HappensBefore::Continued => {
                if label.is_fence() && label.order().is_release() {
                    self.fenced[t.index()] = own;
                }
                if label.writes() {
                    let mut own = match label.order() {
                        Order::NonAtomic => NOTHING,
                        order if order.is_release() => own,
                        _ => self.fenced[t.index()],
                    };
                    if self.hb == HappensBefore::Continued
                        && label.is_atomic()
                        && let Some(loc) = self.x.loc(e)
                    {
                        if label.order().is_release() {
                            self.continued.insert((t, loc), own);
                        } else if let Some(&earlier) = self.continued.get(&(t, loc)) {
                            own = self.join(own, earlier);
                        }
                    }
                    // The release sequences of the write an RMW reads from go on through it.
                    let carried = self.x.rf(e).and_then(|w| self.released.get(w.index())).copied();
                    self.released[e.index()] = self.join(own, carried.unwrap_or(NOTHING));
                }
            }
        }
    }

    /// Replays all events: `access(knowledge, t, e)` for each access, when all that happens before it is known.
    fn replay(
        mut self,
        limits: &Limits<'_>,
        mut access: impl FnMut(&mut Self, ThreadId, EventId) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let (x, mut refused, mut visited) = (self.x, None, 0u32);
        let replayed = replay(
            x,
            |e| [x.rf(e), None],
            |t, e| {
                if refused.is_some() {
                    return;
                }
                visited += 1;
                self.learn(t, e);
                let mut step = self.check(limits).map_err(Refusal::Limit);
                if visited.is_multiple_of(1024) {
                    step = step.and(limits.check(0).map_err(Refusal::Limit));
                }
                if x.loc(e).is_some() {
                    step = step.and_then(|()| access(&mut self, t, e));
                }
                refused = step.err();
                self.release(t, e);
            },
        );
        let cycle = |event| broken(Axiom::PoRf, BrokenAxiom::Cycle { event: Named::new(x, event) });
        replayed.map_err(cycle)?;
        refused.map_or(Ok(()), Err)
    }
}

/// Write coherence, read coherence and atomicity of a given mo. Known of each location: the mo position of the latest write in
/// rf?;hb.
pub(super) fn coherent(
    x: &Execution,
    hb: HappensBefore,
    mo: &ModificationOrder,
    positions: &Positions,
    limits: &Limits<'_>,
) -> Result<(), Refusal> {
    Knowledge::new(x, hb, x.location_count()).replay(limits, |knowledge, t, e| {
        let Some(loc) = x.loc(e) else { return Ok(()) };
        let [latest, _] = knowledge.current[t.index()];
        // Positions count from 0, values from 1; the initial write is in every past.
        let init = positions.of(x.init_write(loc));
        let known = knowledge.maps.get(latest, loc.0).checked_sub(1).map_or(init, |known| known.max(init));
        c11::Coherence::access(x, positions, mo.of(loc), e, known)?;
        let written = if x.label(e).writes() { positions.of(e) } else { 0 };
        let seen = x.rf(e).map_or(written, |w| written.max(positions.of(w)));
        knowledge.current[t.index()][0] = knowledge.maps.raise(latest, loc.0, seen + 1);
        Ok(())
    })
}

/// irr(hbloc ; \[W\] ; hb ; rf⁻¹). Known: the writes that happened, and those of them that were overwritten; both by place among
/// the accesses.
pub(super) fn not_overwritten(x: &Execution, axiom: Axiom, limits: &Limits<'_>) -> Result<(), Refusal> {
    let accesses = Accesses::new(x);
    let mut place = vec![0u32; x.len()];
    for (i, e) in (0..).zip(&accesses.events) {
        place[e.index()] = i;
    }
    // By event: the writes that happened before it.
    let mut before = vec![Maps::EMPTY; x.len()];
    let columns = 8 * accesses.events.len() + 4 * (place.len() + before.len());
    limits.check_memory(columns, 0).map_err(Refusal::Limit)?;
    Knowledge::new(x, HappensBefore::PoRf, accesses.events.len()).replay(limits, |knowledge, t, e| {
        let Some(loc) = x.loc(e) else { return Ok(()) };
        let (begin, end) = (accesses.starts[loc.index()] as u32, accesses.starts[loc.index() + 1] as u32);
        let [written, overwritten] = knowledge.current[t.index()];
        before[e.index()] = written;
        if let Some(w) = x.rf(e) {
            // The initial write happens before every other.
            let is_overwritten = x.is_init(w) || knowledge.maps.get(overwritten, place[w.index()]) != 0;
            let mut by = None;
            let mut after_source = |key: u32| {
                let write = accesses.events[key as usize];
                let after = x.is_init(w)
                    || write != w && knowledge.maps.get(before[write.index()], place[w.index()]) != 0;
                by = after.then_some(write);
                after
            };
            if is_overwritten && knowledge.maps.find(written, begin..end, &mut after_source) {
                let named = |event| Named::new(x, event);
                let by = named(by.unwrap_or(e));
                let breach = BrokenAxiom::Overwritten { read: named(e), source_write: named(w), by };
                return Err(broken(axiom, breach));
            }
        }
        if x.label(e).writes() {
            let maps = &mut knowledge.maps;
            let overwritten = maps.join_range(overwritten, written, begin..end);
            knowledge.current[t.index()] = [maps.raise(written, place[e.index()], 1), overwritten];
        }
        Ok(())
    })
}

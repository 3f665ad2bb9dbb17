//! An order of all events of a small history, found without going back: for sc, tso, pso and the like, and for sra.
//!
//! Events are put in line one by one, each after those that must come before it; a write, only once all that must see the
//! write before it of its location have been put in line. So the line contains po-mm, rf-mm, what the local view asks of mo,
//! and fr: its order of the writes is an mo. If the line gets stuck, more of what must come before what is found by
//! saturation, and it begins again. If it gets stuck then, nothing is said.

use super::supported;
use super::word::Word;
use super::writes::Writes;
use tribunal_history::memory::{EventId, Execution, Order};
use tribunal_history::model::{Keep, Preserved};
use tribunal_history::verdict::ModificationOrder;

#[derive(Default)]
pub(super) struct Orders<W> {
    /// For each event, events that must come before it.
    past: Vec<W>,
    /// For each write, initial ones included, the events that come before the next write of its location.
    holds: Vec<W>,
    /// The last write of each location that is in line.
    last: Vec<u32>,
    /// For each location, the thread's accesses so far that read, and that write.
    accesses: Vec<[W; 2]>,
}

impl<W: Word> Orders<W> {
    /// An mo that satisfies the local and the global view, if one is found.
    pub(super) fn search(
        &mut self,
        x: &Execution,
        preserved: &Preserved,
        writes: &mut Writes<W>,
    ) -> Option<ModificationOrder> {
        debug_assert!(supported(x, preserved));
        if !writes.local_view(x) {
            return None;
        }
        self.reset(x);
        self.preserve(x, preserved);
        for thread in x.threads() {
            let events = x.thread_events(thread);
            for e in events.clone().map(EventId) {
                let Some(source) = x.rf(e) else { continue };
                self.holds[source.index()] |= W::of(e.0);
                let external = !events.contains(&source.0);
                if !x.is_init(source) && (external || preserved.internal_rf) {
                    self.past[e.index()] |= W::of(source.0);
                }
            }
        }
        self.order_writes(writes);
        let found = self.line_up(x, writes) || self.saturate(x, writes) && self.line_up(x, writes);
        found.then(|| writes.order(x))?
    }

    /// An mo such that hb ∪ mo is acyclic and every RMW comes directly after its source, if one is found; given what else sra
    /// asks of mo.
    pub(super) fn strong(&mut self, x: &Execution, writes: &mut Writes<W>) -> Option<ModificationOrder> {
        self.reset(x);
        for thread in x.threads() {
            let events = x.thread_events(thread);
            for e in events.clone().map(EventId) {
                if e.0 > events.start {
                    self.past[e.index()] |= W::of(e.0 - 1);
                }
                let Some(source) = x.rf(e) else { continue };
                if x.labels()[e.index()].writes() {
                    self.holds[source.index()] |= W::of(e.0);
                }
                if !x.is_init(source) {
                    self.past[e.index()] |= W::of(source.0);
                }
            }
        }
        self.order_writes(writes);
        self.line_up(x, writes).then(|| writes.order(x))?
    }

    fn reset(&mut self, x: &Execution) {
        self.past.clear();
        self.past.resize(x.len(), W::EMPTY);
        self.holds.clear();
        self.holds.resize(x.len() + x.location_count(), W::EMPTY);
    }

    /// Adds what is known of mo.
    fn order_writes(&mut self, writes: &Writes<W>) {
        for (past, &before) in self.past.iter_mut().zip(&writes.before) {
            *past |= before;
        }
    }

    /// po-mm.
    fn preserve(&mut self, x: &Execution, preserved: &Preserved) {
        let rules = [[preserved.rr, preserved.wr], [preserved.rw, preserved.ww]];
        let by_location = rules.iter().flatten().any(|&keep| keep == Keep::SameLocation);
        for thread in x.threads() {
            if by_location {
                self.accesses.clear();
                self.accesses.resize(x.location_count(), [W::EMPTY; 2]);
            }
            // Accesses so far, those that read and those that write; without RMWs, if they do not count.
            let (mut all, mut reads, mut so_far) = (W::EMPTY, W::EMPTY, [W::EMPTY; 2]);
            // What fences keep before all that follows, and before writes.
            let mut fenced = [W::EMPTY; 2];
            for e in x.thread_events(thread).map(EventId) {
                let label = x.labels()[e.index()];
                if label.is_fence() {
                    if label.order() == Order::SeqCst {
                        fenced[0] |= all;
                    }
                    if label.acquires() {
                        fenced[0] |= reads;
                    }
                    if label.releases() {
                        fenced[1] |= all;
                    }
                    continue;
                }
                let mut past = fenced[0];
                if label.writes() {
                    past |= fenced[1];
                }
                if !label.is_of_rmw() || preserved.rmws {
                    let at_location = by_location.then(|| self.accesses[x.locs()[e.index()].index()]);
                    for (second, rules) in rules.iter().enumerate() {
                        if ![label.reads(), label.writes()][second] {
                            continue;
                        }
                        for (first, keep) in rules.iter().enumerate() {
                            past |= match keep {
                                Keep::Never => W::EMPTY,
                                Keep::SameLocation => at_location.map_or(W::EMPTY, |at| at[first]),
                                Keep::Always => so_far[first],
                            };
                        }
                    }
                    for (first, does) in [label.reads(), label.writes()].into_iter().enumerate() {
                        if does {
                            so_far[first] |= W::of(e.0);
                            if by_location {
                                self.accesses[x.locs()[e.index()].index()][first] |= W::of(e.0);
                            }
                        }
                    }
                }
                self.past[e.index()] |= past;
                all |= W::of(e.0);
                if label.reads() {
                    reads |= W::of(e.0);
                }
            }
        }
    }

    /// Puts all events in line, and notes the order of the writes. False if it gets stuck.
    fn line_up(&mut self, x: &Execution, writes: &mut Writes<W>) -> bool {
        let n = x.len() as u32;
        self.last.clear();
        self.last.extend(x.locations().map(|loc| n + loc.0));
        let (mut done, mut rest) = (W::EMPTY, W::EMPTY);
        (0..n).for_each(|e| rest |= W::of(e));
        while !rest.is_empty() {
            let mut write = None;
            let before = done;
            for e in rest.members() {
                if !self.past[e as usize].without(done).is_empty() {
                    continue;
                }
                if !x.labels()[e as usize].writes() {
                    done |= W::of(e);
                } else if write.is_none() {
                    let last = self.last[x.locs()[e as usize].index()];
                    if self.holds[last as usize].without(done | W::of(e)).is_empty() {
                        write = Some(e);
                    }
                }
            }
            if let Some(write) = write {
                let loc = x.locs()[write as usize].index();
                self.last[loc] = write;
                writes.before[write as usize] = writes.of[loc] & done;
                done |= W::of(write);
            }
            if done == before {
                return false;
            }
            rest = rest.without(done);
        }
        true
    }

    /// Finds what must come before what (Zennou et al. 2019): a write before a write of its location or a reader of that
    /// comes before that write, and so do its readers. False if that is cyclic. O(n³) looks at words.
    fn saturate(&mut self, x: &Execution, writes: &Writes<W>) -> bool {
        for loc in x.locations() {
            let readers = self.holds[x.init_write(loc).index()];
            for write in writes.of[loc.index()].members() {
                self.past[write as usize] |= readers.without(W::of(write));
            }
        }
        loop {
            if !self.close() {
                return false;
            }
            let mut changed = false;
            for &of in &writes.of {
                for write in of.members() {
                    let mut known = self.past[write as usize];
                    for reader in self.holds[write as usize].members() {
                        known |= self.past[reader as usize];
                    }
                    known = known & of.without(W::of(write));
                    for earlier in known.members() {
                        known |= self.holds[earlier as usize].without(W::of(write));
                    }
                    changed |= !known.without(self.past[write as usize]).is_empty();
                    self.past[write as usize] |= known;
                }
            }
            if !changed {
                return true;
            }
        }
    }

    /// The transitive closure (Warshall 1962). False if it is not irreflexive.
    fn close(&mut self) -> bool {
        for middle in 0..self.past.len() {
            let through = self.past[middle];
            for past in &mut self.past {
                if past.has(middle as u32) {
                    *past |= through;
                }
            }
        }
        (0..).zip(&self.past).all(|(e, past)| !past.has(e))
    }
}

//! pram: for each thread, a total order of the writes of everyone and the thread's events.

use super::History;
use std::collections::HashSet;
use tribunal_history::memory::{EventId, ThreadId};

impl History<'_> {
    pub fn pram(&self) -> bool {
        self.x.threads().all(|t| {
            let mut failed = HashSet::new();
            let initial = vec![None; self.x.location_count()];
            self.pram_order(t, 0, &initial, &mut failed)
        })
    }

    /// Whether the events of the thread and the writes that are not yet `done` can follow, when `last` are the last writes
    /// of the locations.
    fn pram_order(
        &self,
        t: ThreadId,
        done: u64,
        last: &[Option<EventId>],
        failed: &mut HashSet<(u64, Vec<Option<EventId>>)>,
    ) -> bool {
        let own = |e: usize| self.x.thread_of(EventId::from_index(e)) == Some(t);
        let involved = |e: usize| own(e) || self.writes(e);
        let left: Vec<usize> = (0..self.size).filter(|&e| involved(e) && done >> e & 1 == 0).collect();
        if left.is_empty() {
            return true;
        }
        if failed.contains(&(done, last.to_vec())) {
            return false;
        }
        for &e in left.iter().filter(|&&e| left.iter().all(|&earlier| !self.po.holds(earlier, e))) {
            let event = EventId::from_index(e);
            let loc = self.x.loc(event).map(|loc| loc.index());
            if own(e) && self.reads(e) && loc.is_some_and(|loc| last[loc] != self.x.rf(event)) {
                continue;
            }
            let mut next = last.to_vec();
            if let Some(loc) = loc.filter(|_| self.writes(e)) {
                next[loc] = Some(event);
            }
            if self.pram_order(t, done | 1 << e, &next, failed) {
                return true;
            }
        }
        failed.insert((done, last.to_vec()));
        false
    }
}

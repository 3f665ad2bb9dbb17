//! The writes of a small history: what is known of mo, and an mo with all that.

use super::word::Word;
use tribunal_history::memory::{EventId, Execution, Kind};
use tribunal_history::verdict::ModificationOrder;

/// No event.
const NONE: u32 = u32::MAX;

/// The order that writes must have.
#[derive(Default)]
pub(super) struct Writes<W> {
    /// The writes of each location, without the initial one.
    pub of: Vec<W>,
    /// For each write, others of its location that mo puts before it. Before an initial write there is none.
    pub before: Vec<W>,
    /// The RMW that reads from each write, initial writes included; meaningless if there are no RMWs.
    next: Vec<u32>,
    /// The first write of each write's rf-chain; the initial one's chain is no one's.
    top: Vec<u32>,
    /// For the first write of a chain, the writes outside the chain that must come before some write of it.
    asked: Vec<W>,
    /// The chains that wait for others to be written out, each for the next.
    waiting: Vec<u32>,
}

impl<W: Word> Writes<W> {
    /// The writes of a history, of which nothing is known.
    pub(super) fn reset(&mut self, x: &Execution) {
        self.of.clear();
        self.of.resize(x.location_count(), W::EMPTY);
        self.before.clear();
        self.before.resize(x.len(), W::EMPTY);
        for ((e, label), loc) in (0..).zip(x.labels()).zip(x.locs()) {
            if label.writes() {
                self.of[loc.index()] |= W::of(e);
            }
        }
    }

    /// Finds the RMWs that read from each write. False if two read from one.
    pub(super) fn links(&mut self, x: &Execution) -> bool {
        if x.features().rmws == 0 {
            return true;
        }
        self.next.clear();
        self.next.resize(x.len() + x.location_count(), NONE);
        for (e, _) in x.events().zip(x.labels()).filter(|(_, label)| label.kind() == Kind::Rmw) {
            let source = x.rf(e).expect("an RMW reads");
            if std::mem::replace(&mut self.next[source.index()], e.0) != NONE {
                return false;
            }
        }
        true
    }

    /// The RMW that reads from a write, once [`links`](Self::links) has found them.
    #[inline(always)]
    pub(super) fn rmw_after(&self, x: &Execution, write: u32) -> Option<u32> {
        (x.features().rmws > 0).then(|| self.next[write as usize]).filter(|&next| next != NONE)
    }

    /// An access that looks at a write knows that these of its location come before it or are it. False if that cannot be.
    #[inline(always)]
    pub(super) fn learn(&mut self, write: EventId, known: W) -> bool {
        match self.before.get_mut(write.index()) {
            Some(before) => *before |= known.without(W::of(write.0)),
            None => return known.is_empty(),
        }
        true
    }

    /// What the local view, acyclic(po-loc ∪ rf ∪ mo ∪ fr), and the given final values ask of mo; `order/views/base.rs` says why this
    /// is all except for chains. False if no mo has that.
    pub(super) fn local_view(&mut self, x: &Execution) -> bool {
        self.reset(x);
        for thread in x.threads() {
            let events = x.thread_events(thread);
            let mut seen = W::EMPTY;
            for e in events.clone().map(EventId).filter(|e| !x.labels()[e.index()].is_fence()) {
                let source = x.rf(e);
                if source.is_some_and(|source| source >= e && source.0 < events.end) {
                    return false;
                }
                let looked_at = source.unwrap_or(e);
                if !self.learn(looked_at, seen & self.of[x.locs()[e.index()].index()]) {
                    return false;
                }
                let left = if x.labels()[e.index()].writes() { e } else { looked_at };
                if !x.is_init(left) {
                    seen |= W::of(left.0);
                }
            }
        }
        self.finals(x) && self.links(x)
    }

    /// Adds what the given final values ask of mo. False if no mo has that.
    pub(super) fn finals(&mut self, x: &Execution) -> bool {
        x.finals().iter().all(|&(loc, write)| self.learn(write, self.of[loc.index()]))
    }

    /// An mo with all that is known, in which every RMW comes directly after its source; none if there is none. Chains are
    /// written out first to last, each behind those that must come before it: O(n) steps and as many looks at words.
    pub(super) fn order(&mut self, x: &Execution) -> Option<ModificationOrder> {
        let n = x.len() as u32;
        let writes = x.features().writes + x.features().rmws + x.location_count();
        let mut mo = ModificationOrder::with_capacity(x.location_count(), writes);
        let rmws = self.find_chains(x);
        for loc in x.locations() {
            let (init, all) = (n + loc.0, self.of[loc.index()]);
            let mut done = self.write_chain(x, init, W::EMPTY, &mut mo)?;
            for top in all.without(rmws).members().map(EventId) {
                if done.has(top.0) {
                    continue;
                }
                let mut open = W::of(top.0);
                self.waiting.clear();
                self.waiting.push(top.0);
                while let Some(&chain) = self.waiting.last() {
                    let Some(first) = self.asked[chain as usize].without(done).first() else {
                        self.waiting.pop();
                        done = self.write_chain(x, chain, done, &mut mo)?;
                        continue;
                    };
                    let first = self.top[first as usize];
                    if first == NONE || open.has(first) {
                        return None;
                    }
                    open |= W::of(first);
                    self.waiting.push(first);
                }
            }
            if done != all {
                return None;
            }
            mo.end_location();
        }
        Some(mo)
    }

    /// Finds all chains but the initial ones, and what is asked of them; gives the RMWs.
    fn find_chains(&mut self, x: &Execution) -> W {
        self.top.clear();
        self.top.resize(x.len(), NONE);
        self.asked.clear();
        self.asked.resize(x.len(), W::EMPTY);
        let mut rmws = W::EMPTY;
        for (e, label) in (0..).zip(x.labels()) {
            match label.kind() {
                Kind::Write => {
                    let (mut asked, mut members, mut write) = (W::EMPTY, W::EMPTY, Some(e));
                    while let Some(member) = write {
                        self.top[member as usize] = e;
                        asked |= self.before[member as usize];
                        members |= W::of(member);
                        write = self.rmw_after(x, member);
                    }
                    self.asked[e as usize] = asked.without(members);
                }
                Kind::Rmw => rmws |= W::of(e),
                Kind::Read | Kind::Fence => {}
            }
        }
        rmws
    }

    /// Writes out a chain behind what is done; gives what is done then. None if a write would come before one that it must follow.
    #[inline(always)]
    fn write_chain(&self, x: &Execution, top: u32, mut done: W, mo: &mut ModificationOrder) -> Option<W> {
        let mut write = Some(top);
        while let Some(member) = write {
            mo.push(EventId(member));
            if let Some(before) = self.before.get(member as usize) {
                if !before.without(done).is_empty() {
                    return None;
                }
                done |= W::of(member);
            }
            write = self.rmw_after(x, member);
        }
        Some(done)
    }
}

//! Reading through RMWs: which write an RMW goes back to, step by step.

use tribunal_history::memory::Kind;
use tribunal_history::memory::{EventId, Execution};

const NONE: u32 = u32::MAX;

/// The forest in which the parent of an RMW is the write it reads from, numbered so that one comparison tells whether
/// a write lies behind another. RMWs on a cycle of rf have no number and lie behind nothing.
pub(super) struct Chains {
    /// By write: its number in depth-first order.
    enter: Vec<u32>,
    /// By write: the first number after those of the RMWs behind it.
    exit: Vec<u32>,
}

impl Chains {
    pub(super) fn new(x: &Execution) -> Self {
        let size = x.len() + x.location_count();
        let (mut first_child, mut sibling) = (vec![NONE; size], vec![NONE; size]);
        let rmw = |e: EventId| x.label(e).kind() == Kind::Rmw;
        for u in x.events().filter(|&e| rmw(e)) {
            if let Some(w) = x.rf(u) {
                sibling[u.index()] = std::mem::replace(&mut first_child[w.index()], u.0);
            }
        }
        let (mut enter, mut exit) = (vec![NONE; size], vec![0; size]);
        let mut number = 0;
        for root in (0..size as u32).map(EventId).filter(|&e| x.label(e).writes() && !rmw(e)) {
            let mut at = root;
            'down: loop {
                enter[at.index()] = number;
                number += 1;
                if first_child[at.index()] != NONE {
                    at = EventId(first_child[at.index()]);
                    continue;
                }
                loop {
                    exit[at.index()] = number;
                    if at == root {
                        break 'down;
                    }
                    if sibling[at.index()] != NONE {
                        at = EventId(sibling[at.index()]);
                        continue 'down;
                    }
                    at = x.rf(at).expect("an RMW reads from its parent");
                }
            }
        }
        Chains { enter, exit }
    }

    /// Whether reading through RMWs, from `u` on, comes to a write that is not an RMW: whether `u` is on no cycle of rf.
    pub(super) fn has_head(&self, u: EventId) -> bool {
        self.enter[u.index()] != NONE
    }

    /// Whether `u` is an RMW that reads from `w` through any number of RMWs.
    pub(super) fn behind(&self, w: EventId, u: EventId) -> bool {
        let number = self.enter[u.index()];
        self.enter[w.index()] < number && number < self.exit[w.index()]
    }
}

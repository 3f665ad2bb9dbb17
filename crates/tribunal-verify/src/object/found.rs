//! The results of trying everything.

use super::hints::{Hint, Hints};
use tribunal_history::object::{Criterion, History, Machine, OpId, StateId};

/// The result of trying everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Something explains the part.
    Explained,
    /// Nothing does, if these hints are true.
    Refuted(Hints),
}

/// The hints that a search may rely on beside the specification's steps, and those that it did rely on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trust {
    pub given: Hints,
    pub used: Hints,
}

impl Trust {
    pub(super) fn new(given: Hints) -> Self {
        Trust { given, used: Hints::NONE }
    }

    /// Whether what depends on these hints may be used; if so, they are.
    pub(super) fn rely(&mut self, hints: Option<Hints>) -> bool {
        match hints.filter(|hints| hints.is_within(self.given)) {
            Some(hints) => {
                self.used = self.used.union(hints);
                true
            }
            None => false,
        }
    }

    /// Whether an operation cannot come to return what it returned, whichever of the others take effect before it; the
    /// specification says so, if it is asked.
    pub(super) fn out_of_reach(
        &mut self,
        machine: &dyn Machine,
        state: StateId,
        op: OpId,
        others: &mut dyn Iterator<Item = OpId>,
    ) -> bool {
        self.given.contains(Hint::Reachable)
            && !machine.reachable(state, op, others)
            && self.rely(Some(Hint::Reachable.into()))
    }
}

/// A part of more operations is not asked whether some return is out of reach from the beginning: that takes the square of
/// their number.
const MOST_ASKED: usize = 2_000;

/// Whether some operation cannot return what it returned whatever takes effect before it, in lin or in its view: anything but
/// what comes after it in hb, or in po for `sequential`.
pub(super) fn beyond_reach(
    part: &History,
    criterion: &Criterion,
    machine: &dyn Machine,
    trust: &mut Trust,
) -> bool {
    if !trust.given.contains(Hint::Reachable) || part.len() > MOST_ASKED {
        return false;
    }
    let orders = |op: OpId, other: OpId| {
        *criterion != Criterion::Sequential || part.process(op) == part.process(other)
    };
    part.ops().filter(|&op| !part.is_pending(op)).any(|op| {
        let after = |other: OpId| part.before(op, other) && orders(op, other);
        let mut others = part.ops().filter(|&other| other != op && !after(other));
        trust.out_of_reach(machine, machine.initial(), op, &mut others)
    })
}

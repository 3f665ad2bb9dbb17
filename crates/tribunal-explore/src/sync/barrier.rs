//! A barrier.

use crate::program::{Condition, Place, Update};
use crate::runtime::home::Home;
use crate::runtime::ops::{self, Access};
use std::fmt;
use tribunal_history::memory::Order;

/// A barrier, like [`std::sync::Barrier`]. Its word counts all arrivals.
pub struct Barrier {
    home: Home,
    size: usize,
    outside: std::sync::Barrier,
}

/// Whether a thread was the last to arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// Whether this thread is the leader of those that met.
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

/// Waits until so many threads have arrived: whether this one was the last. `None` outside executions.
pub(crate) fn meet(home: &Home, size: u64, place: Place) -> Option<bool> {
    let update = Update { apply: |came, _| Some(came + 1), operands: [0; 2] };
    let come = Access::Rmw { order: Order::AcqRel, failure: Order::Relaxed, update };
    let before = ops::access(home, || 0, come, place)?;
    let size = size.max(1);
    let all = (before / size + 1) * size;
    let leads = before + 1 == all;
    if !leads {
        let until = Condition { holds: |came, all| came >= all, operand: all };
        ops::access(home, || 0, Access::Await { order: Order::Acquire, until }, place);
    }
    Some(leads)
}

impl Barrier {
    /// A barrier for this many threads.
    #[track_caller]
    pub const fn new(size: usize) -> Self {
        Barrier { home: Home::new("Barrier", Place::caller()), size, outside: std::sync::Barrier::new(size) }
    }

    /// Waits until all threads have arrived.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        let leads = meet(&self.home, self.size as u64, Place::caller());
        BarrierWaitResult(leads.unwrap_or_else(|| self.outside.wait().is_leader()))
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Barrier").finish_non_exhaustive()
    }
}

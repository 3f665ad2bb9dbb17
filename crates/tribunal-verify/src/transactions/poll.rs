//! Asking the limits often enough, and not too often.

use std::cell::Cell;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// After so many steps the limits are asked.
const STEPS: usize = 4096;

/// Counts steps and asks the limits from time to time.
pub(super) struct Poll<'l> {
    pub limits: &'l Limits<'l>,
    steps: Cell<usize>,
}

impl<'l> Poll<'l> {
    pub(super) fn new(limits: &'l Limits<'l>) -> Self {
        Poll { limits, steps: Cell::new(0) }
    }

    /// A step has been taken.
    #[inline]
    pub(super) fn step(&self) -> Result<(), Limit> {
        self.steps(1)
    }

    /// So many steps have been taken at once.
    #[inline]
    pub(super) fn steps(&self, count: usize) -> Result<(), Limit> {
        self.steps.set(self.steps.get().saturating_add(count));
        if self.steps.get() < STEPS { Ok(()) } else { self.ask() }
    }

    #[cold]
    fn ask(&self) -> Result<(), Limit> {
        self.steps.set(0);
        self.limits.check(0)
    }
}

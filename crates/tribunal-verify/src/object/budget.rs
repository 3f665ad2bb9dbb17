//! What refuting a part may cost.

use tribunal_history::limits::Limits;
use tribunal_history::object::Machine;
use tribunal_history::verdict::Limit;

/// What trying everything has cost, and may cost. What is held is counted before it grows further.
pub(super) struct Budget<'l> {
    limits: Limits<'l>,
    /// What is held all the time.
    part: usize,
    spent: u64,
}

impl<'l> Budget<'l> {
    /// These limits for work on a part that takes so many bytes.
    pub(super) fn new(limits: Limits<'l>, part: usize) -> Result<Self, Limit> {
        limits.check_memory(part, 0)?;
        Ok(Budget { limits, part, spent: 0 })
    }

    /// One more configuration is tried, while so many bytes are held beside the part.
    pub(super) fn spend(&mut self, held: usize) -> Result<(), Limit> {
        self.spent += 1;
        self.hold(held)?;
        // Every configuration counts; the clock is looked at once in a while.
        if self.spent > self.limits.max_states || self.spent.is_multiple_of(16) {
            self.limits.check(self.spent)?;
        }
        Ok(())
    }

    /// Whether so many bytes may be held beside the part.
    pub(super) fn hold(&self, held: usize) -> Result<(), Limit> {
        self.limits.check_memory(self.part.saturating_add(held), self.spent)
    }
}

/// That no step was missing because the specification made too large a value, or did too much work for one.
pub(super) fn took_every_step(machine: &dyn Machine) -> Result<(), Limit> {
    machine.exceeded().map_or(Ok(()), |_| Err(Limit::Step))
}

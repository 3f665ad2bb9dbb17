//! The cost of a search, held against its limits.

use super::{Exceeded, Machine};
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// After so much work the clock is looked at: a fraction of a millisecond, mostly.
const POLL: u64 = 1 << 15;

/// The bytes that a visit to a search state counts, apart from what the machine and the search say of themselves.
const VISIT: u64 = 64;

/// Counts what is spent: search states, and work, so that the clock is looked at often enough and no oftener.
pub(super) struct Meter<'a> {
    limits: Limits<'a>,
    states: u64,
    work: u64,
}

impl<'a> Meter<'a> {
    pub(super) fn new(limits: &Limits<'a>) -> Self {
        Meter { limits: *limits, states: 0, work: POLL }
    }

    /// A meter for a part of the work, with at most so many more states; [`Meter::add`] counts what it comes to.
    pub(super) fn part(&self, states: u64) -> Meter<'a> {
        let max_states = self.limits.max_states.min(self.states.saturating_add(states));
        Meter { limits: Limits { max_states, ..self.limits }, states: self.states, work: POLL }
    }

    /// Counts what a part has come to.
    pub(super) fn add(&mut self, part: &Meter<'_>) {
        self.states = self.states.max(part.states);
    }

    pub(super) fn limits(&self) -> &Limits<'a> {
        &self.limits
    }

    /// The number of states that have been visited.
    pub(super) fn states(&self) -> u64 {
        self.states
    }

    /// The number of states that may still be visited.
    pub(super) fn states_left(&self) -> u64 {
        self.limits.max_states.saturating_sub(self.states)
    }

    /// Counts states that were visited elsewhere.
    pub(super) fn add_states(&mut self, states: u64) {
        self.states += states;
    }

    /// Whether so many bytes may be held.
    pub(super) fn room(&self, bytes: usize) -> Result<(), Limit> {
        self.limits.check_memory(bytes, self.states)
    }

    /// Whether all steps were taken.
    pub(super) fn sound(&self, exceeded: Option<Exceeded>) -> Result<(), Limit> {
        match exceeded {
            Some(Exceeded::Memory) => {
                Err(Limit::Memory { bytes: self.limits.max_memory, states: self.states })
            }
            Some(Exceeded::Step) => Err(Limit::Step),
            None => Ok(()),
        }
    }

    /// Whether to go on after so much work: about as many times ten nanoseconds.
    pub(super) fn work(&mut self, work: u64) -> Result<(), Limit> {
        self.work = self.work.saturating_add(work);
        if self.work >= POLL {
            self.work = 0;
            self.limits.check(self.states)?;
        }
        Ok(())
    }

    /// Counts states visited.
    pub(super) fn visit(&mut self, states: u64) -> Result<(), Limit> {
        self.states = self.states.saturating_add(states);
        if self.states > self.limits.max_states {
            return Err(Limit::States { states: self.limits.max_states });
        }
        self.work(states.saturating_mul(VISIT))
    }

    /// Whether to go on with so many bytes held beside the machine, and all that the machine has done is sound. What it
    /// may take from now on is what is left.
    pub(super) fn hold(&mut self, bytes: usize, machine: &mut dyn Machine) -> Result<(), Limit> {
        self.sound(machine.exceeded())?;
        self.room(bytes.saturating_add(machine.bytes()))?;
        machine.bound(self.limits.max_memory - bytes);
        self.work(machine.spent())
    }
}

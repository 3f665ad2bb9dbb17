//! The location that an object of a program has in the present execution.

use super::state::{self, SlotId, State};
use crate::program::Place;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use tribunal_history::memory::ThreadId;

/// A worker's execution: the number of the worker above [`Stamp::EXECUTION_BITS`], that of its execution below. 0 is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp(u64);

impl Stamp {
    const EXECUTION_BITS: u32 = 40;

    /// The stamp of a worker of its own, before its first execution.
    pub(super) fn new_worker() -> Self {
        static WORKERS: AtomicU64 = AtomicU64::new(1);
        Stamp(WORKERS.fetch_add(1, Relaxed) << Stamp::EXECUTION_BITS)
    }

    /// The next execution of the worker.
    pub(super) fn next(self) -> Self {
        Stamp(self.0 + 1)
    }

    fn worker(self) -> u64 {
        self.0 >> Stamp::EXECUTION_BITS
    }
}

/// An object remembers its slot in the execution in which it was last used, so that it can be made by a `const fn`, live in a
/// static, be moved, and yet be found at once.
///
/// Only one worker at a time owns this memory; for others that use the same object (a static), the slot is found by address.
#[derive(Debug)]
pub(crate) struct Home {
    stamp: AtomicU64,
    slot: AtomicU32,
    kind: &'static str,
    place: Place,
    /// The address at which the program has the object, if that is not the address of this; or 0.
    address: usize,
    /// In which execution, by whom and when it was made, if that matters.
    made: Option<(Stamp, ThreadId, u32)>,
}

impl Home {
    pub(crate) const fn new(kind: &'static str, place: Place) -> Self {
        Home { stamp: AtomicU64::new(0), slot: AtomicU32::new(0), kind, place, address: 0, made: None }
    }

    /// The home of an object that the program has at an address.
    pub(crate) fn at(address: usize, kind: &'static str, place: Place) -> Self {
        Home { address, ..Home::new(kind, place) }
    }

    /// The address of the object.
    pub(crate) fn address(&self) -> usize {
        if self.address == 0 { std::ptr::from_ref(self).addr() } else { self.address }
    }

    /// The home of an object whose making must happen before all accesses.
    #[cfg(feature = "making")]
    pub(crate) fn made_here(kind: &'static str, place: Place) -> Self {
        Home { made: made_now(), ..Home::new(kind, place) }
    }

    /// The thread that made it in this execution, and after how many events.
    pub(super) fn made(&self, stamp: Stamp) -> Option<(ThreadId, u32)> {
        self.made.filter(|(made, ..)| *made == stamp).map(|(_, thread, events)| (thread, events))
    }

    /// The kind of the object, for people.
    pub(crate) fn kind(&self) -> &'static str {
        self.kind
    }

    /// The place where it was made.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// The slot of the object, which is new if it has none in this execution.
    #[inline]
    pub(crate) fn slot(&self, state: &mut State, initial: impl FnOnce() -> u64) -> SlotId {
        let stamp = Stamp(self.stamp.load(Relaxed));
        if stamp == state.stamp {
            return SlotId(self.slot.load(Relaxed));
        }
        self.register(state, stamp, initial)
    }

    #[cold]
    fn register(&self, state: &mut State, old: Stamp, initial: impl FnOnce() -> u64) -> SlotId {
        let ours = old == Stamp(0) || old.worker() == state.stamp.worker();
        if ours && self.stamp.compare_exchange(old.0, state.stamp.0, Relaxed, Relaxed).is_ok() {
            let slot = state.new_slot(self, initial());
            self.slot.store(slot.0, Relaxed);
            return slot;
        }
        let address = std::ptr::from_ref(self).addr();
        if let Some(&slot) = state.by_address.get(&address) {
            return slot;
        }
        let slot = state.new_slot(self, initial());
        state.by_address.insert(address, slot);
        slot
    }

    /// The slot, if it has one in this execution.
    pub(crate) fn known(&self, state: &State) -> Option<SlotId> {
        if Stamp(self.stamp.load(Relaxed)) == state.stamp {
            return Some(SlotId(self.slot.load(Relaxed)));
        }
        state.by_address.get(&std::ptr::from_ref(self).addr()).copied()
    }

    /// The object begins again: it has no slot.
    pub(crate) fn forget(&mut self, state: &mut State) {
        state.by_address.remove(&std::ptr::from_ref(self).addr());
        *self.stamp.get_mut() = 0;
    }

    /// The object was changed by one who has it alone: the same as if it were made now.
    pub(crate) fn remake(&mut self) {
        self.made = self.made.and_then(|_| made_now());
    }
}

fn made_now() -> Option<(Stamp, ThreadId, u32)> {
    state::with(|state| {
        let me = state.me();
        me.makes = true;
        let events = me.events;
        (state.stamp, state.current, events)
    })
}

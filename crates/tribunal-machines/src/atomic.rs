//! Atomic memory: every access takes effect at once, so a run is one interleaving and sequentially consistent.

use crate::memory::Memory;
use tribunal_history::memory::{LocId, Order, ThreadId};
use tribunal_random::Xoshiro;

#[derive(Clone, Debug)]
pub(crate) struct AtomicMemory {
    /// The latest value of each location.
    values: Vec<u64>,
}

impl AtomicMemory {
    pub(crate) fn new(locations: u32) -> Self {
        AtomicMemory { values: vec![0; locations as usize] }
    }
}

impl Memory for AtomicMemory {
    #[inline]
    fn read(&mut self, _: ThreadId, loc: LocId, _: Order, _: &mut Xoshiro) -> u64 {
        self.values[loc.index()]
    }

    #[inline]
    fn write(&mut self, _: ThreadId, loc: LocId, value: u64, _: Order, _: &mut Xoshiro) {
        self.values[loc.index()] = value;
    }

    #[inline]
    fn rmw(&mut self, _: ThreadId, loc: LocId, value: u64, _: Order, _: &mut Xoshiro) -> u64 {
        std::mem::replace(&mut self.values[loc.index()], value)
    }

    fn fence(&mut self, _: ThreadId, _: Order) {}
}

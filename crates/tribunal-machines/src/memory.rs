//! The trait that simulated memories implement.

use tribunal_history::memory::{LocId, Order, ThreadId};
use tribunal_random::Xoshiro;

/// A simulated memory. Every location holds 0 at first.
pub(crate) trait Memory {
    /// Reads a value.
    fn read(&mut self, thread: ThreadId, loc: LocId, order: Order, rng: &mut Xoshiro) -> u64;

    /// Writes a value.
    fn write(&mut self, thread: ThreadId, loc: LocId, value: u64, order: Order, rng: &mut Xoshiro);

    /// Writes a value at once after the one it returns.
    fn rmw(&mut self, thread: ThreadId, loc: LocId, value: u64, order: Order, rng: &mut Xoshiro) -> u64;

    /// Fences; the order is not relaxed.
    fn fence(&mut self, thread: ThreadId, order: Order);
}

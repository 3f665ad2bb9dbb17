//! Counters of the calls and returns of each thread, which say which operations saw which.
//!
//! A thread counts its calls and returns in a counter that only it writes; before it counts one, it reads the counters
//! of the others (Emmi and Enea, CAV 2018, section 5). There is no clock and no fence: the loads acquire and the stores
//! release, which on x86 are plain moves, so that a store may wait in its buffer as it would without us.
//!
//! What was read is sound on any hardware, by happens-before of C11:
//!
//! - If a call of b read that a had returned, then all that a did happens before all that b does: a before b.
//! - If a return of a read that b had been called, then b's call happens before a's return: not a before b.
//!
//! What was not read may have happened all the same: the real order may have more pairs than those seen, never fewer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A counter on cache lines of its own: processors fetch lines in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Counter(AtomicU32);

/// The counters of all threads.
#[derive(Clone, Debug)]
pub(crate) struct Counters(Arc<[Counter]>);

impl Counters {
    pub(crate) fn new(threads: usize) -> Self {
        Counters((0..threads).map(|_| Counter::default()).collect())
    }
}

/// The counts that a thread reads as it calls and returns: for each of its calls and returns a row with every thread's count.
#[derive(Debug)]
pub(crate) struct Observer {
    counters: Counters,
    me: usize,
    /// The own count.
    count: u32,
    /// The rows, one after another. The own entry is the own count before this call or return.
    pub(crate) seen: Vec<u32>,
}

impl Observer {
    /// The observer of a thread, with room for this many operations.
    pub(crate) fn new(counters: &Counters, me: usize, operations: usize) -> Self {
        let seen = Vec::with_capacity(2 * operations * counters.0.len());
        Observer { counters: counters.clone(), me, count: 0, seen }
    }

    /// Reads the others' counters, then counts a call or a return.
    #[inline(always)]
    pub(crate) fn count(&mut self) {
        for (thread, counter) in self.counters.0.iter().enumerate() {
            let seen = if thread == self.me { self.count } else { counter.0.load(Ordering::Acquire) };
            self.seen.push(seen);
        }
        self.count += 1;
        self.counters.0[self.me].0.store(self.count, Ordering::Release);
    }

    /// Whether a call was counted whose return was not.
    pub(crate) fn is_calling(&self) -> bool {
        self.count % 2 == 1
    }
}

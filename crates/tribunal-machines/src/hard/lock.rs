//! Histories of locks: the same few values, written again and again.

use crate::thread_name;
use tribunal_history::memory::{Execution, Op, Order, ThreadId};
use tribunal_random::Xoshiro;

/// Threads that take a lock in turn. The lock is 0 or 1; what it protects is a counter.
///
/// ```
/// use tribunal::{Model, check};
/// use tribunal_machines::hard::Lock;
/// let lock = Lock { handovers: 20, ..Lock::default() };
/// let history = lock.history();
/// assert!(history.is_open());
/// assert!(check(&history, Model::Sc).is_consistent());
/// assert!(check(&Lock { broken: true, ..lock }.history(), Model::Rc20).is_inconsistent());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Lock {
    /// Threads; at least two.
    pub threads: u32,
    /// The number of times that the lock is taken.
    pub handovers: u64,
    /// The counter counts up to this and begins again; 0: it does not.
    pub modulus: u64,
    /// Whether threads look at the lock in vain while another has it.
    pub spins: bool,
    /// Whether two threads once have the lock at the same time.
    pub broken: bool,
    /// Random numbers, which say who takes the lock next.
    pub seed: u64,
}

impl Default for Lock {
    fn default() -> Self {
        Lock { threads: 4, handovers: 1_000, modulus: 0, spins: true, broken: false, seed: 1 }
    }
}

impl Lock {
    /// The history: sc, and so consistent with every model, unless it is broken; then with none but those that order less than
    /// rc20 does.
    pub fn history(&self) -> Execution {
        let mut rng = Xoshiro::new(self.seed);
        let mut b = Execution::builder();
        let threads = self.threads.max(2);
        let ids: Vec<ThreadId> = (0..threads).map(|t| b.thread(&thread_name(ThreadId(t)))).collect();
        let (lock, count) = (b.location("lock"), b.location("count"));
        let mut counted = 0;
        for turn in 0..self.handovers {
            let holder = rng.index(threads as usize);
            b.push(ids[holder], Op::rmw(lock, 0, 1).order(Order::Acquire));
            for (other, &thread) in ids.iter().enumerate() {
                if self.spins && other != holder && rng.index(4) == 0 {
                    b.push(thread, Op::read(lock, 1));
                }
            }
            // Who reads an old count was let in too early.
            let early = self.broken && turn == self.handovers / 2 && counted > 0;
            let read = if early { counted - 1 } else { counted };
            counted = read + 1;
            if self.modulus > 0 {
                counted %= self.modulus;
            }
            b.push(ids[holder], Op::read(count, read));
            b.push(ids[holder], Op::write(count, counted));
            b.push(ids[holder], Op::write(lock, 0).order(Order::Release));
        }
        b.build().expect("events without dependencies or explicit sources")
    }
}

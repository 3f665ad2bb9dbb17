//! Chance: which thread goes on, and what a read picks.

use tribunal::memory::ThreadId;

/// A generator of numbers (splitmix64), with the way in which threads are picked.
#[derive(Clone, Debug)]
pub(super) struct Random {
    state: u64,
    /// With priorities: the events before which the first thread in order becomes the last.
    changes: Option<Vec<usize>>,
    /// How many threads have their place in the order.
    placed: usize,
}

impl Random {
    /// Any thread that can go on, at each step.
    pub(super) fn uniform(seed: u64) -> Self {
        Random { state: seed, changes: None, placed: 0 }
    }

    /// The thread of the highest priority that can go on; priorities change `depth - 1` times within `length` events. (PCT:
    /// Burckhardt et al., *A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs*, ASPLOS 2010.)
    pub(super) fn priorities(seed: u64, depth: u32, length: usize) -> Self {
        let mut random = Random::uniform(seed);
        let changes = (1..depth).map(|_| random.below(length.max(1))).collect();
        Random { changes: Some(changes), ..random }
    }

    pub(super) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// Puts the threads in the order in which they are asked to go on, before the event that is the `event`-th.
    pub(super) fn shuffle(&mut self, order: &mut [ThreadId], event: usize) {
        match &self.changes {
            None => {
                for i in (1..order.len()).rev() {
                    order.swap(i, self.below(i + 1));
                }
            }
            Some(changes) => {
                if changes.contains(&event) {
                    order.rotate_left(1);
                }
                // A new thread takes a random place.
                while self.placed < order.len() {
                    self.placed += 1;
                    let place = self.below(self.placed);
                    order[place..self.placed].rotate_right(1);
                }
            }
        }
    }
}

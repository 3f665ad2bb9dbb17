//! Segment trees: how often each segment is covered, and where the greatest key is.

/// The number of stretches that cover each segment, as stretches go away.
///
/// `least[node]` is the least count below a node without what is owed from above: `owed[node]` is to be subtracted from
/// all below it. A segment that is not covered any more has been reported, and counts as [`GONE`].
pub(super) struct Coverage {
    leaves: usize,
    least: Vec<u32>,
    owed: Vec<u32>,
}

/// More than any count, however much is subtracted from it.
const GONE: u32 = u32::MAX;

impl Coverage {
    /// The segments with their counts; those with none are taken as reported.
    pub(super) fn new(counts: &[u32]) -> Self {
        let leaves = counts.len().next_power_of_two();
        let mut least = vec![GONE; 2 * leaves];
        for (leaf, &count) in least[leaves..].iter_mut().zip(counts) {
            *leaf = if count == 0 { GONE } else { count };
        }
        for node in (1..leaves).rev() {
            least[node] = least[2 * node].min(least[2 * node + 1]);
        }
        Coverage { leaves, least, owed: vec![0; leaves] }
    }

    /// A stretch that covers the segments `from..to` goes away: adds those that are not covered any more to `bare`, in
    /// ascending order. O(log n), and O(log n) for each segment reported, which happens once.
    pub(super) fn remove(&mut self, from: usize, to: usize, bare: &mut Vec<usize>) {
        let (mut left, mut right) = (from + self.leaves, to + self.leaves);
        self.settle(left);
        self.settle(right - 1);
        let begin = bare.len();
        while left < right {
            if left % 2 == 1 {
                self.subtract(left, 1);
                self.report(left, bare);
                left += 1;
            }
            if right % 2 == 1 {
                right -= 1;
                self.subtract(right, 1);
                self.report(right, bare);
            }
            left /= 2;
            right /= 2;
        }
        self.update_above(from + self.leaves, 1);
        self.update_above(to - 1 + self.leaves, 1);
        bare[begin..].sort_unstable();
    }

    fn subtract(&mut self, node: usize, amount: u32) {
        if self.least[node] != GONE {
            self.least[node] -= amount;
            if node < self.leaves {
                self.owed[node] += amount;
            }
        }
    }

    /// Passes on what a node owes.
    fn pass_on(&mut self, node: usize) {
        let owed = std::mem::take(&mut self.owed[node]);
        if owed > 0 {
            self.subtract(2 * node, owed);
            self.subtract(2 * node + 1, owed);
        }
    }

    /// Lets nothing be owed above a leaf.
    fn settle(&mut self, leaf: usize) {
        for height in (1..=self.leaves.trailing_zeros()).rev() {
            self.pass_on(leaf >> height);
        }
    }

    /// Brings the ancestors of a node up to date, up to and without `top`'s parent. What they owe has been passed on.
    fn update_above(&mut self, mut node: usize, top: usize) {
        while node > top {
            node /= 2;
            if self.owed[node] == 0 {
                self.least[node] = self.least[2 * node].min(self.least[2 * node + 1]);
            }
        }
    }

    /// Reports the segments below a node that are not covered any more.
    fn report(&mut self, top: usize, bare: &mut Vec<usize>) {
        while self.least[top] == 0 {
            let mut node = top;
            while node < self.leaves {
                self.pass_on(node);
                node = 2 * node + usize::from(self.least[2 * node] != 0);
            }
            bare.push(node - self.leaves);
            self.least[node] = GONE;
            self.update_above(node, top);
        }
    }
}

/// Keys by index, of which the greatest in a range is asked for; 0 stands for no key.
pub(super) struct Maxima {
    leaves: usize,
    greatest: Vec<u32>,
}

impl Maxima {
    pub(super) fn new(keys: impl ExactSizeIterator<Item = u32>) -> Self {
        let leaves = keys.len().next_power_of_two();
        let mut greatest = vec![0; 2 * leaves];
        for (leaf, key) in greatest[leaves..].iter_mut().zip(keys) {
            *leaf = key;
        }
        for node in (1..leaves).rev() {
            greatest[node] = greatest[2 * node].max(greatest[2 * node + 1]);
        }
        Maxima { leaves, greatest }
    }

    pub(super) fn set(&mut self, index: usize, key: u32) {
        let mut node = index + self.leaves;
        self.greatest[node] = key;
        while node > 1 {
            node /= 2;
            self.greatest[node] = self.greatest[2 * node].max(self.greatest[2 * node + 1]);
        }
    }

    pub(super) fn has(&self, index: usize) -> bool {
        self.greatest[index + self.leaves] != 0
    }

    /// An index in `from..to` whose key is greatest there, if that is above a bound.
    pub(super) fn above(&self, bound: u32, from: usize, to: usize) -> Option<usize> {
        let (mut left, mut right) = (from + self.leaves, to + self.leaves);
        let (mut best, mut at) = (bound, None);
        let mut look = |node: usize| {
            if self.greatest[node] > best {
                (best, at) = (self.greatest[node], Some(node));
            }
        };
        while left < right {
            if left % 2 == 1 {
                look(left);
                left += 1;
            }
            if right % 2 == 1 {
                right -= 1;
                look(right);
            }
            left /= 2;
            right /= 2;
        }
        let mut node = at?;
        while node < self.leaves {
            node = 2 * node + usize::from(self.greatest[2 * node] != best);
        }
        Some(node - self.leaves)
    }
}

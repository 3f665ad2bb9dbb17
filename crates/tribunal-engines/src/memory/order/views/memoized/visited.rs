//! Sets of accesses that the baseline search has visited.

use rustc_hash::FxHasher;
use std::hash::Hasher;
use tribunal_history::heap::Heap;

/// A set of bit sets of one length, all in one piece of memory.
pub(super) struct Visited {
    /// Words of a bit set.
    words: usize,
    sets: Vec<u64>,
    /// Open addressing, at most half full: the number of a set plus one, or 0.
    table: Vec<u32>,
}

impl Visited {
    pub(super) fn new(words: usize) -> Self {
        Visited { words: words.max(1), sets: Vec::new(), table: vec![0; 64] }
    }

    /// Adds a set, which has as many words as said; false if it was there.
    pub(super) fn insert(&mut self, set: &[u64]) -> bool {
        let mut place = self.start(set);
        while self.table[place] != 0 {
            let number = self.table[place] as usize - 1;
            if self.sets[number * self.words..][..set.len()] == *set {
                return false;
            }
            place = (place + 1) & (self.table.len() - 1);
        }
        self.sets.extend_from_slice(set);
        self.sets.resize(self.sets.len().next_multiple_of(self.words), 0);
        let count = self.sets.len() / self.words;
        self.table[place] = count as u32;
        if 2 * count > self.table.len() {
            self.grow();
        }
        true
    }

    /// The number of bytes that are taken while one more set is put in: what grows is held twice, and twice as large.
    pub(super) fn bytes(&self) -> usize {
        let grows = self.sets.len() + self.words > self.sets.capacity();
        self.sets.held() * if grows { 3 } else { 1 } + 3 * self.table.held()
    }

    fn grow(&mut self) {
        self.table = vec![0; 2 * self.table.len()];
        for (number, set) in (1..).zip(self.sets.chunks_exact(self.words)) {
            let mut place = self.start(set);
            while self.table[place] != 0 {
                place = (place + 1) & (self.table.len() - 1);
            }
            self.table[place] = number;
        }
    }

    /// Where in the table to look for a set first.
    fn start(&self, set: &[u64]) -> usize {
        let mut hasher = FxHasher::default();
        set.iter().for_each(|&word| hasher.write_u64(word));
        hasher.finish() as usize & (self.table.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_new_once() {
        let mut visited = Visited::new(3);
        let set = |i: u64| [i % 7, i / 7, i % 3];
        assert!((0..5000).all(|i| visited.insert(&set(i))));
        assert!((0..5000).all(|i| !visited.insert(&set(i))));
        assert!(visited.insert(&[7, 0, 0]));
    }
}

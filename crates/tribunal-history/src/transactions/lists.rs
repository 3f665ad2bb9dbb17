//! The reads of lists. Most reads of a list return beginnings of one another: the longest is kept, and of the others their lengths.

use super::KeyId;
use crate::heap::{Heap, held};
use std::ops::Range;

/// The reads of each list.
///
/// Invariant: a read that is stored by its length returned that many of the first elements of its key's longest read.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    /// By key, the longest read so far.
    longest: Vec<Vec<i64>>,
    /// Reads that are no beginnings, or were none when they came.
    odd: Vec<i64>,
    ends: Vec<usize>,
}

impl Lists {
    /// Stores what was read of a key; what it is found by.
    pub(super) fn store(&mut self, key: KeyId, list: &[i64]) -> i64 {
        if self.longest.len() <= key.index() {
            self.longest.resize_with(key.index() + 1, Vec::new);
        }
        let longest = &mut self.longest[key.index()];
        let common = longest.len().min(list.len());
        if longest[..common] == list[..common] {
            longest.extend_from_slice(&list[common..]);
            return list.len() as i64;
        }
        self.odd.extend_from_slice(list);
        self.ends.push(self.odd.len());
        -(self.ends.len() as i64)
    }

    /// The elements that a read returned.
    #[inline]
    pub(super) fn get(&self, key: KeyId, stored: i64) -> &[i64] {
        match usize::try_from(stored) {
            Ok(length) => &self.longest(key)[..length],
            Err(_) => &self.odd[self.odd_range(stored)],
        }
    }

    /// The longest read of a key.
    #[inline]
    pub(super) fn longest(&self, key: KeyId) -> &[i64] {
        self.longest.get(key.index()).map_or(&[], Vec::as_slice)
    }

    fn odd_range(&self, stored: i64) -> Range<usize> {
        let number = (-stored) as usize;
        let start = if number == 1 { 0 } else { self.ends[number - 2] };
        start..self.ends[number - 1]
    }

    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        self.longest.iter().map(Heap::held).sum::<usize>() + held(&[&self.odd, &self.longest, &self.ends])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_found_again() {
        let mut lists = Lists::default();
        let key = KeyId(1);
        let reads: [&[i64]; 6] = [&[1, 2], &[], &[1], &[1, 2, 3], &[2, 1], &[1, 3]];
        let stored: Vec<i64> = reads.iter().map(|read| lists.store(key, read)).collect();
        for (read, stored) in reads.iter().zip(&stored) {
            assert_eq!(lists.get(key, *stored), *read);
        }
        assert_eq!(stored, [2, 0, 1, 3, -1, -2]);
        assert_eq!(lists.longest(key), [1, 2, 3]);
        assert_eq!(lists.longest(KeyId(7)), [0i64; 0]);
    }
}

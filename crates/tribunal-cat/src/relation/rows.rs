//! Sets of events as rows of bits: a relation between rows and events, of which there may be different numbers, that may grow.

use super::bits;

/// Sets of events, by number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BitRows {
    words: usize,
    pub(super) bits: Vec<u64>,
}

impl BitRows {
    /// No row yet, of so many words each.
    pub fn new(words: usize) -> Self {
        BitRows { words, bits: Vec::new() }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.bits.len().checked_div(self.words).unwrap_or(0)
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// The bits of a row.
    #[inline(always)]
    pub fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..][..self.words]
    }

    /// The bits of a row, to change.
    #[inline(always)]
    pub fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.bits[row * self.words..][..self.words]
    }

    /// The row to change and another.
    #[inline]
    pub(super) fn two_rows(&mut self, change: usize, other: usize) -> (&mut [u64], &[u64]) {
        let words = self.words;
        let (before, after) = self.bits.split_at_mut(change.max(other) * words);
        let (low, high) = (&mut before[change.min(other) * words..][..words], &mut after[..words]);
        if change < other { (low, high) } else { (high, low) }
    }

    /// Adds another row to a row.
    #[inline(always)]
    pub fn extend_row(&mut self, row: usize, other: usize) {
        let (into, from) = self.two_rows(row, other);
        bits::union(into, from);
    }

    /// Makes room for rows up to `rows`, new ones empty, and forgets those behind.
    pub fn resize(&mut self, rows: usize) {
        self.bits.resize(rows * self.words, 0);
    }

    /// Makes every row longer.
    pub fn widen(&mut self, words: usize) {
        let mut bits = vec![0; self.len() * words];
        for (new, old) in bits.chunks_exact_mut(words).zip(self.bits.chunks_exact(self.words)) {
            new[..self.words].copy_from_slice(old);
        }
        (self.words, self.bits) = (words, bits);
    }

    /// Copies the other, reusing memory.
    pub fn copy_from(&mut self, other: &BitRows) {
        self.words = other.words;
        self.bits.clear();
        self.bits.extend_from_slice(&other.bits);
    }

    /// So many empty rows, reusing memory.
    pub fn reset(&mut self, words: usize, rows: usize) {
        self.bits.clear();
        self.prepare(words, rows);
    }

    /// So many rows, of which nothing is known, in the memory that there is.
    pub fn prepare(&mut self, words: usize, rows: usize) {
        self.words = words;
        self.bits.resize(rows * words, 0);
    }

    /// Bytes that are held.
    pub fn bytes(&self) -> usize {
        size_of::<u64>() * self.bits.capacity()
    }
}

//! Sets of events as rows of bits, for a number of events that may grow.

/// Sets of events, by number.
#[derive(Clone, Debug)]
pub(super) struct BitRows {
    words: usize,
    bits: Vec<u64>,
}

impl BitRows {
    pub(super) fn new(words: usize) -> Self {
        BitRows { words, bits: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.bits.len() / self.words
    }

    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..][..self.words]
    }

    #[inline(always)]
    pub(super) fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.bits[row * self.words..][..self.words]
    }

    /// Joins an earlier row into a later one.
    #[inline(always)]
    pub(super) fn join_row(&mut self, row: usize, earlier: usize) {
        let (front, back) = self.bits.split_at_mut(row * self.words);
        join(&mut back[..self.words], &front[earlier * self.words..][..self.words]);
    }

    /// Makes room for rows up to `rows`, new ones empty, and forgets those behind.
    pub(super) fn resize(&mut self, rows: usize) {
        self.bits.resize(rows * self.words, 0);
    }

    pub(super) fn widen(&mut self, words: usize) {
        let mut bits = vec![0; self.len() * words];
        for (new, old) in bits.chunks_exact_mut(words).zip(self.bits.chunks_exact(self.words)) {
            new[..self.words].copy_from_slice(old);
        }
        (self.words, self.bits) = (words, bits);
    }

    pub(super) fn copy_from(&mut self, other: &BitRows) {
        self.words = other.words;
        self.bits.clear();
        self.bits.extend_from_slice(&other.bits);
    }

    /// Joins a row into another.
    pub(super) fn join_rows(&mut self, row: usize, from: usize) {
        for word in 0..self.words {
            self.bits[row * self.words + word] |= self.bits[from * self.words + word];
        }
    }

    /// So many empty rows.
    pub(super) fn clear(&mut self, words: usize, rows: usize) {
        self.words = words;
        self.bits.clear();
        self.bits.resize(rows * words, 0);
    }

    /// Rows of so many words, whatever is in them.
    pub(super) fn reset(&mut self, words: usize, rows: usize) {
        self.words = words;
        self.bits.resize(rows * words, 0);
    }

    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        8 * self.bits.capacity()
    }
}

#[inline(always)]
pub(super) fn insert(row: &mut [u64], bit: u32) {
    row[bit as usize / 64] |= 1 << (bit % 64);
}

#[inline(always)]
pub(super) fn remove(row: &mut [u64], bit: u32) {
    row[bit as usize / 64] &= !(1 << (bit % 64));
}

#[inline(always)]
pub(super) fn has(row: &[u64], bit: u32) -> bool {
    row[bit as usize / 64] >> (bit % 64) & 1 == 1
}

#[inline(always)]
pub(super) fn join(row: &mut [u64], other: &[u64]) {
    for (word, other) in row.iter_mut().zip(other) {
        *word |= other;
    }
}

/// Adds what is in both of two rows.
#[inline(always)]
pub(super) fn join_both(row: &mut [u64], one: &[u64], other: &[u64]) {
    for ((word, one), other) in row.iter_mut().zip(one).zip(other) {
        *word |= one & other;
    }
}

#[inline(always)]
pub(super) fn meet(row: &[u64], other: &[u64]) -> bool {
    row.iter().zip(other).any(|(one, other)| one & other != 0)
}

#[inline(always)]
pub(super) fn is_empty(row: &[u64]) -> bool {
    row.iter().all(|&word| word == 0)
}

#[inline(always)]
pub(super) fn first(row: &[u64]) -> Option<u32> {
    let word = row.iter().position(|&word| word != 0)?;
    Some(word as u32 * 64 + row[word].trailing_zeros())
}

/// The first that is in a row and not in another.
#[inline(always)]
pub(super) fn first_without(row: &[u64], other: &[u64]) -> Option<u32> {
    let mut words = row.iter().zip(other).map(|(word, other)| word & !other).enumerate();
    words.find(|&(_, word)| word != 0).map(|(i, word)| i as u32 * 64 + word.trailing_zeros())
}

/// The events of a row, in order.
#[inline(always)]
pub(super) fn each(row: &[u64]) -> impl Iterator<Item = u32> + '_ {
    row.iter().enumerate().flat_map(|(i, &word)| {
        let mut word = word;
        std::iter::from_fn(move || {
            let bit = (word != 0).then(|| word.trailing_zeros())?;
            word &= word - 1;
            Some(i as u32 * 64 + bit)
        })
    })
}

//! Bits in words: what sets and the rows of relations are made of.

/// The number of words that hold so many bits.
#[inline]
pub(super) const fn words(bits: usize) -> usize {
    bits.div_ceil(64)
}

/// The bits that are set, in order.
///
/// ```
/// use tribunal_cat::relation::members;
/// assert_eq!(members(&[0b1010, 1]).collect::<Vec<_>>(), [1, 3, 64]);
/// ```
#[inline]
pub fn members(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(word, &bits)| of_word(bits).map(move |bit| 64 * word + bit))
}

/// The bits of a word that are set, in order.
#[inline]
pub(super) fn of_word(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

/// Whether a bit is set.
#[inline]
pub fn contains(row: &[u64], bit: usize) -> bool {
    row[bit / 64] >> (bit % 64) & 1 == 1
}

/// Sets a bit.
#[inline]
pub fn insert(row: &mut [u64], bit: usize) {
    row[bit / 64] |= 1 << (bit % 64);
}

#[inline]
pub(super) fn union(into: &mut [u64], from: &[u64]) {
    into.iter_mut().zip(from).for_each(|(into, from)| *into |= from);
}

/// All of the first bits, and none beyond.
#[inline]
pub(super) fn fill(row: &mut [u64], bits: usize) {
    row.fill(u64::MAX);
    if let Some(last) = row.last_mut()
        && !bits.is_multiple_of(64)
    {
        *last = (1 << (bits % 64)) - 1;
    }
}

/// Bit j of word i becomes bit i of word j: by halves, as in Warren, Hacker's Delight, 7-3.
pub(super) fn transpose(block: &mut [u64; 64]) {
    let mut half = 32;
    let mut mask = u64::from(u32::MAX);
    while half != 0 {
        let mut row = 0;
        while row < 64 {
            let swap = (block[row] >> half ^ block[row + half]) & mask;
            block[row + half] ^= swap;
            block[row] ^= swap << half;
            row = (row + half + 1) & !half;
        }
        half /= 2;
        mask ^= mask << half;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposed() {
        let mut random = tribunal_random::Random::new(1);
        let block: [u64; 64] = std::array::from_fn(|_| random.bits());
        let mut other = block;
        transpose(&mut other);
        assert!((0..64).all(|i| (0..64).all(|j| block[i] >> j & 1 == other[j] >> i & 1)));
    }
}

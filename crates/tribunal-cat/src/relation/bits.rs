//! Bits in words: what sets and the rows of relations are made of.

/// The number of words that hold so many bits.
#[inline]
pub const fn words(bits: usize) -> usize {
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
pub fn of_word(mut word: u64) -> impl Iterator<Item = usize> {
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

/// Clears a bit.
#[inline]
pub fn remove(row: &mut [u64], bit: usize) {
    row[bit / 64] &= !(1 << (bit % 64));
}

/// Adds the bits of another row.
#[inline]
pub fn union(into: &mut [u64], from: &[u64]) {
    into.iter_mut().zip(from).for_each(|(into, from)| *into |= from);
}

/// Adds the bits that are set in both of two rows.
#[inline]
pub fn union_of_both(into: &mut [u64], one: &[u64], other: &[u64]) {
    into.iter_mut().zip(one.iter().zip(other)).for_each(|(into, (one, other))| *into |= one & other);
}

/// Takes the bits of another row out.
#[inline]
pub fn subtract(from: &mut [u64], other: &[u64]) {
    from.iter_mut().zip(other).for_each(|(from, other)| *from &= !other);
}

/// Whether two rows have a bit in common.
#[inline]
pub fn meet(row: &[u64], other: &[u64]) -> bool {
    row.iter().zip(other).any(|(one, other)| one & other != 0)
}

/// Whether the other row has every bit of the first.
#[inline]
pub fn is_subset(row: &[u64], other: &[u64]) -> bool {
    row.iter().zip(other).all(|(one, other)| one & !other == 0)
}

/// Whether no bit is set.
#[inline]
pub fn is_empty(row: &[u64]) -> bool {
    row.iter().all(|&word| word == 0)
}

/// How many bits are set.
#[inline]
pub fn count(row: &[u64]) -> usize {
    row.iter().map(|word| word.count_ones() as usize).sum()
}

/// The first bit that is set.
#[inline]
pub fn first(row: &[u64]) -> Option<usize> {
    let word = row.iter().position(|&word| word != 0)?;
    Some(64 * word + row[word].trailing_zeros() as usize)
}

/// The first bit that is set here and not in the other row.
#[inline]
pub fn first_without(row: &[u64], other: &[u64]) -> Option<usize> {
    let mut words = row.iter().zip(other).map(|(word, other)| word & !other).enumerate();
    words.find(|&(_, word)| word != 0).map(|(at, word)| 64 * at + word.trailing_zeros() as usize)
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

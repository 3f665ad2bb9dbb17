//! Bits in words: what sets and the rows of relations are made of.

/// How many words hold so many bits.
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
    row.iter().enumerate().flat_map(|(word, &bits)| {
        let mut rest = bits;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            (bit < 64).then_some(64 * word + bit)
        })
    })
}

#[inline]
pub(super) fn contains(row: &[u64], bit: usize) -> bool {
    row[bit / 64] >> (bit % 64) & 1 == 1
}

#[inline]
pub(super) fn insert(row: &mut [u64], bit: usize) {
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

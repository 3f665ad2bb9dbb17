//! Small sets of operations.

/// A set of numbers below 64 · W.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bits<const W: usize>([u64; W]);

impl<const W: usize> Bits<W> {
    pub const EMPTY: Self = Bits([0; W]);

    pub fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    pub fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    pub fn contains(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The least number that is not less than this one.
    pub fn from(&self, number: usize) -> Option<usize> {
        let mut at = number / 64;
        let mut word = *self.0.get(at)? & (u64::MAX << (number % 64));
        while word == 0 {
            at += 1;
            word = *self.0.get(at)?;
        }
        Some(64 * at + word.trailing_zeros() as usize)
    }

    /// The numbers, in order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut next = self.from(0);
        std::iter::from_fn(move || {
            let number = next?;
            next = self.from(number + 1);
            Some(number)
        })
    }

    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(mine, its)| mine & !its == 0)
    }

    pub fn words(&self) -> &[u64; W] {
        &self.0
    }

    fn zip(mut self, other: Self, with: impl Fn(u64, u64) -> u64) -> Self {
        for (mine, its) in self.0.iter_mut().zip(other.0) {
            *mine = with(*mine, its);
        }
        self
    }
}

impl<const W: usize> std::ops::BitOr for Bits<W> {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |mine, its| mine | its)
    }
}

impl<const W: usize> std::ops::BitAnd for Bits<W> {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |mine, its| mine & its)
    }
}

/// Difference.
impl<const W: usize> std::ops::Sub for Bits<W> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.zip(other, |mine, its| mine & !its)
    }
}

impl<const W: usize> FromIterator<usize> for Bits<W> {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        let mut set = Bits::EMPTY;
        numbers.into_iter().for_each(|number| set.insert(number));
        set
    }
}

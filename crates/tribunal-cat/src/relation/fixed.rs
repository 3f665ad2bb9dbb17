//! Sets of numbers below a fixed bound, as `Copy` values.

use super::bits;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Sub, SubAssign};

/// A set of numbers below 64 · W.
///
/// ```
/// use tribunal_cat::relation::FixedSet;
/// let set: FixedSet<2> = [1, 70].into_iter().collect();
/// assert_eq!((set - FixedSet::one(1)).iter().collect::<Vec<_>>(), [70]);
/// assert_eq!(set.next(2), Some(70));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FixedSet<const W: usize>([u64; W]);

impl<const W: usize> FixedSet<W> {
    /// How many numbers there are.
    pub const CAPACITY: usize = 64 * W;
    /// No number.
    pub const EMPTY: Self = FixedSet([0; W]);

    /// One number.
    #[inline]
    pub fn one(number: usize) -> Self {
        let mut set = Self::EMPTY;
        set.insert(number);
        set
    }

    /// Puts a number in.
    #[inline]
    pub fn insert(&mut self, number: usize) {
        bits::insert(&mut self.0, number);
    }

    /// Takes a number out.
    #[inline]
    pub fn remove(&mut self, number: usize) {
        bits::remove(&mut self.0, number);
    }

    /// Whether it contains a number.
    #[inline]
    pub fn contains(&self, number: usize) -> bool {
        bits::contains(&self.0, number)
    }

    /// Whether it is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        bits::is_empty(&self.0)
    }

    /// How many numbers are in it.
    #[inline]
    pub fn len(&self) -> usize {
        bits::count(&self.0)
    }

    /// The least number in it that is not less than this one.
    #[inline]
    pub fn next(&self, number: usize) -> Option<usize> {
        let mut at = number / 64;
        let mut word = *self.0.get(at)? & (u64::MAX << (number % 64));
        while word == 0 {
            at += 1;
            word = *self.0.get(at)?;
        }
        Some(64 * at + word.trailing_zeros() as usize)
    }

    /// The numbers, in order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut next = self.next(0);
        std::iter::from_fn(move || {
            let number = next?;
            next = self.next(number + 1);
            Some(number)
        })
    }

    /// Whether it is contained in the other.
    #[inline]
    pub fn is_subset(&self, other: &Self) -> bool {
        (0..W).all(|at| self.0[at] & !other.0[at] == 0)
    }

    /// The bits, 64 a word.
    #[inline]
    pub fn words(&self) -> &[u64; W] {
        &self.0
    }
}

macro_rules! operator {
    ($operator:ident, $function:ident, $assign:ident, $assign_function:ident, $with:expr) => {
        impl<const W: usize> $assign for FixedSet<W> {
            #[inline]
            fn $assign_function(&mut self, other: Self) {
                // A loop of known length, since iterators over arrays are not always inlined.
                for at in 0..W {
                    ($with)(&mut self.0[at], other.0[at]);
                }
            }
        }

        impl<const W: usize> $operator for FixedSet<W> {
            type Output = Self;

            #[inline]
            fn $function(mut self, other: Self) -> Self {
                $assign::$assign_function(&mut self, other);
                self
            }
        }
    };
}

operator!(BitOr, bitor, BitOrAssign, bitor_assign, |mine: &mut u64, its: u64| *mine |= its);
operator!(BitAnd, bitand, BitAndAssign, bitand_assign, |mine: &mut u64, its: u64| *mine &= its);
operator!(Sub, sub, SubAssign, sub_assign, |mine: &mut u64, its: u64| *mine &= !its);

impl<const W: usize> FromIterator<usize> for FixedSet<W> {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        let mut set = Self::EMPTY;
        numbers.into_iter().for_each(|number| set.insert(number));
        set
    }
}

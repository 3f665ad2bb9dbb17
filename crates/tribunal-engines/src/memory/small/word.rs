//! Sets of the events, or threads, of a small history: machine words. `small` is generic over the two, so that most histories stay
//! in one register a set; cat's sets are in memory, and cost it a multiple.

use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// A set of small numbers.
pub(super) trait Word:
    Copy + PartialEq + BitAnd<Output = Self> + BitOr<Output = Self> + BitOrAssign + Not<Output = Self>
{
    /// No number.
    const EMPTY: Self;
    /// The number of numbers, from 0.
    const SIZE: usize;

    /// One number.
    fn of(number: u32) -> Self;

    /// The least number.
    fn first(self) -> Option<u32>;

    #[inline(always)]
    fn has(self, number: u32) -> bool {
        self & Self::of(number) != Self::EMPTY
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        self & !other
    }

    /// The numbers, least first.
    #[inline(always)]
    fn members(self) -> impl Iterator<Item = u32> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let first = rest.first()?;
            rest = rest.without(Self::of(first));
            Some(first)
        })
    }
}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
            const EMPTY: Self = 0;
            const SIZE: usize = <$type>::BITS as usize;

            #[inline(always)]
            fn of(number: u32) -> Self {
                1 << number
            }

            #[inline(always)]
            fn first(self) -> Option<u32> {
                (self != 0).then(|| self.trailing_zeros())
            }
        }
    };
}

word!(u64);
word!(u128);

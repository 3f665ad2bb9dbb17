//! Relations on at most 16 events, as `Copy` values, for searches over hundreds of millions of histories: a whole relation is in one
//! vector register, where a `Relation` is on the heap.

use std::ops::{BitAnd, BitOr};

/// A set of at most 16 events, one bit each.
pub type SmallSet = u16;

/// The events of a small set, in order.
///
/// ```
/// use tribunal_cat::relation::small_members;
/// assert_eq!(small_members(0b1010).collect::<Vec<_>>(), [1, 3]);
/// ```
#[inline]
pub fn small_members(mut set: SmallSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let event = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (event < SmallRelation::EVENTS).then_some(event)
    })
}

/// A relation on at most 16 events: row a is the set of all b with (a, b). Its operators are those of [`Relation`](super::Relation).
///
/// ```
/// use tribunal_cat::relation::SmallRelation;
/// let mut r = SmallRelation::default();
/// r.insert(0, 1);
/// r.insert(1, 2);
/// assert!(r.is_acyclic() && r.sequence(&r).contains(0, 2) && r.plus().contains(0, 2));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SmallRelation(pub [SmallSet; SmallRelation::EVENTS]);

impl SmallRelation {
    /// The maximum number of events.
    pub const EVENTS: usize = 16;

    /// Whether it contains a pair.
    #[inline]
    pub fn contains(&self, a: usize, b: usize) -> bool {
        self.0[a] >> b & 1 == 1
    }

    /// Puts a pair in.
    #[inline]
    pub fn insert(&mut self, a: usize, b: usize) {
        self.0[a] |= 1 << b;
    }

    /// Its pairs, in order.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.0.into_iter().enumerate().flat_map(|(a, row)| small_members(row).map(move |b| (a, b)))
    }

    /// `self+`: the transitive closure.
    #[inline]
    pub fn plus(mut self) -> Self {
        for b in 0..Self::EVENTS {
            let row = self.0[b];
            if row != 0 {
                for a in &mut self.0 {
                    // All ones where (a, b) holds: no branch, so that the rows go through together.
                    *a |= row & (*a >> b & 1).wrapping_neg();
                }
            }
        }
        self
    }

    /// `self ; other`
    #[inline]
    pub fn sequence(&self, other: &SmallRelation) -> Self {
        SmallRelation(self.0.map(|row| small_members(row).fold(0, |reached, b| reached | other.0[b])))
    }

    /// Whether no event is related to itself.
    #[inline]
    pub fn is_irreflexive(&self) -> bool {
        self.0.iter().enumerate().all(|(a, row)| row >> a & 1 == 0)
    }

    /// Whether it has no cycle.
    #[inline]
    pub fn is_acyclic(self) -> bool {
        self.plus().is_irreflexive()
    }
}

impl BitOr for SmallRelation {
    type Output = SmallRelation;

    #[inline]
    fn bitor(mut self, other: SmallRelation) -> SmallRelation {
        self.0.iter_mut().zip(other.0).for_each(|(row, other)| *row |= other);
        self
    }
}

impl BitAnd for SmallRelation {
    type Output = SmallRelation;

    #[inline]
    fn bitand(mut self, other: SmallRelation) -> SmallRelation {
        self.0.iter_mut().zip(other.0).for_each(|(row, other)| *row &= other);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relation::Relation;

    fn large(small: &SmallRelation) -> Relation {
        Relation::of(SmallRelation::EVENTS, small.pairs())
    }

    #[test]
    fn small_and_large_agree() {
        let mut numbers = tribunal_random::Random::new(1);
        let mut random = || numbers.bits() as u16;
        for _ in 0..500 {
            // Few pairs, so that some are acyclic.
            let [r, s] = [0, 1]
                .map(|_| SmallRelation([0; 16].map(|_: u16| random() & random() & random() & random())));
            assert_eq!(large(&(r | s)), large(&r).union(&large(&s)));
            assert_eq!(large(&(r & s)), large(&r).intersection(&large(&s)));
            assert_eq!(large(&r.sequence(&s)), large(&r).sequence(&large(&s)));
            assert_eq!(large(&r.plus()), large(&r).plus());
            assert_eq!(r.is_acyclic(), large(&r).is_acyclic());
            assert_eq!(r.is_irreflexive(), large(&r).is_irreflexive());
        }
    }
}

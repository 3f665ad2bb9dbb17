//! Relations on at most 16 events, as a matrix of bits.

use std::ops::{BitAnd, BitOr};

/// The events of a relation, initial writes among them.
pub(super) const NODES: usize = 16;

/// A set of events: a bit an event.
pub(super) type Set = u16;

/// The events of a set, in order.
pub(super) fn members(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let event = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (event < NODES).then_some(event)
    })
}

/// Row a is the set of all b with (a, b).
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Relation(pub [Set; NODES]);

impl Relation {
    pub fn holds(&self, a: usize, b: usize) -> bool {
        self.0[a] >> b & 1 == 1
    }

    pub fn insert(&mut self, a: usize, b: usize) {
        self.0[a] |= 1 << b;
    }

    /// `self⁺`
    pub fn plus(mut self) -> Self {
        for b in 0..NODES {
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

    /// `self ; then`
    pub fn then(&self, then: &Relation) -> Self {
        Relation(self.0.map(|row| members(row).fold(0, |reached, b| reached | then.0[b])))
    }

    pub fn irreflexive(&self) -> bool {
        self.0.iter().enumerate().all(|(a, row)| row >> a & 1 == 0)
    }

    pub fn acyclic(self) -> bool {
        self.plus().irreflexive()
    }
}

impl BitOr for Relation {
    type Output = Relation;

    fn bitor(mut self, other: Relation) -> Relation {
        self.0.iter_mut().zip(other.0).for_each(|(row, other)| *row |= other);
        self
    }
}

impl BitAnd for Relation {
    type Output = Relation;

    fn bitand(mut self, other: Relation) -> Relation {
        self.0.iter_mut().zip(other.0).for_each(|(row, other)| *row &= other);
        self
    }
}

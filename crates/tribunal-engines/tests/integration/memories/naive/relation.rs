//! Relations on at most 64 events, as matrices of booleans: row a holds a bit for every b with (a, b).

use std::ops::{BitAnd, BitOr};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation(Vec<u64>);

impl Relation {
    pub fn new(size: usize, mut holds: impl FnMut(usize, usize) -> bool) -> Self {
        assert!(size <= 64, "the naive checker is for small histories");
        let row = |a| (0..size).filter(|&b| holds(a, b)).fold(0, |row, b| row | 1 << b);
        Relation((0..size).map(row).collect())
    }

    pub fn holds(&self, a: usize, b: usize) -> bool {
        self.0[a] >> b & 1 == 1
    }

    /// The identity on the events of a set: `[S]`.
    pub fn identity(size: usize, set: impl Fn(usize) -> bool) -> Self {
        Relation::new(size, |a, b| a == b && set(a))
    }

    /// `self ; then`
    pub fn then(&self, then: &Relation) -> Self {
        let row = |&row: &u64| {
            (0..self.0.len()).filter(|b| row >> b & 1 == 1).fold(0, |reached, b| reached | then.0[b])
        };
        Relation(self.0.iter().map(row).collect())
    }

    /// `self⁻¹`
    pub fn inverse(&self) -> Self {
        Relation::new(self.0.len(), |a, b| self.holds(b, a))
    }

    /// `self?`
    pub fn optional(&self) -> Self {
        self | &Relation::identity(self.0.len(), |_| true)
    }

    /// `self⁺`
    pub fn plus(&self) -> Self {
        let mut closure = self.clone();
        for b in 0..self.0.len() {
            for a in 0..self.0.len() {
                if closure.holds(a, b) {
                    closure.0[a] |= closure.0[b];
                }
            }
        }
        closure
    }

    pub fn minus(&self, other: &Relation) -> Self {
        Relation(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }

    pub fn minus_identity(&self) -> Self {
        Relation::new(self.0.len(), |a, b| a != b && self.holds(a, b))
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&row| row == 0)
    }

    pub fn irreflexive(&self) -> bool {
        (0..self.0.len()).all(|a| !self.holds(a, a))
    }

    pub fn acyclic(&self) -> bool {
        self.plus().irreflexive()
    }
}

impl BitOr for &Relation {
    type Output = Relation;

    fn bitor(self, other: &Relation) -> Relation {
        Relation(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }
}

impl BitAnd for &Relation {
    type Output = Relation;

    fn bitand(self, other: &Relation) -> Relation {
        Relation(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }
}

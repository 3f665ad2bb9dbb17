//! In-place operations, for evaluating a model repeatedly.

use super::{Relation, Set, bits};
use crate::limits::{Pace, Stopped};

impl Relation {
    /// `into = ~self`
    pub fn complement_into(&self, into: &mut Relation) {
        for a in 0..self.size() {
            let row = into.row_mut(a);
            bits::fill(row, self.size());
            row.iter_mut().zip(self.row(a)).for_each(|(into, from)| *into &= !from);
        }
    }

    /// Adds the pairs of b to those of a.
    pub fn extend_row(&mut self, a: usize, b: usize) {
        if a != b {
            self.rows.extend_row(a, b);
        }
    }

    /// Adds the pairs of a with the events of a set.
    pub fn extend_row_with(&mut self, a: usize, set: &Set) {
        bits::union(self.row_mut(a), set.words());
    }

    /// `self = every pair`
    pub fn fill(&mut self) {
        let size = self.size();
        (0..size).for_each(|a| bits::fill(self.row_mut(a), size));
    }

    /// Adds `[set]`.
    pub fn extend_identity(&mut self, set: &Set) {
        set.iter().for_each(|event| self.insert(event, event));
    }

    /// Adds the pair of each event with itself.
    pub fn make_reflexive(&mut self) {
        (0..self.size()).for_each(|event| self.insert(event, event));
    }

    /// Adds `from * to`.
    pub fn extend_product(&mut self, from: &Set, to: &Set) {
        from.iter().for_each(|a| bits::union(self.row_mut(a), to.words()));
    }

    /// Keeps the pairs that begin and end in these sets, if given.
    pub fn restrict_to(&mut self, from: Option<&Set>, to: Option<&Set>) {
        for a in 0..self.size() {
            if from.is_some_and(|from| !from.contains(a)) {
                self.row_mut(a).fill(0);
            } else if let Some(to) = to {
                self.row_mut(a).iter_mut().zip(to.words()).for_each(|(row, to)| *row &= to);
            }
        }
    }

    /// `self = other & (from * to)`, for the sets that are given.
    pub fn assign_restricted(&mut self, other: &Relation, from: Option<&Set>, to: Option<&Set>) {
        for a in 0..self.size() {
            let row = self.row_mut(a);
            match to {
                _ if from.is_some_and(|from| !from.contains(a)) => row.fill(0),
                Some(to) => {
                    let words = other.row(a).iter().zip(to.words());
                    row.iter_mut().zip(words).for_each(|(row, (other, to))| *row = other & to);
                }
                None => row.copy_from_slice(other.row(a)),
            }
        }
    }

    /// Takes `from * to` out.
    pub fn subtract_product(&mut self, from: &Set, to: &Set) {
        for a in from.iter() {
            bits::subtract(self.row_mut(a), to.words());
        }
    }

    /// Adds `self^-1` to a relation of the same size: by blocks of 64 events, or pair by pair if there are few.
    pub fn inverse_into(&self, into: &mut Relation) {
        if self.size() <= 64 || self.len() < 16 * self.size() {
            return self.pairs().for_each(|(a, b)| into.insert(b, a));
        }
        let size = self.size();
        let mut block = [0; 64];
        for first in (0..size).step_by(64) {
            let rows = 64.min(size - first);
            for column in (0..size).step_by(64) {
                let mut any = 0;
                for (row, word) in block.iter_mut().enumerate() {
                    *word = if row < rows { self.row(first + row)[column / 64] } else { 0 };
                    any |= *word;
                }
                if any == 0 {
                    continue;
                }
                bits::transpose(&mut block);
                for (row, &word) in block.iter().enumerate().take(64.min(size - column)) {
                    into.row_mut(column + row)[first / 64] |= word;
                }
            }
        }
    }

    /// Adds `self^-1 ; other`, without the inverse, polling.
    pub fn inverse_sequence_within(
        &self,
        other: &Relation,
        into: &mut Relation,
        pace: &mut Pace<'_>,
    ) -> Result<(), Stopped> {
        if self.size() <= 64 {
            for (&from, &row) in self.rows.bits.iter().zip(&other.rows.bits) {
                bits::of_word(from).for_each(|b| into.rows.bits[b] |= row);
            }
            return Ok(());
        }
        let words = bits::words(self.size());
        let mut unions = 0;
        for a in 0..self.size() {
            for b in bits::members(self.row(a)) {
                bits::union(into.row_mut(b), other.row(a));
                unions += 1;
            }
            pace.unions(&mut unions, words)?;
        }
        Ok(())
    }

    /// Writes its domain into an empty set.
    pub fn domain_into(&self, into: &mut Set) {
        (0..self.size()).filter(|&a| !bits::is_empty(self.row(a))).for_each(|a| into.insert(a));
    }

    /// Writes its range into a set.
    pub fn range_into(&self, into: &mut Set) {
        (0..self.size()).for_each(|a| bits::union(into.words_mut(), self.row(a)));
    }
}

impl Set {
    /// Copies the other, reusing memory.
    pub fn assign(&mut self, other: &Set) {
        self.words_mut().copy_from_slice(other.words());
    }

    /// Makes it the set of all events.
    pub fn fill(&mut self) {
        let size = self.size();
        bits::fill(self.words_mut(), size);
    }

    /// Adds the other's events.
    pub fn extend(&mut self, other: &Set) {
        bits::union(self.words_mut(), other.words());
    }

    /// Keeps the events that are also in the other.
    pub fn retain(&mut self, other: &Set) {
        self.words_mut().iter_mut().zip(other.words()).for_each(|(a, b)| *a &= b);
    }

    /// Takes the other's events out.
    pub fn subtract(&mut self, other: &Set) {
        bits::subtract(self.words_mut(), other.words());
    }
}

//! Relations as matrices of bits: row a is the set of all b with (a, b).

use super::{BitRows, Set, bits};
use crate::limits::{Pace, Stopped, unlimited};

/// A relation on events 0..size.
///
/// The operators of the algebra return a new relation; there are also in-place forms.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Relation {
    size: usize,
    pub(super) rows: BitRows,
}

impl Relation {
    /// The size of a relation on this many events, in bytes.
    pub const fn bytes(size: usize) -> usize {
        size.saturating_mul(bits::words(size)).saturating_mul(size_of::<u64>())
    }

    /// No pair.
    pub fn empty(size: usize) -> Self {
        let mut rows = BitRows::new(bits::words(size));
        rows.resize(size);
        Relation { size, rows }
    }

    /// Makes it the empty relation on this many events, reusing memory.
    pub fn reset(&mut self, size: usize) {
        self.size = size;
        self.rows.reset(bits::words(size), size);
    }

    /// Makes it a relation on so many events, of which nothing is known, in the memory that it has.
    pub(crate) fn prepare(&mut self, size: usize) {
        if self.size != size {
            self.reset(size);
        }
    }

    /// Every pair.
    pub fn full(size: usize) -> Self {
        let mut full = Relation::empty(size);
        (0..size).for_each(|a| bits::fill(full.row_mut(a), size));
        full
    }

    /// `id`
    pub fn identity(size: usize) -> Self {
        Relation::on(&Set::universe(size))
    }

    /// `[set]`: the identity on a set.
    pub fn on(set: &Set) -> Self {
        let mut identity = Relation::empty(set.size());
        set.iter().for_each(|event| identity.insert(event, event));
        identity
    }

    /// `from * to`
    pub fn product(from: &Set, to: &Set) -> Self {
        let mut product = Relation::empty(from.size());
        from.iter().for_each(|a| product.row_mut(a).copy_from_slice(to.words()));
        product
    }

    /// These pairs.
    pub fn of(size: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut relation = Relation::empty(size);
        pairs.into_iter().for_each(|(a, b)| relation.insert(a, b));
        relation
    }

    /// The number of events.
    pub fn size(&self) -> usize {
        self.size
    }

    /// How many words its bits take.
    pub fn words(&self) -> usize {
        self.rows.bits.len()
    }

    /// The events b with (a, b), as bits.
    #[inline]
    pub fn row(&self, a: usize) -> &[u64] {
        self.rows.row(a)
    }

    #[inline]
    pub(super) fn row_mut(&mut self, a: usize) -> &mut [u64] {
        self.rows.row_mut(a)
    }

    /// Puts a pair in.
    #[inline]
    pub fn insert(&mut self, a: usize, b: usize) {
        bits::insert(self.row_mut(a), b);
    }

    /// Takes a pair out.
    #[inline]
    pub fn remove(&mut self, a: usize, b: usize) {
        bits::remove(self.row_mut(a), b);
    }

    /// Whether it contains a pair.
    #[inline]
    pub fn contains(&self, a: usize, b: usize) -> bool {
        bits::contains(self.row(a), b)
    }

    /// Its pairs, in order.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.size).flat_map(|a| bits::members(self.row(a)).map(move |b| (a, b)))
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        bits::count(&self.rows.bits)
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        bits::is_empty(&self.rows.bits)
    }

    /// Whether it is contained in the other.
    pub fn is_subset(&self, other: &Relation) -> bool {
        bits::is_subset(&self.rows.bits, &other.rows.bits)
    }

    /// Copies the other, reusing memory.
    pub fn assign(&mut self, other: &Relation) {
        self.rows.bits.copy_from_slice(&other.rows.bits);
    }

    /// Makes it empty.
    pub fn clear(&mut self) {
        self.rows.bits.fill(0);
    }

    /// Adds the other's pairs; returns whether any were new.
    pub fn extend(&mut self, other: &Relation) -> bool {
        let mut new = 0;
        for (a, b) in self.rows.bits.iter_mut().zip(&other.rows.bits) {
            new |= b & !*a;
            *a |= b;
        }
        new != 0
    }

    /// Keeps the pairs that are also in the other.
    pub fn retain(&mut self, other: &Relation) {
        self.rows.bits.iter_mut().zip(&other.rows.bits).for_each(|(a, b)| *a &= b);
    }

    /// Takes the other's pairs out.
    pub fn subtract(&mut self, other: &Relation) {
        bits::subtract(&mut self.rows.bits, &other.rows.bits);
    }

    /// Keeps the pairs that begin and end in these sets.
    pub fn restrict(&mut self, from: &Set, to: &Set) {
        for a in 0..self.size {
            if from.contains(a) {
                self.row_mut(a).iter_mut().zip(to.words()).for_each(|(row, to)| *row &= to);
            } else {
                self.row_mut(a).fill(0);
            }
        }
    }

    /// `self | other`
    pub fn union(&self, other: &Relation) -> Relation {
        let mut union = self.clone();
        union.extend(other);
        union
    }

    /// `self & other`
    pub fn intersection(&self, other: &Relation) -> Relation {
        let mut intersection = self.clone();
        intersection.retain(other);
        intersection
    }

    /// `self \ other`
    pub fn difference(&self, other: &Relation) -> Relation {
        let mut difference = self.clone();
        difference.subtract(other);
        difference
    }

    /// `~self`
    pub fn complement(&self) -> Relation {
        Relation::full(self.size).difference(self)
    }

    /// `self ; other`
    pub fn sequence(&self, other: &Relation) -> Relation {
        let mut sequence = Relation::empty(self.size);
        self.sequence_into(other, &mut sequence);
        sequence
    }

    /// `into = self ; other`, reusing the memory of `into`.
    ///
    /// Costs one row operation per pair of `self`; or, by `(other^-1 ; self^-1)^-1`, one per pair of `other` and two inverses, if that is less.
    pub fn sequence_into(&self, other: &Relation, into: &mut Relation) {
        unlimited(|pace| self.sequence_within(other, into, pace));
    }

    /// The same, polling.
    pub fn sequence_within(
        &self,
        other: &Relation,
        into: &mut Relation,
        pace: &mut Pace<'_>,
    ) -> Result<(), Stopped> {
        if self.size <= 64 {
            for (into, &row) in into.rows.bits.iter_mut().zip(&self.rows.bits) {
                *into = bits::of_word(row).fold(0, |all, b| all | other.rows.bits[b]);
            }
            return Ok(());
        }
        into.clear();
        if self.size > 512 && self.len() > other.len() + 8 * self.size {
            let mut inverse = Relation::empty(self.size);
            self.inverse_into(&mut inverse);
            let mut sequence = Relation::empty(self.size);
            other.inverse_sequence_within(&inverse, &mut sequence, pace)?;
            sequence.inverse_into(into);
            return Ok(());
        }
        let (mut unions, words) = (0, bits::words(self.size));
        for a in 0..self.size {
            let row = into.row_mut(a);
            for b in bits::members(self.row(a)) {
                bits::union(row, other.row(b));
                unions += 1;
            }
            pace.unions(&mut unions, words)?;
        }
        Ok(())
    }

    /// `into = self ; other`, where the other is transitive: a row that another one is in is skipped.
    pub(crate) fn sequence_transitive_within(
        &self,
        other: &Relation,
        into: &mut Relation,
        pace: &mut Pace<'_>,
    ) -> Result<(), Stopped> {
        into.clear();
        let (mut unions, words) = (0, bits::words(self.size));
        for a in 0..self.size {
            let row = into.row_mut(a);
            for (word, &bits) in self.row(a).iter().enumerate() {
                let mut rest = bits & !row[word];
                while rest != 0 {
                    bits::union(row, other.row(64 * word + rest.trailing_zeros() as usize));
                    unions += 1;
                    // Where (b, b) does not hold b is not reached by itself.
                    rest &= (rest - 1) & !row[word];
                }
            }
            pace.unions(&mut unions, words)?;
        }
        Ok(())
    }

    /// `self^-1`
    pub fn inverse(&self) -> Relation {
        let mut inverse = Relation::empty(self.size);
        self.inverse_into(&mut inverse);
        inverse
    }

    /// `self?`
    pub fn reflexive(&self) -> Relation {
        let mut reflexive = self.clone();
        (0..self.size).for_each(|a| reflexive.insert(a, a));
        reflexive
    }

    /// The events at which pairs begin.
    pub fn domain(&self) -> Set {
        Set::of(self.size, (0..self.size).filter(|&a| !bits::is_empty(self.row(a))))
    }

    /// The events at which pairs end.
    pub fn range(&self) -> Set {
        let mut range = Set::empty(self.size);
        (0..self.size).for_each(|a| bits::union(range.words_mut(), self.row(a)));
        range
    }

    /// Whether no event is related to itself.
    pub fn is_irreflexive(&self) -> bool {
        (0..self.size).all(|a| !self.contains(a, a))
    }
}

//! Sets of events.

use super::bits;

/// A set of events 0..size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Set {
    size: usize,
    bits: Vec<u64>,
}

impl Set {
    /// No event.
    pub fn empty(size: usize) -> Self {
        Set { size, bits: vec![0; bits::words(size)] }
    }

    /// Makes it the empty set of this many events, reusing memory.
    pub fn reset(&mut self, size: usize) {
        self.size = size;
        self.bits.clear();
        self.bits.resize(bits::words(size), 0);
    }

    /// Every event.
    pub fn universe(size: usize) -> Self {
        let mut set = Set::empty(size);
        bits::fill(&mut set.bits, size);
        set
    }

    /// These events.
    pub fn of(size: usize, events: impl IntoIterator<Item = usize>) -> Self {
        let mut set = Set::empty(size);
        events.into_iter().for_each(|event| set.insert(event));
        set
    }

    /// The number of events, in the set or not.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The bits, 64 a word.
    pub fn words(&self) -> &[u64] {
        &self.bits
    }

    pub(super) fn words_mut(&mut self) -> &mut [u64] {
        &mut self.bits
    }

    /// Puts an event in.
    pub fn insert(&mut self, event: usize) {
        bits::insert(&mut self.bits, event);
    }

    /// Whether it contains an event.
    pub fn contains(&self, event: usize) -> bool {
        bits::contains(&self.bits, event)
    }

    /// Its events, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        bits::members(&self.bits)
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        bits::is_empty(&self.bits)
    }

    /// Whether it is contained in the other.
    pub fn is_subset(&self, other: &Set) -> bool {
        bits::is_subset(&self.bits, &other.bits)
    }

    /// `self | other`
    pub fn union(&self, other: &Set) -> Set {
        self.zip(other, |a, b| a | b)
    }

    /// `self & other`
    pub fn intersection(&self, other: &Set) -> Set {
        self.zip(other, |a, b| a & b)
    }

    /// `self \ other`
    pub fn difference(&self, other: &Set) -> Set {
        self.zip(other, |a, b| a & !b)
    }

    /// `~self`
    pub fn complement(&self) -> Set {
        Set::universe(self.size).difference(self)
    }

    fn zip(&self, other: &Set, word: impl Fn(u64, u64) -> u64) -> Set {
        debug_assert_eq!(self.size, other.size);
        Set { size: self.size, bits: self.bits.iter().zip(&other.bits).map(|(&a, &b)| word(a, b)).collect() }
    }
}

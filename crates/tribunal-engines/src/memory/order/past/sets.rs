//! Sets of numbers that share what they have in common: as rows of bits, sets of 100,000 events each would take n²/8 bytes.

use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use tribunal_cat::relation::bits;

/// A set. Equal sets of one store have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SetId(pub u32);

/// Words of a leaf, children of a branch.
const WORDS: usize = 8;
const CHILDREN: usize = 16;
/// Numbers of a leaf, and as a power of two; children of a branch as a power of two.
const LEAF_BITS: u32 = 9;
const BRANCH_BITS: u32 = 4;

/// Sets of numbers below a bound, as tries of bits of which each part is kept once.
///
/// Sets that differ in d places of the trie take O(d·log n) memory, and their union takes O(d·log n) time: sets that grow from
/// each other by what is near in number are cheap, however many numbers they have.
///
/// Invariant: a part without members has id 0, and two parts with the same members have the same id.
pub(crate) struct Sets {
    /// Branches between the root and a leaf.
    height: u32,
    leaves: Store<u64, WORDS>,
    branches: Store<u32, CHILDREN>,
}

impl Sets {
    pub(crate) const EMPTY: SetId = SetId(0);

    /// A store for sets of numbers below `bound`.
    pub(crate) fn new(bound: usize) -> Self {
        let mut height = 0;
        while bound.saturating_sub(1) >> (LEAF_BITS + height * BRANCH_BITS) > 0 {
            height += 1;
        }
        Sets { height, leaves: Store::new(), branches: Store::new() }
    }

    /// The number of bytes that the store takes.
    pub(crate) fn bytes(&self) -> usize {
        self.leaves.bytes() + self.branches.bytes()
    }

    #[inline]
    pub(crate) fn contains(&self, set: SetId, number: u32) -> bool {
        let mut part = set.0;
        for level in (0..self.height).rev() {
            if part == 0 {
                return false;
            }
            part = self.branches.get(part)[child(level, number)];
        }
        let leaf = self.leaves.get(part);
        bits::contains(leaf, in_leaf(number))
    }

    /// The members of either.
    pub(crate) fn union(&mut self, a: SetId, b: SetId) -> SetId {
        SetId(self.union_of_parts(self.height, a.0, b.0))
    }

    fn union_of_parts(&mut self, height: u32, a: u32, b: u32) -> u32 {
        if a == b || b == 0 {
            return a;
        }
        if a == 0 {
            return b;
        }
        if height == 0 {
            let (mut words, other) = (*self.leaves.get(a), *self.leaves.get(b));
            bits::union(&mut words, &other);
            return self.leaves.intern(words, [a, b]);
        }
        let (mut parts, others) = (*self.branches.get(a), *self.branches.get(b));
        for (part, other) in parts.iter_mut().zip(others) {
            *part = self.union_of_parts(height - 1, *part, other);
        }
        self.branches.intern(parts, [a, b])
    }

    /// The set with more members, which are in ascending order.
    pub(crate) fn with(&mut self, set: SetId, members: &[u32]) -> SetId {
        SetId(self.part_with(self.height, set.0, members))
    }

    fn part_with(&mut self, height: u32, part: u32, mut members: &[u32]) -> u32 {
        if height == 0 {
            let mut words = *self.leaves.get(part);
            for member in members {
                bits::insert(&mut words, in_leaf(*member));
            }
            return self.leaves.intern(words, [part; 2]);
        }
        let mut parts = *self.branches.get(part);
        while let Some(&first) = members.first() {
            let at = child(height - 1, first);
            let count = members.partition_point(|&member| child(height - 1, member) <= at);
            let (here, rest) = members.split_at(count);
            parts[at] = self.part_with(height - 1, parts[at], here);
            members = rest;
        }
        self.branches.intern(parts, [part; 2])
    }

    /// Whether `number` is a member of `set` and of none of `others`. If not, says from which number on up to `number` nothing
    /// is.
    #[inline]
    pub(crate) fn alone(&self, set: SetId, others: &[SetId], number: u32) -> Result<(), u32> {
        let mut parts = [0; MOST_OTHERS];
        let parts = &mut parts[..others.len()];
        parts.iter_mut().zip(others).for_each(|(part, other)| *part = other.0);
        let mut part = set.0;
        for level in (0..self.height).rev() {
            if part == 0 || parts.contains(&part) {
                let bits = LEAF_BITS + (level + 1) * BRANCH_BITS;
                return Err(u32::try_from(u64::from(number) >> bits << bits).unwrap_or(0));
            }
            let at = child(level, number);
            part = self.branches.get(part)[at];
            parts.iter_mut().for_each(|part| *part = self.branches.get(*part)[at]);
        }
        let bit = |part: u32| bits::contains(self.leaves.get(part), in_leaf(number));
        if part == 0 || parts.contains(&part) {
            return Err(number >> LEAF_BITS << LEAF_BITS);
        }
        if bit(part) && !parts.iter().any(|&part| bit(part)) { Ok(()) } else { Err(number) }
    }
}

/// The number of sets that [`Sets::alone`] takes at most.
pub(crate) const MOST_OTHERS: usize = 8;

/// The child of a branch with `level` branches below it.
#[inline(always)]
fn child(level: u32, number: u32) -> usize {
    (number >> (LEAF_BITS + level * BRANCH_BITS)) as usize % CHILDREN
}

/// The bit of a number in its leaf.
#[inline(always)]
fn in_leaf(number: u32) -> usize {
    number as usize % (64 * WORDS)
}

/// Arrays, each kept once. They are kept in chunks, so that growing copies nothing.
struct Store<T, const N: usize> {
    chunks: Vec<Vec<[T; N]>>,
    len: u32,
    /// Ids by hash, or [`VACANT`]; at most half full.
    table: Vec<u32>,
}

const CHUNK: usize = 1 << 8;
const VACANT: u32 = u32::MAX;

impl<T: Copy + Default + Eq + Hash, const N: usize> Store<T, N> {
    /// A store whose id 0 is the array of nothing.
    fn new() -> Self {
        let mut store = Store { chunks: Vec::new(), len: 0, table: vec![VACANT; 64] };
        store.intern([T::default(); N], [VACANT; 2]);
        store
    }

    fn bytes(&self) -> usize {
        self.chunks.len() * CHUNK * size_of::<[T; N]>() + self.table.len() * 4
    }

    #[inline(always)]
    fn get(&self, id: u32) -> &[T; N] {
        &self.chunks[id as usize / CHUNK][id as usize % CHUNK]
    }

    /// The id of an array, which may be one of `likely`.
    fn intern(&mut self, array: [T; N], likely: [u32; 2]) -> u32 {
        if let Some(&id) = likely.iter().find(|&&id| id < self.len && *self.get(id) == array) {
            return id;
        }
        if self.len as usize * 2 >= self.table.len() {
            self.grow();
        }
        let mut at = self.place(&array);
        while self.table[at] != VACANT {
            if *self.get(self.table[at]) == array {
                return self.table[at];
            }
            at = (at + 1) % self.table.len();
        }
        let id = self.len;
        self.table[at] = id;
        if (id as usize).is_multiple_of(CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        self.chunks[id as usize / CHUNK].push(array);
        self.len += 1;
        id
    }

    /// The place to look for an array first.
    fn place(&self, array: &[T; N]) -> usize {
        let mut hasher = FxHasher::default();
        array.hash(&mut hasher);
        hasher.finish() as usize & (self.table.len() - 1)
    }

    fn grow(&mut self) {
        self.table = vec![VACANT; self.table.len() * 2];
        for id in 0..self.len {
            let mut at = self.place(self.get(id));
            while self.table[at] != VACANT {
                at = (at + 1) % self.table.len();
            }
            self.table[at] = id;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Numbers that look random.
    fn numbers(seed: u64, bound: u32) -> impl Iterator<Item = u32> {
        let mut random = tribunal_random::Random::new(seed);
        std::iter::repeat_with(move || random.below(bound.into()) as u32)
    }

    #[test]
    fn they_are_the_sets_that_they_should_be() {
        for bound in [1u32, 2, 511, 512, 513, 8191, 8193, 100_000] {
            let mut sets = Sets::new(bound as usize);
            let mut made: Vec<(SetId, BTreeSet<u32>)> = vec![(Sets::EMPTY, BTreeSet::new())];
            let mut random = numbers(u64::from(bound), u32::MAX);
            let mut next = |bound: usize| random.next().expect("there is always one more") as usize % bound;
            for _ in 0..200 {
                let (a, b) = (made[next(made.len())].clone(), made[next(made.len())].clone());
                let more: BTreeSet<u32> = (0..next(5)).map(|_| next(bound as usize) as u32).collect();
                let sorted: Vec<u32> = more.iter().copied().collect();
                let with = sets.with(a.0, &sorted);
                made.push((sets.union(with, b.0), &(&a.1 | &b.1) | &more));
            }
            for (id, set) in &made {
                for number in set.iter().copied().chain((0..20).map(|_| next(bound as usize) as u32)) {
                    assert_eq!(sets.contains(*id, number), set.contains(&number), "{number} below {bound}");
                }
                let (other, others) = &made[next(made.len())];
                for number in (0..50).map(|_| next(bound as usize) as u32).chain(set.iter().copied()) {
                    let alone = |number: u32| set.contains(&number) && !others.contains(&number);
                    match sets.alone(*id, &[*other], number) {
                        Ok(()) => assert!(alone(number)),
                        Err(from) => assert!((from..=number).all(|number| !alone(number))),
                    }
                }
            }
            let distinct: BTreeSet<&BTreeSet<u32>> = made.iter().map(|(_, set)| set).collect();
            let ids: BTreeSet<u32> = made.iter().map(|(id, _)| id.0).collect();
            assert_eq!(distinct.len(), ids.len(), "equal sets have equal ids");
        }
    }
}

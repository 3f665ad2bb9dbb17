//! The heap that collections take: the one place that knows how many bytes a `Vec` or a hash table has room for.
//!
//! Histories, readers and engines add up what their collections say, and compare the sum with the [`Limits`](crate::limits::Limits) of a check.
//! What a collection's items hold in turn is theirs to say.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};

/// A collection that can tell its room on the heap.
///
/// ```
/// use tribunal::history::heap::{Heap, held};
/// let (full, spare) = (vec![1u32; 4], Vec::<u64>::with_capacity(4));
/// assert_eq!(held(&[&full, &spare]), 16 + 32);
/// // One more item of the first is put into twice the room, while the old one is still there.
/// assert_eq!((full.peak(), spare.peak()), (48, 32));
/// ```
pub trait Heap {
    /// Bytes of the room that there is.
    fn held(&self) -> usize;

    /// Bytes that are taken while one more item is put in: the old room and the new one, if it has to grow.
    fn peak(&self) -> usize;
}

/// Bytes that some collections hold together.
pub fn held(collections: &[&dyn Heap]) -> usize {
    collections.iter().map(|collection| collection.held()).sum()
}

macro_rules! lists {
    ($($list:ident),*) => {$(
        impl<T> Heap for $list<T> {
            #[inline]
            fn held(&self) -> usize {
                self.capacity().saturating_mul(size_of::<T>())
            }

            #[inline]
            fn peak(&self) -> usize {
                match self.capacity() {
                    capacity if self.len() < capacity => self.held(),
                    0 | 1 => self.held() + 4 * size_of::<T>(),
                    _ => self.held().saturating_mul(3),
                }
            }
        }
    )*};
}

lists!(Vec, VecDeque);

impl<K, V, S> Heap for HashMap<K, V, S> {
    #[inline]
    fn held(&self) -> usize {
        table(self.capacity(), size_of::<(K, V)>())
    }

    #[inline]
    fn peak(&self) -> usize {
        growing_table(self.len(), self.capacity(), size_of::<(K, V)>())
    }
}

impl<T, S> Heap for HashSet<T, S> {
    #[inline]
    fn held(&self) -> usize {
        table(self.capacity(), size_of::<T>())
    }

    #[inline]
    fn peak(&self) -> usize {
        growing_table(self.len(), self.capacity(), size_of::<T>())
    }
}

impl Heap for String {
    fn held(&self) -> usize {
        self.capacity()
    }

    fn peak(&self) -> usize {
        3 * self.capacity()
    }
}

/// What an allocation of so many bytes takes, with what the allocator needs for itself.
#[inline]
pub const fn block(bytes: usize) -> usize {
    if bytes == 0 {
        0
    } else if bytes < 24 {
        32
    } else {
        (bytes + 8).next_multiple_of(16)
    }
}

/// What a hash table with room for so many entries takes: a byte for each place beside the entry.
#[inline]
const fn table(capacity: usize, entry: usize) -> usize {
    buckets(capacity).saturating_mul(entry + 1)
}

#[inline]
const fn growing_table(len: usize, capacity: usize, entry: usize) -> usize {
    let held = table(capacity, entry);
    if len < capacity { held } else { held.saturating_add(table(capacity + 1, entry)) }
}

/// How many places a hash table has for so many entries: it is full at seven eighths.
#[inline]
const fn buckets(capacity: usize) -> usize {
    match capacity {
        0 => 0,
        1..=3 => 4,
        4..=7 => 8,
        _ => (capacity.saturating_mul(8) / 7).next_power_of_two(),
    }
}

/// What a hash table takes for each of its entries, at most: it is less than half full after it grew, and while it grows the old
/// one is still there.
pub const fn entry(bytes: usize) -> usize {
    (bytes + 1) * 7 / 2
}

/// About how many bytes a B-tree of so many entries takes: a node has room for 11 of them and may be half full.
///
/// ```
/// use tribunal::history::heap::tree;
/// assert_eq!(tree(0, 16), 0);
/// assert_eq!(tree(100, 16), 4000);
/// ```
pub fn tree(entries: usize, size: usize) -> usize {
    if entries == 0 { 0 } else { 2 * entries.max(6) * (size + 4) }
}

/// Counts what a builder takes as its collections grow, so that it need not visit all of them to tell.
///
/// ```
/// use tribunal::history::heap::Growth;
/// let (mut growth, mut column) = (Growth::default(), Vec::new());
/// for number in 0..1000u64 {
///     growth.push(&mut column, number);
/// }
/// assert!(growth.peak() >= 8 * column.capacity());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Growth {
    held: usize,
    /// The largest collection.
    largest: usize,
}

impl Growth {
    /// Bytes that are held, with those that the largest collection takes beside its old ones when it grows next.
    #[inline]
    pub fn peak(&self) -> usize {
        self.held.saturating_add(2 * self.largest)
    }

    /// Counts a piece of the heap of its own, such as a name.
    pub fn hold(&mut self, bytes: usize) {
        self.held = self.held.saturating_add(block(bytes));
    }

    /// Appends to a column.
    #[inline(always)]
    pub fn push<T>(&mut self, column: &mut Vec<T>, value: T) {
        if column.len() == column.capacity() {
            self.grow(column);
        }
        column.push(value);
    }

    #[cold]
    fn grow<T>(&mut self, column: &mut Vec<T>) {
        self.count(column, |column| column.reserve(1));
    }

    /// Inserts an entry into a map.
    pub fn insert<K: Eq + Hash, V, S: BuildHasher>(&mut self, map: &mut HashMap<K, V, S>, key: K, value: V) {
        self.count(map, |map| _ = map.insert(key, value));
    }

    fn count<C: Heap>(&mut self, collection: &mut C, act: impl FnOnce(&mut C)) {
        let before = block(collection.held());
        act(collection);
        let after = block(collection.held());
        self.held = self.held.saturating_add(after.saturating_sub(before));
        self.largest = self.largest.max(after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashSet;

    #[test]
    fn tables_are_counted_as_they_grow() {
        let mut set: FxHashSet<u64> = FxHashSet::default();
        for number in 0..10_000 {
            let (len, capacity, peak) = (set.len(), set.capacity(), set.peak());
            set.insert(number);
            let grew = set.capacity() > capacity;
            let after = buckets(set.capacity());
            assert_eq!(after * 7 / 8, if set.capacity() < 8 { after * 7 / 8 } else { set.capacity() });
            let expected = if grew { buckets(capacity) + after } else { after };
            assert_eq!(peak, 9 * expected, "{len} of {capacity}");
        }
    }
}

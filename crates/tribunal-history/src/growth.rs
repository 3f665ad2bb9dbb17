//! What collections take of the heap while they grow.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};
use std::mem::size_of;

/// Counts what a builder takes of the heap: capacities rather than lengths, and the copy that is made when one of its
/// collections grows.
///
/// ```
/// use tribunal::history::growth::Growth;
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

    /// Makes room in a column for so many more.
    pub fn reserve<T>(&mut self, column: &mut Vec<T>, more: usize) {
        let before = block(column.capacity() * size_of::<T>());
        column.reserve_exact(more);
        self.grown(before, block(column.capacity() * size_of::<T>()));
    }

    #[cold]
    fn grow<T>(&mut self, column: &mut Vec<T>) {
        let before = block(column.capacity() * size_of::<T>());
        column.reserve(1);
        self.grown(before, block(column.capacity() * size_of::<T>()));
    }

    /// Inserts an entry into a map.
    pub fn insert<K: Eq + Hash, V, S: BuildHasher>(&mut self, map: &mut HashMap<K, V, S>, key: K, value: V) {
        let before = table::<K, V>(map.capacity());
        map.insert(key, value);
        self.grown(before, table::<K, V>(map.capacity()));
    }

    fn grown(&mut self, before: usize, after: usize) {
        self.held = self.held.saturating_add(after.saturating_sub(before));
        self.largest = self.largest.max(after);
    }
}

/// What an allocation takes: with its header, and no less than the least.
fn block(bytes: usize) -> usize {
    match bytes {
        0 => 0,
        _ => (bytes + 8).next_multiple_of(16).max(32),
    }
}

/// What a hash table of that capacity takes: it is at most seven eighths full, and has a byte for each place.
fn table<K, V>(capacity: usize) -> usize {
    block((capacity / 7 * 8).next_power_of_two() * (size_of::<(K, V)>() + 1) * usize::from(capacity > 0))
}

/// About how many bytes a B-tree of so many entries takes: a node has room for 11 of them and may be half full.
///
/// ```
/// use tribunal::history::growth::tree;
/// assert_eq!(tree(0, 16), 0);
/// assert_eq!(tree(100, 16), 4000);
/// ```
pub fn tree(entries: usize, size: usize) -> usize {
    if entries == 0 { 0 } else { 2 * entries.max(6) * (size + 4) }
}

//! Items by key in one column: neighbors by node, accesses by location, readers by version.

use std::ops::Range;
use tribunal_history::heap::held;

/// The items of each key, in the order in which they were given. 4 bytes a key beside the items.
#[derive(Clone, Debug)]
pub(crate) struct Lists<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Lists { starts: vec![0], items: Vec::new() }
    }
}

impl<T: Copy> Lists<T> {
    /// Groups items by their keys, which are below `keys`, in O(keys + items); `counted` is the keys alone, in any order.
    pub(crate) fn new(
        keys: usize,
        counted: impl Iterator<Item = usize>,
        mut items: impl Iterator<Item = (usize, T)>,
    ) -> Self {
        let mut starts = vec![0u32; keys + 2];
        counted.for_each(|key| starts[key + 2] += 1);
        for key in 0..keys {
            starts[key + 2] += starts[key + 1];
        }
        // starts[key + 1] goes from where the key's items begin to where they end.
        let mut column = Vec::new();
        if let Some((key, first)) = items.next() {
            column = vec![first; starts[keys + 1] as usize];
            for (key, item) in std::iter::once((key, first)).chain(items) {
                let place = &mut starts[key + 1];
                column[*place as usize] = item;
                *place += 1;
            }
        }
        starts.pop();
        Lists { starts, items: column }
    }

    /// Groups pairs of a key and an item.
    pub(crate) fn of_pairs(keys: usize, pairs: impl Iterator<Item = (usize, T)> + Clone) -> Self {
        Lists::new(keys, pairs.clone().map(|(key, _)| key), pairs)
    }

    #[inline(always)]
    pub(crate) fn of(&self, key: usize) -> &[T] {
        &self.items[self.range(key)]
    }

    /// Where the items of a key are among all.
    #[inline(always)]
    pub(crate) fn range(&self, key: usize) -> Range<usize> {
        self.starts[key] as usize..self.starts[key + 1] as usize
    }

    /// How many keys there are.
    pub(crate) fn keys(&self) -> usize {
        self.starts.len() - 1
    }

    /// All items, key by key.
    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }

    /// Bytes that are held.
    pub(crate) fn bytes(&self) -> usize {
        held(&[&self.starts, &self.items])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_keep_their_order() {
        let lists = Lists::of_pairs(4, [(2, 'a'), (0, 'b'), (2, 'c')].into_iter());
        assert_eq!([0, 1, 2, 3].map(|key| lists.of(key).len()), [1, 0, 2, 0]);
        assert_eq!((lists.of(2), lists.items()), (&['a', 'c'][..], &['b', 'a', 'c'][..]));
        assert_eq!(Lists::<char>::of_pairs(0, [].into_iter()).keys(), 0);
    }
}

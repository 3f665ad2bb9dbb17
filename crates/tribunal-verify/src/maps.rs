//! Maps from numbers to numbers that share what they have in common.

use std::ops::Range;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// A map; the same number may not be had twice, so equal maps may differ in it.
pub(super) type MapId = u32;

/// Maps from keys below a bound to values above 0, as binary tries: a part without entries is 0, a part that is one key is its
/// value.
///
/// Nothing is ever changed: what is made again is 8 bytes for each part that differs. Two maps are joined in the time that it
/// takes to go through the parts in which they differ.
pub(super) struct Maps {
    /// Halvings between the root and a key.
    height: u32,
    /// The halves of each part, in chunks, so that growing copies nothing.
    parts: Vec<Vec<[u32; 2]>>,
    len: u32,
}

const CHUNK: usize = 1 << 13;

impl Maps {
    pub(super) const EMPTY: MapId = 0;

    pub(super) fn new(keys: usize) -> Self {
        let height = usize::BITS - keys.saturating_sub(1).leading_zeros();
        let mut maps = Maps { height, parts: Vec::new(), len: 0 };
        maps.add([0, 0]);
        maps
    }

    /// Whether what they take, beside so many bytes, is within the limits.
    pub(super) fn check(&self, beside: usize, limits: &Limits<'_>) -> Result<(), Limit> {
        limits.check_memory(self.parts.len() * CHUNK * 8 + beside, 0)
    }

    fn add(&mut self, halves: [u32; 2]) -> u32 {
        if self.len as usize == self.parts.len() * CHUNK {
            self.parts.push(Vec::with_capacity(CHUNK));
        }
        self.parts[self.len as usize / CHUNK].push(halves);
        self.len += 1;
        self.len - 1
    }

    #[inline]
    fn halves(&self, part: u32) -> [u32; 2] {
        self.parts[part as usize / CHUNK][part as usize % CHUNK]
    }

    /// The value of a key, or 0.
    pub(super) fn get(&self, map: MapId, key: u32) -> u32 {
        let mut part = map;
        for level in (0..self.height).rev() {
            if part == 0 {
                return 0;
            }
            part = self.halves(part)[(key >> level & 1) as usize];
        }
        part
    }

    /// The map in which a key has at least this value.
    pub(super) fn raise(&mut self, map: MapId, key: u32, value: u32) -> MapId {
        self.raise_part(map, self.height, key, value)
    }

    fn raise_part(&mut self, part: u32, height: u32, key: u32, value: u32) -> u32 {
        if height == 0 {
            return part.max(value);
        }
        let mut halves = self.halves(part);
        let half = &mut halves[(key >> (height - 1) & 1) as usize];
        let raised = self.raise_part(*half, height - 1, key, value);
        if std::mem::replace(half, raised) == raised {
            return part;
        }
        self.add(halves)
    }

    /// The map in which each key has the larger of its two values.
    pub(super) fn join(&mut self, a: MapId, b: MapId) -> MapId {
        self.join_parts(a, b, self.height)
    }

    fn join_parts(&mut self, a: u32, b: u32, height: u32) -> u32 {
        if a == b || b == 0 {
            return a;
        }
        if a == 0 {
            return b;
        }
        if height == 0 {
            return a.max(b);
        }
        let (first, second) = (self.halves(a), self.halves(b));
        let joined = [0, 1].map(|half| self.join_parts(first[half], second[half], height - 1));
        match joined {
            _ if joined == first => a,
            _ if joined == second => b,
            _ => self.add(joined),
        }
    }

    /// `a` joined with what `b` says of the keys in a range.
    pub(super) fn join_range(&mut self, a: MapId, b: MapId, range: Range<u32>) -> MapId {
        self.join_part_range(a, b, self.height, 0, &range)
    }

    fn join_part_range(&mut self, a: u32, b: u32, height: u32, start: u64, range: &Range<u32>) -> u32 {
        let (end, from, to) = (start + (1u64 << height), u64::from(range.start), u64::from(range.end));
        if end <= from || to <= start || b == 0 {
            return a;
        }
        if from <= start && end <= to {
            return self.join_parts(a, b, height);
        }
        let (first, second) = (self.halves(a), self.halves(b));
        let middle = start + (1u64 << (height - 1));
        let joined = [
            self.join_part_range(first[0], second[0], height - 1, start, range),
            self.join_part_range(first[1], second[1], height - 1, middle, range),
        ];
        if joined == first { a } else { self.add(joined) }
    }

    /// Calls `visit` with the keys in a range that have a value, until it says that it has found what it looks for.
    pub(super) fn find(&self, map: MapId, range: Range<u32>, visit: &mut dyn FnMut(u32) -> bool) -> bool {
        self.find_in_part(map, self.height, 0, &range, visit)
    }

    fn find_in_part(
        &self,
        part: u32,
        height: u32,
        start: u64,
        range: &Range<u32>,
        visit: &mut dyn FnMut(u32) -> bool,
    ) -> bool {
        let end = start + (1u64 << height);
        if part == 0 || end <= u64::from(range.start) || u64::from(range.end) <= start {
            return false;
        }
        if height == 0 {
            return visit(start as u32);
        }
        let middle = start + (1u64 << (height - 1));
        let [first, second] = self.halves(part);
        self.find_in_part(first, height - 1, start, range, visit)
            || self.find_in_part(second, height - 1, middle, range, visit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn they_are_the_maps_that_they_should_be() {
        let mut random = tribunal_random::Random::new(7);
        let mut next = |bound: usize| random.index(bound);
        for keys in [1usize, 2, 3, 64, 1000] {
            let mut maps = Maps::new(keys);
            let mut made: Vec<(MapId, BTreeMap<u32, u32>)> = vec![(Maps::EMPTY, BTreeMap::new())];
            for _ in 0..300 {
                let (a, b) = (made[next(made.len())].clone(), made[next(made.len())].clone());
                let (key, value) = (next(keys) as u32, 1 + next(9) as u32);
                let start = next(keys) as u32;
                let range = start..start + next(keys - start as usize + 1) as u32;
                let mut expected = a.1.clone();
                let mut raise = |key: u32, value: u32| {
                    let entry = expected.entry(key).or_default();
                    *entry = value.max(*entry);
                };
                let map = match next(3) {
                    0 => {
                        raise(key, value);
                        maps.raise(a.0, key, value)
                    }
                    1 => {
                        b.1.iter().for_each(|(&key, &value)| raise(key, value));
                        maps.join(a.0, b.0)
                    }
                    _ => {
                        b.1.range(range.clone()).for_each(|(&key, &value)| raise(key, value));
                        maps.join_range(a.0, b.0, range)
                    }
                };
                made.push((map, expected));
            }
            for (map, expected) in &made {
                for key in 0..keys as u32 {
                    assert_eq!(maps.get(*map, key), expected.get(&key).copied().unwrap_or(0));
                }
                let mut found = Vec::new();
                maps.find(*map, 0..keys as u32, &mut |key| {
                    found.push(key);
                    false
                });
                assert!(found.iter().eq(expected.keys()));
            }
        }
    }
}

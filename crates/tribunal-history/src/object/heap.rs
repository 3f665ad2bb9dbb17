//! What collections take of the heap, so that searches know what they hold.

/// What a box of so many bytes takes, with what the allocator needs for itself.
#[inline]
pub const fn boxed(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { (bytes + 8).next_multiple_of(16) }
}

/// What a vector of such entries takes while one more is put in: the old place and the new one, if it has to grow.
#[inline]
pub const fn vector(len: usize, capacity: usize, entry: usize) -> usize {
    let held = capacity.saturating_mul(entry);
    if len < capacity {
        held
    } else if capacity < 2 {
        held + 4 * entry
    } else {
        held.saturating_mul(3)
    }
}

/// What a hash table of such entries takes while one more is put in: the old table and the new one, if it has to grow.
#[inline]
pub const fn table(len: usize, capacity: usize, entry: usize) -> usize {
    let held = buckets(capacity).saturating_mul(entry + 1);
    if len < capacity { held } else { held.saturating_add(buckets(capacity + 1).saturating_mul(entry + 1)) }
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

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashSet;

    #[test]
    fn tables_are_counted_as_they_grow() {
        let mut set: FxHashSet<u64> = FxHashSet::default();
        for number in 0..10_000 {
            let (len, capacity) = (set.len(), set.capacity());
            set.insert(number);
            let grew = set.capacity() > capacity;
            let after = buckets(set.capacity());
            assert_eq!(after * 7 / 8, if set.capacity() < 8 { after * 7 / 8 } else { set.capacity() });
            let expected = if grew { buckets(capacity) + after } else { after };
            assert_eq!(table(len, capacity, 8), 9 * expected, "{len} of {capacity}");
        }
    }
}

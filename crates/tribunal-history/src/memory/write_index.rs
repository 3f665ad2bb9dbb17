//! The write that wrote a value to a location.

use super::execution::NO_SOURCE;
use super::{Execution, LocId};
use crate::heap::held;
use rustc_hash::FxHashMap;
use std::mem::size_of;

/// In place of a writer: the value has more than one.
pub(super) const AMBIGUOUS: u32 = u32::MAX - 1;

/// Finds the write of a value to a location. Values of a location are mostly small and dense: then a table, else a
/// hash map.
#[derive(Clone, Debug, Default)]
pub(super) struct WriteIndex {
    rows: Vec<Row>,
    table: Vec<u32>,
    map: FxHashMap<(LocId, u64), u32>,
}

/// The values of a location.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// The number of writes, and the largest value of one.
    writes: u64,
    largest: u64,
    /// The place where its table begins, and the number of values that it covers.
    start: usize,
    covered: u64,
}

/// The bytes that a write takes at most: the map is never more than half empty.
pub(super) const INDEXED: usize = 58;
/// The bytes that a location takes at most: its initial write, too, is in the index.
pub(super) const ROW: usize = size_of::<Row>() + INDEXED;

impl WriteIndex {
    /// Makes it that of an execution.
    pub(super) fn fill(&mut self, x: &Execution) {
        let rows = &mut self.rows;
        rows.clear();
        rows.extend(x.init.iter().map(|&largest| Row { writes: 1, largest, start: 0, covered: 0 }));
        let writes = || {
            let events = x.labels.iter().zip(&x.locs).zip(&x.values).zip(0..);
            events
                .filter(|(((label, _), _), _)| label.writes())
                .map(|(((_, &loc), &value), i)| (loc, value, i))
        };
        for (loc, value, _) in writes() {
            let row = &mut rows[loc.index()];
            row.writes += 1;
            row.largest = row.largest.max(value);
        }
        let (mut room, mut mapped) = (0, 0);
        for row in rows {
            row.start = room;
            if row.largest <= 4 * row.writes {
                row.covered = row.largest + 1;
                room += row.covered as usize;
            } else {
                mapped += row.writes as usize;
            }
        }
        self.table.clear();
        self.table.resize(room, NO_SOURCE);
        self.map.clear();
        // At once, so that it is not copied as it grows.
        self.map.reserve(mapped);
        for loc in x.locations() {
            self.insert(loc, x.init_value(loc), x.init_write(loc).0);
        }
        for (loc, value, event) in writes() {
            self.insert(loc, value, event);
        }
    }

    #[inline]
    fn insert(&mut self, loc: LocId, value: u64, event: u32) {
        let Row { start, covered, .. } = self.rows[loc.index()];
        let entry = if value < covered {
            &mut self.table[start + value as usize]
        } else {
            self.map.entry((loc, value)).or_insert(NO_SOURCE)
        };
        *entry = if *entry == NO_SOURCE { event } else { AMBIGUOUS };
    }

    /// The write of a value to a location; none if there is none, or more than one.
    #[inline]
    pub(super) fn writer(&self, loc: LocId, value: u64) -> Option<u32> {
        let Row { start, covered, .. } = self.rows[loc.index()];
        let entry = if value < covered {
            self.table[start + value as usize]
        } else {
            self.map.get(&(loc, value)).copied().unwrap_or(NO_SOURCE)
        };
        (entry < AMBIGUOUS).then_some(entry)
    }

    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        held(&[&self.rows, &self.table, &self.map])
    }
}

//! Vector clocks in one flat vector, for a number of entries that may grow.

/// Rows of as many counters each.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    width: usize,
    entries: Vec<u32>,
}

impl Rows {
    #[inline(always)]
    pub(super) fn width(&self) -> usize {
        self.width
    }

    #[inline(always)]
    pub(super) fn row(&self, row: u32) -> &[u32] {
        &self.entries[row as usize * self.width..][..self.width]
    }

    #[inline(always)]
    pub(super) fn row_mut(&mut self, row: u32) -> &mut [u32] {
        &mut self.entries[row as usize * self.width..][..self.width]
    }

    /// A new row of zeros. There must be room for an entry.
    pub(super) fn push(&mut self) -> u32 {
        let row = self.entries.len() / self.width;
        self.entries.resize(self.entries.len() + self.width, 0);
        row as u32
    }

    /// A new row like another.
    pub(super) fn push_copy(&mut self, row: u32) -> u32 {
        let start = row as usize * self.width;
        let new = self.entries.len() / self.width;
        self.entries.extend_from_within(start..start + self.width);
        new as u32
    }

    /// A new row with the entries of a row of another width: beyond the shorter of the two all are 0.
    pub(super) fn push_row(&mut self, entries: &[u32]) -> u32 {
        let row = self.push();
        let length = entries.len().min(self.width);
        self.row_mut(row)[..length].copy_from_slice(&entries[..length]);
        row
    }

    /// Makes room for `width` entries a row: for some more if it has to copy much, so that it seldom has to.
    pub(super) fn widen(&mut self, width: usize) {
        const MUCH: usize = 1 << 14;
        if width <= self.width {
            return;
        }
        let ahead = if self.entries.len() > MUCH { self.width + self.width / 4 } else { 0 };
        let width = width.max(ahead);
        if let Some(rows) = self.entries.len().checked_div(self.width) {
            let mut entries = vec![0; rows * width];
            for (new, old) in entries.chunks_exact_mut(width).zip(self.entries.chunks_exact(self.width)) {
                new[..self.width].copy_from_slice(old);
            }
            self.entries = entries;
        }
        self.width = width;
    }
}

/// The least upper bound, in place.
#[inline(always)]
pub(super) fn join(row: &mut [u32], other: &[u32]) {
    for (entry, &other) in row.iter_mut().zip(other) {
        *entry = (*entry).max(other);
    }
}

/// Whether `row` has all that `other` has.
#[inline(always)]
pub(super) fn includes(row: &[u32], other: &[u32]) -> bool {
    // Without a branch an entry, so that entries are compared many at a time.
    row.iter().zip(other).fold(true, |all, (entry, other)| all & (entry >= other))
}

//! Vector clocks in one flat vector, for a number of entries that may grow.

/// Rows of as many counters each. A row that others may share is never changed: what is learned makes a new one, so that
/// going back is cutting the vector off.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    width: usize,
    entries: Vec<u32>,
}

/// The row of zeros, which is always there.
pub(super) const EMPTY: u32 = 0;

impl Default for Rows {
    fn default() -> Self {
        Rows { width: 1, entries: vec![0] }
    }
}

impl Rows {
    #[inline(always)]
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// How many rows there are.
    #[inline(always)]
    pub(super) fn len(&self) -> u32 {
        (self.entries.len() / self.width) as u32
    }

    #[inline(always)]
    pub(super) fn row(&self, row: u32) -> &[u32] {
        &self.entries[row as usize * self.width..][..self.width]
    }

    #[inline(always)]
    pub(super) fn row_mut(&mut self, row: u32) -> &mut [u32] {
        &mut self.entries[row as usize * self.width..][..self.width]
    }

    /// A new row like another.
    #[inline(always)]
    pub(super) fn push_copy(&mut self, row: u32) -> u32 {
        let (start, new) = (row as usize * self.width, self.len());
        self.entries.extend_from_within(start..start + self.width);
        new
    }

    /// A new row with these entries, zeros behind them.
    #[inline(always)]
    pub(super) fn push(&mut self, entries: &[u32]) -> u32 {
        let (new, length) = (self.len(), entries.len().min(self.width));
        self.entries.extend_from_slice(&entries[..length]);
        self.entries.resize(self.entries.len() + self.width - length, 0);
        new
    }

    /// Joins an older row into a newer one.
    #[inline(always)]
    pub(super) fn join_from(&mut self, row: u32, older: u32) {
        let (old, new) = self.entries.split_at_mut(row as usize * self.width);
        join(&mut new[..self.width], &old[older as usize * self.width..][..self.width]);
    }

    /// Forgets all but the first rows.
    #[inline(always)]
    pub(super) fn truncate(&mut self, rows: u32) {
        self.entries.truncate(rows as usize * self.width);
    }

    /// Makes room for `width` entries a row.
    pub(super) fn widen(&mut self, width: usize) {
        let width = self.widened(width);
        if width == self.width {
            return;
        }
        let mut entries = vec![0; self.len() as usize * width];
        for (new, old) in entries.chunks_exact_mut(width).zip(self.entries.chunks_exact(self.width)) {
            new[..self.width].copy_from_slice(old);
        }
        (self.entries, self.width) = (entries, width);
    }

    /// The width that makes room for `width` entries a row: for some more if much has to be copied, so that it seldom has to be.
    fn widened(&self, width: usize) -> usize {
        const MUCH: usize = 1 << 14;
        if width <= self.width {
            return self.width;
        }
        let ahead = if self.entries.len() > MUCH { self.width + self.width / 4 } else { 0 };
        width.max(ahead)
    }

    /// Bytes that are needed beside those held to [widen](Self::widen) the rows.
    pub(super) fn bytes_to_widen(&self, width: usize) -> usize {
        match self.widened(width) {
            same if same == self.width => 0,
            wider => self.len() as usize * wider * size_of::<u32>(),
        }
    }

    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<u32>()
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

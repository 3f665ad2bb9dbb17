//! Clocks over lines: a row of counters a node in one flat vector, for a number of lines that may grow.

use tribunal_history::heap::Heap;

/// Rows of as many counters each. Where each node has its own, the row grows in place and a [trail](super::trail) has what it was. Where nodes share
/// rows, what is learned makes a new one, so that going back is cutting the vector off.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    width: usize,
    entries: Vec<u32>,
}

/// The row of zeros, which is always there.
pub(crate) const EMPTY: u32 = 0;

impl Default for Rows {
    fn default() -> Self {
        Rows::of(1, 1)
    }
}

impl Rows {
    /// So many rows of zeros.
    pub(crate) fn of(rows: usize, width: usize) -> Self {
        Rows { width, entries: vec![0; rows * width] }
    }

    #[inline(always)]
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    #[inline(always)]
    pub(crate) fn len(&self) -> u32 {
        (self.entries.len() / self.width) as u32
    }

    #[inline(always)]
    pub(crate) fn row(&self, row: u32) -> &[u32] {
        &self.entries[row as usize * self.width..][..self.width]
    }

    #[inline(always)]
    pub(crate) fn row_mut(&mut self, row: u32) -> &mut [u32] {
        &mut self.entries[row as usize * self.width..][..self.width]
    }

    /// An entry of a row.
    #[inline(always)]
    pub(crate) fn entry(&self, row: u32, column: usize) -> u32 {
        self.entries[row as usize * self.width + column]
    }

    /// Whether a row has more than another somewhere in the first columns.
    #[inline(always)]
    pub(crate) fn has_news(&self, from: u32, to: u32, columns: usize) -> bool {
        !includes(&self.row(to)[..columns], &self.row(from)[..columns])
    }

    /// Joins the first columns of a row into another. Calls `note` with each entry that grows and what it was; says which columns
    /// those are: a bit each, shared by those that are a multiple of `turn`, or of 64, apart.
    #[inline]
    pub(crate) fn learn(
        &mut self,
        from: u32,
        to: u32,
        (columns, turn): (usize, usize),
        mut note: impl FnMut(usize, u32),
    ) -> u64 {
        let (source, sink) = (from as usize * self.width, to as usize * self.width);
        let (low, high) = self.entries.split_at_mut(source.max(sink));
        let (low, high) = (&mut low[source.min(sink)..][..columns], &mut high[..columns]);
        let (known, grows) = if source < sink { (&*low, high) } else { (&*high, low) };
        let mut grown = 0;
        for (column, (entry, &known)) in grows.iter_mut().zip(known).enumerate() {
            if known > *entry {
                note(sink + column, *entry);
                *entry = known;
                grown |= 1 << (column % turn % 64);
            }
        }
        grown
    }

    /// Makes all rows zeros.
    pub(crate) fn clear(&mut self) {
        self.entries.fill(0);
    }

    /// Puts an entry back that [`learn`](Self::learn) told of.
    #[inline(always)]
    pub(crate) fn put_back(&mut self, at: usize, entry: u32) {
        self.entries[at] = entry;
    }

    /// A new row like another.
    #[inline(always)]
    pub(crate) fn push_copy(&mut self, row: u32) -> u32 {
        let (start, new) = (row as usize * self.width, self.len());
        self.entries.extend_from_within(start..start + self.width);
        new
    }

    /// A new row with these entries, zeros behind them.
    #[inline(always)]
    pub(crate) fn push(&mut self, entries: &[u32]) -> u32 {
        let (new, length) = (self.len(), entries.len().min(self.width));
        self.entries.extend_from_slice(&entries[..length]);
        self.entries.resize(self.entries.len() + self.width - length, 0);
        new
    }

    /// Joins an older row into a newer one.
    #[inline(always)]
    pub(crate) fn join_from(&mut self, row: u32, older: u32) {
        let (old, new) = self.entries.split_at_mut(row as usize * self.width);
        join(&mut new[..self.width], &old[older as usize * self.width..][..self.width]);
    }

    /// Forgets all but the first rows.
    #[inline(always)]
    pub(crate) fn truncate(&mut self, rows: u32) {
        self.entries.truncate(rows as usize * self.width);
    }

    /// Makes room for `width` entries a row.
    pub(crate) fn widen(&mut self, width: usize) {
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
    pub(crate) fn bytes_to_widen(&self, width: usize) -> usize {
        match self.widened(width) {
            same if same == self.width => 0,
            wider => self.len() as usize * wider * size_of::<u32>(),
        }
    }

    /// Bytes that are held.
    pub(crate) fn bytes(&self) -> usize {
        self.entries.held()
    }
}

/// The least upper bound, in place.
#[inline(always)]
pub(crate) fn join(row: &mut [u32], other: &[u32]) {
    for (entry, &other) in row.iter_mut().zip(other) {
        *entry = (*entry).max(other);
    }
}

/// Whether `row` has all that `other` has.
#[inline(always)]
pub(crate) fn includes(row: &[u32], other: &[u32]) -> bool {
    // Without a branch an entry, so that entries are compared many at a time.
    row.iter().zip(other).fold(true, |all, (entry, other)| all & (entry >= other))
}

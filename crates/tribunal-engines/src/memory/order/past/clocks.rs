//! Vector clocks, stored only where they change: a whole history's are computed once, in the order of a replay, so that events share rows, where the
//! rows of a saturation grow one by one.

use crate::reach::clocks::{includes, join};
use tribunal_history::memory::{EventId, ThreadId};

/// A row of the clock table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row(pub u32);

/// For each event e and each thread u other than e's own, how many events of u come before e.
///
/// Consecutive events of a thread share a row until one of them learns something new, so that the table takes 4 bytes an
/// event and 4·k bytes a change: O(n + c·k) for c changes, where c is at most the number of acquiring reads and fences.
/// The entry of a row's own thread is meaningless: an event comes after exactly the events before it in its thread.
///
/// Rows are kept in chunks, so that growing copies nothing.
pub(crate) struct Clocks {
    threads: usize,
    row_of: Vec<Row>,
    chunks: Vec<Vec<u32>>,
    /// The number of rows, and the rows of a chunk as a power of two.
    rows: u32,
    chunk_bits: u32,
}

/// About how many entries a chunk has, if a row has no more.
const CHUNK: usize = 1 << 16;

impl Clocks {
    /// A table for `events` events of `threads` threads, in which nothing is known of other threads.
    pub(crate) fn new(events: usize, threads: usize) -> Self {
        let chunk_bits = (CHUNK / threads.max(1)).max(1).ilog2();
        let row_of = vec![Row(0); events];
        let mut clocks = Clocks { threads, row_of, chunks: Vec::new(), rows: 0, chunk_bits };
        clocks.push_row();
        clocks
    }

    /// The row of nothing known.
    pub(crate) const EMPTY: Row = Row(0);

    /// The number of bytes that the table takes.
    pub(crate) fn bytes(&self) -> usize {
        let full = self.chunks.len().saturating_sub(1) * (self.threads << self.chunk_bits);
        4 * (self.row_of.len() + full + self.chunks.last().map_or(0, Vec::capacity))
    }

    #[inline(always)]
    pub(crate) fn row_of(&self, event: EventId) -> Row {
        self.row_of[event.index()]
    }

    #[inline(always)]
    pub(crate) fn set_row(&mut self, event: EventId, row: Row) {
        self.row_of[event.index()] = row;
    }

    #[inline(always)]
    pub(crate) fn row(&self, row: Row) -> &[u32] {
        let (chunk, start) = self.place(row);
        &self.chunks[chunk][start..start + self.threads]
    }

    /// The chunk of a row, and where it begins there.
    #[inline(always)]
    fn place(&self, Row(row): Row) -> (usize, usize) {
        let in_chunk = row & ((1 << self.chunk_bits) - 1);
        ((row >> self.chunk_bits) as usize, in_chunk as usize * self.threads)
    }

    /// A new row of nothing known.
    fn push_row(&mut self) {
        let (chunk, start) = self.place(Row(self.rows));
        self.rows += 1;
        if chunk == self.chunks.len() {
            // A small history has no use for a whole chunk.
            let room = if chunk == 0 { 0 } else { self.threads << self.chunk_bits };
            self.chunks.push(Vec::with_capacity(room));
        }
        self.chunks[chunk].resize(start + self.threads, 0);
    }

    /// A new row: the larger entries of two rows.
    #[inline(always)]
    fn push_joined(&mut self, base: Row, other: Row) -> Row {
        let ((base, base_start), (other, other_start)) = (self.place(base), self.place(other));
        self.push_row();
        let row = Row(self.rows - 1);
        let (last, start) = self.place(row);
        let (older, newest) = self.chunks.split_at_mut(last);
        let (written, room) = newest[0].split_at_mut(start);
        let of = |chunk: usize, start: usize| {
            let chunk = if chunk == last { &*written } else { &older[chunk] };
            &chunk[start..start + self.threads]
        };
        let (base, other) = (of(base, base_start), of(other, other_start));
        for ((entry, &known), &learned) in room.iter_mut().zip(base).zip(other) {
            *entry = known.max(learned);
        }
        row
    }

    /// The number of events of `thread`, which is not the thread of `event`, that come before `event`.
    #[inline(always)]
    pub(crate) fn known(&self, event: EventId, thread: ThreadId) -> u32 {
        self.entry(self.row_of[event.index()], thread)
    }

    #[inline(always)]
    pub(crate) fn entry(&self, row: Row, thread: ThreadId) -> u32 {
        let (chunk, start) = self.place(row);
        self.chunks[chunk][start + thread.index()]
    }

    /// A new row: `base` joined with `other`, with at least `count` events of `thread`.
    #[inline]
    pub(crate) fn join(&mut self, base: Row, other: Row, thread: ThreadId, count: u32) -> Row {
        let row = self.push_joined(base, other);
        let (chunk, start) = self.place(row);
        let entry = &mut self.chunks[chunk][start + thread.index()];
        *entry = (*entry).max(count);
        row
    }

    /// `base` joined with `other`: one of them if it has all that the other has, or else a new row.
    pub(crate) fn join_row(&mut self, base: Row, other: Row) -> Row {
        if base == other || includes(self.row(base), self.row(other)) {
            return base;
        }
        if includes(self.row(other), self.row(base)) {
            return other;
        }
        self.push_joined(base, other)
    }

    /// `row` with at least `count` events of `thread`.
    pub(crate) fn raise(&mut self, row: Row, thread: ThreadId, count: u32) -> Row {
        if self.entry(row, thread) >= count { row } else { self.join(row, row, thread, count) }
    }

    /// A new row: `base` joined with `learned`; or `base` itself if there is nothing new in `learned`.
    pub(crate) fn join_slice(&mut self, base: Row, learned: &[u32]) -> Row {
        if includes(self.row(base), learned) {
            return base;
        }
        let row = self.push_joined(base, base);
        let (chunk, start) = self.place(row);
        join(&mut self.chunks[chunk][start..start + self.threads], learned);
        row
    }
}

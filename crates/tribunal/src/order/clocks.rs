//! Vector clocks, stored only where they change.

use crate::memory::{EventId, Execution, ThreadId};

/// A row of the clock table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row(pub u32);

/// For each event e and each thread u other than e's own, how many events of u come before e.
///
/// Consecutive events of a thread share a row until one of them learns something new, so that the table takes 4 bytes an
/// event and 4·k bytes a change: O(n + c·k) for c changes, where c is at most the number of acquiring reads and fences.
/// The entry of a row's own thread is meaningless: an event comes after exactly the events before it in its thread.
pub(crate) struct Clocks {
    threads: usize,
    row_of: Vec<Row>,
    rows: Vec<u32>,
}

impl Clocks {
    /// A table for `events` events of `threads` threads, in which nothing is known of other threads.
    pub(crate) fn new(events: usize, threads: usize) -> Self {
        Clocks { threads, row_of: vec![Row(0); events], rows: vec![0; threads] }
    }

    /// The row of nothing known.
    pub(crate) const EMPTY: Row = Row(0);

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
        let start = row.0 as usize * self.threads;
        &self.rows[start..start + self.threads]
    }

    /// How many events of `thread`, which is not the thread of `event`, come before `event`.
    #[inline(always)]
    pub(crate) fn known(&self, event: EventId, thread: ThreadId) -> u32 {
        self.rows[self.row_of[event.index()].0 as usize * self.threads + thread.index()]
    }

    #[inline(always)]
    pub(crate) fn entry(&self, row: Row, thread: ThreadId) -> u32 {
        self.rows[row.0 as usize * self.threads + thread.index()]
    }

    /// A new row: `base` joined with `other`, with at least `count` events of `thread`.
    #[inline]
    pub(crate) fn join(&mut self, base: Row, other: Row, thread: ThreadId, count: u32) -> Row {
        let (base, other) = (base.0 as usize * self.threads, other.0 as usize * self.threads);
        let start = self.rows.len();
        self.rows.extend_from_within(base..base + self.threads);
        let (old, new) = self.rows.split_at_mut(start);
        for (entry, &learnt) in new.iter_mut().zip(&old[other..other + self.threads]) {
            *entry = (*entry).max(learnt);
        }
        new[thread.index()] = new[thread.index()].max(count);
        Row((start / self.threads) as u32)
    }

    /// `base` joined with `other`: one of them if it has all that the other has, or else a new row.
    pub(crate) fn join_row(&mut self, base: Row, other: Row) -> Row {
        let has_all = |a: Row, b: Row| self.row(a).iter().zip(self.row(b)).all(|(a, b)| a >= b);
        if base == other || has_all(base, other) {
            return base;
        }
        if has_all(other, base) {
            return other;
        }
        self.join(base, other, ThreadId(0), 0)
    }

    /// `row` with at least `count` events of `thread`.
    pub(crate) fn raise(&mut self, row: Row, thread: ThreadId, count: u32) -> Row {
        if self.entry(row, thread) >= count { row } else { self.join(row, row, thread, count) }
    }

    /// A new row: `base` joined with `learnt`; or `base` itself if there is nothing new in `learnt`.
    pub(crate) fn join_slice(&mut self, base: Row, learnt: &[u32]) -> Row {
        if self.row(base).iter().zip(learnt).all(|(known, new)| known >= new) {
            return base;
        }
        let start = self.rows.len();
        let base = base.0 as usize * self.threads;
        self.rows.extend_from_within(base..base + self.threads);
        for (entry, &new) in self.rows[start..].iter_mut().zip(learnt) {
            *entry = (*entry).max(new);
        }
        Row((start / self.threads) as u32)
    }
}

/// Whether `a` comes before `b` in the order that the clocks tell, or in po alone if there are none.
pub(crate) fn comes_before(x: &Execution, clocks: Option<&Clocks>, a: EventId, b: EventId) -> bool {
    match (x.slot(a), x.slot(b)) {
        (None, b) => b.is_some(),
        (_, None) => false,
        (Some(a), Some(b)) if a.thread == b.thread => a.index < b.index,
        (Some(slot), Some(_)) => clocks.is_some_and(|clocks| clocks.known(b, slot.thread) > slot.index),
    }
}

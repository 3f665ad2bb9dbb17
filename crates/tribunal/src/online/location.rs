//! One location of an execution that grows: who wrote it, who knows of it, and hbmo.

use super::rows::{Rows, includes, join};
use super::writes::{NONE, WriteId, Writes};
use crate::memory::ThreadId;

/// The threads that access a location, each with its line of writes, and hbmo between the lines.
///
/// A row has an entry a line: how many of the line's writes are before something. That is all there is to say, since
/// the writes of a line are in mo order. A row that belongs to a line says nothing of that line itself.
#[derive(Clone, Debug)]
pub(super) struct Location {
    pub(super) init: WriteId,
    pub(super) lines: Vec<Line>,
    /// The thread of each line.
    pub(super) threads: Vec<ThreadId>,
    /// By thread: its line, or [`NONE`].
    line_of: Vec<u32>,
    /// For each line, how many writes of the other lines happen before the thread's last access here.
    fronts: Rows,
    /// Rows of hbmo; the first is empty.
    rows: Rows,
}

/// A thread's accesses of one location.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) writes: Vec<WriteId>,
    /// Where each write stands in its thread.
    pub(super) indices: Vec<u32>,
    /// For each write, what was known to be before it when the next one came. Neighbours share a row if nothing was
    /// learnt in between.
    rows: Vec<u32>,
    /// What was learnt later: from which write of the line on, and the row that is before them too. Sorted; each row
    /// includes those in front of it.
    late: Vec<(u32, u32)>,
    /// The write that the thread's last access left: whatever the thread knew then is that write or before it.
    pub(super) left: WriteId,
    /// How often the thread had learnt something at that access.
    pub(super) learnt: u32,
}

/// The row of nothing.
const EMPTY: u32 = 0;

impl Location {
    pub(super) fn new(init: WriteId) -> Self {
        let mut rows = Rows::default();
        rows.widen(1);
        rows.push();
        Location {
            init,
            lines: Vec::new(),
            threads: Vec::new(),
            line_of: Vec::new(),
            fronts: Rows::default(),
            rows,
        }
    }

    /// The length of a row.
    #[inline(always)]
    pub(super) fn width(&self) -> usize {
        self.rows.width()
    }

    /// The line of a thread, new or not. A new line changes nothing that can be seen.
    pub(super) fn line(&mut self, thread: ThreadId) -> u32 {
        match self.line_of.get(thread.index()) {
            Some(&line) if line != NONE => line,
            _ => self.new_line(thread),
        }
    }

    fn new_line(&mut self, thread: ThreadId) -> u32 {
        let line = self.lines.len() as u32;
        if self.line_of.len() <= thread.index() {
            self.line_of.resize(thread.index() + 1, NONE);
        }
        self.line_of[thread.index()] = line;
        self.threads.push(thread);
        self.lines.push(Line {
            writes: Vec::new(),
            indices: Vec::new(),
            rows: Vec::new(),
            late: Vec::new(),
            left: self.init,
            learnt: NONE,
        });
        self.rows.widen(self.lines.len());
        self.fronts.widen(self.lines.len());
        self.fronts.push();
        line
    }

    /// The line and the place in it of a write of a thread; none of the initial one.
    #[inline(always)]
    pub(super) fn place(&self, writes: &Writes, write: WriteId) -> Option<(usize, u32)> {
        let slot = writes.slot(write)?;
        Some((self.line_of[slot.thread.index()] as usize, writes.ordinal(write)))
    }

    /// For each line, how many of its writes happened before the last access of a line's thread.
    #[inline(always)]
    pub(super) fn front(&self, line: u32) -> &[u32] {
        self.fronts.row(line)
    }

    /// Moves a front of a line's thread up to what `clock` knows of the other lines. Calls `moved` with the last
    /// write that is now known of each line of which it knows more.
    #[inline(always)]
    pub(super) fn advance(
        &self,
        line: u32,
        front: &mut [u32],
        clock: &[u32],
        mut moved: impl FnMut(WriteId),
    ) {
        for (i, (other, count)) in self.lines.iter().zip(front).enumerate() {
            if i == line as usize {
                continue;
            }
            let known = clock[self.threads[i].index()];
            let before = *count;
            while other.indices.get(*count as usize).is_some_and(|&index| index < known) {
                *count += 1;
            }
            if *count > before {
                moved(other.writes[*count as usize - 1]);
            }
        }
    }

    /// The thread of a line has accessed the location with this front.
    #[inline(always)]
    pub(super) fn settle(&mut self, line: u32, front: &[u32]) {
        self.fronts.row_mut(line).copy_from_slice(front);
    }

    /// Adds a write to a line, behind all that its thread knows.
    pub(super) fn append(&mut self, line: u32, write: WriteId, index: u32) {
        let Location { lines, fronts, rows, .. } = self;
        let own = &mut lines[line as usize];
        let last = own.rows.last().copied().unwrap_or(EMPTY);
        let known = fronts.row(line);
        let row = if includes(rows.row(last), known) {
            last
        } else {
            let row = rows.push_copy(last);
            join(rows.row_mut(row), known);
            row
        };
        own.writes.push(write);
        own.indices.push(index);
        own.rows.push(row);
    }

    /// Joins what hbmo has before a write of a line into `before`.
    #[inline(always)]
    pub(super) fn join_before(&self, line: usize, ordinal: u32, before: &mut [u32]) {
        let own = &self.lines[line];
        join(before, self.rows.row(own.rows[ordinal as usize]));
        if let Some(late) = own.late_row(ordinal) {
            join(before, self.rows.row(late));
        }
    }

    /// Puts what `before` says in front of a write of a line, and so of all that are behind it.
    pub(super) fn raise(&mut self, line: usize, ordinal: u32, before: &mut [u32]) {
        let Location { lines, rows, .. } = self;
        let own = &mut lines[line];
        before[line] = 0;
        let row = own.rows[ordinal as usize];
        let late = rows.row(own.late_row(ordinal).unwrap_or(EMPTY));
        if rows.row(row).iter().zip(late).zip(&*before).all(|((a, b), new)| a.max(b) >= new) {
            return;
        }
        if ordinal as usize + 1 == own.rows.len() {
            // Those behind it will be told when they come.
            let shared = row == EMPTY || ordinal > 0 && own.rows[ordinal as usize - 1] == row;
            let row = if shared { rows.push_copy(row) } else { row };
            own.rows[ordinal as usize] = row;
            join(rows.row_mut(row), before);
            return;
        }
        let first = own.late.partition_point(|&(from, _)| from < ordinal);
        if own.late.get(first).is_none_or(|&(from, _)| from > ordinal) {
            let earlier = if first > 0 { own.late[first - 1].1 } else { EMPTY };
            own.late.insert(first, (ordinal, rows.push_copy(earlier)));
        }
        for &(_, row) in &own.late[first..] {
            if includes(rows.row(row), before) {
                break;
            }
            join(rows.row_mut(row), before);
        }
    }
}

impl Line {
    /// The row that was learnt later of a write, if there is one.
    #[inline(always)]
    fn late_row(&self, ordinal: u32) -> Option<u32> {
        let &(from, row) = self.late.last()?;
        if from <= ordinal {
            return Some(row);
        }
        let count = self.late.partition_point(|&(from, _)| from <= ordinal);
        (count > 0).then(|| self.late[count - 1].1)
    }
}

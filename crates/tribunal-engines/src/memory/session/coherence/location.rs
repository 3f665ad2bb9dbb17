//! One location of an execution that grows: who wrote it, who knows of it, and hbmo.

use super::super::knowledge::Release;
use super::super::log::{Log, NONE};
use super::{Change, Links};
use crate::reach::clocks::{EMPTY, Rows, includes, join};
use tribunal_history::heap::held;
use tribunal_history::memory::{LocId, ThreadId};

/// The threads that access a location, each with its line of accesses, and hbmo between the lines.
///
/// A row has an entry a line: how many of the line's accesses are before something. That is all there is to say, since
/// what the accesses of a line leave is in mo order. A row that belongs to a line says nothing of that line itself.
#[derive(Clone, Debug)]
pub(super) struct Location {
    /// The initial write, or what is left of its chain: its first write. Or [`NONE`].
    pub(super) first: u32,
    pub(super) lines: Vec<Line>,
    /// By thread: its line, or [`NONE`].
    line_of: Vec<u32>,
    pub(super) rows: Rows,
    /// The number of accesses that were left after retiring.
    pub(super) kept: usize,
}

/// A thread's accesses of one location: those that others must know of.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) thread: ThreadId,
    /// The number of accesses that have been retired. Ordinals count them.
    pub(super) base: u32,
    pub(super) accesses: Vec<Access>,
    /// What was learned later: from which ordinal on, and the row that is before them too. Sorted; each row includes those
    /// in front of it.
    pub(super) late: Vec<(u32, u32)>,
    pub(super) state: LineState,
}

/// A write, or a read of what its thread need not have heard of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// Its place in its thread.
    pub(super) index: u32,
    /// The write that it leaves: itself, or what it reads from.
    pub(super) left: u32,
    /// What was known to be before it when the next one came. Neighbors share a row if nothing was learned in between.
    pub(super) row: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct LineState {
    /// The write that the thread's last access left, or [`NONE`]: whatever the thread knew then is that write or before it.
    pub(super) left: u32,
    /// For each line, how many accesses of the others happen before the thread's last access here.
    pub(super) front: u32,
    /// The row of what the thread knew at that access.
    pub(super) known: u32,
    /// What the thread's last release of this location releases.
    pub(super) release: Release,
}

impl LineState {
    fn new(first: u32) -> Self {
        LineState { left: first, front: EMPTY, known: NONE, release: Release::default() }
    }
}

impl Line {
    /// The ordinal of the next access.
    #[inline(always)]
    pub(super) fn end(&self) -> u32 {
        self.base + self.accesses.len() as u32
    }

    /// An access by its ordinal, unless it is retired.
    #[inline(always)]
    pub(super) fn get(&self, ordinal: u32) -> Option<&Access> {
        self.accesses.get(ordinal.checked_sub(self.base)? as usize)
    }

    /// The row that was learned later of an access, if there is one.
    #[inline(always)]
    fn late_row(&self, ordinal: u32) -> u32 {
        match self.late.last() {
            None => EMPTY,
            Some(&(from, row)) if from <= ordinal => row,
            _ => match self.late.partition_point(|&(from, _)| from <= ordinal) {
                0 => EMPTY,
                count => self.late[count - 1].1,
            },
        }
    }
}

impl Location {
    pub(super) fn new(first: u32) -> Self {
        let rows = Rows::default();
        Location { first, lines: Vec::new(), line_of: Vec::new(), rows, kept: 0 }
    }

    /// As if it were new: it was undone, and nothing is in its lines.
    pub(super) fn renew(&mut self, first: u32) {
        self.first = first;
        self.lines.iter_mut().for_each(|line| line.state = LineState::new(first));
    }

    /// Forgets all accesses.
    pub(super) fn clear(&mut self) {
        for line in &mut self.lines {
            line.accesses.clear();
            line.late.clear();
            line.base = 0;
        }
        self.rows.truncate(EMPTY + 1);
        self.kept = 0;
    }

    /// The length of a row.
    #[inline(always)]
    pub(super) fn width(&self) -> usize {
        self.rows.width()
    }

    /// The line of a thread, if it has one.
    #[inline(always)]
    pub(super) fn line_of(&self, thread: ThreadId) -> Option<usize> {
        self.line_of.get(thread.index()).filter(|&&line| line != NONE).map(|&line| line as usize)
    }

    /// The line of a thread, new or not. A new line changes nothing that can be seen.
    #[inline(always)]
    pub(super) fn line(&mut self, thread: ThreadId) -> usize {
        match self.line_of(thread) {
            Some(line) => line,
            None => self.new_line(thread),
        }
    }

    #[cold]
    fn new_line(&mut self, thread: ThreadId) -> usize {
        let line = self.lines.len();
        if self.line_of.len() <= thread.index() {
            self.line_of.resize(thread.index() + 1, NONE);
        }
        self.line_of[thread.index()] = line as u32;
        let state = LineState::new(self.first);
        self.lines.push(Line { thread, base: 0, accesses: Vec::new(), late: Vec::new(), state });
        // Threads mostly come one after the other.
        self.rows.widen(self.lines.len().next_multiple_of(4));
        line
    }

    /// The line and the ordinal of a write of a thread; none of the initial one.
    #[inline(always)]
    pub(super) fn place(&self, log: &Log, links: &Links, write: u32) -> Option<(usize, u32)> {
        match log.at(write).thread {
            NONE => None,
            thread => Some((self.line_of[thread as usize] as usize, links[write as usize].ordinal)),
        }
    }

    /// Moves a front of a line's thread up to what `clock` knows of the other lines. Calls `moved` with what the last
    /// access that is now known of each line leaves, if it knows more of that line.
    #[inline(always)]
    pub(super) fn advance(&self, line: usize, front: &mut [u32], clock: &[u32], mut moved: impl FnMut(u32)) {
        for (i, (other, count)) in self.lines.iter().zip(front).enumerate() {
            if i == line {
                continue;
            }
            let known = clock[other.thread.index()];
            let start = (*count).max(other.base);
            let mut next = (start - other.base) as usize;
            let before = next;
            while other.accesses.get(next).is_some_and(|access| access.index < known) {
                next += 1;
            }
            *count = other.base + next as u32;
            if next > before {
                moved(other.accesses[next - 1].left);
            }
        }
    }

    /// Adds an access to a line, behind all that its thread knows and, if it did not know it, behind what it reads from.
    pub(super) fn append(&mut self, line: usize, index: u32, left: u32, source: Option<(usize, u32)>) {
        let Location { lines, rows, .. } = self;
        let own = &mut lines[line];
        let last = own.accesses.last().map_or(EMPTY, |access| access.row);
        let (known, last_row) = (rows.row(own.state.front), rows.row(last));
        let heard = source.is_none_or(|(line, ordinal)| last_row[line] > ordinal);
        let row = if heard && includes(last_row, known) {
            last
        } else {
            let row = rows.push_copy(last);
            rows.join_from(row, own.state.front);
            if let Some((line, ordinal)) = source {
                let entry = &mut rows.row_mut(row)[line];
                *entry = (*entry).max(ordinal + 1);
            }
            row
        };
        own.accesses.push(Access { index, left, row });
    }

    /// Joins what hbmo has before an access into `before`; nothing if it is retired.
    #[inline(always)]
    pub(super) fn join_before(&self, line: usize, ordinal: u32, before: &mut [u32]) {
        let own = &self.lines[line];
        if let Some(access) = own.get(ordinal) {
            join(before, self.rows.row(access.row));
            let late = own.late_row(ordinal);
            if late != EMPTY {
                join(before, self.rows.row(late));
            }
        }
    }

    /// Puts what `before` says in front of a write of a line, and so of all that are behind it. Tells `changed` what to put
    /// back.
    pub(super) fn raise(
        &mut self,
        (loc, line, ordinal): (LocId, usize, u32),
        before: &mut [u32],
        mut changed: impl FnMut(Change),
    ) {
        let Location { lines, rows, .. } = self;
        let own = &mut lines[line];
        before[line] = 0;
        let at = (ordinal - own.base) as usize;
        let row = own.accesses[at].row;
        let late = rows.row(own.late_row(ordinal));
        if rows.row(row).iter().zip(late).zip(&*before).all(|((a, b), new)| a.max(b) >= new) {
            return;
        }
        if at + 1 == own.accesses.len() {
            // Those behind it will be told when they come.
            changed(Change::Row { loc, line: line as u32, ordinal, row });
            let row = rows.push_copy(row);
            join(rows.row_mut(row), before);
            own.accesses[at].row = row;
            return;
        }
        let first = own.late.partition_point(|&(from, _)| from < ordinal);
        if own.late.get(first).is_none_or(|&(from, _)| from > ordinal) {
            let earlier = if first > 0 { own.late[first - 1].1 } else { EMPTY };
            own.late.insert(first, (ordinal, earlier));
            changed(Change::LateNew { loc, line: line as u32, at: first as u32 });
        }
        for (i, (_, row)) in own.late.iter_mut().enumerate().skip(first) {
            if includes(rows.row(*row), before) {
                break;
            }
            changed(Change::Late { loc, line: line as u32, at: i as u32, row: *row });
            *row = rows.push_copy(*row);
            join(rows.row_mut(*row), before);
        }
    }
}

impl Location {
    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        let lines = self.lines.iter().map(|line| held(&[&line.accesses, &line.late]));
        size_of::<Self>() + lines.sum::<usize>() + held(&[&self.lines, &self.line_of]) + self.rows.bytes()
    }
}

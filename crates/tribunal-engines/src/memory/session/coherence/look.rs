//! The view that a thread has of a location before it accesses it.

use super::super::log::{Log, NONE};
use super::location::Location;
use super::{Link, Links};
use tribunal_history::memory::{LocId, ThreadId};

/// The writes that happen before the next access of a thread, or that are read before it, and all that hbmo has before them.
///
/// Kept until the execution changes, so that one look serves the candidates of an access and the access itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Look {
    of: Option<(ThreadId, LocId)>,
    pub(super) line: usize,
    /// For each line, how many of its accesses the thread knows.
    pub(super) front: Vec<u32>,
    /// The write that the thread's last access of the location left, and of every other line of which the thread has
    /// learned more since, what the last access that it knows left. Whatever else it knows is before one of these. Where there
    /// is not an mo: the last write of each line that the thread knows.
    pub(super) seen: Vec<u32>,
    /// For each line, how many accesses are before one of `seen`, if `closed`. A chain is before if its top is.
    pub(super) before: Vec<u32>,
    pub(super) closed: bool,
    /// How many accesses of each line the closure has been taken of.
    visited: Vec<u32>,
}

impl Look {
    /// Forgets what was seen: the execution has changed.
    #[inline(always)]
    pub(super) fn forget(&mut self) {
        self.of = None;
    }

    /// Looks at a location with the clock of a thread, of which `known` is the row.
    #[inline]
    pub(super) fn at(
        &mut self,
        location: &mut Location,
        (thread, loc): (ThreadId, LocId),
        (clock, known): (&[u32], u32),
        mo: bool,
    ) {
        if self.of == Some((thread, loc)) {
            return;
        }
        self.of = Some((thread, loc));
        let line = location.line(thread);
        self.line = line;
        let state = &location.lines[line].state;
        self.closed = false;
        self.seen.clear();
        self.front.clear();
        self.front.extend_from_slice(location.rows.row(state.front));
        if mo && state.left != NONE {
            self.seen.push(state.left);
        }
        if state.known != known {
            location.advance(line, &mut self.front, clock, |left| self.seen.push(left));
        }
        if !mo {
            self.see_all(location);
        }
    }

    /// The last write of each line that is known.
    fn see_all(&mut self, location: &Location) {
        self.seen.clear();
        for (i, (line, &count)) in location.lines.iter().zip(&self.front).enumerate() {
            let count = if i == self.line { line.end() } else { count };
            let last = count.checked_sub(1).and_then(|last| line.get(last));
            self.seen.extend(last.map(|access| access.left));
        }
    }

    /// Finds all that is before what was seen.
    pub(super) fn close(&mut self, location: &Location, log: &Log, links: &Links) {
        if !self.closed {
            let seen = std::mem::take(&mut self.seen);
            self.close_from(&seen, location, log, links);
            (self.seen, self.closed) = (seen, true);
        }
    }

    /// A write among those seen before which mo must put a chain that is not the initial write's. The closure no longer
    /// holds for all of them.
    pub(super) fn overwriting(
        &mut self,
        top: u32,
        location: &Location,
        log: &Log,
        links: &Links,
    ) -> Option<u32> {
        self.forget();
        let seen = std::mem::take(&mut self.seen);
        let found = seen.iter().copied().find(|write| {
            self.close_from(std::slice::from_ref(write), location, log, links);
            self.has_before(top, location, log, links)
        });
        self.seen = seen;
        found
    }

    /// The write among those seen that is behind a write in its chain.
    #[inline(always)]
    pub(super) fn hiding(&self, write: u32, links: &Links) -> Option<u32> {
        let Link { top, position, .. } = links[write as usize];
        self.seen.iter().copied().find(|&seen| {
            let seen = &links[seen as usize];
            seen.top == top && seen.position > position
        })
    }

    /// Whether a chain is before what was seen.
    #[inline(always)]
    pub(super) fn has_before(&self, top: u32, location: &Location, log: &Log, links: &Links) -> bool {
        if top == location.first {
            // Nothing but its own chain is before the initial write.
            return self.seen.iter().any(|&seen| links[seen as usize].top != top);
        }
        location.place(log, links, top).is_some_and(|(line, ordinal)| self.before[line] > ordinal)
    }

    /// The transitive closure: hbmo itself is not kept closed. It is enough to visit the last access of each line, since
    /// hbmo has whatever is before an access before all that follow it in its line.
    pub(super) fn close_from(&mut self, seen: &[u32], location: &Location, log: &Log, links: &Links) {
        let Look { before, .. } = self;
        before.clear();
        before.resize(location.width(), 0);
        for &write in seen {
            // What is before the chain, and not what is before the write, among which is its chain.
            let top = links[write as usize].top;
            let Some((line, ordinal)) = location.place(log, links, top) else { continue };
            if before[line] <= ordinal {
                location.join_before(line, ordinal, before);
                before[line] = before[line].max(ordinal);
            }
        }
        self.close_before(location);
    }

    /// Closes `before`.
    pub(super) fn close_before(&mut self, location: &Location) {
        let Look { before, visited, .. } = self;
        visited.clear();
        visited.resize(location.width(), 0);
        let mut moved = true;
        while moved {
            moved = false;
            for line in 0..location.lines.len() {
                let count = before[line];
                if count > visited[line] {
                    visited[line] = count;
                    location.join_before(line, count - 1, before);
                    moved = true;
                }
            }
        }
    }
}

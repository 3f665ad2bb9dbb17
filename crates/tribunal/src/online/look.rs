//! What a thread sees of a location before it accesses it.

use super::location::Location;
use super::writes::{WriteId, Writes};
use crate::memory::{LocId, ThreadId};

/// The writes that happen before the next access of a thread, and all that hbmo has before them.
///
/// Kept until the execution grows, so that one look serves the candidates of an access and the access itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Look {
    of: Option<(ThreadId, LocId)>,
    /// For each line, how many of its writes the thread knows.
    pub(super) front: Vec<u32>,
    /// The write that the thread's last access of the location left, and of every other line of which the thread has
    /// learnt more since, the last write that it knows. Whatever else it knows is before one of these.
    pub(super) seen: Vec<WriteId>,
    /// For each line, how many writes are before one of `seen`, if `closed`. A chain is before if its top is.
    pub(super) before: Vec<u32>,
    pub(super) closed: bool,
    /// How many writes of each line the closure has been taken of.
    visited: Vec<u32>,
}

impl Look {
    /// Forgets what was seen: the execution has grown.
    #[inline(always)]
    pub(super) fn forget(&mut self) {
        self.of = None;
    }

    /// Looks at a location with the clock of a thread that has learnt something so many times. Says which line is the
    /// thread's.
    #[inline]
    pub(super) fn at(
        &mut self,
        location: &mut Location,
        (thread, loc): (ThreadId, LocId),
        clock: &[u32],
        learnt: u32,
    ) -> u32 {
        let line = location.line(thread);
        if self.of.replace((thread, loc)) != Some((thread, loc)) {
            let own = &location.lines[line as usize];
            self.closed = false;
            self.seen.clear();
            self.seen.push(own.left);
            self.front.clear();
            self.front.extend_from_slice(location.front(line));
            if own.learnt != learnt {
                location.advance(line, &mut self.front, clock, |write| self.seen.push(write));
            }
        }
        line
    }

    /// Finds all that is before what was seen.
    pub(super) fn close(&mut self, location: &Location, writes: &Writes) {
        if !self.closed {
            let seen = std::mem::take(&mut self.seen);
            self.close_from(&seen, location, writes);
            (self.seen, self.closed) = (seen, true);
        }
    }

    /// A write among those seen before which mo must put a chain that is not the initial write's. The closure no longer
    /// holds for all of them.
    pub(super) fn overwriting(
        &mut self,
        top: WriteId,
        location: &Location,
        writes: &Writes,
    ) -> Option<WriteId> {
        self.forget();
        let seen = std::mem::take(&mut self.seen);
        let found = seen.iter().copied().find(|write| {
            self.close_from(std::slice::from_ref(write), location, writes);
            self.has_before(top, location, writes)
        });
        self.seen = seen;
        found
    }

    /// Whether a chain is before what was seen.
    #[inline(always)]
    pub(super) fn has_before(&self, top: WriteId, location: &Location, writes: &Writes) -> bool {
        match location.place(writes, top) {
            Some((line, ordinal)) => self.before[line] > ordinal,
            // Nothing but its own chain is before the initial write.
            None => self.seen.iter().any(|&seen| writes.top(seen) != top),
        }
    }

    /// The transitive closure: hbmo itself is not kept closed. It is enough to visit the last write of each line, since
    /// hbmo has whatever is before a write before all that follow it in its line.
    fn close_from(&mut self, seen: &[WriteId], location: &Location, writes: &Writes) {
        let Look { before, visited, .. } = self;
        for counts in [&mut *before, &mut *visited] {
            counts.clear();
            counts.resize(location.width(), 0);
        }
        for &write in seen {
            // What is before the chain, and not what is before the write, among which is its chain.
            let Some((line, ordinal)) = location.place(writes, writes.top(write)) else { continue };
            if before[line] <= ordinal {
                location.join_before(line, ordinal, before);
                before[line] = before[line].max(ordinal);
            }
        }
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

//! The knowledge of threads: happens-before as clocks, while the execution grows.

use crate::memory::order::past::happens_before::Synchronization;
use crate::reach::clocks::{EMPTY, Rows, includes, join};
use crate::reach::trail::Trail;
use tribunal_history::heap::Heap;
use tribunal_history::memory::{Order, ThreadId};

/// The knowledge that a reader of a write may acquire: a row, and so many events of the write's own thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Release {
    row: u32,
    own: u32,
}

impl Release {
    /// Whether there is nothing to acquire.
    #[inline(always)]
    fn is_nothing(self) -> bool {
        self.own == 0 && self.row == EMPTY
    }
}

/// The knowledge of a thread. Its own entry in a row means nothing: it knows all of its own events.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// How many events it has.
    count: u32,
    /// How many events of each thread happen before its next one.
    now: u32,
    /// What its last release fence releases.
    fence: Release,
    /// What relaxed reads have read, for an acquire fence to acquire.
    pending: u32,
}

/// The clocks of all threads.
#[derive(Clone, Debug)]
pub(super) struct Knowledge {
    synchronization: Synchronization,
    rows: Rows,
    threads: Vec<State>,
    /// The states that threads had, and how many rows there were.
    trail: Trail<(ThreadId, State, u32)>,
    /// How many rows were left after retiring.
    kept: u32,
}

impl Knowledge {
    pub(super) fn new(synchronization: Synchronization) -> Self {
        let (rows, threads, trail) = Default::default();
        Knowledge { synchronization, rows, threads, trail, kept: 0 }
    }

    /// Whether a thread may read what does not happen before its next event.
    #[inline(always)]
    pub(super) fn has_unheard_reads(&self) -> bool {
        self.synchronization != Synchronization::EveryRead
    }

    pub(super) fn add_thread(&mut self) {
        self.threads.push(State::default());
        self.rows.widen(self.threads.len());
    }

    /// Bytes that another thread needs beside those held.
    pub(super) fn bytes_of_thread(&self) -> usize {
        self.rows.bytes_to_widen(self.threads.len() + 1)
    }

    /// For each thread, how many of its events happen before the next event of `thread`.
    #[inline(always)]
    pub(super) fn now(&self, thread: ThreadId) -> &[u32] {
        self.rows.row(self.threads[thread.index()].now)
    }

    /// Which row that is: the same as long as nothing is learned.
    #[inline(always)]
    pub(super) fn now_row(&self, thread: ThreadId) -> u32 {
        self.threads[thread.index()].now
    }

    /// A row.
    pub(super) fn row(&self, row: u32) -> &[u32] {
        self.rows.row(row)
    }

    /// What a thread would know behind a read of a write of `writer` that releases so much.
    pub(super) fn after_read(
        &self,
        thread: ThreadId,
        writer: ThreadId,
        release: Release,
        order: Order,
        clock: &mut Vec<u32>,
    ) {
        clock.clear();
        clock.extend_from_slice(self.now(thread));
        if order.is_acquire() {
            join(clock, self.rows.row(release.row));
            let own = &mut clock[writer.index()];
            *own = (*own).max(release.own);
        }
    }

    /// How many events a thread has.
    #[inline(always)]
    pub(super) fn count(&self, thread: ThreadId) -> u32 {
        self.threads[thread.index()].count
    }

    /// Remembers what a thread knows before its next event, to go back to it.
    #[inline(always)]
    pub(super) fn remember(&mut self, thread: ThreadId) {
        self.trail.note((thread, self.threads[thread.index()], self.rows.len()));
    }

    /// The thread reads a write of `writer` that releases so much. Its own RMW may pass on what it has not acquired.
    #[inline]
    pub(super) fn read(&mut self, thread: ThreadId, writer: ThreadId, mut release: Release, order: Order) {
        let State { now, pending, .. } = self.threads[thread.index()];
        if writer == thread {
            release.own = 0;
        }
        match self.synchronization {
            Synchronization::Nothing => {}
            Synchronization::EveryRead => {
                // Who knows the write knows what happened before it.
                if self.rows.row(now)[writer.index()] < release.own {
                    self.threads[thread.index()].now = self.join(now, writer, release);
                }
            }
            _ if release.is_nothing() => {}
            _ if order.is_acquire() => {
                self.threads[thread.index()].now = self.join(now, writer, release);
            }
            _ if order == Order::NonAtomic => {}
            // Nobody else has this row, so that it may grow where it is.
            _ if !self.trail.is_marked() && pending > release.row => {
                self.rows.join_from(pending, release.row);
                let own = &mut self.rows.row_mut(pending)[writer.index()];
                *own = (*own).max(release.own);
            }
            _ => {
                self.threads[thread.index()].pending = self.join(pending, writer, release);
            }
        }
    }

    /// What the thread's next event releases, a write of a location of which `continued` was its last release. An RMW passes
    /// on what it has read.
    #[inline]
    pub(super) fn release(
        &mut self,
        thread: ThreadId,
        order: Order,
        continued: &mut Release,
        source: Option<(ThreadId, Release)>,
    ) -> Release {
        let State { count, now, fence, .. } = self.threads[thread.index()];
        let here = Release { row: now, own: count + 1 };
        let sequences = match self.synchronization {
            Synchronization::Nothing => return Release::default(),
            Synchronization::EveryRead => return here,
            _ if order == Order::NonAtomic => {
                return Release::default();
            }
            Synchronization::Annotated => false,
            Synchronization::Continued => true,
        };
        let own = if order.is_release() {
            if sequences {
                *continued = here;
            }
            here
        } else if continued.own > fence.own {
            *continued
        } else {
            fence
        };
        // Who acquires and releases knows what it has read.
        let passes_on = !(order.is_acquire() && order.is_release());
        match source {
            Some((writer, passed)) if passes_on && !passed.is_nothing() => {
                Release { row: self.join(own.row, writer, passed), own: own.own }
            }
            _ => own,
        }
    }

    /// How many events of a thread are acquired with a write of `writer`.
    pub(super) fn released(&self, release: Release, writer: ThreadId, of: ThreadId) -> u32 {
        if of == writer { release.own } else { self.rows.row(release.row)[of.index()] }
    }

    /// The thread's next event is a fence.
    pub(super) fn fence(&mut self, thread: ThreadId, order: Order) {
        if !matches!(self.synchronization, Synchronization::Annotated | Synchronization::Continued) {
            return;
        }
        let State { count, now, pending, .. } = self.threads[thread.index()];
        if order.is_acquire() && pending != EMPTY && !includes(self.rows.row(now), self.rows.row(pending)) {
            let new = self.rows.push_copy(now);
            self.rows.join_from(new, pending);
            self.threads[thread.index()].now = new;
        }
        if order.is_release() {
            let row = self.threads[thread.index()].now;
            self.threads[thread.index()].fence = Release { row, own: count + 1 };
        }
    }

    /// The thread's event is over.
    #[inline(always)]
    pub(super) fn advance(&mut self, thread: ThreadId) {
        let count = &mut self.threads[thread.index()].count;
        *count = count.checked_add(1).expect("the events of a thread are counted with 32 bits");
    }

    /// A row with what is in `row` and what is released by a write of `writer`.
    #[inline(always)]
    fn join(&mut self, row: u32, writer: ThreadId, release: Release) -> u32 {
        let known = self.rows.row(row);
        if known[writer.index()] >= release.own && includes(known, self.rows.row(release.row)) {
            return row;
        }
        let new = self.rows.push_copy(row);
        self.rows.join_from(new, release.row);
        let own = &mut self.rows.row_mut(new)[writer.index()];
        *own = (*own).max(release.own);
        new
    }

    pub(super) fn mark(&mut self) -> usize {
        self.trail.mark()
    }

    /// As if there were no thread.
    pub(super) fn clear(&mut self) {
        self.threads.clear();
        self.rows.truncate(EMPTY + 1);
        self.trail.forget();
        self.kept = 0;
    }

    /// Goes back to a mark, at which there were so many threads.
    pub(super) fn undo(&mut self, mark: usize, threads: usize) {
        while let Some((thread, state, rows)) = self.trail.pop_to(mark) {
            self.threads[thread.index()] = state;
            self.rows.truncate(rows);
        }
        self.threads.truncate(threads);
    }

    /// Forgets the way back, and if there are many more rows than after the last time, those that neither threads nor the
    /// `releases` that are left have use for. Says whether rows have new numbers.
    pub(super) fn retire<'a>(&mut self, releases: impl Iterator<Item = &'a mut Release>) -> bool {
        self.trail.forget();
        if self.rows.len() < 2 * self.kept + 256 {
            return false;
        }
        let mut new = Rows::default();
        new.widen(self.rows.width());
        let mut moved = vec![u32::MAX; self.rows.len() as usize];
        moved[EMPTY as usize] = EMPTY;
        let Knowledge { rows, threads, .. } = self;
        let mut keep = |row: &mut u32| {
            let place = &mut moved[*row as usize];
            if *place == u32::MAX {
                *place = new.push(rows.row(*row));
            }
            *row = *place;
        };
        for state in threads {
            [&mut state.now, &mut state.fence.row, &mut state.pending].into_iter().for_each(&mut keep);
        }
        releases.for_each(|release| keep(&mut release.row));
        self.kept = new.len();
        self.rows = new;
        true
    }

    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        self.rows.bytes() + self.trail.bytes() + self.threads.held()
    }
}

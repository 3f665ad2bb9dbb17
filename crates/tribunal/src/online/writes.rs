//! The writes so far, as columns.

use crate::memory::{LocId, Slot, ThreadId};

/// A write of an execution that grows, initial or not, or an RMW. They are numbered in the order in which they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WriteId(pub u32);

impl WriteId {
    #[inline(always)]
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// In place of a thread, of a write or of a row: none.
pub(super) const NONE: u32 = u32::MAX;

/// 29 bytes a write.
#[derive(Clone, Debug, Default)]
pub(super) struct Writes {
    locs: Vec<LocId>,
    threads: Vec<u32>,
    indices: Vec<u32>,
    ordinals: Vec<u32>,
    tops: Vec<WriteId>,
    next: Vec<u32>,
    clocks: Vec<u32>,
    /// Of a top: whether mo is known to put another chain behind this one.
    followed: Vec<bool>,
}

/// What is known of a write when it is added.
pub(super) struct NewWrite {
    pub loc: LocId,
    /// None if it is initial.
    pub slot: Option<Slot>,
    /// How many writes of its location its thread has before it.
    pub ordinal: u32,
    /// The write that it reads from, if it is an RMW.
    pub source: Option<WriteId>,
    /// The row of its clock.
    pub clock: u32,
}

impl Writes {
    pub(super) fn len(&self) -> usize {
        self.locs.len()
    }

    pub(super) fn push(&mut self, new: NewWrite) -> WriteId {
        let id = WriteId(self.locs.len() as u32);
        assert!(self.locs.len() < NONE as usize, "writes are counted with 32 bits");
        self.locs.push(new.loc);
        self.threads.push(new.slot.map_or(NONE, |slot| slot.thread.0));
        self.indices.push(new.slot.map_or(0, |slot| slot.index));
        self.ordinals.push(new.ordinal);
        self.tops.push(new.source.map_or(id, |source| self.tops[source.index()]));
        self.next.push(NONE);
        self.clocks.push(new.clock);
        self.followed.push(false);
        if let Some(source) = new.source {
            self.next[source.index()] = id.0;
        }
        id
    }

    #[inline(always)]
    pub(super) fn loc(&self, write: WriteId) -> LocId {
        self.locs[write.index()]
    }

    /// None of an initial write.
    #[inline(always)]
    pub(super) fn slot(&self, write: WriteId) -> Option<Slot> {
        match self.threads[write.index()] {
            NONE => None,
            thread => Some(Slot { thread: ThreadId(thread), index: self.indices[write.index()] }),
        }
    }

    /// How many writes of its location its thread has before it.
    #[inline(always)]
    pub(super) fn ordinal(&self, write: WriteId) -> u32 {
        self.ordinals[write.index()]
    }

    /// The first write of its rf-chain.
    #[inline(always)]
    pub(super) fn top(&self, write: WriteId) -> WriteId {
        self.tops[write.index()]
    }

    /// The RMW that reads from it.
    #[inline(always)]
    pub(super) fn next(&self, write: WriteId) -> Option<WriteId> {
        match self.next[write.index()] {
            NONE => None,
            next => Some(WriteId(next)),
        }
    }

    #[inline(always)]
    pub(super) fn clock(&self, write: WriteId) -> u32 {
        self.clocks[write.index()]
    }

    #[inline(always)]
    pub(super) fn is_followed(&self, top: WriteId) -> bool {
        self.followed[top.index()]
    }

    #[inline(always)]
    pub(super) fn follow(&mut self, top: WriteId) {
        self.followed[top.index()] = true;
    }
}

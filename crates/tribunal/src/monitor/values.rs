//! Which writes of a value can be read.

use crate::memory::{LocId, Slot};
use crate::session::WriteId;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// A value at a location.
pub(super) type Key = (LocId, u64);

/// The writes that have come and are not retired, by what they wrote.
#[derive(Debug, Default)]
pub(super) struct Values {
    first: FxHashMap<Key, Written>,
    /// Those of values that were written again meanwhile.
    again: FxHashMap<Key, Vec<Written>>,
}

/// A write that has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    pub(super) slot: Slot,
    /// How many events came before it.
    pub(super) event: u64,
    /// None while it waits in the line of its thread.
    pub(super) write: Option<WriteId>,
}

impl Values {
    /// A write has come.
    pub(super) fn arrive(&mut self, key: Key, slot: Slot, event: u64) {
        let written = Written { slot, event, write: None };
        match self.first.entry(key) {
            Entry::Vacant(vacant) => _ = vacant.insert(written),
            Entry::Occupied(_) => self.again.entry(key).or_default().push(written),
        }
    }

    /// A write has had its turn.
    pub(super) fn execute(&mut self, key: Key, slot: Slot, write: WriteId) {
        let written = match self.first.get_mut(&key) {
            Some(first) if first.slot == slot => Some(first),
            _ => self.again.get_mut(&key).and_then(|again| again.iter_mut().find(|other| other.slot == slot)),
        };
        if let Some(written) = written {
            written.write = Some(write);
        }
    }

    /// The writes of a value.
    pub(super) fn of(&self, key: Key) -> impl Iterator<Item = Written> + '_ {
        let again = || if self.again.is_empty() { None } else { self.again.get(&key) };
        let first = self.first.get(&key);
        first.into_iter().chain(first.and_then(|_| again()).into_iter().flatten()).copied()
    }

    /// Forgets the writes that are gone; says whether there were any.
    pub(super) fn retain(&mut self, left: impl Fn(WriteId) -> bool) -> bool {
        let stays = |written: &Written| written.write.is_none_or(&left);
        let before = self.first.len();
        let mut promoted = false;
        self.again.retain(|key, again| {
            again.retain(stays);
            if !again.is_empty() && self.first.get(key).is_some_and(|first| !stays(first)) {
                self.first.insert(*key, again.remove(0));
                promoted = true;
            }
            !again.is_empty()
        });
        self.first.retain(|_, first| stays(first));
        promoted || self.first.len() < before
    }

    /// Bytes that are held, about.
    pub(super) fn bytes(&self) -> usize {
        let rows = self.first.capacity() + self.again.capacity();
        rows * (size_of::<(Key, Written)>() + 1)
    }
}

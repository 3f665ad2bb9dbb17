//! The writes of a value that can be read.

use crate::memory::session::WriteId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use tribunal_history::heap::held;
use tribunal_history::memory::{LocId, Slot};

/// A value at a location.
pub(super) type Key = (LocId, u64);

/// The writes that have come and are not retired, by what they wrote.
#[derive(Debug, Default)]
pub(super) struct Values {
    first: FxHashMap<Key, Written>,
    /// Those of values that were written again meanwhile, as they came.
    again: FxHashMap<Key, Vec<Written>>,
    /// Where those are: how many events came before them.
    places: FxHashMap<Slot, u64>,
}

/// A write that has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    pub(super) slot: Slot,
    /// The number of events that came before it.
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
            Entry::Occupied(_) => {
                self.again.entry(key).or_default().push(written);
                self.places.insert(slot, event);
            }
        }
    }

    /// A write has had its turn.
    pub(super) fn execute(&mut self, key: Key, event: u64, write: WriteId) {
        let written = match self.first.get_mut(&key) {
            Some(first) if first.event == event => Some(first),
            _ => self.again.get_mut(&key).and_then(|again| {
                let at = again.binary_search_by_key(&event, |other| other.event).ok()?;
                again.get_mut(at)
            }),
        };
        if let Some(written) = written {
            written.write = Some(write);
        }
    }

    /// The writes of a value, as they came.
    pub(super) fn of(&self, key: Key) -> impl Iterator<Item = Written> + '_ {
        let first = self.first.get(&key);
        first.into_iter().chain(first.map_or(&[][..], |_| self.again(key))).copied()
    }

    /// The writes of a value, the latest first.
    pub(super) fn latest(&self, key: Key) -> impl Iterator<Item = Written> + '_ {
        self.again(key).iter().rev().chain(self.first.get(&key)).copied()
    }

    fn again(&self, key: Key) -> &[Written] {
        if self.again.is_empty() { &[] } else { self.again.get(&key).map_or(&[], Vec::as_slice) }
    }

    /// The first write of a value before which so many events came, or more.
    pub(super) fn first_from(&self, key: Key, event: u64) -> Option<Written> {
        let first = self.first.get(&key)?;
        if first.event >= event {
            return Some(*first);
        }
        let again = self.again(key);
        again.get(again.partition_point(|written| written.event < event)).copied()
    }

    /// The write of a value before which so many events came.
    pub(super) fn of_event(&self, key: Key, event: u64) -> Option<Written> {
        self.first_from(key, event).filter(|written| written.event == event)
    }

    /// The write of a value at a place.
    pub(super) fn at(&self, key: Key, slot: Slot) -> Option<Written> {
        let first = self.first.get(&key).filter(|first| first.slot == slot);
        first.copied().or_else(|| self.of_event(key, *self.places.get(&slot)?))
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
        let kept: FxHashSet<Slot> = self.again.values().flatten().map(|written| written.slot).collect();
        self.places.retain(|slot, _| kept.contains(slot));
        promoted || self.first.len() < before
    }

    /// Bytes that are held, about.
    pub(super) fn bytes(&self) -> usize {
        held(&[&self.first, &self.again, &self.places])
    }
}

//! The memory and the steps that engines take, counted against the limits of a check.

use std::sync::atomic::{AtomicUsize, Ordering};
use tribunal_history::heap::Heap;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// The memory that an engine takes, counted against its limits before it is taken.
///
/// Cores that work at once share it, and each takes room of its own: whether a limit suffices may depend on their number.
pub(crate) struct Meter<'l> {
    limits: &'l Limits<'l>,
    taken: AtomicUsize,
}

impl<'l> Meter<'l> {
    pub(crate) fn new(limits: &'l Limits<'l>) -> Self {
        Meter { limits, taken: AtomicUsize::new(0) }
    }

    /// Takes so many bytes, unless that is too much.
    pub(crate) fn take(&self, bytes: usize) -> Result<(), Limit> {
        let before = self.taken.fetch_add(bytes, Ordering::Relaxed);
        self.limits.check_memory(before.saturating_add(bytes), 0)
    }

    /// Whether there is time left.
    #[cfg_attr(feature = "polls", track_caller)]
    pub(crate) fn check(&self) -> Result<(), Limit> {
        self.limits.check(0)
    }

    /// Gives back what was taken.
    pub(crate) fn give(&self, bytes: usize) {
        self.taken.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Makes room for so many more items. While they move, both rooms are taken.
    #[inline]
    pub(crate) fn room<T>(&self, items: &mut Vec<T>, more: usize) -> Result<(), Limit> {
        if items.capacity() - items.len() >= more { Ok(()) } else { self.grow(items, more) }
    }

    #[cold]
    fn grow<T>(&self, items: &mut Vec<T>, more: usize) -> Result<(), Limit> {
        let old = items.held();
        let new = items.capacity().saturating_mul(2).max(items.len().saturating_add(more));
        self.take(new.saturating_mul(size_of::<T>()))?;
        self.limits.reserve(items, new - items.len(), 1)?;
        self.give(old);
        Ok(())
    }

    /// The limits that are left.
    pub(crate) fn rest(&self) -> Limits<'l> {
        let taken = self.taken.load(Ordering::Relaxed);
        Limits { max_memory: self.limits.max_memory.saturating_sub(taken), ..*self.limits }
    }
}

/// Items whose memory is counted before it is taken; at the limit no more are added.
pub(crate) struct Bounded<'m, T> {
    meter: &'m Meter<'m>,
    items: Vec<T>,
    limit: Option<Limit>,
}

impl<'m, T> Bounded<'m, T> {
    pub(crate) fn new(meter: &'m Meter<'m>) -> Self {
        Bounded { meter, items: Vec::new(), limit: None }
    }

    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        if self.items.len() == self.items.capacity() && !self.grow() {
            return;
        }
        self.items.push(item);
    }

    /// Makes room for as many items again. While they move, both rooms are taken.
    #[cold]
    fn grow(&mut self) -> bool {
        /// The room of the first items.
        const FIRST: usize = 16;
        let (old, more) = (self.items.capacity(), self.items.capacity().max(FIRST));
        if self.limit.is_none() {
            self.limit = self.meter.take((old + more) * size_of::<T>()).err();
        }
        if self.limit.is_none() {
            self.limit = self.meter.limits.reserve(&mut self.items, more, 1).err();
        }
        if self.limit.is_none() {
            self.meter.give(old * size_of::<T>());
        }
        self.limit.is_none()
    }

    /// The items, or the limit that some of them would have exceeded.
    pub(crate) fn into_items(self) -> Result<Vec<T>, Limit> {
        self.limit.map_or(Ok(self.items), Err)
    }
}

//! The trail: the old values that are put back to go back.

use tribunal_history::heap::Heap;

/// Changes in the order in which they were made. As long as there is no mark to go back to, nothing needs to be noted.
#[derive(Clone, Debug)]
pub(crate) struct Trail<C> {
    changes: Vec<C>,
    marked: bool,
}

impl<C> Default for Trail<C> {
    fn default() -> Self {
        Trail { changes: Vec::new(), marked: false }
    }
}

impl<C> Trail<C> {
    /// Whether there is a mark.
    #[inline(always)]
    pub(crate) fn is_marked(&self) -> bool {
        self.marked
    }

    /// A moment to go back to.
    pub(crate) fn mark(&mut self) -> usize {
        self.marked = true;
        self.changes.len()
    }

    /// How many changes are noted.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.changes.len()
    }

    /// Notes a change, whether or not there is a mark.
    #[inline(always)]
    pub(crate) fn push(&mut self, change: C) {
        self.changes.push(change);
    }

    /// Notes a change if there is a mark.
    #[inline(always)]
    pub(crate) fn note(&mut self, change: C) {
        if self.marked {
            self.changes.push(change);
        }
    }

    /// The last change after a mark, which is to be undone next.
    #[inline(always)]
    pub(crate) fn pop_to(&mut self, mark: usize) -> Option<C> {
        if self.changes.len() > mark { self.changes.pop() } else { None }
    }

    /// Forgets what nobody goes back to: there is no mark.
    #[inline(always)]
    pub(crate) fn forget_unmarked(&mut self) {
        if !self.marked {
            self.changes.clear();
        }
    }

    /// Forgets all marks.
    pub(crate) fn forget(&mut self) {
        self.changes.clear();
        self.marked = false;
    }

    /// Bytes that are held.
    pub(crate) fn bytes(&self) -> usize {
        self.changes.held()
    }
}

//! How many may do something at once.

use std::sync::Arc;

/// So many places, of which each is free again when its [`Slot`] goes.
pub struct Slots {
    taken: Arc<()>,
    most: usize,
}

/// A place that is taken.
pub struct Slot(#[expect(dead_code, reason = "counted, not read")] Arc<()>);

impl Slots {
    pub fn new(most: usize) -> Self {
        Slots { taken: Arc::new(()), most }
    }

    /// A place, if there is one. Two that ask for the last one at once may both be refused.
    pub fn take(&self) -> Option<Slot> {
        let slot = Slot(self.taken.clone());
        // This is one more than there are slots.
        (Arc::strong_count(&self.taken) <= self.most + 1).then_some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_free_again() {
        let slots = Slots::new(2);
        let (first, second) = (slots.take(), slots.take());
        assert!(first.is_some() && second.is_some() && slots.take().is_none());
        drop(first);
        assert!(slots.take().is_some());
    }
}

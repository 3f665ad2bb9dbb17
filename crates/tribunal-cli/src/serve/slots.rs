//! A limit on how many things run at once.

use std::sync::Arc;

/// A number of slots; each is free again when its [`Slot`] is dropped.
pub struct Slots {
    taken: Arc<()>,
    most: usize,
}

/// A slot that is taken.
pub struct Slot(#[expect(dead_code, reason = "counted, not read")] Arc<()>);

impl Slots {
    pub fn new(most: usize) -> Self {
        Slots { taken: Arc::new(()), most }
    }

    /// A slot, if there is one. Two that ask for the last one at the same time may both get none.
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

//! Edges between events, grouped by where they end.

use tribunal_history::memory::EventId;

/// Edges between events, grouped by where they end. 4 bytes per edge and 4 per event.
pub(in crate::memory::models) struct Arrows {
    starts: Vec<u32>,
    tails: Vec<EventId>,
}

impl Arrows {
    /// The edges (from, to) of all pieces; `to` is below `events`.
    pub(super) fn new(events: usize, pieces: Vec<Vec<(EventId, EventId)>>) -> Self {
        let mut starts = vec![0u32; events + 1];
        for (_, to) in pieces.iter().flatten() {
            starts[to.index() + 1] += 1;
        }
        for i in 0..events {
            starts[i + 1] += starts[i];
        }
        let mut fill = starts.clone();
        let mut tails = vec![EventId(0); starts[events] as usize];
        for (from, to) in pieces.into_iter().flatten() {
            let slot = &mut fill[to.index()];
            tails[*slot as usize] = from;
            *slot += 1;
        }
        Arrows { starts, tails }
    }

    /// Where the edges to `to` begin.
    #[inline]
    pub(in crate::memory::models) fn tails(&self, to: EventId) -> &[EventId] {
        &self.tails[self.starts[to.index()] as usize..self.starts[to.index() + 1] as usize]
    }
}

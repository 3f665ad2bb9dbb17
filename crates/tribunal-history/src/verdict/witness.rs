//! Witnesses: why a history is consistent.

use crate::memory::{EventId, Execution, LocId, Observation};

/// A proof of consistency: it satisfies the model's axioms together with the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Witness {
    /// A modification order.
    Mo(ModificationOrder),
    /// Nothing: the model's axioms mention the history alone.
    History,
    /// Sources for what is [open](Execution::is_open) in the history, and what satisfies the axioms with them.
    Sources {
        /// A write for each open observation, in their order.
        sources: Vec<(Observation, EventId)>,
        /// A witness of the history with these sources.
        then: Box<Witness>,
    },
}

impl Witness {
    /// The sources that were chosen for what is open in the history.
    #[inline]
    pub fn sources(&self) -> &[(Observation, EventId)] {
        match self {
            Witness::Sources { sources, .. } => sources,
            Witness::Mo(_) | Witness::History => &[],
        }
    }

    /// mo, where the model has one.
    #[inline]
    pub fn mo(&self) -> Option<&ModificationOrder> {
        match self {
            Witness::Mo(mo) => Some(mo),
            Witness::History => None,
            Witness::Sources { then, .. } => then.mo(),
        }
    }
}

/// mo: for each location a total order of its writes, the initial write among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModificationOrder {
    writes: Vec<EventId>,
    /// `starts[x]..starts[x + 1]` are the writes of location x.
    starts: Vec<u32>,
}

impl ModificationOrder {
    /// An order with no location yet.
    pub fn new() -> Self {
        ModificationOrder { writes: Vec::new(), starts: vec![0] }
    }

    /// An order with no location yet, and room for so many locations and writes.
    pub fn with_capacity(locations: usize, writes: usize) -> Self {
        let mut starts = Vec::with_capacity(locations + 1);
        starts.push(0);
        ModificationOrder { writes: Vec::with_capacity(writes), starts }
    }

    /// The order in which all writes stand in a line, each initial write before all others.
    pub fn in_line(x: &Execution, line: &[EventId]) -> Self {
        let mut writes: Vec<Vec<EventId>> = x.locations().map(|loc| vec![x.init_write(loc)]).collect();
        for &write in line {
            let loc = x.loc(write).expect("a write");
            writes[loc.index()].push(write);
        }
        let mut mo = ModificationOrder::new();
        writes.into_iter().for_each(|writes| mo.push_location(writes));
        mo
    }

    /// Appends the next location's writes, first write first.
    ///
    /// ```
    /// use tribunal::memory::{EventId, LocId, ModificationOrder};
    /// let mut mo = ModificationOrder::new();
    /// mo.push_location([EventId(2), EventId(0)]);
    /// assert_eq!(mo.of(LocId(0)), [EventId(2), EventId(0)]);
    /// ```
    #[inline]
    pub fn push_location(&mut self, writes: impl IntoIterator<Item = EventId>) {
        self.writes.extend(writes);
        self.end_location();
    }

    /// Appends the next write of the location at hand.
    #[inline(always)]
    pub fn push(&mut self, write: EventId) {
        self.writes.push(write);
    }

    /// Ends the location at hand.
    #[inline(always)]
    pub fn end_location(&mut self) {
        self.starts.push(self.writes.len() as u32);
    }

    /// Number of locations.
    #[inline]
    pub fn location_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The writes of a location, first write first.
    #[inline]
    pub fn of(&self, loc: LocId) -> &[EventId] {
        &self.writes[self.starts[loc.index()] as usize..self.starts[loc.index() + 1] as usize]
    }
}

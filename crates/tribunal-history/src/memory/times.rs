//! Begin and end times of events, at 12 bytes per event.

use super::EventId;
use crate::heap::held;
use rustc_hash::FxHashMap;

/// Escapes in the span column: the event has no time on one side, or an extraordinary span.
const NO_TIMES: u32 = u32::MAX;
const LISTED: u32 = u32::MAX - 1;

/// The times when an event began and ended; either side may be unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// The time when it began.
    pub begin: Option<u64>,
    /// The time when it ended.
    pub end: Option<u64>,
}

/// The times of all events. Most have both sides and a short span: those take no room beyond the two columns.
#[derive(Clone, Debug)]
pub(super) struct Times {
    begin: Vec<u64>,
    span: Vec<u32>,
    listed: FxHashMap<EventId, Interval>,
}

impl Times {
    /// Times for `events` events, none known yet.
    pub(super) fn new(events: usize) -> Self {
        Times { begin: vec![0; events], span: vec![NO_TIMES; events], listed: FxHashMap::default() }
    }

    pub(super) fn set(&mut self, event: EventId, interval: Interval) {
        let i = event.index();
        match interval {
            Interval { begin: None, end: None } => self.span[i] = NO_TIMES,
            Interval { begin: Some(begin), end: Some(end) }
                if end >= begin && end - begin < u64::from(LISTED) =>
            {
                self.begin[i] = begin;
                self.span[i] = (end - begin) as u32;
            }
            listed => {
                self.span[i] = LISTED;
                self.listed.insert(event, listed);
            }
        }
    }

    #[inline]
    pub(super) fn get(&self, event: EventId) -> Interval {
        let i = event.index();
        match self.span[i] {
            NO_TIMES => Interval::default(),
            LISTED => self.listed[&event],
            span => Interval { begin: Some(self.begin[i]), end: Some(self.begin[i] + u64::from(span)) },
        }
    }

    pub(super) fn bytes(&self) -> usize {
        held(&[&self.begin, &self.span, &self.listed])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_of_interval_comes_back() {
        let intervals = [
            Interval::default(),
            Interval { begin: Some(5), end: None },
            Interval { begin: None, end: Some(7) },
            Interval { begin: Some(3), end: Some(3) },
            Interval { begin: Some(0), end: Some(u64::MAX) },
        ];
        let mut times = Times::new(intervals.len());
        for (i, interval) in intervals.into_iter().enumerate() {
            times.set(EventId::from_index(i), interval);
        }
        for (i, interval) in intervals.into_iter().enumerate() {
            assert_eq!(times.get(EventId::from_index(i)), interval);
        }
    }
}

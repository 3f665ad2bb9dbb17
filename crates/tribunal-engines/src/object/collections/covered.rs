//! Instants at which some value is certainly inside, and chains of values that cover a stretch of time.
//!
//! Instant `i` is between the events of rank `i` and `i + 1`. An operation can take effect at the instants from its call's
//! rank up to, and without, its return's.

use super::completion::Completion;

/// The instants covered so far by stretches whose ends are known in advance.
///
/// A union-find over the segments between the ends: `next[s]` leads to the first segment from `s` on that is not covered,
/// so all coverings together take O(n α(n)) and a look-up of an instant O(log n).
pub(super) struct Covered {
    ends: Vec<u32>,
    next: Vec<u32>,
}

impl Covered {
    /// Nothing is covered; stretches will begin and end at these ranks.
    pub(super) fn new(mut ends: Vec<u32>) -> Self {
        ends.sort_unstable();
        ends.dedup();
        let next = (0..=ends.len() as u32).collect();
        Covered { ends, next }
    }

    /// Covers the instants `from..to`, both of them known ends.
    pub(super) fn cover(&mut self, from: u32, to: u32) {
        let to = self.ends.partition_point(|&end| end < to) as u32;
        let mut segment = self.find(self.ends.partition_point(|&end| end < from) as u32);
        while segment < to {
            self.next[segment as usize] = segment + 1;
            segment = self.find(segment + 1);
        }
    }

    /// The first instant, from this one on, that is not covered.
    pub(super) fn first_free(&mut self, instant: u32) -> u32 {
        let Some(segment) = self.ends.partition_point(|&end| end <= instant).checked_sub(1) else {
            return instant;
        };
        match self.find(segment as u32) {
            free if free as usize == segment => instant,
            free => self.ends[free as usize],
        }
    }

    fn find(&mut self, mut segment: u32) -> u32 {
        while self.next[segment as usize] != segment {
            let after = self.next[self.next[segment as usize] as usize];
            self.next[segment as usize] = after;
            segment = after;
        }
        segment
    }
}

/// As few of these values as possible that are certainly inside, together, at all the instants `from..to`; all of the
/// values are, together. `values` is in the order of the returns of their inserts, as is the answer.
///
/// The greedy choice: among those inside at the first instant not yet covered, the one certain for longest. So the value
/// after next begins after this one ends, and no value of the chain can be left out.
pub(super) fn chain(
    completion: &Completion<'_, '_>,
    values: impl IntoIterator<Item = u32>,
    from: u32,
    to: u32,
) -> Vec<u32> {
    let mut values = values.into_iter().peekable();
    let mut chain = Vec::new();
    let mut longest = None;
    let mut instant = from;
    while instant < to {
        while let Some(value) = values.next_if(|&value| completion.insert_ret(value) <= instant) {
            longest = longest.max(Some((completion.remove_call(value), value)));
        }
        let Some((end, value)) = longest.filter(|&(end, _)| end > instant) else {
            debug_assert!(false, "instant {instant} is not covered");
            break;
        };
        chain.push(value);
        instant = end;
    }
    chain
}

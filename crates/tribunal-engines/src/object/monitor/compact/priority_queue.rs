//! Priority queues.

use super::{Container, ended_before};
use crate::object::monitor::window::{NEVER, Window};
use std::collections::BTreeMap;
use tribunal_history::object::Value;

/// Drops values that were inserted and deleted before `T`, and deletions that found nothing before `T`.
///
/// A value is best inserted last, when its insertion returns, and deleted first, at the earliest instant of its deletion at which no smaller
/// value is inside: nothing else depends on it but deletions of greater values, which want it outside. So from
/// the smallest value up each deletion has an earliest instant, and a history with distinct values is linearizable iff each is before the
/// deletion's return (a deletion that finds nothing is one of a greatest value). What is inside before `T` is settled in H: a value not
/// deleted in H stays beyond `T`. So an earliest instant before `T` stays what it is, and one after `T` does not depend on values that are
/// gone before `T`. Deletions that are left are narrowed to begin at their earliest instant, or at `T` if it is later; then the values gone before `T`
/// can be dropped.
pub(super) fn compact(window: &mut Window) {
    let container = Container::new(window);
    let t = container.t;
    let mut values: Vec<&Value> = container.pairs.keys().collect();
    values.sort_unstable();
    let mut stays = Stays::default();
    let mut dropped = Vec::new();
    for value in values {
        let pair = container.pairs[value];
        let Some(insert) = pair.insert.and_then(|slot| window.get(slot)) else { continue };
        let (called, inserted) = (insert.call, insert.end);
        let Some(slot) = pair.remove else {
            stays.add(inserted, NEVER);
            continue;
        };
        let Some(delete) = window.get_mut(slot) else { continue };
        let earliest = stays.outside(delete.call.max(called));
        stays.add(inserted, earliest);
        if delete.end < t && (inserted < t || inserted == NEVER) {
            dropped.extend([pair.insert, pair.remove].into_iter().flatten());
        } else {
            delete.call = delete.call.max(earliest.min(t));
        }
    }
    for &slot in &container.empty {
        if ended_before(window, slot, t) {
            dropped.push(slot);
        } else if let Some(delete) = window.get_mut(slot) {
            let earliest = stays.outside(delete.call);
            delete.call = delete.call.max(earliest.min(t));
        }
    }
    for slot in dropped {
        window.remove(slot);
    }
}

/// The times at which some value is inside: from an insertion's return up to an instant right after another event. Events
/// have even numbers, and the instant after one has the odd number after it.
#[derive(Default)]
struct Stays {
    /// Disjoint intervals, begin to end, the end outside.
    intervals: BTreeMap<u64, u64>,
}

impl Stays {
    fn add(&mut self, begin: u64, end: u64) {
        if begin >= end {
            return;
        }
        let (mut begin, mut end) = (begin, end);
        while let Some((&other, &other_end)) = self.intervals.range(..=end).next_back() {
            if other_end < begin {
                break;
            }
            self.intervals.remove(&other);
            begin = begin.min(other);
            end = end.max(other_end);
        }
        self.intervals.insert(begin, end);
    }

    /// The first instant after that event, or from that instant on, outside all intervals.
    fn outside(&self, from: u64) -> u64 {
        let from = from | 1;
        match self.intervals.range(..=from).next_back() {
            Some((_, &end)) if end > from => end,
            _ => from,
        }
    }
}

//! Stacks.

use super::{Container, Gone, ended_before};
use crate::object::monitor::window::{NEVER, Window};
use rustc_hash::FxHashSet;

/// Drops values that were pushed and popped before `T`, and narrows what touches their stay.
///
/// The stay of x begins when push(x) returned and ends when pop(x) was called. If it is empty, x can be pushed and popped at one instant
/// of any linearization. Otherwise let G be x, or values whose stays overlap one another, let S be the union of
/// their stays, and look at the other operations that overlap S. If the value of one may have been pushed and popped on top of G, all of G is kept. If
/// not, the operation is outside S in each linearization: if it was called after S began it is after S, and if it returned before S ended
/// it is before S. Its interval is narrowed to that. Then G can be dropped: in a linearization of the rest only
/// operations that overlap both ends of S can be inside it; moved behind S, in their order, they pass nobody. The operations of G go
/// there as H has them: those it has before S are pushes that return after S began, and those it has after S are pops called
/// before S ended, so all can be at S.
///
/// A pop that found nothing is such another operation. It is dropped once it is before every push that is left and before `T`: then the
/// stack is empty there.
pub(super) fn compact(window: &mut Window) {
    let container = Container::new(window);
    let t = container.t;
    let mut gone = container.gone(window);
    gone.retain(|gone| gone.remove.1 < t && gone.insert.1 < t);
    let near = Near::new(window);
    // One by one from the inside out, then those that cross.
    gone.sort_unstable_by_key(|gone| gone.remove.0.saturating_sub(gone.insert.1));
    gone.retain(|gone| !dropped(window, &container, std::slice::from_ref(gone), &near));
    gone.sort_unstable_by_key(|gone| gone.insert.1);
    let mut rest = &gone[..];
    while let Some(first) = rest.first() {
        let mut end = first.remove.0;
        let mut count = 0;
        while let Some(next) = rest.get(count)
            && (count == 0 || next.insert.1 < end)
        {
            end = end.max(next.remove.0);
            count += 1;
        }
        let (group, others) = rest.split_at(count);
        if group.len() > 1 {
            dropped(window, &container, group, &near);
        }
        rest = others;
    }
    let pushes = window.iter().filter(|(_, operation)| !operation.args.is_empty());
    let first_push = pushes.map(|(_, operation)| operation.call).min().unwrap_or(NEVER);
    for &slot in &container.empty {
        if ended_before(window, slot, t.min(first_push)) {
            window.remove(slot);
        }
    }
}

/// To find the operations that overlap a time.
struct Near {
    /// By the call as it was before it was narrowed.
    by_call: Vec<(u64, u32)>,
    /// The longest operation that ended.
    longest: u64,
    unended: Vec<u32>,
}

impl Near {
    fn new(window: &Window) -> Self {
        let mut near = Near { by_call: Vec::new(), longest: 0, unended: Vec::new() };
        for (slot, operation) in window.iter() {
            if operation.end == NEVER {
                near.unended.push(slot);
            } else {
                near.longest = near.longest.max(operation.end - operation.call);
                near.by_call.push((operation.call, slot));
            }
        }
        near.by_call.sort_unstable();
        near
    }

    /// The operations that overlap the time between two events.
    fn overlapping(&self, window: &Window, begin: u64, end: u64) -> Vec<u32> {
        let from = self.by_call.partition_point(|&(call, _)| call < begin.saturating_sub(self.longest));
        let ended = self.by_call[from..].iter().take_while(|&&(call, _)| call < end).map(|&(_, slot)| slot);
        let overlaps =
            |slot: &u32| window.get(*slot).is_some_and(|other| other.call < end && other.end > begin);
        ended.chain(self.unended.iter().copied()).filter(overlaps).collect()
    }
}

/// Drops values whose stays overlap one another, if they can be dropped.
fn dropped(window: &mut Window, container: &Container, group: &[Gone], near: &Near) -> bool {
    let begin = group.iter().map(|gone| gone.insert.1).min().unwrap_or(0);
    let end = group.iter().map(|gone| gone.remove.0).max().unwrap_or(0);
    let first_push = group.iter().map(|gone| gone.insert.0).min().unwrap_or(0);
    let last_pop = group.iter().map(|gone| gone.remove.1).max().unwrap_or(0);
    let own: FxHashSet<u32> = group.iter().flat_map(|gone| gone.slots).collect();
    if begin < end {
        let mut touching = near.overlapping(window, begin, end);
        touching.retain(|slot| !own.contains(slot));
        let on_top = |slot: u32| {
            let operation = window.get(slot)?;
            let value = operation.args.first().or(operation.result())?;
            let pair = container.pairs.get(value)?;
            let (push, pop) = (window.get(pair.insert?)?, window.get(pair.remove?)?);
            Some(push.end > first_push && pop.call < last_pop)
        };
        let inside = |slot: u32| window.get(slot).is_some_and(|other| other.call > begin && other.end < end);
        if touching.iter().any(|&slot| inside(slot) || on_top(slot) == Some(true)) {
            return false;
        }
        for slot in touching {
            let Some(operation) = window.get_mut(slot) else { continue };
            if operation.call > begin {
                operation.call = end;
            } else if operation.end < end {
                operation.end = begin;
            }
        }
    }
    for slot in own {
        window.remove(slot);
    }
    true
}

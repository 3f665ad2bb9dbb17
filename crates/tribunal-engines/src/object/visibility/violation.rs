//! The part of an inconsistent history to show.

use super::Found;
use tribunal_history::object::{Event, History, OpId, Specification, Violation};
use tribunal_history::verdict::Limit;

/// A part of an inconsistent history that is inconsistent itself: up to the first return that no abstract execution
/// explains, and without reads and other keys where they do not matter. The first `reached` returns are known to be
/// explained. Where a limit stops the search for a smaller part, the last one found stands.
pub fn of(
    history: &History,
    spec: &dyn Specification,
    reached: usize,
    mut decide: impl FnMut(&History) -> Result<Found, Limit>,
) -> Violation {
    let mut refuted = |ops: &[OpId], cut: Option<u32>| matches!(decide(&history.part(ops, cut)), Ok(Err(_)));
    let mut violation = Violation { operations: history.ops().collect(), cut: None };
    let mut culprit = None;
    if let Some(intervals) = history.intervals() {
        let is_return = |event: &Event| matches!(event, Event::Return(_));
        let returns: Vec<u32> =
            (0..).zip(intervals.events).filter(|(_, event)| is_return(event)).map(|(at, _)| at).collect();
        let upto =
            |cut: u32| -> Vec<OpId> { history.ops().filter(|op| intervals.call[op.index()] < cut).collect() };
        // After `from` returns the history is consistent, after `to` it is not. Most often the next return is the one.
        let (mut from, mut to) = (reached, returns.len());
        let mut middle = from + 1;
        while from + 1 < to {
            let cut = returns[middle - 1] + 1;
            if refuted(&upto(cut), Some(cut)) {
                to = middle
            } else {
                from = middle
            }
            middle = (from + to) / 2;
        }
        if to > 0 {
            let cut = returns[to - 1] + 1;
            violation = Violation { operations: upto(cut), cut: Some(cut) };
            culprit = match intervals.events[cut as usize - 1] {
                Event::Return(op) | Event::Call(op) => Some(op),
            };
        }
    }
    let mut keep = |violation: &mut Violation, kept: &dyn Fn(OpId) -> bool| {
        let kept: Vec<OpId> = violation.operations.iter().copied().filter(|&op| kept(op)).collect();
        if kept.len() < violation.operations.len() && refuted(&kept, violation.cut) {
            violation.operations = kept;
        }
    };
    keep(&mut violation, &|op| Some(op) == culprit || !spec.read_only(history.called(op)));
    // What is left must be of one key, so there must be nothing that concerns the whole.
    let key = |op: OpId| spec.key(history.called(op));
    let split = violation.operations.iter().all(|&op| key(op).is_some());
    if let Some(culprit) = culprit.and_then(key).filter(|_| split) {
        keep(&mut violation, &|op| key(op).as_ref() == Some(&culprit));
    }
    violation
}

//! The longest prefix of a history that still satisfies a criterion.

use tribunal::Limits;
use tribunal::object::{Criterion, Event, History, OpId, Specification, Verdict, judge};

/// Where a history first goes wrong.
pub struct Break {
    /// How many of the first events satisfy the criterion.
    pub events: u32,
    /// Those events and the next, the return after which nothing satisfies it any more.
    pub prefix: History,
    /// The operation that returns there.
    pub op: OpId,
    /// By operation of `prefix`, which it is of the whole.
    pub called: Vec<OpId>,
}

/// The first return that makes the history inconsistent. Nothing if it cannot be found within the limits, or no event is
/// the first: without intervals, and under `sequential`, which knows no real time.
///
/// Prefixes of consistent histories are consistent, so the search halves. `likely` is the number of events after which the
/// engine found the violation: mostly the prefix of so many is the shortest. But not always: what a violation leaves out may
/// rest on returns that come later.
pub fn longest(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    likely: Option<u32>,
    limits: &Limits<'_>,
) -> Option<Break> {
    let intervals = history.intervals().filter(|_| *criterion != Criterion::Sequential)?;
    let all = intervals.events.len() as u32;
    let called = |events: u32| -> Vec<OpId> {
        history.ops().filter(|op| intervals.call[op.index()] < events).collect()
    };
    let (mut good, mut bad) = (0, all);
    let likely = likely.unwrap_or(all);
    let first = [likely, likely.saturating_sub(1)].into_iter();
    let mut first = first.filter(|events| (1..all).contains(events));
    while good + 1 < bad {
        let middle = || good.midpoint(bad);
        let at = first.by_ref().find(|events| (good + 1..bad).contains(events)).unwrap_or_else(middle);
        let part = history.part(&called(at), Some(at));
        match judge(&part, spec, criterion, limits).verdict {
            Verdict::Consistent(_) => good = at,
            Verdict::Inconsistent(_) => bad = at,
            Verdict::Undecided(_) | Verdict::Unsupported(_) => return None,
        }
    }
    let Event::Return(op) = intervals.events[good as usize] else { return None };
    let called = called(bad);
    let op = called.binary_search(&op).ok()?;
    Some(Break { events: good, prefix: history.part(&called, Some(bad)), op: OpId(op as u32), called })
}

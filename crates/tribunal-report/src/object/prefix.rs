//! The longest prefix of a history that still satisfies a criterion.

use super::{Unproved, verified};
use tribunal_engines::object::judge;
use tribunal_history::limits::Limits;
use tribunal_history::object::{Criterion, Event, OpId, Typed, Verdict};

/// The place where a history first goes wrong.
pub struct Break<'a> {
    /// The number of first events that satisfy the criterion; that they do is verified.
    pub events: u32,
    /// Those events and the next, the return after which nothing satisfies it any more.
    pub prefix: Typed<'a>,
    /// The operation that returns there.
    pub op: OpId,
    /// By operation of `prefix`, which it is of the whole.
    pub called: Vec<OpId>,
}

/// The first return that makes the history inconsistent. Nothing if no event is the first: without intervals, and under
/// `sequential`, which knows no real time. That nothing satisfies the criterion with that return is left to be verified.
///
/// Prefixes of consistent histories are consistent, so the search halves. `likely` is the number of events after which the
/// engine found the violation: mostly the prefix of so many is the shortest. But not always: what a violation leaves out may
/// rest on returns that come later.
pub fn longest<'a>(
    typed: &Typed<'a>,
    criterion: &Criterion,
    likely: Option<u32>,
    limits: &Limits<'_>,
) -> Result<Option<Break<'a>>, Unproved> {
    let history = typed.history();
    let Some(intervals) = history.intervals().filter(|_| *criterion != Criterion::Sequential) else {
        return Ok(None);
    };
    let all = intervals.events.len() as u32;
    let called = |events: u32| -> Vec<OpId> {
        history.ops().filter(|op| intervals.call[op.index()] < events).collect()
    };
    let (mut good, mut bad, mut last_good) = (0, all, None);
    let likely = likely.unwrap_or(all);
    let first = [likely, likely.saturating_sub(1)].into_iter();
    let mut first = first.filter(|events| (1..all).contains(events));
    while good + 1 < bad {
        let middle = || good.midpoint(bad);
        let at = first.by_ref().find(|events| (good + 1..bad).contains(events)).unwrap_or_else(middle);
        let part = typed.part(&called(at), Some(at));
        match judge(&part, criterion, limits).0 {
            Verdict::Inconsistent(_) => bad = at,
            verdict @ Verdict::Consistent(_) => (good, last_good) = (at, Some((part, verdict))),
            Verdict::Undecided(limit) => return Err(Unproved::Limit(limit)),
            Verdict::Unsupported(_) => return Ok(None),
        }
    }
    if let Some((part, verdict)) = &last_good {
        verified(part, criterion, verdict, limits)?;
    }
    let Event::Return(op) = intervals.events[good as usize] else { return Ok(None) };
    let called = called(bad);
    let Ok(op) = called.binary_search(&op) else { return Ok(None) };
    Ok(Some(Break { events: good, prefix: typed.part(&called, Some(bad)), op: OpId(op as u32), called }))
}

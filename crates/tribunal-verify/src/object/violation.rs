//! A part of a history that nothing explains.
//!
//! First with all hints of the specification, which say what may be omitted and what leads nowhere. If the proof used any,
//! then with its steps alone: nothing explains everything up to the cut. Only if that is too much
//! work do hints remain: the acceptance names those that the proof depends on, as few as a modest effort finds.

use super::budget::Budget;
use super::found::{Found, Trust, beyond_reach};
use super::hints::{Accepted, Hint, Hints};
use super::idle::Idles;
use super::omission::Omissions;
use super::refusal::{Named, Refusal};
use super::{all_see_all, configurations, frontiers, known, visibilities};
use rustc_hash::FxHashSet;
use tribunal_history::heap::{block, entry};
use tribunal_history::limits::Limits;
use tribunal_history::object::{Criterion, History, OpId, Specification, Value, Violation};
use tribunal_history::verdict::Limit;

/// How many configurations are tried at most to do without a hint; and how many more for each operation.
const MODEST: u64 = 4_000;
const MODEST_FOR_EACH: u64 = 8;

/// What an operation of a part takes, about, beside its clock in a partial order.
const BYTES_PER_OPERATION: usize = 250;

/// What a value that is left out of lists takes: who appended it, and its place in a set.
const BYTES_PER_VALUE: usize = 2 * size_of::<OpId>() + entry(size_of::<&Value>());

/// Verifies that no abstract execution explains the part and that no omitted operation matters, and returns the
/// hints of the specification that this depends on.
///
/// A part that exceeds the limits is refused: [`Refusal::Limit`].
pub fn verify_violation(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    violation: &Violation,
    limits: &Limits<'_>,
) -> Result<Accepted, Refusal> {
    history.typed(spec).map_err(Refusal::Malformed)?;
    limits.check(0).map_err(Refusal::Limit)?;
    listed(history, violation)?;
    let mut claim =
        Claim { history, spec, criterion, violation, idles: Idles::claimed(history, spec), limits };
    if let Some(op) = claim.omissions(violation).unfounded(Hints::ALL).next() {
        return Err(Refusal::Missing { op: Named::new(history, op) });
    }
    let mut trusting = match claim.refuted(claim.part(Hints::ALL, violation.cut), Hints::ALL, *limits) {
        Err(limit) => return Err(Refusal::Limit(limit)),
        Ok(Found::Explained) => return Err(Refusal::Satisfied { operations: violation.operations.len() }),
        Ok(Found::Refuted(trusting)) => trusting,
    };
    if trusting.is_empty() {
        return Ok(Accepted { trusting });
    }
    let wrong = claim.idles.prove(history, spec, limits).intersection(trusting);
    if !wrong.is_empty() {
        return Err(Refusal::Misled { hints: wrong });
    }
    match claim.refuted_with(Hints::NONE) {
        Ok(Found::Refuted(trusting)) => return Ok(Accepted { trusting }),
        Ok(Found::Explained) => return Err(Refusal::Misled { hints: trusting }),
        Err(_) => {}
    }
    // That the object is a collection says more of it than all the rest.
    if trusting.contains(Hint::Collection)
        && let Ok(Found::Refuted(less)) = claim.refuted_with(Hints::ALL.without(Hint::Collection))
    {
        trusting = less;
    }
    for hint in trusting.iter() {
        // That none at all will do is known.
        let others = trusting.without(hint);
        if !others.is_empty()
            && let Ok(Found::Refuted(fewer)) = claim.refuted_with(others)
        {
            trusting = fewer;
        }
    }
    Ok(Accepted { trusting })
}

/// What is tried: operations up to a cut.
struct Part {
    violation: Violation,
    /// What leaving out the others depends on.
    hints: Hints,
    /// Those whose values are left out of a list with them.
    unlisted: Vec<OpId>,
}

/// What a violation says, of which history.
struct Claim<'a> {
    history: &'a History,
    spec: &'a dyn Specification,
    criterion: &'a Criterion,
    violation: &'a Violation,
    idles: Idles,
    limits: &'a Limits<'a>,
}

impl Claim<'_> {
    fn omissions<'a>(&'a self, violation: &'a Violation) -> Omissions<'a> {
        Omissions::new(self.history, self.spec, self.criterion, violation, &self.idles)
    }

    /// Whether something explains what may not be left out if these hints alone are trusted, found with a modest effort. What
    /// was left out may have returned after the cut, and its return may matter: then nothing is cut off.
    fn refuted_with(&self, trust: Hints) -> Result<Found, Limit> {
        let attempt = |cut: Option<u32>| {
            let part = self.part(trust, cut);
            let configurations = MODEST + MODEST_FOR_EACH * part.violation.operations.len() as u64;
            let max_states = configurations.min(self.limits.max_states);
            self.refuted(part, trust, Limits { max_states, ..*self.limits })
        };
        match attempt(self.violation.cut)? {
            Found::Explained if self.violation.cut.is_some() => attempt(None),
            found => Ok(found),
        }
    }

    /// The part, and with it what may be left out only because of other hints than these.
    fn part(&self, trust: Hints, cut: Option<u32>) -> Part {
        let mut part = Violation { operations: self.violation.operations.clone(), cut };
        loop {
            let omissions = self.omissions(&part);
            let more: Vec<OpId> = omissions.unfounded(trust).collect();
            if more.is_empty() {
                let (hints, unlisted) = (omissions.rest_on(trust), omissions.unlisted(trust).collect());
                return Part { violation: part, hints, unlisted };
            }
            part.operations.extend(more);
            part.operations.sort_unstable();
            // `sequential` knows no real time, so that what is added may be called after the cut.
            part.cut = part.cut.filter(|_| *self.criterion != Criterion::Sequential);
        }
    }

    /// What the lists that these operations returned take without some values, at most.
    fn bytes_without(&self, operations: &[OpId], values: &FxHashSet<&Value>) -> usize {
        let lists = operations.iter().filter_map(|&op| match self.history.result(op) {
            Some(Value::List(list)) => Some(list),
            _ => None,
        });
        let kept = lists.map(|list| list.iter().filter(|value| !values.contains(value)).count());
        // A list that is put together grows, and is then copied.
        kept.map(|kept| 3 * block(kept * size_of::<Value>())).sum()
    }

    /// Whether something explains a part, if these hints are trusted.
    fn refuted(&self, part: Part, trust: Hints, limits: Limits<'_>) -> Result<Found, Limit> {
        let Part { violation: Violation { operations, cut }, hints, unlisted } = part;
        let clock = if self.history.intervals().is_some() { 0 } else { 4 * self.history.process_count() };
        let held = operations.len().saturating_mul(BYTES_PER_OPERATION + clock);
        limits.check_memory(held.saturating_add(unlisted.len().saturating_mul(BYTES_PER_VALUE)), 0)?;
        let unlisted: FxHashSet<&Value> =
            unlisted.iter().flat_map(|&op| self.history.called(op).args).collect();
        let lists = if unlisted.is_empty() { 0 } else { self.bytes_without(&operations, &unlisted) };
        let beside = unlisted.len().saturating_mul(BYTES_PER_VALUE);
        limits.check_memory(held.saturating_add(lists).saturating_add(beside), 0)?;
        let mut part = self.history.part(&operations, cut);
        part.unlist(&unlisted);
        drop(unlisted);
        let mut budget = Budget::new(limits, held.saturating_add(lists))?;
        let idles = self.idles.of_part(&part, &operations);
        let (spec, criterion, mut trust) = (self.spec, self.criterion, Trust::new(trust));
        if beyond_reach(&part, criterion, &*spec.machine(&part), &mut trust) {
            return Ok(Found::Refuted(hints.union(trust.used)));
        }
        let found = match (criterion, part.intervals()) {
            (Criterion::Sequential, _) => {
                frontiers::explained(&part, spec, (criterion, &idles), trust, &mut budget)
            }
            _ if !all_see_all(criterion) => {
                visibilities::explained(&part, spec, (criterion, &idles), trust, &mut budget)
            }
            (_, Some(intervals)) => {
                configurations::explained(&part, spec, (intervals, &idles), trust, &mut budget)
            }
            (_, None) => frontiers::explained(&part, spec, (criterion, &idles), trust, &mut budget),
        };
        Ok(match found? {
            Found::Explained => Found::Explained,
            Found::Refuted(used) => Found::Refuted(hints.union(used)),
        })
    }
}

/// That the operations are some of the history's, in order, and called before the cut.
fn listed(history: &History, Violation { operations, cut }: &Violation) -> Result<(), Refusal> {
    for &op in operations {
        known(history, op)?;
    }
    if let Some(pair) = operations.windows(2).find(|pair| pair[0] >= pair[1]) {
        return Err(Refusal::Unsorted { op: Named::new(history, pair[1]) });
    }
    let Some(cut) = *cut else { return Ok(()) };
    let intervals = history.intervals().ok_or(Refusal::NoEvents)?;
    if cut as usize > intervals.events.len() {
        return Err(Refusal::CutTooLate { cut, events: intervals.events.len() });
    }
    match operations.iter().find(|op| intervals.call[op.index()] >= cut) {
        Some(&op) => Err(Refusal::NotCalled { op: Named::new(history, op) }),
        None => Ok(()),
    }
}

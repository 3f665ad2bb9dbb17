//! A part of a history that nothing explains.
//!
//! First with all hints of the specification, which say what may be left out and what leads nowhere. Then, if it rested on any,
//! by what the specification does alone: nothing explains all that had happened by the cut. Only where that is too much
//! work do hints remain: those that the proof rests on are named, and as few as a modest effort finds.

use super::budget::Budget;
use super::found::{Found, Trust, beyond_reach};
use super::hints::{Accepted, Hints};
use super::idle::Idles;
use super::omission::Omissions;
use super::refusal::{Named, Refusal};
use super::{all_see_all, configurations, frontiers, known, visibilities};
use crate::limits::Limits;
use crate::object::{Criterion, History, OpId, Specification, Typed, Violation};
use crate::verdict::Limit;

/// How many configurations are tried at most to do without a hint; and how many more for each operation.
const MODEST: u64 = 4_000;
const MODEST_FOR_EACH: u64 = 8;

/// What an operation of a part takes, about, beside its clock in a partial order.
const BYTES_PER_OPERATION: usize = 250;

/// Accepts a part that no abstract execution explains, from which nothing is left out that could matter, and says which
/// hints of the specification that rests on.
///
/// A part that takes more than the limits to refute is refused: [`Refusal::Limit`].
pub fn verify_violation(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    violation: &Violation,
    limits: &Limits<'_>,
) -> Result<Accepted, Refusal> {
    let typed = history.typed(spec).map_err(Refusal::Malformed)?;
    limits.check(0).map_err(Refusal::Limit)?;
    listed(history, violation)?;
    let mut claim =
        Claim { typed, history, spec, criterion, violation, idles: Idles::claimed(history, spec), limits };
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
    for hint in trusting.iter() {
        if let Ok(Found::Refuted(fewer)) = claim.refuted_with(trusting.without(hint)) {
            trusting = fewer;
        }
    }
    Ok(Accepted { trusting })
}

/// What a violation says, of which history.
struct Claim<'a> {
    typed: Typed<'a>,
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
            let configurations = MODEST + MODEST_FOR_EACH * part.0.operations.len() as u64;
            let max_states = configurations.min(self.limits.max_states);
            self.refuted(part, trust, Limits { max_states, ..*self.limits })
        };
        match attempt(self.violation.cut)? {
            Found::Explained if self.violation.cut.is_some() => attempt(None),
            found => Ok(found),
        }
    }

    /// The part, and with it what may be left out only because of other hints than these; and what the rest is left out
    /// because of.
    fn part(&self, trust: Hints, cut: Option<u32>) -> (Violation, Hints) {
        let mut part = Violation { operations: self.violation.operations.clone(), cut };
        loop {
            let omissions = self.omissions(&part);
            let more: Vec<OpId> = omissions.unfounded(trust).collect();
            if more.is_empty() {
                let hints = omissions.rest_on(trust);
                return (part, hints);
            }
            part.operations.extend(more);
            part.operations.sort_unstable();
            // `sequential` knows no real time, so that what is added may be called after the cut.
            part.cut = part.cut.filter(|_| *self.criterion != Criterion::Sequential);
        }
    }

    /// Whether something explains the part, which rests on the hints beside it, if these are trusted.
    fn refuted(
        &self,
        (Violation { operations, cut }, hints): (Violation, Hints),
        trust: Hints,
        limits: Limits<'_>,
    ) -> Result<Found, Limit> {
        let clock = if self.history.intervals().is_some() { 0 } else { 4 * self.history.process_count() };
        let held = operations.len().saturating_mul(BYTES_PER_OPERATION + clock);
        let mut budget = Budget::new(limits, held)?;
        let part = self.typed.part(&operations, cut).into_history();
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

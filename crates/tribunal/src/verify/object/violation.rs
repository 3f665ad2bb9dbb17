//! A part of a history that nothing explains.

use super::omission::Omissions;
use super::refusal::{Named, Refusal};
use super::{all_see_all, configurations, frontiers, known, visibilities};
use crate::object::{Criterion, History, Specification, Violation};

/// How many configurations are tried at most before a part is too large to be refuted.
const MOST_CONFIGURATIONS: u64 = 5_000_000;

/// Accepts a part that no abstract execution explains, from which nothing is left out that could matter.
///
/// A part that takes more than 5 million configurations to refute is refused.
pub fn verify_violation(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    violation: &Violation,
) -> Result<(), Refusal> {
    history.typed(spec).map_err(Refusal::Malformed)?;
    verify_within(history, spec, criterion, violation, MOST_CONFIGURATIONS)
}

pub(super) fn verify_within(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    violation: &Violation,
    configurations: u64,
) -> Result<(), Refusal> {
    let Violation { operations, cut } = violation;
    listed(history, violation)?;
    let omissions = Omissions::new(history, spec, criterion, violation);
    if let Some(op) = omissions.unfounded() {
        return Err(Refusal::Missing { op: Named::new(history, op) });
    }
    let part = history.part(operations, *cut);
    let mut budget = Budget { left: configurations };
    let explained = match criterion {
        Criterion::Sequential => frontiers::explained(&part, spec, criterion, &mut budget),
        _ if !all_see_all(criterion) => visibilities::explained(&part, spec, criterion, &mut budget),
        _ => match part.intervals() {
            Some(intervals) => configurations::explained(&part, intervals, spec, &mut budget),
            None => frontiers::explained(&part, spec, criterion, &mut budget),
        },
    };
    match explained {
        Ok(false) => Ok(()),
        Ok(true) => Err(Refusal::Satisfied { operations: part.len() }),
        Err(Exceeded) => Err(Refusal::TooLarge { operations: part.len(), configurations }),
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

/// How much may still be tried.
pub(super) struct Budget {
    left: u64,
}

/// More than the budget is needed.
pub(super) struct Exceeded;

impl Budget {
    /// One more configuration.
    pub(super) fn spend(&mut self) -> Result<(), Exceeded> {
        self.left = self.left.checked_sub(1).ok_or(Exceeded)?;
        Ok(())
    }
}

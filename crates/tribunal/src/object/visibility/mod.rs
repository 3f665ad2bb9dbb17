//! The weak criteria, by enumerating visibilities.

mod bits;
mod minimal;
mod naive;
mod partial;
mod problem;
mod violation;

use super::judge::judge;
use super::{AbstractExecution, Axiom, Criterion, History, Specification, Typed, Verdict};
use crate::limits::Limits;
use crate::verdict::Limit;
use problem::Problem;
use std::borrow::Cow;

/// An abstract execution; or that there is none, and how many of the first returns of the history are explained by one.
type Found = Result<AbstractExecution, usize>;

/// Operations that the engines can hold sets of.
const MOST: usize = 512;

/// Histories of up to so many operations are searched for visibilities at once, and only for so many states before it is asked whether
/// they are linearizable.
const SMALL: usize = 48;
const FIRST_STATES: u64 = 2_000;

/// How many states to spend on that, by operation.
const LINEARIZE_STATES: u64 = 1_000;

/// How many states to spend on each smaller part of an inconsistent history.
const PROBE_STATES: u64 = 200_000;

pub(super) fn minimal(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    limits: &Limits<'_>,
) -> Result<Verdict, Limit> {
    let axioms = criterion.axioms();
    let first = Limits { max_states: limits.max_states.min(FIRST_STATES), ..*limits };
    let decided = if history.len() <= SMALL {
        by_minimal(history, spec, &axioms, &first)
    } else {
        Err(Limit::Saturated)
    };
    let decided = match decided {
        Err(limit @ (Limit::Stopped | Limit::Time { .. })) => return Err(limit),
        Err(_) => match linearization(history, spec, limits)? {
            Some(execution) => Ok(execution),
            None => match nearly_atomic(history, spec, &axioms, limits)? {
                Some(execution) => Ok(execution),
                None => by_minimal(history, spec, &axioms, limits)?,
            },
        },
        Ok(decided) => decided,
    };
    let probe = Limits { max_states: limits.max_states.min(PROBE_STATES), ..*limits };
    verdict(decided, history, spec, |part| by_minimal(part, spec, &axioms, &probe))
}

pub(super) fn naive(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    limits: &Limits<'_>,
) -> Result<Verdict, Limit> {
    let axioms = criterion.axioms();
    let probe = Limits { max_states: limits.max_states.min(PROBE_STATES), ..*limits };
    let decided = by_naive(history, spec, &axioms, limits)?;
    verdict(decided, history, spec, |part| by_naive(part, spec, &axioms, &probe))
}

fn verdict(
    found: Found,
    history: &History,
    spec: &dyn Specification,
    decide: impl Fn(&History) -> Result<Found, Limit>,
) -> Result<Verdict, Limit> {
    Ok(match found {
        Ok(execution) => Verdict::Consistent(execution),
        Err(reached) => Verdict::Inconsistent(violation::of(history, spec, reached, decide)),
    })
}

/// An abstract execution in which all see all, if one is found quickly: it satisfies every criterion but `sequential`,
/// since every relation is contained in lin.
fn linearization(
    history: &History,
    spec: &dyn Specification,
    limits: &Limits<'_>,
) -> Result<Option<AbstractExecution>, Limit> {
    let states = LINEARIZE_STATES.saturating_mul(history.len() as u64);
    let limits = Limits { max_states: limits.max_states.min(states), ..*limits };
    let typed = Typed::known(Cow::Borrowed(history), spec);
    match judge(&typed, &Criterion::Linearizable, &limits).verdict {
        Verdict::Consistent(execution) => Ok(Some(execution)),
        Verdict::Undecided(limit @ (Limit::Stopped | Limit::Time { .. })) => Err(limit),
        _ => Ok(None),
    }
}

/// An abstract execution in which operations see all that they can, if one is found quickly.
fn nearly_atomic(
    history: &History,
    spec: &dyn Specification,
    axioms: &[Axiom],
    limits: &Limits<'_>,
) -> Result<Option<AbstractExecution>, Limit> {
    let states = LINEARIZE_STATES.saturating_mul(history.len() as u64);
    let limits = Limits { max_states: limits.max_states.min(states), ..*limits };
    let found = match history.len() {
        0..=64 => generous_of::<1>(history, spec, axioms, &limits),
        65..=MOST => generous_of::<{ MOST / 64 }>(history, spec, axioms, &limits),
        operations => Err(Limit::Operations { operations, most: MOST }),
    };
    match found {
        Err(limit @ (Limit::Stopped | Limit::Time { .. } | Limit::Operations { .. })) => Err(limit),
        found => Ok(found.ok().and_then(Found::ok)),
    }
}

fn generous_of<const W: usize>(
    history: &History,
    spec: &dyn Specification,
    axioms: &[Axiom],
    limits: &Limits<'_>,
) -> Result<Found, Limit> {
    let problem = Problem::<W>::new(history, spec, axioms, false);
    minimal::Search::generous(&problem, limits).run()
}

fn by_minimal(
    history: &History,
    spec: &dyn Specification,
    axioms: &[Axiom],
    limits: &Limits<'_>,
) -> Result<Found, Limit> {
    match history.len() {
        0..=64 => minimal_of::<1>(history, spec, axioms, limits),
        65..=MOST => minimal_of::<{ MOST / 64 }>(history, spec, axioms, limits),
        operations => Err(Limit::Operations { operations, most: MOST }),
    }
}

fn minimal_of<const W: usize>(
    history: &History,
    spec: &dyn Specification,
    axioms: &[Axiom],
    limits: &Limits<'_>,
) -> Result<Found, Limit> {
    let problem = Problem::<W>::new(history, spec, axioms, false);
    let mut search = minimal::Search::new(&problem, limits);
    let found = search.run()?;
    if found.is_ok() || !search.stuck() {
        return Ok(found);
    }
    let problem = Problem::<W>::new(history, spec, axioms, true);
    minimal::Search::new(&problem, limits).run()
}

fn by_naive(
    history: &History,
    spec: &dyn Specification,
    axioms: &[Axiom],
    limits: &Limits<'_>,
) -> Result<Found, Limit> {
    match history.len() {
        0..=64 => naive::search(&Problem::<1>::new(history, spec, axioms, true), limits),
        65..=MOST => naive::search(&Problem::<{ MOST / 64 }>::new(history, spec, axioms, true), limits),
        operations => Err(Limit::Operations { operations, most: MOST }),
    }
}

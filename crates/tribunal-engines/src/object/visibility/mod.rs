//! The weak criteria, by enumerating visibilities.

mod minimal;
mod naive;
mod partial;
mod problem;
mod violation;

use super::judge::judge_within;
use super::meter::Meter;
use super::{AbstractExecution, Axiom, Criterion, History, Specification, Typed, Verdict};
use problem::Problem;
use std::borrow::Cow;
use tribunal_history::verdict::Limit;

/// An abstract execution; or that there is none, and how many of the first returns of the history are explained by one.
type Found = Result<AbstractExecution, usize>;

/// Operations that the engines can hold sets of.
const MOST: usize = 512;

/// A search for an abstract execution.
type Search = fn(&History, &dyn Specification, &[Axiom], &mut Meter<'_>) -> Result<Found, Limit>;

// Each search over sets of operations of one word, and of as many as engines can hold.
const GENEROUS: [Search; 2] = [generous_of::<1>, generous_of::<{ MOST / 64 }>];
const MINIMAL: [Search; 2] = [minimal_of::<1>, minimal_of::<{ MOST / 64 }>];
const NAIVE: [Search; 2] = [naive_of::<1>, naive_of::<{ MOST / 64 }>];

/// Searches over sets that are large enough for the history.
fn by(
    [one, most]: [Search; 2],
    history: &History,
    spec: &dyn Specification,
    axioms: &[Axiom],
    meter: &mut Meter<'_>,
) -> Result<Found, Limit> {
    match history.len() {
        0..=64 => one(history, spec, axioms, meter),
        65..=MOST => most(history, spec, axioms, meter),
        operations => Err(Limit::Operations { operations, most: MOST }),
    }
}

/// Histories of up to so many operations are searched for visibilities at once, and only for so many states before it is asked whether
/// they are linearizable.
const SMALL: usize = 48;
const FIRST_STATES: u64 = 2_000;

/// The number of states to spend on that, by operation.
const LINEARIZE_STATES: u64 = 1_000;

/// The number of states to spend on each smaller part of an inconsistent history.
const PROBE_STATES: u64 = 200_000;

pub(super) fn minimal(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    meter: &mut Meter<'_>,
) -> Result<Verdict, Limit> {
    let axioms = criterion.axioms();
    let decided = if history.len() <= SMALL {
        within(meter, FIRST_STATES, |meter| by(MINIMAL, history, spec, &axioms, meter))
    } else {
        Err(Limit::Saturated)
    };
    let decided = match decided {
        Err(limit @ (Limit::Stopped | Limit::Time { .. })) => return Err(limit),
        Err(_) => match linearization(history, spec, meter)? {
            Some(execution) => Ok(execution),
            None => match nearly_atomic(history, spec, &axioms, meter)? {
                Some(execution) => Ok(execution),
                None => by(MINIMAL, history, spec, &axioms, meter)?,
            },
        },
        Ok(decided) => decided,
    };
    verdict(decided, history, spec, |part| {
        within(meter, PROBE_STATES, |meter| by(MINIMAL, part, spec, &axioms, meter))
    })
}

/// Does something with at most so many states of what is left.
fn within<T>(meter: &mut Meter<'_>, states: u64, act: impl FnOnce(&mut Meter<'_>) -> T) -> T {
    let mut part = meter.part(states);
    let done = act(&mut part);
    meter.add(&part);
    done
}

pub(super) fn naive(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    meter: &mut Meter<'_>,
) -> Result<Verdict, Limit> {
    let axioms = criterion.axioms();
    let decided = by(NAIVE, history, spec, &axioms, meter)?;
    verdict(decided, history, spec, |part| {
        within(meter, PROBE_STATES, |meter| by(NAIVE, part, spec, &axioms, meter))
    })
}

fn verdict(
    found: Found,
    history: &History,
    spec: &dyn Specification,
    decide: impl FnMut(&History) -> Result<Found, Limit>,
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
    meter: &mut Meter<'_>,
) -> Result<Option<AbstractExecution>, Limit> {
    let states = LINEARIZE_STATES.saturating_mul(history.len() as u64);
    let typed = Typed::known(Cow::Borrowed(history), spec);
    match within(meter, states, |meter| judge_within(&typed, &Criterion::Linearizable, meter)).0 {
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
    meter: &mut Meter<'_>,
) -> Result<Option<AbstractExecution>, Limit> {
    let states = LINEARIZE_STATES.saturating_mul(history.len() as u64);
    let found = within(meter, states, |meter| by(GENEROUS, history, spec, axioms, meter));
    match found {
        Err(limit @ (Limit::Stopped | Limit::Time { .. } | Limit::Operations { .. })) => Err(limit),
        found => Ok(found.ok().and_then(Found::ok)),
    }
}

fn generous_of<const W: usize>(
    history: &History,
    spec: &dyn Specification,
    axioms: &[Axiom],
    meter: &mut Meter<'_>,
) -> Result<Found, Limit> {
    meter.room(Problem::<W>::bytes(history.len()))?;
    let problem = Problem::<W>::new(history, spec, axioms, false);
    run(minimal::Search::generous(&problem, meter.part(u64::MAX)), meter).0
}

/// Runs a search: what it finds, and whether a failure is to be confirmed cautiously.
fn run<const W: usize>(
    mut search: minimal::Search<'_, W>,
    meter: &mut Meter<'_>,
) -> (Result<Found, Limit>, bool) {
    let found = search.run();
    meter.add(search.meter());
    (found, search.stuck())
}

fn minimal_of<const W: usize>(
    history: &History,
    spec: &dyn Specification,
    axioms: &[Axiom],
    meter: &mut Meter<'_>,
) -> Result<Found, Limit> {
    meter.room(Problem::<W>::bytes(history.len()))?;
    let search = |cautious: bool, meter: &mut Meter<'_>| {
        let problem = Problem::<W>::new(history, spec, axioms, cautious);
        run(minimal::Search::new(&problem, meter.part(u64::MAX)), meter)
    };
    match search(false, meter) {
        (Ok(Err(_)), true) => search(true, meter).0,
        (found, _) => found,
    }
}

fn naive_of<const W: usize>(
    history: &History,
    spec: &dyn Specification,
    axioms: &[Axiom],
    meter: &mut Meter<'_>,
) -> Result<Found, Limit> {
    meter.room(Problem::<W>::bytes(history.len()))?;
    naive::search(&Problem::<W>::new(history, spec, axioms, true), meter)
}

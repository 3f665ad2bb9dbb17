//! Any model, by its text: first the edges that monotone checks force in every mo, then a SAT solver for the rest, with clauses for
//! failed checks. A relation on n events takes n² bits, so this is for histories of at most thousands of events.

use super::{Decider, Verdict as Decided};
use tribunal_cat::limits::Stopped;
use tribunal_cat::plan::{Effect, Plan};
use tribunal_cat::polarity::Polarities;
use tribunal_cat::refutation::{self, Case};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::model::Model;
use tribunal_history::model::definition::{self, Facts, Unplanned};
use tribunal_history::verdict::{Check, Limit, ModificationOrder, Refutation, Verdict, Violation, Witness};

/// Decides a history in which every read has its source. For models given as text some may have none: whatever they read only adds to rf, so
/// what fails for all that only fail the more the larger rf is.
pub(in crate::memory) fn decide(x: &Execution, model: Model, limits: &Limits<'_>) -> Result<Verdict, Limit> {
    limits.check_memory(definition::least_bytes(model, x), 0)?;
    // The only plans that are not there are those that would be too large.
    let too_large = || Limit::Memory { bytes: limits.max_memory, states: 0 };
    let plan = definition::plan_within(model, x, limits).map_err(|unplanned| match unplanned {
        Unplanned::Limit(limit) => limit,
        Unplanned::Text(_) => too_large(),
    })?;
    if x.is_open() && !grows_with_rf(&plan) {
        // Nothing can be said before every read has its source.
        return Ok(Verdict::Consistent(Witness::History));
    }
    let size = x.len() + x.location_count();
    let mut reached = None;
    let mut poll = |bytes: usize, states: u64| {
        let within = limits.check_memory(bytes, states).and(limits.check(states));
        within.map_err(|limit| {
            reached = Some(limit);
            Stopped
        })
    };
    limits.check_memory(definition::bytes(&plan, size), 0)?;
    let mut decider = Decider::new(&plan, &[]);
    decider.load(&Facts::new(x, model)).map_err(|_| too_large())?;
    match decider.decide(&[], &mut poll) {
        Ok(Decided::Consistent(_)) if plan.choices.is_empty() => Ok(Verdict::Consistent(Witness::History)),
        Ok(Decided::Consistent(orders)) => Ok(Verdict::Consistent(Witness::Mo(mo(x, &orders[0])))),
        Ok(Decided::Inconsistent(Some(refutation))) => {
            Ok(Verdict::Inconsistent(violation(model, &plan, refutation)))
        }
        // Only where an order ranges over what another is; histories have one alone.
        Ok(Decided::Inconsistent(None)) => Err(Limit::Stopped),
        Err(Stopped) => Err(reached.unwrap_or(Limit::Stopped)),
    }
}

/// Whether every check that fails goes on failing as rf and mo grow.
fn grows_with_rf(plan: &Plan) -> bool {
    let choices: Vec<u32> = (0..plan.choices.len() as u32).collect();
    let polarities = Polarities::of(plan, &["rf"], &choices);
    plan.checks
        .iter()
        .filter(|check| check.effect == Effect::Require)
        .all(|check| polarities.failure(check).grows())
}

/// The writes of each location in order; those that the model does not order come first.
fn mo(x: &Execution, orders: &[Vec<usize>]) -> ModificationOrder {
    let mut by_location = vec![Vec::new(); x.location_count()];
    let mut ordered = vec![false; x.len() + x.location_count()];
    for order in orders {
        for event in order.iter().map(|&event| EventId::from_index(event)) {
            ordered[event.index()] = true;
            if let Some(loc) = x.loc(event) {
                by_location[loc.index()].push(event);
            }
        }
    }
    let rest = (0..ordered.len()).filter(|&event| !ordered[event]).map(EventId::from_index);
    for event in rest.filter(|&event| x.label(event).writes()) {
        if let Some(loc) = x.loc(event) {
            let place = usize::from(!x.is_init(event) && !by_location[loc.index()].is_empty());
            by_location[loc.index()].insert(place, event);
        }
    }
    let mut mo = ModificationOrder::new();
    by_location.into_iter().for_each(|writes| mo.push_location(writes));
    mo
}

/// The refutation as a certificate: cases within cases, which end in checks that fail.
fn violation(model: Model, plan: &Plan, refutation: refutation::Refutation) -> Violation {
    let refutation::Refutation { clauses, cases } = refutation;
    let event = EventId::from_index;
    let check = |clause: &refutation::Clause| Check {
        index: clause.check,
        mo: clause.edges.iter().map(|edge| (event(edge.first), event(edge.second))).collect(),
        events: clause.events.iter().map(|&e| event(e)).collect(),
    };
    let first = clauses.first().map_or(0, |clause| clause.check);
    // Cases come before the splits that they are of.
    let mut built: Vec<Option<Refutation>> = Vec::with_capacity(cases.len());
    for case in cases {
        let refutation = match case {
            Case::Split { edge, forward, backward } => {
                let mut take = |case: u32| Box::new(built[case as usize].take().unwrap_or_else(nothing));
                let (forward, backward) = (take(forward), take(backward));
                Refutation::Split { first: event(edge.first), second: event(edge.second), forward, backward }
            }
            Case::Clause(clause) => Refutation::Check(check(&clauses[clause as usize])),
            // What is assumed orders writes in a circle: any check will do.
            Case::Cycle => Refutation::Check(Check { index: first, mo: Vec::new(), events: Vec::new() }),
        };
        built.push(Some(refutation));
    }
    let refutation = built.pop().flatten().unwrap_or_else(nothing);
    let mut named = first;
    let mut leaf = &refutation;
    while let Refutation::Split { forward, .. } = leaf {
        leaf = forward;
    }
    if let Refutation::Check(check) = leaf {
        named = check.index;
    }
    Violation { axiom: definition::axiom(model, plan, named), refutation }
}

/// Stands for a case that there is not.
fn nothing() -> Refutation {
    Refutation::Check(Check { index: 0, mo: Vec::new(), events: Vec::new() })
}

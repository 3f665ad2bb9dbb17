//! Any model, by its text: what every mo must have by the checks that only fail the more the larger mo is; then a SAT solver for the rest, told of
//! the checks that fail. A relation on n events is n² bits, so this is for histories of thousands of events.

use super::Model;
use crate::definition::{self, Facts};
use crate::limits::Limits;
use crate::memory::{EventId, Execution};
use crate::verdict::{Limit, ModificationOrder, Verdict, Witness};
use tribunal_cat::decide::Decider;
use tribunal_cat::limits::Stopped;
use tribunal_cat::plan::ChoiceId;
use tribunal_cat::relation::Relation;

/// Decides a history in which every read has its source, or, for models given as text, one in which some have none: whatever they read then
/// only adds to rf.
pub(super) fn decide(x: &Execution, model: Model, limits: &Limits<'_>) -> Result<Verdict, Limit> {
    let plan = definition::plan(model, x).map_err(|_| Limit::Stopped)?;
    let size = x.len() + x.location_count();
    limits.check_memory(definition::bytes(&plan, size), 0)?;
    let mut reached = None;
    let mut poll = |bytes: usize, states: u64| {
        let within = limits.check_memory(bytes, states).and(limits.check(states));
        within.map_err(|limit| {
            reached = Some(limit);
            Stopped
        })
    };
    let mut decider = Decider::new(&plan, &[]);
    decider.load(&Facts(x)).map_err(|_| Limit::Stopped)?;
    match decider.is_consistent(&[], &mut poll) {
        Ok(true) if plan.choices.is_empty() => Ok(Verdict::Consistent(Witness::History)),
        Ok(true) => Ok(Verdict::Consistent(Witness::Mo(mo(x, decider.evaluator().choice(ChoiceId(0)))))),
        Ok(false) => Ok(Verdict::Inconsistent(crate::verdict::Violation {
            axiom: crate::verdict::Axiom::PoRf,
            refutation: crate::verdict::Refutation::Check(crate::verdict::Check {
                index: 0,
                mo: vec![],
                events: vec![],
            }),
        })),
        Err(Stopped) => Err(reached.unwrap_or(Limit::Stopped)),
    }
}

/// The writes of each location in an order; those that the model does not order come first.
fn mo(x: &Execution, order: &Relation) -> ModificationOrder {
    let mut mo = ModificationOrder::new();
    let writes = |event: &EventId| x.label(*event).writes();
    let mut by_location = vec![Vec::new(); x.location_count()];
    for event in (0..(x.len() + x.location_count()) as u32).map(EventId).filter(writes) {
        if let Some(loc) = x.loc(event) {
            by_location[loc.index()].push(event);
        }
    }
    for mut writes in by_location {
        let before = |event: EventId, of: &[EventId]| {
            of.iter().filter(|other| order.contains(other.index(), event.index())).count()
        };
        let places: Vec<usize> = writes.iter().map(|&event| before(event, &writes)).collect();
        let mut sorted: Vec<(usize, EventId)> = places.into_iter().zip(writes.drain(..)).collect();
        sorted.sort_by_key(|&(place, event)| (place, !x.is_init(event)));
        mo.push_location(sorted.into_iter().map(|(_, event)| event));
    }
    mo
}

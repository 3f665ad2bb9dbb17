//! The reads that a violation depends on.

use tribunal_history::memory::{EventId, Execution, Observation};
use tribunal_history::verdict::{Because, Edge, Refutation, Violation};

/// The events whose sources a violation of a history may depend on, sorted: those that it mentions, and the RMWs that its steps follow
/// without naming them.
pub(super) struct Support(Vec<EventId>);

impl Support {
    /// None if it may depend on any source: what a check of a model's text follows is not said.
    pub(super) fn of(x: &Execution, violation: &Violation) -> Option<Self> {
        let mut events = violation.events();
        let mut refutations = vec![&violation.refutation];
        while let Some(refutation) = refutations.pop() {
            match refutation {
                Refutation::Cycle(cycle) => {
                    cycle.lemmas.iter().chain(&cycle.edges).for_each(|edge| chains(x, edge, &mut events));
                }
                Refutation::Overwritten { before, after, .. } => {
                    before.iter().chain(after).for_each(|edge| chains(x, edge, &mut events));
                }
                Refutation::Split { forward, backward, .. } => refutations.extend([&**forward, &**backward]),
                Refutation::Forced { then, .. } => refutations.push(&then.refutation),
                Refutation::Sources { cases, .. } => {
                    refutations.extend(cases.iter().map(|(_, case)| &case.refutation));
                }
                Refutation::SharedSource { .. } | Refutation::ThinAir(_) | Refutation::NoSource(_) => {}
                Refutation::Check(_) => return None,
            }
        }
        events.sort_unstable();
        events.dedup();
        Some(Support(events))
    }

    /// Whether the violation may depend on the choice of this source.
    pub(super) fn has(&self, of: Observation, source: EventId) -> bool {
        let event = match of {
            Observation::Read(read) => read,
            Observation::Final { .. } => source,
        };
        self.0.binary_search(&event).is_ok()
    }
}

/// Adds the RMWs between the ends of the chains that an edge depends on.
fn chains(x: &Execution, edge: &Edge, events: &mut Vec<EventId>) {
    let mut between = |head: EventId, end: EventId| {
        let mut at = end;
        while at != head
            && let Some(source) = x.rf(at)
        {
            events.push(at);
            at = source;
        }
    };
    match &edge.because {
        Because::Chain => between(edge.from, edge.to),
        Because::Sw { write, read } => between(*write, *read),
        Because::Atomic { premise } => {
            between(premise.from, edge.from);
            between(edge.to, premise.to);
            chains(x, premise, events);
        }
        Because::Fr { premise } => chains(x, premise, events),
        Because::Coherence { path } | Because::Read { path, .. } | Because::Seen { path, .. } => {
            path.iter().for_each(|edge| chains(x, edge, events));
        }
        _ => {}
    }
}

//! Derivations of the pairs of a relation: the operations it comes from, down to facts and chosen pairs.
//!
//! A failed check is explained by a cycle or a pair, and the derivations of its parts. These show which pairs of the
//! choices it depends on: a clause that no consistent choice satisfies.

mod member;
mod path;
mod rounds;

use crate::evaluate::{Evaluator, Value};
use crate::plan::{ChoiceId, Condition, NodeId, Op};
use rounds::{Context, Rounds};
use std::ops::Range;

/// A pair of a node, or an event of a set as a pair with itself, and its premises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The node.
    pub node: NodeId,
    /// The pair.
    pub pair: (usize, usize),
    /// The steps it follows from; none for facts, chosen pairs, and tautologies.
    pub premises: Range<usize>,
}

/// The reason why a pair is in a relation, or why a check fails.
///
/// Steps come before their premises.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derivation {
    /// The first are the conclusions: one, or the pairs of a cycle in order.
    pub steps: Vec<Step>,
    /// The number that are derived.
    pub roots: usize,
    /// Whether it depends on choices only through the chosen pairs among its steps: what is subtracted may also depend on choices.
    pub complete: bool,
}

impl Derivation {
    /// The chosen pairs that it depends on, each once.
    pub fn chosen(&self, plan: &crate::plan::Plan) -> Vec<(ChoiceId, usize, usize)> {
        let mut chosen: Vec<_> = self
            .steps
            .iter()
            .filter_map(|step| match plan.node(step.node).op {
                Op::Choice(choice) => Some((choice, step.pair.0, step.pair.1)),
                _ => None,
            })
            .collect();
        chosen.sort_unstable_by_key(|&(choice, a, b)| (choice.0, a, b));
        chosen.dedup();
        chosen
    }
}

/// The reason why a check fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The events of a cycle, each related to the next and the last to the first; an event related to itself; the pair or the event of what should be empty; or none if
    /// it should not be empty.
    pub events: Vec<usize>,
    /// The reason why they are related.
    pub derivation: Derivation,
}

/// The number of cycles that are looked at for one that depends on few chosen pairs.
const CYCLES: usize = 8;

impl Evaluator<'_> {
    /// The reason why a check fails; `None` if it holds. Among a few failures, the one that depends on the fewest chosen pairs.
    pub fn failure(&mut self, check: usize) -> Option<Failure> {
        if self.holds(check) {
            return None;
        }
        let (node, condition, negated) = {
            let check = &self.plan().checks[check];
            (check.node, check.condition, check.negated)
        };
        if negated {
            return Some(Failure { events: Vec::new(), derivation: Derivation::default() });
        }
        let candidates: Vec<Vec<usize>> = match &self.value_at(node) {
            Value::Set(set) => set.iter().take(CYCLES).map(|event| vec![event]).collect(),
            Value::Relation(relation) => match condition {
                Condition::Empty => relation.pairs().take(CYCLES).map(|(a, b)| vec![a, b]).collect(),
                Condition::Irreflexive => (0..self.size())
                    .filter(|&e| relation.contains(e, e))
                    .take(CYCLES)
                    .map(|e| vec![e])
                    .collect(),
                Condition::Acyclic => {
                    let cycle = relation.cycle().unwrap_or_default();
                    let cycles =
                        cycle.iter().take(CYCLES).filter_map(|&event| self.cheapest(node, event, event));
                    cycles
                        .map(|mut cycle| {
                            cycle.pop();
                            cycle
                        })
                        .collect()
                }
            },
        };
        let failures = candidates.into_iter().map(|events| {
            let roots: Vec<(NodeId, (usize, usize))> = match condition {
                Condition::Empty => vec![(node, (events[0], events[events.len() - 1]))],
                _ => {
                    let next = events.iter().cycle().skip(1);
                    events.iter().zip(next).map(|(&a, &b)| (node, (a, b))).collect()
                }
            };
            Failure { derivation: self.derive_all(&roots), events }
        });
        let failures: Vec<Failure> = failures.collect();
        let plan = self.plan();
        failures.into_iter().min_by_key(|failure| {
            let derivation = &failure.derivation;
            (!derivation.complete, derivation.chosen(plan).len(), failure.events.len())
        })
    }

    /// Steps are expanded in turn, without recursion: those of one round of a fixpoint together.
    fn derive_all(&mut self, roots: &[(NodeId, (usize, usize))]) -> Derivation {
        let mut rounds = Rounds::default();
        let mut derivation = Derivation { steps: Vec::new(), roots: roots.len(), complete: true };
        let mut contexts: Vec<Option<Context>> = vec![None; roots.len()];
        derivation.steps.extend(roots.iter().map(|&(node, pair)| Step { node, pair, premises: 0..0 }));
        let mut stack: Vec<usize> = (0..roots.len()).rev().collect();
        let mut premises = Vec::new();
        while let Some(step) = stack.pop() {
            let Step { node, pair, .. } = derivation.steps[step];
            premises.clear();
            let mut context = contexts[step];
            match self.plan().node(node).op {
                _ if !self.is_derivable(node) => {}
                Op::Fixpoint(fixpoint, index) | Op::Variable(fixpoint, index) => {
                    let (body, within) = rounds.enter(self, context, fixpoint, index, pair);
                    premises.push((body, pair));
                    context = Some(within);
                }
                _ => {
                    rounds.establish(self, context);
                    derivation.complete &= self.premises(node, pair, &mut premises);
                }
            }
            let start = derivation.steps.len();
            derivation.steps.extend(premises.iter().map(|&(node, pair)| Step { node, pair, premises: 0..0 }));
            contexts.resize(derivation.steps.len(), context);
            derivation.steps[step].premises = start..derivation.steps.len();
            stack.extend((start..derivation.steps.len()).rev());
        }
        rounds.leave(self);
        derivation
    }

    /// What a pair of a node comes from; whether that is all which depends on choices.
    fn premises(
        &self,
        node: NodeId,
        (a, b): (usize, usize),
        into: &mut Vec<(NodeId, (usize, usize))>,
    ) -> bool {
        match self.plan().node(node).op {
            Op::Union(..) => into.extend(self.cheapest_operand(node, a, b).map(|operand| (operand, (a, b)))),
            Op::Intersection(r, s) => into.extend([(r, (a, b)), (s, (a, b))]),
            Op::Difference(r, s) => {
                into.push((r, (a, b)));
                return !self.moves(s);
            }
            Op::Complement(r) => return !self.moves(r),
            Op::Domain(r) => into.extend(self.successors(r, a).next().map(|b| (r, (a, b)))),
            Op::Range(r) => into.extend((0..self.size()).find(|&a| self.has(r, a, b)).map(|a| (r, (a, b)))),
            Op::Identity(s) => into.push((s, (a, a))),
            Op::Product(s, t) => into.extend([(s, (a, a)), (t, (b, b))]),
            Op::Sequence(r, s) => {
                if let Some(middle) = self.middle(r, s, a, b) {
                    into.extend([(r, (a, middle)), (s, (middle, b))]);
                }
            }
            Op::Inverse(r) => into.push((r, (b, a))),
            Op::Optional(r) if a != b => into.push((r, (a, b))),
            Op::Star(r) | Op::Plus(r) => {
                let star = matches!(self.plan().node(node).op, Op::Star(_));
                if !(star && a == b)
                    && let Some(path) = self.cheapest(r, a, b)
                {
                    into.extend(path.windows(2).map(|pair| (r, (pair[0], pair[1]))));
                }
            }
            Op::Base(_) | Op::Event(_) | Op::Empty | Op::Universe | Op::Optional(_) | Op::Choice(_) => {}
            // Entered before.
            Op::Variable(..) | Op::Fixpoint(..) => {}
        }
        true
    }
}

//! Why a check of a model's text fails, for people: the cycle, and the definitions that its edges come from.

use super::{Facts, plan};
use crate::memory::{EventId, Execution};
use crate::models::Model;
use crate::verdict::{Check, kept};
use tribunal_cat::derive::{Derivation, Step};
use tribunal_cat::evaluate::Evaluator;
use tribunal_cat::plan::{ChoiceId, NodeId, Op, Orders, Plan};

/// Two events that a relation of a model's text relates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Where it begins.
    pub from: EventId,
    /// Where it ends.
    pub to: EventId,
    /// What the text calls the relation.
    pub name: &'static str,
    /// The pairs it is made of, in order, if it is defined in the text: `fr` is of `rf` backwards and of `co`.
    pub because: Vec<Related>,
}

/// Relations that every reader knows: they are not unfolded.
const KNOWN: [&str; 9] = ["po", "po-loc", "rf", "rfe", "rfi", "co", "coe", "coi", "mo"];
/// Deeper definitions are not unfolded.
const DEEPEST: usize = 6;

/// The pairs that break a check, each with its definition unfolded; nothing if the check cannot be evaluated.
pub fn why(x: &Execution, model: Model, check: &Check) -> Vec<Related> {
    let Ok(plan) = plan(model, x) else { return Vec::new() };
    let mut evaluator = Evaluator::new(&plan, &[]);
    if evaluator.load(&Facts(x)).is_err() || check.index >= plan.checks.len() {
        return Vec::new();
    }
    if let Some(choice) = plan.choices.first() {
        let (Orders::Locations { base, .. } | Orders::Linearisations { base, .. }) = choice.from;
        let mut mo = evaluator.relation(base).clone();
        check.mo.iter().for_each(|(first, second)| mo.insert(first.index(), second.index()));
        mo.close();
        evaluator.choose(ChoiceId(0), &mo);
    }
    let Some(failure) = evaluator.failure(check.index) else { return Vec::new() };
    let unfolding = Unfolding { plan: &plan, derivation: &failure.derivation };
    (0..failure.derivation.roots).flat_map(|root| unfolding.step(root, 0)).collect()
}

struct Unfolding<'d> {
    plan: &'d Plan,
    derivation: &'d Derivation,
}

impl Unfolding<'_> {
    /// A step as the pairs that a reader wants: what has no name is what it is made of.
    fn step(&self, index: usize, depth: usize) -> Vec<Related> {
        let Step { node, pair, premises } = &self.derivation.steps[index];
        let of = self.plan.node(*node);
        let premises =
            || premises.clone().flat_map(|premise| self.step(premise, depth + 1)).collect::<Vec<_>>();
        let Some(name) = self.name(*node) else {
            return premises();
        };
        // What is in a set says nothing of an order.
        if pair.0 == pair.1 && !matches!(of.op, Op::Choice(_)) && depth > 0 && premises().is_empty() {
            return Vec::new();
        }
        let because = if KNOWN.contains(&name) || depth > DEEPEST { Vec::new() } else { premises() };
        // A definition that is another name for one pair is that pair.
        let because = match &because[..] {
            [one] if one.from.index() == pair.0 && one.to.index() == pair.1 && KNOWN.contains(&one.name) => {
                Vec::new()
            }
            _ => because,
        };
        vec![Related { from: EventId::from_index(pair.0), to: EventId::from_index(pair.1), name, because }]
    }

    /// What the text calls a relation.
    fn name(&self, node: NodeId) -> Option<&'static str> {
        let node = self.plan.node(node);
        let name = match &node.op {
            Op::Base(name) => Some(name.as_str()),
            Op::Choice(choice) => Some(self.plan.choices[choice.0 as usize].name.as_str()),
            Op::Inverse(of) => match &self.plan.node(*of).op {
                Op::Base(name) if name == "rf" => Some("rf"),
                _ => node.name.as_deref(),
            },
            _ => node.name.as_deref(),
        };
        name.map(kept)
    }
}

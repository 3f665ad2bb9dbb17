//! The reason why a check of a model's text fails, for people: the cycle, and the definitions that its edges come from.

use super::{Facts, plan};
use crate::memory::{EventId, Execution};
use crate::model::Model;
use crate::verdict::{Check, kept};
use tribunal_cat::derive::{Derivation, Step};
use tribunal_cat::evaluate::Evaluator;
use tribunal_cat::limits::Stopped;
use tribunal_cat::plan::{ChoiceId, NodeId, Op, Orders, Plan, Type};

/// Two events that a relation of a model's text relates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The place where it begins.
    pub from: EventId,
    /// The place where it ends.
    pub to: EventId,
    /// The relation's name in the text.
    pub name: &'static str,
    /// The pairs it is made of, in order, if it is defined in the text: `fr` is of `rf` backward and of `co`.
    pub because: Vec<Related>,
}

/// Relations that every reader knows: they are not unfolded.
const KNOWN: [&str; 9] = ["po", "po-loc", "rf", "rfe", "rfi", "co", "coe", "coi", "mo"];
/// Relations that say nothing of an order.
const ASIDE: [&str; 4] = ["ext", "int", "loc", "id"];
/// The number of definitions that are unfolded, one within the other.
const DEEPEST: usize = 3;

/// The number of times that the limits of an evaluation are polled before it is given up: it takes some tens of milliseconds.
const MOST_POLLS: u32 = 500;

/// The pairs that break a check, each with its definition unfolded; nothing if the check cannot be evaluated, or not soon.
pub fn why(x: &Execution, model: Model, check: &Check) -> Vec<Related> {
    let Ok(plan) = plan(model, x) else { return Vec::new() };
    let mut evaluator = Evaluator::new(&plan, &[]);
    if evaluator.load(&Facts::new(x, model)).is_err() || check.index >= plan.checks.len() {
        return Vec::new();
    }
    if let Some(choice) = plan.choices.first() {
        let (Orders::Locations { base, .. } | Orders::Linearizations { base, .. }) = choice.from;
        let mut mo = evaluator.relation(base).clone();
        check.mo.iter().for_each(|(first, second)| mo.insert(first.index(), second.index()));
        mo.close();
        evaluator.choose(ChoiceId(0), &mo);
    }
    let mut polls = 0;
    let mut limits = |_: usize, _: u64| {
        polls += 1;
        if polls < MOST_POLLS { Ok(()) } else { Err(Stopped) }
    };
    if evaluator.holds_within(check.index, &mut limits).is_err() {
        return Vec::new();
    }
    let Some(failure) = evaluator.failure(check.index) else { return Vec::new() };
    let unfolding = Unfolding { plan: &plan, derivation: &failure.derivation };
    let roots = 0..failure.derivation.roots;
    let mut pairs: Vec<Related> = roots.flat_map(|root| unfolding.step(root, 0)).collect();
    // What relates an event to itself is the way round that it is made of.
    while let [Related { from, to, because, .. }] = &mut pairs[..]
        && from == to
        && !because.is_empty()
    {
        pairs = std::mem::take(because);
    }
    pairs.retain(|pair| pair.from != pair.to);
    pairs
}

struct Unfolding<'d> {
    plan: &'d Plan,
    derivation: &'d Derivation,
}

impl Unfolding<'_> {
    /// A step as the pairs that a reader wants: what has no name is what it is made of.
    fn step(&self, index: usize, depth: usize) -> Vec<Related> {
        let Step { node, pair, premises } = &self.derivation.steps[index];
        let unfolded =
            |depth| premises.clone().flat_map(|premise| self.step(premise, depth)).collect::<Vec<_>>();
        let of = self.plan.node(*node);
        let Some(name) = self.name(*node) else { return unfolded(depth) };
        if of.ty == Type::Set || ASIDE.contains(&name) {
            return Vec::new();
        }
        // A union says nothing by its name, nor does the closure of one pair: it is the one that it is.
        let alternatives = matches!(
            of.op,
            Op::Union(..) | Op::Plus(_) | Op::Star(_) | Op::Optional(_) | Op::Fixpoint(..) | Op::Variable(..)
        );
        if alternatives {
            let parts = unfolded(depth);
            if let [one] = &parts[..]
                && (one.from.index(), one.to.index()) == *pair
            {
                return parts;
            }
        }
        let because =
            if KNOWN.contains(&name) || depth == DEEPEST { Vec::new() } else { unfolded(depth + 1) };
        // A definition that is another name for one pair is that pair.
        let because = match &because[..] {
            [one] if (one.from.index(), one.to.index()) == *pair && KNOWN.contains(&one.name) => Vec::new(),
            _ => because,
        };
        vec![Related { from: EventId::from_index(pair.0), to: EventId::from_index(pair.1), name, because }]
    }

    /// The name of a relation in the text.
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

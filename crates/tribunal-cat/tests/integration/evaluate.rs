//! Values and derivations are those of the definitions, on plans and executions at random.

use crate::by_hand::*;
use tribunal_cat::evaluate::Evaluator;
use tribunal_cat::plan::*;
use tribunal_cat::polarity::{Polarities, Polarity};
use tribunal_cat::relation::{Relation, Set};

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Set(Set),
    Relation(Relation),
}

/// By definition, each node anew.
struct Definition<'a> {
    plan: &'a Plan,
    facts: &'a Small,
    choice: &'a Relation,
    variables: Vec<Vec<Value>>,
    /// Until a variable changes.
    known: std::collections::HashMap<NodeId, Value>,
}

impl Definition<'_> {
    fn set(&mut self, node: NodeId) -> Set {
        match self.value(node) {
            Value::Set(set) => set,
            Value::Relation(_) => panic!("a set"),
        }
    }

    fn relation(&mut self, node: NodeId) -> Relation {
        match self.value(node) {
            Value::Relation(relation) => relation,
            Value::Set(_) => panic!("a relation"),
        }
    }

    fn empty(&self, node: NodeId) -> Value {
        match self.plan.node(node).ty {
            Type::Set => Value::Set(Set::empty(self.facts.size)),
            Type::Relation => Value::Relation(Relation::empty(self.facts.size)),
        }
    }

    fn value(&mut self, node: NodeId) -> Value {
        if let Some(value) = self.known.get(&node) {
            return value.clone();
        }
        let value = self.compute(node);
        self.known.insert(node, value.clone());
        value
    }

    fn compute(&mut self, node: NodeId) -> Value {
        let size = self.facts.size;
        let of_sets = self.plan.node(node).ty == Type::Set;
        match self.plan.node(node).op.clone() {
            Op::Base(name) if of_sets => {
                let mut set = Set::empty(size);
                assert!(self.facts.set(&name, &mut set));
                Value::Set(set)
            }
            Op::Base(name) => {
                let mut relation = Relation::empty(size);
                assert!(self.facts.relation(&name, &mut relation));
                Value::Relation(relation)
            }
            Op::Event(event) => Value::Set(Set::of(size, [event as usize])),
            Op::Empty => self.empty(node),
            Op::Universe if of_sets => Value::Set(Set::universe(size)),
            Op::Universe => Value::Relation(Relation::full(size)),
            Op::Union(a, b) if of_sets => Value::Set(self.set(a).union(&self.set(b))),
            Op::Intersection(a, b) if of_sets => Value::Set(self.set(a).intersection(&self.set(b))),
            Op::Difference(a, b) if of_sets => Value::Set(self.set(a).difference(&self.set(b))),
            Op::Complement(a) if of_sets => Value::Set(self.set(a).complement()),
            Op::Union(a, b) => Value::Relation(self.relation(a).union(&self.relation(b))),
            Op::Intersection(a, b) => Value::Relation(self.relation(a).intersection(&self.relation(b))),
            Op::Difference(a, b) => Value::Relation(self.relation(a).difference(&self.relation(b))),
            Op::Complement(a) => Value::Relation(self.relation(a).complement()),
            Op::Domain(a) => Value::Set(self.relation(a).domain()),
            Op::Range(a) => Value::Set(self.relation(a).range()),
            Op::Identity(a) => Value::Relation(Relation::on(&self.set(a))),
            Op::Product(a, b) => Value::Relation(Relation::product(&self.set(a), &self.set(b))),
            Op::Sequence(a, b) => Value::Relation(self.relation(a).sequence(&self.relation(b))),
            Op::Inverse(a) => Value::Relation(self.relation(a).inverse()),
            Op::Optional(a) => Value::Relation(self.relation(a).reflexive()),
            Op::Plus(a) => Value::Relation(self.relation(a).plus()),
            Op::Star(a) => Value::Relation(self.relation(a).star()),
            Op::Choice(_) => Value::Relation(self.choice.clone()),
            Op::Variable(f, i) => self.variables[f.0 as usize][i as usize].clone(),
            Op::Fixpoint(f, i) => {
                let Fixpoint { variables, bodies } = self.plan.fixpoints[f.0 as usize].clone();
                self.variables[f.0 as usize] = variables.iter().map(|&v| self.empty(v)).collect();
                self.known.clear();
                loop {
                    let before = self.variables[f.0 as usize].clone();
                    for (k, &body) in bodies.iter().enumerate() {
                        let value = self.value(body);
                        self.variables[f.0 as usize][k] = value;
                        self.known.clear();
                    }
                    let after = &self.variables[f.0 as usize];
                    let stable = after.iter().zip(&before).all(|(after, before)| match (after, before) {
                        (Value::Set(after), Value::Set(before)) => after.is_subset(before),
                        (Value::Relation(after), Value::Relation(before)) => after.is_subset(before),
                        _ => false,
                    });
                    if stable {
                        return after[i as usize].clone();
                    }
                }
            }
        }
    }
}

type Grow<'a> = dyn Fn(&mut Builder, &mut Random, &mut Vec<NodeId>, &mut Vec<NodeId>, bool) + 'a;

/// A `let rec` of two names, perhaps with another one inside; its names outside it. Their bodies grow with them.
fn fixpoint(
    b: &mut Builder,
    random: &mut Random,
    grow: &Grow<'_>,
    mut relations: Vec<NodeId>,
    mut sets: Vec<NodeId>,
    outer: bool,
) -> Vec<NodeId> {
    let id = FixpointId(b.plan.fixpoints.len() as u32);
    let variables: Vec<NodeId> = (0..2).map(|i| b.node(Op::Variable(id, i), Type::Relation)).collect();
    b.plan.fixpoints.push(Fixpoint { variables: variables.clone(), bodies: Vec::new() });
    relations.extend(&variables);
    (0..5).for_each(|_| grow(b, random, &mut relations, &mut sets, true));
    if outer && random.index(2) == 0 {
        let names = fixpoint(b, random, grow, relations.clone(), sets.clone(), false);
        relations.extend(names);
        (0..3).for_each(|_| grow(b, random, &mut relations, &mut sets, true));
    }
    for i in 0..2 {
        let (base, step) = (relations[random.index(7)], relations[relations.len() - 1 - random.index(5)]);
        let more = b.seq(&[variables[1 - i], step]);
        let body = b.union(&[base, more, step]);
        b.plan.fixpoints[id.0 as usize].bodies.push(body);
    }
    (0..2).map(|i| b.node(Op::Fixpoint(id, i), Type::Relation)).collect()
}

/// A plan of random operations, with two fixpoints, one perhaps inside the other, and a check of each kind on many nodes.
fn random_plan(random: &mut Random, monotone: bool) -> Plan {
    let mut b = Builder::default();
    let (co, fr) = b.co();
    let mut relations = vec![co, fr, b.r("po"), b.r("rf"), b.r("loc"), b.r("ext"), b.r("rmw")];
    let mut sets = vec![b.s("R"), b.s("W"), b.s("SC")];
    let grow = |b: &mut Builder,
                random: &mut Random,
                relations: &mut Vec<NodeId>,
                sets: &mut Vec<NodeId>,
                inside: bool| {
        let r = |random: &mut Random, from: &[NodeId]| from[from.len() - 1 - random.index(from.len().min(9))];
        let (x, y) = (r(random, relations), relations[random.index(relations.len())]);
        let (s, t) = (r(random, sets), sets[random.index(sets.len())]);
        let op = match random.index(if monotone || inside { 14 } else { 18 }) {
            0 | 1 => Op::Union(x, y),
            2 => Op::Intersection(x, y),
            3 | 4 => Op::Sequence(x, y),
            5 => Op::Inverse(x),
            6 => Op::Optional(x),
            7 => Op::Plus(x),
            8 => Op::Star(x),
            9 => Op::Identity(s),
            10 => Op::Product(s, t),
            11 => Op::Domain(x),
            12 => Op::Range(x),
            14 => Op::Difference(x, y),
            15 => Op::Complement(x),
            16 => Op::Difference(s, t),
            17 => Op::Complement(s),
            _ => {
                let identity = b.op(Op::Identity(s));
                if random.index(2) == 0 { Op::Sequence(identity, x) } else { Op::Sequence(x, identity) }
            }
        };
        let node = b.op(op);
        if b.plan.node(node).ty == Type::Set { sets.push(node) } else { relations.push(node) }
    };
    for _ in 0..8 {
        grow(&mut b, random, &mut relations, &mut sets, false);
    }
    let names = fixpoint(&mut b, random, &grow, relations.clone(), sets.clone(), true);
    relations.extend(names);
    for _ in 0..6 {
        grow(&mut b, random, &mut relations, &mut sets, false);
    }
    let last = relations.len();
    for &node in &relations[last.saturating_sub(8)..] {
        let condition = [Condition::Acyclic, Condition::Irreflexive, Condition::Empty][random.index(3)];
        b.require(condition, node, "check");
    }
    let last = *sets.last().expect("a set");
    b.require(Condition::Empty, last, "set");
    b.plan
}

/// A strict order of the writes of each location, or a part of it.
fn random_co(random: &mut Random, facts: &Small) -> Relation {
    let (mut w, mut loc) = (Set::empty(facts.size), Relation::empty(facts.size));
    facts.set("W", &mut w);
    facts.relation("loc", &mut loc);
    let key: Vec<usize> = (0..facts.size).map(|_| random.index(1000)).collect();
    let mut co = Relation::of(
        facts.size,
        loc.pairs().filter(|&(a, b)| w.contains(a) && w.contains(b) && key[a] < key[b]),
    );
    if random.index(3) == 0 {
        let some: Vec<_> = co.pairs().filter(|_| random.index(2) == 0).collect();
        co = Relation::of(facts.size, some);
    }
    co
}

#[test]
fn values_are_those_of_the_definitions() {
    let mut random = Random::new(7);
    for round in 0..300 {
        let plan = random_plan(&mut random, round % 3 == 0);
        let mut evaluator = Evaluator::new(&plan, &["rf"]);
        for execution in 0..3 {
            let facts = Small::random(&mut random, 2, 3 + execution, 2);
            evaluator.load(&facts).expect("all names");
            for _ in 0..2 {
                let co = random_co(&mut random, &facts);
                evaluator.choose(ChoiceId(0), &co);
                let variables = vec![Vec::new(); plan.fixpoints.len()];
                let mut definition = Definition {
                    plan: &plan,
                    facts: &facts,
                    choice: &co,
                    variables,
                    known: Default::default(),
                };
                for (index, check) in plan.checks.iter().enumerate() {
                    let value = definition.value(check.node);
                    let holds = match &value {
                        Value::Set(set) => set.is_empty(),
                        Value::Relation(r) => match check.condition {
                            Condition::Acyclic => r.plus().is_irreflexive(),
                            Condition::Irreflexive => r.is_irreflexive(),
                            Condition::Empty => r.is_empty(),
                        },
                    };
                    assert_eq!(evaluator.holds(index), holds);
                    match value {
                        Value::Set(set) => assert_eq!(*evaluator.set(check.node), set),
                        Value::Relation(r) => {
                            assert_eq!(*evaluator.relation(check.node), r, "{plan:#?} {index}")
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn failures_rest_on_the_pairs_that_are_named() {
    let mut random = Random::new(8);
    let (mut failures, mut fewer) = (0, 0);
    for round in 0..400 {
        let plan = match round % 5 {
            0 => sc(),
            1 => ra(),
            2 => rc11(),
            3 => immediate(),
            _ => random_plan(&mut random, round % 2 == 0),
        };
        let polarities = Polarities::of_choices(&plan);
        let mut evaluator = Evaluator::new(&plan, &[]);
        let facts = Small::random(&mut random, 3, 6, 2);
        evaluator.load(&facts).expect("all names");
        let co = random_co(&mut random, &facts);
        for check in 0..plan.checks.len() {
            evaluator.choose(ChoiceId(0), &co);
            let Some(failure) = evaluator.failure(check) else { continue };
            if plan.checks[check].negated {
                continue;
            }
            assert_eq!(evaluator.failure(check).as_ref(), Some(&failure), "it is the same twice");
            let derivation = &failure.derivation;
            for step in &derivation.steps {
                assert!(step.premises.is_empty() || step.premises.start > 0);
            }
            if !derivation.complete || !polarities.failure(&plan.checks[check]).grows() {
                continue;
            }
            let chosen = derivation.chosen(&plan);
            let part = Relation::of(facts.size, chosen.iter().map(|&(_, a, b)| (a, b)));
            assert!(part.is_subset(&co));
            evaluator.choose(ChoiceId(0), &part);
            assert!(
                !evaluator.holds(check),
                "{check} {facts:?} {co:?} {failure:?} {:?}",
                plan.nodes.iter().map(|n| &n.op).enumerate().collect::<Vec<_>>()
            );
            failures += 1;
            fewer += usize::from(part.len() < co.len() && !part.is_empty());
        }
    }
    assert!(failures > 300 && fewer > 100, "{failures} {fewer}");
}

#[test]
fn polarities_say_how_values_move() {
    let mut random = Random::new(9);
    let mut seen = [0; 4];
    for _ in 0..300 {
        let plan = random_plan(&mut random, false);
        let polarities = Polarities::of_choices(&plan);
        let mut evaluator = Evaluator::new(&plan, &[]);
        let facts = Small::random(&mut random, 3, 5, 2);
        evaluator.load(&facts).expect("all names");
        let more = random_co(&mut random, &facts);
        let less =
            Relation::of(facts.size, more.pairs().filter(|_| random.index(2) == 0).collect::<Vec<_>>());
        for check in &plan.checks {
            evaluator.choose(ChoiceId(0), &less);
            let (before, after) = if plan.node(check.node).ty == Type::Relation {
                let before = evaluator.relation(check.node).clone();
                evaluator.choose(ChoiceId(0), &more);
                (before, evaluator.relation(check.node).clone())
            } else {
                let before = Relation::on(evaluator.set(check.node));
                evaluator.choose(ChoiceId(0), &more);
                (before, Relation::on(evaluator.set(check.node)))
            };
            let polarity = polarities.node(check.node);
            seen[polarity as usize] += 1;
            match polarity {
                Polarity::Free => assert_eq!(before, after),
                Polarity::Monotone => assert!(before.is_subset(&after)),
                Polarity::Antitone => assert!(after.is_subset(&before)),
                Polarity::Mixed => {}
            }
        }
    }
    assert!(seen.iter().all(|&seen| seen > 20), "{seen:?}");
}

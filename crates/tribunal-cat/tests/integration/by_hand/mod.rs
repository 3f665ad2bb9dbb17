//! Plans by hand, and small executions at random.

use tribunal_cat::plan::*;
use tribunal_cat::relation::{Relation, Set};
pub use tribunal_random::Random;

/// Builds a plan; no two nodes are the same operation.
#[derive(Default)]
pub struct Builder {
    pub plan: Plan,
}

impl Builder {
    pub fn node(&mut self, op: Op, ty: Type) -> NodeId {
        if let Some(id) = self.plan.nodes.iter().position(|node| node.op == op && node.ty == ty) {
            return NodeId(id as u32);
        }
        self.plan.nodes.push(Node { op, ty, name: None });
        NodeId(self.plan.nodes.len() as u32 - 1)
    }

    pub fn r(&mut self, name: &str) -> NodeId {
        self.node(Op::Base(name.into()), Type::Relation)
    }

    pub fn s(&mut self, name: &str) -> NodeId {
        self.node(Op::Base(name.into()), Type::Set)
    }

    pub fn op(&mut self, op: Op) -> NodeId {
        let ty = match op {
            Op::Domain(_) | Op::Range(_) => Type::Set,
            Op::Union(a, _) | Op::Intersection(a, _) | Op::Difference(a, _) | Op::Complement(a) => {
                self.plan.node(a).ty
            }
            _ => Type::Relation,
        };
        self.node(op, ty)
    }

    pub fn union(&mut self, nodes: &[NodeId]) -> NodeId {
        nodes[1..].iter().fold(nodes[0], |all, &node| self.op(Op::Union(all, node)))
    }

    pub fn seq(&mut self, nodes: &[NodeId]) -> NodeId {
        let (&last, rest) = nodes.split_last().expect("a node");
        rest.iter().rev().fold(last, |all, &node| self.op(Op::Sequence(node, all)))
    }

    pub fn on(&mut self, set: &str) -> NodeId {
        let set = self.s(set);
        self.op(Op::Identity(set))
    }

    /// co of all writes, initial ones first; and fr.
    pub fn co(&mut self) -> (NodeId, NodeId) {
        let (w, iw, loc) = (self.s("W"), self.s("IW"), self.r("loc"));
        let others = self.op(Op::Difference(w, iw));
        let first = self.op(Op::Product(iw, others));
        let base = self.op(Op::Intersection(loc, first));
        let co = self.op(Op::Choice(ChoiceId(self.plan.choices.len() as u32)));
        self.plan.choices.push(Choice { name: "co".into(), from: Orders::Locations { events: w, base } });
        let rf = self.r("rf");
        let from_read = self.op(Op::Inverse(rf));
        let fr = self.op(Op::Sequence(from_read, co));
        (co, fr)
    }

    pub fn require(&mut self, condition: Condition, node: NodeId, name: &str) {
        self.check(Effect::Require, condition, false, node, name);
    }

    pub fn check(&mut self, effect: Effect, condition: Condition, negated: bool, node: NodeId, name: &str) {
        let line = self.plan.checks.len() as u32 + 1;
        self.plan.checks.push(Check {
            effect,
            condition,
            negated,
            node,
            name: Some(name.into()),
            line,
            file: "test.cat".into(),
        });
    }

    fn atomicity(&mut self, co: NodeId, fr: NodeId) {
        let (rmw, between) = (self.r("rmw"), self.seq(&[fr, co]));
        let broken = self.op(Op::Intersection(rmw, between));
        self.require(Condition::Empty, broken, "atomic");
    }
}

/// acyclic po | rf | co | fr, with atomicity.
pub fn sc() -> Plan {
    let mut b = Builder::default();
    let (co, fr) = b.co();
    b.atomicity(co, fr);
    let (po, rf) = (b.r("po"), b.r("rf"));
    let all = b.union(&[po, rf, co, fr]);
    b.require(Condition::Acyclic, all, "sc");
    b.plan
}

/// As x86tso.
pub fn tso() -> Plan {
    let mut b = Builder::default();
    let (co, fr) = b.co();
    let (po, rf, loc, ext) = (b.r("po"), b.r("rf"), b.r("loc"), b.r("ext"));
    let po_loc = b.op(Op::Intersection(po, loc));
    let uniproc = b.union(&[po_loc, rf, fr, co]);
    b.require(Condition::Acyclic, uniproc, "uniproc");
    b.atomicity(co, fr);
    let (w, r) = (b.s("W"), b.s("R"));
    let write_read = b.op(Op::Product(w, r));
    let ppo = b.op(Op::Difference(po, write_read));
    let rfe = b.op(Op::Intersection(rf, ext));
    let (rmw_from, rmw_to) = {
        let rmw = b.r("rmw");
        (b.op(Op::Domain(rmw)), b.op(Op::Range(rmw)))
    };
    let locked = b.op(Op::Union(rmw_from, rmw_to));
    let locked = b.op(Op::Identity(locked));
    let implied = {
        let (l, r) = (b.seq(&[po, locked]), b.seq(&[locked, po]));
        b.union(&[l, r])
    };
    let ghb = b.union(&[ppo, implied, rfe, fr, co]);
    b.require(Condition::Acyclic, ghb, "ghb");
    b.plan
}

/// irreflexive hb ; eco, with hb = (po | rf)+ and eco as a fixpoint.
pub fn ra() -> Plan {
    let mut b = Builder::default();
    let (co, fr) = b.co();
    let (po, rf) = (b.r("po"), b.r("rf"));
    let step = b.union(&[po, rf]);
    let hb = b.op(Op::Plus(step));
    b.require(Condition::Irreflexive, hb, "causality");
    let com = b.union(&[rf, co, fr]);
    let eco = b.op(Op::Variable(FixpointId(0), 0));
    let more = b.seq(&[eco, com]);
    let body = b.union(&[com, more]);
    let fixpoint = b.op(Op::Fixpoint(FixpointId(0), 0));
    b.plan.fixpoints.push(Fixpoint { variables: vec![eco], bodies: vec![body] });
    let broken = b.seq(&[hb, fixpoint]);
    b.require(Condition::Irreflexive, broken, "coherence");
    b.atomicity(co, fr);
    b.plan
}

/// rc11 with every access of `SC` sequentially consistent.
pub fn rc11() -> Plan {
    let mut b = Builder::default();
    let (co, fr) = b.co();
    let (po, rf, loc) = (b.r("po"), b.r("rf"), b.r("loc"));
    let com = b.union(&[rf, co, fr]);
    let eco = b.op(Op::Plus(com));
    let sc = b.on("SC");
    let sw = b.seq(&[sc, rf, sc]);
    let step = b.union(&[po, sw]);
    let hb = b.op(Op::Plus(step));
    let eco_or_not = b.op(Op::Optional(eco));
    let broken = b.seq(&[hb, eco_or_not]);
    b.require(Condition::Irreflexive, broken, "coherence");
    b.atomicity(co, fr);
    let po_elsewhere = b.op(Op::Difference(po, loc));
    let around = b.seq(&[po_elsewhere, hb, po_elsewhere]);
    let hb_loc = b.op(Op::Intersection(hb, loc));
    let scb = b.union(&[po, around, hb_loc, co, fr]);
    let psc = b.seq(&[sc, scb, sc]);
    b.require(Condition::Acyclic, psc, "psc");
    let thin = b.union(&[po, rf]);
    b.require(Condition::Acyclic, thin, "no-thin-air");
    b.plan
}

/// Not monotone: an immediate successor in co of another thread's write is a synchronization; a flag and an `undefined_unless` too.
pub fn immediate() -> Plan {
    let mut b = Builder::default();
    let (co, fr) = b.co();
    let (po, rf, ext) = (b.r("po"), b.r("rf"), b.r("ext"));
    let twice = b.seq(&[co, co]);
    let immediate = b.op(Op::Difference(co, twice));
    let sync = b.op(Op::Intersection(immediate, ext));
    let hb = b.union(&[po, rf, sync]);
    b.require(Condition::Acyclic, hb, "hb");
    let hb = b.op(Op::Plus(hb));
    let broken = b.seq(&[hb, fr]);
    b.require(Condition::Irreflexive, broken, "coherence");
    b.atomicity(co, fr);
    let race = b.op(Op::Difference(co, hb));
    b.check(Effect::Flag, Condition::Empty, true, race, "race");
    let inside = b.op(Op::Intersection(immediate, po));
    b.check(Effect::UndefinedUnless, Condition::Empty, false, inside, "inside");
    b.plan
}

/// A total order of all accesses besides co, as a second choice.
pub fn two_choices() -> Plan {
    let mut b = Builder::default();
    let (co, fr) = b.co();
    let (m, po) = (b.s("M"), b.r("po"));
    let total = b.op(Op::Choice(ChoiceId(1)));
    b.plan.choices.push(Choice { name: "S".into(), from: Orders::Linearizations { events: m, base: po } });
    let rf = b.r("rf");
    let com = b.union(&[rf, co, fr]);
    let against = b.seq(&[com, total]);
    b.require(Condition::Irreflexive, against, "total");
    b.atomicity(co, fr);
    b.plan
}

/// A small execution: sets and relations by their names.
#[derive(Clone, Debug)]
pub struct Small {
    pub size: usize,
    pub sets: Vec<(&'static str, Vec<usize>)>,
    pub relations: Vec<(&'static str, Vec<(usize, usize)>)>,
}

impl Facts for Small {
    fn size(&self) -> usize {
        self.size
    }

    fn set(&self, name: &str, into: &mut Set) -> bool {
        let Some((_, events)) = self.sets.iter().find(|(n, _)| *n == name) else { return false };
        events.iter().for_each(|&event| into.insert(event));
        true
    }

    fn relation(&self, name: &str, into: &mut Relation) -> bool {
        let Some((_, pairs)) = self.relations.iter().find(|(n, _)| *n == name) else { return false };
        pairs.iter().for_each(|&(a, b)| into.insert(a, b));
        true
    }
}

impl Small {
    /// Initial writes, then threads of accesses; each read of any write of its location.
    pub fn random(random: &mut Random, threads: usize, events: usize, locations: usize) -> Small {
        let size = locations + events;
        let thread: Vec<Option<usize>> =
            (0..size).map(|e| (e >= locations).then(|| random.index(threads))).collect();
        let mut location: Vec<usize> =
            (0..size).map(|e| if e < locations { e } else { random.index(locations) }).collect();
        let mut write: Vec<bool> = (0..size).map(|e| e < locations || random.index(2) == 0).collect();
        let mut rmw = Vec::new();
        for read in locations..size {
            let next = (read + 1..size).find(|&e| thread[e] == thread[read]);
            if let Some(next) = next
                && random.index(6) == 0
                && !rmw.iter().any(|&(_, w)| w == read)
            {
                (write[read], write[next]) = (false, true);
                location[next] = location[read];
                rmw.push((read, next));
            }
        }
        let pairs = |holds: &dyn Fn(usize, usize) -> bool| -> Vec<(usize, usize)> {
            (0..size).flat_map(|a| (0..size).map(move |b| (a, b))).filter(|&(a, b)| holds(a, b)).collect()
        };
        let set = |holds: &dyn Fn(usize) -> bool| -> Vec<usize> { (0..size).filter(|&e| holds(e)).collect() };
        let mut rf = Vec::new();
        for read in (0..size).filter(|&e| !write[e]) {
            let sources: Vec<usize> =
                (0..size).filter(|&w| write[w] && location[w] == location[read]).collect();
            rf.push((sources[random.index(sources.len())], read));
        }
        let sc: Vec<usize> = (locations..size).filter(|_| random.index(2) == 0).collect();
        Small {
            size,
            sets: vec![
                ("W", set(&|e| write[e])),
                ("R", set(&|e| !write[e])),
                ("M", set(&|_| true)),
                ("IW", (0..locations).collect()),
                ("SC", sc),
            ],
            relations: vec![
                ("po", pairs(&|a, b| a < b && thread[a].is_some() && thread[a] == thread[b])),
                ("loc", pairs(&|a, b| location[a] == location[b])),
                ("ext", pairs(&|a, b| thread[a] != thread[b])),
                ("int", pairs(&|a, b| thread[a] == thread[b])),
                ("rf", rf),
                ("rmw", rmw),
            ],
        }
    }
}

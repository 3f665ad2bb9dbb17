//! The plan while it grows: every operation once, and simplified where that is a law of sets and relations.
//!
//! Simplification is more than economy. What is known to be empty takes with it what depends on it, and `co \ (co & int)` as `co \ int` is
//! visibly monotone in co.

use crate::plan::{Choice, ChoiceId, Fixpoint, FixpointId, Node, NodeId, Op, Orders, Plan, Type};
use rustc_hash::FxHashMap;

#[derive(Debug, Default)]
pub(super) struct Graph {
    pub plan: Plan,
    known: FxHashMap<(Op, Type), NodeId>,
}

impl Graph {
    pub fn ty(&self, node: NodeId) -> Type {
        self.plan.node(node).ty
    }

    pub fn op(&self, node: NodeId) -> &Op {
        &self.plan.node(node).op
    }

    fn add(&mut self, op: Op, ty: Type) -> NodeId {
        let next = NodeId(self.plan.nodes.len() as u32);
        let nodes = &mut self.plan.nodes;
        *self.known.entry((op, ty)).or_insert_with_key(|(op, ty)| {
            nodes.push(Node { op: op.clone(), ty: *ty, name: None });
            next
        })
    }

    /// `a` and `b` in the order in which the operation is already there, if it is.
    fn add_commutative(&mut self, op: fn(NodeId, NodeId) -> Op, a: NodeId, b: NodeId) -> NodeId {
        let ty = self.ty(a);
        match self.known.get(&(op(b, a), ty)) {
            Some(&node) => node,
            None => self.add(op(a, b), ty),
        }
    }

    /// Names a node that has no name yet.
    pub fn name(&mut self, node: NodeId, name: &str) {
        let node = &mut self.plan.nodes[node.0 as usize];
        if node.name.is_none() && !matches!(node.op, Op::Base(_) | Op::Empty | Op::Universe | Op::Event(_)) {
            node.name = Some(name.to_owned());
        }
    }

    pub fn base(&mut self, name: &str, ty: Type) -> NodeId {
        self.add(Op::Base(name.to_owned()), ty)
    }

    pub fn event(&mut self, event: u32) -> NodeId {
        self.add(Op::Event(event), Type::Set)
    }

    pub fn empty(&mut self, ty: Type) -> NodeId {
        self.add(Op::Empty, ty)
    }

    pub fn universe(&mut self, ty: Type) -> NodeId {
        self.add(Op::Universe, ty)
    }

    pub fn is_empty(&self, node: NodeId) -> bool {
        *self.op(node) == Op::Empty
    }

    fn is_universe(&self, node: NodeId) -> bool {
        *self.op(node) == Op::Universe
    }

    /// The identity on all events.
    pub fn id(&mut self) -> NodeId {
        let universe = self.universe(Type::Set);
        self.add(Op::Identity(universe), Type::Relation)
    }

    fn is_id(&self, node: NodeId) -> bool {
        matches!(*self.op(node), Op::Identity(set) if self.is_universe(set))
    }

    /// Whether `part` is one of the operands of the intersection `whole`.
    fn is_part(&self, part: NodeId, whole: NodeId) -> bool {
        matches!(*self.op(whole), Op::Intersection(a, b) if a == part || b == part)
    }

    pub fn union(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if a == b || self.is_empty(b) || self.is_universe(a) || self.is_part(a, b) {
            return a;
        }
        if self.is_empty(a) || self.is_universe(b) || self.is_part(b, a) {
            return b;
        }
        match (self.op(a), self.op(b)) {
            (Op::Identity(s), Op::Identity(t)) => {
                let (s, t) = (*s, *t);
                let both = self.union(s, t);
                self.identity(both)
            }
            _ => self.add_commutative(Op::Union, a, b),
        }
    }

    pub fn intersection(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if a == b || self.is_universe(b) || self.is_empty(a) || self.is_part(b, a) {
            return a;
        }
        if self.is_universe(a) || self.is_empty(b) || self.is_part(a, b) {
            return b;
        }
        match (self.op(a), self.op(b)) {
            (&Op::Complement(c), _) => self.difference(b, c),
            (_, &Op::Complement(c)) => self.difference(a, c),
            (&Op::Identity(s), &Op::Identity(t)) => {
                let both = self.intersection(s, t);
                self.identity(both)
            }
            (&Op::Product(a, b), &Op::Product(c, d)) => {
                let (from, to) = (self.intersection(a, c), self.intersection(b, d));
                self.product(from, to)
            }
            _ => self.add_commutative(Op::Intersection, a, b),
        }
    }

    pub fn difference(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let ty = self.ty(a);
        if self.is_empty(a) || self.is_empty(b) {
            return a;
        }
        if a == b || self.is_universe(b) {
            return self.empty(ty);
        }
        if self.is_universe(a) {
            return self.complement(b);
        }
        match *self.op(b) {
            // What is not in `a` need not be taken away from it.
            Op::Intersection(c, d) if c == a => self.difference(a, d),
            Op::Intersection(c, d) if d == a => self.difference(a, c),
            Op::Complement(c) => self.intersection(a, c),
            _ => self.add(Op::Difference(a, b), ty),
        }
    }

    pub fn complement(&mut self, a: NodeId) -> NodeId {
        let ty = self.ty(a);
        match *self.op(a) {
            Op::Empty => self.universe(ty),
            Op::Universe => self.empty(ty),
            Op::Complement(b) => b,
            _ => self.add(Op::Complement(a), ty),
        }
    }

    pub fn domain(&mut self, r: NodeId) -> NodeId {
        match *self.op(r) {
            Op::Empty => self.empty(Type::Set),
            Op::Universe => self.universe(Type::Set),
            Op::Identity(s) => s,
            Op::Inverse(s) => self.range(s),
            Op::Plus(s) => self.domain(s),
            _ => self.add(Op::Domain(r), Type::Set),
        }
    }

    pub fn range(&mut self, r: NodeId) -> NodeId {
        match *self.op(r) {
            Op::Empty => self.empty(Type::Set),
            Op::Universe => self.universe(Type::Set),
            Op::Identity(s) => s,
            Op::Inverse(s) => self.domain(s),
            Op::Plus(s) => self.range(s),
            _ => self.add(Op::Range(r), Type::Set),
        }
    }

    pub fn identity(&mut self, s: NodeId) -> NodeId {
        if self.is_empty(s) { self.empty(Type::Relation) } else { self.add(Op::Identity(s), Type::Relation) }
    }

    pub fn product(&mut self, s: NodeId, t: NodeId) -> NodeId {
        if self.is_empty(s) || self.is_empty(t) {
            self.empty(Type::Relation)
        } else if self.is_universe(s) && self.is_universe(t) {
            self.universe(Type::Relation)
        } else {
            self.add(Op::Product(s, t), Type::Relation)
        }
    }

    pub fn sequence(&mut self, r: NodeId, s: NodeId) -> NodeId {
        if self.is_empty(r) || self.is_id(s) {
            return r;
        }
        if self.is_empty(s) || self.is_id(r) {
            return s;
        }
        match (self.op(r), self.op(s)) {
            (&Op::Identity(a), &Op::Identity(b)) => {
                let both = self.intersection(a, b);
                self.identity(both)
            }
            (&Op::Identity(a), &Op::Product(b, c)) => {
                let from = self.intersection(a, b);
                self.product(from, c)
            }
            (&Op::Product(a, b), &Op::Identity(c)) => {
                let to = self.intersection(b, c);
                self.product(a, to)
            }
            _ => self.add(Op::Sequence(r, s), Type::Relation),
        }
    }

    pub fn inverse(&mut self, r: NodeId) -> NodeId {
        match *self.op(r) {
            Op::Empty | Op::Universe | Op::Identity(_) => r,
            Op::Inverse(s) => s,
            Op::Product(a, b) => self.product(b, a),
            _ => self.add(Op::Inverse(r), Type::Relation),
        }
    }

    pub fn optional(&mut self, r: NodeId) -> NodeId {
        match *self.op(r) {
            Op::Empty | Op::Identity(_) => self.id(),
            Op::Universe | Op::Optional(_) | Op::Star(_) => r,
            Op::Plus(s) => self.star(s),
            _ => self.add(Op::Optional(r), Type::Relation),
        }
    }

    pub fn plus(&mut self, r: NodeId) -> NodeId {
        match *self.op(r) {
            Op::Empty | Op::Universe | Op::Identity(_) | Op::Plus(_) | Op::Star(_) => r,
            Op::Optional(s) => self.star(s),
            _ => self.add(Op::Plus(r), Type::Relation),
        }
    }

    pub fn star(&mut self, r: NodeId) -> NodeId {
        match *self.op(r) {
            Op::Empty | Op::Identity(_) => self.id(),
            Op::Universe | Op::Star(_) => r,
            Op::Optional(s) | Op::Plus(s) => self.star(s),
            _ => self.add(Op::Star(r), Type::Relation),
        }
    }

    /// A new order to be chosen.
    pub fn choice(&mut self, name: &str, from: Orders) -> NodeId {
        let id = ChoiceId(self.plan.choices.len() as u32);
        self.plan.choices.push(Choice { name: name.to_owned(), from });
        let node = self.add(Op::Choice(id), Type::Relation);
        self.name(node, name);
        node
    }

    /// A new fixpoint of so many names, still without bodies.
    pub fn fixpoint(&mut self, types: &[Type]) -> (FixpointId, Vec<NodeId>) {
        let id = FixpointId(self.plan.fixpoints.len() as u32);
        let variables: Vec<NodeId> =
            types.iter().enumerate().map(|(i, &ty)| self.add(Op::Variable(id, i as u32), ty)).collect();
        self.plan.fixpoints.push(Fixpoint { variables: variables.clone(), bodies: Vec::new() });
        (id, variables)
    }

    /// What a name of a fixpoint is outside it.
    pub fn fixed(&mut self, fixpoint: FixpointId, index: usize, ty: Type) -> NodeId {
        self.add(Op::Fixpoint(fixpoint, index as u32), ty)
    }
}

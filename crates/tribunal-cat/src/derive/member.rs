//! Whether a pair is in a node whose value is part of what uses it, and so not at hand by itself.

use crate::evaluate::{Evaluator, Value};
use crate::plan::{NodeId, Op};
use crate::relation::members;

impl Evaluator<'_> {
    /// Whether a pair is in a relation, or an event in a set.
    pub(super) fn has(&self, node: NodeId, a: usize, b: usize) -> bool {
        if self.is_kept(node) {
            return match self.value_at(node) {
                Value::Set(set) => a == b && set.contains(a),
                Value::Relation(relation) => relation.contains(a, b),
            };
        }
        match self.plan().node(node).op {
            Op::Base(_) | Op::Event(_) | Op::Empty | Op::Choice(_) | Op::Variable(..) | Op::Fixpoint(..) => {
                false
            }
            Op::Universe => true,
            Op::Union(r, s) => self.has(r, a, b) || self.has(s, a, b),
            Op::Intersection(r, s) => self.has(r, a, b) && self.has(s, a, b),
            Op::Difference(r, s) => self.has(r, a, b) && !self.has(s, a, b),
            Op::Complement(r) => !self.has(r, a, b),
            Op::Domain(r) => (0..self.size()).any(|b| self.has(r, a, b)),
            Op::Range(r) => (0..self.size()).any(|a| self.has(r, a, b)),
            Op::Identity(s) => a == b && self.has(s, a, a),
            Op::Product(s, t) => self.has(s, a, a) && self.has(t, b, b),
            Op::Sequence(r, s) => self.middle(r, s, a, b).is_some(),
            Op::Inverse(r) => self.has(r, b, a),
            Op::Optional(r) => a == b || self.has(r, a, b),
            Op::Plus(r) => self.cheapest(r, a, b).is_some(),
            Op::Star(r) => a == b || self.cheapest(r, a, b).is_some(),
        }
    }

    /// The events b with (a, b) in a relation.
    pub(super) fn successors(&self, node: NodeId, a: usize) -> Box<dyn Iterator<Item = usize> + '_> {
        if self.is_kept(node)
            && let Value::Relation(relation) = self.value_at(node)
        {
            return Box::new(members(relation.row(a)));
        }
        match self.plan().node(node).op {
            Op::Identity(s) => Box::new(Some(a).into_iter().filter(move |&a| self.has(s, a, a))),
            _ => Box::new((0..self.size()).filter(move |&b| self.has(node, a, b))),
        }
    }

    /// An event between a and b in `r ; s`, by pairs that no choice matters to where there are such.
    pub(super) fn middle(&self, r: NodeId, s: NodeId, a: usize, b: usize) -> Option<usize> {
        let mut any = None;
        for middle in self.successors(r, a) {
            if self.has(s, middle, b) {
                if self.is_certain(r, a, middle) && self.is_certain(s, middle, b) {
                    return Some(middle);
                }
                any = any.or(Some(middle));
            }
        }
        any
    }

    /// Whether a pair of a relation is in a part of it that no choice matters to.
    fn is_certain(&self, node: NodeId, a: usize, b: usize) -> bool {
        if !self.moves(node) {
            return true;
        }
        match self.plan().node(node).op {
            Op::Union(r, s) => [r, s].into_iter().any(|r| self.is_certain(r, a, b) && self.has(r, a, b)),
            Op::Optional(_) | Op::Star(_) => a == b,
            _ => false,
        }
    }

    /// The operand of a union, or of the unions in it, that has a pair: one that no choice matters to, where there is such.
    pub(super) fn cheapest_operand(&self, node: NodeId, a: usize, b: usize) -> Option<NodeId> {
        let Op::Union(r, s) = self.plan().node(node).op else { return None };
        let having = [r, s].into_iter().filter(|&r| self.has(r, a, b));
        having.min_by_key(|&r| !self.is_certain(r, a, b))
    }
}

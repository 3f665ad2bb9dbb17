//! The value of one node, of those of its operands.

use super::Evaluator;
use super::program::Code;
use crate::limits::{Pace, Stopped};
use crate::plan::{NodeId, Op};
use crate::relation::{Relation, Set};

impl Evaluator<'_> {
    /// Into a set that is empty.
    pub(super) fn apply_set(&self, node: NodeId, into: &mut Set) {
        match &self.program.codes[node.0 as usize] {
            &Code::Event(event) if event < self.size => into.insert(event),
            Code::Universe => into.fill(),
            Code::Union(operands) => operands.iter().for_each(|&operand| into.extend(self.set_at(operand))),
            &Code::Intersection(a, b) => {
                into.assign(self.set_at(a));
                into.retain(self.set_at(b));
            }
            &Code::Difference(a, b) => {
                into.assign(self.set_at(a));
                into.subtract(self.set_at(b));
            }
            &Code::Complement(a) => {
                into.fill();
                into.subtract(self.set_at(a));
            }
            &Code::Domain(a) => self.relation_at(a).domain_into(into),
            &Code::Range(a) => self.relation_at(a).range_into(into),
            // What else there is gives relations, or is not computed here.
            _ => {}
        }
    }

    /// Into a relation of the right size, of which nothing is known.
    pub(super) fn apply_relation(
        &self,
        node: NodeId,
        into: &mut Relation,
        pace: &mut Pace<'_>,
    ) -> Result<(), Stopped> {
        pace.spend(into.words())?;
        match &self.program.codes[node.0 as usize] {
            Code::Universe => into.fill(),
            Code::Union(operands) => {
                into.assign(self.relation_at(operands[0]));
                operands[1..].iter().for_each(|&operand| _ = into.extend(self.relation_at(operand)));
            }
            &Code::Intersection(a, b) => {
                into.assign(self.relation_at(a));
                into.retain(self.relation_at(b));
            }
            &Code::Difference(a, b) => {
                into.assign(self.relation_at(a));
                into.subtract(self.relation_at(b));
            }
            &Code::Complement(a) => self.relation_at(a).complement_into(into),
            &Code::Identity(a) => {
                into.clear();
                into.extend_identity(self.set_at(a));
            }
            &Code::Product(a, b) => {
                into.clear();
                into.extend_product(self.set_at(a), self.set_at(b));
            }
            &Code::Sequence(a, b) => {
                let (a, value) = (self.relation_at(a), self.relation_at(b));
                match self.size > 64 && self.is_transitive(b) {
                    true => a.sequence_transitive_within(value, into, pace)?,
                    false => a.sequence_within(value, into, pace)?,
                }
            }
            &Code::InverseSequence(a, b) => {
                into.clear();
                self.relation_at(a).inverse_sequence_within(self.relation_at(b), into, pace)?;
            }
            &Code::Inverse(a) => {
                into.clear();
                self.relation_at(a).inverse_into(into);
            }
            &Code::Optional(a) => {
                into.assign(self.relation_at(a));
                into.make_reflexive();
            }
            &Code::Plus(a) => {
                into.assign(self.relation_at(a));
                into.close_within(pace)?;
            }
            &Code::Star(a) => {
                into.assign(self.relation_at(a));
                into.close_within(pace)?;
                into.make_reflexive();
            }
            Code::Choice => {
                if let Op::Choice(choice) = self.plan.node(node).op {
                    into.assign(self.choice(choice));
                }
            }
            &Code::Restrict(a, from, to) => {
                let (from, to) = (from.map(|from| self.set_at(from)), to.map(|to| self.set_at(to)));
                into.assign_restricted(self.relation_at(a), from, to);
            }
            &Code::Without(a, from, to) => {
                into.assign(self.relation_at(a));
                into.subtract_product(self.set_at(from), self.set_at(to));
            }
            // What else there is gives sets, or is not computed here.
            _ => into.clear(),
        }
        Ok(())
    }

    /// Whether it is by what it is written as.
    fn is_transitive(&self, node: NodeId) -> bool {
        match *self.code(node) {
            Code::Plus(_) | Code::Star(_) => true,
            Code::Optional(a) => self.is_transitive(a),
            _ => false,
        }
    }
}

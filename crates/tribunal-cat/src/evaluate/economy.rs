//! Large executions: values that do not depend on choices are computed once, and freed when everything that uses them is computed.

use super::Evaluator;
use super::program::Code;
use crate::limits::{Limits, Stopped};
use crate::plan::{NodeId, Type};
use crate::relation::Relation;

/// Executions of more events are evaluated so.
pub(super) const LARGE: usize = 2000;

impl Evaluator<'_> {
    /// An upper bound on the memory for evaluating an execution of this many events: the relations held at one time.
    pub fn bytes_for(&self, size: usize) -> usize {
        let is_relation = |node: &NodeId| self.plan.node(*node).ty == Type::Relation;
        let relations = if size > LARGE {
            let (fixed, mut uses) = self.fixed();
            let mut held = fixed
                .iter()
                .filter(|&&node| is_relation(&node) && matches!(self.code(node), Code::Base))
                .count();
            let mut most = held;
            for &node in &fixed {
                held += usize::from(is_relation(&node) && !matches!(self.code(node), Code::Base));
                most = most.max(held);
                self.for_each_operand(node, |operand| {
                    uses[operand.0 as usize] -= 1;
                    held -= usize::from(uses[operand.0 as usize] == 0 && is_relation(&operand));
                });
            }
            let moving = (0..self.plan.nodes.len() as u32).map(NodeId);
            let moving = moving
                .filter(|&node| self.moves(node) && self.program.kept[node.0 as usize] && is_relation(&node));
            most.max(held + moving.count())
        } else {
            self.plan.nodes.iter().filter(|node| node.ty == Type::Relation).count()
        };
        (relations + self.choices.len() + 1) * Relation::bytes(size)
    }

    /// An upper bound on the memory for evaluating the current execution.
    pub fn bytes(&self) -> usize {
        self.bytes_for(self.size)
    }

    /// Once for each large execution: computes all that no choice matters to.
    pub(super) fn give_up_what_is_not_needed(&mut self, limits: &mut dyn Limits) -> Result<(), Stopped> {
        if !self.economical || self.given_up {
            return Ok(());
        }
        let (fixed, mut uses) = self.fixed();
        for &node in &fixed {
            self.bring(&[node], limits)?;
            let mut unused = Vec::new();
            self.for_each_operand(node, |operand| {
                uses[operand.0 as usize] -= 1;
                if uses[operand.0 as usize] == 0 {
                    unused.push(operand);
                }
            });
            unused.into_iter().for_each(|operand| self.values[operand.0 as usize] = Default::default());
        }
        self.given_up = true;
        Ok(())
    }

    /// The nodes that no choice matters to, in order, and how often each is used; what others need is used once more.
    fn fixed(&self) -> (Vec<NodeId>, Vec<u32>) {
        let nodes = (0..self.plan.nodes.len() as u32).map(NodeId);
        let is_fixed = |&node: &NodeId| {
            self.program.kept[node.0 as usize] && !self.moves(node) && !self.program.is_open(node)
        };
        let fixed: Vec<NodeId> = nodes.clone().filter(is_fixed).collect();
        let mut uses = vec![0; self.plan.nodes.len()];
        for &node in &fixed {
            self.for_each_operand(node, |operand| uses[operand.0 as usize] += 1);
        }
        for node in nodes.filter(|node| self.program.kept[node.0 as usize] && !is_fixed(node)) {
            self.code(node).operands().for_each(|operand| uses[operand.0 as usize] += 1);
        }
        for fixpoint in &self.plan.fixpoints {
            fixpoint.bodies.iter().for_each(|body| uses[body.0 as usize] += 1);
        }
        for list in self.program.checks.iter().chain(&self.program.domains) {
            list.last().into_iter().for_each(|root| uses[root.0 as usize] += 1);
        }
        for choice in &self.plan.choices {
            let (crate::plan::Orders::Locations { events, base }
            | crate::plan::Orders::Linearizations { events, base }) = choice.from;
            uses[events.0 as usize] += 1;
            uses[base.0 as usize] += 1;
        }
        self.plan.checks.iter().for_each(|check| uses[check.node.0 as usize] += 1);
        (fixed, uses)
    }

    fn for_each_operand(&self, node: NodeId, mut visit: impl FnMut(NodeId)) {
        self.code(node).operands().for_each(&mut visit);
    }
}

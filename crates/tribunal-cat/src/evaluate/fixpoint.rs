//! `let rec`, by herd's rule.

use super::{Evaluator, Value, reset};
use crate::limits::{Limits, Stopped, Unlimited};
use crate::plan::Op;

impl Evaluator<'_> {
    /// Bodies in order, each seeing what those before it have just become, until each new value is a subset of the one before: the
    /// least fixpoint where bodies are monotone. These add something in each round but the last; others are cut off there.
    pub(super) fn fix(
        &mut self,
        fixpoint: usize,
        limits: &mut dyn Limits,
        mut after_round: impl FnMut(&Self),
    ) -> Result<(), Stopped> {
        let plan = self.plan;
        let (variables, bodies) = (&plan.fixpoints[fixpoint].variables, &plan.fixpoints[fixpoint].bodies);
        for &variable in variables {
            reset(&mut self.values[variable.0 as usize], plan.node(variable).ty, self.size);
        }
        let most = (self.size * self.size).saturating_mul(variables.len()).saturating_add(2);
        for _ in 0..most {
            let mut stable = true;
            for (index, (&variable, &body)) in variables.iter().zip(bodies).enumerate() {
                self.compute_body(fixpoint, index, limits)?;
                let mut value = std::mem::take(&mut self.values[variable.0 as usize]);
                stable &= match (&mut value, &self.values[body.0 as usize]) {
                    (Value::Set(old), Value::Set(new)) => {
                        let stable = new.is_subset(old);
                        old.assign(new);
                        stable
                    }
                    (Value::Relation(old), Value::Relation(new)) => {
                        let stable = new.is_subset(old);
                        old.assign(new);
                        stable
                    }
                    _ => true,
                };
                self.values[variable.0 as usize] = value;
            }
            after_round(self);
            if stable {
                break;
            }
        }
        for (id, node) in plan.nodes.iter().enumerate() {
            if let Op::Fixpoint(of, index) = node.op
                && of.0 as usize == fixpoint
            {
                let variable = variables[index as usize].0 as usize;
                let (low, high) = self.values.split_at_mut(id.max(variable));
                let (into, from) =
                    if id > variable { (&mut high[0], &low[variable]) } else { (&mut low[id], &high[0]) };
                reset(into, node.ty, self.size);
                match (into, from) {
                    (Value::Set(into), Value::Set(from)) => into.assign(from),
                    (Value::Relation(into), Value::Relation(from)) => into.assign(from),
                    _ => {}
                }
                self.valid[id] = true;
            }
        }
        Ok(())
    }

    fn compute_body(
        &mut self,
        fixpoint: usize,
        index: usize,
        limits: &mut dyn Limits,
    ) -> Result<(), Stopped> {
        let cone = std::mem::take(&mut self.program.cones[fixpoint][index]);
        let computed = cone.iter().try_for_each(|&node| self.compute(node, limits));
        self.program.cones[fixpoint][index] = cone;
        computed
    }

    /// What the names of a fixpoint become in each round.
    pub(crate) fn record(&mut self, fixpoint: usize) -> Vec<Vec<Value>> {
        let plan = self.plan;
        let mut rounds = Vec::new();
        self.fix_all(fixpoint, |evaluator| {
            let names = plan.fixpoints[fixpoint].variables.iter();
            rounds.push(names.map(|name| evaluator.values[name.0 as usize].clone()).collect());
        });
        rounds
    }

    /// Evaluates a body of a fixpoint with these values of its names; empty where there is none.
    pub(crate) fn recall<'v>(
        &mut self,
        fixpoint: usize,
        body: usize,
        value: impl Fn(usize) -> Option<&'v Value>,
    ) {
        let plan = self.plan;
        for (name, variable) in plan.fixpoints[fixpoint].variables.iter().enumerate() {
            match value(name) {
                Some(value) => self.values[variable.0 as usize].clone_from(value),
                None => reset(&mut self.values[variable.0 as usize], plan.node(*variable).ty, self.size),
            }
        }
        let computed = self.compute_body(fixpoint, body, &mut Unlimited);
        debug_assert!(computed.is_ok(), "there is no limit");
    }

    /// Brings what is inside a fixpoint to its last round.
    pub(crate) fn fix_again(&mut self, fixpoint: usize) {
        self.fix_all(fixpoint, |_| {});
    }

    fn fix_all(&mut self, fixpoint: usize, after_round: impl FnMut(&Self)) {
        let fixed = self.fix(fixpoint, &mut Unlimited, after_round);
        debug_assert!(fixed.is_ok(), "there is no limit");
    }
}

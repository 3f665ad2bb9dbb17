//! What cannot be added to a choice without breaking a check, for all of its pairs at once.
//!
//! From a check backward: the pairs that its node must not get, then those that each operand must not get because the node would get such a
//! pair of it, the other operands being what they are. It is differentiation in reverse, in the algebra of relations:
//! for `n = a ; b` the pair (p, q) is forbidden to a if (p, s) is to n for some (q, s) of b. One pass costs about as much as evaluating the check.
//!
//! Invariant: a pair is only marked if the check fails on the present choices with the pair, and so, for checks whose failure is monotone,
//! on all that contain both.

use tribunal_cat::evaluate::Code;
use tribunal_cat::evaluate::{Evaluator, Value};
use tribunal_cat::limits::{Pace, Stopped};
use tribunal_cat::plan::{ChoiceId, Condition, NodeId, Op, Type};
use tribunal_cat::relation::{Relation, Set};

/// Memory for marking, from one time to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Forbidden {
    /// What must not be added to a node, where something is known.
    marks: Vec<Option<Value>>,
    relations: Vec<Relation>,
}

impl Forbidden {
    /// What is held.
    pub(super) fn bytes(&self) -> usize {
        self.relations.iter().map(|relation| Relation::bytes(relation.size())).sum()
    }

    /// Calls with each choice that a check depends on and what it must not get. The check's nodes are up to date, and it holds.
    pub(super) fn of_check(
        &mut self,
        evaluator: &Evaluator<'_>,
        check: usize,
        pace: &mut Pace<'_>,
        mut found: impl FnMut(ChoiceId, &Relation, &mut Pace<'_>) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let plan = evaluator.plan();
        let check_of = &plan.checks[check];
        if check_of.negated
            || plan.node(check_of.node).ty == Type::Set && check_of.condition != Condition::Empty
        {
            return Ok(());
        }
        // One that was stopped may have left some.
        self.marks.clear();
        self.marks.resize_with(plan.nodes.len(), || None);
        let root = match plan.node(check_of.node).ty {
            Type::Set => {
                let mut all = Set::empty(evaluator.size());
                all.fill();
                Value::Set(all)
            }
            Type::Relation => {
                let mut root = self.empty(evaluator.size());
                match check_of.condition {
                    Condition::Empty => root.fill(),
                    Condition::Irreflexive => root.make_reflexive(),
                    Condition::Acyclic => {
                        let mut reach = self.empty(evaluator.size());
                        reach.assign(evaluator.relation_at(check_of.node));
                        reach.close_within(pace)?;
                        reach.make_reflexive();
                        reach.inverse_into(&mut root);
                        self.relations.push(reach);
                    }
                }
                Value::Relation(root)
            }
        };
        self.marks[check_of.node.0 as usize] = Some(root);
        self.backward(evaluator, evaluator.needs_of_check(check), pace, &mut found)
    }

    /// From each marked node to its operands, last nodes first.
    fn backward(
        &mut self,
        evaluator: &Evaluator<'_>,
        nodes: &[NodeId],
        pace: &mut Pace<'_>,
        found: &mut impl FnMut(ChoiceId, &Relation, &mut Pace<'_>) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        for &node in nodes.iter().rev() {
            let Some(mark) = self.marks[node.0 as usize].take() else { continue };
            match (evaluator.code(node), &mark) {
                (Code::Fixpoint(fixpoint), _) => {
                    self.fixpoint(evaluator, *fixpoint, node, mark, pace, found)?;
                    continue;
                }
                (Code::Choice, Value::Relation(mark)) => {
                    if let Op::Choice(choice) = evaluator.plan().node(node).op {
                        found(choice, mark, pace)?;
                    }
                }
                (code, Value::Relation(mark)) => self.relation(evaluator, code, mark, pace)?,
                (code, Value::Set(mark)) => self.set(evaluator, code, mark),
            }
            self.free(mark);
        }
        Ok(())
    }

    /// Marks go round through the names of a `let rec` until there are no more.
    fn fixpoint(
        &mut self,
        evaluator: &Evaluator<'_>,
        fixpoint: usize,
        node: NodeId,
        mark: Value,
        pace: &mut Pace<'_>,
        found: &mut impl FnMut(ChoiceId, &Relation, &mut Pace<'_>) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let plan = evaluator.plan();
        let (variables, bodies) = (&plan.fixpoints[fixpoint].variables, &plan.fixpoints[fixpoint].bodies);
        let Op::Fixpoint(_, index) = plan.node(node).op else { return Ok(()) };
        let mut known: Vec<Option<Value>> = vec![None; bodies.len()];
        known[index as usize] = Some(mark);
        let mut cone: Vec<NodeId> = evaluator.cones(fixpoint).iter().flatten().copied().collect();
        cone.sort_unstable();
        cone.dedup();
        loop {
            for (body, known) in bodies.iter().zip(&known) {
                if let Some(known) = known {
                    self.mark(evaluator, *body, known.clone());
                }
            }
            self.backward(evaluator, &cone, pace, found)?;
            let mut more = false;
            for (variable, known) in variables.iter().zip(&mut known) {
                let Some(new) = self.marks[variable.0 as usize].take() else { continue };
                match (known.as_mut(), new) {
                    (Some(Value::Relation(known)), Value::Relation(new)) => more |= known.extend(&new),
                    (Some(Value::Set(known)), Value::Set(new)) => {
                        more |= !new.is_subset(known);
                        known.extend(&new);
                    }
                    (_, new) => {
                        more = true;
                        *known = Some(new);
                    }
                }
            }
            if !more {
                return Ok(());
            }
        }
    }

    fn relation(
        &mut self,
        evaluator: &Evaluator<'_>,
        code: &Code,
        mark: &Relation,
        pace: &mut Pace<'_>,
    ) -> Result<(), Stopped> {
        let size = mark.size();
        pace.spend(mark.words())?;
        let moves = |node: NodeId| evaluator.moves(node);
        match code {
            Code::Union(operands) => {
                for &operand in operands.iter().filter(|&&operand| moves(operand)) {
                    self.extend(evaluator, operand, mark);
                }
            }
            &Code::Intersection(a, b) => {
                for (a, b) in [(a, b), (b, a)] {
                    if moves(a) {
                        let mut own = self.copy(mark);
                        own.retain(evaluator.relation_at(b));
                        self.mark(evaluator, a, Value::Relation(own));
                    }
                }
            }
            &Code::Difference(a, b) if moves(a) => {
                let mut own = self.copy(mark);
                own.subtract(evaluator.relation_at(b));
                self.mark(evaluator, a, Value::Relation(own));
            }
            &Code::Without(a, from, to) if moves(a) => {
                let mut own = self.copy(mark);
                own.subtract_product(evaluator.set_at(from), evaluator.set_at(to));
                self.mark(evaluator, a, Value::Relation(own));
            }
            &Code::Restrict(a, from, to) if moves(a) => {
                let mut own = self.copy(mark);
                own.restrict_to(from.map(|from| evaluator.set_at(from)), to.map(|to| evaluator.set_at(to)));
                self.mark(evaluator, a, Value::Relation(own));
            }
            &Code::Sequence(a, b) => {
                if moves(a) {
                    let mut own = self.empty(size);
                    let mut inverse = self.empty(size);
                    evaluator.relation_at(b).inverse_into(&mut inverse);
                    mark.sequence_within(&inverse, &mut own, pace)?;
                    self.relations.push(inverse);
                    self.mark(evaluator, a, Value::Relation(own));
                }
                if moves(b) {
                    let mut own = self.empty(size);
                    evaluator.relation_at(a).inverse_sequence_within(mark, &mut own, pace)?;
                    self.mark(evaluator, b, Value::Relation(own));
                }
            }
            // `a^-1 ; b`: the pair (q, p) of a, where (p, s) is forbidden and (q, s) is in b.
            &Code::InverseSequence(a, b) => {
                if moves(a) {
                    let (mut own, mut inverse) = (self.empty(size), self.empty(size));
                    mark.inverse_into(&mut inverse);
                    evaluator.relation_at(b).sequence_within(&inverse, &mut own, pace)?;
                    self.relations.push(inverse);
                    self.mark(evaluator, a, Value::Relation(own));
                }
                if moves(b) {
                    let mut own = self.empty(size);
                    evaluator.relation_at(a).sequence_within(mark, &mut own, pace)?;
                    self.mark(evaluator, b, Value::Relation(own));
                }
            }
            &Code::Inverse(a) => {
                let mut own = self.empty(size);
                mark.inverse_into(&mut own);
                self.mark(evaluator, a, Value::Relation(own));
            }
            &Code::Optional(a) => self.extend(evaluator, a, mark),
            &Code::Plus(a) | &Code::Star(a) => {
                let mut back = self.empty(size);
                let mut reach = self.copy(evaluator.relation_at(a));
                reach.close_within(pace)?;
                reach.make_reflexive();
                reach.inverse_into(&mut back);
                let mut own = self.empty(size);
                back.sequence_within(mark, &mut reach, pace)?;
                reach.sequence_within(&back, &mut own, pace)?;
                self.relations.extend([back, reach]);
                self.mark(evaluator, a, Value::Relation(own));
            }
            &Code::Identity(a) => {
                let own = Set::of(size, (0..size).filter(|&event| mark.contains(event, event)));
                self.mark(evaluator, a, Value::Set(own));
            }
            &Code::Product(a, b) => {
                if moves(a) {
                    let mut own = self.copy(mark);
                    own.restrict_to(None, Some(evaluator.set_at(b)));
                    self.mark(evaluator, a, Value::Set(own.domain()));
                }
                if moves(b) {
                    let mut own = self.copy(mark);
                    own.restrict_to(Some(evaluator.set_at(a)), None);
                    self.mark(evaluator, b, Value::Set(own.range()));
                }
            }
            // Nothing else is marked here, or moves.
            Code::Variable | Code::Fixpoint(_) | Code::Choice => {}
            Code::Base | Code::Event(_) | Code::Empty | Code::Universe => {}
            Code::Difference(..) | Code::Without(..) | Code::Restrict(..) | Code::Complement(_) => {}
            Code::Domain(_) | Code::Range(_) => {}
        }
        Ok(())
    }

    fn set(&mut self, evaluator: &Evaluator<'_>, code: &Code, mark: &Set) {
        let moves = |node: NodeId| evaluator.moves(node);
        match code {
            Code::Union(operands) => {
                for &operand in operands.iter().filter(|&&operand| moves(operand)) {
                    self.mark(evaluator, operand, Value::Set(mark.clone()));
                }
            }
            &Code::Intersection(a, b) => {
                for (a, b) in [(a, b), (b, a)] {
                    if moves(a) {
                        self.mark(evaluator, a, Value::Set(mark.intersection(evaluator.set_at(b))));
                    }
                }
            }
            &Code::Difference(a, b) => {
                self.mark(evaluator, a, Value::Set(mark.difference(evaluator.set_at(b))))
            }
            &Code::Domain(a) => {
                let mut own = self.empty(mark.size());
                own.extend_product(mark, &Set::universe(mark.size()));
                self.mark(evaluator, a, Value::Relation(own));
            }
            &Code::Range(a) => {
                let mut own = self.empty(mark.size());
                own.extend_product(&Set::universe(mark.size()), mark);
                self.mark(evaluator, a, Value::Relation(own));
            }
            _ => {}
        }
    }

    /// Marks more of a node.
    fn mark(&mut self, evaluator: &Evaluator<'_>, node: NodeId, more: Value) {
        if !evaluator.moves(node) {
            return self.free(more);
        }
        match (&mut self.marks[node.0 as usize], more) {
            (Some(Value::Relation(mark)), Value::Relation(more)) => {
                mark.extend(&more);
                self.relations.push(more);
            }
            (Some(Value::Set(mark)), Value::Set(more)) => mark.extend(&more),
            (mark, more) => *mark = Some(more),
        }
    }

    fn extend(&mut self, evaluator: &Evaluator<'_>, node: NodeId, more: &Relation) {
        match &mut self.marks[node.0 as usize] {
            Some(Value::Relation(mark)) => {
                mark.extend(more);
            }
            _ => {
                let more = self.copy(more);
                self.mark(evaluator, node, Value::Relation(more));
            }
        }
    }

    fn empty(&mut self, size: usize) -> Relation {
        let mut relation = self.relations.pop().unwrap_or_else(|| Relation::empty(0));
        relation.reset(size);
        relation
    }

    fn copy(&mut self, of: &Relation) -> Relation {
        let mut copy = self.empty(of.size());
        copy.assign(of);
        copy
    }

    fn free(&mut self, value: Value) {
        if let Value::Relation(relation) = value {
            self.relations.push(relation);
        }
    }
}

//! Evaluating a plan: the value of each node on the facts of an execution and one value of each choice.
//!
//! Values are cached: after a choice has changed, only what depends on it is recomputed. Between executions of the
//! same size nothing is allocated.

mod apply;
mod economy;
mod fixpoint;
pub(crate) mod program;

use crate::limits::{Limits, Pace, Stopped, Unlimited};
use crate::plan::{ChoiceId, Condition, Facts, NodeId, Op, Orders, Plan, Type};
use crate::relation::{Relation, Set};
pub use program::Code;
use program::{FIXED, Program, Sources};

/// The value of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Of a set.
    Set(Set),
    /// Of a relation.
    Relation(Relation),
}

impl Default for Value {
    fn default() -> Self {
        Value::Set(Set::empty(0))
    }
}

/// A model uses a name that the execution does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the execution has nothing named `{name}`")]
pub struct UnknownName {
    /// The name.
    pub name: String,
}

/// Evaluates a plan on one execution after another.
///
/// ```
/// use tribunal_cat::evaluate::Evaluator;
/// use tribunal_cat::plan::*;
/// use tribunal_cat::relation::{Relation, Set};
///
/// /// Two events, the first before the second.
/// struct Two;
/// impl Facts for Two {
///     fn size(&self) -> usize { 2 }
///     fn set(&self, _: &str, _: &mut Set) -> bool { false }
///     fn relation(&self, name: &str, into: &mut Relation) -> bool {
///         into.insert(0, 1);
///         name == "po"
///     }
/// }
///
/// let mut plan = Plan::default();
/// plan.nodes.push(Node { op: Op::Base("po".into()), ty: Type::Relation, name: None });
/// let mut evaluator = Evaluator::new(&plan, &[]);
/// evaluator.load(&Two)?;
/// assert!(evaluator.relation(NodeId(0)).contains(0, 1));
/// # Ok::<(), tribunal_cat::evaluate::UnknownName>(())
/// ```
#[derive(Clone, Debug)]
pub struct Evaluator<'p> {
    plan: &'p Plan,
    program: Program,
    varying: Vec<String>,
    /// The bits of all choices.
    moving: Sources,
    size: usize,
    values: Vec<Value>,
    /// Whether a node's value is that of the present facts and choices.
    valid: Vec<bool>,
    choices: Vec<Relation>,
    /// For relations that are needed for a moment.
    scratch: Relation,
    scratch_set: Set,
    /// What has been done since limits were polled.
    work: usize,
    /// Whether values are given up that nothing needs any more, and whether they were.
    economical: bool,
    given_up: bool,
}

impl<'p> Evaluator<'p> {
    /// `varying`: the facts that [`change`](Self::change) may replace while the others stay.
    pub fn new(plan: &'p Plan, varying: &[&str]) -> Self {
        Evaluator {
            plan,
            program: Program::new(plan, varying),
            varying: varying.iter().map(|name| name.to_string()).collect(),
            moving: (0..plan.choices.len())
                .fold(0, |all, choice| all | Program::choice(varying.len(), choice)),
            size: 0,
            values: vec![Value::default(); plan.nodes.len()],
            valid: vec![false; plan.nodes.len()],
            choices: vec![Relation::empty(0); plan.choices.len()],
            scratch: Relation::empty(0),
            scratch_set: Set::empty(0),
            work: 0,
            economical: false,
            given_up: false,
        }
    }

    /// The plan that is evaluated.
    pub fn plan(&self) -> &'p Plan {
        self.plan
    }

    /// The number of events.
    pub fn size(&self) -> usize {
        self.size
    }

    /// How a node is computed.
    pub fn code(&self, node: NodeId) -> &Code {
        &self.program.codes[node.0 as usize]
    }

    /// What is evaluated for a check, in order.
    pub fn needs_of_check(&self, check: usize) -> &[NodeId] {
        &self.program.checks[check]
    }

    /// What is evaluated in each round for each body of a fixpoint.
    pub fn cones(&self, fixpoint: usize) -> &[Vec<NodeId>] {
        &self.program.cones[fixpoint]
    }

    /// Whether a node depends on a choice.
    pub fn moves(&self, node: NodeId) -> bool {
        self.program.depends[node.0 as usize] & self.moving != 0
    }

    /// The events that a choice orders, and what its orders contain.
    pub fn domain(&mut self, choice: usize, limits: &mut dyn Limits) -> Result<(&Set, &Relation), Stopped> {
        let needs = std::mem::take(&mut self.program.domains[choice]);
        let brought = self.give_up_what_is_not_needed(limits).and_then(|()| self.bring(&needs, limits));
        self.program.domains[choice] = needs;
        brought?;
        let (Orders::Locations { events, base } | Orders::Linearizations { events, base }) =
            self.plan.choices[choice].from;
        Ok((self.set_at(events), self.relation_at(base)))
    }

    /// Loads the facts of an execution. Choices are then empty.
    pub fn load(&mut self, facts: &dyn Facts) -> Result<(), UnknownName> {
        self.economical = facts.size() > economy::LARGE;
        self.given_up = false;
        self.size = facts.size();
        self.valid.fill(false);
        self.choices.iter_mut().for_each(|choice| choice.reset(facts.size()));
        self.scratch.reset(facts.size());
        self.scratch_set.reset(facts.size());
        self.take(facts, !0)
    }

    /// Replaces some of the varying facts; the others and the choices stay.
    pub fn change(&mut self, facts: &dyn Facts, names: &[&str]) -> Result<(), UnknownName> {
        if self.economical {
            // What the others' values were needed for may be gone.
            return self.load(facts);
        }
        let bit = |name: &&str| {
            let index = self.varying.iter().position(|varying| varying == name);
            index.map_or(FIXED, Program::varying)
        };
        let sources = names.iter().map(bit).fold(0, |sources, bit| sources | bit);
        self.invalidate(sources);
        self.take(facts, sources)
    }

    fn take(&mut self, facts: &dyn Facts, sources: Sources) -> Result<(), UnknownName> {
        for (id, node) in self.plan.nodes.iter().enumerate() {
            let Op::Base(name) = &node.op else { continue };
            if self.program.depends[id] & sources == 0 {
                continue;
            }
            let value = &mut self.values[id];
            reset(value, node.ty, self.size);
            let known = match value {
                Value::Set(set) => facts.set(name, set),
                Value::Relation(relation) => facts.relation(name, relation),
            };
            if !known {
                return Err(UnknownName { name: name.clone() });
            }
            self.valid[id] = true;
        }
        Ok(())
    }

    /// The current value of a choice.
    pub fn choice(&self, choice: ChoiceId) -> &Relation {
        &self.choices[choice.0 as usize]
    }

    /// Gives a choice its value.
    pub fn choose(&mut self, choice: ChoiceId, order: &Relation) {
        let index = choice.0 as usize;
        if self.choices[index] != *order {
            self.choices[index].assign(order);
            self.invalidate(Program::choice(self.varying.len(), index));
        }
    }

    /// Sets a choice with a function that writes it into an empty relation.
    pub fn choose_with(&mut self, choice: ChoiceId, write: impl FnOnce(&mut Relation)) {
        self.scratch.reset(self.size);
        write(&mut self.scratch);
        let index = choice.0 as usize;
        if self.choices[index] != self.scratch {
            std::mem::swap(&mut self.choices[index], &mut self.scratch);
            self.invalidate(Program::choice(self.varying.len(), index));
        }
    }

    fn invalidate(&mut self, sources: Sources) {
        for (valid, depends) in self.valid.iter_mut().zip(&self.program.depends) {
            *valid &= depends & sources == 0;
        }
    }

    /// The value of a relation outside all fixpoints.
    pub fn relation(&mut self, node: NodeId) -> &Relation {
        if !self.valid[node.0 as usize] {
            let needs = self.program.needs(self.plan, node);
            self.bring_all(&needs);
        }
        self.relation_at(node)
    }

    /// The value of a set outside all fixpoints.
    pub fn set(&mut self, node: NodeId) -> &Set {
        if !self.valid[node.0 as usize] {
            let needs = self.program.needs(self.plan, node);
            self.bring_all(&needs);
        }
        self.set_at(node)
    }

    /// Whether a check holds, by its index.
    pub fn holds(&mut self, check: usize) -> bool {
        self.holds_within(check, &mut Unlimited).unwrap_or_default()
    }

    /// Like [`holds`](Self::holds), with limits, which are polled before each relation of a large execution and within those that take
    /// long. If one is reached, nothing is lost: the next call continues.
    pub fn holds_within(&mut self, check: usize, limits: &mut dyn Limits) -> Result<bool, Stopped> {
        self.give_up_what_is_not_needed(limits)?;
        let needs = std::mem::take(&mut self.program.checks[check]);
        let brought = self.bring(&needs, limits);
        self.program.checks[check] = needs;
        brought?;
        let check = &self.plan.checks[check];
        let holds = match &self.values[check.node.0 as usize] {
            Value::Set(set) => set.is_empty(),
            Value::Relation(relation) => match check.condition {
                Condition::Acyclic => relation.is_acyclic(),
                Condition::Irreflexive => relation.is_irreflexive(),
                Condition::Empty => relation.is_empty(),
            },
        };
        Ok(holds != check.negated)
    }

    /// Brings values up to date, in this order, and all that no choice matters to before them.
    fn bring_all(&mut self, nodes: &[NodeId]) {
        let unlimited = &mut Unlimited;
        let brought = self.give_up_what_is_not_needed(unlimited).and_then(|()| self.bring(nodes, unlimited));
        debug_assert!(brought.is_ok(), "there is no limit");
    }

    /// Brings values up to date, in this order.
    fn bring(&mut self, nodes: &[NodeId], limits: &mut dyn Limits) -> Result<(), Stopped> {
        for &node in nodes {
            if !self.valid[node.0 as usize] {
                self.compute(node, limits)?;
                self.valid[node.0 as usize] = true;
            }
        }
        Ok(())
    }

    fn compute(&mut self, node: NodeId, limits: &mut dyn Limits) -> Result<(), Stopped> {
        if self.economical {
            limits.check(0, 0)?;
            self.work = 0;
        }
        let mut value = std::mem::take(&mut self.values[node.0 as usize]);
        if let Code::Fixpoint(fixpoint) = self.program.codes[node.0 as usize] {
            // Another name of the same `let rec` may have brought it to an end.
            self.values[node.0 as usize] = value;
            return self.fix(fixpoint, limits, |_| {});
        }
        match self.plan.node(node).ty {
            Type::Relation => {
                let mut relation = match value {
                    Value::Relation(relation) => relation,
                    Value::Set(_) => Relation::empty(0),
                };
                relation.prepare(self.size);
                let mut pace = Pace::after(self.work, limits);
                let applied = self.apply_relation(node, &mut relation, &mut pace);
                self.work = pace.work;
                applied?;
                value = Value::Relation(relation);
            }
            Type::Set => {
                reset(&mut value, Type::Set, self.size);
                if let Value::Set(set) = &mut value {
                    self.apply_set(node, set);
                }
            }
        }
        self.values[node.0 as usize] = value;
        Ok(())
    }

    /// Whether what a node comes from is at hand.
    pub(crate) fn is_derivable(&self, node: NodeId) -> bool {
        !self.given_up || self.moves(node)
    }

    /// Whether a node has a value of its own at present: nodes inside fixpoints have that of the last round.
    pub(crate) fn is_kept(&self, node: NodeId) -> bool {
        let id = node.0 as usize;
        match self.program.codes[id] {
            // What uses these does not always ask for their values.
            Code::Identity(_) | Code::Product(..) | Code::Inverse(_) => false,
            _ => self.valid[id] || self.program.kept[id] && self.program.is_open(node),
        }
    }

    pub(crate) fn value_at(&self, node: NodeId) -> &Value {
        &self.values[node.0 as usize]
    }

    /// The value that a set has at present: up to date, if a check that needs it was evaluated after the last change.
    pub fn set_at(&self, node: NodeId) -> &Set {
        match &self.values[node.0 as usize] {
            Value::Set(set) => set,
            Value::Relation(_) => &self.scratch_set,
        }
    }

    /// The value that a relation has at present, as of [`set_at`](Self::set_at).
    pub fn relation_at(&self, node: NodeId) -> &Relation {
        match &self.values[node.0 as usize] {
            Value::Relation(relation) => relation,
            Value::Set(_) => &self.scratch,
        }
    }
}

/// Makes a value empty, of a type and a size, in the memory that it has.
fn reset(value: &mut Value, ty: Type, size: usize) {
    match (&mut *value, ty) {
        (Value::Set(set), Type::Set) => set.reset(size),
        (Value::Relation(relation), Type::Relation) => relation.reset(size),
        (_, Type::Set) => *value = Value::Set(Set::empty(size)),
        (_, Type::Relation) => *value = Value::Relation(Relation::empty(size)),
    }
}

//! A model with resolved names: a graph of operations on sets and relations, and checks on some of its nodes.
//!
//! Functions, includes, variants and `try` are expanded; the rest can be evaluated on any execution with the same names. Operands come
//! before the nodes that use them, and no two nodes are the same operation on the same operands. Only the variables of a fixpoint
//! come before their definitions.

/// A node of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A fixpoint of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FixpointId(pub u32);

/// An order that the model chooses among many: the coherence order, in nearly every model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChoiceId(pub u32);

/// Whether a node is a set or a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A set of events.
    Set,
    /// A relation on events.
    Relation,
}

/// The operation of a node. Operands have the type that the operation requires; `Union` to `Complement` apply to sets or to relations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A set or a relation of the execution.
    Base(String),
    /// A singleton, if the text iterates over the events of a set; such a plan belongs to one execution.
    Event(u32),
    /// Nothing.
    Empty,
    /// Everything: all events, or all pairs of them.
    Universe,
    /// `a | b`
    Union(NodeId, NodeId),
    /// `a & b`
    Intersection(NodeId, NodeId),
    /// `a \ b`
    Difference(NodeId, NodeId),
    /// `~a`
    Complement(NodeId),
    /// `domain r`
    Domain(NodeId),
    /// `range r`
    Range(NodeId),
    /// `[s]`
    Identity(NodeId),
    /// `s * t`
    Product(NodeId, NodeId),
    /// `r ; s`
    Sequence(NodeId, NodeId),
    /// `r^-1`
    Inverse(NodeId),
    /// `r?`
    Optional(NodeId),
    /// `r+`
    Plus(NodeId),
    /// `r*`
    Star(NodeId),
    /// A name of a `let rec`, inside its bodies.
    Variable(FixpointId, u32),
    /// The same name outside them.
    Fixpoint(FixpointId, u32),
    /// An order that is chosen.
    Choice(ChoiceId),
}

/// A node: its operation, and its name in the text.
#[derive(Clone, Debug)]
pub struct Node {
    /// The operation.
    pub op: Op,
    /// Of what type it is.
    pub ty: Type,
    /// Its first name in the text, for explanations.
    pub name: Option<String>,
}

/// `let rec`: starting from empty values, bodies are evaluated in order, each with the latest values of the others, until no value grows.
#[derive(Clone, Debug)]
pub struct Fixpoint {
    /// The names as seen by their bodies.
    pub variables: Vec<NodeId>,
    /// Their bodies.
    pub bodies: Vec<NodeId>,
}

/// `with co from generate_orders(domain, base)`: for each location, a total order of the events of a set that contains the base.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What the text calls it.
    pub name: String,
    /// What it ranges over.
    pub from: Orders,
}

/// What a choice ranges over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Orders {
    /// For each location, every total order of the events of a set that contains a relation.
    Locations {
        /// The set.
        events: NodeId,
        /// The relation.
        base: NodeId,
    },
    /// Every total order of the events of a set that contains a relation: `linearisations(S, r)`.
    Linearizations {
        /// The set.
        events: NodeId,
        /// The relation.
        base: NodeId,
    },
}

/// The condition of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// It has no cycle.
    Acyclic,
    /// It relates nothing to itself.
    Irreflexive,
    /// There is nothing in it.
    Empty,
}

/// The effect of a check on an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// If it fails, the model forbids the execution.
    Require,
    /// If it holds, the execution is flagged.
    Flag,
    /// If it fails, the behavior is undefined.
    UndefinedUnless,
    /// If it fails, the test is in error.
    Assert,
}

/// A check.
#[derive(Clone, Debug)]
pub struct Check {
    /// Its effect on an execution.
    pub effect: Effect,
    /// What it asks for.
    pub condition: Condition,
    /// `~`: whether it is negated.
    pub negated: bool,
    /// Of which node.
    pub node: NodeId,
    /// What the text calls it.
    pub name: Option<String>,
    /// Its line in the text, from 1.
    pub line: u32,
    /// The file of that line.
    pub file: String,
}

/// A model that can be evaluated.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The operations.
    pub nodes: Vec<Node>,
    /// The fixpoints.
    pub fixpoints: Vec<Fixpoint>,
    /// The chosen orders, in the order of the text.
    pub choices: Vec<Choice>,
    /// The checks, in the order of the text.
    pub checks: Vec<Check>,
}

impl Plan {
    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The operands of an operation. A variable of a fixpoint has none, a fixpoint all bodies.
    pub fn operands<'p>(&'p self, op: &Op) -> impl Iterator<Item = NodeId> + use<'p> {
        let (first, second, bodies): (Option<NodeId>, Option<NodeId>, &[NodeId]) = match *op {
            Op::Base(_) | Op::Event(_) | Op::Empty | Op::Universe | Op::Variable(..) | Op::Choice(_) => {
                (None, None, &[])
            }
            Op::Union(a, b)
            | Op::Intersection(a, b)
            | Op::Difference(a, b)
            | Op::Product(a, b)
            | Op::Sequence(a, b) => (Some(a), Some(b), &[]),
            Op::Complement(a)
            | Op::Domain(a)
            | Op::Range(a)
            | Op::Identity(a)
            | Op::Inverse(a)
            | Op::Optional(a)
            | Op::Plus(a)
            | Op::Star(a) => (Some(a), None, &[]),
            Op::Fixpoint(fixpoint, _) => (None, None, &self.fixpoints[fixpoint.0 as usize].bodies),
        };
        first.into_iter().chain(second).chain(bodies.iter().copied())
    }
}

/// The sets and relations of an execution, which a model's text refers to.
pub trait Facts {
    /// The number of events.
    fn size(&self) -> usize;
    /// Writes a set into an empty one, by name; returns whether it exists.
    fn set(&self, name: &str, into: &mut crate::relation::Set) -> bool;
    /// Writes a relation into an empty one, by name; returns whether it exists.
    fn relation(&self, name: &str, into: &mut crate::relation::Relation) -> bool;
}

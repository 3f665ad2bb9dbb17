//! A model once its names are resolved: a graph of operations on sets and relations, and checks on some of its nodes.
//!
//! Functions, includes, variants and `try` are gone: what is left can be evaluated on any execution that has the same names. Nodes are in an
//! order in which operands come first, and no two are the same operation on the same operands; only the variables of a fixpoint
//! come before what they stand for.

/// A node of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A fixpoint of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FixpointId(pub u32);

/// An order that an execution has many of, of which the model asks for some: coherence order, in nearly every model.
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

/// What a node is. Operands are of the type that the operation asks for; `Union` to `Complement` are of sets or of relations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A set or a relation that the execution comes with.
    Base(String),
    /// The set of one event, where the text goes through the events of a set: such a plan is of one execution.
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
    /// A name of a `let rec`, inside of its bodies.
    Variable(FixpointId, u32),
    /// The same name outside of them.
    Fixpoint(FixpointId, u32),
    /// An order that is chosen.
    Choice(ChoiceId),
}

/// A node: what it is, and what the text calls it.
#[derive(Clone, Debug)]
pub struct Node {
    /// The operation.
    pub op: Op,
    /// Of what type it is.
    pub ty: Type,
    /// The first name that the text gives to it, for explanations.
    pub name: Option<String>,
}

/// `let rec`: starting with nothing, bodies are evaluated in order, each seeing what those before it have just become, until no name grows.
#[derive(Clone, Debug)]
pub struct Fixpoint {
    /// The names as their bodies see them.
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

/// What a check asks of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// It has no cycle.
    Acyclic,
    /// It relates nothing to itself.
    Irreflexive,
    /// There is nothing in it.
    Empty,
}

/// What becomes of an execution by a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Where it fails, the execution is not of the model.
    Require,
    /// Where it holds, the execution is flagged.
    Flag,
    /// Where it fails, the behavior is undefined.
    UndefinedUnless,
    /// Where it fails, the test is in error.
    Assert,
}

/// A check.
#[derive(Clone, Debug)]
pub struct Check {
    /// What becomes of an execution by it.
    pub effect: Effect,
    /// What it asks for.
    pub condition: Condition,
    /// `~`: whether it asks for the opposite.
    pub negated: bool,
    /// Of which node.
    pub node: NodeId,
    /// What the text calls it.
    pub name: Option<String>,
    /// The line of the text that has it, from 1.
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
    /// The orders that are chosen, in the order of the text.
    pub choices: Vec<Choice>,
    /// The checks, in the order of the text.
    pub checks: Vec<Check>,
}

impl Plan {
    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }
}

/// What an execution comes with: the sets and relations that a model's text takes for given.
pub trait Facts {
    /// The number of events.
    fn size(&self) -> usize;
    /// A set by its name, written into one that is empty; whether there is such a set.
    fn set(&self, name: &str, into: &mut crate::relation::Set) -> bool;
    /// A relation by its name, written into one that is empty; whether there is such a relation.
    fn relation(&self, name: &str, into: &mut crate::relation::Relation) -> bool;
}

//! The tree of a declared specification. Names are resolved: states, locals and methods are indexes.

use crate::object::{Kind, Value};
use std::collections::{BTreeMap, VecDeque};

/// One part of the state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// A value.
    Value(Value),
    /// A sequence, which changes at both ends.
    Sequence(VecDeque<Value>),
    /// A map, ordered by key.
    Map(BTreeMap<Value, Value>),
    /// In place of all: an operation would have made too large a value, or taken too much work.
    TooLarge,
}

/// What a part of the state is declared to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Value(Kind),
    Sequence,
    Map,
}

impl Shape {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Shape::Value(_) => "a value of the state",
            Shape::Sequence => "a sequence",
            Shape::Map => "a map",
        }
    }
}

/// A part of the state, by its place in the declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StateId(pub(super) usize);

/// A parameter or a `let`, by its place in the method's frame; parameters come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Local(pub(super) usize);

#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) name: String,
    pub(super) shape: Shape,
    pub(super) initial: Cell,
}

#[derive(Clone, Debug)]
pub(super) struct Method {
    pub(super) name: String,
    pub(super) params: usize,
    /// How many locals there are, parameters included.
    pub(super) locals: usize,
    pub(super) body: Block,
    pub(super) read_only: bool,
    /// The parameter that alone says which entries of maps the method touches.
    pub(super) key: Option<Local>,
}

/// `commutes a(x) with b(y) when condition`; the parameters of both are the locals of the condition.
#[derive(Clone, Debug)]
pub(super) struct Commutes {
    pub(super) methods: [usize; 2],
    pub(super) condition: Option<Expr>,
}

pub(super) type Block = Vec<Statement>;

#[derive(Clone, Debug)]
pub(super) enum Statement {
    Let(Local, Expr),
    Assign(StateId, Expr),
    Put(StateId, Expr, Expr),
    Remove(StateId, Expr),
    Push(StateId, End, Expr),
    Clear(StateId),
    /// An expression whose value is not used: a pop.
    Evaluate(Expr),
    When(Expr, Block, Block),
    For(Local, Expr, Block),
    Require(Expr),
    Return(Expr),
}

/// An end of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Front,
    Back,
}

#[derive(Clone, Debug)]
pub(super) enum Expr {
    Constant(Value),
    Local(Local),
    /// A value of the state; a sequence as a list, a map as the list of its entries.
    State(StateId),
    List(Vec<Expr>),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// An element of a list by number, from 0.
    Element(Box<Expr>, Box<Expr>),
    /// An element of a sequence by number, or the value of a map's key; null if there is none.
    Entry(StateId, Box<Expr>),
    /// Whether a sequence has a value or a map a key.
    Has(StateId, Box<Expr>),
    Size(Source),
    Least(StateId),
    Greatest(StateId),
    Keys(StateId),
    Values(StateId),
    Pop(StateId, End),
}

/// What has a size: part of the state, or a list or text.
#[derive(Clone, Debug)]
pub(super) enum Source {
    State(StateId),
    Expr(Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    /// The left side, unless it is null.
    Else,
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    Plus,
    Minus,
    Times,
}

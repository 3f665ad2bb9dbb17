//! The tree of a declared specification. Names are resolved: states, locals and methods are indexes.

use std::collections::{BTreeMap, VecDeque};
use tribunal_history::object::{Kind, Value};

/// One part of the state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// A value.
    Value(Value),
    /// A sequence, which changes at both ends.
    Sequence(VecDeque<Value>),
    /// A map, ordered by key.
    Map(BTreeMap<Value, Value>),
    /// Replaces all state after an operation created too large a value or took too long.
    TooLarge,
}

/// What a part of the state is declared to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Value(Kind),
    Sequence,
    Map,
}

impl Shape {
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Shape::Value(_) => "a value of the state",
            Shape::Sequence => "a sequence",
            Shape::Map => "a map",
        }
    }
}

/// A part of the state, by its place in the declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StateId(pub(crate) usize);

/// A parameter or a `let`, by its place in the method's frame; parameters come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Local(pub(crate) usize);

#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) initial: Cell,
}

#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub(crate) name: String,
    pub(crate) params: usize,
    /// How many locals there are, parameters included.
    pub(crate) locals: usize,
    pub(crate) body: Block,
    pub(crate) read_only: bool,
    /// The parameter that alone says which entries of maps the method touches.
    pub(crate) key: Option<Local>,
}

/// `commutes a(x) with b(y) when condition`; the parameters of both are the locals of the condition.
#[derive(Clone, Debug)]
pub(crate) struct Commutes {
    pub(crate) methods: [usize; 2],
    pub(crate) condition: Option<Expr>,
}

pub(crate) type Block = Vec<Statement>;

#[derive(Clone, Debug)]
pub(crate) enum Statement {
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
pub(crate) enum End {
    Front,
    Back,
}

#[derive(Clone, Debug)]
pub(crate) enum Expr {
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
pub(crate) enum Source {
    State(StateId),
    Expr(Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
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

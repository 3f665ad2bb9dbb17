//! The values of expressions while a plan is made.

use super::primitive::Primitive;
use crate::lexer::Symbol;
use crate::plan::{NodeId, Orders, Type};
use std::rc::Rc;

/// A function of the text, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FunctionId(pub u32);

/// A procedure of the text, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProcedureId(pub u32);

/// The end of a list that others may share: what `first ++ others` leaves costs nothing.
#[derive(Clone, Debug)]
pub(super) struct List<T> {
    all: Rc<[T]>,
    from: usize,
}

impl<T> List<T> {
    pub fn new(items: Vec<T>) -> List<T> {
        List { all: items.into(), from: 0 }
    }

    pub fn items(&self) -> &[T] {
        &self.all[self.from..]
    }

    /// All but the first.
    pub fn rest(&self) -> List<T> {
        List { all: self.all.clone(), from: (self.from + 1).min(self.all.len()) }
    }
}

impl<T: PartialEq> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        self.items() == other.items()
    }
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// A set or a relation.
    Node(NodeId),
    /// `{}`: a set or a relation, as may be asked for.
    Empty,
    /// `_`: likewise.
    Universe,
    Function(FunctionId),
    Procedure(ProcedureId),
    Primitive(Primitive),
    Tuple(Rc<[Value]>),
    Tag(Symbol),
    /// A set of values that are not events, without doubles.
    Set(List<Value>),
    /// A set of orders, too many to be listed.
    Orders(Orders),
    /// An event of the one execution that the plan is for.
    Event(u32),
    /// A pair of such events.
    Pair(u32, u32),
    /// Events that are listed, in a match.
    Events(List<u32>),
    /// Pairs that are listed, in a match.
    Pairs(List<(u32, u32)>),
}

impl Value {
    /// What errors call it; nodes are distinguished by their type.
    pub fn what(&self, ty: impl FnOnce(NodeId) -> Type) -> &'static str {
        match self {
            Value::Node(node) => match ty(*node) {
                Type::Set => "a set of events",
                Type::Relation => "a relation",
            },
            Value::Empty => "`{}`",
            Value::Universe => "`_`",
            Value::Function(_) | Value::Primitive(_) => "a function",
            Value::Procedure(_) => "a procedure",
            Value::Tuple(_) => "a tuple",
            Value::Tag(_) => "a tag",
            Value::Set(_) => "a set of values",
            Value::Orders(_) => "a set of orders",
            Value::Event(_) => "an event",
            Value::Pair(..) => "a pair of events",
            Value::Events(_) => "a set of events",
            Value::Pairs(_) => "a relation",
        }
    }

    /// How deep tuples and sets nest in it.
    pub fn depth(&self) -> usize {
        match self {
            Value::Tuple(parts) => 1 + parts.iter().map(Value::depth).max().unwrap_or(0),
            Value::Set(elements) => 1 + elements.items().iter().map(Value::depth).max().unwrap_or(0),
            _ => 0,
        }
    }
}

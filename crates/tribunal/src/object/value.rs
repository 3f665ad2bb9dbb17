//! Arguments and returns of operations.

use std::fmt;
use std::sync::Arc;

/// An argument or a return of an operation, and what specifications keep in their states.
///
/// Cloning is cheap: text and lists are shared.
///
/// ```
/// use tribunal::object::Value;
/// let pair = Value::list([Value::from(1), Value::from("x"), Value::Null]);
/// assert_eq!(pair.to_string(), "[1, \"x\", null]");
/// ```
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// Nothing: what a method without an answer returns.
    #[default]
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A text.
    Text(Arc<str>),
    /// A sequence of values.
    List(Arc<[Value]>),
}

impl Value {
    /// The list of these values.
    pub fn list(values: impl IntoIterator<Item = Value>) -> Self {
        Value::List(values.into_iter().collect())
    }

    /// The number, if it is one.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// What the value is, in a word: `null`, `a truth value`, `a whole number`, `a text` or `a list`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "a truth value",
            Value::Int(_) => "a whole number",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
        }
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Value::Int(number)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Value::Bool(truth)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.into())
    }
}

/// As JSON writes it, except that text is quoted as Rust quotes it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(truth) => truth.fmt(f),
            Value::Int(number) => number.fmt(f),
            Value::Text(text) => write!(f, "{text:?}"),
            Value::List(values) => {
                f.write_str("[")?;
                for (at, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if at > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
        }
    }
}

/// As for people, since the states of specifications are shown by their `Debug`.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

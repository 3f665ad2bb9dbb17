//! Arguments and return values of operations.

use std::fmt;
use std::sync::Arc;

/// An argument or a return value of an operation; also used in the states of specifications.
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
    /// Nothing: the return value of a method without a result.
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

    /// The number of values this consists of, counting shared parts as often as they occur and a long text as several; `None` if
    /// it exceeds `most` or the nesting exceeds `deepest`. The time is bounded by `most`.
    pub fn parts(&self, most: usize, deepest: u32) -> Option<usize> {
        match self {
            Value::Text(text) => Some(1 + text.len() / size_of::<Value>()).filter(|&parts| parts <= most),
            Value::List(values) => {
                let deeper = deepest.checked_sub(1)?;
                let mut parts = 1;
                for value in values.iter() {
                    parts += value.parts(most.checked_sub(parts)?, deeper)?;
                }
                Some(parts).filter(|&parts| parts <= most)
            }
            _ => (most > 0).then_some(1),
        }
    }

    /// The number, if it is one.
    #[inline]
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The type of the value in words: `null`, `a truth value`, `a whole number`, `a text` or `a list`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_values_count_as_often_as_they_occur() {
        let mut value = Value::from(1);
        for doubled in 0..60 {
            let parts = (1 << (doubled + 1)) - 1;
            let counted = value.parts(1 << 20, 256);
            assert_eq!(counted, Some(parts).filter(|&parts| parts <= 1 << 20), "{doubled}");
            value = Value::list([value.clone(), value]);
        }
        let nested = |deep| (0..deep).fold(Value::Null, |value, _| Value::list([value]));
        assert_eq!(nested(7).parts(100, 7), Some(8));
        assert_eq!(nested(8).parts(100, 7), None);
        assert_eq!(Value::from("x".repeat(1000).as_str()).parts(10, 7), None);
    }
}

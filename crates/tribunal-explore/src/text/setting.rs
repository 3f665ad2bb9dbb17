//! Settings of constants: `N=4`, `o=sc`.

use std::fmt;
use std::str::FromStr;
use tribunal_history::memory::Order;

/// A value for a constant of a program.
///
/// ```
/// use tribunal_explore::text::{Setting, Value};
/// let setting: Setting = "N = 4".parse()?;
/// assert_eq!((setting.name.as_str(), setting.value), ("N", Value::Number(4)));
/// assert_eq!(setting.to_string(), "N=4");
/// # Ok::<(), tribunal_explore::text::BadSetting>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The constant.
    pub name: String,
    /// Its value.
    pub value: Value,
}

/// The value of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(i64),
    /// An order.
    Order(Order),
}

impl Value {
    /// The order with this name.
    pub(super) fn order(name: &str) -> Option<Order> {
        Some(match name {
            "na" => Order::NonAtomic,
            "rlx" | "relaxed" => Order::Relaxed,
            "acq" | "acquire" => Order::Acquire,
            "rel" | "release" => Order::Release,
            "acqrel" | "acq_rel" => Order::AcqRel,
            "sc" | "seq_cst" => Order::SeqCst,
            _ => return None,
        })
    }
}

/// What programs call an order.
pub fn order_name(order: Order) -> &'static str {
    match order {
        Order::NonAtomic => "na",
        Order::Relaxed => "rlx",
        Order::Acquire => "acq",
        Order::Release => "rel",
        Order::AcqRel => "acqrel",
        Order::SeqCst => "sc",
    }
}

/// A text that is not a setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected NAME=VALUE with a number or an order (na, rlx, acq, rel, acqrel, sc), found `{0}`")]
pub struct BadSetting(pub String);

impl FromStr for Setting {
    type Err = BadSetting;

    fn from_str(text: &str) -> Result<Self, BadSetting> {
        let bad = || BadSetting(text.into());
        let (name, value) = text.split_once('=').ok_or_else(bad)?;
        let (name, value) = (name.trim(), value.trim());
        let value = match Value::order(value) {
            Some(order) => Value::Order(order),
            None => Value::Number(value.parse().map_err(|_| bad())?),
        };
        if name.is_empty() { Err(bad()) } else { Ok(Setting { name: name.into(), value }) }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Order(order) => f.write_str(order_name(*order)),
        }
    }
}

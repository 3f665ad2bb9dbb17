//! Built-in specifications by name, with parameters: `queue`, `cas-register(0)`, `keyed bank({"a": 10})`.

use super::{
    Bank, CasRegister, Counter, GrowSet, Keyed, KvStore, List, Map, MultiRegister, Mutex, PriorityQueue,
    Queue, Register, Set, Stack,
};
use crate::names::suggestion;
use crate::object::text::{self, TextFault, constant};
use crate::object::{Spec, Specification, Value};
use tribunal_cat::text::Located;

/// The names of the built-in specifications; `keyed` may precede any of them.
pub const NAMES: [&str; 14] = [
    "register",
    "cas-register",
    "counter",
    "set",
    "grow-set",
    "map",
    "queue",
    "stack",
    "priority-queue",
    "list",
    "multi-register",
    "bank",
    "mutex",
    "kv-store",
];

/// A name that is not a built-in specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownSpec {
    /// There is no such specification.
    #[error(
        "unknown specification `{name}`{}; expected one of {}, or `keyed` and one of them",
        suggestion(base(name), NAMES),
        NAMES.join(", ")
    )]
    Name {
        /// The name that was asked for.
        name: String,
    },
    /// The parameters are wrong.
    #[error("specification `{name}`, column {column}: {reason}")]
    Parameter {
        /// The name that was asked for.
        name: String,
        /// The column of the error, from 1.
        column: u32,
        /// The fault there.
        reason: String,
    },
}

/// A name without `keyed` and parameters.
fn base(name: &str) -> &str {
    let name = name.trim_start();
    let unkeyed = name.strip_prefix("keyed ").unwrap_or(name);
    unkeyed.split('(').next().unwrap_or(unkeyed)
}

/// The built-in specification of that name, such as `queue`, `cas-register(0)` or `keyed register`.
///
/// ```
/// use tribunal::object::specs::named;
/// assert_eq!(named("keyed cas-register(0)")?.name(), "keyed cas-register");
/// let error = named("bank({\"a\": none})").err().map(|error| error.to_string());
/// assert_eq!(
///     error.as_deref(),
///     Some("specification `bank({\"a\": none})`, column 12: expected a value, found `none`")
/// );
/// # Ok::<(), tribunal::object::specs::UnknownSpec>(())
/// ```
pub fn named(name: &str) -> Result<Box<dyn Specification>, UnknownSpec> {
    let wrong = |column: u32, reason: String| UnknownSpec::Parameter { name: name.into(), column, reason };
    let unknown = || UnknownSpec::Name { name: name.into() };
    let read = text::read(name, |mut cursor| {
        // Errors without a fault: no name of a specification.
        let no_name = cursor.fault(None);
        let keyed = cursor.take("keyed");
        let base = cursor.name("").map_err(|_| no_name.clone())?;
        if !NAMES.contains(&base) {
            return Err(no_name);
        }
        let column = cursor.at().column;
        let parameter = if cursor.take("(") {
            let value = constant(&mut cursor)?;
            cursor.expect(")")?;
            Some(value)
        } else {
            None
        };
        cursor.end("the end")?;
        Ok((keyed, base, column, parameter))
    });
    let (keyed, base, column, parameter) =
        read.map_err(|Located { at, problem }: Located<Option<TextFault>>| match problem {
            Some(fault) => wrong(at.column, fault.to_string()),
            None => unknown(),
        })?;
    let entries = |parameter: Option<Value>| match parameter {
        Some(value) => {
            pairs(&value).ok_or_else(|| wrong(column + 1, "expected a map such as {\"x\": 0}".into()))
        }
        None => Ok(Vec::new()),
    };
    if parameter.is_some() && !matches!(base, "register" | "cas-register" | "multi-register" | "bank") {
        return Err(wrong(column, format!("{base} takes no parameter")));
    }
    Ok(match base {
        "register" => boxed(Register::new(parameter.unwrap_or_default()), keyed),
        "cas-register" => boxed(CasRegister::new(parameter.unwrap_or_default()), keyed),
        "counter" => boxed(Counter, keyed),
        "set" => boxed(Set, keyed),
        "grow-set" => boxed(GrowSet, keyed),
        "map" => boxed(Map, keyed),
        "queue" => boxed(Queue, keyed),
        "stack" => boxed(Stack, keyed),
        "priority-queue" => boxed(PriorityQueue, keyed),
        "list" => boxed(List, keyed),
        "multi-register" => boxed(MultiRegister::new(entries(parameter)?), keyed),
        "bank" if parameter.is_none() => boxed(Bank::default(), keyed),
        "bank" => {
            let balances = entries(parameter)?.into_iter().map(|(account, balance)| {
                let reason = || {
                    wrong(
                        column + 1,
                        format!("the balance of {account} is {balance}, expected a whole number"),
                    )
                };
                balance.as_int().map(|balance| (account.clone(), balance)).ok_or_else(reason)
            });
            boxed(Bank::new(balances.collect::<Result<Vec<_>, _>>()?), keyed)
        }
        "mutex" => boxed(Mutex, keyed),
        "kv-store" => boxed(KvStore, keyed),
        _ => return Err(unknown()),
    })
}

fn boxed<S: Spec + 'static>(spec: S, keyed: bool) -> Box<dyn Specification> {
    if keyed { Box::new(Keyed::new(spec)) } else { Box::new(spec) }
}

/// The entries of a constant map, which is read as a list of pairs.
fn pairs(value: &Value) -> Option<Vec<(Value, Value)>> {
    let Value::List(rows) = value else { return None };
    rows.iter()
        .map(|row| match row {
            Value::List(row) if row.len() == 2 => Some((row[0].clone(), row[1].clone())),
            _ => None,
        })
        .collect()
}

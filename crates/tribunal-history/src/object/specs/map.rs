//! A map: `put(k, v)` → the old value or null, `get(k)` → the value or null, `remove(k)` → the old value or null,
//! `contains_key(k)`, `contains_value(v)`, `size()`.

use super::tree;
use crate::object::{Invocation, Kind, Others, Signature, Spec, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A map, initially empty. Null means "none": putting it cannot take effect.
#[derive(Clone, Copy, Debug, Default)]
pub struct Map;

/// The entries of a map.
#[derive(Clone, Default)]
pub struct Entries {
    by_key: BTreeMap<Value, Value>,
    /// The number of keys that have each value: what the entries say already, for `contains_value`.
    holders: BTreeMap<Value, u32>,
}

impl fmt::Debug for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.by_key.fmt(f)
    }
}

impl PartialEq for Entries {
    fn eq(&self, other: &Self) -> bool {
        self.by_key == other.by_key
    }
}

impl Eq for Entries {}

impl Hash for Entries {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.by_key.hash(state);
    }
}

impl Entries {
    fn let_go(&mut self, value: &Value) {
        if let Some(count) = self.holders.get_mut(value) {
            *count -= 1;
            if *count == 0 {
                self.holders.remove(value);
            }
        }
    }

    fn put(&mut self, key: &Value, value: &Value) -> Value {
        *self.holders.entry(value.clone()).or_default() += 1;
        match self.by_key.get_mut(key) {
            Some(slot) => {
                let old = std::mem::replace(slot, value.clone());
                self.let_go(&old);
                old
            }
            None => self.by_key.insert(key.clone(), value.clone()).unwrap_or_default(),
        }
    }

    fn remove(&mut self, key: &Value) -> Value {
        match self.by_key.remove(key) {
            Some(old) => {
                self.let_go(&old);
                old
            }
            None => Value::Null,
        }
    }
}

const SIGNATURES: &[Signature] = &[
    Signature::new("put", &[Kind::Any, Kind::Any], Kind::Any),
    Signature::new("get", &[Kind::Any], Kind::Any),
    Signature::new("remove", &[Kind::Any], Kind::Any),
    Signature::new("contains_key", &[Kind::Any], Kind::Bool),
    Signature::new("contains_value", &[Kind::Any], Kind::Bool),
    Signature::new("size", &[], Kind::Int),
];

impl Spec for Map {
    type State = Entries;

    fn name(&self) -> &str {
        "map"
    }

    fn signatures(&self) -> &[Signature] {
        SIGNATURES
    }

    fn initial(&self) -> Entries {
        Entries::default()
    }

    fn bytes(&self, state: &Entries) -> usize {
        size_of_val(state)
            + tree(state.by_key.len(), size_of::<(Value, Value)>())
            + tree(state.holders.len(), size_of::<(Value, u32)>())
    }

    fn step(&self, state: &mut Entries, call: Invocation<'_>) -> Option<Value> {
        Some(match (call.method, call.args) {
            ("put", [key, value]) if *value != Value::Null => state.put(key, value),
            ("get", [key]) => state.by_key.get(key).cloned().unwrap_or_default(),
            ("remove", [key]) => state.remove(key),
            ("contains_key", [key]) => state.by_key.contains_key(key).into(),
            ("contains_value", [value]) => state.holders.contains_key(value).into(),
            ("size", []) => Value::Int(state.by_key.len() as i64),
            _ => return None,
        })
    }

    fn key(&self, call: Invocation<'_>) -> Option<Value> {
        match (call.method, call.args) {
            ("put", [key, _]) | ("get" | "remove" | "contains_key", [key]) => Some(key.clone()),
            _ => None,
        }
    }

    fn commute(&self, a: Invocation<'_>, b: Invocation<'_>) -> bool {
        match (self.key(a), self.key(b)) {
            (Some(one), Some(other)) if one != other => true,
            _ => self.read_only(a) && self.read_only(b),
        }
    }

    fn read_only(&self, call: Invocation<'_>) -> bool {
        matches!(call.method, "get" | "contains_key" | "contains_value" | "size")
    }

    fn unchanged(&self, call: Invocation<'_>, ret: &Value) -> bool {
        match (call.method, call.args) {
            ("put", [_, value]) => value == ret,
            ("remove", [_]) => *ret == Value::Null,
            _ => self.read_only(call),
        }
    }

    fn opaque(&self, call: Invocation<'_>) -> Option<usize> {
        (call.method == "put").then_some(1)
    }

    fn reachable<'h>(
        &self,
        state: &Self::State,
        call: Invocation<'_>,
        ret: &Value,
        mut others: Others<'_, 'h>,
    ) -> bool {
        let held = |key| state.by_key.get(key).unwrap_or(&Value::Null);
        match (call.method, call.args, ret) {
            ("get" | "remove", [key], value) | ("put", [key, _], value) if held(key) != value => {
                others.any(|other| match (other.method, other.args) {
                    ("put", [its, new]) => its == key && new == value,
                    ("remove", [its]) => its == key && *value == Value::Null,
                    _ => false,
                })
            }
            ("contains_key", [key], &Value::Bool(answer)) if (*held(key) != Value::Null) != answer => {
                let change = if answer { "put" } else { "remove" };
                others.any(|other| other.method == change && other.args.first() == Some(key))
            }
            ("contains_value", [value], Value::Bool(true)) if !state.holders.contains_key(value) => {
                others.any(|other| other.method == "put" && other.args.last() == Some(value))
            }
            ("size", _, &Value::Int(size)) => {
                let missing = size - state.by_key.len() as i64;
                let change = if missing > 0 { "put" } else { "remove" };
                missing == 0
                    || others.filter(|other| other.method == change).count() as u64 >= missing.unsigned_abs()
            }
            _ => true,
        }
    }
}

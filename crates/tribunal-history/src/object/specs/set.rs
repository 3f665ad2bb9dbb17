//! A set: `add(v)` → whether it was absent, `remove(v)` → whether it was present, `contains(v)`.

use super::tree;
use crate::object::{Collection, Invocation, Kind, Others, Signature, Spec, Value};
use std::collections::BTreeSet;

/// A set, initially empty. Its values are independent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Set;

const SIGNATURES: &[Signature] = &[
    Signature::new("add", &[Kind::Any], Kind::Bool),
    Signature::new("remove", &[Kind::Any], Kind::Bool),
    Signature::new("contains", &[Kind::Any], Kind::Bool),
];

impl Spec for Set {
    type State = BTreeSet<Value>;

    fn name(&self) -> &str {
        "set"
    }

    fn signatures(&self) -> &[Signature] {
        SIGNATURES
    }

    fn initial(&self) -> Self::State {
        BTreeSet::new()
    }

    fn bytes(&self, state: &Self::State) -> usize {
        size_of_val(state) + tree(state.len(), size_of::<Value>())
    }

    fn step(&self, state: &mut Self::State, call: Invocation<'_>) -> Option<Value> {
        let truth = match (call.method, call.args) {
            ("add", [value]) => state.insert(value.clone()),
            ("remove", [value]) => state.remove(value),
            ("contains", [value]) => state.contains(value),
            _ => return None,
        };
        Some(truth.into())
    }

    fn key(&self, call: Invocation<'_>) -> Option<Value> {
        call.args.first().cloned()
    }

    fn commute(&self, a: Invocation<'_>, b: Invocation<'_>) -> bool {
        a.args != b.args || self.read_only(a) && self.read_only(b)
    }

    fn read_only(&self, call: Invocation<'_>) -> bool {
        call.method == "contains"
    }

    fn unchanged(&self, call: Invocation<'_>, ret: &Value) -> bool {
        self.read_only(call) || *ret == Value::Bool(false)
    }

    fn collection(&self) -> Option<Collection> {
        Some(Collection::Set)
    }

    fn reachable<'h>(
        &self,
        state: &Self::State,
        call: Invocation<'_>,
        ret: &Value,
        mut others: Others<'_, 'h>,
    ) -> bool {
        let (Some(value), &Value::Bool(answer)) = (call.args.first(), ret) else { return true };
        let needed = if call.method == "add" { !answer } else { answer };
        let change = if needed { "add" } else { "remove" };
        state.contains(value) == needed
            || others.any(|other| other.method == change && other.args.first() == Some(value))
    }
}

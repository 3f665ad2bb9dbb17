//! A set that only grows: `add(v)` → null, `read()` → all of it, in order. Jepsen's set.

use super::tree;
use crate::object::{Invocation, Kind, Others, Signature, Spec, Value};
use std::collections::BTreeSet;

/// A set that only grows, initially empty, of which only all of it is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct GrowSet;

const SIGNATURES: &[Signature] =
    &[Signature::new("add", &[Kind::Any], Kind::Null), Signature::new("read", &[], Kind::List)];

impl Spec for GrowSet {
    type State = BTreeSet<Value>;

    fn name(&self) -> &str {
        "grow-set"
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
        match (call.method, call.args) {
            ("add", [value]) => {
                state.insert(value.clone());
                Some(Value::Null)
            }
            ("read", []) => Some(Value::list(state.iter().cloned())),
            _ => None,
        }
    }

    fn commute(&self, a: Invocation<'_>, b: Invocation<'_>) -> bool {
        a.method == b.method
    }

    fn read_only(&self, call: Invocation<'_>) -> bool {
        call.method == "read"
    }

    fn reachable<'h>(
        &self,
        state: &Self::State,
        call: Invocation<'_>,
        ret: &Value,
        others: Others<'_, 'h>,
    ) -> bool {
        let ("read", Value::List(all)) = (call.method, ret) else { return true };
        let there = all.iter().filter(|&element| state.contains(element)).count();
        if there < state.len() || !all.is_sorted_by(|a, b| a < b) {
            return false;
        }
        if there == all.len() {
            return true;
        }
        let added: BTreeSet<&Value> = others.filter_map(|other| other.args.first()).collect();
        all.iter().all(|element| state.contains(element) || added.contains(element))
    }
}

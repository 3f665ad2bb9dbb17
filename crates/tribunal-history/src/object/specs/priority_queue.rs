//! A priority queue: `insert(v)` → null, `delete_min()` → the least value, or null if it is empty. Values are ordered
//! like [`Value`], and may occur several times.

use super::tree;
use crate::object::{Collection, Invocation, Kind, Signature, Spec, Value};
use std::collections::BTreeMap;

/// A priority queue, initially empty. Null means "none": inserting it cannot take effect.
#[derive(Clone, Copy, Debug, Default)]
pub struct PriorityQueue;

const SIGNATURES: &[Signature] =
    &[Signature::new("insert", &[Kind::Any], Kind::Null), Signature::new("delete_min", &[], Kind::Any)];

impl Spec for PriorityQueue {
    /// The number of times that each value is there.
    type State = BTreeMap<Value, u32>;

    fn name(&self) -> &str {
        "priority-queue"
    }

    fn signatures(&self) -> &[Signature] {
        SIGNATURES
    }

    fn initial(&self) -> Self::State {
        BTreeMap::new()
    }

    fn bytes(&self, state: &Self::State) -> usize {
        size_of_val(state) + tree(state.len(), size_of::<(Value, u32)>())
    }

    fn step(&self, state: &mut Self::State, call: Invocation<'_>) -> Option<Value> {
        match (call.method, call.args) {
            ("insert", [value]) if *value != Value::Null => {
                *state.entry(value.clone()).or_default() += 1;
                Some(Value::Null)
            }
            ("delete_min", []) => Some(match state.first_entry() {
                Some(mut least) if *least.get() > 1 => {
                    *least.get_mut() -= 1;
                    least.key().clone()
                }
                Some(least) => least.remove_entry().0,
                None => Value::Null,
            }),
            _ => None,
        }
    }

    fn commute(&self, a: Invocation<'_>, b: Invocation<'_>) -> bool {
        a.method == "insert" && b.method == "insert"
    }

    fn unchanged(&self, call: Invocation<'_>, ret: &Value) -> bool {
        call.method == "delete_min" && *ret == Value::Null
    }

    fn collection(&self) -> Option<Collection> {
        Some(Collection::PriorityQueue)
    }
}

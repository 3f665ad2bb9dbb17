//! A first-in first-out queue: `enqueue(v)` → null, `dequeue()` → the oldest value, or null if there is none.

use crate::object::{Collection, Invocation, Kind, Signature, Spec, Value};
use std::collections::VecDeque;

/// A FIFO queue, initially empty. Null means "none": enqueuing it cannot take effect.
#[derive(Clone, Copy, Debug, Default)]
pub struct Queue;

const SIGNATURES: &[Signature] =
    &[Signature::new("enqueue", &[Kind::Any], Kind::Null), Signature::new("dequeue", &[], Kind::Any)];

impl Spec for Queue {
    type State = VecDeque<Value>;

    fn name(&self) -> &str {
        "queue"
    }

    fn signatures(&self) -> &[Signature] {
        SIGNATURES
    }

    fn initial(&self) -> Self::State {
        VecDeque::new()
    }

    fn bytes(&self, state: &Self::State) -> usize {
        size_of_val(state) + state.capacity() * size_of::<Value>()
    }

    fn step(&self, state: &mut Self::State, call: Invocation<'_>) -> Option<Value> {
        match (call.method, call.args) {
            ("enqueue", [value]) if *value != Value::Null => {
                state.push_back(value.clone());
                Some(Value::Null)
            }
            ("dequeue", []) => Some(state.pop_front().unwrap_or_default()),
            _ => None,
        }
    }

    fn commute(&self, a: Invocation<'_>, b: Invocation<'_>) -> bool {
        a.method == "enqueue" && a == b
    }

    fn unchanged(&self, call: Invocation<'_>, ret: &Value) -> bool {
        call.method == "dequeue" && *ret == Value::Null
    }

    fn opaque(&self, call: Invocation<'_>) -> Option<usize> {
        (call.method == "enqueue").then_some(0)
    }

    fn collection(&self) -> Option<Collection> {
        Some(Collection::Queue)
    }
}

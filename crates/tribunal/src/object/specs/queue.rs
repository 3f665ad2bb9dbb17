//! A first-in first-out queue: `enqueue(v)` → null, `dequeue()` → the oldest value, or null if there is none.

use crate::object::{Collection, Invocation, Kind, Signature, Spec, Value};
use std::collections::VecDeque;
use std::sync::LazyLock;

/// A queue, empty at first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Queue;

static SIGNATURES: LazyLock<[Signature; 2]> = LazyLock::new(|| {
    [
        Signature { method: "enqueue".into(), args: vec![Kind::Any], returns: Kind::Null },
        Signature { method: "dequeue".into(), args: vec![], returns: Kind::Any },
    ]
});

impl Spec for Queue {
    type State = VecDeque<Value>;

    fn name(&self) -> &str {
        "queue"
    }

    fn signatures(&self) -> &[Signature] {
        &*SIGNATURES
    }

    fn initial(&self) -> Self::State {
        VecDeque::new()
    }

    fn step(&self, state: &mut Self::State, call: Invocation<'_>) -> Option<Value> {
        match (call.method, call.args) {
            ("enqueue", [value]) => {
                state.push_back(value.clone());
                Some(Value::Null)
            }
            ("dequeue", []) => Some(state.pop_front().unwrap_or_default()),
            _ => None,
        }
    }

    fn collection(&self) -> Option<Collection> {
        Some(Collection::Queue)
    }
}

//! A stack: `push(v)` → null, `pop()` → the newest value, or null if there is none.

use crate::object::{Collection, Invocation, Kind, Signature, Spec, Value};

/// A stack, initially empty. Null means "none": pushing it cannot take effect.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stack;

const SIGNATURES: &[Signature] =
    &[Signature::new("push", &[Kind::Any], Kind::Null), Signature::new("pop", &[], Kind::Any)];

impl Spec for Stack {
    type State = Vec<Value>;

    fn name(&self) -> &str {
        "stack"
    }

    fn signatures(&self) -> &[Signature] {
        SIGNATURES
    }

    fn initial(&self) -> Self::State {
        Vec::new()
    }

    fn bytes(&self, state: &Self::State) -> usize {
        size_of_val(state) + state.capacity() * size_of::<Value>()
    }

    fn step(&self, state: &mut Self::State, call: Invocation<'_>) -> Option<Value> {
        match (call.method, call.args) {
            ("push", [value]) if *value != Value::Null => {
                state.push(value.clone());
                Some(Value::Null)
            }
            ("pop", []) => Some(state.pop().unwrap_or_default()),
            _ => None,
        }
    }

    fn commute(&self, a: Invocation<'_>, b: Invocation<'_>) -> bool {
        a.method == "push" && a == b
    }

    fn unchanged(&self, call: Invocation<'_>, ret: &Value) -> bool {
        call.method == "pop" && *ret == Value::Null
    }

    fn opaque(&self, call: Invocation<'_>) -> Option<usize> {
        (call.method == "push").then_some(0)
    }

    fn collection(&self) -> Option<Collection> {
        Some(Collection::Stack)
    }
}

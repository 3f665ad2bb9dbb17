//! An append-only list: `append(v)` → null, `read()` → the list of all values, oldest first.

use crate::object::{Collection, Invocation, Kind, Others, Signature, Spec, Value};

/// An append-only list, initially empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct List;

const SIGNATURES: &[Signature] =
    &[Signature::new("append", &[Kind::Any], Kind::Null), Signature::new("read", &[], Kind::List)];

impl Spec for List {
    type State = Vec<Value>;

    fn name(&self) -> &str {
        "list"
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
            ("append", [value]) => {
                state.push(value.clone());
                Some(Value::Null)
            }
            ("read", []) => Some(Value::list(state.iter().cloned())),
            _ => None,
        }
    }

    fn commute(&self, a: Invocation<'_>, b: Invocation<'_>) -> bool {
        a == b
    }

    fn read_only(&self, call: Invocation<'_>) -> bool {
        call.method == "read"
    }

    fn opaque(&self, call: Invocation<'_>) -> Option<usize> {
        (call.method == "append").then_some(0)
    }

    fn reachable<'h>(
        &self,
        state: &Self::State,
        call: Invocation<'_>,
        ret: &Value,
        mut others: Others<'_, 'h>,
    ) -> bool {
        let ("read", Value::List(all)) = (call.method, ret) else { return true };
        all.starts_with(state)
            && all.get(state.len()).is_none_or(|next| others.any(|other| other.args.first() == Some(next)))
    }

    fn collection(&self) -> Option<Collection> {
        Some(Collection::List)
    }
}

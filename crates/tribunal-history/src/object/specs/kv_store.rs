//! A store of texts: `get(k)` → the text, initially "", `put(k, v)` → null, `append(k, v)` → null.

use super::tree;
use crate::object::{Collection, Invocation, Kind, Others, Signature, Spec, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A store of texts, initially empty. Its keys are independent.
#[derive(Clone, Copy, Debug, Default)]
pub struct KvStore;

const SIGNATURES: &[Signature] = &[
    Signature::new("get", &[Kind::Any], Kind::Text),
    Signature::new("put", &[Kind::Any, Kind::Text], Kind::Null),
    Signature::new("append", &[Kind::Any, Kind::Text], Kind::Null),
];

impl Spec for KvStore {
    /// The texts that are not empty.
    type State = BTreeMap<Value, Arc<str>>;

    fn name(&self) -> &str {
        "kv-store"
    }

    fn signatures(&self) -> &[Signature] {
        SIGNATURES
    }

    fn initial(&self) -> Self::State {
        BTreeMap::new()
    }

    fn bytes(&self, state: &Self::State) -> usize {
        let texts: usize = state.values().map(|text| text.len() + 24).sum();
        size_of_val(state) + tree(state.len(), size_of::<(Value, Arc<str>)>()) + texts
    }

    fn step(&self, state: &mut Self::State, call: Invocation<'_>) -> Option<Value> {
        match (call.method, call.args) {
            ("get", [key]) => {
                return Some(state.get(key).map_or_else(|| "".into(), |text| Value::Text(text.clone())));
            }
            ("put", [key, Value::Text(text)]) if text.is_empty() => drop(state.remove(key)),
            ("put", [key, Value::Text(text)]) => drop(state.insert(key.clone(), text.clone())),
            ("append", [_, Value::Text(more)]) if more.is_empty() => (),
            ("append", [key, Value::Text(more)]) => match state.get_mut(key) {
                Some(text) => *text = [&**text, &**more].concat().into(),
                None => drop(state.insert(key.clone(), more.clone())),
            },
            _ => return None,
        }
        Some(Value::Null)
    }

    fn key(&self, call: Invocation<'_>) -> Option<Value> {
        call.args.first().cloned()
    }

    fn commute(&self, a: Invocation<'_>, b: Invocation<'_>) -> bool {
        a.args.first() != b.args.first() || a == b
    }

    fn read_only(&self, call: Invocation<'_>) -> bool {
        match (call.method, call.args) {
            ("get", [_]) => true,
            ("append", [_, Value::Text(more)]) => more.is_empty(),
            _ => false,
        }
    }

    fn reachable<'h>(
        &self,
        state: &Self::State,
        call: Invocation<'_>,
        ret: &Value,
        mut others: Others<'_, 'h>,
    ) -> bool {
        let ("get", [key], Value::Text(all)) = (call.method, call.args, ret) else { return true };
        let rest = all.strip_prefix(state.get(key).map_or("", |text| text));
        rest == Some("")
            || others.any(|other| match (other.method, other.args) {
                ("append", [its, Value::Text(more)]) => {
                    its == key && !more.is_empty() && rest.is_some_and(|rest| rest.starts_with(&**more))
                }
                ("put", [its, Value::Text(text)]) => its == key && all.starts_with(&**text),
                _ => false,
            })
    }

    fn collection(&self) -> Option<Collection> {
        Some(Collection::KvStore)
    }
}

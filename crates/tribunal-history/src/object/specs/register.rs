//! A register: `write(v)` → null, `read()` → the last value written.

use crate::object::{Collection, Invocation, Kind, Others, Signature, Spec, Value};

/// A register with an initial value, null by default.
#[derive(Clone, Debug, Default)]
pub struct Register {
    initial: Value,
}

impl Register {
    /// A register with this initial value.
    pub fn new(initial: Value) -> Self {
        Register { initial }
    }
}

const SIGNATURES: &[Signature] =
    &[Signature::new("write", &[Kind::Any], Kind::Null), Signature::new("read", &[], Kind::Any)];

impl Spec for Register {
    type State = Value;

    fn name(&self) -> &str {
        "register"
    }

    fn signatures(&self) -> &[Signature] {
        SIGNATURES
    }

    fn initial(&self) -> Value {
        self.initial.clone()
    }

    fn step(&self, state: &mut Value, call: Invocation<'_>) -> Option<Value> {
        match (call.method, call.args) {
            ("write", [value]) => {
                *state = value.clone();
                Some(Value::Null)
            }
            ("read", []) => Some(state.clone()),
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
        (call.method == "write").then_some(0)
    }

    fn collection(&self) -> Option<Collection> {
        Some(Collection::Register(self.initial.clone()))
    }

    fn reachable<'h>(
        &self,
        state: &Self::State,
        call: Invocation<'_>,
        ret: &Value,
        mut others: Others<'_, 'h>,
    ) -> bool {
        call.method != "read" || state == ret || others.any(|other| other.args.first() == Some(ret))
    }
}

//! A register: `write(v)` → null, `read()` → the last value written.

use crate::object::{Collection, Invocation, Kind, Signature, Spec, Value};

/// A register with an initial value, null by default.
#[derive(Clone, Debug)]
pub struct Register {
    initial: Value,
    signatures: [Signature; 2],
}

impl Register {
    /// A register that holds this value at first.
    pub fn new(initial: Value) -> Self {
        let write = Signature { method: "write".into(), args: vec![Kind::Any], returns: Kind::Null };
        let read = Signature { method: "read".into(), args: vec![], returns: Kind::Any };
        Register { initial, signatures: [write, read] }
    }
}

impl Default for Register {
    fn default() -> Self {
        Register::new(Value::Null)
    }
}

impl Spec for Register {
    type State = Value;

    fn name(&self) -> &str {
        "register"
    }

    fn signatures(&self) -> &[Signature] {
        &self.signatures
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

    fn read_only(&self, call: Invocation<'_>) -> bool {
        call.method == "read"
    }

    fn opaque(&self, call: Invocation<'_>) -> Option<usize> {
        (call.method == "write").then_some(0)
    }

    fn collection(&self) -> Option<Collection> {
        Some(Collection::Register(self.initial.clone()))
    }
}

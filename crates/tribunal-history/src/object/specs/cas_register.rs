//! A register with compare-and-set: `write(v)` → null, `read()` → the value, `cas(old, new)` → whether it was `old`.

use crate::object::{Collection, Invocation, Kind, Others, Signature, Spec, Value};

/// A register with compare-and-set and an initial value, null by default.
#[derive(Clone, Debug, Default)]
pub struct CasRegister {
    initial: Value,
}

impl CasRegister {
    /// A register with this initial value.
    pub fn new(initial: Value) -> Self {
        CasRegister { initial }
    }
}

const SIGNATURES: &[Signature] = &[
    Signature::new("write", &[Kind::Any], Kind::Null),
    Signature::new("read", &[], Kind::Any),
    Signature::new("cas", &[Kind::Any, Kind::Any], Kind::Bool),
];

impl Spec for CasRegister {
    type State = Value;

    fn name(&self) -> &str {
        "cas-register"
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
            ("cas", [old, new]) => {
                let same = *state == *old;
                if same {
                    *state = new.clone();
                }
                Some(same.into())
            }
            _ => None,
        }
    }

    fn commute(&self, a: Invocation<'_>, b: Invocation<'_>) -> bool {
        match (a.method, a.args, b.method, b.args) {
            ("write", [one], "write", [other]) => one == other,
            // Neither makes the other succeed, and not both succeed in one state.
            ("cas", [old, new], "cas", [other_old, other_new])
                if old != other_old && new != other_old && other_new != old =>
            {
                true
            }
            _ => self.read_only(a) && self.read_only(b),
        }
    }

    fn read_only(&self, call: Invocation<'_>) -> bool {
        match (call.method, call.args) {
            ("read", []) => true,
            ("cas", [old, new]) => old == new,
            _ => false,
        }
    }

    fn unchanged(&self, call: Invocation<'_>, ret: &Value) -> bool {
        self.read_only(call) || call.method == "cas" && *ret == Value::Bool(false)
    }

    fn opaque(&self, call: Invocation<'_>) -> Option<usize> {
        match call.method {
            "write" => Some(0),
            "cas" => Some(1),
            _ => None,
        }
    }

    /// Where nobody calls cas it is a register; the algorithm looks.
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
        let needed = match (call.method, call.args, ret) {
            ("read", _, value) => value,
            ("cas", [old, _], Value::Bool(true)) => old,
            _ => return true,
        };
        state == needed || others.any(|other| other.method != "read" && other.args.last() == Some(needed))
    }
}

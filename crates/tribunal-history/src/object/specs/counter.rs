//! A counter: `inc()` → null, `add(n)` → null, `get()` → the sum, from 0. Sums wrap around at 64 bits.

use crate::object::{Invocation, Kind, Others, Signature, Spec, Value};

/// A counter, 0 at first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counter;

const SIGNATURES: &[Signature] = &[
    Signature::new("inc", &[], Kind::Null),
    Signature::new("add", &[Kind::Int], Kind::Null),
    Signature::new("get", &[], Kind::Int),
];

impl Spec for Counter {
    type State = i64;

    fn name(&self) -> &str {
        "counter"
    }

    fn signatures(&self) -> &[Signature] {
        SIGNATURES
    }

    fn initial(&self) -> i64 {
        0
    }

    fn step(&self, state: &mut i64, call: Invocation<'_>) -> Option<Value> {
        match (call.method, call.args) {
            ("inc", []) => *state = state.wrapping_add(1),
            ("add", [Value::Int(number)]) => *state = state.wrapping_add(*number),
            ("get", []) => return Some(Value::Int(*state)),
            _ => return None,
        }
        Some(Value::Null)
    }

    fn commute(&self, a: Invocation<'_>, b: Invocation<'_>) -> bool {
        match (a.method == "get", b.method == "get") {
            (false, false) | (true, true) => true,
            (true, false) => self.read_only(b),
            (false, true) => self.read_only(a),
        }
    }

    fn read_only(&self, call: Invocation<'_>) -> bool {
        call.method == "get" || matches!(call.args, [Value::Int(0)])
    }

    fn reachable<'h>(
        &self,
        state: &Self::State,
        call: Invocation<'_>,
        ret: &Value,
        others: Others<'_, 'h>,
    ) -> bool {
        let ("get", Some(target)) = (call.method, ret.as_int()) else { return true };
        let (mut least, mut most) = (i128::from(*state), i128::from(*state));
        for other in others {
            let change = match (other.method, other.args) {
                ("inc", _) => 1,
                ("add", [Value::Int(number)]) => i128::from(*number),
                _ => 0,
            };
            least += change.min(0);
            most += change.max(0);
        }
        // Beyond the numbers there are, counting goes round.
        least < i64::MIN.into() || most > i64::MAX.into() || (least..=most).contains(&target.into())
    }
}

//! A lock: `acquire()` → null if it is free, `release()` → null if it is held; otherwise they cannot take effect, so an
//! acquire waits. The lock does not know its owner, so a release by another process is not detected.

use crate::object::{Invocation, Kind, Signature, Spec, Value};

/// A lock, free at first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mutex;

const SIGNATURES: &[Signature] =
    &[Signature::new("acquire", &[], Kind::Null), Signature::new("release", &[], Kind::Null)];

impl Spec for Mutex {
    /// Whether it is held.
    type State = bool;

    fn name(&self) -> &str {
        "mutex"
    }

    fn signatures(&self) -> &[Signature] {
        SIGNATURES
    }

    fn initial(&self) -> bool {
        false
    }

    fn step(&self, held: &mut bool, call: Invocation<'_>) -> Option<Value> {
        let acquires = match (call.method, call.args) {
            ("acquire", []) => true,
            ("release", []) => false,
            _ => return None,
        };
        (std::mem::replace(held, acquires) != acquires).then_some(Value::Null)
    }

    /// Two acquires never come one right after the other, in either order; nor do two releases.
    fn commute(&self, a: Invocation<'_>, b: Invocation<'_>) -> bool {
        a == b
    }
}

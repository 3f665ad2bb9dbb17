//! Checks the hints of a specification against its steps.

mod broken;
mod runs;
mod states;
#[cfg(test)]
mod tests;

pub use broken::{BrokenPromise, Promise};

use super::{Invocation, Spec, typed_call};
use runs::Runs;
use states::States;

/// The numbers of states and runs that were tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explored {
    /// Different states.
    pub states: usize,
    /// Runs from the initial state.
    pub runs: usize,
}

/// Checks the promises of a specification ([`Spec::signatures`], `key`, `commute`, `read_only`, `unchanged`, `opaque`,
/// `reachable`, `collection`) against its steps, in every state that at most `depth` of these calls reach and in every run of that
/// length. The error is the broken promise with the fewest calls.
///
/// The engines trust a specification, so a wrong promise can cause wrong verdicts. Each of your specifications should have a test
/// that calls this, with calls whose arguments overlap; two values and two keys usually suffice. The cost is about that of
/// all sequences of `depth` calls: with eight calls, a depth of 4 takes a moment.
///
/// ```
/// use tribunal::object::{Invocation, Kind, Signature, Spec, Value, check_promises};
///
/// /// A flag that says it is never changed.
/// struct Flag;
///
/// impl Spec for Flag {
///     type State = bool;
///     fn name(&self) -> &str {
///         "flag"
///     }
///     fn signatures(&self) -> &[Signature] {
///         const { &[Signature::new("raise", &[], Kind::Null), Signature::new("is_up", &[], Kind::Bool)] }
///     }
///     fn initial(&self) -> bool {
///         false
///     }
///     fn step(&self, up: &mut bool, call: Invocation<'_>) -> Option<Value> {
///         if call.method == "is_up" {
///             return Some(Value::from(*up));
///         }
///         *up = true;
///         Some(Value::Null)
///     }
///     fn read_only(&self, _: Invocation<'_>) -> bool {
///         true
///     }
/// }
///
/// let calls = ["raise", "is_up"].map(|method| Invocation { method, args: &[] });
/// let broken = check_promises(&Flag, &calls, 4).expect_err("raise changes the flag");
/// assert_eq!(
///     broken.to_string(),
///     "flag breaks read_only of raise(): it never changes the state; at first, where the object is false, it leaves true"
/// );
/// ```
pub fn check_promises<S: Spec>(
    spec: &S,
    calls: &[Invocation<'_>],
    depth: usize,
) -> Result<Explored, Box<BrokenPromise>> {
    for &call in calls {
        if let Err(misfit) = typed_call(spec, call) {
            let promise = Promise::Signatures;
            let happened = format!("it is to be called, and {misfit}");
            return Err(BrokenPromise::new(spec, promise, &[call], happened).at(Vec::new(), &spec.initial()));
        }
    }
    let mut states = States::new(spec, calls, depth);
    let mut runs = Runs::new(spec, calls);
    for length in 0..=depth {
        states.check_next()?;
        runs.check(length)?;
    }
    Ok(Explored { states: states.len(), runs: runs.tried() })
}

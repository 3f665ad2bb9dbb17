//! Why an event cannot follow those before it.

use crate::object::{Kind, Signature, Specification, Value};

/// An event that no run of processes can have next. The monitor is as it was before it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MalformedEvent {
    /// A process calls while its last operation is open, or after it crashed.
    #[error("process {process} calls {called} while its {open} is still open")]
    Overlap {
        /// The process.
        process: String,
        /// What it calls.
        called: String,
        /// What is open.
        open: String,
    },
    /// A process returns and has called nothing.
    #[error("process {process} returns without a call")]
    NoCall {
        /// The process.
        process: String,
    },
    /// The specification has no such method.
    #[error("{spec} has no method `{method}`; it has {methods}")]
    UnknownMethod {
        /// The specification.
        spec: String,
        /// The method called.
        method: String,
        /// The methods there are.
        methods: String,
    },
    /// A method is called with another number of arguments than it takes.
    #[error("{method} takes {takes} argument{}, found {found}", if *takes == 1 { "" } else { "s" })]
    WrongArity {
        /// The method.
        method: String,
        /// How many arguments it takes.
        takes: usize,
        /// How many there are.
        found: usize,
    },
    /// An argument or a return of another type.
    #[error("{method}: {what} must be {expected}, found {found}")]
    WrongType {
        /// The method.
        method: String,
        /// Which argument: `argument 1`, ...
        what: String,
        /// The type it must have.
        expected: &'static str,
        /// The value there is.
        found: Value,
    },
}

/// The signature of a method, if the specification has signatures.
fn signature<'s>(spec: &'s dyn Specification, method: &str) -> Result<Option<&'s Signature>, MalformedEvent> {
    let signatures = spec.signatures();
    let found = signatures.iter().find(|signature| signature.method == method);
    if found.is_none() && !signatures.is_empty() {
        let methods: Vec<_> = signatures.iter().map(|signature| signature.method.as_str()).collect();
        let (spec, methods) = (spec.name().into(), methods.join(", "));
        return Err(MalformedEvent::UnknownMethod { spec, method: method.into(), methods });
    }
    Ok(found)
}

fn of_kind(
    method: &str,
    what: impl FnOnce() -> String,
    kind: Kind,
    value: &Value,
) -> Result<(), MalformedEvent> {
    if kind.admits(value) {
        return Ok(());
    }
    let (expected, found) = (kind.words(), value.clone());
    Err(MalformedEvent::WrongType { method: method.into(), what: what(), expected, found })
}

/// Whether a call has the types that the specification asks for.
pub(super) fn typed_call(
    spec: &dyn Specification,
    method: &str,
    args: &[Value],
) -> Result<(), MalformedEvent> {
    let Some(signature) = signature(spec, method)? else { return Ok(()) };
    let (takes, found) = (signature.args.len(), args.len());
    if takes != found {
        return Err(MalformedEvent::WrongArity { method: method.into(), takes, found });
    }
    for (at, (kind, arg)) in signature.args.iter().zip(args).enumerate() {
        of_kind(method, || format!("argument {}", at + 1), *kind, arg)?;
    }
    Ok(())
}

//! Histories matched with their specification: the input of the checkers.

use super::{Collection, History, Invocation, MalformedHistory, OpId, Signature, Specification, Value};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::fmt;

/// A history together with a specification that has all the methods it calls, with matching numbers and types of arguments.
///
/// Made by [`History::typed`]; a part of one is also one. A return value of the wrong type is not an error: it is what the
/// object returned, and no state explains it.
#[derive(Clone)]
pub struct Typed<'a> {
    history: Cow<'a, History>,
    spec: &'a dyn Specification,
}

impl<'a> Typed<'a> {
    /// A history that is known to fit: it is made of calls that do.
    pub fn known(history: Cow<'a, History>, spec: &'a dyn Specification) -> Self {
        Typed { history, spec }
    }

    /// The operations.
    #[inline]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The specification of the object.
    #[inline]
    pub fn spec(&self) -> &'a dyn Specification {
        self.spec
    }

    /// The operations, without the specification.
    pub fn into_history(self) -> History {
        self.history.into_owned()
    }

    /// A part of the history, as in [`History::part`]. List reads return their lists without the values that were appended before
    /// the cut by operations outside the part; see [`Violation`](super::Violation).
    ///
    /// ```
    /// use tribunal::object::{History, OpId, Value, specs::List};
    /// let mut b = History::builder();
    /// let p = b.process("0");
    /// for (time, value) in (0..).zip([1, 2]) {
    ///     let op = b.call(p, "append", &[Value::from(value)], 10 * time);
    ///     b.ret(op, Value::Null, 10 * time + 5);
    /// }
    /// let op = b.call(p, "read", &[], 20);
    /// b.ret(op, Value::list([Value::from(2), Value::from(1)]), 25);
    /// let part = b.build()?.typed(&List)?.part(&[OpId(1), OpId(2)], None).into_history();
    /// assert_eq!(part.result(OpId(1)), Some(&Value::list([Value::from(2)])));
    /// # Ok::<(), tribunal::object::MalformedHistory>(())
    /// ```
    pub fn part(&self, ops: &[OpId], cut: Option<u32>) -> Typed<'a> {
        let mut part = self.history.part(ops, cut);
        if self.spec.collection() == Some(Collection::List) {
            part.unlist(&self.left_out(ops, cut));
        }
        Typed::known(Cow::Owned(part), self.spec)
    }

    /// The values that were appended by the cut, but by none of these operations.
    fn left_out(&self, ops: &[OpId], cut: Option<u32>) -> FxHashSet<&Value> {
        let history = self.history();
        let called = |op: &OpId| match (cut, history.intervals()) {
            (Some(cut), Some(intervals)) => intervals.call[op.index()] < cut,
            _ => true,
        };
        let appended = |op: OpId| {
            let call = history.called(op);
            call.args.first().filter(|_| call.method == "append")
        };
        let mut values: FxHashSet<&Value> = history.ops().filter(called).filter_map(appended).collect();
        for value in ops.iter().filter_map(|&op| appended(op)) {
            values.remove(value);
        }
        values
    }
}

impl fmt::Debug for Typed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Typed").field("history", &self.history).field("spec", &self.spec.name()).finish()
    }
}

impl History {
    /// Matches the history with this specification. Fails if it calls a method that the specification does not have, or with the wrong
    /// number or types of arguments.
    ///
    /// ```
    /// use tribunal::object::{History, Value, specs::Register};
    /// let mut b = History::builder();
    /// let p = b.process("0");
    /// b.call(p, "wirte", &[Value::from(1)], 0);
    /// let error = b.build()?.typed(&Register::default()).expect_err("no such method").to_string();
    /// assert_eq!(error, "register has no method `wirte` (did you mean `write`?); it has write, read");
    /// # Ok::<(), tribunal::object::MalformedHistory>(())
    /// ```
    pub fn typed<'a>(&'a self, spec: &'a dyn Specification) -> Result<Typed<'a>, MalformedHistory> {
        let mut fits = vec![false; self.invocation_count()];
        for op in self.ops() {
            let fits = &mut fits[self.invocation_of(op).0 as usize];
            if !*fits {
                typed_call(spec, self.called(op))
                    .map_err(|misfit| MalformedHistory::IllTyped { op, misfit })?;
                *fits = true;
            }
        }
        Ok(Typed { history: Cow::Borrowed(self), spec })
    }
}

/// The reason why a call does not match a specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidCall {
    /// The specification has no such method.
    #[error("{spec} has no method `{method}`{}; it has {}", nearest(method, .methods), listed(.methods))]
    UnknownMethod {
        /// The specification.
        spec: String,
        /// The method called.
        method: String,
        /// The methods there are.
        methods: Vec<String>,
    },
    /// A wrong number of arguments.
    #[error("{method} takes {takes} argument{}, found {found}", if *takes == 1 { "" } else { "s" })]
    WrongArity {
        /// The method.
        method: String,
        /// The number of arguments that it takes.
        takes: usize,
        /// The number of arguments that there are.
        found: usize,
    },
    /// An argument of the wrong type.
    #[error("{method}: argument {argument} must be {expected}, found {found}")]
    WrongType {
        /// The method.
        method: String,
        /// The number of the argument, from 1.
        argument: usize,
        /// The type it must have.
        expected: &'static str,
        /// The value there is.
        found: Value,
    },
}

fn listed(methods: &[String]) -> String {
    if methods.is_empty() { "none".into() } else { methods.join(", ") }
}

fn nearest(method: &str, methods: &[String]) -> String {
    crate::names::suggestion(method, methods.iter().map(String::as_str))
}

/// Whether a call matches one of the method's signatures.
pub fn typed_call(spec: &dyn Specification, call: Invocation<'_>) -> Result<(), InvalidCall> {
    let mut first = None;
    for signature in spec.signatures().iter().filter(|signature| signature.method == call.method) {
        match misfit(signature, call) {
            None => return Ok(()),
            Some(misfit) => first = first.or(Some(misfit)),
        }
    }
    Err(first.unwrap_or_else(|| InvalidCall::UnknownMethod {
        spec: spec.name().into(),
        method: call.method.into(),
        methods: spec.signatures().iter().map(|signature| signature.method.to_string()).collect(),
    }))
}

fn misfit(signature: &Signature, call: Invocation<'_>) -> Option<InvalidCall> {
    let method = || call.method.to_string();
    let (takes, found) = (signature.args.len(), call.args.len());
    if takes != found {
        return Some(InvalidCall::WrongArity { method: method(), takes, found });
    }
    let mut args = signature.args.iter().zip(call.args).zip(1..);
    args.find(|((kind, arg), _)| !kind.admits(arg)).map(|((kind, arg), argument)| InvalidCall::WrongType {
        method: method(),
        argument,
        expected: kind.words(),
        found: arg.clone(),
    })
}

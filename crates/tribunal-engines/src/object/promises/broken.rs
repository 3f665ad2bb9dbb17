//! A broken promise, with the calls that show it.

use std::fmt;
use tribunal_history::object::{Invocation, Spec};

/// A promise of a specification: a method of [`Spec`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Promise {
    /// `step`: equal states and calls have the same outcome.
    Step,
    /// `signatures`.
    Signatures,
    /// `key`.
    Key,
    /// `commute`.
    Commute,
    /// `read_only`.
    ReadOnly,
    /// `unchanged`.
    Unchanged,
    /// `opaque`.
    Opaque,
    /// `reachable`.
    Reachable,
    /// `collection`.
    Collection,
}

impl Promise {
    /// The method that makes the promise.
    pub const fn name(self) -> &'static str {
        match self {
            Promise::Step => "step",
            Promise::Signatures => "signatures",
            Promise::Key => "key",
            Promise::Commute => "commute",
            Promise::ReadOnly => "read_only",
            Promise::Unchanged => "unchanged",
            Promise::Opaque => "opaque",
            Promise::Reachable => "reachable",
            Promise::Collection => "collection",
        }
    }

    /// The promise in words.
    const fn words(self) -> &'static str {
        match self {
            Promise::Step => "a state and a call have one outcome",
            Promise::Signatures => "calls and returns have the types of a signature",
            Promise::Key => "calls of different keys neither see nor change what the others do",
            Promise::Commute => "the two have the same effect and returns in either order",
            Promise::ReadOnly => "it never changes the state",
            Promise::Unchanged => "it returns this only where it leaves the state as it is",
            Promise::Opaque => "the argument is stored without being looked at",
            Promise::Reachable => "a return that is out of reach does not come about",
            Promise::Collection => "it does what the built-in collection does",
        }
    }
}

/// A promise that a specification breaks, with a counterexample.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct BrokenPromise {
    /// The specification's name.
    pub spec: String,
    /// The promise.
    pub promise: Promise,
    /// The calls involved.
    pub calls: Vec<String>,
    /// The calls that lead from the initial state to this one.
    pub before: Vec<String>,
    /// The state.
    pub state: String,
    /// The event that happens there.
    pub happened: String,
}

impl BrokenPromise {
    pub(super) fn new<S: Spec>(
        spec: &S,
        promise: Promise,
        calls: &[Invocation<'_>],
        happened: String,
    ) -> Box<Self> {
        let (before, state) = Default::default();
        Box::new(BrokenPromise {
            spec: spec.name().into(),
            promise,
            calls: shown(calls),
            before,
            state,
            happened,
        })
    }

    /// The same, in a state that calls lead to.
    pub(super) fn at(mut self: Box<Self>, before: Vec<Invocation<'_>>, state: &dyn fmt::Debug) -> Box<Self> {
        self.before = shown(&before);
        self.state = format!("{state:?}");
        self
    }
}

fn shown(calls: &[Invocation<'_>]) -> Vec<String> {
    calls.iter().map(ToString::to_string).collect()
}

impl fmt::Display for BrokenPromise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BrokenPromise { spec, promise, calls, before, state, happened } = self;
        let when =
            if before.is_empty() { "at first".to_string() } else { format!("after {}", before.join("; ")) };
        write!(
            f,
            "{spec} breaks {} of {}: {}; {when}, where the object is {state}, {happened}",
            promise.name(),
            calls.join(" and "),
            promise.words()
        )
    }
}

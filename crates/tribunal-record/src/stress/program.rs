//! Random clients.

use crate::{Random, Subject};
use std::fmt;
use tribunal_history::object::{Invocation, Value};

/// A program: the calls of each thread, one after another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// By thread.
    pub(crate) threads: Vec<Vec<Call>>,
}

/// A method with its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Call {
    /// The method's place among the subject's.
    pub(crate) method: usize,
    /// Its name.
    pub(crate) name: &'static str,
    pub(crate) args: Vec<Value>,
}

impl Program {
    /// A random program: every thread has at least one call and at most `operations`.
    pub(crate) fn draw<S: Subject>(threads: usize, operations: usize, rng: &mut Random) -> Self {
        let call = |rng: &mut Random| {
            let method = rng.index(S::METHODS.len());
            Call::draw::<S>(method, rng)
        };
        let thread = |rng: &mut Random| (0..=rng.index(operations)).map(|_| call(rng)).collect();
        Program { threads: (0..threads).map(|_| thread(rng)).collect() }
    }

    /// The calls, thread by thread.
    pub(crate) fn calls(&self) -> impl Iterator<Item = (usize, &Call)> {
        self.threads
            .iter()
            .enumerate()
            .flat_map(|(thread, calls)| calls.iter().map(move |call| (thread, call)))
    }
}

impl Call {
    /// A call of this method with random arguments.
    pub(crate) fn draw<S: Subject>(method: usize, rng: &mut Random) -> Self {
        Call { method, name: S::METHODS[method], args: S::draw(method, rng) }
    }

    pub(crate) fn invocation(&self) -> Invocation<'_> {
        Invocation { method: self.name, args: &self.args }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.invocation().fmt(f)
    }
}

/// A line for each thread: `0: put(1, 2); get(1)`.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (thread, calls) in self.threads.iter().enumerate() {
            let calls: Vec<String> = calls.iter().map(Call::to_string).collect();
            write!(f, "{}{thread}: {}", if thread > 0 { "\n" } else { "" }, calls.join("; "))?;
        }
        Ok(())
    }
}

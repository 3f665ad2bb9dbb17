//! Specifications written in files: a small language of states, methods, conditions and effects.
//!
//! A file is read in one pass: `tribunal_history::object::text` has the tokens, `parser`, `statements` and `expressions` build the
//! tree, resolve names and check kinds, `analysis` infers which methods are read-only and which have a key, and
//! `run` executes methods. Loops run over lists only, so every method terminates.

mod analysis;
mod error;
mod expressions;
mod parser;
mod run;
mod statements;
mod syntax;

pub use error::{SpecError, SpecFault};
pub use syntax::Cell;

use run::{Frame, Stop};
use syntax::{Commutes, Method, State};
use tribunal_history::heap::tree;
use tribunal_history::object::{Invocation, Signature, Spec, Value};

/// A specification declared in a file; `docs/specifications.md` describes the language.
///
/// ```
/// use tribunal::object::{Criterion, History, Value, check};
/// use tribunal_spec::Declared;
/// let tickets = Declared::parse(
///     "object tickets {
///          state next: number = 0
///          method take() -> number {
///              next = next + 1
///              return next - 1
///          }
///      }",
///     "tickets.spec",
/// )?;
/// let mut b = History::builder();
/// let (p, q) = (b.process("0"), b.process("1"));
/// let first = b.call(p, "take", &[], 0);
/// let second = b.call(q, "take", &[], 1);
/// b.ret(first, Value::from(1), 2);
/// b.ret(second, Value::from(0), 3);
/// assert!(check(&b.build()?.typed(&tickets).expect("typed"), &Criterion::Linearizable).is_consistent());
///
/// let error = Declared::parse("object o { method m() { return x } }", "o.spec").expect_err("no x");
/// assert_eq!(error.to_string(), "o.spec:1:32: unknown name `x`");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Declared {
    name: String,
    states: Vec<State>,
    methods: Vec<Method>,
    /// By method.
    signatures: Vec<Signature>,
    commutes: Vec<Commutes>,
}

impl Declared {
    /// Parses a specification; the file name is for messages.
    pub fn parse(source: &str, file: &str) -> Result<Self, SpecError> {
        parser::parse(source).map_err(|misread| misread.within(file))
    }

    fn method(&self, call: Invocation<'_>) -> Option<(usize, &Method)> {
        let fits = |method: &Method| method.name == call.method && method.params == call.args.len();
        self.methods.iter().enumerate().find(|(_, method)| fits(method))
    }

    fn declared_to_commute(
        &self,
        (one, a): (usize, Invocation<'_>),
        (other, b): (usize, Invocation<'_>),
    ) -> bool {
        let holds = |rule: &Commutes, one: usize, a: Invocation<'_>, other: usize, b: Invocation<'_>| {
            rule.methods == [one, other]
                && rule.condition.as_ref().is_none_or(|condition| {
                    let args = a.args.iter().chain(b.args).cloned();
                    let locals = a.args.len() + b.args.len();
                    Frame::new(&mut [], args, locals).truth(condition).unwrap_or(false)
                })
        };
        self.commutes.iter().any(|rule| holds(rule, one, a, other, b) || holds(rule, other, b, one, a))
    }
}

impl Spec for Declared {
    type State = Vec<Cell>;

    fn name(&self) -> &str {
        &self.name
    }

    fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    fn initial(&self) -> Vec<Cell> {
        self.states.iter().map(|state| state.initial.clone()).collect()
    }

    fn bytes(&self, state: &Vec<Cell>) -> usize {
        let trees = state.iter().map(|cell| match cell {
            Cell::Map(entries) => tree(entries.len(), size_of::<(Value, Value)>()),
            _ => 0,
        });
        match run::parts(state) {
            Some(parts) => size_of_val(&state[..]) + parts * size_of::<Value>() + trees.sum::<usize>(),
            None => usize::MAX,
        }
    }

    fn step(&self, state: &mut Vec<Cell>, call: Invocation<'_>) -> Option<Value> {
        let (_, method) = self.method(call)?;
        let mut frame = Frame::new(state, call.args.iter().cloned(), method.locals);
        match frame.run(&method.body) {
            Ok(ret) => Some(ret.unwrap_or_default()),
            Err(Stop::Refused) => None,
            Err(Stop::TooLarge) => {
                *state = vec![Cell::TooLarge];
                None
            }
        }
    }

    fn key(&self, call: Invocation<'_>) -> Option<Value> {
        let (_, method) = self.method(call)?;
        Some(call.args[method.key?.0].clone())
    }

    fn commute(&self, a: Invocation<'_>, b: Invocation<'_>) -> bool {
        let (Some((one, of_a)), Some((other, of_b))) = (self.method(a), self.method(b)) else { return false };
        if of_a.read_only && of_b.read_only {
            return true;
        }
        if let (Some(one), Some(other)) = (of_a.key, of_b.key)
            && a.args[one.0] != b.args[other.0]
        {
            return true;
        }
        self.declared_to_commute((one, a), (other, b))
    }

    fn read_only(&self, call: Invocation<'_>) -> bool {
        self.method(call).is_some_and(|(_, method)| method.read_only)
    }
}

#[cfg(test)]
mod tests;

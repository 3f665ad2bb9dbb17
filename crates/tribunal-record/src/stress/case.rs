//! A run to check.

use super::crew::Run;
use super::program::Program;
use crate::order::{Predecessors, times};
use std::hash::{DefaultHasher, Hash, Hasher};
use tribunal_engines::object::judge;
use tribunal_history::limits::Limits;
use tribunal_history::object::{Builder, Criterion, History, OpId, Specification, Typed, Verdict};

/// A search gives up after this many states: a run of a few operations has hardly any.
const MOST_STATES: u64 = 1 << 20;

/// The limits of one question.
pub(crate) fn limits() -> Limits<'static> {
    Limits { max_states: MOST_STATES, ..Limits::default() }
}

/// A run of a program, whose calls were checked before it was run.
pub(crate) fn typed<'a>(history: &'a History, spec: &'a dyn Specification) -> Typed<'a> {
    history.typed(spec).expect("the calls of a program fit the specification")
}

/// A run with every order that it may have had.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The calls and returns, once for each order; the least orders of intervals that agree with what was seen.
    pub(crate) histories: Vec<History>,
}

/// The observations of a run, apart from its calls.
pub(crate) struct Seen {
    run: Run,
    /// None: too many to look at.
    orders: Option<Vec<Predecessors>>,
}

impl Seen {
    pub(crate) fn new(run: Run) -> Self {
        let orders = run.sightings.extensions();
        Seen { run, orders }
    }

    /// Whether more than one order agrees with what was seen.
    pub(crate) fn is_inexact(&self) -> bool {
        self.orders.as_ref().is_none_or(|orders| orders.len() > 1)
    }

    /// Whether there are too many of them to look at all.
    pub(crate) fn is_uncertain(&self) -> bool {
        self.orders.is_none()
    }

    /// The same for two runs only if they have the same calls, returns and orders, but for a collision of hashes, by which a run
    /// may go unjudged and none is judged wrongly.
    pub(crate) fn fingerprint(&self, program: &Program) -> u64 {
        let mut hasher = DefaultHasher::new();
        program.hash(&mut hasher);
        self.run.returns.hash(&mut hasher);
        match &self.orders {
            Some(orders) => orders.hash(&mut hasher),
            None => self.run.sightings.before.hash(&mut hasher),
        }
        hasher.finish()
    }

    /// The run with its orders; none if there are too many.
    pub(crate) fn case(&self, program: &Program) -> Option<Case> {
        let orders = self.orders.as_ref()?;
        Some(Case { histories: orders.iter().map(|order| self.history(program, order)).collect() })
    }

    fn history(&self, program: &Program, order: &Predecessors) -> History {
        let mut builder = Builder::default();
        let processes: Vec<_> =
            (0..program.threads.len()).map(|thread| builder.process(&thread.to_string())).collect();
        let operations = program.calls().zip(times(order)).zip(&self.run.returns);
        for (((thread, call), (called, returned)), ret) in operations {
            let op = builder.call(processes[thread], call.name, &call.args, called);
            builder.ret(op, ret.clone(), returned);
        }
        builder.build().expect("times that keep the order of each thread")
    }
}

impl Case {
    /// Whether the run satisfies a criterion: it breaks it only if it does in every order that it may have had. None if a
    /// limit was reached.
    pub(crate) fn satisfies(&self, spec: &dyn Specification, criterion: &Criterion) -> Option<bool> {
        let mut known = true;
        for history in &self.histories {
            match judge(&typed(history, spec), criterion, &limits()).0 {
                Verdict::Consistent(_) => return Some(true),
                Verdict::Inconsistent(_) => {}
                Verdict::Undecided(_) | Verdict::Unsupported(_) => known = false,
            }
        }
        known.then_some(false)
    }

    /// The run without the operations of some methods.
    pub(crate) fn without(&self, methods: &[&'static str]) -> Case {
        let part = |history: &History| {
            let kept = |op: &OpId| !methods.contains(&history.called(*op).method);
            history.part(&history.ops().filter(kept).collect::<Vec<_>>(), None)
        };
        Case { histories: self.histories.iter().map(part).collect() }
    }

    /// The number of operations.
    pub(crate) fn len(&self) -> usize {
        self.histories.first().map_or(0, History::len)
    }
}

//! Separating criteria: the smallest history of an object that one allows and another forbids.
//!
//! Histories have no pending operations: one that took effect can as well return in the end. What an operation returns is
//! what it returns after some of the others, in some order: no criterion allows anything else. Arguments are a few values, see
//! [`arguments`].

use crate::search::{Pair, Search, Separations};
use std::ops::ControlFlow;
use tribunal_engines::object::judge;
use tribunal_history::object::{Criterion, History, Invocation, Kind, Signature, Specification, Value};
use tribunal_history::verdict::Limit;
use tribunal_verify::object::verify;

/// A history that separates two criteria.
#[derive(Clone, Debug)]
pub struct Example {
    /// The operations.
    pub history: History,
    /// The specification that they are of, among those given.
    pub spec: usize,
}

/// Looks for the smallest history of an object that separates each pair of criteria, among histories of these specifications. `tick`
/// is told from time to time how many operations the histories have that are being tried, and how many have been tried.
///
/// ```
/// use tribunal::{Limits, object::{Criterion, specs::Register}};
/// use tribunal_separate::{Pair, Search, criteria};
/// let pair = Pair { allows: Criterion::Sequential, forbids: Criterion::Weak };
/// let search = Search { events: 2, limits: Limits::default(), needed_only: true };
/// let separations = criteria(&[pair], &[&Register::default()], &search, |_, _| ());
/// let from_the_future = separations.found[0].as_ref().expect("a read of what is written later");
/// assert_eq!(from_the_future.history.len(), 2);
/// ```
pub fn criteria(
    pairs: &[Pair<Criterion>],
    specs: &[&dyn Specification],
    search: &Search<'_>,
    tick: impl FnMut(usize, u64),
) -> Separations<Example> {
    let mut asked: Vec<Criterion> = Vec::new();
    let mut place = |criterion: &Criterion| {
        asked.iter().position(|other| other == criterion).unwrap_or_else(|| {
            asked.push(criterion.clone());
            asked.len() - 1
        })
    };
    let open: Vec<Open> = pairs
        .iter()
        .enumerate()
        .map(|(at, pair)| Open { at, allows: place(&pair.allows), forbids: place(&pair.forbids) })
        .filter(|open| open.allows != open.forbids)
        .collect();
    let found = vec![None; pairs.len()];
    let mut state = State { search, tick, asked, open, found, histories: 0, limit: None };
    let mut complete = 0;
    for events in 1..=search.events {
        if state.open.is_empty() || state.run(specs, events).is_break() {
            break;
        }
        complete = events;
    }
    Separations { found: state.found, complete, histories: state.histories, limit: state.limit }
}

struct Open {
    at: usize,
    allows: usize,
    forbids: usize,
}

struct State<'s, T> {
    search: &'s Search<'s>,
    tick: T,
    asked: Vec<Criterion>,
    open: Vec<Open>,
    found: Vec<Option<Example>>,
    histories: u64,
    limit: Option<Limit>,
}

/// A method with arguments.
struct Call {
    method: String,
    args: Vec<Value>,
}

/// An operation of a draft, in the order in which processes are sorted: what it calls, which of its possible returns it has, and
/// the rounds of its call and return.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Operation {
    call: usize,
    ret: usize,
    called: usize,
    returned: usize,
}

/// A history in the making: the operations of each process one after the other, the longest process first.
struct Draft<'a> {
    spec: &'a dyn Specification,
    spec_at: usize,
    calls: &'a [Call],
    starts: Vec<usize>,
    operations: Vec<Operation>,
    /// For each operation, what it may return.
    returns: Vec<Vec<Value>>,
}

impl Draft<'_> {
    fn process(&self, operation: usize) -> usize {
        self.starts.partition_point(|&start| start <= operation) - 1
    }

    /// Whether processes of one length are sorted: then no other order of them is the same history again.
    fn is_sorted(&self) -> bool {
        let process = |p: usize| &self.operations[self.starts[p]..self.starts[p + 1]];
        (2..self.starts.len()).all(|p| {
            let (before, this) = (process(p - 2), process(p - 1));
            before.len() != this.len() || before <= this
        })
    }

    /// All calls of a round at one time, then all its returns.
    fn build(&self) -> History {
        let mut b = History::builder();
        for (at, operation) in self.operations.iter().enumerate() {
            let call = &self.calls[operation.call];
            let process = b.process(&self.process(at).to_string());
            let op = b.call(process, &call.method, &call.args, 2 * operation.called as u64);
            b.ret(op, self.returns[at][operation.ret].clone(), 2 * operation.returned as u64 + 1);
        }
        b.build().expect("operations of a process do not overlap")
    }
}

impl<T: FnMut(usize, u64)> State<'_, T> {
    fn run(&mut self, specs: &[&dyn Specification], events: usize) -> ControlFlow<()> {
        for (spec_at, &spec) in specs.iter().enumerate() {
            let calls: Vec<Call> = spec.signatures().iter().flat_map(calls).collect();
            let operations = vec![Operation::default(); events];
            let mut draft =
                Draft { spec, spec_at, calls: &calls, starts: vec![0], operations, returns: Vec::new() };
            self.lengths(&mut draft, events)?;
        }
        ControlFlow::Continue(())
    }

    /// Chooses how many operations each process has.
    fn lengths(&mut self, draft: &mut Draft<'_>, longest: usize) -> ControlFlow<()> {
        let start = draft.starts[draft.starts.len() - 1];
        let left = draft.operations.len() - start;
        if left == 0 {
            return self.calls(draft, 0);
        }
        for length in (1..=longest.min(left)).rev() {
            draft.starts.push(start + length);
            self.lengths(draft, length)?;
            draft.starts.pop();
        }
        ControlFlow::Continue(())
    }

    /// Chooses what each operation calls.
    fn calls(&mut self, draft: &mut Draft<'_>, at: usize) -> ControlFlow<()> {
        if at == draft.operations.len() {
            draft.returns = possible_returns(draft);
            return self.rounds(draft, 0);
        }
        for call in 0..draft.calls.len() {
            draft.operations[at].call = call;
            self.calls(draft, at + 1)?;
        }
        ControlFlow::Continue(())
    }

    /// Chooses when each operation is called and returns, in rounds of calls and then returns. If every round has both, no two
    /// choices have the same hb.
    fn rounds(&mut self, draft: &mut Draft<'_>, at: usize) -> ControlFlow<()> {
        let length = draft.operations.len();
        if at == length {
            let last = draft.operations.iter().map(|op| op.returned).max().unwrap_or(0);
            let calls = |round: usize| draft.operations.iter().any(|op| op.called == round);
            let returns = |round: usize| draft.operations.iter().any(|op| op.returned == round);
            return if (0..=last).all(|round| calls(round) && returns(round)) {
                self.returns(draft, 0)
            } else {
                ControlFlow::Continue(())
            };
        }
        let begins = draft.starts.contains(&at);
        let earliest = if begins { 0 } else { draft.operations[at - 1].returned + 1 };
        for called in earliest..length {
            for returned in called..length {
                draft.operations[at] = Operation { called, returned, ..draft.operations[at] };
                self.rounds(draft, at + 1)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Chooses what each operation returns.
    fn returns(&mut self, draft: &mut Draft<'_>, at: usize) -> ControlFlow<()> {
        if at == draft.operations.len() {
            return if draft.is_sorted() { self.judge(draft) } else { ControlFlow::Continue(()) };
        }
        for ret in 0..draft.returns[at].len() {
            draft.operations[at].ret = ret;
            self.returns(draft, at + 1)?;
        }
        ControlFlow::Continue(())
    }

    fn judge(&mut self, draft: &Draft<'_>) -> ControlFlow<()> {
        self.histories += 1;
        if self.histories.is_multiple_of(64) {
            (self.tick)(draft.operations.len(), self.histories);
        }
        let (history, spec, limits) = (draft.build(), draft.spec, &self.search.limits);
        let typed = history.typed(spec).expect("drafts are made of the specification's calls");
        let mut verdicts = vec![None; self.asked.len()];
        let mut limit = limits.check(0).err();
        let mut verdict = |at: usize| {
            let asked = &self.asked[at];
            verdicts[at].get_or_insert_with(|| judge(&typed, asked, limits).0).clone()
        };
        let found = &mut self.found;
        self.open.retain(|open| {
            let verdicts = [verdict(open.allows), verdict(open.forbids)];
            let undecided = verdicts.iter().find_map(|verdict| match verdict {
                tribunal_history::object::Verdict::Undecided(why) => Some(*why),
                _ => None,
            });
            limit = limit.take().or(undecided);
            let separates = verdicts[0].is_consistent() && verdicts[1].is_inconsistent();
            if separates {
                let criteria = [open.allows, open.forbids].map(|at| &self.asked[at]);
                let proved = criteria
                    .iter()
                    .zip(&verdicts)
                    .all(|(criterion, verdict)| verify(&history, spec, criterion, verdict).is_ok());
                assert!(
                    proved,
                    "a certificate is refused: {} and {} of {history:?}",
                    criteria[0], criteria[1]
                );
                found[open.at] = Some(Example { history: history.clone(), spec: draft.spec_at });
            }
            !separates
        });
        self.limit = limit;
        if self.limit.is_some() || self.open.is_empty() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// The values that an argument may have: two of each kind that are distinguished. Lists are left out, and methods that take them.
fn arguments(kind: Kind) -> Vec<Value> {
    match kind {
        Kind::Any | Kind::Int => vec![Value::from(1), Value::from(2)],
        Kind::Bool => vec![Value::from(false), Value::from(true)],
        Kind::Text => vec![Value::from("a"), Value::from("b")],
        Kind::Null => vec![Value::Null],
        Kind::List => vec![],
    }
}

/// A method with every choice of arguments.
fn calls(signature: &Signature) -> Vec<Call> {
    let mut lists = vec![Vec::new()];
    for &kind in signature.args.iter() {
        let longer = |args: Vec<Value>| {
            let one_more = move |value| args.iter().cloned().chain([value]).collect();
            arguments(kind).into_iter().map(one_more).collect::<Vec<Vec<Value>>>()
        };
        lists = lists.into_iter().flat_map(longer).collect();
    }
    lists.into_iter().map(|args| Call { method: signature.method.to_string(), args }).collect()
}

/// For each operation, what it returns after some of the others in some order.
fn possible_returns(draft: &Draft<'_>) -> Vec<Vec<Value>> {
    let length = draft.operations.len();
    let mut returns = vec![Vec::new(); length];
    // Sequences of distinct operations, each as long as the one before or longer; their last one returns.
    let mut sequences: Vec<Vec<usize>> = (0..length).map(|at| vec![at]).collect();
    while let Some(sequence) = sequences.pop() {
        let mut replay = draft.spec.replay();
        let mut last = None;
        for &at in &sequence {
            let call = &draft.calls[draft.operations[at].call];
            last = replay.call(Invocation { method: &call.method, args: &call.args });
            if last.is_none() {
                break;
            }
        }
        let Some(ret) = last else { continue };
        let known = &mut returns[sequence[sequence.len() - 1]];
        if !known.contains(&ret) {
            known.push(ret);
        }
        for at in (0..length).filter(|at| !sequence.contains(at)) {
            sequences.push(sequence.iter().copied().chain([at]).collect());
        }
    }
    returns.iter_mut().for_each(|values| values.sort());
    returns
}

//! The operations that are alike.

use rustc_hash::FxHashMap;
use tribunal_history::object::{History, InvocationId, OpId, Specification, Value};

/// By operation, one that stands for it and for all that are alike: the same invocation and the same return, where
/// values that no other operation mentions count as the same.
///
/// That is right because of [`Spec::opaque`](tribunal_history::object::Spec::opaque): the object only stores, compares and gives
/// back such a value, so that renaming it everywhere, which is here alone, turns runs into runs. Two unmentioned
/// values that are stored at once may then be renamed to one, since no return tells them apart.
pub(super) struct Alike {
    of: Vec<OpId>,
    /// By invocation, the first operation with one that counts as the same.
    invocation: Vec<OpId>,
    /// By operation: whether it changes the state never, whatever it returns; or never, since it returns what it does.
    idle: Vec<bool>,
}

impl Alike {
    pub(super) fn of(history: &History, spec: &dyn Specification) -> Self {
        let invocations = (0..history.invocation_count() as u32).map(InvocationId);
        let opaque: Vec<Option<usize>> =
            invocations.clone().map(|id| spec.opaque(history.invocation(id))).collect();
        let mut invocation: Vec<InvocationId> = invocations.clone().collect();
        if opaque.iter().any(Option::is_some) {
            let mentions = mentions(history);
            let mut first: FxHashMap<(&str, Vec<&Value>), InvocationId> = FxHashMap::default();
            for id in invocations {
                let call = history.invocation(id);
                if let Some(at) = opaque[id.index()]
                    && call.args.get(at).is_some_and(|value| mentions.get(value) == Some(&1))
                {
                    let mut others: Vec<&Value> = call.args.iter().collect();
                    others.remove(at);
                    invocation[id.index()] = *first.entry((call.method, others)).or_insert(id);
                }
            }
        }
        let (mut first, mut of_invocation) = (FxHashMap::default(), FxHashMap::default());
        let mut of = Vec::with_capacity(history.len());
        let mut idle = Vec::with_capacity(history.len());
        for op in history.ops() {
            let alike = (invocation[history.invocation_of(op).index()], history.return_of(op));
            let &mut stands_for = first.entry(alike).or_insert(op);
            of_invocation.entry(alike.0).or_insert(op);
            of.push(stands_for);
            idle.push(if stands_for == op { is_idle(history, spec, op) } else { idle[stands_for.index()] });
        }
        Alike { of, invocation: invocation.iter().map(|id| of_invocation[id]).collect(), idle }
    }

    /// The operation that stands for this one.
    pub(super) fn stands_for(&self, op: OpId) -> OpId {
        self.of[op.index()]
    }

    /// The operation that stands for all with this one's invocation, whatever they return.
    pub(super) fn invocation(&self, history: &History, op: OpId) -> OpId {
        self.invocation[history.invocation_of(op).index()]
    }

    /// Whether a completed operation leaves the state as it is, wherever it takes effect.
    pub(super) fn is_idle(&self, op: OpId) -> bool {
        self.idle[op.index()]
    }
}

fn is_idle(history: &History, spec: &dyn Specification, op: OpId) -> bool {
    history.result(op).is_some_and(|ret| spec.unchanged(history.called(op), ret))
}

/// The number of times that each value is an argument of an operation or part of a return.
fn mentions(history: &History) -> FxHashMap<&Value, u32> {
    let mut mentions = FxHashMap::default();
    let mut stack: Vec<&Value> = Vec::new();
    for op in history.ops() {
        stack.extend(history.called(op).args);
        stack.extend(history.result(op));
        while let Some(value) = stack.pop() {
            *mentions.entry(value).or_insert(0) += 1;
            if let Value::List(parts) = value {
                stack.extend(parts.iter());
            }
        }
    }
    mentions
}

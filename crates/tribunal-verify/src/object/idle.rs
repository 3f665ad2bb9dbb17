//! Operations that change nothing where they take effect.

use super::budget::{Budget, took_every_step};
use super::hints::{Hint, Hints};
use rustc_hash::FxHashSet;
use tribunal_history::limits::Limits;
use tribunal_history::object::{History, InvocationId, OpId, ReturnId, Specification, StateId, Value};
use tribunal_history::verdict::Limit;

/// The number of steps that are tried at most to prove that operations change nothing.
const MOST_STEPS: u64 = 4_000;

/// Whether an operation may change the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Idle {
    /// It may.
    No,
    /// It does not, says the specification.
    Claimed(Hint),
    /// It does not, in any state that the operations can lead to: each was tried.
    Proven,
}

impl Idle {
    /// The hints that must be trusted to take the operation for one that changes nothing; none if it may change something.
    pub(super) fn trusting(self) -> Option<Hints> {
        match self {
            Idle::No => None,
            Idle::Claimed(hint) => Some(hint.into()),
            Idle::Proven => Some(Hints::NONE),
        }
    }
}

/// The operations of a history that change nothing.
pub(super) struct Idles {
    /// By operation, whether its invocation never changes anything.
    pub read_only: Vec<Idle>,
    /// By operation, whether it changes nothing where it returns what it returned. Pending ones returned nothing.
    pub unchanged: Vec<Idle>,
}

impl Idles {
    /// The claims of the specification.
    pub(super) fn claimed(history: &History, spec: &dyn Specification) -> Self {
        let ambiguous = null_is_a_value(history);
        let claim = |claimed: bool, hint: Hint| if claimed { Idle::Claimed(hint) } else { Idle::No };
        let read_only: Vec<Idle> =
            history.ops().map(|op| claim(spec.read_only(history.called(op)), Hint::ReadOnly)).collect();
        let says_so = |op: OpId, ret: &Value| {
            !(ambiguous && *ret == Value::Null) && spec.unchanged(history.called(op), ret)
        };
        let unchanged = |op: OpId| match (history.result(op), read_only[op.index()]) {
            (None, _) => Idle::No,
            (Some(ret), Idle::No) => claim(says_so(op, ret), Hint::Unchanged),
            (Some(_), idle) => idle,
        };
        Idles { unchanged: history.ops().map(unchanged).collect(), read_only }
    }

    /// Proves what the specification says, where that is little work: by trying the operations in all states that as many
    /// calls as there are can lead to. What is too much to try remains a claim. The hints that are found to be wrong.
    pub(super) fn prove(
        &mut self,
        history: &History,
        spec: &dyn Specification,
        limits: &Limits<'_>,
    ) -> Hints {
        if self.read_only.iter().chain(&self.unchanged).all(|&idle| idle == Idle::No) {
            return Hints::NONE;
        }
        let limits = Limits { max_states: MOST_STEPS.min(limits.max_states), ..*limits };
        let mut changes = Changes::default();
        let tried = Budget::new(limits, 0)
            .and_then(|mut budget| changes.find(history, spec, &self.unchanged, &mut budget));
        let mut wrong = Hints::NONE;
        for op in history.ops() {
            for idle in [&mut self.read_only[op.index()], &mut self.unchanged[op.index()]] {
                let Idle::Claimed(hint) = *idle else { continue };
                if changes.refute(history, op, hint) {
                    wrong = wrong.with(hint);
                    *idle = Idle::No;
                } else if tried.is_ok() {
                    *idle = Idle::Proven;
                }
            }
        }
        wrong
    }

    /// The same of a part, whose operations these are. What returned after its end is pending there.
    pub(super) fn of_part(&self, part: &History, operations: &[OpId]) -> Idles {
        let unchanged = |op: OpId| match part.is_pending(op) {
            true => Idle::No,
            false => self.unchanged[operations[op.index()].index()],
        };
        Idles {
            read_only: operations.iter().map(|op| self.read_only[op.index()]).collect(),
            unchanged: part.ops().map(unchanged).collect(),
        }
    }
}

/// The operations that were found to change a state.
#[derive(Default)]
struct Changes {
    invocations: FxHashSet<InvocationId>,
    /// Where they return what some operation returned.
    returning: FxHashSet<(InvocationId, Option<ReturnId>)>,
}

impl Changes {
    /// Tries every call in every state that as many calls as there are can lead to.
    fn find(
        &mut self,
        history: &History,
        spec: &dyn Specification,
        unchanged: &[Idle],
        budget: &mut Budget<'_>,
    ) -> Result<(), Limit> {
        let mut machine = spec.machine(history);
        let (mut invocations, mut returns) = (FxHashSet::default(), FxHashSet::default());
        let calls: Vec<OpId> =
            history.ops().filter(|&op| invocations.insert(history.invocation_of(op))).collect();
        let claims: Vec<OpId> = history
            .ops()
            .filter(|&op| unchanged[op.index()] == Idle::Claimed(Hint::Unchanged))
            .filter(|&op| returns.insert((history.invocation_of(op), history.return_of(op))))
            .collect();
        let mut known: FxHashSet<StateId> = FxHashSet::from_iter([machine.initial()]);
        let mut level: Vec<StateId> = vec![machine.initial()];
        for _ in 0..=history.len() {
            let mut next = Vec::new();
            for state in level {
                for &op in &claims {
                    budget.spend(machine.bytes())?;
                    if machine.apply(state, op).is_some_and(|after| after != state) {
                        self.returning.insert((history.invocation_of(op), history.return_of(op)));
                    }
                }
                for &op in &calls {
                    budget.spend(machine.bytes())?;
                    let Some(after) = machine.execute(state, op) else { continue };
                    if after != state {
                        self.invocations.insert(history.invocation_of(op));
                        next.extend(known.insert(after).then_some(after));
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            level = next;
        }
        took_every_step(machine.as_ref())
    }

    /// Whether an operation is known to change something, though a hint says that it does not.
    fn refute(&self, history: &History, op: OpId, hint: Hint) -> bool {
        let invocation = history.invocation_of(op);
        match hint {
            Hint::Unchanged => self.returning.contains(&(invocation, history.return_of(op))),
            _ => self.invocations.contains(&invocation),
        }
    }
}

/// Whether a null that is returned may be one that was put in, rather than say that there was nothing.
pub(super) fn null_is_a_value(history: &History) -> bool {
    (0..history.invocation_count() as u32)
        .any(|id| history.invocation(InvocationId(id)).args.contains(&Value::Null))
}

//! Running a specification: with every state kept once, for searches, or in place, for replays.

use super::{History, Invocation, OpId, Others, ReturnId, Spec, Value};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// A state of a specification that a [`Machine`] keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

/// The states that operations of one history reach, and the steps between them, each worked out once.
pub trait Machine {
    /// The state before any operation.
    fn initial(&self) -> StateId;

    /// The state after an operation, if it can take effect and returns there what the history says; a pending one may
    /// return anything.
    fn apply(&mut self, state: StateId, op: OpId) -> Option<StateId>;

    /// The state after an operation's invocation, whatever it returns; nothing if it cannot take effect.
    fn execute(&mut self, state: StateId, op: OpId) -> Option<StateId>;

    /// Whether a completed operation can come to return what it returned, if only some of the others take effect before
    /// it; as [`Spec::reachable`].
    fn reachable(&self, state: StateId, op: OpId, others: &mut dyn Iterator<Item = OpId>) -> bool;

    /// How many states are kept.
    fn len(&self) -> usize;

    /// About how many bytes the states and steps take.
    fn bytes(&self) -> usize;

    /// Whether no state is kept: never.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A state in words.
    fn show(&self, state: StateId) -> String;
}

/// One run of a specification, changed in place.
pub trait Replay {
    /// Lets an invocation take effect: its return, or nothing if it cannot; then the run is over.
    fn call(&mut self, call: Invocation<'_>) -> Option<Value>;

    /// Goes back to the initial state.
    fn restart(&mut self);

    /// The state in words.
    fn show(&self) -> String;
}

/// What a step that is worked out takes, at most.
const STEP: usize = 100;

pub(super) struct Interned<'a, S: Spec> {
    spec: &'a S,
    history: &'a History,
    states: Vec<S::State>,
    ids: FxHashMap<S::State, StateId>,
    steps: FxHashMap<(StateId, u32, Option<ReturnId>), Option<StateId>>,
    /// What the states take, each of which is there twice.
    bytes: usize,
}

impl<'a, S: Spec> Interned<'a, S> {
    pub(super) fn new(spec: &'a S, history: &'a History) -> Self {
        let initial = spec.initial();
        let ids = FxHashMap::from_iter([(initial.clone(), StateId(0))]);
        Interned { spec, history, states: vec![initial], ids, steps: FxHashMap::default(), bytes: 0 }
    }

    fn step(&mut self, state: StateId, op: OpId, expected: Option<ReturnId>) -> Option<StateId> {
        let key = (state, self.history.invocation_of(op).0, expected);
        if let Some(&known) = self.steps.get(&key) {
            return known;
        }
        let mut after = self.states[state.0 as usize].clone();
        let ret = self.spec.step(&mut after, self.history.called(op));
        let fits = ret.is_some_and(|ret| expected.is_none_or(|id| *self.history.returned(id) == ret));
        let next = fits.then(|| {
            let fresh = StateId(self.states.len() as u32);
            match self.ids.entry(after) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(slot) => {
                    // The one that a step has changed may have room for as much again.
                    self.bytes += 3 * self.spec.bytes(slot.key());
                    self.states.push(slot.key().clone());
                    *slot.insert(fresh)
                }
            }
        });
        self.steps.insert(key, next);
        next
    }
}

impl<S: Spec> Machine for Interned<'_, S> {
    fn initial(&self) -> StateId {
        StateId(0)
    }

    fn apply(&mut self, state: StateId, op: OpId) -> Option<StateId> {
        self.step(state, op, self.history.return_of(op))
    }

    fn execute(&mut self, state: StateId, op: OpId) -> Option<StateId> {
        self.step(state, op, None)
    }

    fn reachable(&self, state: StateId, op: OpId, others: &mut dyn Iterator<Item = OpId>) -> bool {
        let (state, call) = (&self.states[state.0 as usize], self.history.called(op));
        let mut others = others.map(|other| self.history.called(other));
        self.history
            .result(op)
            .is_none_or(|ret| self.spec.reachable(state, call, ret, Others::new(&mut others)))
    }

    fn len(&self) -> usize {
        self.states.len()
    }

    fn bytes(&self) -> usize {
        // A table is at times less than half full, and there twice while it grows; so is a list.
        let state = 7 * size_of::<(S::State, StateId)>() / 2 + 3 * size_of::<S::State>();
        self.bytes + state * self.states.len() + STEP * self.steps.len()
    }

    fn show(&self, state: StateId) -> String {
        format!("{:?}", self.states[state.0 as usize])
    }
}

pub(super) struct Running<'a, S: Spec> {
    spec: &'a S,
    state: S::State,
}

impl<'a, S: Spec> Running<'a, S> {
    pub(super) fn new(spec: &'a S) -> Self {
        Running { spec, state: spec.initial() }
    }
}

impl<S: Spec> Replay for Running<'_, S> {
    fn call(&mut self, call: Invocation<'_>) -> Option<Value> {
        self.spec.step(&mut self.state, call)
    }

    fn restart(&mut self) {
        self.state = self.spec.initial();
    }

    fn show(&self) -> String {
        format!("{:?}", self.state)
    }
}

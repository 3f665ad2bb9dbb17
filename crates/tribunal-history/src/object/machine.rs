//! Running a specification: keeping every state once, for searches, or in place, for replays.

use super::{History, Invocation, OpId, Others, ReturnId, Spec, Value};
use crate::heap::{Heap, block};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// A state of a specification that a [`Machine`] keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

/// The states that operations of one history reach, and the steps between them, each computed once.
pub trait Machine {
    /// The state before any operation.
    fn initial(&self) -> StateId;

    /// The state after an operation, if it can take effect and returns what the history says; a pending operation may
    /// return anything.
    fn apply(&mut self, state: StateId, op: OpId) -> Option<StateId>;

    /// The state after an operation's invocation, whatever it returns; `None` if it cannot take effect.
    fn execute(&mut self, state: StateId, op: OpId) -> Option<StateId>;

    /// Whether a completed operation can return what it returned after some of the others have taken effect;
    /// see [`Spec::reachable`].
    fn reachable(&self, state: StateId, op: OpId, others: &mut dyn Iterator<Item = OpId>) -> bool;

    /// The number of states that are kept.
    fn len(&self) -> usize;

    /// Memory used by the states and steps, including room for one more, in bytes.
    fn bytes(&self) -> usize;

    /// Limits the memory from now on, in bytes.
    fn bound(&mut self, bytes: usize);

    /// The reason why a step was not computed, if one was not. From then on, `None` from [`Machine::apply`] or [`Machine::execute`] has no
    /// meaning.
    fn exceeded(&self) -> Option<Exceeded>;

    /// The work done since the last call, in units of about ten nanoseconds.
    fn spent(&mut self) -> u64;

    /// Always false: the initial state is kept.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A state in words.
    fn show(&self, state: StateId) -> String;
}

/// The reason why a step was not computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceeded {
    /// The states would exceed [`Machine::bound`].
    Memory,
    /// The specification creates too large a value, or takes too long ([`Spec::bytes`]).
    Step,
}

/// One run of a specification, changed in place.
pub trait Replay {
    /// Executes an invocation and returns its return value; `None` if it cannot take effect, which ends the run.
    fn call(&mut self, call: Invocation<'_>) -> Option<Value>;

    /// Goes back to the initial state.
    fn restart(&mut self);

    /// The state in words.
    fn show(&self) -> String;
}

pub(super) fn hash_of<T: Hash>(state: &T) -> u64 {
    let mut hasher = FxHasher::default();
    state.hash(&mut hasher);
    hasher.finish()
}

/// A state in words.
pub(super) fn shown<S: Spec>(spec: &S, state: &S::State) -> String {
    if spec.bytes(state) == usize::MAX { "too large to be shown".into() } else { format!("{state:?}") }
}

type Step = (StateId, u32, Option<ReturnId>);

pub(super) struct Interned<'a, S: Spec> {
    spec: &'a S,
    history: &'a History,
    states: Vec<S::State>,
    /// By hash, the last state that has it; by state, the one before it of the same hash.
    by_hash: FxHashMap<u64, StateId>,
    before: Vec<Option<StateId>>,
    steps: FxHashMap<Step, Option<StateId>>,
    /// The bytes that the states hold.
    held: usize,
    most: usize,
    exceeded: Option<Exceeded>,
    spent: u64,
}

impl<'a, S: Spec> Interned<'a, S> {
    pub(super) fn new(spec: &'a S, history: &'a History) -> Self {
        let mut machine = Interned {
            spec,
            history,
            states: Vec::new(),
            by_hash: FxHashMap::default(),
            before: Vec::new(),
            steps: FxHashMap::default(),
            held: 0,
            most: usize::MAX,
            exceeded: None,
            spent: 0,
        };
        let initial = spec.initial();
        machine.insert(hash_of(&initial), initial);
        machine
    }

    fn step(&mut self, state: StateId, op: OpId, expected: Option<ReturnId>) -> Option<StateId> {
        let key = (state, self.history.invocation_of(op).0, expected);
        if let Some(&known) = self.steps.get(&key) {
            return known;
        }
        if self.exceeded.is_some() {
            return None;
        }
        let mut after = self.states[state.0 as usize].clone();
        let ret = self.spec.step(&mut after, self.history.called(op));
        let bytes = self.spec.bytes(&after);
        self.spent += 16 + bytes as u64 / 32;
        if bytes == usize::MAX {
            self.exceeded = Some(Exceeded::Step);
        } else if self.bytes().saturating_add(block(bytes)) > self.most {
            self.exceeded = Some(Exceeded::Memory);
        }
        if self.exceeded.is_some() {
            return None;
        }
        let fits = ret.is_some_and(|ret| expected.is_none_or(|id| *self.history.returned(id) == ret));
        let next = fits.then(|| {
            let hash = hash_of(&after);
            // A copy has no room to spare.
            self.find(hash, &after).unwrap_or_else(|| self.insert(hash, after.clone()))
        });
        self.steps.insert(key, next);
        next
    }

    fn find(&self, hash: u64, state: &S::State) -> Option<StateId> {
        let mut like = self.by_hash.get(&hash).copied();
        while let Some(id) = like
            && self.states[id.0 as usize] != *state
        {
            like = self.before[id.0 as usize];
        }
        like
    }

    fn insert(&mut self, hash: u64, state: S::State) -> StateId {
        let id = StateId(self.states.len() as u32);
        self.held = self.held.saturating_add(block(self.spec.bytes(&state)));
        self.states.push(state);
        self.before.push(self.by_hash.insert(hash, id));
        id
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
        self.held + self.states.peak() + self.before.peak() + self.by_hash.peak() + self.steps.peak()
    }

    fn bound(&mut self, bytes: usize) {
        self.most = bytes;
    }

    fn exceeded(&self) -> Option<Exceeded> {
        self.exceeded
    }

    fn spent(&mut self) -> u64 {
        std::mem::take(&mut self.spent)
    }

    fn show(&self, state: StateId) -> String {
        shown(self.spec, &self.states[state.0 as usize])
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
        shown(self.spec, &self.state)
    }
}

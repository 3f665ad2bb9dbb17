//! States of a specification that can be forgotten again.

use crate::object::{Invocation, Spec, StateId, Value};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// The states that a monitor has reached, each kept once until it is forgotten.
pub trait States: Send {
    /// The state before any operation.
    fn initial(&mut self) -> StateId;

    /// The state after an invocation and its return; nothing if it cannot take effect.
    fn step(&mut self, state: StateId, call: Invocation<'_>) -> Option<(StateId, Value)>;

    /// Forgets all states but these.
    fn keep(&mut self, live: &[StateId]);

    /// How many states are kept.
    fn len(&self) -> usize;

    /// Whether no state is kept.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A state in words.
    fn show(&self, state: StateId) -> String;
}

pub(in crate::object) struct Forgetful<'a, S: Spec> {
    spec: &'a S,
    /// By id; those of one hash are chained by `next`.
    states: Vec<Option<S::State>>,
    next: Vec<Option<StateId>>,
    first: FxHashMap<u64, StateId>,
    free: Vec<StateId>,
}

impl<'a, S: Spec> Forgetful<'a, S> {
    pub(in crate::object) fn new(spec: &'a S) -> Self {
        Forgetful {
            spec,
            states: Vec::new(),
            next: Vec::new(),
            first: FxHashMap::default(),
            free: Vec::new(),
        }
    }

    fn hash(state: &S::State) -> u64 {
        let mut hasher = FxHasher::default();
        state.hash(&mut hasher);
        hasher.finish()
    }

    fn intern(&mut self, state: S::State) -> StateId {
        let hash = Self::hash(&state);
        let first = self.first.get(&hash).copied();
        let mut known = first;
        while let Some(id) = known {
            if self.states[id.0 as usize].as_ref() == Some(&state) {
                return id;
            }
            known = self.next[id.0 as usize];
        }
        let id = self.free.pop().unwrap_or_else(|| {
            self.states.push(None);
            self.next.push(None);
            StateId(self.states.len() as u32 - 1)
        });
        self.states[id.0 as usize] = Some(state);
        self.next[id.0 as usize] = first;
        self.first.insert(hash, id);
        id
    }
}

impl<S: Spec> States for Forgetful<'_, S> {
    fn initial(&mut self) -> StateId {
        self.intern(self.spec.initial())
    }

    fn step(&mut self, state: StateId, call: Invocation<'_>) -> Option<(StateId, Value)> {
        let mut after = self.states[state.0 as usize].clone()?;
        let ret = self.spec.step(&mut after, call)?;
        Some((self.intern(after), ret))
    }

    fn keep(&mut self, live: &[StateId]) {
        let mut lives = vec![false; self.states.len()];
        for state in live {
            lives[state.0 as usize] = true;
        }
        self.first.clear();
        self.free.clear();
        for (at, lives) in lives.into_iter().enumerate() {
            let id = StateId(at as u32);
            self.next[at] = None;
            match &self.states[at] {
                Some(state) if lives => self.next[at] = self.first.insert(Self::hash(state), id),
                _ => {
                    self.states[at] = None;
                    self.free.push(id);
                }
            }
        }
    }

    fn len(&self) -> usize {
        self.states.len() - self.free.len()
    }

    fn show(&self, state: StateId) -> String {
        self.states[state.0 as usize].as_ref().map_or_else(String::new, |state| format!("{state:?}"))
    }
}

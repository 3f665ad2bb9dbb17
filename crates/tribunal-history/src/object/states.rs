//! States of a specification that can be forgotten again.

use super::machine::{hash_of, shown};
use super::{Exceeded, Invocation, Spec, StateId, Value};
use crate::heap::{Heap, block};
use rustc_hash::FxHashMap;

/// The states that a monitor has reached, each kept once until it is released.
pub trait States: Send {
    /// The state before any operation.
    fn initial(&mut self) -> StateId;

    /// The state after an invocation and its return value; `None` if it cannot take effect.
    fn step(&mut self, state: StateId, call: Invocation<'_>) -> Option<(StateId, Value)>;

    /// Forgets all states but these.
    fn keep(&mut self, live: &[StateId]);

    /// Memory used by the states, including room for one more, in bytes.
    fn bytes(&self) -> usize;

    /// Limits the memory from now on, in bytes.
    fn bound(&mut self, bytes: usize);

    /// The reason why a step was not computed since the last call, if one was not.
    fn exceeded(&mut self) -> Option<Exceeded>;

    /// The work done since the last call, in units of about ten nanoseconds.
    fn spent(&mut self) -> u64;

    /// The number of states that are kept.
    fn len(&self) -> usize;

    /// Whether no state is kept.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A state in words.
    fn show(&self, state: StateId) -> String;
}

pub(super) struct Forgetful<'a, S: Spec> {
    spec: &'a S,
    /// By id; those of one hash are chained by `next`.
    states: Vec<Option<S::State>>,
    next: Vec<Option<StateId>>,
    first: FxHashMap<u64, StateId>,
    free: Vec<StateId>,
    /// The bytes that the states hold.
    held: usize,
    most: usize,
    exceeded: Option<Exceeded>,
    spent: u64,
}

impl<'a, S: Spec> Forgetful<'a, S> {
    pub(super) fn new(spec: &'a S) -> Self {
        Forgetful {
            spec,
            states: Vec::new(),
            next: Vec::new(),
            first: FxHashMap::default(),
            free: Vec::new(),
            held: 0,
            most: usize::MAX,
            exceeded: None,
            spent: 0,
        }
    }

    fn intern(&mut self, state: S::State) -> StateId {
        let hash = hash_of(&state);
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
        self.held = self.held.saturating_add(block(self.spec.bytes(&state)));
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
        let ret = self.spec.step(&mut after, call);
        let bytes = self.spec.bytes(&after);
        self.spent += 16 + bytes as u64 / 32;
        if bytes == usize::MAX {
            self.exceeded = Some(Exceeded::Step);
        } else if self.bytes().saturating_add(block(bytes)) > self.most {
            self.exceeded = Some(Exceeded::Memory);
        }
        if self.exceeded.is_some() { None } else { ret.map(|ret| (self.intern(after), ret)) }
    }

    fn bytes(&self) -> usize {
        self.held + self.states.peak() + self.next.peak() + self.first.peak() + self.free.peak()
    }

    fn bound(&mut self, bytes: usize) {
        self.most = bytes;
    }

    fn exceeded(&mut self) -> Option<Exceeded> {
        self.exceeded.take()
    }

    fn spent(&mut self) -> u64 {
        std::mem::take(&mut self.spent)
    }

    fn keep(&mut self, live: &[StateId]) {
        let mut lives = vec![false; self.states.len()];
        for state in live {
            lives[state.0 as usize] = true;
        }
        let last = lives.iter().rposition(|&lives| lives).map_or(0, |last| last + 1);
        lives.truncate(last);
        for state in self.states.drain(last..).flatten() {
            self.held = self.held.saturating_sub(block(self.spec.bytes(&state)));
        }
        self.next.truncate(last);
        self.states.shrink_to(2 * last);
        self.next.shrink_to(2 * last);
        self.first.clear();
        self.first.shrink_to(2 * live.len());
        self.free.clear();
        for (at, lives) in lives.into_iter().enumerate() {
            let id = StateId(at as u32);
            self.next[at] = None;
            match &self.states[at] {
                Some(state) if lives => self.next[at] = self.first.insert(hash_of(state), id),
                _ => {
                    if let Some(state) = self.states[at].take() {
                        self.held = self.held.saturating_sub(block(self.spec.bytes(&state)));
                    }
                    self.free.push(id);
                }
            }
        }
    }

    fn len(&self) -> usize {
        self.states.len() - self.free.len()
    }

    fn show(&self, state: StateId) -> String {
        self.states[state.0 as usize].as_ref().map_or_else(String::new, |state| shown(self.spec, state))
    }
}

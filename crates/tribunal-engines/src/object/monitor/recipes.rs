//! Recipes for reaching a state again, so that the states of single keys can become one of the whole object.

use super::window::Operation;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tribunal_history::heap::{Heap, block};
use tribunal_history::object::States;
use tribunal_history::object::{Invocation, StateId, Value};

/// Calls that lead from the initial state to one.
type Recipe = Vec<(Arc<str>, Box<[Value]>)>;

/// The longest recipe that is kept. A put makes all puts before it superfluous; where nothing does that, recipes would grow
/// with the history.
const LONGEST: usize = 8;

/// By state, calls that lead there; nothing if they would be too many.
#[derive(Debug, Default)]
pub(super) struct Recipes {
    of: FxHashMap<StateId, Option<Recipe>>,
    /// The bytes that the recipes hold.
    held: usize,
}

/// The bytes that a recipe holds.
fn held(recipe: &Option<Recipe>) -> usize {
    let calls = recipe.iter().flatten();
    calls.map(|(_, args)| size_of::<(Arc<str>, Box<[Value]>)>() + block(size_of_val(&**args))).sum()
}

impl Recipes {
    /// Records that an operation leads from one state to another: the shortest end of the calls so far that does so too.
    pub(super) fn record(&mut self, states: &mut dyn States, from: StateId, by: &Operation, to: StateId) {
        let initial = states.initial();
        if to == initial || self.of.contains_key(&to) {
            return;
        }
        let before = if from == initial { Some(Vec::new()) } else { self.of.get(&from).cloned().flatten() };
        let recipe = before.and_then(|mut calls| {
            calls.push((by.method.clone(), by.args.clone()));
            let shortest = (0..calls.len().min(LONGEST) + 1)
                .find(|&count| run(states, initial, &calls[calls.len() - count..]) == Some(to))?;
            Some(calls.split_off(calls.len() - shortest))
        });
        self.held += held(&recipe);
        self.of.insert(to, recipe);
    }

    pub(super) fn bytes(&self) -> usize {
        self.held + self.of.peak()
    }

    /// The state that the calls to `to` lead to from `from`.
    pub(super) fn follow(&self, states: &mut dyn States, from: StateId, to: StateId) -> Option<StateId> {
        if to == states.initial() {
            return Some(from);
        }
        run(states, from, self.of.get(&to)?.as_ref()?)
    }

    /// Forgets all states but these, which are sorted.
    pub(super) fn keep(&mut self, live: &[StateId]) {
        self.of.retain(|state, _| live.binary_search(state).is_ok());
        self.of.shrink_to(2 * self.of.len());
        self.held = self.of.values().map(held).sum();
    }
}

fn run(states: &mut dyn States, from: StateId, calls: &[(Arc<str>, Box<[Value]>)]) -> Option<StateId> {
    calls.iter().try_fold(from, |state, (method, args)| {
        states.step(state, Invocation { method, args }).map(|(next, _)| next)
    })
}

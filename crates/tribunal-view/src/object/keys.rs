//! The keys of an object.

use super::partial::is_about;
use super::timeline::Timeline;
use crate::{document, name};
use std::collections::HashMap;
use tribunal_engines::object::PartialLinearizations;
use tribunal_history::object::{OpId, Typed, Value, Verdict};
use tribunal_report::{Answer, On};

/// The keys of a history in their order; none if it has one alone, or if some operation concerns more than one.
pub struct Keys {
    keys: Vec<document::Key>,
    /// By operation.
    of: Vec<u32>,
}

/// The keys that a picture shows.
pub struct ShownKeys {
    /// In their order.
    pub keys: Vec<document::Key>,
    /// By key of the history, its place among them.
    places: Vec<Option<u32>>,
}

impl Keys {
    /// No keys.
    pub fn none() -> Self {
        Keys { keys: Vec::new(), of: Vec::new() }
    }

    /// Those of a history, with what was found of each.
    pub fn of(typed: &Typed<'_>, answers: &[Answer], found: Option<&[PartialLinearizations]>) -> Self {
        let (history, spec) = (typed.history(), typed.spec());
        let mut known: HashMap<u32, u32> = HashMap::new();
        let mut names: Vec<Value> = Vec::new();
        let mut ids: HashMap<Value, u32> = HashMap::new();
        let mut of = Vec::with_capacity(history.len());
        for op in history.ops() {
            let invocation = history.invocation_of(op).0;
            let id = match known.get(&invocation) {
                Some(&id) => id,
                None => {
                    let Some(key) = spec.key(history.called(op)) else { return Keys::none() };
                    let id = *ids.entry(key.clone()).or_insert(names.len() as u32);
                    if id as usize == names.len() {
                        names.push(key);
                    }
                    known.insert(invocation, id);
                    id
                }
            };
            of.push(id);
        }
        if names.len() < 2 {
            return Keys::none();
        }
        // Keys come in the order of their values.
        let mut order: Vec<u32> = (0..names.len() as u32).collect();
        order.sort_by(|&a, &b| names[a as usize].cmp(&names[b as usize]));
        let mut places = vec![0; names.len()];
        for (place, &id) in (0..).zip(&order) {
            places[id as usize] = place;
        }
        for id in &mut of {
            *id = places[*id as usize];
        }
        let holds = answers.iter().any(|answer| {
            is_about(answer) && matches!(&answer.on, On::Object { verdict: Verdict::Consistent(_), .. })
        });
        let mut keys: Vec<document::Key> = order
            .iter()
            .map(|&id| document::Key {
                name: name::name(&names[id as usize].to_string()),
                length: 0,
                linearizable: holds.then_some(true),
            })
            .collect();
        for &id in &of {
            keys[id as usize].length += 1;
        }
        for found in found.unwrap_or_default() {
            if let Some(op) = found.ops.first() {
                keys[of[op.index()] as usize].linearizable = found.linearizable;
            }
        }
        Keys { keys, of }
    }

    /// The key of an operation, if there are several.
    pub fn of_op(&self, op: OpId) -> Option<u32> {
        self.of.get(op.index()).copied()
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Those of which operations are shown.
    pub fn shown(&self, timeline: &Timeline) -> ShownKeys {
        let mut shown = vec![false; self.keys.len()];
        for key in timeline.all().filter_map(|(_, op)| self.of_op(op)) {
            shown[key as usize] = true;
        }
        let mut next = 0..;
        let places: Vec<Option<u32>> =
            shown.iter().map(|&shown| if shown { next.next() } else { None }).collect();
        let keys = self.keys.iter().zip(&shown).filter(|&(_, &shown)| shown);
        ShownKeys { keys: keys.map(|(key, _)| key.clone()).collect(), places }
    }
}

impl ShownKeys {
    /// The place of a key of the history.
    pub fn place(&self, key: Option<u32>) -> Option<u32> {
        self.places[key? as usize]
    }
}

//! States after operations, in words.

use super::keys::Keys;
use super::timeline::Timeline;
use crate::name;
use tribunal_engines::object::Step;
use tribunal_history::object::{OpId, Replay, StateId, Typed};

/// Along more operations states are not worked out,
const STEPS: usize = 50_000;
/// nor while there are more keys,
const KEYS: usize = 2_000;
/// nor beyond so many bytes.
const BYTES: usize = 64 << 20;

/// By operation of an order that is shown, the state of its key, or of the object, after it. Empty if that is too much.
pub fn along(typed: &Typed<'_>, lin: &[OpId], keys: &Keys, timeline: &Timeline) -> Vec<String> {
    if lin.len() > STEPS || keys.len() > KEYS {
        return Vec::new();
    }
    let (history, spec) = (typed.history(), typed.spec());
    let mut runs: Vec<Box<dyn Replay + '_>> = (0..keys.len().max(1)).map(|_| spec.replay()).collect();
    let mut states = Vec::new();
    for &op in lin {
        let run = &mut runs[keys.of_op(op).unwrap_or(0) as usize];
        // A certificate that is wrong has no states beyond the error.
        if run.call(history.called(op)).is_none() {
            return Vec::new();
        }
        if timeline.of(op).is_some() {
            states.push(name::label(&run.show()));
        }
    }
    states
}

/// By step, the state after it, as far as there is room.
pub fn below(typed: &Typed<'_>, steps: &[Step]) -> Vec<Option<String>> {
    let mut machine = typed.spec().machine(typed.history());
    machine.bound(BYTES);
    let initial = machine.initial();
    let mut states: Vec<Option<StateId>> = Vec::with_capacity(steps.len());
    for step in steps.iter().take(STEPS) {
        let before = step.before.map_or(Some(initial), |before| states[before.index()]);
        states.push(before.and_then(|before| machine.execute(before, step.op)));
    }
    states.resize(steps.len(), None);
    states.into_iter().map(|state| state.map(|state| name::label(&machine.show(state)))).collect()
}

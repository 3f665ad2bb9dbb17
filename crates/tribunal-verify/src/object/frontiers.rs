//! Linearizability of a partial order, and sequential consistency, by trying every frontier.

use super::budget::{Budget, took_every_step};
use super::found::{Found, Trust};
use super::idle::Idles;
use rustc_hash::FxHashSet;
use tribunal_history::heap::{block, entry};
use tribunal_history::object::{Criterion, History, OpId, ProcessId, Specification, StateId};
use tribunal_history::verdict::Limit;

/// The place of each process, and the state.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Frontier {
    places: Box<[u32]>,
    state: StateId,
}

struct Part<'a> {
    history: &'a History,
    /// Whether po alone is to be respected.
    sequential: bool,
}

/// Whether the part has a lin that contains hb (po for `sequential`), in which each operation sees all before it.
///
/// Visits each frontier once: at most the product of the processes' lengths, times the states that go with each.
pub(super) fn explained(
    history: &History,
    spec: &dyn Specification,
    (criterion, idles): (&Criterion, &Idles),
    mut trust: Trust,
    budget: &mut Budget<'_>,
) -> Result<Found, Limit> {
    let part = Part { history, sequential: *criterion == Criterion::Sequential };
    let mut machine = spec.machine(history);
    let places: Box<[u32]> = vec![0; history.process_count()].into();
    let heap = block(size_of_val(&*places));
    let (known, waiting) = (entry(size_of::<Frontier>()) + heap, 3 * size_of::<Frontier>() + heap);
    let initial = Frontier { places, state: machine.initial() };
    let mut visited = FxHashSet::from_iter([initial.clone()]);
    let mut stack = vec![initial];
    let mut next = Vec::new();
    while let Some(frontier) = stack.pop() {
        if part.is_done(&frontier) {
            return Ok(Found::Explained);
        }
        for op in part.heads(&frontier).filter(|&op| part.is_minimal(&frontier, op)) {
            budget
                .spend(visited.len() * known + (stack.len() + next.len() + 2) * waiting + machine.bytes())?;
            let mut step = |state: StateId| {
                let mut places = frontier.places.clone();
                places[history.process(op).index()] += 1;
                next.push(Frontier { places, state });
            };
            if history.is_pending(op) {
                step(frontier.state);
            }
            if let Some(state) = machine.apply(frontier.state, op) {
                step(state);
                // What changes nothing where it returns the right thing, as here, may take effect here: wherever else it
                // would do so, nothing differs without it.
                if state == frontier.state && trust.rely(idles.unchanged[op.index()].trusting()) {
                    next.drain(..next.len() - 1);
                    break;
                }
            }
        }
        stack.extend(next.drain(..).filter(|frontier| visited.insert(frontier.clone())));
    }
    took_every_step(machine.as_ref())?;
    Ok(Found::Refuted(trust.used))
}

impl Part<'_> {
    fn rest<'a>(&'a self, frontier: &'a Frontier) -> impl Iterator<Item = &'a [OpId]> {
        frontier
            .places
            .iter()
            .enumerate()
            .map(|(process, &place)| &self.history.of_process(ProcessId(process as u32))[place as usize..])
    }

    fn heads<'a>(&'a self, frontier: &'a Frontier) -> impl Iterator<Item = OpId> {
        self.rest(frontier).filter_map(|rest| rest.first().copied())
    }

    /// Whether nothing that is left must come before. A process's next operation would, if any of its operations must: hb contains
    /// po and is transitive.
    fn is_minimal(&self, frontier: &Frontier, op: OpId) -> bool {
        self.sequential || !self.heads(frontier).any(|other| self.history.before(other, op))
    }

    /// Whether all that returned has taken effect.
    fn is_done(&self, frontier: &Frontier) -> bool {
        self.rest(frontier).all(|rest| rest.iter().all(|&op| self.history.is_pending(op)))
    }
}

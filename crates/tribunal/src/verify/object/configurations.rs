//! Linearizability of a sequence of calls and returns, by trying every configuration.

use super::unchanged::unchanged;
use super::violation::{Budget, Exceeded};
use crate::object::{Event, History, Intervals, Machine, OpId, Specification, StateId};
use rustc_hash::FxHashMap;

/// Operations in the order of their ids.
type Ops = Box<[OpId]>;

/// What may have happened by some event.
#[derive(Clone)]
struct Configuration {
    /// The operations that have taken effect and not returned, of those that will.
    taken: Ops,
    /// The pending ones that have taken effect.
    pending: Ops,
    state: StateId,
}

/// Configurations, without those for which another will do: one that differs only in that fewer pending operations have
/// taken effect, since those may still do so, or never.
#[derive(Default)]
struct Configurations {
    pending: FxHashMap<(Ops, StateId), Vec<Ops>>,
}

impl Configurations {
    /// Whether it was new.
    fn insert(&mut self, configuration: Configuration) -> bool {
        let Configuration { taken, pending, state } = configuration;
        let known = self.pending.entry((taken, state)).or_default();
        if known.iter().any(|fewer| subset(fewer, &pending)) {
            return false;
        }
        known.retain(|more| !subset(&pending, more));
        known.push(pending);
        true
    }

    fn into_iter(self) -> impl Iterator<Item = Configuration> {
        self.pending.into_iter().flat_map(|((taken, state), pending)| {
            pending.into_iter().map(move |pending| Configuration { taken: taken.clone(), pending, state })
        })
    }
}

fn subset(small: &[OpId], large: &[OpId]) -> bool {
    let mut large = large.iter();
    small.len() <= large.len() && small.iter().all(|op| large.any(|other| other == op))
}

fn with(ops: &[OpId], op: OpId) -> Ops {
    let at = ops.partition_point(|&other| other < op);
    ops[..at].iter().copied().chain([op]).chain(ops[at..].iter().copied()).collect()
}

fn without(ops: &[OpId], op: OpId) -> Ops {
    ops.iter().copied().filter(|&other| other != op).collect()
}

/// Whether the part is linearizable.
///
/// Follows the events with the set of all configurations. Operations take effect only when one must, because it returns
/// (just-in-time linearization; Lowe, Testing for linearizability, 2017). Exponential in the operations open at once.
pub(super) fn explained(
    part: &History,
    intervals: Intervals<'_>,
    spec: &dyn Specification,
    budget: &mut Budget,
) -> Result<bool, Exceeded> {
    let mut machine = spec.machine(part);
    let initial = Configuration { taken: Ops::default(), pending: Ops::default(), state: machine.initial() };
    let mut now = Configurations::default();
    now.insert(initial);
    let mut open = Open { part, intervals, spec, unchanged: unchanged(part, spec), ops: Vec::new() };
    for &event in intervals.events {
        match event {
            Event::Call(op) => open.call(op),
            Event::Return(op) => {
                now = open.ret(op, now, machine.as_mut(), budget)?;
                if now.pending.is_empty() {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

/// The operations that are called and have not returned.
struct Open<'a> {
    part: &'a History,
    intervals: Intervals<'a>,
    spec: &'a dyn Specification,
    /// By operation, whether it changes nothing where it takes effect.
    unchanged: Vec<bool>,
    /// Identical ones, of one invocation and one return or both pending, are side by side in the order of their returns.
    ops: Vec<OpId>,
}

impl Open<'_> {
    fn call(&mut self, op: OpId) {
        // A pending operation that changes nothing may as well never take effect.
        if self.part.is_pending(op) && self.spec.read_only(self.part.called(op)) {
            return;
        }
        let key = |op: OpId| {
            (self.part.invocation_of(op), self.part.return_of(op), self.intervals.ret[op.index()], op)
        };
        let at = self.ops.partition_point(|&other| key(other) < key(op));
        self.ops.insert(at, op);
    }

    /// The configurations after an operation returned: it has taken effect in each.
    fn ret(
        &mut self,
        returning: OpId,
        now: Configurations,
        machine: &mut dyn Machine,
        budget: &mut Budget,
    ) -> Result<Configurations, Exceeded> {
        let mut after = Configurations::default();
        let mut tried = Configurations::default();
        let mut stack = Vec::new();
        for configuration in now.into_iter() {
            if configuration.taken.contains(&returning) {
                after.insert(Configuration {
                    taken: without(&configuration.taken, returning),
                    ..configuration
                });
            } else if tried.insert(configuration.clone()) {
                stack.push(configuration);
            }
        }
        let mut steps = Vec::new();
        while let Some(configuration) = stack.pop() {
            budget.spend()?;
            self.steps(&configuration, machine, &mut steps);
            for (op, state) in steps.drain(..) {
                let Configuration { taken, pending, .. } = &configuration;
                let (taken, pending) = if op == returning {
                    (taken.clone(), pending.clone())
                } else if self.part.is_pending(op) {
                    (taken.clone(), with(pending, op))
                } else {
                    (with(taken, op), pending.clone())
                };
                let next = Configuration { taken, pending, state };
                if self.is_hopeless(&next, (op, returning), machine) {
                    continue;
                }
                if op == returning {
                    after.insert(next);
                } else if tried.insert(next.clone()) {
                    stack.push(next);
                }
            }
        }
        self.ops.retain(|&op| op != returning);
        Ok(after)
    }

    /// Whether some open operation can no longer come to return what it returned: nothing that may take effect before it does
    /// leads there, says the specification.
    fn is_hopeless(
        &self,
        next: &Configuration,
        (just, returning): (OpId, OpId),
        machine: &dyn Machine,
    ) -> bool {
        let Configuration { taken, pending, state } = next;
        let to_come = &self.intervals.events[self.intervals.ret[returning.index()] as usize..];
        let has_effect =
            |op: &OpId| *op == just || taken.binary_search(op).is_ok() || pending.binary_search(op).is_ok();
        let waiting = self.ops.iter().copied().filter(|op| !has_effect(op));
        waiting.clone().filter(|&op| !self.part.is_pending(op)).any(|op| {
            let called = to_come.iter().take_while(|&&event| event != Event::Return(op));
            let called = called.filter_map(|event| match *event {
                Event::Call(op) => Some(op),
                Event::Return(_) => None,
            });
            let mut others = waiting.clone().chain(called).filter(|&other| other != op);
            !machine.reachable(*state, op, &mut others)
        })
    }

    /// The operations that may take effect next, with the state after each.
    fn steps(
        &self,
        configuration: &Configuration,
        machine: &mut dyn Machine,
        steps: &mut Vec<(OpId, StateId)>,
    ) {
        let Configuration { taken, pending, state } = configuration;
        let mut last: Option<OpId> = None;
        for &op in &self.ops {
            if taken.binary_search(&op).is_ok() || pending.binary_search(&op).is_ok() {
                continue;
            }
            // Of identical operations the first to return is tried alone. If another took effect now and this one later or
            // never, they could change places: both are called, and whatever is before this one's return is before the other's.
            let class = |op: OpId| (self.part.invocation_of(op), self.part.return_of(op));
            if last.is_some_and(|last| class(last) == class(op)) {
                continue;
            }
            last = Some(op);
            let Some(after) = machine.apply(*state, op) else { continue };
            // What changes nothing where it returns the right thing, as here, may take effect here: wherever else it would do so,
            // nothing differs without it.
            if after == *state && self.unchanged[op.index()] {
                steps.clear();
                steps.push((op, after));
                return;
            }
            steps.push((op, after));
        }
    }
}

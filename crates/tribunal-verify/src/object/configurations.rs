//! Linearizability of a sequence of calls and returns, by trying every configuration.

use super::budget::{Budget, took_every_step};
use super::found::{Found, Trust};
use super::idle::Idles;
use rustc_hash::FxHashMap;
use tribunal_history::heap::{Heap, block, entry};
use tribunal_history::object::{Event, History, Intervals, Machine, OpId, Specification, StateId, Value};
use tribunal_history::verdict::Limit;

/// So many operations that are not called yet are asked whether they can still return what they returned.
const LOOK_AHEAD: usize = 8;

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

impl Configuration {
    fn bytes(&self) -> usize {
        block(size_of_val(&*self.taken)) + block(size_of_val(&*self.pending))
    }
}

/// Configurations, without those for which another will do: one that differs only in that fewer pending operations have
/// taken effect, since those may still do so, or never.
#[derive(Default)]
struct Configurations {
    pending: FxHashMap<(Ops, StateId), Vec<Ops>>,
    /// What they take, at most.
    bytes: usize,
}

impl Configurations {
    /// What an entry takes beside the operations: its place in the table, and a list of sets that has grown.
    const ENTRY: usize = entry(size_of::<(Ops, StateId, Vec<Ops>)>()) + block(4 * size_of::<Ops>());

    /// Whether it was new.
    fn insert(&mut self, configuration: Configuration) -> bool {
        let bytes = Self::ENTRY + configuration.bytes();
        let Configuration { taken, pending, state } = configuration;
        let known = self.pending.entry((taken, state)).or_default();
        if known.iter().any(|fewer| subset(fewer, &pending)) {
            return false;
        }
        known.retain(|more| !subset(&pending, more));
        known.push(pending);
        self.bytes += bytes;
        true
    }

    fn into_iter(self) -> impl Iterator<Item = Configuration> {
        self.pending.into_iter().flat_map(|((taken, state), pending)| {
            pending.into_iter().map(move |pending| Configuration { taken: taken.clone(), pending, state })
        })
    }
}

/// The configurations that are to be tried.
#[derive(Default)]
struct Stack {
    configurations: Vec<Configuration>,
    bytes: usize,
}

impl Stack {
    fn push(&mut self, configuration: Configuration) {
        self.bytes += configuration.bytes();
        self.configurations.push(configuration);
    }

    fn pop(&mut self) -> Option<Configuration> {
        let configuration = self.configurations.pop()?;
        self.bytes -= configuration.bytes();
        Some(configuration)
    }

    /// What they take, at most; a list that grows is there twice for a while.
    fn bytes(&self) -> usize {
        self.bytes + 3 * self.configurations.held() / 2
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
    spec: &dyn Specification,
    (intervals, idles): (Intervals<'_>, &Idles),
    mut trust: Trust,
    budget: &mut Budget<'_>,
) -> Result<Found, Limit> {
    let mut machine = spec.machine(part);
    let initial = Configuration { taken: Ops::default(), pending: Ops::default(), state: machine.initial() };
    let mut now = Configurations::default();
    now.insert(initial);
    let mut open = Open { part, intervals, idles, ops: Vec::new(), telling: telling(part, intervals) };
    for &event in intervals.events {
        match event {
            Event::Call(op) => open.call(op),
            Event::Return(op) => {
                now = open.ret(op, now, machine.as_mut(), &mut trust, budget)?;
                if now.pending.is_empty() {
                    took_every_step(machine.as_ref())?;
                    return Ok(Found::Refuted(trust.used));
                }
            }
        }
    }
    Ok(Found::Explained)
}

/// The operations whose returns say something, with the ranks of their calls, in that order: updates that return nothing can
/// have any order until something tells.
fn telling(part: &History, intervals: Intervals<'_>) -> Vec<(u32, OpId)> {
    let tells = |&op: &OpId| part.result(op).is_some_and(|ret| *ret != Value::Null);
    let called = intervals.events.iter().zip(0..).filter_map(|(event, at)| match *event {
        Event::Call(op) => Some((at, op)),
        Event::Return(_) => None,
    });
    called.filter(|(_, op)| tells(op)).collect()
}

/// The operations that are called and have not returned.
struct Open<'a> {
    part: &'a History,
    intervals: Intervals<'a>,
    idles: &'a Idles,
    /// Identical ones, of one invocation and one return or both pending, are side by side in the order of their returns.
    ops: Vec<OpId>,
    telling: Vec<(u32, OpId)>,
}

impl Open<'_> {
    fn call(&mut self, op: OpId) {
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
        trust: &mut Trust,
        budget: &mut Budget<'_>,
    ) -> Result<Configurations, Limit> {
        let mut after = Configurations::default();
        let mut tried = Configurations::default();
        let mut stack = Stack::default();
        let before = now.bytes;
        for configuration in now.into_iter() {
            budget.spend(before + after.bytes + tried.bytes + stack.bytes() + machine.bytes())?;
            if configuration.taken.contains(&returning) {
                after.insert(Configuration {
                    taken: without(&configuration.taken, returning),
                    ..configuration
                });
            } else if !self.is_hopeless(&configuration, (None, returning), machine, trust)
                && tried.insert(configuration.clone())
            {
                stack.push(configuration);
            }
        }
        let mut steps = Vec::new();
        while let Some(configuration) = stack.pop() {
            self.steps(&configuration, machine, trust, &mut steps);
            for (op, state) in steps.drain(..) {
                budget.spend(after.bytes + tried.bytes + stack.bytes() + machine.bytes())?;
                let Configuration { taken, pending, .. } = &configuration;
                let (taken, pending) = if op == returning {
                    (taken.clone(), pending.clone())
                } else if self.part.is_pending(op) {
                    (taken.clone(), with(pending, op))
                } else {
                    (with(taken, op), pending.clone())
                };
                let next = Configuration { taken, pending, state };
                if self.is_hopeless(&next, (Some(op), returning), machine, trust) {
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

    /// Whether some operation that is open, or will be, can no longer come to return what it returned: nothing that may take
    /// effect before it does leads there, says the specification.
    fn is_hopeless(
        &self,
        next: &Configuration,
        (just, returning): (Option<OpId>, OpId),
        machine: &dyn Machine,
        trust: &mut Trust,
    ) -> bool {
        if !trust.given.contains(super::Hint::Reachable) {
            return false;
        }
        let Configuration { taken, pending, state } = next;
        let passed = self.intervals.ret[returning.index()];
        let to_come = &self.intervals.events[passed as usize..];
        let has_effect = |op: &OpId| {
            Some(*op) == just || taken.binary_search(op).is_ok() || pending.binary_search(op).is_ok()
        };
        let called = |event: &Event| match *event {
            Event::Call(op) => Some(op),
            Event::Return(_) => None,
        };
        let waiting = self.ops.iter().copied().filter(|op| !has_effect(op));
        let soon = to_come.iter().filter_map(called).take(LOOK_AHEAD);
        let later = self.telling.partition_point(|&(call, _)| call < passed);
        let telling = self.telling.get(later).map(|&(_, op)| op);
        let mut returning =
            waiting.clone().chain(soon).chain(telling).filter(|&op| !self.part.is_pending(op));
        returning.any(|op| {
            let before = to_come.iter().take_while(|&&event| event != Event::Return(op)).filter_map(called);
            let mut others = waiting.clone().chain(before).filter(|&other| other != op);
            trust.out_of_reach(machine, *state, op, &mut others)
        })
    }

    /// The operations that may take effect next, with the state after each.
    fn steps(
        &self,
        configuration: &Configuration,
        machine: &mut dyn Machine,
        trust: &mut Trust,
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
            if after == *state {
                // A pending operation that changes nothing here may as well not take effect here.
                if self.part.is_pending(op) {
                    continue;
                }
                // What changes nothing where it returns the right thing, as here, may take effect here: wherever else it
                // would do so, nothing differs without it.
                if trust.rely(self.idles.unchanged[op.index()].trusting()) {
                    steps.clear();
                    steps.push((op, after));
                    return;
                }
            }
            steps.push((op, after));
        }
    }
}

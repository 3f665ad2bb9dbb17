//! Partial linearizations: how far operations can be linearized that cannot all be.
//!
//! The search is that of [`timed`](super::timed) without what would give up a prefix early: every configuration counts, and the
//! longest one that has an operation is that operation's. What is left out is left out without loss:
//!
//! - a completed operation that changes nothing takes effect as soon as its return fits: any partial linearization that goes
//!   on from there without it can have it as well;
//! - a pending operation takes effect only where that changes the state, and of those with one invocation the one called
//!   first: only completed operations count.

use super::timed::{Configuration, Local, Slots, Timed};
use super::{Alike, BYTES, Keys};
use crate::object::judge::judge_within;
use crate::object::meter::Meter;
use rustc_hash::FxHashSet;
use tribunal_history::heap::Heap;
use tribunal_history::limits::Limits;
use tribunal_history::object::{
    Criterion, History, Intervals, Machine, NEVER, OpId, Specification, StateId, Typed, Value, Verdict,
};
use tribunal_history::verdict::Limit;

/// A step of partial linearizations, by its place in [`PartialLinearizations::steps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepId(pub u32);

impl StepId {
    /// The id as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An operation takes effect after another. Partial linearizations that begin alike share their first steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The step before it; none: it is the first. It has a lesser id.
    pub before: Option<StepId>,
    /// The operation.
    pub op: OpId,
}

/// The longest partial linearizations of the operations of a key, or of all if the object has no keys.
///
/// A partial linearization is an order of some of the operations such that each returns what the specification says, and
/// every operation that returned before one of them was called is there and comes before it. Its length is the number of its completed
/// operations; pending ones are there only if that changes the state.
#[derive(Clone, Debug)]
pub struct PartialLinearizations {
    /// The key; none if the object has no keys, or some operation concerns more than one.
    pub key: Option<Value>,
    /// The operations, in the order of their calls, without pending ones that only read.
    pub ops: Vec<OpId>,
    /// Whether all completed operations have a linearization; none if that was not found out.
    pub linearizable: Option<bool>,
    /// The reason why the search ended early, if it did: then there may be longer ones, and some of operations that seem to have none.
    pub limit: Option<Limit>,
    steps: Vec<Step>,
    longest: Option<StepId>,
    /// The last step of the longest one with each operation, by its place in `ops`.
    last: Vec<Option<StepId>>,
}

impl PartialLinearizations {
    /// All steps: a forest, in which each partial linearization is a path.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The last step of the longest partial linearization; none if it is empty.
    pub fn longest(&self) -> Option<StepId> {
        self.longest
    }

    /// Each operation with the last step of the longest partial linearization that includes it.
    pub fn each(&self) -> impl Iterator<Item = (OpId, Option<StepId>)> + '_ {
        self.ops.iter().copied().zip(self.last.iter().copied())
    }

    /// The last step of the longest partial linearization that includes an operation; none if none does. Linear in the number of
    /// operations.
    pub fn including(&self, op: OpId) -> Option<StepId> {
        self.each().find(|&(other, _)| other == op).and_then(|(_, last)| last)
    }

    /// The operations in order up to a step.
    pub fn upto(&self, step: Option<StepId>) -> Vec<OpId> {
        let mut ops = Vec::new();
        let mut at = step;
        while let Some(id) = at {
            let Step { before, op } = self.steps[id.index()];
            ops.push(op);
            at = before;
        }
        ops.reverse();
        ops
    }

    /// The completed operations that no partial linearization includes, in the order of their calls.
    pub fn unreached<'a>(&'a self, history: &'a History) -> impl Iterator<Item = OpId> + 'a {
        let unreached = self.each().filter(|(_, last)| last.is_none());
        unreached.map(|(op, _)| op).filter(|&op| !history.is_pending(op))
    }
}

/// For each key the longest partial linearizations of its operations, and for each operation the longest that includes it;
/// nothing of a history without times. Keys come in the order in which they are first mentioned.
///
/// A key that is linearizable has one, which is whole. Time and memory are linear in the number of configurations, of which
/// there may be exponentially many in the number of operations open at once: each key keeps to the limits. What was found until a
/// limit is met is given, and is right.
///
/// ```
/// use tribunal::{Limits, object::{History, OpId, Value, partial_linearizations, specs::Register}};
/// let mut b = History::builder();
/// let p = b.process("0");
/// for (time, method, args, ret) in
///     [(0, "write", vec![Value::from(1)], Value::Null), (2, "read", vec![], Value::from(1)), (4, "read", vec![], Value::from(2))]
/// {
///     let op = b.call(p, method, &args, time);
///     b.ret(op, ret, time + 1);
/// }
/// let (history, spec) = (b.build()?, Register::default());
/// let found = partial_linearizations(&history.typed(&spec)?, &Limits::default());
/// let [found] = &found[..] else { panic!("a register has no keys") };
/// assert_eq!(found.linearizable, Some(false));
/// assert_eq!(found.upto(found.longest()), [OpId(0), OpId(1)]);
/// assert_eq!(found.including(OpId(2)), None);
/// # Ok::<(), tribunal::object::MalformedHistory>(())
/// ```
pub fn partial_linearizations(typed: &Typed<'_>, limits: &Limits<'_>) -> Vec<PartialLinearizations> {
    let history = typed.history();
    if history.intervals().is_none() {
        return Vec::new();
    }
    let keys = Keys::of(history, typed.spec());
    (0..keys.len()).map(|key| of_key(typed, keys.ops(key), limits)).collect()
}

/// Those of some operations that concern no others.
fn of_key(typed: &Typed<'_>, ops: &[OpId], limits: &Limits<'_>) -> PartialLinearizations {
    let (history, spec) = (typed.history(), typed.spec());
    let keys: FxHashSet<Option<Value>> = ops.iter().map(|&op| spec.key(history.called(op))).collect();
    let key = if keys.len() == 1 { keys.into_iter().next().flatten() } else { None };
    let part = typed.part(ops, None);
    let intervals = part.history().intervals().expect("a part of a history with times has times");
    let mut found = Found::default();
    let verdict = match room(part.history(), limits) {
        Ok(()) => judge_within(&part, &Criterion::Linearizable, &mut Meter::new(limits)).0,
        Err(limit) => Verdict::Undecided(limit),
    };
    let linearizable = match &verdict {
        Verdict::Consistent(_) => Some(true),
        Verdict::Inconsistent(_) => Some(false),
        Verdict::Undecided(_) | Verdict::Unsupported(_) => None,
    };
    match verdict {
        Verdict::Consistent(execution) => found.is(&execution.lin, ops.len()),
        verdict => {
            let cut = match verdict {
                Verdict::Inconsistent(violation) => violation.cut,
                _ => None,
            };
            let guide = longest_prefix(&part, intervals, cut, limits);
            found = search(&part, intervals, &guide, limits);
        }
    }
    let mut called: Vec<OpId> = part.history().ops().collect();
    called.sort_unstable_by_key(|op| intervals.call[op.index()]);
    let whole = |op: OpId| ops[op.index()];
    PartialLinearizations {
        key,
        linearizable: linearizable.or(found.whole.then_some(true)),
        limit: found.limit,
        longest: found.longest,
        last: called.iter().map(|op| found.last[op.index()]).collect(),
        ops: called.into_iter().map(whole).collect(),
        steps: found.steps.into_iter().map(|step| Step { op: whole(step.op), ..step }).collect(),
    }
}

/// Whether there is room for what is held beside the search.
fn room(history: &History, limits: &Limits<'_>) -> Result<(), Limit> {
    limits.check_memory(BYTES * history.len(), 0)
}

/// A linearization of the longest prefix of the history that has one and is easily found: the search begins with it, so that it
/// gets to where the history goes wrong even if that is far away. Prefixes of linearizable histories are linearizable, so halving
/// finds it.
fn longest_prefix(
    part: &Typed<'_>,
    intervals: Intervals<'_>,
    cut: Option<u32>,
    limits: &Limits<'_>,
) -> Vec<OpId> {
    let limits = &Limits { max_states: limits.max_states / 16, ..*limits };
    let linearization = |events: u32| {
        let called: Vec<OpId> =
            part.history().ops().filter(|op| intervals.call[op.index()] < events).collect();
        let prefix = part.part(&called, Some(events));
        match judge_within(&prefix, &Criterion::Linearizable, &mut Meter::new(limits)).0 {
            Verdict::Consistent(execution) => {
                Some(execution.lin.into_iter().map(|op| called[op.index()]).collect::<Vec<_>>())
            }
            _ => None,
        }
    };
    let all = intervals.events.len() as u32;
    let (mut good, mut bad, mut found) = (0, cut.unwrap_or(all).min(all), Vec::new());
    // Mostly all before the cut is linearizable.
    let mut next = bad.saturating_sub(1);
    while good + 1 < bad {
        match linearization(next) {
            Some(lin) => (good, found) = (next, lin),
            None => bad = next,
        }
        next = good.midpoint(bad);
    }
    found
}

/// The result of a search; operations are those of the part.
#[derive(Default)]
struct Found {
    steps: Vec<Step>,
    longest: Option<StepId>,
    last: Vec<Option<StepId>>,
    limit: Option<Limit>,
    /// Whether all completed operations are in the longest.
    whole: bool,
}

impl Found {
    /// One linearization, and nothing beside it.
    fn is(&mut self, lin: &[OpId], operations: usize) {
        let ids = (0..lin.len() as u32).map(StepId);
        self.steps =
            ids.zip(lin).map(|(id, &op)| Step { before: id.0.checked_sub(1).map(StepId), op }).collect();
        self.longest = lin.len().checked_sub(1).map(|last| StepId(last as u32));
        self.last = vec![None; operations];
        for op in lin {
            self.last[op.index()] = self.longest;
        }
        self.whole = true;
    }
}

fn search(part: &Typed<'_>, intervals: Intervals<'_>, guide: &[OpId], limits: &Limits<'_>) -> Found {
    let (history, spec) = (part.history(), part.spec());
    let mut meter = Meter::new(limits);
    if let Err(limit) = meter.room((BYTES + Timed::BYTES + Search::<u64>::BYTES) * history.len()) {
        return Found { last: vec![None; history.len()], limit: Some(limit), ..Found::default() };
    }
    let ops: Vec<OpId> = history.ops().collect();
    let timed = Timed::new(history, intervals, &Alike::of(history, spec), &ops, NEVER);
    if timed.width <= 64 {
        Search::<u64>::new(&timed, history, spec, guide).run(&mut meter)
    } else {
        Search::<Box<[u64]>>::new(&timed, history, spec, guide).run(&mut meter)
    }
}

/// No step.
const NONE: u32 = u32::MAX;

/// A step of the search.
struct Node {
    before: u32,
    local: Local,
    /// The number of completed operations that have taken effect.
    length: u32,
}

/// A configuration with choices left.
struct Choice<B> {
    at: Configuration<B>,
    /// The last step that leads there.
    node: u32,
    /// The next open operation to try.
    next: u32,
}

struct Search<'a, B> {
    timed: &'a Timed,
    machine: Box<dyn Machine + 'a>,
    now: Configuration<B>,
    /// The last step, or [`NONE`].
    node: u32,
    nodes: Vec<Node>,
    /// The open operations in the order in which they are tried: by `rank`. They depend on how many events have passed alone.
    open: Vec<Local>,
    rank: Vec<u64>,
    visited: FxHashSet<Configuration<B>>,
    choices: Vec<Choice<B>>,
}

impl<'a, B: Slots> Search<'a, B> {
    /// The bytes that an operation takes in the search's columns and in what is made of them.
    const BYTES: usize = 64;

    fn new(timed: &'a Timed, history: &'a History, spec: &'a dyn Specification, guide: &[OpId]) -> Self {
        let machine = spec.machine(history);
        // What the guide leaves out comes after it, in the order in which it is likely to have taken effect.
        let mut places = vec![None; history.len()];
        for (place, op) in (0..).zip(guide) {
            places[op.index()] = Some(place);
        }
        let later = guide.len() as u64;
        let rank = timed.ops.iter().zip(&timed.middle);
        let rank = rank.map(|(op, &middle)| places[op.index()].unwrap_or(middle.saturating_add(later)));
        Search {
            timed,
            now: Configuration { passed: 0, state: machine.initial(), effective: B::none(timed.width) },
            machine,
            node: NONE,
            nodes: Vec::new(),
            open: Vec::new(),
            rank: rank.collect(),
            visited: FxHashSet::default(),
            choices: Vec::new(),
        }
    }

    fn run(mut self, meter: &mut Meter<'_>) -> Found {
        let (whole, limit) = match self.explore(meter) {
            Ok(whole) => (whole, None),
            Err(limit) => (false, Some(limit)),
        };
        Found { whole, limit, ..self.found() }
    }

    /// Visits every configuration, until one has all completed operations: whether one has.
    fn explore(&mut self, meter: &mut Meter<'_>) -> Result<bool, Limit> {
        loop {
            meter.hold(self.held(), &mut *self.machine)?;
            if self.settle() {
                return Ok(true);
            }
            if self.visited.insert(self.now.clone()) {
                meter.visit(1)?;
                self.choices.push(Choice { at: self.now.clone(), node: self.node, next: 0 });
            }
            if !self.choose(meter)? {
                meter.hold(self.held(), &mut *self.machine)?;
                return Ok(false);
            }
        }
    }

    /// The bytes that the search holds beside the machine.
    fn held(&self) -> usize {
        let (visited, choices, nodes) = (&self.visited, &self.choices, &self.nodes);
        (Timed::BYTES + Self::BYTES) * self.timed.ops.len()
            + visited.peak()
            + choices.peak()
            // Beside each node what is made of it in the end.
            + nodes.peak()
            + nodes.capacity() * 12
            + (visited.len() + choices.len() + 4) * B::bytes(self.timed.width)
    }

    fn has_effect(&self, local: Local) -> bool {
        self.now.effective.has(self.timed.slot[local as usize])
    }

    fn apply(&mut self, local: Local) -> Option<StateId> {
        match self.timed.is_pending(local) {
            true => self.machine.execute(self.now.state, self.timed.invocation[local as usize]),
            false => self.machine.apply(self.now.state, self.timed.class[local as usize]),
        }
    }

    fn take_effect(&mut self, local: Local, state: StateId) {
        let length = self.nodes.get(self.node as usize).map_or(0, |node| node.length);
        let length = length + u32::from(!self.timed.is_pending(local));
        self.nodes.push(Node { before: self.node, local, length });
        self.node = self.nodes.len() as u32 - 1;
        self.now.effective.add(self.timed.slot[local as usize]);
        self.now.state = state;
    }

    /// Lets events pass, and operations that never change anything take effect, until the next return is of an operation
    /// that has not taken effect. Whether all events have passed.
    fn settle(&mut self) -> bool {
        loop {
            while let Some(&event) = self.timed.events.get(self.now.passed as usize) {
                let local = event >> 1;
                if event & 1 == 0 {
                    self.opens(local);
                } else if self.has_effect(local) {
                    self.now.effective.remove(self.timed.slot[local as usize]);
                    self.closes(local);
                } else {
                    break;
                }
                self.now.passed += 1;
            }
            let Some(&next) = self.timed.events.get(self.now.passed as usize) else { return true };
            for at in 0..self.open.len() {
                let local = self.open[at];
                if self.timed.idle[local as usize]
                    && !self.timed.is_pending(local)
                    && !self.has_effect(local)
                    && self.apply(local).is_some()
                {
                    self.take_effect(local, self.now.state);
                }
            }
            if !self.has_effect(next >> 1) {
                return false;
            }
        }
    }

    fn opens(&mut self, local: Local) {
        let rank = &self.rank;
        let at = self.open.partition_point(|&other| rank[other as usize] <= rank[local as usize]);
        self.open.insert(at, local);
    }

    fn closes(&mut self, local: Local) {
        self.open.retain(|&other| other != local);
    }

    /// Goes back to the last configuration with a choice left and takes it; false if there is none.
    fn choose(&mut self, meter: &mut Meter<'_>) -> Result<bool, Limit> {
        while let Some(choice) = self.choices.last() {
            let next = choice.next;
            self.node = choice.node;
            let Configuration { passed, state, effective } = choice.at.clone();
            self.rewind(passed);
            self.now = Configuration { passed, state, effective };
            for at in next as usize..self.open.len() {
                let local = self.open[at];
                meter.work(self.open.len() as u64)?;
                meter.hold(self.held(), &mut *self.machine)?;
                if let Some(state) = self.worth_trying(local) {
                    self.choices.last_mut().expect("the choice just looked at").next = at as u32 + 1;
                    self.take_effect(local, state);
                    return Ok(true);
                }
            }
            self.choices.pop();
        }
        Ok(false)
    }

    /// Makes `open` what it was after fewer events.
    fn rewind(&mut self, passed: u32) {
        while self.now.passed > passed {
            self.now.passed -= 1;
            let event = self.timed.events[self.now.passed as usize];
            if event & 1 == 1 { self.opens(event >> 1) } else { self.closes(event >> 1) }
        }
    }

    /// The state after an open operation, if it is to be tried now.
    fn worth_trying(&mut self, local: Local) -> Option<StateId> {
        if self.has_effect(local) {
            return None;
        }
        if self.timed.is_pending(local) {
            let invocation = |local: Local| self.timed.invocation[local as usize];
            let earlier = |&&other: &&Local| {
                other < local && self.timed.is_pending(other) && invocation(other) == invocation(local)
            };
            if self.open.iter().filter(earlier).any(|&other| !self.has_effect(other)) {
                return None;
            }
        }
        self.apply(local).filter(|&after| after != self.now.state || !self.timed.is_pending(local))
    }

    /// The longest one with each operation. A configuration has the operations on the path that first led there, whatever
    /// the path, so the longest with an operation ends below one of the operation's steps.
    fn found(self) -> Found {
        let nodes = &self.nodes;
        let length = |node: u32| nodes[node as usize].length;
        // By step, the longest end at or below it; of several the first found.
        let mut ends: Vec<u32> = (0..nodes.len() as u32).collect();
        for at in (0..nodes.len()).rev() {
            let before = nodes[at].before;
            if before == NONE {
                continue;
            }
            let (end, known) = (ends[at], ends[before as usize]);
            let longer = length(end) > length(known) || (length(end) == length(known) && known != before);
            if longer {
                ends[before as usize] = end;
            }
        }
        let better = |end: u32, known: u32| {
            known == NONE || (length(end), std::cmp::Reverse(end)) > (length(known), std::cmp::Reverse(known))
        };
        let (mut longest, mut last) = (NONE, vec![NONE; self.timed.ops.len()]);
        for (node, &end) in nodes.iter().zip(&ends) {
            if better(end, longest) {
                longest = end;
            }
            let last = &mut last[node.local as usize];
            if better(end, *last) {
                *last = end;
            }
        }
        // Only steps that lead to one of these ends are kept.
        let mut kept = ends;
        kept.fill(NONE);
        for &end in last.iter().chain([&longest]) {
            let mut at = end;
            while at != NONE && kept[at as usize] == NONE {
                kept[at as usize] = 0;
                at = nodes[at as usize].before;
            }
        }
        let mut steps = Vec::new();
        for (node, kept) in (0..).zip(&mut kept).filter(|(_, kept)| **kept != NONE) {
            *kept = steps.len() as u32;
            steps.push(node);
        }
        let id = |node: u32| (node != NONE).then(|| StepId(kept[node as usize]));
        let step = |&node: &u32| {
            let Node { before, local, .. } = nodes[node as usize];
            Step { before: id(before), op: self.timed.ops[local as usize] }
        };
        let mut by_op = vec![None; last.len()];
        for (op, &end) in self.timed.ops.iter().zip(&last) {
            by_op[op.index()] = id(end);
        }
        Found {
            steps: steps.iter().map(step).collect(),
            longest: id(longest),
            last: by_op,
            ..Found::default()
        }
    }
}

//! The search over operations that have times.

use super::alike::Alike;
use super::{Found, Stuck};
use crate::object::meter::Meter;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;
use tribunal_cat::relation::bits;
use tribunal_history::heap::{Heap, block};
use tribunal_history::object::{History, Intervals, Machine, NEVER, OpId, Specification, StateId, Value};
use tribunal_history::verdict::Limit;

/// Whether some operations are linearizable, as far as they have come after `cut` events: just-in-time search with memoized
/// configurations.
///
/// Invariant: every configuration visited can be reached by a linearization of the events before its own next
/// return; every configuration from which the next return cannot be passed has been given up.
pub(super) fn search(
    history: &History,
    intervals: Intervals<'_>,
    spec: &dyn Specification,
    alike: &Alike,
    ops: &[OpId],
    cut: u32,
    meter: &mut Meter<'_>,
) -> Result<Found, Limit> {
    meter.room(Timed::BYTES * ops.len())?;
    let timed = Timed::new(history, intervals, alike, ops, cut);
    if timed.width <= 64 {
        Search::<u64>::new(&timed, history, spec).run(meter)
    } else {
        Search::<Box<[u64]>>::new(&timed, history, spec).run(meter)
    }
}

/// The number of operations not called yet that are asked whether they can still return what they returned.
const LOOK_AHEAD: usize = 8;

/// And so many that return something, however far away: updates that return nothing can have any order until a read tells.
const RETURNING: usize = 1;

/// An operation's place among those searched, in the order of calls.
pub(super) type Local = u32;

/// The operations searched, with their calls and returns in order.
pub(super) struct Timed {
    pub(super) ops: Vec<OpId>,
    /// By operation: the return's rank, the bit that says that it has taken effect while it is open, which operation it is
    /// like, and which invocation.
    pub(super) ret: Vec<u32>,
    pub(super) slot: Vec<u32>,
    pub(super) class: Vec<OpId>,
    pub(super) invocation: Vec<OpId>,
    pub(super) idle: Vec<bool>,
    /// The sum of the ranks of call and return: of two operations that took effect at any moment between the two, the one
    /// with the lesser sum was more likely first.
    pub(super) middle: Vec<u64>,
    /// Calls and returns: a return is marked by the lowest bit.
    pub(super) events: Vec<u32>,
    /// The places where operations are called that return something, and these operations.
    returning: Vec<(u32, Local)>,
    /// The number of operations that are open at most.
    pub(super) width: usize,
}

impl Timed {
    /// The bytes that an operation takes in the columns, while they are made and in the search's own.
    pub(super) const BYTES: usize = 96;

    pub(super) fn new(
        history: &History,
        intervals: Intervals<'_>,
        alike: &Alike,
        ops: &[OpId],
        cut: u32,
    ) -> Self {
        let mut ops: Vec<OpId> = ops.iter().copied().filter(|op| intervals.call[op.index()] < cut).collect();
        ops.sort_unstable_by_key(|op| intervals.call[op.index()]);
        let within = |ret: u32| if ret < cut { ret } else { NEVER };
        let ret: Vec<u32> = ops.iter().map(|op| within(intervals.ret[op.index()])).collect();
        let mut ranked: Vec<(u32, u32)> = Vec::with_capacity(2 * ops.len());
        for (local, op) in ops.iter().enumerate() {
            ranked.push((intervals.call[op.index()], (local as u32) << 1));
            if ret[local] != NEVER {
                ranked.push((ret[local], (local as u32) << 1 | 1));
            }
        }
        ranked.sort_unstable();
        let events: Vec<u32> = ranked.into_iter().map(|(_, event)| event).collect();

        let mut slot = vec![0; ops.len()];
        let mut width = 0;
        let mut free = Vec::new();
        for &event in &events {
            let local = (event >> 1) as usize;
            if event & 1 == 1 {
                free.push(slot[local]);
            } else {
                slot[local] = free.pop().unwrap_or_else(|| {
                    width += 1;
                    width - 1
                });
            }
        }
        let returns = |local: u32| history.result(ops[local as usize]).is_some_and(|ret| *ret != Value::Null);
        let returning = (0..).zip(&events).map(|(at, &event)| (at, event >> 1, event & 1 == 0));
        let returning =
            returning.filter(|&(_, local, called)| called && ret[local as usize] != NEVER && returns(local));
        let returning = returning.map(|(at, local, _)| (at, local)).collect();
        Timed {
            returning,
            class: ops.iter().map(|&op| alike.stands_for(op)).collect(),
            invocation: ops.iter().map(|&op| alike.invocation(history, op)).collect(),
            idle: ops.iter().map(|&op| alike.is_idle(op)).collect(),
            middle: ops
                .iter()
                .zip(&ret)
                .map(|(op, &ret)| match ret {
                    NEVER => u64::MAX,
                    ret => u64::from(intervals.call[op.index()]) + u64::from(ret),
                })
                .collect(),
            ops,
            ret,
            slot,
            events,
            width: width as usize,
        }
    }

    pub(super) fn is_pending(&self, local: Local) -> bool {
        self.ret[local as usize] == NEVER
    }

    /// Whether two operations are interchangeable, except for their returns' times.
    fn alike(&self, a: Local, b: Local) -> bool {
        match (self.is_pending(a), self.is_pending(b)) {
            (true, true) => self.invocation[a as usize] == self.invocation[b as usize],
            (false, false) => self.class[a as usize] == self.class[b as usize],
            _ => false,
        }
    }
}

/// A set of slots: a word wherever it suffices, so that configurations are hashed and compared without the heap.
pub(super) trait Slots: Clone + Eq + Hash {
    fn none(width: usize) -> Self;
    /// The bytes that such a set takes beside itself.
    fn bytes(width: usize) -> usize;
    fn has(&self, slot: u32) -> bool;
    fn add(&mut self, slot: u32);
    fn remove(&mut self, slot: u32);
}

impl Slots for u64 {
    fn none(_: usize) -> Self {
        0
    }

    fn bytes(_: usize) -> usize {
        0
    }

    fn has(&self, slot: u32) -> bool {
        self >> slot & 1 == 1
    }

    fn add(&mut self, slot: u32) {
        *self |= 1 << slot;
    }

    fn remove(&mut self, slot: u32) {
        *self &= !(1 << slot);
    }
}

impl Slots for Box<[u64]> {
    fn none(width: usize) -> Self {
        vec![0; bits::words(width)].into()
    }

    fn bytes(width: usize) -> usize {
        block(8 * bits::words(width))
    }

    fn has(&self, slot: u32) -> bool {
        bits::contains(self, slot as usize)
    }

    fn add(&mut self, slot: u32) {
        bits::insert(self, slot as usize);
    }

    fn remove(&mut self, slot: u32) {
        bits::remove(self, slot as usize);
    }
}

/// A state of the search: the next event is the return of an operation that has not taken effect, or none is left.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Configuration<B> {
    /// The number of events that have passed.
    pub(super) passed: u32,
    pub(super) state: StateId,
    /// The open operations that have taken effect.
    pub(super) effective: B,
}

/// A configuration with choices left.
struct Choice<B> {
    at: Configuration<B>,
    /// The length of lin there.
    lin: u32,
    /// The next open operation to try.
    next: u32,
}

struct Search<'a, B> {
    timed: &'a Timed,
    history: &'a History,
    spec: &'a dyn Specification,
    machine: Box<dyn Machine + 'a>,
    now: Configuration<B>,
    /// The open operations, in the order of their returns; and in the order in which they are tried. Both depend on how many
    /// events have passed alone.
    open: Vec<Local>,
    tried: Vec<Local>,
    lin: Vec<Local>,
    visited: FxHashSet<Configuration<B>>,
    choices: Vec<Choice<B>>,
    /// The most events that some order gets past.
    furthest: u32,
    commute: FxHashMap<(OpId, OpId), bool>,
}

impl<'a, B: Slots> Search<'a, B> {
    fn new(timed: &'a Timed, history: &'a History, spec: &'a dyn Specification) -> Self {
        let machine = spec.machine(history);
        let now = Configuration { passed: 0, state: machine.initial(), effective: B::none(timed.width) };
        Search {
            timed,
            history,
            spec,
            machine,
            now,
            open: Vec::new(),
            tried: Vec::new(),
            lin: Vec::with_capacity(timed.ops.len()),
            visited: FxHashSet::default(),
            choices: Vec::new(),
            furthest: 0,
            commute: FxHashMap::default(),
        }
    }

    fn run(mut self, meter: &mut Meter<'_>) -> Result<Found, Limit> {
        loop {
            meter.hold(self.held(), &mut *self.machine)?;
            if self.settle() {
                return Ok(Found::Lin(
                    self.lin.iter().map(|&local| self.timed.ops[local as usize]).collect(),
                ));
            }
            self.furthest = self.furthest.max(self.now.passed);
            let returning = (self.open.len() + LOOK_AHEAD) as u64;
            meter.work(returning * returning / 8)?;
            if !self.is_hopeless() && self.visited.insert(self.now.clone()) {
                meter.visit(1)?;
                let lin = self.lin.len() as u32;
                self.choices.push(Choice { at: self.now.clone(), lin, next: 0 });
            }
            if !self.choose(meter)? {
                meter.hold(self.held(), &mut *self.machine)?;
                let (events, states) = (self.cut(), self.visited.len() as u64);
                return Ok(Found::Stuck(Some(Stuck { events, states })));
            }
        }
    }

    /// The bytes that the search holds beside the machine.
    fn held(&self) -> usize {
        let (visited, choices) = (&self.visited, &self.choices);
        Timed::BYTES * self.timed.ops.len()
            + visited.peak()
            + choices.peak()
            + self.commute.peak()
            + (visited.len() + choices.len() + 4) * B::bytes(self.timed.width)
    }

    /// The number of events of the whole history up to the return that no order gets past.
    fn cut(&self) -> u32 {
        let local = self.timed.events[self.furthest as usize] >> 1;
        self.timed.ret[local as usize] + 1
    }

    fn has_effect(&self, local: Local) -> bool {
        self.now.effective.has(self.timed.slot[local as usize])
    }

    fn take_effect(&mut self, local: Local, state: StateId) {
        self.now.effective.add(self.timed.slot[local as usize]);
        self.now.state = state;
        self.lin.push(local);
    }

    fn apply(&mut self, local: Local) -> Option<StateId> {
        match self.timed.is_pending(local) {
            true => self.machine.execute(self.now.state, self.timed.invocation[local as usize]),
            false => self.machine.apply(self.now.state, self.timed.class[local as usize]),
        }
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
            if self.now.passed as usize == self.timed.events.len() {
                return true;
            }
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
            if !self.has_effect(self.open[0]) {
                return false;
            }
        }
    }

    fn opens(&mut self, local: Local) {
        let (ret, middle) = (&self.timed.ret, &self.timed.middle);
        // Equal keys are those of pending operations, which stay in the order of their calls.
        let at = self.open.partition_point(|&other| ret[other as usize] <= ret[local as usize]);
        self.open.insert(at, local);
        let at = self.tried.partition_point(|&other| middle[other as usize] <= middle[local as usize]);
        self.tried.insert(at, local);
    }

    fn closes(&mut self, local: Local) {
        self.open.retain(|&other| other != local);
        self.tried.retain(|&other| other != local);
    }

    /// Whether some operation that is open, or will be soon, can no longer come to return what it returned.
    fn is_hopeless(&self) -> bool {
        let timed = self.timed;
        let to_come = &timed.events[self.now.passed as usize..];
        let soon = to_come.iter().filter(|&event| event & 1 == 0).take(LOOK_AHEAD).map(|event| event >> 1);
        let later = timed.returning.partition_point(|&(call, _)| call < self.now.passed);
        let returning = timed.returning[later..].iter().take(RETURNING).map(|&(_, local)| local);
        let open = self.open.iter().copied().filter(|&local| !self.has_effect(local));
        let mut returning =
            open.clone().chain(soon).chain(returning).filter(|&local| !timed.is_pending(local));
        returning.any(|local| {
            // What can take effect before it: what is open, and what is called before it returns.
            let called = to_come.iter().take_while(|&&event| event != (local << 1 | 1));
            let called = called.filter(|&event| event & 1 == 0).map(|event| event >> 1);
            let others = open.clone().chain(called).filter(|&other| other != local);
            let mut others = others.map(|other| timed.invocation[other as usize]);
            !self.machine.reachable(self.now.state, timed.class[local as usize], &mut others)
        })
    }

    /// Goes back to the last configuration with a choice left and takes it; false if there is none.
    fn choose(&mut self, meter: &mut Meter<'_>) -> Result<bool, Limit> {
        while let Some(choice) = self.choices.last() {
            let (next, lin) = (choice.next, choice.lin);
            let Configuration { passed, state, effective } = choice.at.clone();
            self.rewind(passed);
            self.now = Configuration { passed, state, effective };
            self.lin.truncate(lin as usize);
            for at in next as usize..self.tried.len() {
                let local = self.tried[at];
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
            let local = event >> 1;
            if event & 1 == 1 {
                self.opens(local);
            } else {
                self.closes(local);
            }
        }
    }

    /// The state after an open operation, if it is to be tried now.
    fn worth_trying(&mut self, local: Local) -> Option<StateId> {
        if self.has_effect(local) {
            return None;
        }
        // Of operations that are alike, the one that returns first.
        let alike = |&other: &Local| self.timed.alike(local, other) && !self.has_effect(other);
        if self.open.iter().take_while(|&&other| other != local).any(alike) {
            return None;
        }
        let after = self.apply(local)?;
        if after == self.now.state && self.timed.is_pending(local) {
            return None;
        }
        // The operation that returns next has no time to wait.
        if local != self.open[0] && (self.replaceable(local, after) || self.can_wait(local)) {
            return None;
        }
        Some(after)
    }

    /// Whether a pending operation's part can be played by a completed one, which then has its part to play later.
    fn replaceable(&mut self, pending: Local, after: StateId) -> bool {
        if !self.timed.is_pending(pending) {
            return false;
        }
        let invocation = self.timed.invocation[pending as usize];
        (0..self.open.len()).any(|at| {
            let other = self.open[at];
            !self.timed.is_pending(other)
                && self.timed.invocation[other as usize] == invocation
                && !self.has_effect(other)
                && self.apply(other) == Some(after)
        })
    }

    /// Whether an operation commutes with all others that are open and have not taken effect.
    fn can_wait(&mut self, local: Local) -> bool {
        let (history, spec) = (self.history, self.spec);
        (0..self.open.len()).all(|at| {
            let other = self.open[at];
            if other == local || self.has_effect(other) {
                return true;
            }
            let call = |local: Local| history.called(self.timed.invocation[local as usize]);
            let pair = (self.timed.invocation[local as usize], self.timed.invocation[other as usize]);
            *self.commute.entry(pair).or_insert_with(|| spec.commute(call(local), call(other)))
        })
    }
}

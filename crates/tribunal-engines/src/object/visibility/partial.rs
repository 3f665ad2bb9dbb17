//! Abstract executions in the making: what has taken its place in lin so far, and what it sees.

use super::problem::Problem;
use crate::object::meter::Meter;
use tribunal_cat::relation::FixedSet;
use tribunal_history::heap::Heap;
use tribunal_history::object::{AbstractExecution, Machine, OpId, Relation, StateId, Visibility};
use tribunal_history::verdict::Limit;

/// A beginning of lin with the visibility of each operation in it.
pub struct Partial<'a, const W: usize> {
    pub problem: &'a Problem<'a, W>,
    pub lin: Vec<usize>,
    pub placed: FixedSet<W>,
    /// By number of an operation in `lin`: what it sees, and all that is before it.
    pub vis: Vec<FixedSet<W>>,
    pub before: Vec<FixedSet<W>>,
    /// By length of a beginning of `lin`: the state after all of it; none if it cannot all take effect.
    pub states: Vec<Option<StateId>>,
    /// An operation that returns what it must at the end of `lin` when it sees everything, and the state after it.
    here: Option<(usize, StateId)>,
    machine: Box<dyn Machine + 'a>,
    /// Counts places taken and views tried.
    pub meter: Meter<'a>,
    /// The bytes that the search holds beside the machine, as it last said.
    held: usize,
    /// Whether an operation that had to be seen could not take effect in a view: a search that was not cautious may have
    /// missed something.
    pub stuck: bool,
    /// Scratch of `explicable`.
    frontier: Vec<StateId>,
}

impl<'a, const W: usize> Partial<'a, W> {
    pub fn new(problem: &'a Problem<'a, W>, meter: Meter<'a>) -> Self {
        let machine = problem.spec.machine(problem.history);
        Partial {
            problem,
            lin: Vec::with_capacity(problem.len()),
            placed: FixedSet::EMPTY,
            vis: vec![FixedSet::EMPTY; problem.len()],
            before: vec![FixedSet::EMPTY; problem.len()],
            states: {
                let mut states = Vec::with_capacity(problem.len() + 1);
                states.push(Some(machine.initial()));
                states
            },
            here: None,
            machine,
            meter,
            held: 0,
            stuck: false,
            frontier: Vec::new(),
        }
    }

    /// Counts search states.
    pub fn visit(&mut self, states: usize) -> Result<(), Limit> {
        self.meter.visit(states as u64)?;
        self.meter.work(self.problem.len() as u64)?;
        self.go_on()
    }

    /// Whether to go on with so many bytes held beside the machine and this.
    pub fn hold(&mut self, bytes: usize) -> Result<(), Limit> {
        self.held = bytes;
        self.go_on()
    }

    /// Whether to go on: all that the machine has said so far is sound, and there is room.
    fn go_on(&mut self) -> Result<(), Limit> {
        self.meter.hold(self.held + self.frontier.peak(), &mut *self.machine)
    }

    /// The number of first returns of the history that are of operations that are placed.
    pub fn returned(&self) -> usize {
        let unplaced = self.problem.completed - self.placed;
        unplaced.next(0).unwrap_or_else(|| self.problem.completed.len())
    }

    /// Puts an operation at the end of lin.
    pub fn place(&mut self, op: usize, vis: FixedSet<W>) {
        self.vis[op] = vis;
        self.before[op] = self.placed;
        let next = match self.here.take() {
            Some((here, next)) if here == op => Some(next),
            _ => {
                let state = self.states[self.lin.len()];
                state.and_then(|state| self.machine.execute(state, self.problem.ops[op]))
            }
        };
        self.states.push(next);
        self.lin.push(op);
        self.placed.insert(op);
    }

    /// Takes operations off the end of lin until this many are left.
    pub fn keep(&mut self, length: usize) {
        while self.lin.len() > length {
            if let Some(op) = self.lin.pop() {
                self.placed.remove(op);
                self.states.pop();
                self.here = None;
            }
        }
    }

    /// The operations before one of a set's, by a relation of this beginning.
    fn earlier(&self, relation: Relation, set: FixedSet<W>) -> FixedSet<W> {
        set.iter().fold(FixedSet::EMPTY, |found, op| {
            found
                | match relation {
                    Relation::Lin => self.before[op],
                    Relation::Vis => self.vis[op],
                    Relation::Po => self.problem.po[op] & self.placed,
                    Relation::Hb => self.problem.hb[op] & self.placed,
                }
        })
    }

    /// The least set with this one in it that an operation may see at the end of lin, by the rules.
    pub fn closure(&self, op: usize, set: FixedSet<W>) -> FixedSet<W> {
        let mut closed = set;
        loop {
            let before = closed;
            for rule in self.problem.rules.iter().filter(|rule| rule.to.contains(op)) {
                let last = match rule.last {
                    Relation::Lin => self.placed,
                    Relation::Vis => closed,
                    Relation::Po => self.problem.po[op] & self.placed,
                    Relation::Hb => self.problem.hb[op] & self.placed,
                };
                let chain = rule.chain.iter().rev();
                closed |= chain.fold(last, |set, &relation| self.earlier(relation, set));
            }
            if closed == before || !self.problem.vis_matters {
                return closed;
            }
        }
    }

    /// Whether an operation at the end of lin returns what the history says when it sees everything.
    pub fn returns_here(&mut self, op: usize) -> bool {
        let state = self.states[self.lin.len()];
        let next = state.and_then(|state| self.machine.apply(state, self.problem.ops[op]));
        if let Some(next) = next {
            self.here = Some((op, next));
        }
        next.is_some()
    }

    fn execute(&mut self, state: StateId, op: usize) -> Option<StateId> {
        let next = self.machine.execute(state, self.problem.ops[op]);
        if next.is_none() {
            self.stuck = true;
        }
        next
    }

    /// Whether an operation returns what the history says when it sees just this set.
    pub fn returns_after(&mut self, op: usize, seen: FixedSet<W>) -> bool {
        let mut state = self.machine.initial();
        for at in 0..self.lin.len() {
            let other = self.lin[at];
            if seen.contains(other) {
                match self.execute(state, other) {
                    Some(next) => state = next,
                    None => return false,
                }
            }
        }
        self.machine.apply(state, self.problem.ops[op]).is_some()
    }

    /// A set of all but one or two of the operations placed after which an operation returns what the history says. What misses
    /// updates mostly misses few, and these sets lead through few states. With many to choose from none is looked for.
    pub fn all_but_two(
        &mut self,
        op: usize,
        forced: FixedSet<W>,
        optional: FixedSet<W>,
    ) -> Option<FixedSet<W>> {
        const MOST: usize = 16;
        let optional = (optional & self.placed) - forced;
        if optional.len() > MOST {
            return None;
        }
        for first in (0..self.lin.len()).rev() {
            let missed = self.lin[first];
            if optional.contains(missed) && self.returns_along(op, self.states[first], first + 1) {
                return Some(self.placed - FixedSet::from_iter([missed]));
            }
        }
        for first in (0..self.lin.len()).rev() {
            if !optional.contains(self.lin[first]) {
                continue;
            }
            let mut state = self.states[first];
            for second in first + 1..self.lin.len() {
                let other = self.lin[second];
                if optional.contains(other) && self.returns_along(op, state, second + 1) {
                    return Some(self.placed - FixedSet::from_iter([self.lin[first], other]));
                }
                state = state.and_then(|state| self.machine.execute(state, self.problem.ops[other]));
            }
        }
        None
    }

    /// Whether an operation returns what the history says after a state and all of lin from a place on.
    fn returns_along(&mut self, op: usize, state: Option<StateId>, from: usize) -> bool {
        let Self { lin, machine, problem, .. } = self;
        let execute = |state: StateId, &other: &usize| machine.execute(state, problem.ops[other]);
        let state = state.and_then(|state| lin[from..].iter().try_fold(state, execute));
        state.is_some_and(|state| self.machine.apply(state, self.problem.ops[op]).is_some())
    }

    /// Whether an operation returns what the history says when it sees the forced set and some of the optional one:
    /// the states that its views can reach, one operation of lin after another.
    pub fn explicable(
        &mut self,
        op: usize,
        forced: FixedSet<W>,
        optional: FixedSet<W>,
    ) -> Result<bool, Limit> {
        let mut frontier = std::mem::take(&mut self.frontier);
        let found = self.follow(&mut frontier, forced, optional);
        self.frontier = frontier;
        found?;
        let op = self.problem.ops[op];
        Ok(self.frontier.iter().any(|&state| self.machine.apply(state, op).is_some()))
    }

    /// The states after the forced operations of lin and some of the optional ones.
    fn follow(
        &mut self,
        frontier: &mut Vec<StateId>,
        forced: FixedSet<W>,
        optional: FixedSet<W>,
    ) -> Result<(), Limit> {
        frontier.clear();
        frontier.push(self.machine.initial());
        for at in 0..self.lin.len() {
            let other = self.lin[at];
            if forced.contains(other) {
                let mut kept = 0;
                for from in 0..frontier.len() {
                    self.meter.work(self.machine.spent())?;
                    if let Some(next) = self.execute(frontier[from], other) {
                        frontier[kept] = next;
                        kept += 1;
                    }
                }
                frontier.truncate(kept);
            } else if optional.contains(other) {
                for from in 0..frontier.len() {
                    self.meter.work(self.machine.spent())?;
                    if let Some(next) = self.machine.execute(frontier[from], self.problem.ops[other]) {
                        frontier.push(next);
                    }
                }
            } else {
                continue;
            }
            if frontier.len() > 1 {
                self.visit(frontier.len() / 16)?;
                frontier.sort_unstable();
                frontier.dedup();
            }
            // Before the frontier doubles.
            self.meter.room(self.held + self.machine.bytes() + 3 * size_of_val(&frontier[..]))?;
        }
        Ok(())
    }

    /// A set that `explicable` has found to be there: the forced operations and some of the optional ones.
    pub fn explanation(
        &mut self,
        op: usize,
        forced: FixedSet<W>,
        optional: FixedSet<W>,
    ) -> Result<Option<FixedSet<W>>, Limit> {
        // By step, the states with the place of the state that each came from, and whether the operation was seen.
        let mut layers: Vec<Vec<(StateId, u32, bool)>> = vec![vec![(self.machine.initial(), 0, false)]];
        let mut held = 0;
        for at in 0..self.lin.len() {
            let other = self.lin[at];
            let last = &layers[at];
            held += 2 * size_of_val(&last[..]);
            self.meter.room(self.held + self.machine.bytes() + held)?;
            let mut next = Vec::with_capacity(2 * last.len());
            for (&(state, ..), from) in last.iter().zip(0..) {
                self.meter.work(1 + self.machine.spent())?;
                if !forced.contains(other) {
                    next.push((state, from, false));
                }
                if forced.contains(other) || optional.contains(other) {
                    let after = self.machine.execute(state, self.problem.ops[other]);
                    next.extend(after.map(|after| (after, from, true)));
                }
            }
            next.sort_by_key(|&(state, ..)| state);
            next.dedup_by_key(|&mut (state, ..)| state);
            layers.push(next);
        }
        let id = self.problem.ops[op];
        let explains = |&(state, ..): &(StateId, u32, bool)| self.machine.apply(state, id).is_some();
        let Some(mut at) = layers.last().and_then(|last| last.iter().position(explains)) else {
            self.go_on()?;
            return Ok(None);
        };
        let mut seen = FixedSet::EMPTY;
        for (layer, &other) in layers[1..].iter().zip(&self.lin).rev() {
            let (_, from, taken) = layer[at];
            if taken {
                seen.insert(other);
            }
            at = from as usize;
        }
        Ok(Some(seen))
    }

    /// The abstract execution that this has become.
    pub fn abstract_execution(&self) -> AbstractExecution {
        let ids = |set: FixedSet<W>| -> Vec<OpId> {
            self.lin.iter().filter(|&&op| set.contains(op)).map(|&op| self.problem.ops[op]).collect()
        };
        let all = self.lin.iter().all(|&op| self.vis[op] == self.before[op]);
        let vis = if all {
            Visibility::All
        } else {
            Visibility::Sets(self.lin.iter().map(|&op| ids(self.vis[op])).collect())
        };
        AbstractExecution { lin: ids(self.placed), vis }
    }
}

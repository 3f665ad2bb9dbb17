//! Minimal visibilities.
//!
//! The search of Emmi and Enea, "Monitoring weak consistency" (CAV 2018), Fig. 4: operations take their places in lin one by one,
//! and each sees a minimal set that the axioms and its return allow. By Theorem 1 of the paper no other sets need be
//! tried: a smaller set asks less of what comes later. What keeps the search small beyond that:
//!
//! - where no axiom has vis on its right, what one operation sees asks nothing of the others: that there is some
//!   set is enough, and it is found state by state along lin, not set by set;
//! - a read takes its place as soon as that is sure to do, and else waits until an update that it happens before
//!   takes its place ([`Problem::deferrable`]);
//! - of two neighbors in lin that commute, only the order in which they return is tried ([`Problem::exchangeable`]);
//! - what failed once is remembered: the operations placed, the state after those that all others see in any case, and the order
//!   of the rest (with what they see, where that matters).
//!
//! Invariant: when a node is given up, no abstract execution of the history begins as the node does, up to these exchanges.
//! Exponential in the worst case, as the problem is NP-hard.

use super::Found;
use super::partial::Partial;
use super::problem::Problem;
use crate::object::meter::Meter;
use rustc_hash::FxHashSet;
use tribunal_cat::relation::FixedSet;
use tribunal_history::heap::{Heap, block};
use tribunal_history::object::AbstractExecution;
use tribunal_history::verdict::Limit;

/// Visits before failures are remembered: most histories need fewer.
const FORGETFUL: u64 = 64;

pub struct Search<'a, const W: usize> {
    partial: Partial<'a, W>,
    deferrable: FixedSet<W>,
    /// By operation: what it sees in any case. Empty until failures are remembered.
    certain: Vec<FixedSet<W>>,
    /// Whether to try larger sets in place of all minimal ones.
    generous: bool,
    /// How many operations are completed: these have the numbers below.
    completed: usize,
    nodes: Vec<Node<W>>,
    /// What the operations that the nodes are about to place may see, one node after another.
    sets: Vec<FixedSet<W>>,
    failed: FxHashSet<Box<[u64]>>,
    /// How many states had been visited before.
    begun: u64,
    /// What the keys take, of the nodes and of those that failed.
    keys: usize,
    /// What the problem takes.
    problem: usize,
    /// How many of the first returns some beginning of lin has explained.
    reached: usize,
}

/// A beginning of lin from which the search goes on.
struct Node<const W: usize> {
    length: usize,
    /// The pending operations that can no longer take effect.
    left_out: FixedSet<W>,
    goal: Goal,
    /// The next choice to try.
    next: usize,
    /// The operation being tried, and where what it may see begins in `sets`.
    op: usize,
    toward: Goal,
    sets: usize,
    key: Option<Box<[u64]>>,
}

/// What a search is about to do with the reads that waited.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// Nothing: every choice is open.
    Open,
    /// To place those that happen before this operation, and then this one.
    Place(usize),
    /// To place them all: nothing else is left.
    Finish,
}

impl<'a, const W: usize> Search<'a, W> {
    pub fn new(problem: &'a Problem<'a, W>, meter: Meter<'a>) -> Self {
        let begun = meter.states();
        Search {
            partial: Partial::new(problem, meter),
            deferrable: problem.deferrable(),
            certain: Vec::new(),
            generous: false,
            completed: problem.completed.len(),
            nodes: Vec::with_capacity(problem.len() + 1),
            sets: Vec::new(),
            failed: FxHashSet::default(),
            begun,
            keys: 0,
            problem: Problem::<W>::bytes(problem.len()),
            reached: 0,
        }
    }

    /// A search in which operations see all that is before them in lin, if that explains what they return, or nearly all,
    /// or as little as they may: where nearly all of a history is atomic, as it is in practice, this finds an abstract execution
    /// without enumerating sets. That it finds none says nothing.
    pub fn generous(problem: &'a Problem<'a, W>, meter: Meter<'a>) -> Self {
        Search { generous: true, ..Search::new(problem, meter) }
    }

    /// What the search has come to.
    pub fn meter(&self) -> &Meter<'a> {
        &self.partial.meter
    }

    /// Whether the search met a view that could not take effect, so that a failure is to be confirmed cautiously.
    pub fn stuck(&self) -> bool {
        self.partial.stuck
    }

    pub fn run(&mut self) -> Result<Found, Limit> {
        self.enter(Goal::Open, FixedSet::EMPTY)?;
        while let Some(node) = self.nodes.last() {
            self.partial.keep(node.length);
            if self.partial.problem.completed.is_subset(&self.partial.placed) {
                return Ok(Ok(self.witness()?));
            }
            match self.next()? {
                Some((op, vis)) => {
                    let Some(node) = self.nodes.last() else { break };
                    let passed_by = self.partial.problem.hb[op] & self.partial.problem.pending;
                    let left_out = node.left_out | (passed_by - self.partial.placed);
                    let goal = if node.toward == Goal::Place(op) { Goal::Open } else { node.toward };
                    self.partial.place(op, vis);
                    self.enter(goal, left_out)?;
                }
                None => {
                    // That nothing is left to try may be for want of room.
                    self.hold()?;
                    if let Some(key) = self.nodes.pop().and_then(|node| node.key) {
                        self.failed.insert(key);
                    }
                }
            }
        }
        Ok(Err(self.reached))
    }

    /// Whether there is room for all that the search holds, and one more of each.
    fn hold(&mut self) -> Result<(), Limit> {
        let lists = self.failed.peak() + self.nodes.peak() + self.sets.peak();
        self.partial.hold(self.problem + self.keys + lists)
    }

    /// Goes on from the present beginning of lin, unless it failed before.
    fn enter(&mut self, goal: Goal, left_out: FixedSet<W>) -> Result<(), Limit> {
        self.partial.visit(1)?;
        self.hold()?;
        self.reached = self.reached.max(self.partial.returned());
        let mut key = None;
        if goal == Goal::Open && self.partial.meter.states() - self.begun > FORGETFUL {
            let it = self.key(left_out);
            if self.failed.contains(&it) {
                return Ok(());
            }
            self.keys += block(size_of_val(&*it));
            key = Some(it);
        }
        self.nodes.push(Node {
            length: self.partial.lin.len(),
            left_out,
            goal,
            next: 0,
            op: 0,
            toward: goal,
            sets: self.sets.len(),
            key,
        });
        Ok(())
    }

    /// All that the future of the present beginning of lin depends on.
    fn key(&mut self, left_out: FixedSet<W>) -> Box<[u64]> {
        if self.certain.is_empty() {
            let problem = self.partial.problem;
            self.certain = (0..problem.len()).map(|op| problem.certain(op)).collect();
        }
        let Partial { problem, lin, placed, vis, states, .. } = &self.partial;
        let unplaced = (problem.completed - *placed).iter();
        let common = unplaced.fold(problem.all, |common, op| common & self.certain[op]);
        let mut folded = 0;
        while !problem.lin_inside
            && lin.get(folded).is_some_and(|&op| common.contains(op))
            && states[folded + 1].is_some()
        {
            folded += 1;
        }
        let mut key: Vec<u64> = Vec::with_capacity(2 * W + 1 + lin.len());
        key.extend(placed.words());
        key.extend(left_out.words());
        key.push(states[folded].map_or(u64::MAX, |state| state.0.into()));
        let told_apart =
            |op: &&usize| problem.cautious || problem.lin_inside || !problem.reads.contains(**op);
        let (mut packed, mut filled) = (0u64, 0);
        for &op in lin[folded..].iter().filter(told_apart) {
            packed = packed << 16 | (op as u64 + 1);
            filled += 1;
            if filled % 4 == 0 {
                key.push(std::mem::take(&mut packed));
            }
        }
        key.push(packed);
        if problem.vis_matters {
            placed.iter().for_each(|op| key.extend(vis[op].words()));
        }
        key.into()
    }

    /// The next operation to place with what it sees; none if the node is exhausted.
    fn next(&mut self) -> Result<Option<(usize, FixedSet<W>)>, Limit> {
        loop {
            let Some(node) = self.nodes.last_mut() else { return Ok(None) };
            if self.sets.len() > node.sets
                && let Some(vis) = self.sets.pop()
            {
                return Ok(Some((node.op, vis)));
            }
            let choice = match node.goal {
                Goal::Open if node.next == 0 => match self.settled_read() {
                    Some(read) => Some(Goal::Place(read)),
                    None => self.choose(),
                },
                Goal::Open => self.choose(),
                goal => {
                    node.next += 1;
                    (node.next == 1).then_some(goal)
                }
            };
            let Some(toward) = choice else { return Ok(None) };
            let op = self.first_toward(toward);
            if let Some(node) = self.nodes.last_mut() {
                node.op = op;
                node.toward = toward;
            }
            self.explanations(op)?;
        }
    }

    /// A read that waits and can be placed here once and for all: it sees no more than it must anywhere, or what it sees is
    /// nobody's business. Then there is no other choice to try. Where it takes a search to tell, waiting costs less: what explains
    /// a read here does so later too.
    fn settled_read(&mut self) -> Option<usize> {
        let problem = self.partial.problem;
        let waiting = (self.deferrable & problem.completed) - self.partial.placed;
        // A pending update before the read would have to be left out: that is not a choice to make in passing.
        let left_out = self.nodes.last().map_or(FixedSet::EMPTY, |node| node.left_out);
        let gone = self.partial.placed | left_out | (problem.pending & self.deferrable);
        for read in waiting.iter() {
            if !problem.hb[read].is_subset(&gone) {
                continue;
            }
            let settled = if !problem.vis_matters || self.generous {
                self.partial.returns_here(read)
            } else {
                let least = self.partial.closure(read, FixedSet::EMPTY);
                self.partial.returns_after(read, least)
                    || problem.unseen(read) && self.partial.returns_here(read)
            };
            if settled {
                if let Some(node) = self.nodes.last_mut() {
                    node.next = problem.len() + 1;
                }
                return Some(read);
            }
        }
        None
    }

    /// The next choice of an open node: a completed operation, then finishing, then a pending one.
    fn choose(&mut self) -> Option<Goal> {
        let Partial { problem, lin, placed, .. } = &self.partial;
        let node = self.nodes.last_mut()?;
        // Reads in between do not keep neighbors apart, unless they happen before the second.
        let reads = lin.iter().rev().take_while(|&&op| self.deferrable.contains(op)).count();
        let last = lin.iter().rev().nth(reads).copied();
        let between: FixedSet<W> = lin[lin.len() - reads..].iter().copied().collect();
        while node.next <= problem.len() {
            let choice = node.next;
            node.next += 1;
            if choice == self.completed {
                if (problem.completed - *placed).is_subset(&self.deferrable) {
                    return Some(Goal::Finish);
                }
                continue;
            }
            let op = choice - usize::from(choice > self.completed);
            let waits = problem.hb[op] - *placed - problem.pending;
            let out_of_order = |last: usize| {
                op < last
                    && waits.is_empty()
                    && !problem.hb[op].contains(last)
                    && (problem.hb[op] & between).is_empty()
                    && problem.exchangeable(last, op)
            };
            if placed.contains(op)
                || node.left_out.contains(op)
                || self.deferrable.contains(op)
                || !waits.is_subset(&self.deferrable)
                || last.is_some_and(out_of_order)
            {
                continue;
            }
            let relevant_to = |viewer: usize| problem.relevant[viewer].contains(op);
            if problem.pending.contains(op) && !(problem.completed - *placed).iter().any(relevant_to) {
                continue;
            }
            return Some(Goal::Place(op));
        }
        None
    }

    /// The operation to place first toward a goal. Numbers of completed operations respect hb, so the least will do.
    fn first_toward(&self, goal: Goal) -> usize {
        let Partial { problem, placed, .. } = &self.partial;
        let waiting = self.deferrable & problem.completed;
        let (waiting, then) = match goal {
            Goal::Place(op) => ((waiting & problem.hb[op]) - *placed, op),
            Goal::Finish | Goal::Open => (waiting - *placed, 0),
        };
        waiting.next(0).unwrap_or(then)
    }

    /// Appends to `sets` what an operation may see at the end of lin: its minimal sets, or one that stands for all where they
    /// ask nothing of others.
    fn explanations(&mut self, op: usize) -> Result<(), Limit> {
        let problem = self.partial.problem;
        if self.generous {
            let seen = self.generous_set(op);
            self.sets.extend(seen);
            return Ok(());
        }
        if !problem.vis_matters {
            if problem.pending.contains(op) || self.partial.returns_here(op) {
                self.sets.push(self.partial.placed);
            } else {
                let forced = self.partial.closure(op, FixedSet::EMPTY);
                if let Some(seen) = self.partial.all_but_two(op, forced, problem.relevant[op]) {
                    self.sets.push(seen);
                } else if self.partial.explicable(op, forced, problem.relevant[op])? {
                    self.sets.push(forced);
                }
            }
            return Ok(());
        }
        let least = self.partial.closure(op, FixedSet::EMPTY);
        if problem.pending.contains(op) || self.partial.returns_after(op, least) {
            self.sets.push(least);
            return Ok(());
        }
        let unseen = problem.unseen(op);
        if unseen && self.partial.returns_here(op) {
            self.sets.push(self.partial.placed);
            return Ok(());
        }
        if self.partial.explicable(op, least, problem.relevant[op])? {
            self.minimal_sets(op, least, unseen)?;
        }
        Ok(())
    }

    /// A large set that an operation may see at the end of lin, or the least one.
    fn generous_set(&mut self, op: usize) -> Option<FixedSet<W>> {
        let problem = self.partial.problem;
        if problem.pending.contains(op) || self.partial.returns_here(op) {
            return Some(self.partial.placed);
        }
        let least = self.partial.closure(op, FixedSet::EMPTY);
        if self.partial.returns_after(op, least) {
            return Some(least);
        }
        let seen = self.partial.all_but_two(op, least, problem.relevant[op])?;
        (self.partial.closure(op, seen) == seen).then_some(seen)
    }

    /// Appends the minimal closed sets with more than the least one after which an operation returns what it must, by
    /// increasing size; with `one`, a single one.
    fn minimal_sets(&mut self, op: usize, least: FixedSet<W>, one: bool) -> Result<(), Limit> {
        let begin = self.sets.len();
        let candidates = (self.partial.problem.relevant[op] & self.partial.placed) - least;
        let members: Vec<usize> = candidates.iter().collect();
        for size in 1..=members.len() {
            let mut combination: Vec<usize> = (0..size).collect();
            loop {
                self.partial.visit(1)?;
                let chosen: FixedSet<W> = combination.iter().map(|&at| members[at]).collect();
                let known = self.sets[begin..].iter().any(|set| (*set & candidates).is_subset(&chosen));
                if !known {
                    let closed = self.partial.closure(op, least | chosen);
                    // A set that the closure makes larger has its turn among those of its size.
                    if closed & candidates == chosen && self.partial.returns_after(op, closed) {
                        self.sets.push(closed);
                        self.hold()?;
                        if one {
                            return Ok(());
                        }
                    }
                }
                if !next_combination(&mut combination, members.len()) {
                    break;
                }
            }
        }
        // The smallest come first.
        self.sets[begin..].reverse();
        Ok(())
    }

    /// The abstract execution that the search has come to.
    fn witness(&mut self) -> Result<AbstractExecution, Limit> {
        let problem = self.partial.problem;
        let Partial { lin, vis, before, .. } = &self.partial;
        if !problem.vis_matters && lin.iter().any(|&op| vis[op] != before[op]) {
            let lin = lin.clone();
            self.partial.keep(0);
            for op in lin {
                let found = self.partial.vis[op];
                let vis = if problem.pending.contains(op) {
                    self.partial.closure(op, FixedSet::EMPTY)
                } else if self.partial.returns_here(op) {
                    self.partial.placed
                } else if self.partial.returns_after(op, found) {
                    found
                } else {
                    let forced = self.partial.closure(op, FixedSet::EMPTY);
                    let explanation = self.partial.explanation(op, forced, problem.relevant[op])?;
                    explanation.expect("the search has found the operation explicable at this place")
                };
                self.partial.place(op, vis);
            }
        }
        Ok(self.partial.abstract_execution())
    }
}

/// The next of the increasing sequences of so many numbers below `bound`, in lexicographic order.
pub fn next_combination(combination: &mut [usize], bound: usize) -> bool {
    let size = combination.len();
    let Some(at) = (0..size).rev().find(|&at| combination[at] < bound - (size - at)) else { return false };
    combination[at] += 1;
    for later in at + 1..size {
        combination[later] = combination[later - 1] + 1;
    }
    true
}

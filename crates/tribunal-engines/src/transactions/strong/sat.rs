//! Choosing orders of writers with a SAT solver, with clauses for conflicts added lazily.
//!
//! A variable says which of two writers of a key comes first. Two writers get one only when saturation leaves them unordered, and there are no
//! clauses for transitivity: each assignment is assumed, pair by pair, and saturated; a conflict forbids the assumptions it depends on. An
//! assignment that survives and leaves nothing unordered is an order of the writers.
//!
//! If nothing is left that is not forbidden, the conflicts are the leaves of a tree of cases.

use super::super::{Because, End, KeyId, Link, Proof, Step, TxnId};
use super::proof::Part;
use super::saturation::{CommitSaturation, Ground, Halt};
use super::search::{Pair, Stop, cases};
use super::simulation::Simulated;
use crate::solver::{self, Solver, Variable};
use std::collections::BTreeSet;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

/// How deep cases may nest: certificates are read recursively.
const DEEPEST: usize = 500;

/// How many pairs to take up at once.
const PAIRS: usize = 16;

/// A pair, and whether its first comes first.
#[derive(Clone, Copy)]
struct Literal {
    pair: usize,
    forward: bool,
}

/// Literals that cannot all hold, and why.
struct Nogood {
    literals: Vec<Literal>,
    proof: Proof,
}

/// What the proof of a conflict takes.
fn bytes_of(proof: &Proof) -> usize {
    let path = |step: &Step| match &step.because {
        Because::List(_) => 0,
        Because::Seen { path, .. } | Because::Otherwise(path) => path.len(),
    };
    let links = proof.steps.iter().map(path).sum::<usize>();
    let cycle = if let End::Cycle(cycle) = &proof.end { cycle.len() } else { 0 };
    size_of::<Proof>() + proof.steps.len() * size_of::<Step>() + (links + cycle) * size_of::<Link>()
}

struct Assignments<'l> {
    solver: Solver<'l>,
    pairs: Vec<(Pair, Variable)>,
    nogoods: Vec<Nogood>,
    /// What is assumed, in this order, and the moments before.
    assumed: Vec<(Literal, usize)>,
    /// Bytes of the nogoods.
    bytes: usize,
}

impl CommitSaturation<'_> {
    /// An order of all writers, or why there is none; `hint` and `simulated` are those of [`search`](Self::search).
    pub(super) fn solve(
        &mut self,
        hint: &[u32],
        limits: &Limits<'_>,
        simulated: impl Fn(&Self) -> Result<Simulated, Limit>,
    ) -> Result<Option<Vec<TxnId>>, Stop> {
        limits.check_memory(self.bytes() + solver::EMPTY, self.states)?;
        let keys: Vec<KeyId> = self.accesses.keys().collect();
        self.notes = true;
        let mut assignments = Assignments {
            solver: Solver::new(limits),
            pairs: Vec::new(),
            nogoods: Vec::new(),
            assumed: Vec::new(),
            bytes: 0,
        };
        loop {
            self.states += 1;
            limits.check(self.states)?;
            limits.check_memory(self.bytes() + assignments.bytes(), self.states)?;
            if !assignments.solver.is_satisfiable(self.states)? {
                let tree = Tree { assignments: &assignments, limits, states: &mut self.states };
                return Err(Stop::Refuted(tree.refute()?));
            }
            if let Some(part) = assignments.assume(self, limits)? {
                assignments.learn(part);
                continue;
            }
            let in_the_way = match simulated(self)? {
                Ok(commits) => return Ok(Some(commits)),
                Err(keys) => keys,
            };
            let mut unordered = in_the_way.iter().chain(&keys).filter_map(|&key| {
                let (first, second) = self.unordered(key, hint)?;
                Some(Pair { key, first, second })
            });
            let Some(pair) = unordered.next() else { return Ok(None) };
            let more: Vec<Pair> = unordered.take(PAIRS - 1).filter(|other| *other != pair).collect();
            assignments.add(pair);
            more.into_iter().for_each(|pair| assignments.add(pair));
        }
    }
}

impl Assignments<'_> {
    fn bytes(&self) -> usize {
        self.solver.bytes() + self.bytes
    }

    fn add(&mut self, pair: Pair) {
        self.pairs.push((pair, self.solver.variable()));
    }

    /// Assumes the solver's assignment, from the first pair on in which it differs from what is assumed; gives the conflict it runs into.
    fn assume(
        &mut self,
        saturation: &mut CommitSaturation<'_>,
        limits: &Limits<'_>,
    ) -> Result<Option<Part>, Stop> {
        let value = |pair: usize| self.solver.value(self.pairs[pair].1);
        let same = self.assumed.iter().take_while(|(known, _)| value(known.pair) == known.forward).count();
        if let Some(&(_, mark)) = self.assumed.get(same) {
            saturation.undo(mark);
        }
        self.assumed.truncate(same);
        let mut at_hand = vec![false; self.pairs.len()];
        self.assumed.iter().for_each(|(known, _)| at_hand[known.pair] = true);
        for pair in (0..self.pairs.len()).filter(|&pair| !at_hand[pair]) {
            let forward = value(pair);
            let Pair { key, first, second } = self.pairs[pair].0.directed(forward);
            self.assumed.push((Literal { pair, forward }, saturation.mark()));
            let number = Ground::Assumed(self.assumed.len() as u32 - 1);
            let outcome = saturation.before(key, first, second, number);
            match outcome.and_then(|()| saturation.saturate(limits)) {
                Ok(()) => {}
                Err(Halt::Limit(limit)) => return Err(Stop::Limit(limit)),
                Err(Halt::Conflict(conflict)) => return Ok(Some(saturation.refute(conflict))),
                Err(Halt::Cyclic(cyclic)) => return Ok(Some(saturation.shortest(&cyclic))),
            }
        }
        Ok(None)
    }

    /// Forbids what a conflict depends on.
    fn learn(&mut self, part: Part) {
        let literals: Vec<Literal> =
            part.uses.iter().map(|&number| self.assumed[number as usize].0).collect();
        self.solver.forbid(literals.iter().map(|literal| (self.pairs[literal.pair].1, literal.forward)));
        self.bytes += size_of::<Nogood>() + literals.len() * size_of::<Literal>() + bytes_of(&part.proof);
        self.nogoods.push(Nogood { literals, proof: part.proof });
    }
}

/// The nogoods as a tree of cases, by unit propagation and splits; a split that its cases do not depend on is left out.
struct Tree<'a> {
    assignments: &'a Assignments<'a>,
    limits: &'a Limits<'a>,
    states: &'a mut u64,
}

impl Tree<'_> {
    fn refute(mut self) -> Result<Box<Part>, Stop> {
        let mut assigned = vec![None; self.assignments.pairs.len()];
        let mut bytes = self.assignments.bytes();
        self.under(&mut assigned, 0, &mut bytes)
    }

    /// Why nothing extends an assignment; what it uses are pairs.
    fn under(
        &mut self,
        assigned: &mut [Option<bool>],
        depth: usize,
        bytes: &mut usize,
    ) -> Result<Box<Part>, Stop> {
        *self.states += 1;
        self.limits.check(*self.states)?;
        let open = |nogood: &Nogood, assigned: &[Option<bool>]| -> Option<(usize, Option<Literal>)> {
            let (mut count, mut first) = (0, None);
            for &literal in &nogood.literals {
                match assigned[literal.pair] {
                    None => {
                        count += 1;
                        first = first.or(Some(literal));
                    }
                    Some(forward) if forward != literal.forward => return None,
                    Some(_) => {}
                }
            }
            Some((count, first))
        };
        let nogoods = self.assignments.nogoods.iter();
        let shortest = nogoods.filter_map(|nogood| Some((open(nogood, assigned)?, nogood)));
        let ((_, literal), nogood) =
            shortest.min_by_key(|((count, _), _)| *count).expect("the nogoods leave no assignment");
        let Some(literal) = literal else {
            *bytes += bytes_of(&nogood.proof);
            self.limits.check_memory(*bytes, *self.states)?;
            let uses: BTreeSet<u32> = nogood.literals.iter().map(|literal| literal.pair as u32).collect();
            return Ok(Box::new(Part { proof: nogood.proof.clone(), uses }));
        };
        if depth == DEEPEST {
            return Err(Stop::Limit(Limit::States { states: *self.states }));
        }
        let mut parts = Vec::with_capacity(2);
        for forward in [literal.forward, !literal.forward] {
            assigned[literal.pair] = Some(forward);
            let part = self.under(assigned, depth + 1, bytes);
            assigned[literal.pair] = None;
            let mut part = part?;
            if !part.uses.remove(&(literal.pair as u32)) {
                return Ok(part);
            }
            parts.push(part);
        }
        let (backward, forward) = (parts.pop().expect("two cases"), parts.pop().expect("two cases"));
        let pair = self.assignments.pairs[literal.pair].0.directed(literal.forward);
        Ok(cases(pair, *forward, *backward))
    }
}

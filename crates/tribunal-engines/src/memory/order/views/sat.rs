//! The search for an mo by a SAT solver (wSC+ENUM of Zennou et al. 2020), told of cycles as it runs into them.
//!
//! A variable says how mo orders a pair of writes that saturation leaves unordered. Pairs get one only when
//! the order of the graph has a write out of place, and there are no clauses for transitivity: each assignment is put into the graph,
//! case by case, and saturated; a conflict becomes a clause of the cases it depends on. If an assignment survives and no write
//! is out of place, the order of the graph is an mo.
//!
//! If the clauses are unsatisfiable, they are turned into a tree of case splits whose leaves are the conflicts.

use super::memory_order::MemoryOrderSweep;
use super::saturation::{Stop, ViewSaturation};
use super::search::{Explain, Outcome, PairsByReaders, in_order};
use crate::solver::{self, Solver, Variable};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::verdict::{Cycle, Limit, Refutation};

/// A pair of writes and whether mo has it as it is, rather than the other way around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Literal {
    pair: usize,
    forward: bool,
}

/// Literals that cannot all hold, and the cycle that they close.
struct Nogood {
    literals: Vec<Literal>,
    cycle: Cycle,
}

struct Pairs<'a> {
    solver: Solver<'a>,
    variables: Vec<Variable>,
    pairs: Vec<(EventId, EventId)>,
    nogoods: Vec<Nogood>,
    /// What is assumed in the graph, in this order.
    assumed: Vec<Literal>,
    /// What conflicts and variables take.
    bytes: usize,
}

pub(crate) fn search(
    x: &Execution,
    saturation: &mut ViewSaturation<'_>,
    explain: &impl Explain,
    limits: &Limits<'_>,
    states: &mut u64,
) -> Result<Outcome, Limit> {
    limits.check_memory(saturation.bytes() + solver::EMPTY, *states)?;
    let mut pairs = Pairs {
        solver: Solver::new(limits),
        variables: Vec::new(),
        pairs: Vec::new(),
        nogoods: Vec::new(),
        assumed: Vec::new(),
        bytes: 0,
    };
    let mut sweep = MemoryOrderSweep::new(x, saturation.twins());
    let popular = PairsByReaders::new(x, saturation, limits);
    loop {
        *states += 1;
        limits.check(*states)?;
        limits.check_memory(saturation.bytes() + pairs.bytes(), *states)?;
        if !pairs.solver.is_satisfiable(*states)? {
            return Ok(Outcome::Refuted(
                Tree { pairs: &pairs, limits, states, bytes: saturation.bytes() + pairs.bytes() }.refute()?,
            ));
        }
        if let Some((cycle, cases)) = pairs.put_into(saturation, explain, limits)? {
            pairs.learn(cycle, &cases);
            continue;
        }
        sweep.rewind(saturation.unchanged_before());
        match sweep.next(&saturation.graph) {
            None => return Ok(Outcome::Mo(in_order(x, &saturation.graph))),
            Some(pair) => pairs.add(popular.or(pair, saturation)),
        }
    }
}

impl Pairs<'_> {
    /// How many bytes pairs, conflicts and clauses take.
    fn bytes(&self) -> usize {
        self.bytes + self.solver.bytes()
    }

    fn add(&mut self, pair: (EventId, EventId)) {
        self.variables.push(self.solver.variable());
        self.pairs.push(pair);
    }

    /// Assumes the solver's assignment in the graph, from the first case on in which it differs from what is assumed there.
    /// On a conflict: its cycle, and the cases it depends on.
    fn put_into(
        &mut self,
        saturation: &mut ViewSaturation<'_>,
        explain: &impl Explain,
        limits: &Limits<'_>,
    ) -> Result<Option<(Cycle, Vec<u32>)>, Limit> {
        let value = |pair: usize| self.solver.value(self.variables[pair]);
        let same = self.assumed.iter().take_while(|literal| value(literal.pair) == literal.forward).count();
        while self.assumed.len() > same {
            self.assumed.pop();
            saturation.retract();
        }
        let mut at_hand = vec![false; self.pairs.len()];
        self.assumed.iter().for_each(|literal| at_hand[literal.pair] = true);
        for pair in (0..self.pairs.len()).filter(|&pair| !at_hand[pair]) {
            let forward = value(pair);
            let (a, b) = self.pairs[pair];
            let (first, second) = if forward { (a, b) } else { (b, a) };
            self.assumed.push(Literal { pair, forward });
            let outcome = saturation.assume(first, second).map_err(Stop::Conflict);
            match outcome.and_then(|()| saturation.run(limits)) {
                Ok(()) => {}
                Err(Stop::Limit(limit)) => return Err(limit),
                Err(Stop::Conflict(conflict)) => {
                    return Ok(Some(explain.explain(saturation, &conflict)));
                }
            }
        }
        Ok(None)
    }

    /// Forbids the cases of a conflict.
    fn learn(&mut self, cycle: Cycle, cases: &[u32]) {
        let literals: Vec<Literal> = cases.iter().map(|&case| self.assumed[case as usize - 1]).collect();
        self.solver.forbid(literals.iter().map(|literal| (self.variables[literal.pair], literal.forward)));
        self.bytes += size_of::<Nogood>() + literals.len() * size_of::<Literal>() + cycle.bytes();
        self.nogoods.push(Nogood { literals, cycle });
    }
}

/// The nogoods as a tree of splits, by unit propagation and case splits; a split that its refutations do not depend on is left
/// out.
struct Tree<'a> {
    pairs: &'a Pairs<'a>,
    limits: &'a Limits<'a>,
    states: &'a mut u64,
    /// What is held, and what the tree takes.
    bytes: usize,
}

impl Tree<'_> {
    fn refute(&mut self) -> Result<Refutation, Limit> {
        let mut assigned = vec![None; self.pairs.pairs.len()];
        self.under(&mut assigned).map(|(refutation, _)| refutation)
    }

    /// Why nothing extends an assignment, and which of its pairs that depends on.
    fn under(&mut self, assigned: &mut Vec<Option<bool>>) -> Result<(Refutation, Vec<bool>), Limit> {
        *self.states += 1;
        self.limits.check(*self.states)?;
        let open = |nogood: &Nogood, assigned: &[Option<bool>]| -> Option<Vec<Literal>> {
            let mut open = Vec::new();
            for &literal in &nogood.literals {
                match assigned[literal.pair] {
                    None => open.push(literal),
                    Some(forward) if forward != literal.forward => return None,
                    Some(_) => {}
                }
            }
            Some(open)
        };
        let shortest = self
            .pairs
            .nogoods
            .iter()
            .filter_map(|nogood| Some((open(nogood, assigned)?, nogood)))
            .min_by_key(|(open, _)| open.len())
            .expect("the nogoods leave no assignment");
        let (open, nogood) = shortest;
        let Some(&literal) = open.first() else {
            let mut rests_on = vec![false; assigned.len()];
            nogood.literals.iter().for_each(|literal| rests_on[literal.pair] = true);
            self.bytes += nogood.cycle.bytes() + 2 * size_of::<Refutation>();
            self.limits.check_memory(self.bytes, *self.states)?;
            return Ok((Refutation::Cycle(nogood.cycle.clone()), rests_on));
        };
        let mut cases = Vec::with_capacity(2);
        for forward in [literal.forward, !literal.forward] {
            assigned[literal.pair] = Some(forward);
            let (refutation, rests_on) = self.under(assigned)?;
            assigned[literal.pair] = None;
            if !rests_on[literal.pair] {
                return Ok((refutation, rests_on));
            }
            cases.push((refutation, rests_on));
        }
        let (second, rests_on_second) = cases.pop().expect("two cases");
        let (first, mut rests_on) = cases.pop().expect("two cases");
        rests_on.iter_mut().zip(rests_on_second).for_each(|(a, b)| *a |= b);
        rests_on[literal.pair] = false;
        let (a, b) = self.pairs.pairs[literal.pair];
        let (a, b) = if literal.forward { (a, b) } else { (b, a) };
        let (forward, backward) = (Box::new(first), Box::new(second));
        Ok((Refutation::Split { first: a, second: b, forward, backward }, rests_on))
    }
}

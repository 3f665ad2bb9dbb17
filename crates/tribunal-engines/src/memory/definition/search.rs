//! What saturation leaves open of the orders: [split](split::solve) by a SAT solver, for any checks (wSC+ENUM of Zennou et al. 2020 is the same for sc).
//!
//! A variable says how a choice orders two events. There is one only for pairs that some nogood names. An assignment is added as a whole to what is forced
//! without it, and saturated, unlike in the other theories, which assume case by case: here a saturation evaluates all checks, however little is new.
//! If nothing breaks, a candidate of the rest is evaluated. What breaks
//! becomes nogoods: of the edges that a failure depends on, or of a whole order where the check is not monotone. Every round adds a nogood that
//! its assignment breaks, and edges are finitely many.

use super::Decider;
use super::explain::Learned;
use super::orders::{Orders, is_total};
use super::saturate::{Added, Checks, Conflict, Reason, Stage};
use super::schedule::Schedule;
use crate::split::{self, Assign, Literal, Nogoods};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use tribunal_cat::evaluate::Evaluator;
use tribunal_cat::limits::{Limits, Stopped};
use tribunal_cat::plan::{ChoiceId, Condition};
use tribunal_cat::refutation::{Case, Clause, Edge, Refutation};
use tribunal_cat::relation::{Relation, Set};

/// The orders as a theory: a case puts an event before another. Its proofs are cases of the refutation.
struct Open<'a, 'p, 'l> {
    decider: &'a mut Decider<'p>,
    trail: &'a mut Vec<Stage>,
    /// How many stages assume nothing.
    saturated: usize,
    learned: Learned,
    refutation: Refutation,
    /// The clause of each nogood that was used.
    clauses: FxHashMap<usize, u32>,
    limits: &'a RefCell<&'l mut dyn Limits>,
    /// What was counted last: bytes of the decider, and states.
    counted: &'a Cell<(usize, u64)>,
}

impl Open<'_, '_, '_> {
    fn push(&mut self, case: Case) -> u32 {
        self.refutation.cases.push(case);
        self.refutation.cases.len() as u32 - 1
    }

    fn explain(&mut self, conflict: Conflict) -> Result<(), Stopped> {
        self.decider.explain(self.trail, conflict, &mut self.learned, &mut **self.limits.borrow_mut())
    }

    /// Whether a candidate holds; if not, why is learned.
    fn try_candidates(&mut self) -> Result<bool, Stopped> {
        self.decider.try_candidates(self.trail, &mut self.learned, &mut **self.limits.borrow_mut())
    }
}

impl Assign for Open<'_, '_, '_> {
    type Case = Edge;
    type Proof = u32;
    type Solution = ();
    type Limit = Stopped;

    fn count(&mut self, bytes: usize) -> Result<(), Stopped> {
        self.decider.states += 1;
        let (own, states) = (self.decider.bytes(), self.decider.states);
        self.counted.set((own, states));
        self.limits.borrow_mut().check(own + bytes, states)
    }

    fn nogoods(&self) -> &Nogoods<Edge> {
        &self.learned.nogoods
    }

    fn assign(&mut self, values: &[bool]) -> Result<Option<()>, Stopped> {
        self.trail.truncate(self.saturated);
        let literals = (0..).zip(values).map(|(variable, &forward)| Literal { variable, forward });
        let edges = literals.map(|literal| self.learned.nogoods.case(literal));
        let assumed = self.decider.assumed(self.trail, edges);
        let conflict = {
            let limits = &mut **self.limits.borrow_mut();
            if !assumed.is_empty() {
                let next = self.trail[self.trail.len() - 1].with(assumed, limits)?;
                self.trail.push(next);
            }
            self.decider.saturate(self.trail, Checks::Monotone, limits)?
        };
        let known = self.learned.fails.len();
        match conflict {
            Some(conflict) => self.explain(conflict)?,
            None if self.try_candidates()? => return Ok(Some(())),
            None => {}
        }
        if self.learned.fails.len() == known {
            debug_assert!(false, "every round has a new nogood");
            return Err(Stopped);
        }
        Ok(None)
    }

    fn leaf(&mut self, nogood: usize) -> (u32, usize) {
        let case = match &self.learned.fails[nogood] {
            None => Case::Cycle,
            Some((check, events)) => {
                let (nogoods, clauses) = (&self.learned.nogoods, &mut self.refutation.clauses);
                Case::Clause(*self.clauses.entry(nogood).or_insert_with(|| {
                    let edges = nogoods.all[nogood].iter().map(|&literal| nogoods.case(literal)).collect();
                    clauses.push(Clause { check: *check, edges, events: events.clone() });
                    clauses.len() as u32 - 1
                }))
            }
        };
        (self.push(case), size_of::<Case>())
    }

    fn join(&mut self, cases: Vec<(Edge, u32)>) -> u32 {
        let (edge, forward, backward) = split::two(cases);
        self.push(Case::Split { edge, forward, backward })
    }
}

impl Decider<'_> {
    /// Decides what saturation leaves open; nothing if there are orders, which the evaluator then has.
    pub(super) fn search(
        &mut self,
        trail: &mut Vec<Stage>,
        conflict: Option<Conflict>,
        limits: &mut dyn Limits,
    ) -> Result<Option<Refutation>, Stopped> {
        let (limits, counted) = (&RefCell::new(limits), &Cell::default());
        let (learned, saturated) = (Learned::new(), trail.len());
        let (refutation, clauses) = Default::default();
        let mut open =
            Open { decider: self, trail, saturated, learned, refutation, clauses, limits, counted };
        if let Some(conflict) = conflict {
            open.explain(conflict)?;
            split::refute(&mut open)?;
            return Ok(Some(open.refutation));
        }
        if open.try_candidates()? {
            return Ok(None);
        }
        let stop = |bytes: usize| {
            let (own, states) = counted.get();
            limits.borrow_mut().check(own + bytes, states).is_err()
        };
        let decided = split::solve(&mut open, stop)?;
        Ok(decided.is_err().then_some(open.refutation))
    }

    /// What is assumed beside the last stage.
    fn assumed(&self, trail: &[Stage], edges: impl Iterator<Item = Edge>) -> Vec<Added> {
        let last = &trail[trail.len() - 1];
        let mut all: Vec<Added> = Vec::new();
        for edge in edges {
            let choice = edge.choice as usize;
            let place = |event: usize| self.ranges[choice].place[event].unwrap_or_default();
            let ((class, first), (_, second)) = (place(edge.first), place(edge.second));
            let (class, first, second) = (class as usize, first as usize, second as usize);
            if last.orders[choice][class].contains(first, second) {
                continue;
            }
            let of = |added: &&mut Added| (added.choice, added.class) == (choice, class);
            match all.iter_mut().find(of) {
                Some(added) => added.pairs.insert(first, second),
                None => {
                    let size = self.ranges[choice].classes[class].len();
                    let pairs = Relation::of(size, [(first, second)]);
                    all.push(Added { choice, class, reason: Reason::Assumed, pairs });
                }
            }
        }
        all
    }

    /// Whether all checks hold on total orders that contain the last stage: along the relation of a check that must be
    /// acyclic. If not, why the first of them fails is a nogood.
    fn try_candidates(
        &mut self,
        trail: &mut Vec<Stage>,
        learned: &mut Learned,
        limits: &mut dyn Limits,
    ) -> Result<bool, Stopped> {
        let last = trail.len() - 1;
        if trail[last].is_total() {
            // Saturation has seen that monotone checks hold.
            let Some(check) = first_failure(&mut self.evaluator, &[&self.other], limits)? else {
                return Ok(true);
            };
            self.explain(trail, Conflict::Check(check), learned, limits)?;
            return Ok(false);
        }
        let acyclic = |check: usize| self.plan().checks[check].condition == Condition::Acyclic;
        let along: Vec<usize> = self.monotone.iter().rev().copied().filter(|&check| acyclic(check)).collect();
        let mut first = None;
        for check in along.into_iter().map(Some).chain([None]) {
            let Some(candidate) = self.candidate(&trail[last], check, limits)? else { continue };
            self.put_stage(&candidate, limits)?;
            let required: [&[usize]; 2] = [&self.monotone, &self.other];
            match first_failure(&mut self.evaluator, &required, limits)? {
                None => return Ok(true),
                Some(check) => {
                    first.get_or_insert((candidate, check));
                    self.put_stage(&trail[last], limits)?;
                }
            }
        }
        if let Some((candidate, check)) = first {
            trail.push(candidate);
            self.explain(trail, Conflict::Check(check), learned, limits)?;
            trail.pop();
        }
        Ok(false)
    }

    /// Total orders of all classes that contain a stage, along a check's relation if there is one and it has an order with them.
    fn candidate(
        &mut self,
        stage: &Stage,
        check: Option<usize>,
        limits: &mut dyn Limits,
    ) -> Result<Option<Stage>, Stopped> {
        let mut along = match check {
            Some(check) => self.evaluator.relation(self.plan().checks[check].node).clone(),
            None => Relation::empty(self.evaluator.size()),
        };
        let mut added = Vec::new();
        for (choice, orders) in stage.orders.iter().enumerate() {
            if is_total(orders) {
                continue;
            }
            along.extend(self.evaluator.choice(ChoiceId(choice as u32)));
            let order = match check {
                Some(check) => {
                    let node = self.plan().checks[check].node;
                    Schedule::new(&self.evaluator, node, &self.ranges, &along).order(limits)?
                }
                None => along.topological(),
            };
            let Some(order) = order else { return Ok(None) };
            let mut place = vec![0; order.len()];
            order.iter().enumerate().for_each(|(at, &event)| place[event] = at);
            for (class, events) in self.ranges[choice].classes.iter().enumerate() {
                added.push(Added {
                    choice,
                    class,
                    reason: Reason::Assumed,
                    pairs: along_places(events, &place),
                });
            }
        }
        let orders: Vec<Orders> = stage.orders.clone();
        for added in &mut added {
            added.pairs.subtract(&orders[added.choice][added.class]);
        }
        added.retain(|added| !added.pairs.is_empty());
        stage.with(added, limits).map(Some)
    }
}

/// The first check of these lists that fails.
fn first_failure(
    evaluator: &mut Evaluator<'_>,
    checks: &[&[usize]],
    limits: &mut dyn Limits,
) -> Result<Option<usize>, Stopped> {
    for &check in checks.iter().copied().flatten() {
        if !evaluator.holds_within(check, limits)? {
            return Ok(Some(check));
        }
    }
    Ok(None)
}

/// The total order of a class by places.
fn along_places(events: &[usize], place: &[usize]) -> Relation {
    let mut sorted: Vec<usize> = (0..events.len()).collect();
    sorted.sort_unstable_by_key(|&index| place[events[index]]);
    let mut order = Relation::empty(events.len());
    let mut after = Set::empty(events.len());
    for &index in sorted.iter().rev() {
        order.extend_row_with(index, &after);
        after.insert(index);
    }
    order
}

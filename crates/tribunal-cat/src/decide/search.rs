//! The search for orders by a SAT solver that is told of conflicts as they are met (wSC+ENUM of Zennou et al. 2020, for any checks).
//!
//! A variable says how a choice orders two events. There is one only for pairs that some nogood names, and no clauses for transitivity: each
//! assignment is added to what is forced without it, and saturated. If nothing breaks, a candidate of the rest is evaluated. What breaks
//! becomes nogoods: of the edges that a failure depends on, or of a whole order where the check is not monotone. Every round adds a nogood that
//! its assignment breaks, and edges are finitely many.

use super::Decider;
use super::explain::Nogoods;
use super::orders::{Orders, is_total};
use super::saturate::{Added, Checks, Conflict, Reason, Stage};
use super::schedule::Schedule;
use super::tree::Tree;
use crate::evaluate::Evaluator;
use crate::limits::{Limits, Stopped};
use crate::plan::{ChoiceId, Condition};
use crate::refutation::{Edge, Refutation};
use crate::relation::Relation;
use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, Var, clause, lbool};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Stops the solver at a limit.
struct Polling<'a> {
    limits: RefCell<&'a mut dyn Limits>,
    /// What is held beside the solver's clauses.
    held: usize,
    /// What clauses take.
    clauses: usize,
    states: u64,
}

impl Callbacks for Polling<'_> {
    fn on_new_clause(&mut self, literals: &[Lit], _: clause::Kind) {
        self.clauses += bytes_of_clause(literals);
    }

    fn on_delete_clause(&mut self, literals: &[Lit]) {
        self.clauses = self.clauses.saturating_sub(bytes_of_clause(literals));
    }

    fn stop(&self) -> bool {
        self.check().is_err()
    }
}

impl Polling<'_> {
    fn check(&self) -> Result<(), Stopped> {
        self.limits.borrow_mut().check(self.held + self.clauses, self.states)
    }
}

/// Its literals, a header, and two watches in lists with room to grow.
fn bytes_of_clause(literals: &[Lit]) -> usize {
    96 + 8 * literals.len()
}

/// What the solver takes before it has learned anything: room for a million words of clauses.
const SOLVER: usize = 4 << 20;

/// What an edge takes, with its variable in the solver.
const BYTES_PER_EDGE: usize = 400;

struct Variables<'a> {
    solver: Solver<Polling<'a>>,
    /// Of edges whose first event has the smaller number.
    variables: FxHashMap<Edge, Var>,
    edges: Vec<(Edge, Var)>,
    /// How many nogoods the solver knows.
    told: usize,
}

impl Variables<'_> {
    fn literal(&mut self, edge: Edge) -> Lit {
        let forward = edge.first < edge.second;
        let key = if forward { edge } else { edge.reversed() };
        let variable = *self.variables.entry(key).or_insert_with(|| {
            let variable = self.solver.new_var(lbool::TRUE, true);
            self.edges.push((key, variable));
            variable
        });
        Lit::new(variable, forward)
    }

    /// Tells the solver of new nogoods.
    fn tell(&mut self, nogoods: &Nogoods) {
        for nogood in &nogoods.all[self.told..] {
            let mut clause: Vec<Lit> = nogood.edges.iter().map(|&edge| !self.literal(edge)).collect();
            self.solver.add_clause_reuse(&mut clause);
        }
        self.told = nogoods.all.len();
    }

    /// What the solver's model says of each variable's events.
    fn assignment(&self) -> impl Iterator<Item = Edge> + '_ {
        let model = self.solver.get_model();
        let holds = move |variable: Var| model[variable.idx() as usize] == lbool::TRUE;
        self.edges.iter().map(move |&(edge, variable)| if holds(variable) { edge } else { edge.reversed() })
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
        let mut nogoods = Nogoods::default();
        if let Some(conflict) = conflict {
            self.explain(trail, conflict, &mut nogoods, limits)?;
            return Tree::new(&nogoods.all, limits, &mut self.states).refute().map(Some);
        }
        if self.try_candidates(trail, &mut nogoods, limits)? {
            return Ok(None);
        }
        let saturated = trail.len();
        limits.check(self.bytes() + SOLVER, self.states)?;
        let held = self.bytes() + SOLVER;
        let polling = Polling { limits: RefCell::new(limits), held, clauses: 0, states: self.states };
        let solver = Solver::new(SolverOpts::default(), polling);
        let mut variables = Variables { solver, variables: FxHashMap::default(), edges: Vec::new(), told: 0 };
        loop {
            variables.tell(&nogoods);
            self.states += 1;
            let held = self.bytes() + SOLVER + nogoods.bytes + variables.edges.len() * BYTES_PER_EDGE;
            let polling = variables.solver.cb_mut();
            (polling.held, polling.states) = (held, self.states);
            polling.check()?;
            match variables.solver.solve_limited(&[]) {
                satisfiable if satisfiable == lbool::TRUE => {}
                satisfiable if satisfiable == lbool::FALSE => {
                    let limits = variables.solver.cb_mut().limits.get_mut();
                    return Tree::new(&nogoods.all, *limits, &mut self.states).refute().map(Some);
                }
                _ => return Err(Stopped),
            }
            trail.truncate(saturated);
            let assumed = self.assumed(trail, variables.assignment());
            let limits = &mut **variables.solver.cb_mut().limits.get_mut();
            if !assumed.is_empty() {
                let next = trail[trail.len() - 1].with(assumed, limits)?;
                trail.push(next);
            }
            match self.saturate(trail, Checks::Monotone, limits)? {
                Some(conflict) => self.explain(trail, conflict, &mut nogoods, limits)?,
                None if self.try_candidates(trail, &mut nogoods, limits)? => return Ok(None),
                None => {}
            }
            if nogoods.all.len() == variables.told {
                debug_assert!(false, "every round has a new nogood");
                return Err(Stopped);
            }
        }
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
        nogoods: &mut Nogoods,
        limits: &mut dyn Limits,
    ) -> Result<bool, Stopped> {
        let last = trail.len() - 1;
        if trail[last].is_total() {
            // Saturation has seen that monotone checks hold.
            let Some(check) = first_failure(&mut self.evaluator, &[&self.other], limits)? else {
                return Ok(true);
            };
            self.explain(trail, Conflict::Check(check), nogoods, limits)?;
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
            self.explain(trail, Conflict::Check(check), nogoods, limits)?;
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
    let mut after = crate::relation::Set::empty(events.len());
    for &index in sorted.iter().rev() {
        order.extend_row_with(index, &after);
        after.insert(index);
    }
    order
}

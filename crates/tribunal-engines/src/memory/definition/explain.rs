//! Conflicts as nogoods: edges that cannot all be, each with the check that fails on them.
//!
//! A conflict depends on pairs of the orders. These come, by transitivity, from pairs that were added in stages: assumed ones are
//! literals of the nogood; forced ones are too, and each has a nogood of its own that says why it cannot be the other way around. So every
//! nogood holds of the model and the execution alone, and together they have no model where saturation ran into a conflict.

use super::Decider;
use super::saturate::{Added, Conflict, Reason, Stage};
use crate::split::{Literal, Nogoods};
use rustc_hash::{FxHashMap, FxHashSet};
use tribunal_cat::limits::{Limits, Stopped};
use tribunal_cat::refutation::Edge;
use tribunal_cat::relation::Relation;

/// The nogoods that were found.
pub(super) struct Learned {
    /// A variable is a pair of events that a choice orders: its first case has the event of the smaller number first.
    pub nogoods: Nogoods<Edge>,
    variables: FxHashMap<Edge, u32>,
    /// By nogood, the check that fails on its edges, with the events of the failure; none if they are a cycle.
    pub fails: Vec<Option<(usize, Vec<usize>)>>,
    /// Forced edges that have one.
    explained: FxHashSet<Edge>,
}

impl Learned {
    pub(super) fn new() -> Self {
        let (variables, fails, explained) = Default::default();
        Learned { nogoods: Nogoods::new(), variables, fails, explained }
    }

    fn push(&mut self, origins: &[Origin], fails: Option<(usize, Vec<usize>)>) {
        let literals = origins.iter().map(|&(edge, ..)| self.literal(edge)).collect();
        let events = fails.as_ref().map_or(0, |(_, events)| size_of_val(&events[..]));
        self.nogoods.forbid(literals, size_of_val(&fails) + events);
        self.fails.push(fails);
    }

    fn literal(&mut self, edge: Edge) -> Literal {
        let (forward, splits) = (edge.first < edge.second, &mut self.nogoods.splits);
        let key = if forward { edge } else { edge.reversed() };
        let variable = *self.variables.entry(key).or_insert_with(|| {
            splits.push((key, key.reversed()));
            splits.len() as u32 - 1
        });
        Literal { variable, forward }
    }
}

/// An edge that was added, why, and in which stage.
type Origin = (Edge, Reason, usize);

impl Decider<'_> {
    /// Adds a nogood for a conflict on the last stage, and those of the forced edges that it depends on.
    pub(super) fn explain(
        &mut self,
        trail: &mut Vec<Stage>,
        conflict: Conflict,
        learned: &mut Learned,
        limits: &mut dyn Limits,
    ) -> Result<(), Stopped> {
        let origins = match conflict {
            Conflict::Check(check) => self.origins_of_failure(trail, check, learned, limits)?,
            Conflict::Cycle { choice, class } => {
                let origins = self.origins_of_cycle(trail, choice, class);
                learned.push(&origins, None);
                origins
            }
        };
        let mut forced = origins;
        while let Some((edge, reason, stage)) = forced.pop() {
            let Reason::Check(check) = reason else { continue };
            if !learned.explained.insert(edge) {
                continue;
            }
            // The stage before it, with the edge the other way around.
            let later = trail.split_off(stage);
            let against = self.added_edge(edge.reversed());
            let last = trail[stage - 1].with(vec![against], limits)?;
            trail.push(last);
            forced.extend(self.origins_of_failure(trail, check, learned, limits)?);
            trail.pop();
            trail.extend(later);
        }
        Ok(())
    }

    fn added_edge(&self, edge: Edge) -> Added {
        let choice = edge.choice as usize;
        let place = |event: usize| self.ranges[choice].place[event].unwrap_or_default();
        let ((class, first), (_, second)) = (place(edge.first), place(edge.second));
        let size = self.ranges[choice].classes[class as usize].len();
        let pairs = Relation::of(size, [(first as usize, second as usize)]);
        Added { choice, class: class as usize, reason: Reason::Assumed, pairs }
    }

    /// Adds a nogood for a check that fails on the last stage.
    fn origins_of_failure(
        &mut self,
        trail: &[Stage],
        check: usize,
        learned: &mut Learned,
        limits: &mut dyn Limits,
    ) -> Result<Vec<Origin>, Stopped> {
        limits.check(0, 0)?;
        let last = &trail[trail.len() - 1];
        self.put_stage(last, limits)?;
        self.evaluator.holds_within(check, limits)?;
        let failure = self.evaluator.failure(check);
        debug_assert!(failure.is_some(), "check {check} fails on what forces its edges");
        let Some(failure) = failure else { return Ok(Vec::new()) };
        let mut origins = Vec::new();
        if failure.derivation.complete && self.monotone.contains(&check) {
            for (choice, a, b) in failure.derivation.chosen(self.plan()) {
                let place = |event: usize| self.ranges[choice.0 as usize].place[event].unwrap_or_default();
                let ((class, a), (_, b)) = (place(a), place(b));
                let pair = (a as usize, b as usize);
                self.expand(trail, choice.0 as usize, class as usize, pair, &mut origins);
            }
        } else {
            self.expand_all(trail, &mut origins);
        }
        origins.sort_unstable_by_key(|&(edge, ..)| edge);
        origins.dedup_by_key(|&mut (edge, ..)| edge);
        learned.push(&origins, Some((check, failure.events)));
        Ok(origins)
    }

    fn origins_of_cycle(&self, trail: &[Stage], choice: usize, class: usize) -> Vec<Origin> {
        let last = trail.len() - 1;
        let steps = self.steps(trail, last, choice, class);
        let mut origins = Vec::new();
        let cycle = steps.cycle().unwrap_or_default();
        let next = cycle.iter().cycle().skip(1);
        for (&a, &b) in cycle.iter().zip(next) {
            self.expand_step(trail, last, choice, class, (a, b), &mut origins);
        }
        origins.sort_unstable_by_key(|&(edge, ..)| edge);
        origins.dedup_by_key(|&mut (edge, ..)| edge);
        origins
    }

    /// What a stage closes: the orders of the stage before, and what was added.
    fn steps(&self, trail: &[Stage], stage: usize, choice: usize, class: usize) -> Relation {
        let mut steps = trail[stage - 1].orders[choice][class].clone();
        for added in trail[stage].added.iter().filter(|added| (added.choice, added.class) == (choice, class))
        {
            steps.extend(&added.pairs);
        }
        steps
    }

    /// The edges that a pair of the last stage comes from by transitivity.
    fn expand(
        &self,
        trail: &[Stage],
        choice: usize,
        class: usize,
        pair: (usize, usize),
        into: &mut Vec<Origin>,
    ) {
        self.expand_until(trail, trail.len() - 1, choice, class, pair, into);
    }

    fn expand_until(
        &self,
        trail: &[Stage],
        last: usize,
        choice: usize,
        class: usize,
        pair: (usize, usize),
        into: &mut Vec<Origin>,
    ) {
        let mut open = vec![(pair, last)];
        while let Some(((a, b), last)) = open.pop() {
            let has = |stage: &Stage| stage.orders[choice][class].contains(a, b);
            let Some(first) = trail[..=last].iter().position(has).filter(|&first| first > 0) else {
                continue;
            };
            let path = self.steps(trail, first, choice, class).path(a, b).unwrap_or_default();
            for step in path.windows(2) {
                let step = (step[0], step[1]);
                if trail[first - 1].orders[choice][class].contains(step.0, step.1) {
                    open.push((step, first - 1));
                } else {
                    into.extend(self.origin(trail, first, choice, class, step));
                }
            }
        }
    }

    fn expand_step(
        &self,
        trail: &[Stage],
        stage: usize,
        choice: usize,
        class: usize,
        step: (usize, usize),
        into: &mut Vec<Origin>,
    ) {
        if trail[stage - 1].orders[choice][class].contains(step.0, step.1) {
            self.expand_until(trail, stage - 1, choice, class, step, into);
        } else {
            into.extend(self.origin(trail, stage, choice, class, step));
        }
    }

    fn origin(
        &self,
        trail: &[Stage],
        stage: usize,
        choice: usize,
        class: usize,
        (a, b): (usize, usize),
    ) -> Option<Origin> {
        let of =
            |added: &&Added| (added.choice, added.class) == (choice, class) && added.pairs.contains(a, b);
        let added = trail[stage].added.iter().find(of)?;
        let events = &self.ranges[choice].classes[class];
        Some((Edge { choice: choice as u32, first: events[a], second: events[b] }, added.reason, stage))
    }

    /// Edges that all of the last stage follows from.
    fn expand_all(&self, trail: &[Stage], into: &mut Vec<Origin>) {
        let last = &trail[trail.len() - 1];
        for (choice, orders) in last.orders.iter().enumerate() {
            for (class, order) in orders.iter().enumerate() {
                let implied = order.sequence(order);
                for pair in order.pairs().filter(|&(a, b)| !implied.contains(a, b)) {
                    self.expand(trail, choice, class, pair, into);
                }
            }
        }
    }
}

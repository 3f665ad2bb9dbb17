//! Orders that grow by what the checks force: a pair that a check forbids is there the other way around, since orders are total.
//!
//! This goes on in stages: in each, what is ordered is evaluated once, and all pairs are forced that are forbidden then. Each
//! stage keeps what it added and why, so that a conflict can be traced back to what was assumed. Source: saturation as in Zennou et al. 2020, for
//! any checks that grow with the orders.

use super::Decider;
use super::orders::{Orders, is_order, is_total};
use tribunal_cat::limits::{Limits, Pace, Stopped};
use tribunal_cat::plan::ChoiceId;
use tribunal_cat::relation::{Relation, members};

/// The reason why pairs were added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// They were assumed.
    Assumed,
    /// A check forbids them the other way around, on what the stage before ordered.
    Check(usize),
}

/// Pairs that were added to a class.
#[derive(Clone, Debug)]
pub(super) struct Added {
    pub choice: usize,
    pub class: usize,
    pub reason: Reason,
    pub pairs: Relation,
}

/// What is ordered, of each choice, and what was added to the stage before.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    pub orders: Vec<Orders>,
    pub added: Vec<Added>,
}

/// What cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conflict {
    /// A check fails on the last stage.
    Check(usize),
    /// The last stage orders a class in a cycle.
    Cycle { choice: usize, class: usize },
}

impl Stage {
    /// The stage after this one, with more pairs.
    pub(super) fn with(&self, added: Vec<Added>, limits: &mut dyn Limits) -> Result<Stage, Stopped> {
        let mut orders = self.orders.clone();
        for added in &added {
            orders[added.choice][added.class].extend(&added.pairs);
        }
        let mut pace = Pace::new(limits);
        for added in &added {
            orders[added.choice][added.class].close_within(&mut pace)?;
        }
        Ok(Stage { orders, added })
    }

    pub(super) fn is_total(&self) -> bool {
        self.orders.iter().all(is_total)
    }

    /// The first class that is ordered in a cycle.
    pub(super) fn cycle(&self) -> Option<Conflict> {
        self.orders.iter().enumerate().find(|(_, orders)| !is_order(orders)).and_then(|(choice, orders)| {
            let class = orders.iter().position(|order| !order.is_irreflexive())?;
            Some(Conflict::Cycle { choice, class })
        })
    }
}

/// The checks that force pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Checks {
    /// Those that go on failing when choices grow.
    Monotone,
    /// Those that go on failing when choices grow, and facts that vary.
    Partial,
}

impl Decider<'_> {
    fn checks(&self, checks: Checks) -> &[usize] {
        match checks {
            Checks::Monotone => &self.monotone,
            Checks::Partial => &self.partial,
        }
    }

    /// Adds stages until nothing more is forced, or something cannot be.
    pub(super) fn saturate(
        &mut self,
        trail: &mut Vec<Stage>,
        checks: Checks,
        limits: &mut dyn Limits,
    ) -> Result<Option<Conflict>, Stopped> {
        loop {
            self.states += 1;
            limits.check(self.bytes(), self.states)?;
            let Some(last) = trail.last() else { return Ok(None) };
            if let Some(cycle) = last.cycle() {
                return Ok(Some(cycle));
            }
            self.put_stage(last, limits)?;
            for index in 0..self.checks(checks).len() {
                let check = self.checks(checks)[index];
                if !self.evaluator.holds_within(check, limits)? {
                    return Ok(Some(Conflict::Check(check)));
                }
            }
            if last.is_total() {
                return Ok(None);
            }
            let added = self.forced(last, checks, limits)?;
            if added.is_empty() {
                return Ok(None);
            }
            let next = last.with(added, limits)?;
            trail.push(next);
        }
    }

    /// Gives the choices the orders of a stage.
    pub(super) fn put_stage(&mut self, stage: &Stage, limits: &mut dyn Limits) -> Result<(), Stopped> {
        let mut pace = Pace::new(limits);
        for (choice, orders) in stage.orders.iter().enumerate() {
            let range = &self.ranges[choice];
            let mut gathered = Ok(());
            self.evaluator.choose_with(ChoiceId(choice as u32), |into| {
                gathered = range.gather(orders, into, &mut pace);
            });
            gathered?;
        }
        Ok(())
    }

    /// The pairs that checks force on a stage that is evaluated. A pair is forced once, by the first check that does.
    fn forced(
        &mut self,
        stage: &Stage,
        checks: Checks,
        limits: &mut dyn Limits,
    ) -> Result<Vec<Added>, Stopped> {
        let mut pace = Pace::new(limits);
        let mut all: Vec<Added> = Vec::new();
        let ranges = &self.ranges;
        // For each class, what is not ordered and not forced so far.
        let mut open: Vec<Vec<Relation>> =
            stage.orders.iter().map(|orders| orders.iter().map(incomparable).collect()).collect();
        let checks = match checks {
            Checks::Monotone => &self.monotone,
            Checks::Partial => &self.partial,
        };
        for &check in checks {
            self.forbidden.of_check(&self.evaluator, check, &mut pace, |choice, marks, pace| {
                let choice = choice.0 as usize;
                for (class, events) in ranges[choice].classes.iter().enumerate() {
                    let open = &mut open[choice][class];
                    let mut pairs: Option<Relation> = None;
                    for (a, &event) in events.iter().enumerate() {
                        let mut looked = open.row(a).len();
                        for b in members(open.row(a)) {
                            looked += 1;
                            if marks.contains(event, events[b]) {
                                pairs.get_or_insert_with(|| Relation::empty(events.len())).insert(b, a);
                            }
                        }
                        pace.spend(looked)?;
                    }
                    if let Some(pairs) = pairs {
                        pairs.pairs().for_each(|(b, a)| open.remove(a, b));
                        all.push(Added { choice, class, reason: Reason::Check(check), pairs });
                    }
                }
                Ok(())
            })?;
        }
        Ok(all)
    }
}

/// The pairs that an order leaves open, both ways.
fn incomparable(order: &Relation) -> Relation {
    let mut open = order.complement();
    open.subtract(&order.inverse());
    (0..order.size()).for_each(|event| open.remove(event, event));
    open
}

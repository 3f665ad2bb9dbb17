//! Deciding the orders that a model's text requires: whether an execution has a coherence order, or other chosen orders, on which no check fails.
//!
//! This is among the engines, not beside the language in `tribunal-cat`, because it is not trusted, and splits cases as the other engines do. `tribunal-litmus`
//! depends on the engines for it: a crate of its own below both would hold this folder and `split`, and save them alone the rest of the engines,
//! which the command needs anyway.

mod enumerate;
mod explain;
mod forbidden;
pub(super) mod history;
mod orders;
mod saturate;
mod schedule;
mod search;

use forbidden::Forbidden;
use orders::{Orders, Range, is_order};
use saturate::{Checks, Stage};
use std::cmp::Reverse;
use std::ops::ControlFlow;
use tribunal_cat::evaluate::{Evaluator, UnknownName};
use tribunal_cat::limits::{Limits, Pace, Stopped};
use tribunal_cat::plan::{Check, ChoiceId, Effect, Facts, Orders as Domain, Plan};
use tribunal_cat::polarity::{Polarities, Polarity};
use tribunal_cat::refutation::{Case, Clause, Refutation};
use tribunal_cat::relation::Relation;

/// Decides one execution after another.
#[derive(Clone, Debug)]
pub struct Decider<'p> {
    evaluator: Evaluator<'p>,
    /// The events that are of one location.
    same_location: Relation,
    /// Required checks that no choice matters to.
    free: Vec<usize>,
    /// For each choice, required checks that go on failing whatever it and those after it become, and that depend on them.
    growing: Vec<Vec<usize>>,
    /// All other required checks.
    other: Vec<usize>,
    /// Required checks that go on failing when the facts that vary grow, and the choices with them.
    partial: Vec<usize>,
    /// Required checks that go on failing whatever the choices become that contain the present ones, and that depend on them.
    monotone: Vec<usize>,
    /// Whether what choices range over does not depend on other choices.
    independent: bool,
    /// What they range over, on this execution.
    ranges: Vec<Range>,
    forbidden: Forbidden,
    /// The number of candidates that there have been.
    states: u64,
}

/// The number of relations that marking takes, in most models: where it is more, it is counted once it is known.
const MARKS: usize = 8;

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Orders on which every required check holds: for each choice and each of its classes, the events in order.
    Consistent(Vec<Vec<Vec<usize>>>),
    /// There are none. The reason is given only if the range of each choice is independent of the other choices.
    Inconsistent(Option<Refutation>),
}

impl<'p> Decider<'p> {
    /// `varying`: the facts that [`change`](Self::change) may replace while the others stay, usually `rf`.
    pub fn new(plan: &'p Plan, varying: &[&str]) -> Self {
        let choices: Vec<u32> = (0..plan.choices.len() as u32).collect();
        let required: Vec<usize> =
            (0..plan.checks.len()).filter(|&c| plan.checks[c].effect == Effect::Require).collect();
        let by_choice: Vec<Polarities> =
            choices.iter().map(|&c| Polarities::of(plan, &[], &choices[c as usize..])).collect();
        let all = Polarities::of(plan, &[], &choices);
        let facts = Polarities::of(plan, varying, &choices);
        let failure = |polarities: &Polarities, check: usize| polarities.failure(&plan.checks[check]);
        let free: Vec<usize> =
            required.iter().copied().filter(|&c| failure(&all, c) == Polarity::Free).collect();
        let growing: Vec<Vec<usize>> = by_choice
            .iter()
            .map(|polarities| {
                required.iter().copied().filter(|&c| failure(polarities, c) == Polarity::Monotone).collect()
            })
            .collect();
        let decided = |c: &usize| {
            free.contains(c) || growing.last().is_some_and(|growing: &Vec<usize>| growing.contains(c))
        };
        let other = required.iter().copied().filter(|c| !decided(c)).collect();
        let partial = required.iter().copied().filter(|&c| failure(&facts, c).grows()).collect();
        let evaluator = Evaluator::new(plan, varying);
        let monotone = required.iter().copied().filter(|&c| failure(&all, c) == Polarity::Monotone).collect();
        let independent = plan.choices.iter().all(|choice| {
            let (Domain::Locations { events, base } | Domain::Linearizations { events, base }) = choice.from;
            !evaluator.moves(events) && !evaluator.moves(base)
        });
        Decider {
            evaluator,
            same_location: Relation::empty(0),
            free,
            growing,
            other,
            partial,
            monotone,
            independent,
            ranges: Vec::new(),
            forbidden: Forbidden::default(),
            states: 0,
        }
    }

    /// The plan that is decided.
    pub fn plan(&self) -> &'p Plan {
        self.evaluator.plan()
    }

    /// The evaluator, with the choices of the last answer.
    pub fn evaluator(&mut self) -> &mut Evaluator<'p> {
        &mut self.evaluator
    }

    /// Loads the facts of an execution.
    pub fn load(&mut self, facts: &dyn Facts) -> Result<(), UnknownName> {
        self.states = 0;
        self.evaluator.load(facts)?;
        self.same_location.reset(facts.size());
        let by_location =
            self.plan().choices.iter().any(|choice| matches!(choice.from, Domain::Locations { .. }));
        if by_location && !facts.relation("loc", &mut self.same_location) {
            return Err(UnknownName { name: "loc".into() });
        }
        Ok(())
    }

    /// Replaces some of the varying facts of the same execution; `loc` stays.
    pub fn change(&mut self, facts: &dyn Facts, names: &[&str]) -> Result<(), UnknownName> {
        self.evaluator.change(facts, names)
    }

    /// Whether every execution with these facts, or more of the varying ones, is inconsistent: a part of rf can be refuted before it is complete.
    /// The answer `false` is inconclusive.
    pub fn is_refuted(&mut self, extra: &[(usize, usize)], limits: &mut dyn Limits) -> Result<bool, Stopped> {
        let Some(mut trail) = self.begin(extra, limits)? else { return Ok(true) };
        if self.independent {
            return Ok(self.saturate(&mut trail, Checks::Partial, limits)?.is_some());
        }
        self.put_stage(&trail[0], limits)?;
        for index in 0..self.partial.len() {
            if !self.evaluator.holds_within(self.partial[index], limits)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether some choices satisfy every required check; `extra` are pairs that the first choice must contain, from the other writes of a location
    /// to its last one. If so, the [evaluator](Self::evaluator) has them.
    pub fn is_consistent(
        &mut self,
        extra: &[(usize, usize)],
        limits: &mut dyn Limits,
    ) -> Result<bool, Stopped> {
        Ok(self.solve(extra, false, limits)?.is_none())
    }

    /// Decides, and says why.
    pub fn decide(&mut self, extra: &[(usize, usize)], limits: &mut dyn Limits) -> Result<Verdict, Stopped> {
        match self.solve(extra, true, limits)? {
            Some(refutation) => Ok(Verdict::Inconsistent(refutation)),
            None => {
                let choices = 0..self.plan().choices.len();
                let orders = choices.map(|choice| self.in_order(choice, extra, limits));
                Ok(Verdict::Consistent(orders.collect::<Result<_, _>>()?))
            }
        }
    }

    /// The memory for deciding an execution of this many events, without a search: the values of relations, and the marks of what checks force.
    /// Ask before [`load`](Self::load) if memory is limited.
    pub fn bytes_for(&self, size: usize) -> usize {
        self.evaluator.bytes_for(size) + MARKS * Relation::bytes(size)
    }

    fn bytes(&self) -> usize {
        self.evaluator.bytes() + self.forbidden.bytes().max(MARKS * Relation::bytes(self.evaluator.size()))
    }

    /// The classes of a choice that the evaluator has total orders of, in order.
    fn in_order(
        &mut self,
        choice: usize,
        extra: &[(usize, usize)],
        limits: &mut dyn Limits,
    ) -> Result<Vec<Vec<usize>>, Stopped> {
        let (mut range, _) = self.range_of(choice, extra, limits)?;
        let order = self.evaluator.choice(ChoiceId(choice as u32));
        // An order has only pairs within a class: the fewer an event is before, the later it is.
        let after = |event: usize| order.row(event).iter().map(|word| word.count_ones()).sum::<u32>();
        range.classes.iter_mut().for_each(|class| class.sort_by_cached_key(|&event| Reverse(after(event))));
        Ok(range.classes)
    }

    /// Nothing if there are orders, which the evaluator then has; otherwise why there are none, if asked for and known.
    fn solve(
        &mut self,
        extra: &[(usize, usize)],
        explain: bool,
        limits: &mut dyn Limits,
    ) -> Result<Option<Option<Refutation>>, Stopped> {
        if !self.independent {
            let any = self.enumerate(extra, limits, &mut |_, _| Ok(ControlFlow::Break(())))?.is_break();
            return Ok(if any { None } else { Some(None) });
        }
        limits.check(self.bytes(), self.states)?;
        for index in 0..self.free.len() {
            let check = self.free[index];
            if !self.evaluator.holds_within(check, limits)? {
                return Ok(Some(explain.then(|| self.without_orders(check))));
            }
        }
        let Some(mut trail) = self.begin(extra, limits)? else {
            return Ok(Some(explain.then(|| Refutation { clauses: Vec::new(), cases: vec![Case::Cycle] })));
        };
        let conflict = self.saturate(&mut trail, Checks::Monotone, limits)?;
        if conflict.is_some() && !explain {
            return Ok(Some(None));
        }
        if conflict.is_none() && !self.other.is_empty() && !explain {
            // Nogoods of whole orders do not help: going through them costs less.
            let any =
                self.enumerate_after(&trail, limits, &mut |_, _| Ok(ControlFlow::Break(())))?.is_break();
            return Ok(if any { None } else { Some(None) });
        }
        Ok(self.search(&mut trail, conflict, limits)?.map(Some))
    }

    /// What all orders contain, as a first stage; nothing if they would have a cycle.
    fn begin(
        &mut self,
        extra: &[(usize, usize)],
        limits: &mut dyn Limits,
    ) -> Result<Option<Vec<Stage>>, Stopped> {
        self.ranges.clear();
        let mut least = Vec::new();
        for choice in 0..self.plan().choices.len() {
            let (range, orders) = self.range_of(choice, extra, limits)?;
            if !is_order(&orders) {
                return Ok(None);
            }
            self.ranges.push(range);
            least.push(orders);
        }
        Ok(Some(vec![Stage { orders: least, added: Vec::new() }]))
    }

    /// A check fails that no choice matters to.
    fn without_orders(&mut self, check: usize) -> Refutation {
        let events = self.evaluator.failure(check).map(|failure| failure.events).unwrap_or_default();
        Refutation {
            clauses: vec![Clause { check, edges: Vec::new(), events }],
            cases: vec![Case::Clause(0)],
        }
    }

    /// Like [`is_consistent`](Self::is_consistent), and marks the checks that are raised by some consistent choices: flags that hold,
    /// `undefined_unless` and `assert` that fail. Checks that are already marked are skipped.
    pub fn judge(
        &mut self,
        extra: &[(usize, usize)],
        raised: &mut [bool],
        limits: &mut dyn Limits,
    ) -> Result<bool, Stopped> {
        let can_raise = |check: &Check, raised: bool| {
            check.effect != Effect::Require && !raised && self.evaluator.moves(check.node)
        };
        if !self.plan().checks.iter().zip(&*raised).any(|(check, &raised)| can_raise(check, raised)) {
            let consistent = self.is_consistent(extra, limits)?;
            if consistent {
                self.raise(raised, limits)?;
            }
            return Ok(consistent);
        }
        let mut any = false;
        let _ = self.enumerate(extra, limits, &mut |decider, limits| {
            any = true;
            Ok(if decider.raise(raised, limits)? {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })?;
        Ok(any)
    }

    /// The number of consistent values of the choices; marks what they raise.
    pub fn count(
        &mut self,
        extra: &[(usize, usize)],
        raised: &mut [bool],
        limits: &mut dyn Limits,
    ) -> Result<u64, Stopped> {
        let mut count = 0;
        let _ = self.enumerate(extra, limits, &mut |decider, limits| {
            count += 1;
            decider.raise(raised, limits)?;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(count)
    }

    /// Marks what the present choices raise; whether no other choices can raise more.
    fn raise(&mut self, raised: &mut [bool], limits: &mut dyn Limits) -> Result<bool, Stopped> {
        let mut all = true;
        for (check, raised) in raised.iter_mut().enumerate() {
            let raises_if = match self.plan().checks[check].effect {
                Effect::Require => continue,
                Effect::Flag => true,
                Effect::UndefinedUnless | Effect::Assert => false,
            };
            *raised |= !*raised && self.evaluator.holds_within(check, limits)? == raises_if;
            all &= *raised || !self.evaluator.moves(self.plan().checks[check].node);
        }
        Ok(all)
    }

    /// What a choice ranges over, and what all its orders contain.
    fn range_of(
        &mut self,
        choice: usize,
        extra: &[(usize, usize)],
        limits: &mut dyn Limits,
    ) -> Result<(Range, Orders), Stopped> {
        let by_location = matches!(self.plan().choices[choice].from, Domain::Locations { .. });
        let (events, base) = self.evaluator.domain(choice, limits)?;
        let same = by_location.then_some(&self.same_location);
        let extra = if choice == 0 { extra } else { &[] };
        Range::new(events, same, base, extra, &mut Pace::new(limits))
    }

    fn free_checks_hold(&mut self, limits: &mut dyn Limits) -> Result<bool, Stopped> {
        all_hold(&mut self.evaluator, &self.free, limits)
    }

    fn growing_checks_hold(&mut self, choice: usize, limits: &mut dyn Limits) -> Result<bool, Stopped> {
        all_hold(&mut self.evaluator, &self.growing[choice], limits)
    }

    fn other_checks_hold(&mut self, limits: &mut dyn Limits) -> Result<bool, Stopped> {
        all_hold(&mut self.evaluator, &self.other, limits)
    }
}

fn all_hold(
    evaluator: &mut Evaluator<'_>,
    checks: &[usize],
    limits: &mut dyn Limits,
) -> Result<bool, Stopped> {
    for &check in checks {
        if !evaluator.holds_within(check, limits)? {
            return Ok(false);
        }
    }
    Ok(true)
}

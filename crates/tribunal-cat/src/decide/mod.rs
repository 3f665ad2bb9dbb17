//! Deciding the orders that a model asks for: whether an execution has a coherence order, or whatever else is chosen, on which no check fails.

mod enumerate;
mod orders;

use crate::evaluate::{Evaluator, UnknownName};
use crate::limits::{Limits, Stopped};
use crate::plan::{ChoiceId, Effect, Facts, Orders as Range, Plan};
use crate::polarity::{Polarities, Polarity};
use crate::relation::Relation;
use orders::Orders;
use std::ops::ControlFlow;

/// Decides one execution after another.
#[derive(Debug)]
pub struct Decider<'p> {
    evaluator: Evaluator<'p>,
    /// Which events are of one location.
    same_location: Relation,
    /// Required checks that no choice matters to.
    free: Vec<usize>,
    /// For each choice, required checks that go on failing whatever it and those after it become, and that depend on them.
    growing: Vec<Vec<usize>>,
    /// All other required checks.
    other: Vec<usize>,
    /// Required checks that go on failing when the facts that vary grow, and the choices with them.
    partial: Vec<usize>,
    /// How many candidates there have been.
    states: u64,
}

impl<'p> Decider<'p> {
    /// `varying`: the facts that [`change`](Self::change) will be asked for, while the others stay: `rf`, most often.
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
        Decider { evaluator, same_location: Relation::empty(0), free, growing, other, partial, states: 0 }
    }

    /// The plan that is decided.
    pub fn plan(&self) -> &'p Plan {
        self.evaluator.plan()
    }

    /// What is evaluated, with the choices of the last answer.
    pub fn evaluator(&mut self) -> &mut Evaluator<'p> {
        &mut self.evaluator
    }

    /// Takes the facts of an execution.
    pub fn load(&mut self, facts: &dyn Facts) -> Result<(), UnknownName> {
        self.states = 0;
        self.evaluator.load(facts)?;
        self.same_location.reset(facts.size());
        let by_location =
            self.plan().choices.iter().any(|choice| matches!(choice.from, Range::Locations { .. }));
        if by_location && !facts.relation("loc", &mut self.same_location) {
            return Err(UnknownName { name: "loc".into() });
        }
        Ok(())
    }

    /// Takes some facts anew, of those that vary, of the same execution: `loc` stays.
    pub fn change(&mut self, facts: &dyn Facts, names: &[&str]) -> Result<(), UnknownName> {
        self.evaluator.change(facts, names)
    }

    /// Whether no execution is consistent that has these facts, or more of those that vary: part of rf can be refuted before all of it is placed.
    /// Where it answers no, there may be none nevertheless.
    pub fn is_refuted(&mut self, extra: &[(usize, usize)]) -> bool {
        for choice in 0..self.plan().choices.len() {
            let orders = self.orders_of(choice, extra);
            if !orders.any {
                return true;
            }
            self.evaluator.choose(ChoiceId(choice as u32), &orders.least);
        }
        (0..self.partial.len()).any(|index| !self.evaluator.holds(self.partial[index]))
    }

    /// Whether the choices have values on which every required check holds; `extra` are pairs that the first choice is to contain: to the last
    /// write of a location from the others. If so the [evaluator](Self::evaluator) has them.
    pub fn is_consistent(
        &mut self,
        extra: &[(usize, usize)],
        limits: &mut dyn Limits,
    ) -> Result<bool, Stopped> {
        Ok(self.enumerate(extra, limits, &mut |_| ControlFlow::Break(()))?.is_break())
    }

    /// As [`is_consistent`](Self::is_consistent), and marks the checks that raise something on some consistent value of the choices: flags that hold,
    /// `undefined_unless` and `assert` that fail. Those that are marked already are not looked at.
    pub fn judge(
        &mut self,
        extra: &[(usize, usize)],
        raised: &mut [bool],
        limits: &mut dyn Limits,
    ) -> Result<bool, Stopped> {
        let mut any = false;
        let _ = self.enumerate(extra, limits, &mut |decider| {
            any = true;
            if decider.raise(raised) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(any)
    }

    /// How many consistent values the choices have; marks what they raise.
    pub fn count(
        &mut self,
        extra: &[(usize, usize)],
        raised: &mut [bool],
        limits: &mut dyn Limits,
    ) -> Result<u64, Stopped> {
        let mut count = 0;
        let _ = self.enumerate(extra, limits, &mut |decider| {
            count += 1;
            decider.raise(raised);
            ControlFlow::Continue(())
        })?;
        Ok(count)
    }

    /// Marks what the present choices raise; whether no other choices can raise more.
    fn raise(&mut self, raised: &mut [bool]) -> bool {
        let mut all = true;
        for (check, raised) in raised.iter_mut().enumerate() {
            let raises_if = match self.plan().checks[check].effect {
                Effect::Require => continue,
                Effect::Flag => true,
                Effect::UndefinedUnless | Effect::Assert => false,
            };
            *raised |= !*raised && self.evaluator.holds(check) == raises_if;
            all &= *raised;
        }
        all
    }

    fn orders_of(&mut self, choice: usize, extra: &[(usize, usize)]) -> Orders {
        let (same, events, base) = match self.plan().choices[choice].from {
            Range::Locations { events, base } => (Some(&self.same_location), events, base),
            Range::Linearisations { events, base } => (None, events, base),
        };
        let events = self.evaluator.set(events).clone();
        let mut orders = Orders::new();
        orders.reset(&events, same, self.evaluator.relation(base), if choice == 0 { extra } else { &[] });
        orders
    }

    fn free_checks_hold(&mut self) -> bool {
        self.free.iter().all(|&check| self.evaluator.holds(check))
    }

    fn growing_checks_hold(&mut self, choice: usize) -> bool {
        self.growing[choice].iter().all(|&check| self.evaluator.holds(check))
    }

    fn other_checks_hold(&mut self) -> bool {
        self.other.iter().all(|&check| self.evaluator.holds(check))
    }
}

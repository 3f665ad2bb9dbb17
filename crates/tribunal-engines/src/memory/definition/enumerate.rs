//! Every value of the choices, one after the other, skipping those in which what was ordered so far already breaks a check.

use super::Decider;
use super::orders::{Orders, Range, add_closed, is_order, unordered};
use super::saturate::{Checks, Stage};
use std::ops::ControlFlow;
use tribunal_cat::limits::{Limits, Pace, Stopped};
use tribunal_cat::plan::ChoiceId;

type Visit<'v, 'p> = dyn FnMut(&mut Decider<'p>, &mut dyn Limits) -> Result<ControlFlow<()>, Stopped> + 'v;

/// A choice that is being ordered.
struct Ordering<'a> {
    choice: usize,
    range: &'a Range,
    start: Start<'a>,
}

/// Where to begin.
#[derive(Clone, Copy)]
enum Start<'a> {
    /// With what every order contains, and these pairs.
    Least(&'a [(usize, usize)]),
    /// With what saturation has found.
    Saturated(&'a Stage),
}

impl<'p> Decider<'p> {
    /// Visits every consistent value of the choices, until told to stop.
    pub(super) fn enumerate(
        &mut self,
        extra: &[(usize, usize)],
        limits: &mut dyn Limits,
        visit: &mut Visit<'_, 'p>,
    ) -> Result<ControlFlow<()>, Stopped> {
        if !self.free_checks_hold(limits)? {
            return Ok(ControlFlow::Continue(()));
        }
        if !self.independent {
            return self.choose_from(0, Start::Least(extra), limits, visit);
        }
        let Some(mut trail) = self.begin(extra, limits)? else { return Ok(ControlFlow::Continue(())) };
        match self.saturate(&mut trail, Checks::Monotone, limits)? {
            Some(_) => Ok(ControlFlow::Continue(())),
            None => self.enumerate_after(&trail, limits, visit),
        }
    }

    /// The same after saturation, with checks that no choice matters to known to hold.
    pub(super) fn enumerate_after(
        &mut self,
        trail: &[Stage],
        limits: &mut dyn Limits,
        visit: &mut Visit<'_, 'p>,
    ) -> Result<ControlFlow<()>, Stopped> {
        self.choose_from(0, Start::Saturated(&trail[trail.len() - 1]), limits, visit)
    }

    fn choose_from(
        &mut self,
        choice: usize,
        start: Start<'_>,
        limits: &mut dyn Limits,
        visit: &mut Visit<'_, 'p>,
    ) -> Result<ControlFlow<()>, Stopped> {
        if choice == self.plan().choices.len() {
            let hold = self.other_checks_hold(limits)?;
            return if hold { visit(self, limits) } else { Ok(ControlFlow::Continue(())) };
        }
        let (range, orders) = match start {
            Start::Least(extra) => self.range_of(choice, extra, limits)?,
            Start::Saturated(stage) => (self.ranges[choice].clone(), stage.orders[choice].clone()),
        };
        if !is_order(&orders) {
            return Ok(ControlFlow::Continue(()));
        }
        let ordering = Ordering { choice, range: &range, start };
        self.put(&ordering, &orders, limits)?;
        if !self.growing_checks_hold(choice, limits)? {
            return Ok(ControlFlow::Continue(()));
        }
        self.order_more(&ordering, orders, (0, 0), limits, visit)
    }

    /// Orders the first pair that is not, from a class and a place in it on, both ways.
    fn order_more(
        &mut self,
        ordering: &Ordering<'_>,
        mut orders: Orders,
        from: (usize, usize),
        limits: &mut dyn Limits,
        visit: &mut Visit<'_, 'p>,
    ) -> Result<ControlFlow<()>, Stopped> {
        let Some((class, a, b)) = unordered(&orders, from.0, from.1) else {
            return self.choose_from(ordering.choice + 1, ordering.start, limits, visit);
        };
        let before = orders[class].clone();
        for (first, second) in [(a, b), (b, a)] {
            self.states += 1;
            limits.check(0, self.states)?;
            orders[class].assign(&before);
            add_closed(&mut orders[class], first, second);
            self.put(ordering, &orders, limits)?;
            if self.growing_checks_hold(ordering.choice, limits)?
                && self.order_more(ordering, orders.clone(), (class, a), limits, visit)?.is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Checks that grow with the choices to come are asked with nothing of these.
    fn put(
        &mut self,
        ordering: &Ordering<'_>,
        orders: &Orders,
        limits: &mut dyn Limits,
    ) -> Result<(), Stopped> {
        let mut gathered = Ok(());
        self.evaluator.choose_with(ChoiceId(ordering.choice as u32), |into| {
            gathered = ordering.range.gather(orders, into, &mut Pace::new(limits));
        });
        gathered?;
        (ordering.choice + 1..self.plan().choices.len())
            .for_each(|later| self.evaluator.choose_with(ChoiceId(later as u32), |_| {}));
        Ok(())
    }
}

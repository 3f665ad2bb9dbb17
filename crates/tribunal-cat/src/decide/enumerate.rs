//! Every value of the choices, one after the other, passing over those in which what was ordered so far already breaks a check.

use super::Decider;
use super::orders::{Orders, Range, add_closed, is_order, unordered};
use crate::limits::{Limits, Stopped};
use crate::plan::ChoiceId;
use std::ops::ControlFlow;

type Visit<'v, 'p> = dyn FnMut(&mut Decider<'p>) -> ControlFlow<()> + 'v;

/// A choice that is being ordered.
struct Ordering<'a> {
    choice: usize,
    range: &'a Range,
    extra: &'a [(usize, usize)],
}

impl<'p> Decider<'p> {
    /// Visits every consistent value of the choices, until told to stop.
    pub(super) fn enumerate(
        &mut self,
        extra: &[(usize, usize)],
        limits: &mut dyn Limits,
        visit: &mut Visit<'_, 'p>,
    ) -> Result<ControlFlow<()>, Stopped> {
        if !self.free_checks_hold() {
            return Ok(ControlFlow::Continue(()));
        }
        self.choose_from(0, extra, limits, visit)
    }

    fn choose_from(
        &mut self,
        choice: usize,
        extra: &[(usize, usize)],
        limits: &mut dyn Limits,
        visit: &mut Visit<'_, 'p>,
    ) -> Result<ControlFlow<()>, Stopped> {
        if choice == self.plan().choices.len() {
            return Ok(if self.other_checks_hold() { visit(self) } else { ControlFlow::Continue(()) });
        }
        let (range, orders) = self.range_of(choice, extra);
        if !is_order(&orders) {
            return Ok(ControlFlow::Continue(()));
        }
        let ordering = Ordering { choice, range: &range, extra };
        self.put(&ordering, &orders);
        if !self.growing_checks_hold(choice) {
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
            return self.choose_from(ordering.choice + 1, ordering.extra, limits, visit);
        };
        let before = orders[class].clone();
        for (first, second) in [(a, b), (b, a)] {
            self.states += 1;
            limits.check(0, self.states)?;
            orders[class].assign(&before);
            add_closed(&mut orders[class], first, second);
            self.put(ordering, &orders);
            if self.growing_checks_hold(ordering.choice)
                && self.order_more(ordering, orders.clone(), (class, a), limits, visit)?.is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Checks that grow with the choices to come are asked with nothing of these.
    fn put(&mut self, ordering: &Ordering<'_>, orders: &Orders) {
        self.evaluator
            .choose_with(ChoiceId(ordering.choice as u32), |into| ordering.range.gather(orders, into));
        (ordering.choice + 1..self.plan().choices.len())
            .for_each(|later| self.evaluator.choose_with(ChoiceId(later as u32), |_| {}));
    }
}

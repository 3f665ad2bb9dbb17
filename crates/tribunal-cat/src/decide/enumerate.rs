//! Every value of the choices, one after the other, passing over those that a check refutes that what was ordered so far already breaks.

use super::Decider;
use super::orders::{Orders, add_closed};
use crate::limits::{Limits, Stopped};
use crate::plan::ChoiceId;
use crate::relation::Relation;
use std::ops::ControlFlow;

impl Decider<'_> {
    /// Visits every consistent value of the choices, until told to stop.
    pub(super) fn enumerate(
        &mut self,
        extra: &[(usize, usize)],
        limits: &mut dyn Limits,
        visit: &mut dyn FnMut(&mut Self) -> ControlFlow<()>,
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
        visit: &mut dyn FnMut(&mut Self) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Stopped> {
        if choice == self.plan().choices.len() {
            return Ok(if self.other_checks_hold() { visit(self) } else { ControlFlow::Continue(()) });
        }
        let orders = self.orders_of(choice, extra);
        if !orders.any {
            return Ok(ControlFlow::Continue(()));
        }
        let mut partial = orders.least.clone();
        // Checks that grow with the choices to come are asked with nothing of these.
        (choice + 1..self.plan().choices.len())
            .for_each(|later| self.evaluator.clear_choice(ChoiceId(later as u32)));
        self.evaluator.choose(ChoiceId(choice as u32), &partial);
        if !self.growing_checks_hold(choice) {
            return Ok(ControlFlow::Continue(()));
        }
        let mut next = Next { orders: &orders, choice, extra };
        self.extend(&mut next, &mut partial, 0, 0, limits, visit)
    }

    /// Checks that grow with the choices to come are asked with nothing of these.
    fn choose(&mut self, choice: usize, order: &Relation) {
        self.evaluator.choose(ChoiceId(choice as u32), order);
        (choice + 1..self.plan().choices.len())
            .for_each(|later| self.evaluator.clear_choice(ChoiceId(later as u32)));
    }

    /// Orders the first pair that is not, from a class and a place in it on.
    fn extend(
        &mut self,
        next: &mut Next<'_>,
        partial: &mut Relation,
        class: usize,
        place: usize,
        limits: &mut dyn Limits,
        visit: &mut dyn FnMut(&mut Self) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Stopped> {
        let Some((class, place, other)) = next.open(partial, class, place) else {
            return self.choose_from(next.choice + 1, next.extra, limits, visit);
        };
        let events = &next.orders.classes[class];
        let (a, b) = (events[place], events[other]);
        for (first, second) in [(a, b), (b, a)] {
            self.states += 1;
            limits.check(0, self.states)?;
            let mut more = partial.clone();
            add_closed(&mut more, events, first, second);
            self.choose(next.choice, &more);
            if self.growing_checks_hold(next.choice)
                && self.extend(next, &mut more, class, place, limits, visit)?.is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

struct Next<'a> {
    orders: &'a Orders,
    choice: usize,
    extra: &'a [(usize, usize)],
}

impl Next<'_> {
    fn open(&self, partial: &Relation, mut class: usize, mut place: usize) -> Option<(usize, usize, usize)> {
        while let Some(events) = self.orders.classes.get(class) {
            while place < events.len() {
                let a = events[place];
                let open = |&other: &usize| {
                    !partial.contains(a, events[other]) && !partial.contains(events[other], a)
                };
                if let Some(other) = (place + 1..events.len()).find(open) {
                    return Some((class, place, other));
                }
                place += 1;
            }
            (class, place) = (class + 1, 0);
        }
        None
    }
}

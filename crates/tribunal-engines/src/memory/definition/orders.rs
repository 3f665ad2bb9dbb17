//! Partial orders of what is chosen, class by class: the writes of each location, or the events of one set.
//!
//! Each class has a small relation of its own, on places in it, that is transitively closed. Only for evaluation they are put together.

use tribunal_cat::limits::{Pace, Stopped};
use tribunal_cat::relation::{Relation, Set, members};

/// What a choice ranges over on an execution.
#[derive(Clone, Debug, Default)]
pub(super) struct Range {
    /// The events of each class, whose total orders are sought.
    pub classes: Vec<Vec<usize>>,
    /// The class of an event, and its place in it.
    pub place: Vec<Option<(u32, u32)>>,
}

/// A partial order of each class of a choice, closed.
pub(super) type Orders = Vec<Relation>;

impl Range {
    /// Which classes there are, and what every order of them contains. `same`: which events are of one class; all, if there is none.
    pub fn new(
        events: &Set,
        same: Option<&Relation>,
        base: &Relation,
        extra: &[(usize, usize)],
        pace: &mut Pace<'_>,
    ) -> Result<(Range, Orders), Stopped> {
        let size = events.size();
        let mut range = Range { classes: Vec::new(), place: vec![None; size] };
        for event in events.iter() {
            if range.place[event].is_some() {
                continue;
            }
            // Events before it are of other classes.
            let class: Vec<usize> = match same {
                Some(same) => {
                    let of_class = |&other: &usize| other > event && events.contains(other);
                    let others = members(same.row(event)).filter(of_class);
                    [event].into_iter().chain(others.filter(|&other| range.place[other].is_none())).collect()
                }
                None => events.iter().collect(),
            };
            for (index, &event) in class.iter().enumerate() {
                range.place[event] = Some((range.classes.len() as u32, index as u32));
            }
            range.classes.push(class);
        }
        let mut orders: Orders = range.classes.iter().map(|class| Relation::empty(class.len())).collect();
        let mut add = |a: usize, b: usize| {
            if let (Some((class, a)), Some((same, b))) = (range.place[a], range.place[b])
                && class == same
            {
                orders[class as usize].insert(a as usize, b as usize);
            }
        };
        for &a in range.classes.iter().flatten() {
            let mut pairs = 0;
            members(base.row(a)).for_each(|b| {
                add(a, b);
                pairs += 1;
            });
            pace.spend(base.row(a).len() + pairs)?;
        }
        extra.iter().for_each(|&(a, b)| add(a, b));
        orders.iter_mut().try_for_each(|order| order.close_within(pace))?;
        Ok((range, orders))
    }

    /// Puts the orders of all classes into one relation, that is empty.
    pub fn gather(&self, orders: &Orders, into: &mut Relation, pace: &mut Pace<'_>) -> Result<(), Stopped> {
        for (class, order) in self.classes.iter().zip(orders) {
            for (a, &event) in class.iter().enumerate() {
                let mut pairs = order.row(a).len();
                members(order.row(a)).for_each(|b| {
                    into.insert(event, class[b]);
                    pairs += 1;
                });
                pace.spend(pairs)?;
            }
        }
        Ok(())
    }
}

/// Whether there is no cycle.
pub(super) fn is_order(orders: &Orders) -> bool {
    orders.iter().all(Relation::is_irreflexive)
}

/// Whether every two events of a class are ordered.
pub(super) fn is_total(orders: &Orders) -> bool {
    orders.iter().all(|order| order.len() == order.size() * order.size().saturating_sub(1) / 2)
}

/// Adds a pair to a closed relation, and all that follows from it.
pub(super) fn add_closed(order: &mut Relation, first: usize, second: usize) {
    if order.contains(first, second) {
        return;
    }
    for a in 0..order.size() {
        if a == first || order.contains(a, first) {
            order.extend_row(a, second);
            order.insert(a, second);
        }
    }
}

/// The first pair that is not ordered, from a class and a place in it on.
pub(super) fn unordered(
    orders: &Orders,
    mut class: usize,
    mut place: usize,
) -> Option<(usize, usize, usize)> {
    while let Some(order) = orders.get(class) {
        while place < order.size() {
            let open = |&other: &usize| !order.contains(place, other) && !order.contains(other, place);
            if let Some(other) = (place + 1..order.size()).find(open) {
                return Some((class, place, other));
            }
            place += 1;
        }
        (class, place) = (class + 1, 0);
    }
    None
}

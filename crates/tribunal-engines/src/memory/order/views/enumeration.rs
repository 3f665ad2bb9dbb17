//! Tries every mo: the baseline, and the measure of every other engine on small histories.
//!
//! A location's mo begins with the initial write and ends with the final write, if one is given; all permutations in
//! between are tried, the last location's first, and the axioms are checked on each.

use super::matrices::Views;
use tribunal_cat::relation::{Relation, members};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::model::Preserved;
use tribunal_history::verdict::{Limit, ModificationOrder};

/// Some mo that satisfies both views, if there is one. `states` counts the mo that were tried.
pub(crate) fn search(
    x: &Execution,
    preserved: &Preserved,
    limits: &Limits<'_>,
    states: &mut u64,
) -> Result<Option<ModificationOrder>, Limit> {
    let views = Views::new(x, preserved, limits)?;
    let Some(mut orders) = first_orders(x) else { return Ok(None) };
    if !views.are_acyclic() {
        return Ok(None);
    }
    loop {
        *states += 1;
        limits.check(*states)?;
        let holds = |view: &Relation| with_mo(view, &views.readers, &orders).is_acyclic();
        if holds(&views.local) && holds(&views.global) {
            let mut mo = ModificationOrder::new();
            orders.into_iter().for_each(|order| mo.push_location(order.writes));
            return Ok(Some(mo));
        }
        // A location that has been through its permutations begins again, and the one before it goes on.
        if !orders.iter_mut().rev().any(LocationOrder::advance) {
            return Ok(None);
        }
    }
}

/// The writes of a location in some order: first the initial write, then the `free` ones, then the final one.
struct LocationOrder {
    writes: Vec<EventId>,
    free: std::ops::Range<usize>,
}

impl LocationOrder {
    /// Goes on to the next permutation in lexicographic order; after the last, to the first, and says no.
    fn advance(&mut self) -> bool {
        let free = &mut self.writes[self.free.clone()];
        let Some(i) = free.windows(2).rposition(|pair| pair[0] < pair[1]) else {
            free.reverse();
            return false;
        };
        let next = free.iter().rposition(|&w| w > free[i]).expect("the one after it is greater");
        free.swap(i, next);
        free[i + 1..].reverse();
        true
    }
}

/// The first order of every location; none if the final writes admit none.
fn first_orders(x: &Execution) -> Option<Vec<LocationOrder>> {
    let mut orders: Vec<LocationOrder> =
        x.locations().map(|loc| LocationOrder { writes: vec![x.init_write(loc)], free: 1..1 }).collect();
    for w in x.events().filter(|&e| x.label(e).writes()) {
        let order = &mut orders[x.locs()[w.index()].index()];
        order.writes.push(w);
        order.free.end += 1;
    }
    for &(loc, last) in x.finals() {
        let LocationOrder { writes, free } = &mut orders[loc.index()];
        let place = writes.iter().position(|&w| w == last)?;
        // The initial write is last only if it is alone, and no two writes are.
        if free.end < writes.len() || place == 0 && writes.len() > 1 {
            return None;
        }
        if place > 0 {
            writes[place..].rotate_left(1);
            free.end -= 1;
        }
    }
    Some(orders)
}

/// A view with mo and fr. Successive writes are enough: the rest follows by mo.
fn with_mo(view: &Relation, readers: &Relation, orders: &[LocationOrder]) -> Relation {
    let mut view = view.clone();
    for pair in orders.iter().flat_map(|order| order.writes.windows(2)) {
        let (first, second) = (pair[0].index(), pair[1].index());
        view.insert(first, second);
        members(readers.row(first)).filter(|&r| r != second).for_each(|r| view.insert(r, second));
    }
    view
}

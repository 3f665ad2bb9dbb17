//! What a choice ranges over on an execution: total orders of classes of events that contain a partial order.

use crate::relation::{Relation, Set, members};

/// The orders of one choice.
#[derive(Clone, Debug)]
pub(crate) struct Orders {
    /// The events of each class, whose total orders are sought: those of one location, or all.
    pub classes: Vec<Vec<usize>>,
    /// What every order contains, transitively closed.
    pub least: Relation,
    /// Whether there is any: whether what they contain has no cycle.
    pub any: bool,
}

impl Orders {
    pub fn new() -> Self {
        Orders { classes: Vec::new(), least: Relation::empty(0), any: true }
    }

    /// `same`: which events are of one class; all, if there is none.
    pub fn reset(
        &mut self,
        events: &Set,
        same: Option<&Relation>,
        base: &Relation,
        extra: &[(usize, usize)],
    ) {
        let size = events.size();
        self.least.reset(size);
        let mut used = 0;
        let mut left = events.clone();
        while let Some(first) = left.first() {
            if used == self.classes.len() {
                self.classes.push(Vec::new());
            }
            let class = &mut self.classes[used];
            used += 1;
            class.clear();
            match same {
                Some(same) => {
                    class.extend(left.iter().filter(|&event| event == first || same.contains(first, event)))
                }
                None => class.extend(left.iter()),
            }
            let class = &*class;
            let mut within = Set::empty(size);
            class.iter().for_each(|&event| within.insert(event));
            left.subtract(&within);
            for &a in class {
                for b in members(base.row(a)).filter(|&b| within.contains(b)) {
                    self.least.insert(a, b);
                }
            }
            for &(a, b) in extra {
                if within.contains(a) && within.contains(b) {
                    self.least.insert(a, b);
                }
            }
        }
        self.classes.truncate(used);
        self.least.close();
        self.any = self.least.is_irreflexive();
    }
}

/// Adds a pair to a transitively closed relation, and all that follows from it.
pub(crate) fn add_closed(order: &mut Relation, class: &[usize], first: usize, second: usize) {
    if order.contains(first, second) {
        return;
    }
    for &a in class {
        if a == first || order.contains(a, first) {
            order.extend_row(a, second);
            order.insert(a, second);
        }
    }
}

//! All visibilities: the baseline.
//!
//! Wing and Gong's enumeration of linearizations with every visibility set that the axioms and the return allow, the
//! largest first, as in section 5 of Emmi and Enea (CAV 2018). Nothing is remembered.

use super::Found;
use super::minimal::next_combination;
use super::partial::Partial;
use super::problem::Problem;
use crate::object::meter::Meter;
use tribunal_cat::relation::FixedSet;
use tribunal_history::heap::Heap;
use tribunal_history::verdict::Limit;

/// A beginning of lin, and what is being tried after it.
struct Node<const W: usize> {
    length: usize,
    /// The pending operations that can no longer take effect.
    left_out: FixedSet<W>,
    /// The operation being tried; the ones below have been.
    op: usize,
    /// What it must see, what else it may see, and the places of those that it does not see; none before the first choice.
    forced: FixedSet<W>,
    optional: Vec<usize>,
    unseen: Option<Vec<usize>>,
}

pub fn search<const W: usize>(problem: &Problem<'_, W>, meter: &mut Meter<'_>) -> Result<Found, Limit> {
    let mut partial = Partial::new(problem, meter.part(u64::MAX));
    let found = extend(problem, &mut partial);
    meter.add(&partial.meter);
    found
}

fn extend<const W: usize>(problem: &Problem<'_, W>, partial: &mut Partial<'_, W>) -> Result<Found, Limit> {
    let mut reached = 0;
    let mut nodes = vec![node(0, FixedSet::EMPTY)];
    while !nodes.is_empty() {
        partial.visit(1)?;
        // A node holds two lists of at most what is placed before it.
        let lists = 2 * size_of::<usize>() * nodes.len() * nodes.len();
        partial.hold(Problem::<W>::bytes(problem.len()) + nodes.peak() + lists)?;
        let Some(last) = nodes.last_mut() else { break };
        partial.keep(last.length);
        if problem.completed.is_subset(&partial.placed) {
            return Ok(Ok(partial.abstract_execution()));
        }
        if last.op == problem.len() {
            nodes.pop();
            continue;
        }
        let Some(vis) = last.next_set(partial) else {
            last.op += 1;
            last.unseen = None;
            continue;
        };
        let op = last.op;
        if partial.closure(op, vis) == vis && (problem.pending.contains(op) || partial.returns_after(op, vis))
        {
            let passed_by = (problem.hb[op] & problem.pending) - partial.placed;
            let left_out = last.left_out | passed_by;
            partial.place(op, vis);
            reached = reached.max(partial.returned());
            nodes.push(node(partial.lin.len(), left_out));
        }
    }
    Ok(Err(reached))
}

fn node<const W: usize>(length: usize, left_out: FixedSet<W>) -> Node<W> {
    Node { length, left_out, op: 0, forced: FixedSet::EMPTY, optional: Vec::new(), unseen: None }
}

impl<const W: usize> Node<W> {
    /// The next set that the operation being tried may see: all, all but one, ...
    fn next_set(&mut self, partial: &Partial<'_, W>) -> Option<FixedSet<W>> {
        let problem = partial.problem;
        match &mut self.unseen {
            None => {
                let waits = problem.hb[self.op] - partial.placed - problem.pending;
                if partial.placed.contains(self.op) || self.left_out.contains(self.op) || !waits.is_empty() {
                    return None;
                }
                self.forced = partial.closure(self.op, FixedSet::EMPTY);
                self.optional = (partial.placed - self.forced).iter().collect();
                self.unseen = Some(Vec::new());
            }
            Some(unseen) => {
                if !next_combination(unseen, self.optional.len()) {
                    if unseen.len() == self.optional.len() {
                        return None;
                    }
                    *unseen = (0..=unseen.len()).collect();
                }
            }
        }
        let unseen: FixedSet<W> = self.unseen.iter().flatten().map(|&at| self.optional[at]).collect();
        Some(partial.placed - unseen)
    }
}

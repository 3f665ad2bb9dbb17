//! An order of all events along a relation in which choices come out well: an event of a class waits for those that would have to come before it.
//!
//! Where a check's relation has `rf^-1 ; co`, a write that comes after another one in co comes after its readers too. So while an event is put behind
//! the others, a class is closed as long as readers of what it has are missing, if something else can go on. This is a
//! heuristic: what comes out is evaluated.

use super::orders::Range;
use std::collections::VecDeque;
use tribunal_cat::evaluate::Code;
use tribunal_cat::evaluate::Evaluator;
use tribunal_cat::limits::{Limits, Stopped};
use tribunal_cat::plan::{NodeId, Op};
use tribunal_cat::relation::{Relation, Set, members};

/// `a ; choice` or `a^-1 ; choice`: for each event of the choice, those that come before whatever comes after it.
struct Waits {
    choice: usize,
    relation: NodeId,
    inverse: bool,
}

/// The number of times that an order is begun again.
const REPAIRS: usize = 64;

pub(super) struct Schedule<'a> {
    ranges: &'a [Range],
    /// For a choice, for each of its events, what has to come before those that follow it.
    before_next: Vec<(usize, Relation)>,
    /// What the order contains, the other way around.
    before: Relation,
    is_chosen: Vec<bool>,
}

/// An order under way.
struct Run {
    /// For each choice and class, how many events are waited for.
    pending: Vec<Vec<u32>>,
    /// For each choice and class, events that could come except for that.
    blocked: Vec<Vec<Vec<usize>>>,
    /// For each event, the classes that wait for it, and because of which of their events.
    awaited: Vec<Vec<(usize, usize, usize)>>,
    done: Set,
    /// Events that could come: those that no choice orders, and the others.
    free: Vec<usize>,
    chosen: VecDeque<usize>,
    /// For each event, those that can only come after it.
    watched: Vec<Vec<usize>>,
    order: Vec<usize>,
}

impl<'a> Schedule<'a> {
    /// `along`: what the order is to contain.
    pub(super) fn new(
        evaluator: &Evaluator<'_>,
        node: NodeId,
        ranges: &'a [Range],
        along: &Relation,
    ) -> Self {
        let mut waits = Vec::new();
        collect(evaluator, node, &mut waits);
        let size = evaluator.size();
        let before_next = waits.into_iter().map(|waits| {
            let mut relation = Relation::empty(size);
            match waits.inverse {
                true => relation.assign(evaluator.relation_at(waits.relation)),
                false => evaluator.relation_at(waits.relation).inverse_into(&mut relation),
            }
            (waits.choice, relation)
        });
        let mut before = Relation::empty(size);
        along.inverse_into(&mut before);
        let is_chosen = |event: usize| ranges.iter().any(|range| range.place[event].is_some());
        Schedule {
            ranges,
            before_next: before_next.collect(),
            before,
            is_chosen: (0..size).map(is_chosen).collect(),
        }
    }

    /// The events in order; nothing if there is a cycle.
    ///
    /// Where all that is left would come out of turn, it is tried again with one of these before the events of its class that are waited with.
    pub(super) fn order(&mut self, limits: &mut dyn Limits) -> Result<Option<Vec<usize>>, Stopped> {
        let mut repairs = Vec::new();
        for _ in 0..REPAIRS {
            limits.check(0, 0)?;
            let outcome = self.run(true);
            match outcome {
                Ok(Some(order)) => return Ok(Some(order)),
                Ok(None) => break,
                Err(earlier) => {
                    earlier.iter().for_each(|&(first, second)| self.before.insert(second, first));
                    repairs.extend(earlier);
                }
            }
        }
        repairs.iter().for_each(|&(first, second)| self.before.remove(second, first));
        Ok(self.run(false).ok().flatten())
    }

    /// An order, or pairs that should come the other way around.
    fn run(&self, repair: bool) -> Result<Option<Vec<usize>>, Vec<(usize, usize)>> {
        let size = self.is_chosen.len();
        let mut run = Run {
            pending: self.ranges.iter().map(|range| vec![0; range.classes.len()]).collect(),
            blocked: self.ranges.iter().map(|range| vec![Vec::new(); range.classes.len()]).collect(),
            awaited: vec![Vec::new(); size],
            done: Set::empty(size),
            free: Vec::new(),
            chosen: VecDeque::new(),
            watched: vec![Vec::new(); size],
            order: Vec::with_capacity(size),
        };
        (0..size).for_each(|event| self.watch(&mut run, event));
        while let Some(event) = run.free.pop().or_else(|| self.in_turn(&mut run)).or_else(|| {
            let mut blocked = run.blocked.iter_mut().flatten();
            blocked.find_map(|blocked| if repair { blocked.last().copied() } else { blocked.pop() })
        }) {
            if repair && let Some((choice, class)) = self.blocking(&run, event) {
                let waiting =
                    run.awaited.iter().flatten().filter(|&&(of, same, _)| (of, same) == (choice, class));
                let mut earlier: Vec<(usize, usize)> = waiting.map(|&(.., other)| (event, other)).collect();
                earlier.sort_unstable();
                earlier.dedup();
                return Err(earlier);
            }
            run.order.push(event);
            self.put(&mut run, event);
            for next in std::mem::take(&mut run.watched[event]) {
                self.watch(&mut run, next);
            }
        }
        Ok((run.order.len() == size).then_some(run.order))
    }

    /// An event watches one of those before it: the last in number, since in most executions all others of that thread come before that one.
    fn watch(&self, run: &mut Run, event: usize) {
        match last(self.before.row(event), &run.done) {
            Some(other) => run.watched[other].push(event),
            None if self.is_chosen[event] => run.chosen.push_back(event),
            None => run.free.push(event),
        }
    }

    /// An event whose classes wait for nothing else.
    fn in_turn(&self, run: &mut Run) -> Option<usize> {
        while let Some(event) = run.chosen.pop_front() {
            match self.blocking(run, event) {
                None => return Some(event),
                Some((choice, class)) => run.blocked[choice][class].push(event),
            }
        }
        None
    }

    /// A class of an event that waits for others than itself.
    fn blocking(&self, run: &Run, event: usize) -> Option<(usize, usize)> {
        let classes = self.ranges.iter().enumerate().filter_map(|(choice, range)| {
            let (class, _) = range.place[event]?;
            Some((choice, class as usize))
        });
        classes.into_iter().find(|&(choice, class)| {
            let own =
                run.awaited[event].iter().filter(|&&(of, same, _)| (of, same) == (choice, class)).count();
            run.pending[choice][class] > own as u32
        })
    }

    fn put(&self, run: &mut Run, event: usize) {
        run.done.insert(event);
        let free = std::mem::take(&mut run.awaited[event]);
        free.iter().for_each(|&(choice, class, _)| run.pending[choice][class] -= 1);
        for (choice, range) in self.ranges.iter().enumerate() {
            let Some((class, _)) = range.place[event] else { continue };
            let class = class as usize;
            for (_, waits) in self.before_next.iter().filter(|(of, _)| *of == choice) {
                for other in members(waits.row(event)).filter(|&other| !run.done.contains(other)) {
                    run.awaited[other].push((choice, class, event));
                    run.pending[choice][class] += 1;
                }
            }
        }
        // An event may be blocked by itself alone, as one that reads and writes.
        for (choice, class, _) in free {
            if run.pending[choice][class] <= 1 {
                run.chosen.extend(run.blocked[choice][class].drain(..));
            }
        }
    }
}

/// The last event of a row that is not done.
fn last(row: &[u64], done: &Set) -> Option<usize> {
    let words = row.iter().zip(done.words()).map(|(row, done)| row & !done).enumerate().rev();
    words
        .into_iter()
        .find(|&(_, word)| word != 0)
        .map(|(index, word)| 64 * index + 63 - word.leading_zeros() as usize)
}

/// Where a node has a choice after something that is not chosen, directly or except for a restriction.
fn collect(evaluator: &Evaluator<'_>, node: NodeId, into: &mut Vec<Waits>) {
    let chosen = |node: NodeId| match evaluator.plan().node(node).op {
        Op::Choice(choice) => Some(choice.0 as usize),
        _ => None,
    };
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        match evaluator.code(node) {
            Code::Union(operands) => {
                open.extend(operands.iter().copied().filter(|&operand| evaluator.moves(operand)))
            }
            &Code::Restrict(a, ..) | &Code::Without(a, ..) | &Code::Difference(a, _) => open.push(a),
            &Code::Intersection(a, b) => {
                open.extend([a, b].into_iter().filter(|&operand| evaluator.moves(operand)))
            }
            &Code::InverseSequence(relation, b) if !evaluator.moves(relation) => {
                into.extend(chosen(b).map(|choice| Waits { choice, relation, inverse: true }));
            }
            &Code::Sequence(relation, b) if !evaluator.moves(relation) => {
                into.extend(chosen(b).map(|choice| Waits { choice, relation, inverse: false }));
            }
            _ => {}
        }
    }
}

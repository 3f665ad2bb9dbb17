//! From what threads saw of each other to the orders that operations may have had.
//!
//! Real time orders operations as intervals. The order seen is a part of it, which need not be one of intervals: two
//! threads that both miss the other's return, as in store buffering, leave a1 < b1 and a2 < b2 with nothing between. The
//! real order is then one of the extensions, each with a1 < b2 or a2 < b1.
//!
//! Every criterion asks more of more pairs. So it is enough to look at the least extensions, and **a run breaks a
//! criterion only if every one of them does**.

use tribunal_cat::relation::bits::of_word;
use tribunal_history::object::{Builder, History};

/// The number of operations that fit into a row of bits.
pub(crate) const MOST_OPERATIONS: usize = 64;
/// With more extensions than this a run is uncertain.
pub(crate) const MOST_EXTENSIONS: usize = 64;

/// A strict partial order: by operation, those before it. Transitive. A word an operation rather than a relation, since every run
/// makes, extends and sorts some.
pub(crate) type Predecessors = Vec<u64>;

/// The sight of a run of at most [`MOST_OPERATIONS`]: what it tells of its order. Operations are numbered thread by thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sightings {
    /// The operations that certainly happened before.
    pub(crate) before: Predecessors,
    /// By operation, those that are certainly not before it: they saw it called before they returned.
    pub(crate) open: Vec<u64>,
}

impl Sightings {
    /// From the rows of every thread, as [`Observer`](crate::counters::Observer) keeps them, with the counts at which the run
    /// began.
    pub(crate) fn of_rows(rows: &[&[u32]], begins: &[u32]) -> Self {
        let threads = rows.len();
        let lengths: Vec<usize> = rows.iter().map(|rows| rows.len() / (2 * threads)).collect();
        let firsts: Vec<usize> = (0..threads).map(|thread| lengths[..thread].iter().sum()).collect();
        let operations: usize = lengths.iter().sum();
        debug_assert!(operations <= MOST_OPERATIONS);
        // The first operations of a thread, which has some.
        let first_of = |thread: usize, many: u32| mask(many as usize) << firsts[thread];
        let mut before = vec![0u64; operations];
        let mut open = vec![0u64; operations];
        for me in 0..threads {
            for at in 0..lengths[me] {
                let op = firsts[me] + at;
                let row = |event: usize| &rows[me][(2 * at + event) * threads..][..threads];
                for thread in (0..threads).filter(|&thread| lengths[thread] > 0) {
                    let count = |event: usize| row(event)[thread] - begins[thread];
                    before[op] |= first_of(thread, count(0) / 2);
                    if thread != me {
                        let called = first_of(thread, count(1).div_ceil(2));
                        of_word(called).for_each(|called| open[called] |= 1 << op);
                    }
                }
            }
        }
        close(&mut before);
        Sightings { before, open }
    }

    /// The least orders of intervals that contain what was seen and contradict nothing of it; none if there are more than
    /// [`MOST_EXTENSIONS`].
    ///
    /// In an order of intervals, of any two operations one has all the predecessors of the other. Where two have not, either
    /// the first gets those of the second, or the second those of the first: each extension contains one of the two. Those
    /// of the result are orders of intervals, and every extension contains one of them.
    pub(crate) fn extensions(&self) -> Option<Vec<Predecessors>> {
        let mut found: Vec<Predecessors> = Vec::new();
        let mut waiting = vec![self.before.clone()];
        let mut steps = 0;
        while let Some(order) = waiting.pop() {
            steps += 1;
            if steps > 8 * MOST_EXTENSIONS {
                return None;
            }
            match crossing(&order) {
                None if found.contains(&order) => {}
                None if found.len() == MOST_EXTENSIONS => return None,
                None => found.push(order),
                Some((a, b)) => {
                    waiting.extend(self.extended(&order, b, order[a]));
                    waiting.extend(self.extended(&order, a, order[b]));
                }
            }
        }
        let contains = |large: &Predecessors, small: &Predecessors| {
            large != small && large.iter().zip(small).all(|(&large, &small)| small & !large == 0)
        };
        let least = |order: &&Predecessors| !found.iter().any(|other| contains(order, other));
        let mut orders: Vec<Predecessors> = found.iter().filter(least).cloned().collect();
        orders.sort_unstable();
        // The real order is an extension. Were there none, nothing could be concluded, least of all a violation.
        (!orders.is_empty()).then_some(orders)
    }

    /// The order with more predecessors of an operation, unless that contradicts what was seen.
    fn extended(&self, order: &Predecessors, op: usize, more: u64) -> Option<Predecessors> {
        let mut extended = order.clone();
        for (other, before) in extended.iter_mut().enumerate() {
            if other == op || order[other] >> op & 1 == 1 {
                *before |= more;
            }
        }
        extended.iter().zip(&self.open).all(|(before, open)| before & open == 0).then_some(extended)
    }
}

/// The lowest `count` bits.
const fn mask(many: usize) -> u64 {
    if many >= 64 { u64::MAX } else { (1 << many) - 1 }
}

/// Makes an acyclic relation transitive.
fn close(before: &mut Predecessors) {
    loop {
        let mut changed = false;
        for op in 0..before.len() {
            let all = of_word(before[op]).fold(before[op], |all, other| all | before[other]);
            changed |= all != before[op];
            before[op] = all;
        }
        if !changed {
            return;
        }
    }
}

/// Two operations of which neither has all the predecessors of the other.
fn crossing(order: &Predecessors) -> Option<(usize, usize)> {
    (0..order.len()).find_map(|b| {
        let crossed = |&a: &usize| order[a] & !order[b] != 0 && order[b] & !order[a] != 0;
        (0..b).find(crossed).map(|a| (a, b))
    })
}

/// Calls and returns in an order that gives these predecessors, as times from 0: for each operation, when it was called and
/// when it returned.
pub(crate) fn times(order: &Predecessors) -> Vec<(u64, u64)> {
    debug_assert_eq!(crossing(order), None, "an order of intervals");
    let mut by_predecessors: Vec<usize> = (0..order.len()).collect();
    by_predecessors.sort_by_key(|&op| order[op].count_ones());
    let mut times = vec![(0, 0); order.len()];
    let (mut now, mut returned) = (0, 0u64);
    for op in by_predecessors {
        for returning in of_word(order[op] & !returned) {
            times[returning].1 = now;
            now += 1;
        }
        returned |= order[op];
        times[op].0 = now;
        now += 1;
    }
    for (op, times) in times.iter_mut().enumerate() {
        if returned >> op & 1 == 0 {
            times.1 = now;
            now += 1;
        }
    }
    times
}

/// The same operations with the ranks of their calls and returns as times, if the history has intervals; else as it is.
pub(crate) fn with_times(history: History) -> History {
    let Some(intervals) = history.intervals() else { return history };
    let mut builder = Builder::default();
    for op in history.ops() {
        let process = builder.process(history.process_name(history.process(op)));
        let call = history.called(op);
        let timed = builder.call(process, call.method, call.args, intervals.call[op.index()].into());
        if let Some(ret) = history.result(op) {
            builder.ret(timed, ret.clone(), intervals.ret[op.index()].into());
        }
    }
    builder.build().unwrap_or(history)
}

#[cfg(test)]
mod tests;

//! The baseline: search without saturation (Biswas and Enea 2019, as dbcop does it).
//!
//! A history is consistent if its accesses can be lined up one by one so that
//! - an access comes after what the global view and the local view put before it without looking at mo, and
//! - each write comes when nothing is left to read the write that it overwrites.
//!
//! Then the writes' order in the line is mo: po-mm, rf-mm, mo and fr all point forward in it, which is the global view.
//! The local view asks of a total mo that the writes that a thread's accesses of one location write or read from are in
//! mo order, and that an RMW comes directly after its source.
//!
//! What can follow depends on the *set* of accesses in line alone: an overwritten write has no reader left, so of each
//! location at most one write in the set has readers outside it, and it is the last. Sets that lead nowhere are
//! remembered. As in dbcop the candidates are kept in a queue and take turns; reads have no precedence.

mod placement;
mod visited;

use placement::Placement;
use std::collections::VecDeque;
use tribunal_cat::relation::bits::{insert, remove};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::model::Preserved;
use tribunal_history::verdict::{Limit, ModificationOrder};
use visited::Visited;

/// An mo that satisfies the model, if there is one. Counts the sets visited in `states`.
pub(crate) fn search(
    x: &Execution,
    preserved: &Preserved,
    limits: &Limits<'_>,
    states: &mut u64,
) -> Result<Option<ModificationOrder>, Limit> {
    let line = search_within(x, preserved, std::iter::empty(), limits, states)?;
    Ok(line.map(|writes| ModificationOrder::in_line(x, &writes)))
}

/// The bytes that the edges take while they are put where they begin, and a line of all events.
const BYTES_PER_EVENT: usize = 170;

/// Like [`search`], among the lines that have these pairs: the writes in line.
pub(crate) fn search_within(
    x: &Execution,
    preserved: &Preserved,
    pairs: impl Iterator<Item = (EventId, EventId)>,
    limits: &Limits<'_>,
    states: &mut u64,
) -> Result<Option<Vec<EventId>>, Limit> {
    limits.check(*states)?;
    limits.check_memory(BYTES_PER_EVENT * x.len(), *states)?;
    match Placement::new(x, preserved, pairs) {
        Some(placement) => Line::new(x, placement).extend(limits, states),
        None => Ok(None),
    }
}

/// An access in line, and how to take it out again.
struct Step {
    event: EventId,
    /// The last write of the event's location before it.
    overwritten: EventId,
    /// The number of candidates that the event made.
    made: u32,
    /// The number of candidates that are still to be tried after it.
    untried: u32,
}

struct Line<'a> {
    x: &'a Execution,
    placement: Placement,
    steps: Vec<Step>,
    /// The accesses in line as a bit set.
    placed: Vec<u64>,
    visited: Visited,
    /// Accesses that have everything before them in line.
    candidates: VecDeque<EventId>,
    /// How many readers of a write, initial or not, are not in line.
    readers: Vec<u32>,
    /// The last write of each location that is in line.
    last: Vec<EventId>,
    accesses: usize,
}

impl<'a> Line<'a> {
    fn new(x: &'a Execution, placement: Placement) -> Self {
        let mut readers = vec![0; x.len() + x.location_count()];
        for source in x.events().filter_map(|e| x.rf(e)) {
            readers[source.index()] += 1;
        }
        let access = |e: &EventId| !x.label(*e).is_fence();
        Line {
            x,
            steps: Vec::new(),
            placed: vec![0; x.len().div_ceil(64)],
            visited: Visited::new(x.len().div_ceil(64)),
            candidates: x.events().filter(access).filter(|&e| placement.is_free(e)).collect(),
            readers,
            last: x.locations().map(|loc| x.init_write(loc)).collect(),
            accesses: x.events().filter(access).count(),
            placement,
        }
    }

    fn extend(mut self, limits: &Limits<'_>, states: &mut u64) -> Result<Option<Vec<EventId>>, Limit> {
        let mut untried = self.arrive();
        while self.steps.len() < self.accesses {
            if *states >= limits.max_states || (*states).is_multiple_of(1024) {
                limits.check(*states)?;
            }
            limits.check_memory(self.placement.bytes() + self.visited.bytes(), *states)?;
            match self.next_candidate(&mut untried) {
                Some(event) => {
                    *states += 1;
                    self.place(event, untried);
                    untried = self.arrive();
                }
                None => match self.steps.pop() {
                    Some(step) => untried = self.take_out(step),
                    None => return Ok(None),
                },
            }
        }
        Ok(Some(self.writes()))
    }

    /// The number of candidates to try from here: none if this set was visited before.
    fn arrive(&mut self) -> u32 {
        if self.visited.insert(&self.placed) { self.candidates.len() as u32 } else { 0 }
    }

    /// The next candidate that may come now; those that may not go to the end of the queue.
    fn next_candidate(&mut self, untried: &mut u32) -> Option<EventId> {
        while *untried > 0 {
            *untried -= 1;
            let event = self.candidates.pop_front()?;
            if self.may_come(event) {
                return Some(event);
            }
            self.candidates.push_back(event);
        }
        None
    }

    /// Whether nothing else is left to read what the event overwrites. A read may come whenever it is a candidate: its
    /// source is last, or not in line yet.
    fn may_come(&self, event: EventId) -> bool {
        if !self.x.label(event).writes() {
            return true;
        }
        let last = self.last[self.x.locs()[event.index()].index()];
        match self.x.rf(event) {
            Some(source) => source == last && self.readers[last.index()] == 1,
            None => self.readers[last.index()] == 0,
        }
    }

    fn place(&mut self, event: EventId, untried: u32) {
        let loc = self.x.locs()[event.index()].index();
        let before = self.candidates.len();
        insert(&mut self.placed, event.index());
        if let Some(source) = self.x.rf(event) {
            self.readers[source.index()] -= 1;
        }
        let overwritten = self.last[loc];
        if self.x.label(event).writes() {
            self.last[loc] = event;
        }
        self.placement.free(event, &mut self.candidates);
        let made = (self.candidates.len() - before) as u32;
        self.steps.push(Step { event, overwritten, made, untried });
    }

    /// Undoes the last step; says how many candidates are still to be tried in its place. Whoever visited the set after
    /// it tried each candidate once, so the queue is as it was left.
    fn take_out(&mut self, Step { event, overwritten, made, untried }: Step) -> u32 {
        self.candidates.truncate(self.candidates.len() - made as usize);
        self.candidates.push_back(event);
        self.placement.unfree(event);
        self.last[self.x.locs()[event.index()].index()] = overwritten;
        if let Some(source) = self.x.rf(event) {
            self.readers[source.index()] += 1;
        }
        remove(&mut self.placed, event.index());
        untried
    }

    fn writes(&self) -> Vec<EventId> {
        self.steps.iter().map(|step| step.event).filter(|&e| self.x.label(e).writes()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tribunal_history::memory::{LocId, Op, Order};

    const X: LocId = LocId(0);
    const Y: LocId = LocId(1);
    const FENCE: Op = Op::fence(Order::SeqCst);

    fn history(threads: &[&[Op]], last: Option<u64>) -> Execution {
        let mut b = Execution::builder();
        let (x, _) = (b.location("x"), b.location("y"));
        for (t, ops) in threads.iter().enumerate() {
            let thread = b.thread(&format!("T{t}"));
            ops.iter().for_each(|&op| {
                b.push(thread, op);
            });
        }
        last.inspect(|&value| {
            b.final_value(x, value);
        });
        b.build().expect("a valid history")
    }

    /// Under which of sc, tso, pso, wmo and rmo a history has an mo.
    fn allowed(x: &Execution) -> String {
        let models = [Preserved::SC, Preserved::TSO, Preserved::PSO, Preserved::WMO, Preserved::RMO];
        let found = models.map(|preserved| search(x, &preserved, &Limits::default(), &mut 0));
        found.map(|found| if found.expect("no limit").is_some() { '+' } else { '-' }).iter().collect()
    }

    #[test]
    fn litmus() {
        let (w, r) = (Op::write, Op::read);
        let cases: [(&[&[Op]], &str); 10] = [
            (&[&[w(X, 1), r(Y, 0)], &[w(Y, 1), r(X, 0)]], "-++++"),
            (&[&[w(X, 1), FENCE, r(Y, 0)], &[w(Y, 1), FENCE, r(X, 0)]], "-----"),
            (&[&[w(X, 1), w(Y, 1)], &[r(Y, 1), r(X, 0)]], "--+++"),
            (&[&[w(X, 1), Op::fence(Order::Release), w(Y, 1)], &[r(Y, 1), r(X, 0)]], "---++"),
            (&[&[r(X, 1), w(Y, 1)], &[r(Y, 1), w(X, 1)]], "---++"),
            (&[&[w(X, 1)], &[r(X, 1), r(X, 0)]], "----+"),
            (&[&[w(X, 1), w(X, 2), r(X, 1)]], "-----"),
            (&[&[w(X, 1), r(X, 1), r(Y, 0)], &[w(Y, 1), r(Y, 1), r(X, 0)]], "-++++"),
            (&[&[Op::rmw(X, 0, 1)], &[Op::rmw(X, 0, 2)]], "-----"),
            (&[&[Op::rmw(X, 0, 1), r(Y, 0)], &[Op::rmw(Y, 0, 1), r(X, 0)]], "---++"),
        ];
        for (threads, expected) in cases {
            assert_eq!(allowed(&history(threads, None)), expected, "{threads:?}");
        }
    }

    #[test]
    fn the_final_write_is_last() {
        let threads: [&[Op]; 2] = [&[Op::write(X, 1), Op::write(X, 2)], &[Op::write(X, 3)]];
        let allowed = [0, 1, 2, 3].map(|value| allowed(&history(&threads, Some(value))));
        assert_eq!(allowed, ["-----", "-----", "+++++", "+++++"]);
    }

    #[test]
    fn limits_end_the_search() {
        // Nobody reads, so every interleaving will do, but not within two states.
        let ops: Vec<Op> = (1..5).map(|value| Op::write(X, value)).collect();
        let x = history(&[&ops[..2], &ops[2..]], None);
        let within = |limits: Limits<'_>| search(&x, &Preserved::SC, &limits, &mut 0);
        assert_eq!(within(Limits { max_states: 1, ..Limits::default() }), Err(Limit::States { states: 1 }));
        let few = within(Limits { max_memory: 10, ..Limits::default() });
        assert_eq!(few, Err(Limit::Memory { bytes: 10, states: 0 }));
        assert!(within(Limits::default()).is_ok_and(|mo| mo.is_some()));
    }
}

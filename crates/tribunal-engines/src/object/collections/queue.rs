//! Queues: the first value in is the first out.
//!
//! Write `ec`, `er`, `dc`, `dr` for the ranks of call and return of a value's enqueue and dequeue. A value must be
//! enqueued before another if `er(a) < ec(b)`, and dequeued before it if `dr(a) < dc(b)`; in a queue both orders are one.
//!
//! **Theorem** (Henzinger, Sezgin, Vafeiadis 2013; Bouajjani, Emmi, Enea, Hamza 2015). With every value removed after it
//! was inserted, a history is linearizable iff (1) no two values have `er(a) < ec(b)` and `dr(b) < dc(a)`, and (2) each
//! empty dequeue has an instant between call and return at which no value is certainly inside, `er < instant < dc`.
//!
//! Both are necessary. They suffice:
//! - *Order.* Let `a → b` if `er(a) < ec(b)` or `dr(a) < dc(b)`. A shortest cycle alternates between the two kinds, as
//!   each is transitive. Of `er(a) < ec(b)` and `er(c) < ec(d)` follows `er(a) < ec(d)` or `er(c) < ec(b)`, so a cycle of
//!   four or more has a chord, and the shortest has two values, which (1) excludes. So the values have a total order.
//! - *Places.* In that order put each enqueue at the latest `ec` so far, and each dequeue at the latest `dc` so far or at
//!   its enqueue, if that is later. No `ec` so far exceeds `er`, and no `dc` so far exceeds `dr`, else the order would be
//!   the other one; and `ec(b) > dr(a)` with `b` first would mean `dc(b) ≥ ec(b) > dr(a)`. So each is inside its interval.
//! - *Empties.* At an instant of (2) each value can be over (`ec`, `dc` before it) or yet to come (`er`, `dr` after it). Take
//!   all that can be over as over: then no value that is over has to follow one yet to come, so the total order can be
//!   sorted by this, instant after instant, and no place crosses an instant.
//!
//! **Pending dequeues.** Each may have taken one of the values that no completed dequeue returned, the *waiting* ones; what
//! counts is only how early. By (1) and (2) a waiting value must be gone by some deadline, and the earlier its `er`, the
//! earlier that deadline, since whatever asks for a value asks for those with an earlier `er` as well. So if any choice
//! does, then the one that gives the `i`th waiting value by `er` to the `i`th pending dequeue by call does.

use super::Found;
use super::container::Container;
use tribunal_history::limits::Limits;
use tribunal_history::object::{Intervals, NEVER, OpId};
use tribunal_history::verdict::Limit;

/// The return of a pending dequeue that takes a value: before the dequeue of a value that stays, which never comes.
const AT_LAST: u32 = NEVER - 1;

/// Decides a queue's history by repeatedly taking a value that may be first in both orders, in O(n); only placing
/// empty dequeues takes O(n log n).
///
/// Invariant: the values taken may precede those that are left. If the value with the least `er` and the one with the least
/// `dr` both may not be first, then each is kept from it by the other: they are the two values of (1).
pub(super) fn decide(container: &Container<'_>, limits: &Limits<'_>) -> Result<Found, Limit> {
    let queue = Queue::new(container);
    let order = match queue.order() {
        Ok(order) => order,
        Err((first, second)) => return Ok(queue.overtaken(first, second)),
    };
    limits.check(0)?;
    Ok(match queue.instants() {
        Ok(instants) => Found::Linearized(queue.places(order, &instants)),
        Err(empty) => queue.never_empty(empty),
    })
}

struct Queue<'c, 'h> {
    of: &'c Container<'h>,
    /// The values that no completed dequeue returned, by `er`.
    waiting: Vec<u32>,
    /// By value, with pending dequeues in place: who dequeues it, and when.
    dequeue: Vec<Option<OpId>>,
    dc: Vec<u32>,
    dr: Vec<u32>,
    /// All values by `er`.
    by_er: Vec<u32>,
}

impl<'c, 'h> Queue<'c, 'h> {
    fn new(of: &'c Container<'h>) -> Self {
        let by_er = by_rank(&of.insert_ret, of.intervals.events.len());
        let waiting: Vec<u32> =
            by_er.iter().copied().filter(|&value| of.remove[value as usize].is_none()).collect();
        let (mut dequeue, mut dc, mut dr) =
            (of.remove.clone(), of.remove_call.clone(), of.remove_ret.clone());
        for (&value, &op) in waiting.iter().zip(&of.pending_removes) {
            let value = value as usize;
            dequeue[value] = Some(op);
            dc[value] = of.intervals.call[op.index()].max(of.insert_call[value]);
            dr[value] = AT_LAST;
        }
        Queue { of, waiting, dequeue, dc, dr, by_er }
    }

    /// The values in an order that contains both; or two values of which the first was enqueued before the second and
    /// dequeued after it.
    fn order(&self) -> Result<Vec<u32>, (u32, u32)> {
        let n = self.of.len();
        let (ec, er) = (&self.of.insert_call, &self.of.insert_ret);
        let events = self.of.intervals.events.len();
        let (by_dc, by_dr) = (by_rank(&self.dc, events), by_rank(&self.dr, events));
        let mut order: Vec<u32> = Vec::with_capacity(n);
        let mut taken = vec![false; n];
        // By value, in how many of the two orders it may be first of those that are left.
        let mut first_in = vec![0u8; n];
        let mut ready: Vec<u32> = Vec::new();
        let (mut least_er, mut least_dr, mut next_ec, mut next_dc) = (0, 0, 0, 0);
        while order.len() < n {
            while taken[self.by_er[least_er] as usize] {
                least_er += 1;
            }
            while taken[by_dr[least_dr] as usize] {
                least_dr += 1;
            }
            let (returned_first, gone_first) = (self.by_er[least_er], by_dr[least_dr]);
            let mut may_be_first = |value: u32| {
                first_in[value as usize] += 1;
                if first_in[value as usize] == 2 {
                    ready.push(value);
                }
            };
            // Values are in the order of `ec`.
            while next_ec < n && ec[next_ec] <= er[returned_first as usize] {
                may_be_first(next_ec as u32);
                next_ec += 1;
            }
            while next_dc < n && self.dc[by_dc[next_dc] as usize] <= self.dr[gone_first as usize] {
                may_be_first(by_dc[next_dc]);
                next_dc += 1;
            }
            let value = ready.pop().ok_or((returned_first, gone_first))?;
            taken[value as usize] = true;
            order.push(value);
        }
        Ok(order)
    }

    /// By empty dequeue, an instant at which the queue can be empty, as the rank of the next event; or an empty
    /// dequeue that has none.
    fn instants(&self) -> Result<Vec<u32>, OpId> {
        let Intervals { call, ret, events } = self.of.intervals;
        if self.of.empties.is_empty() {
            return Ok(Vec::new());
        }
        let mut changes = vec![0i32; events.len() + 2];
        for (&er, &dc) in self.of.insert_ret.iter().zip(&self.dc) {
            if er < dc {
                changes[er as usize + 1] += 1;
                changes[(dc as usize).min(events.len()) + 1] -= 1;
            }
        }
        // From how many values are certainly inside at an instant to the next instant at which none is.
        let mut inside = 0;
        for change in &mut changes {
            inside += *change;
            *change = inside;
        }
        let mut free = vec![NEVER; changes.len() + 1];
        for at in (0..changes.len()).rev() {
            free[at] = if changes[at] == 0 { at as u32 } else { free[at + 1] };
        }
        let instant = |&op: &OpId| {
            let instant = free[call[op.index()] as usize + 1];
            if instant <= ret[op.index()] { Ok(instant) } else { Err(op) }
        };
        self.of.empties.iter().map(instant).collect()
    }

    /// The linearization: an order of values and the instants of the empty dequeues, put in places.
    fn places(&self, mut order: Vec<u32>, instants: &[u32]) -> Vec<OpId> {
        // Places are twice the rank of the next event, or that and one at the event itself.
        let instant = |rank: u32| 2 * u64::from(rank);
        let event = |rank: u32| 2 * u64::from(rank) + 1;
        let mut placed: Vec<(u64, Kind, OpId)> = Vec::with_capacity(2 * order.len() + instants.len());
        // Empties are in the order of their calls, and so are the first free instants after them.
        placed.extend(self.of.empties.iter().zip(instants).map(|(&op, &at)| (instant(at), Kind::Empty, op)));
        let mut after: Vec<u32> = Vec::new();
        if !instants.is_empty() {
            after.extend(self.dc.iter().map(|&dc| instants.partition_point(|&at| at <= dc) as u32));
            order.sort_by_key(|&value| after[value as usize]);
        }
        let mut place = 0;
        for &value in &order {
            let last =
                after.get(value as usize).and_then(|&after| instants.get((after as usize).checked_sub(1)?));
            place =
                event(self.of.insert_call[value as usize]).max(place).max(last.map_or(0, |&at| instant(at)));
            placed.push((place, Kind::Enqueue, self.of.insert[value as usize]));
        }
        let enqueues = placed.len() - order.len();
        let mut place = 0;
        for (at, &value) in order.iter().enumerate() {
            if let Some(op) = self.dequeue[value as usize] {
                place = event(self.dc[value as usize]).max(place).max(placed[enqueues + at].0);
                placed.push((place, Kind::Dequeue, op));
            }
        }
        // Three sorted runs, which a stable sort merges.
        placed.sort_by_key(|&(place, kind, _)| (place, kind));
        placed.into_iter().map(|(.., op)| op).collect()
    }

    /// `first` was enqueued before `second`, which was dequeued although `first` was certainly inside.
    fn overtaken(&self, first: u32, second: u32) -> Found {
        let until = self.dr[second as usize];
        let open = self.open_before(until);
        Found::Violated(if self.of.remove[first as usize].is_none() {
            // More values than pending dequeues were to be gone.
            let mut values = self.waiting[..=open].to_vec();
            values.push(second);
            self.of.part(&values, &[], Some(until + 1))
        } else {
            let cut = (open == 0).then_some(until + 1);
            self.of.part(&[first, second], &[], cut)
        })
    }

    /// At every instant of an empty dequeue some value was certainly inside.
    fn never_empty(&self, empty: OpId) -> Found {
        let Intervals { call, ret, .. } = self.of.intervals;
        let until = ret[empty.index()];
        let open = self.open_before(until);
        // The fewest values that do: always the one that stays longest of those that came in time.
        let mut chain: Vec<u32> = Vec::new();
        let mut by_er = self.by_er.iter().peekable();
        let (mut longest, mut stays) = (0, call[empty.index()]);
        while stays < until {
            let came = |&&value: &&u32| self.of.insert_ret[value as usize] <= stays;
            let mut best = stays;
            while let Some(&value) = by_er.next_if(came) {
                if self.dc[value as usize] > best {
                    (longest, best) = (value, self.dc[value as usize]);
                }
            }
            chain.push(longest);
            stays = best;
        }
        // A waiting value stays only because those before it take the pending dequeues.
        let waits = chain
            .iter()
            .filter(|&&value| self.of.remove[value as usize].is_none())
            .max_by_key(|&&value| self.of.insert_ret[value as usize]);
        if let Some(&last) = waits {
            let er = self.of.insert_ret[last as usize];
            let before = self.waiting.partition_point(|&value| self.of.insert_ret[value as usize] <= er);
            chain.retain(|&value| self.of.remove[value as usize].is_some());
            chain.extend(&self.waiting[..before.min(open + 1)]);
        }
        let across = chain.iter().any(|&value| {
            let remove = self.of.remove[value as usize];
            remove.is_some_and(|op| call[op.index()] < until && until < ret[op.index()])
        });
        let cut = (open == 0 && !across).then_some(until + 1);
        Found::Violated(self.of.part(&chain, &[empty], cut))
    }

    /// The number of pending dequeues that were called before this rank.
    fn open_before(&self, rank: u32) -> usize {
        let call = self.of.intervals.call;
        self.of.pending_removes.partition_point(|op| call[op.index()] < rank)
    }
}

/// The order of several things in one place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Empty,
    Enqueue,
    Dequeue,
}

/// The values by a rank of theirs. Ranks of events are different; later ones are not.
fn by_rank(rank: &[u32], events: usize) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut at = vec![NONE; events];
    let mut late: Vec<u32> = Vec::new();
    for (value, &rank) in rank.iter().enumerate() {
        match at.get_mut(rank as usize) {
            Some(slot) => *slot = value as u32,
            None => late.push(value as u32),
        }
    }
    late.sort_by_key(|&value| rank[value as usize]);
    at.retain(|&value| value != NONE);
    at.extend(late);
    at
}

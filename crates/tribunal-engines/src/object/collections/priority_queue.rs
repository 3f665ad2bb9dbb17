//! Priority queues: `insert(v)` → null, `delete_min()` → the least value, or null if there is none.
//!
//! Of a value v, with ranks insert_call < insert_ret and remove_call < remove_ret, it is certain that it is inside at the
//! instants insert_ret..remove_call; call them C(v), which may be empty. A completion (see [`super::completion`]) is
//! linearizable iff
//!
//! 1. each v has an instant t(v) from its remove_call (which is not before its insert_call) to before its remove_ret
//!    that is in no C(w) with w < v; and
//! 2. each empty remove has an instant that is in no C(w) at all.
//!
//! Both are necessary: at the instant of C(w) the value w is inside, so that no greater one, nor null, is returned. They are
//! sufficient. Let t(v) be the *first* such instant, and let v be inserted just before insert_ret, or just before it
//! is removed if that comes first. Then v is inside at the instants insert_ret..t(v), of which insert_ret..remove_call is
//! C(v), and each from remove_call on is in C(w) for some w < v, by the choice of t(v). So all the values up to v are inside
//! at no instant but those of their C(w): who is removed at t(v) meets no smaller value, if at one instant the removes come in
//! the order of values, then the empty ones, then the inserts of those that stay. Gibbons, Bruno and Phillips (2002) do
//! this with balanced trees; here values come in ascending order, C(v) is added after v's turn, and a union-find answers:
//! O(n log n) for sorting.
//!
//! Invariant: when v has its turn, exactly the C(w) with w < v are covered.
//!
//! The first v without an instant and a shortest chain of smaller values that cover its remove are a violation, of which no value
//! can be left out: the smaller ones all found their instants.

use super::Found;
use super::completion::{self, Completion, Conflict};
use super::container::Container;
use super::covered::{Covered, chain};
use tribunal_history::limits::Limits;
use tribunal_history::object::OpId;
use tribunal_history::verdict::Limit;

pub(super) fn decide(container: &Container<'_>, limits: &Limits<'_>) -> Result<Found, Limit> {
    completion::decide(container, linearize, limits)
}

fn linearize(
    completion: &Completion<'_, '_>,
    values: &[u32],
    empties: &[OpId],
) -> Result<Vec<OpId>, Conflict> {
    let mut ascending = values.to_vec();
    ascending.sort_unstable_by_key(|&value| completion.container.value[value as usize]);
    let ends = values.iter().filter(|&&value| completion.is_certain(value));
    let ends = ends.flat_map(|&value| [completion.insert_ret(value), completion.remove_call(value)]);
    let mut covered = Covered::new(ends.collect());
    // The instant, the place there, and who takes effect.
    let mut placed: Vec<(u32, u64, OpId)> = Vec::with_capacity(2 * values.len() + empties.len());
    for (turn, &value) in ascending.iter().enumerate() {
        let (call, ret) = (completion.remove_call(value), completion.remove_ret(value));
        let instant = covered.first_free(call);
        if instant >= ret {
            let mut values = cover(completion, &ascending[..turn], call, ret);
            values.push(value);
            return Err(Conflict { values, empty: None });
        }
        let last = completion.insert_ret(value) - 1;
        let insert = if last < instant { (last, AFTER | turn as u64) } else { (instant, 2 * turn as u64) };
        placed.push((insert.0, insert.1, completion.insert(value)));
        if let Some(remove) = completion.remove_at(value, instant) {
            placed.push((instant, 2 * turn as u64 + 1, remove));
        }
        if completion.is_certain(value) {
            covered.cover(completion.insert_ret(value), call);
        }
    }
    for &empty in empties {
        let (call, ret) = completion.interval(empty);
        let instant = covered.first_free(call);
        if instant >= ret {
            return Err(Conflict { values: cover(completion, values, call, ret), empty: Some(empty) });
        }
        placed.push((instant, EMPTY, empty));
    }
    placed.sort_unstable();
    Ok(placed.into_iter().map(|(_, _, op)| op).collect())
}

/// At one instant: the removes, then the empty ones, then the inserts of values that stay.
const EMPTY: u64 = 1 << 40;
const AFTER: u64 = 2 << 40;

/// As few of these values as possible that are inside at the instants `from..to`.
fn cover(completion: &Completion<'_, '_>, values: &[u32], from: u32, to: u32) -> Vec<u32> {
    let mut certain: Vec<u32> =
        values.iter().copied().filter(|&value| completion.is_certain(value)).collect();
    certain.sort_unstable_by_key(|&value| completion.insert_ret(value));
    chain(completion, certain, from, to)
}

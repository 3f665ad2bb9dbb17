//! Stacks: `push(v)` → null, `pop()` → the latest value that is inside, or null if there is none.
//!
//! Of a value v, with ranks push_call < push_ret and pop_call < pop_ret, it is certain that it is inside at the instants
//! push_ret..pop_call; call them C(v). The algorithm is a decrease-and-conquer in the manner of Lee and Mathur (2025): values
//! are found one by one that can be left out. Let H be a completion (see [`super::completion`]).
//!
//! **Fleeting values.** If C(v) is empty, push and pop of v have an instant in common, where v can be pushed and popped
//! at once in any linearization of the rest. So H is linearizable iff it is without v. From here on no C(v) is empty.
//!
//! **Splitting.** If an instant i is in no C(v), and H is linearizable, then with an empty stack at i: take a
//! linearization and the values S inside at i. Each either has push_ret > i, so that its push can be put off to i, or
//! pop_call <= i, so that its pop can be moved back to i. Let first those that can be popped be popped, from the top; then the others
//! be pushed, in their order. This moves no other operation, and each value below another stays below it. Hence an
//! empty pop needs just an instant in no C(v), and H is linearizable iff the parts are into which such instants split the
//! values (where each C(v) is on one side).
//!
//! **Bottoms.** Let the C(v) of a part cover a..b without a gap, from the first push_ret a to the last pop_call b. By splitting just
//! before a and just after b, all its operations take effect from instant a - 1 to b, and the stack is empty at neither
//! end, nor between. So some value v is at the bottom all the time, pushed first and popped last: push_call < a and pop_ret > b.
//! Conversely, *any* such v can be put at the bottom of a linearization of the others. So the part is linearizable iff it
//! has such a v and is linearizable without it; leaving v out may split it further. If it has none, it is a violation; and so is
//! a shortest chain of its values whose C cover a..b.
//!
//! The bounds never depend on how the parts were split off, only on which values are left in them: [`nest`] finds the
//! bottoms in O(n log n). A value at the bottom of a..b is pushed at a - 1 and popped at b. At one instant, pops come first,
//! inner ones before outer ones; then fleeting values and empty pops; then pushes, outer ones before inner ones.

use super::Found;
use super::completion::{self, Completion, Conflict};
use super::container::Container;
use super::covered::{Covered, chain};
use super::trees::{Coverage, Maxima};
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
    let (mut lasting, fleeting): (Vec<u32>, Vec<u32>) =
        values.iter().partition(|&&value| completion.is_certain(value));
    lasting.sort_unstable_by_key(|&value| completion.insert_ret(value));
    let blocks = nest(completion, &lasting)
        .map_err(|unfounded| Conflict { values: unfounded_chain(completion, &unfounded), empty: None })?;
    // The instant, the place there, and who takes effect.
    let mut placed: Vec<(u32, u64, OpId)> = Vec::with_capacity(2 * values.len() + empties.len());
    for (depth, block) in blocks.iter().enumerate() {
        let value = block.bottom;
        placed.push((block.from - 1, PUSH + depth as u64, completion.insert(value)));
        if let Some(pop) = completion.remove_at(value, block.to) {
            placed.push((block.to, FLEETING - 1 - depth as u64, pop));
        }
    }
    for &value in &fleeting {
        let instant = completion.remove_call(value);
        let place = FLEETING + 2 * u64::from(value);
        placed.push((instant, place, completion.insert(value)));
        placed.extend(completion.remove_at(value, instant).map(|pop| (instant, place + 1, pop)));
    }
    if !empties.is_empty() {
        place_empties(completion, &lasting, empties, &mut placed)?;
    }
    placed.sort_unstable();
    Ok(placed.into_iter().map(|(_, _, op)| op).collect())
}

/// At one instant: pops below this, then fleeting values, empty pops, pushes.
const FLEETING: u64 = 1 << 40;
const EMPTY: u64 = 2 << 40;
const PUSH: u64 = 3 << 40;

fn place_empties(
    completion: &Completion<'_, '_>,
    lasting: &[u32],
    empties: &[OpId],
    placed: &mut Vec<(u32, u64, OpId)>,
) -> Result<(), Conflict> {
    let stays = lasting.iter().map(|&value| (completion.insert_ret(value), completion.remove_call(value)));
    let mut covered = Covered::new(stays.clone().flat_map(|(from, to)| [from, to]).collect());
    stays.for_each(|(from, to)| covered.cover(from, to));
    for &empty in empties {
        let (call, ret) = completion.interval(empty);
        let instant = covered.first_free(call);
        if instant >= ret {
            let values = chain(completion, lasting.iter().copied(), call, ret);
            return Err(Conflict { values, empty: Some(empty) });
        }
        placed.push((instant, EMPTY, empty));
    }
    Ok(())
}

/// A stretch of time during which the stack is not empty, by the ranks around it, and the value at its bottom.
struct Block {
    bottom: u32,
    from: u32,
    to: u32,
}

/// A stretch of time that these values cover, by the ranks around it, although none of them can be at the bottom.
struct Unfounded {
    values: Vec<u32>,
    from: u32,
    to: u32,
}

/// The blocks of lasting values, in the order of the returns of their pushes; outer blocks before inner ones.
///
/// Time is cut at the ends of the C(v) into segments, and a part of the values is a range of segments that are all covered; its
/// values are a range too. Invariant: `open` has the parts of the values left, and each value left in a part whose push was
/// called before the part begins is in `pop_ret`, the others in `push_call`. A value changes from the one to the
/// other once, because a part's begin only moves on; a segment becomes bare once; and each round takes a value out.
/// So it takes O(n log n).
fn nest(completion: &Completion<'_, '_>, values: &[u32]) -> Result<Vec<Block>, Unfounded> {
    let mut ends: Vec<u32> = values.iter().map(|&value| completion.remove_call(value)).collect();
    ends.extend(values.iter().map(|&value| completion.insert_ret(value)));
    ends.sort_unstable();
    ends.dedup();
    let segment = |rank: u32| ends.partition_point(|&end| end < rank);
    // By value: its segments. By segment: how many values begin before it, and how many cover it.
    let mut spans: Vec<(u32, u32)> = Vec::with_capacity(values.len());
    let mut begun = vec![0u32; ends.len() + 1];
    let mut counts = vec![0u32; ends.len() + 1];
    for &value in values {
        let (from, to) = (segment(completion.insert_ret(value)), segment(completion.remove_call(value)));
        spans.push((from as u32, to as u32));
        begun[from + 1] += 1;
        counts[from] += 1;
        counts[to] = counts[to].wrapping_sub(1);
    }
    for at in 1..begun.len() {
        begun[at] += begun[at - 1];
        counts[at] = counts[at].wrapping_add(counts[at - 1]);
    }
    let mut bare: Vec<usize> = (0..ends.len()).filter(|&segment| counts[segment] == 0).collect();
    let mut coverage = Coverage::new(&counts);
    // The earliest call is the greatest key.
    let mut push_call = Maxima::new(values.iter().map(|&value| !completion.insert_call(value)));
    let mut pop_ret = Maxima::new(values.iter().map(|_| 0));
    let mut open: Vec<(usize, usize)> = Vec::new();
    split(0, ends.len(), &mut bare, &mut open);
    let mut blocks = Vec::with_capacity(values.len());
    while let Some((begin, end)) = open.pop() {
        let (from, to) = (ends[begin], ends[end]);
        let (first, last) = (begun[begin] as usize, begun[end] as usize);
        while let Some(at) = push_call.above(!from, first, last) {
            push_call.set(at, 0);
            pop_ret.set(at, completion.remove_ret(values[at]));
        }
        let Some(at) = pop_ret.above(to, first, last) else {
            let left = (first..last).filter(|&at| push_call.has(at) || pop_ret.has(at));
            return Err(Unfounded { values: left.map(|at| values[at]).collect(), from, to });
        };
        pop_ret.set(at, 0);
        blocks.push(Block { bottom: values[at], from, to });
        let (from, to) = spans[at];
        coverage.remove(from as usize, to as usize, &mut bare);
        split(begin, end, &mut bare, &mut open);
    }
    Ok(blocks)
}

/// Adds the ranges into which the bare segments split `begin..end`.
fn split(mut begin: usize, end: usize, bare: &mut Vec<usize>, open: &mut Vec<(usize, usize)>) {
    for gap in bare.drain(..) {
        if begin < gap {
            open.push((begin, gap));
        }
        begin = gap + 1;
    }
    if begin < end {
        open.push((begin, end));
    }
}

/// Values of an unfounded stretch that are no stack's history, though they are when any one of them is left out.
///
/// A chain that covers the stretch is no stack's history; nor is then any chain that contains it, so its ends are moved in by
/// bisection as far as they go. Leaving out a value between them splits the chain into two shorter ones.
fn unfounded_chain(completion: &Completion<'_, '_>, stretch: &Unfounded) -> Vec<u32> {
    let mut chain = chain(completion, stretch.values.iter().copied(), stretch.from, stretch.to);
    let nests = |values: &[u32]| nest(completion, values).is_ok();
    let longer = bisect(chain.len(), |begin| nests(&chain[begin..]));
    chain.drain(..longer - 1);
    let end = bisect(chain.len(), |end| !nests(&chain[..end]));
    chain.truncate(end);
    chain
}

/// The least number up to `limit` for which a condition holds that holds for all greater ones, `limit` among them.
fn bisect(limit: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut below, mut least) = (0, limit);
    while below < least {
        let middle = below.midpoint(least);
        if holds(middle) {
            least = middle;
        } else {
            below = middle + 1;
        }
    }
    least
}

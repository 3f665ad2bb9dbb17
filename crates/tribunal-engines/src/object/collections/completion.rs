//! Completions of a container's history: which values its pending removes took.
//!
//! A pending remove may have taken a value that no completed remove returned, or none. (If it returned null, or took
//! the value of a pending insert, then a linearization without the two is one too.) Values that nobody takes are taken
//! after all events, where nothing is in the way of anything: so in a completion each value has an insert and a remove.
//!
//! **Levels.** The pending removes are in the order of their calls. Let each left-over value have a level l, which
//! stands for "taken by remove 0, .. or l", as if called when remove l was, or for "not taken". The lower, the better for
//! all the rest. Levels can be dealt out iff at most l + 1 values have a level up to l, for each l; then the value with the kth
//! lowest level gets remove k.
//!
//! **Search.** First no value is taken. A conflict, which is a small part that is not linearizable with the levels at hand,
//! demands that some left-over value of it has a lower level: its highest level that resolves the conflict, for one of
//! them; each is a branch, and mostly there is one. (Should lowering several by less resolve it too, lowering any by one
//! is a branch as well.) Invariant: the levels of each linearization are at most those of one of the branches still open.
//! So if all end in conflicts, or in levels that cannot be dealt out, the union of the conflicts is not linearizable. Without
//! pending removes there is one completion; with them the work is bounded, and beyond the bound nothing is said.

use super::Found;
use super::container::Container;
use tribunal_history::limits::Limits;
use tribunal_history::object::{NEVER, OpId, Unsupported};
use tribunal_history::verdict::Limit;

/// A history in which each value is removed: by a completed remove, by a pending one, or after all events.
pub(super) struct Completion<'c, 'h> {
    pub(super) container: &'c Container<'h>,
    /// By value: who removes it, and when that was called.
    remove: Vec<Option<OpId>>,
    remove_call: Vec<u32>,
}

/// A small part that is not linearizable in a completion: these values and this empty remove.
pub(super) struct Conflict {
    pub(super) values: Vec<u32>,
    pub(super) empty: Option<OpId>,
}

/// Decides a part of a completion: these values and these empty removes.
pub(super) type Algorithm = fn(&Completion<'_, '_>, &[u32], &[OpId]) -> Result<Vec<OpId>, Conflict>;

impl<'c, 'h> Completion<'c, 'h> {
    /// The pending removes took nothing.
    fn new(container: &'c Container<'h>) -> Self {
        let end = container.intervals.events.len() as u32;
        let remove_call = container.remove_call.iter().map(|&call| call.min(end)).collect();
        Completion { container, remove: container.remove.clone(), remove_call }
    }

    /// The rank after all events; the instant at which values that nobody takes are taken.
    pub(super) fn end(&self) -> u32 {
        self.container.intervals.events.len() as u32
    }

    pub(super) fn insert_call(&self, value: u32) -> u32 {
        self.container.insert_call[value as usize]
    }

    pub(super) fn insert_ret(&self, value: u32) -> u32 {
        self.container.insert_ret[value as usize]
    }

    pub(super) fn remove_call(&self, value: u32) -> u32 {
        self.remove_call[value as usize]
    }

    pub(super) fn remove_ret(&self, value: u32) -> u32 {
        self.container.remove_ret[value as usize]
    }

    pub(super) fn insert(&self, value: u32) -> OpId {
        self.container.insert[value as usize]
    }

    /// The operation that removes a value at an instant; nobody after all events.
    pub(super) fn remove_at(&self, value: u32, instant: u32) -> Option<OpId> {
        self.remove[value as usize].filter(|_| instant < self.end())
    }

    /// Whether there are instants, those from the insert's return to the remove's call, at which a value must be inside.
    pub(super) fn is_certain(&self, value: u32) -> bool {
        self.insert_ret(value) < self.remove_call(value)
    }

    /// Whether no completed remove returned a value.
    fn is_left_over(&self, value: u32) -> bool {
        self.remove_ret(value) == NEVER
    }

    /// The ranks of an operation's call and return.
    pub(super) fn interval(&self, op: OpId) -> (u32, u32) {
        (self.call(op), self.container.intervals.ret[op.index()])
    }

    fn call(&self, op: OpId) -> u32 {
        self.container.intervals.call[op.index()]
    }

    /// Sets when a left-over value is removed, at the earliest.
    fn set_remove_call(&mut self, value: u32, call: u32) {
        self.remove_call[value as usize] = call.max(self.insert_call(value));
    }
}

/// The number of values that may be looked at in search of a completion; [`WHOLE_RUNS`] times all of them in any case.
const LOOKS: usize = 1 << 21;
const WHOLE_RUNS: usize = 64;

/// Looks for a completion that an algorithm linearizes.
pub(super) fn decide(
    container: &Container<'_>,
    algorithm: Algorithm,
    limits: &Limits<'_>,
) -> Result<Found, Limit> {
    let values: Vec<u32> = (0..container.len() as u32).collect();
    let whole = |completion: &Completion<'_, '_>| algorithm(completion, &values, &container.empties);
    let violated = |conflict: &Conflict| {
        Found::Violated(container.part(&conflict.values, conflict.empty.as_slice(), None))
    };
    let mut completion = Completion::new(container);
    let first = match whole(&completion) {
        Ok(lin) => return Ok(Found::Linearized(lin)),
        Err(conflict) => conflict,
    };
    let removes = &container.pending_removes;
    let [earliest, ..] = removes[..] else { return Ok(violated(&first)) };
    if !first.values.iter().any(|&value| completion.is_left_over(value)) {
        return Ok(violated(&first));
    }
    // If not even a supply of the earliest of them without end is enough, no completion is.
    for value in values.iter().copied().filter(|&value| container.remove_ret[value as usize] == NEVER) {
        completion.set_remove_call(value, completion.call(earliest));
    }
    if let Err(conflict) = whole(&completion) {
        return Ok(violated(&conflict));
    }
    Search {
        algorithm,
        completion: Completion::new(container),
        level: vec![removes.len(); values.len()],
        of_level: vec![0; removes.len()],
        known: vec![first],
        looks: LOOKS.max(WHOLE_RUNS * values.len()),
    }
    .run(&values, limits)
}

struct Search<'c, 'h> {
    algorithm: Algorithm,
    completion: Completion<'c, 'h>,
    /// By value: its level; as many as there are pending removes if it is not taken.
    level: Vec<usize>,
    /// By level: how many values have it.
    of_level: Vec<usize>,
    /// The conflicts found so far, at whatever levels.
    known: Vec<Conflict>,
    /// The number of values that may still be looked at.
    looks: usize,
}

/// The lower levels that a conflict leaves to be tried, the most promising last; and the value whose level is lowered now, with
/// the level it had.
struct Branch {
    choices: Vec<(u32, usize)>,
    before: Option<(u32, usize)>,
}

impl Search<'_, '_> {
    fn run(mut self, values: &[u32], limits: &Limits<'_>) -> Result<Found, Limit> {
        let container = self.completion.container;
        let mut path: Vec<Branch> = Vec::new();
        loop {
            limits.check(0)?;
            let conflict = match self.conflict(values) {
                Ok(lin) => return Ok(Found::Linearized(lin)),
                Err(conflict) => conflict,
            };
            if !conflict.values.iter().any(|&value| self.completion.is_left_over(value)) {
                let empty = conflict.empty.as_slice();
                return Ok(Found::Violated(container.part(&conflict.values, empty, None)));
            }
            path.push(Branch { choices: self.choices(&conflict), before: None });
            if self.looks == 0 {
                return Ok(Found::Unsupported(Unsupported::Unfinished));
            }
            if !self.advance(&mut path) {
                let values: Vec<u32> =
                    self.known.iter().flat_map(|conflict| conflict.values.iter().copied()).collect();
                let empties: Vec<OpId> = self.known.iter().filter_map(|conflict| conflict.empty).collect();
                return Ok(Found::Violated(container.part(&values, &empties, None)));
            }
        }
    }

    /// Goes on to the next levels to try; false: all have been.
    fn advance(&mut self, path: &mut Vec<Branch>) -> bool {
        while let Some(branch) = path.last_mut() {
            if let Some((value, level)) = branch.before.take() {
                self.set_level(value, level);
            }
            while let Some((value, level)) = branch.choices.pop() {
                let before = self.set_level(value, level);
                if self.can_be_dealt_out() {
                    branch.before = Some((value, before));
                    return true;
                }
                self.set_level(value, before);
            }
            path.pop();
        }
        false
    }

    /// Gives a value a level, and the one it had back.
    fn set_level(&mut self, value: u32, level: usize) -> usize {
        let removes = &self.completion.container.pending_removes;
        let call = removes.get(level).map_or(self.completion.end(), |&op| self.completion.call(op));
        self.completion.set_remove_call(value, call);
        let before = std::mem::replace(&mut self.level[value as usize], level);
        if before < removes.len() {
            self.of_level[before] -= 1;
        }
        if level < removes.len() {
            self.of_level[level] += 1;
        }
        before
    }

    fn can_be_dealt_out(&self) -> bool {
        let mut taken = 0;
        self.of_level.iter().enumerate().all(|(level, count)| {
            taken += count;
            taken <= level + 1
        })
    }

    /// Gives the pending removes to the values.
    fn deal_out(&mut self, values: &[u32]) {
        let removes = &self.completion.container.pending_removes;
        let left_over = values.iter().copied().filter(|&value| self.completion.is_left_over(value));
        let mut by_level: Vec<(usize, u32)> =
            left_over.map(|value| (self.level[value as usize], value)).collect();
        by_level.sort_unstable();
        for (at, (level, value)) in by_level.into_iter().enumerate() {
            let taken = level < removes.len();
            self.completion.remove[value as usize] = if taken { Some(removes[at]) } else { None };
        }
    }

    /// A conflict at the levels at hand, a known one if it still is one; or a linearization.
    fn conflict(&mut self, values: &[u32]) -> Result<Vec<OpId>, Conflict> {
        for known in 0..self.known.len() {
            self.looks = self.looks.saturating_sub(self.known[known].values.len());
            let Conflict { values, empty } = &self.known[known];
            (self.algorithm)(&self.completion, values, empty.as_slice())?;
        }
        self.looks = self.looks.saturating_sub(values.len());
        self.deal_out(values);
        let empties = &self.completion.container.empties;
        (self.algorithm)(&self.completion, values, empties).inspect_err(|conflict| {
            self.known.push(Conflict { values: conflict.values.clone(), empty: conflict.empty });
        })
    }

    /// The lower levels of which a conflict demands one.
    fn choices(&mut self, conflict: &Conflict) -> Vec<(u32, usize)> {
        let mut values = conflict.values.clone();
        values.retain(|&value| self.completion.is_left_over(value) && self.level[value as usize] > 0);
        let levels: Vec<usize> = values.iter().map(|&value| self.level[value as usize]).collect();
        let mut choices = Vec::with_capacity(values.len());
        // By value: the lowest level that alone is not enough.
        let mut too_high = Vec::with_capacity(values.len());
        for (&value, &level) in values.iter().zip(&levels) {
            let (mut resolving, mut not) = (0, level);
            while resolving < not {
                let middle = resolving.midpoint(not);
                self.set_level(value, middle);
                if self.is_resolved(conflict) { resolving = middle + 1 } else { not = middle }
            }
            self.set_level(value, level);
            choices.extend(not.checked_sub(1).map(|highest| (value, highest)));
            too_high.push(not);
        }
        choices.sort_unstable_by_key(|&(_, level)| level);
        for (&value, &level) in values.iter().zip(&too_high) {
            self.set_level(value, level);
        }
        if self.is_resolved(conflict) {
            choices.splice(0..0, values.iter().zip(&levels).map(|(&value, &level)| (value, level - 1)));
        }
        for (&value, &level) in values.iter().zip(&levels) {
            self.set_level(value, level);
        }
        choices
    }

    fn is_resolved(&mut self, conflict: &Conflict) -> bool {
        self.looks = self.looks.saturating_sub(conflict.values.len());
        (self.algorithm)(&self.completion, &conflict.values, conflict.empty.as_slice()).is_ok()
    }
}

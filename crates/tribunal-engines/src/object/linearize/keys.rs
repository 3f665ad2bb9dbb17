//! The operations of a history key by key.

use super::Found;
use crate::object::meter::Meter;
use rustc_hash::FxHashMap;
#[cfg(feature = "parallel")]
use std::sync::atomic::{AtomicUsize, Ordering};
use tribunal_history::limits::Limits;
use tribunal_history::object::{History, Intervals, InvocationId, OpId, Specification, Value};
use tribunal_history::verdict::Limit;

/// The number of keys that are searched at a time at most, each with its share of the memory, whatever the number of cores.
const LANES: usize = 16;

/// Histories of more operations are searched so.
const PARALLEL: usize = 1000;

/// The operations of each key, or all of them as one where some concern the whole object. Pending read-only operations,
/// which nothing depends on, are left out.
pub(in crate::object) struct Keys {
    /// The operations, key after key, in the order of their ids.
    ops: Vec<OpId>,
    /// The place where each key's operations end.
    ends: Vec<u32>,
}

impl Keys {
    pub(in crate::object) fn of(history: &History, spec: &dyn Specification) -> Self {
        let invocations = (0..history.invocation_count() as u32).map(InvocationId);
        let idle: Vec<bool> = invocations.clone().map(|id| spec.read_only(history.invocation(id))).collect();
        let matters = |op: &OpId| !(history.is_pending(*op) && idle[history.invocation_of(*op).index()]);
        let mut ids: FxHashMap<Value, u32> = FxHashMap::default();
        let mut key_of: Vec<Option<u32>> = Vec::with_capacity(history.invocation_count());
        for id in invocations {
            let next = ids.len() as u32;
            key_of.push(spec.key(history.invocation(id)).map(|key| *ids.entry(key).or_insert(next)));
        }
        let key = |op: OpId| key_of[history.invocation_of(op).index()];
        let mut ops: Vec<OpId> = history.ops().filter(matters).collect();
        if ops.iter().any(|&op| key(op).is_none()) {
            return Keys { ends: vec![ops.len() as u32], ops };
        }
        ops.sort_by_key(|&op| key(op));
        let last_of_key = |at: usize| at + 1 == ops.len() || key(ops[at]) != key(ops[at + 1]);
        let ends = (0..ops.len()).filter(|&at| last_of_key(at)).map(|at| at as u32 + 1).collect();
        Keys { ops, ends }
    }

    /// Some of the keys.
    pub(in crate::object) fn only(&self, keys: &[usize]) -> Keys {
        let (mut ops, mut ends) = (Vec::new(), Vec::with_capacity(keys.len()));
        for &key in keys {
            ops.extend_from_slice(self.ops(key));
            ends.push(ops.len() as u32);
        }
        Keys { ops, ends }
    }

    /// The number of keys.
    pub(in crate::object) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The operations of a key.
    pub(in crate::object) fn ops(&self, key: usize) -> &[OpId] {
        let begin = key.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.ops[begin as usize..self.ends[key] as usize]
    }

    /// The operations of all keys, in the order of their ids.
    pub(super) fn all(&self) -> Vec<OpId> {
        let mut ops = self.ops.clone();
        ops.sort_unstable();
        ops
    }

    /// Searches each key until one is stuck: first all with little effort, so that one that is easily refuted is not kept
    /// waiting by others, then what is left with ever more. All together keep to the limits, and what each may take depends on the
    /// keys alone: so the verdict depends on no timing, nor on the number of cores.
    pub(super) fn each(
        &self,
        meter: &mut Meter<'_>,
        search: impl Fn(&[OpId], &mut Meter<'_>) -> Result<Found, Limit> + Sync,
    ) -> Vec<Option<Result<Found, Limit>>> {
        const MORE: u64 = 16;
        let mut outcomes: Vec<Option<Result<Found, Limit>>> = (0..self.len()).map(|_| None).collect();
        if self.len() == 1 {
            return vec![Some(search(self.ops(0), meter))];
        }
        let limits = *meter.limits();
        let in_lanes = self.ops.len() > PARALLEL;
        let share = if in_lanes { limits.max_memory / LANES } else { limits.max_memory };
        let mut left: Vec<usize> = (0..self.len()).collect();
        let mut large: Vec<usize> = Vec::new();
        let (mut effort, mut tried) = (4096, None);
        while !left.is_empty() {
            let states = effort.min(meter.states_left() / left.len() as u64);
            if tried.is_some_and(|tried| states <= tried) {
                break;
            }
            let little = Limits { max_states: states, max_memory: share, ..limits };
            let found = self.round(&left, in_lanes, |ops| {
                let mut part = Meter::new(&little);
                (search(ops, &mut part), part.states())
            });
            for (&key, (outcome, states)) in left.iter().zip(found) {
                meter.add_states(states);
                outcomes[key] = Some(outcome);
            }
            if any_stuck(&outcomes) {
                return outcomes;
            }
            let met = |key: usize| outcomes[key].as_ref().and_then(|outcome| outcome.as_ref().err());
            large.extend(left.iter().copied().filter(|&key| matches!(met(key), Some(Limit::Memory { .. }))));
            left.retain(|&key| matches!(met(key), Some(Limit::States { .. })));
            tried = Some(states);
            effort = effort.saturating_mul(MORE);
        }
        // What takes more than its share has all of it, one after the other.
        for key in large.into_iter().filter(|_| in_lanes) {
            outcomes[key] = Some(search(self.ops(key), meter));
            if any_stuck(&outcomes) {
                break;
            }
        }
        // What is told is the limit of all together.
        for outcome in outcomes.iter_mut().flatten() {
            match outcome {
                Err(Limit::States { states }) => *states = limits.max_states,
                Err(Limit::Memory { bytes, .. }) => *bytes = limits.max_memory,
                _ => {}
            }
        }
        outcomes
    }

    /// The results for each of these keys, at most [`LANES`] at a time.
    fn round<T: Send>(&self, keys: &[usize], in_lanes: bool, search: impl Fn(&[OpId]) -> T + Sync) -> Vec<T> {
        #[cfg(feature = "parallel")]
        if in_lanes && keys.len() > 1 {
            use rayon::prelude::*;
            let next = AtomicUsize::new(0);
            let lane = |_| {
                let mut found = Vec::new();
                while let at = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(&key) = keys.get(at)
                {
                    found.push((at, search(self.ops(key))));
                }
                found
            };
            let mut found: Vec<(usize, T)> = (0..LANES).into_par_iter().flat_map_iter(lane).collect();
            found.sort_unstable_by_key(|&(at, _)| at);
            return found.into_iter().map(|(_, found)| found).collect();
        }
        let _ = in_lanes;
        keys.iter().map(|&key| search(self.ops(key))).collect()
    }
}

fn any_stuck(outcomes: &[Option<Result<Found, Limit>>]) -> bool {
    outcomes.iter().any(|outcome| matches!(outcome, Some(Ok(Found::Stuck(_)))))
}

/// One linearization out of one for each key. Operation i of a key's linearization gets the latest call among its first i
/// as its point. That lies within its interval, since no later operation of a linearization happens before an
/// earlier one; and points of different keys are different calls. So the order of the points contains hb.
pub(in crate::object) fn merge(intervals: Intervals<'_>, lins: Vec<Vec<OpId>>) -> Vec<OpId> {
    let mut points = Vec::with_capacity(lins.iter().map(Vec::len).sum());
    for lin in lins {
        let mut point = 0;
        for op in lin {
            point = intervals.call[op.index()].max(point);
            points.push((point, op));
        }
    }
    // Stable, so that operations at one point stay in their key's order.
    points.sort_by_key(|&(point, _)| point);
    points.into_iter().map(|(_, op)| op).collect()
}

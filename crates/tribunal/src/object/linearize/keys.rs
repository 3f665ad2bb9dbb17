//! The operations of a history key by key.

use super::Outcome;
use crate::limits::Limits;
use crate::object::{History, Intervals, InvocationId, OpId, Specification, Value};
use crate::verdict::Limit;
use rustc_hash::FxHashMap;

/// The operations of each key, or all of them as one where some concern the whole object. Pending read-only operations,
/// which nothing depends on, are left out.
pub(super) struct Keys {
    /// The operations, key after key, in the order of their ids.
    ops: Vec<OpId>,
    /// Where each key's operations end.
    ends: Vec<u32>,
}

impl Keys {
    pub(super) fn of(history: &History, spec: &dyn Specification) -> Self {
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

    /// How many keys there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The operations of a key.
    pub(super) fn ops(&self, key: usize) -> &[OpId] {
        let begin = key.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.ops[begin as usize..self.ends[key] as usize]
    }

    /// The operations of all keys, in the order of their ids.
    pub(super) fn all(&self) -> Vec<OpId> {
        let mut ops = self.ops.clone();
        ops.sort_unstable();
        ops
    }

    /// Searches each key, on all cores, until one is stuck: first all with little effort, so that one that is easily refuted is
    /// not kept waiting by others, then what is left with ever more. The verdict depends on no timing.
    pub(super) fn each(
        &self,
        limits: &Limits<'_>,
        search: impl Fn(&[OpId], &Limits<'_>) -> Result<Outcome, Limit> + Sync,
    ) -> Vec<Option<Result<Outcome, Limit>>> {
        const MORE: u64 = 16;
        let mut outcomes: Vec<Option<Result<Outcome, Limit>>> = (0..self.len()).map(|_| None).collect();
        let mut left: Vec<usize> = (0..self.len()).collect();
        let mut effort = if self.len() > 1 { 4096.min(limits.max_states) } else { limits.max_states };
        while !left.is_empty() {
            let little = Limits { max_states: effort, ..*limits };
            let found = self.round(&left, |ops| search(ops, &little));
            for (&key, outcome) in left.iter().zip(found) {
                outcomes[key] = Some(outcome);
            }
            if outcomes.iter().any(|outcome| matches!(outcome, Some(Ok(Outcome::Stuck(_)))))
                || effort == limits.max_states
            {
                break;
            }
            left.retain(|&key| matches!(outcomes[key], Some(Err(Limit::States { .. }))));
            effort = effort.saturating_mul(MORE).min(limits.max_states);
        }
        outcomes
    }

    fn round(
        &self,
        keys: &[usize],
        search: impl Fn(&[OpId]) -> Result<Outcome, Limit> + Sync,
    ) -> Vec<Result<Outcome, Limit>> {
        #[cfg(feature = "parallel")]
        if keys.len() > 1 && self.ops.len() > 1000 {
            use rayon::prelude::*;
            return keys.par_iter().map(|&key| search(self.ops(key))).collect();
        }
        keys.iter().map(|&key| search(self.ops(key))).collect()
    }
}

/// One linearization out of one for each key. Operation i of a key's linearization gets the latest call among its first i
/// as its point. That lies within its interval, since no later operation of a linearization happens before an
/// earlier one; and points of different keys are different calls. So the order of the points contains hb.
pub(super) fn merge(intervals: Intervals<'_>, lins: Vec<Vec<OpId>>) -> Vec<OpId> {
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

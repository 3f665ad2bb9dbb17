//! Registers: a read returns the last value written.

use super::zones::{self, ClusterId};
use super::{Found, POLL};
use rustc_hash::FxHashMap;
use tribunal_history::limits::Limits;
use tribunal_history::object::{Event, History, Intervals, OpId, ReturnId, Unsupported, Value, Violation};
use tribunal_history::verdict::Limit;

/// Decides a register's history by the zones of its values ([`zones`]), in O(n log n) (Gibbons and Korach, Testing shared
/// memories, 1997).
///
/// A value's *cluster* is its write with all reads of it; a linearization has each cluster in one piece. With no read that
/// returns before its write is called, a cluster can take place at any instant of a backward zone, where all its operations
/// are open. In a forward one put the write at `f`, and each read at its call or at `f`, whichever is later. So everything is
/// inside its interval, and no cluster is inside another. A pending write that was not read, and a pending read, are left
/// out.
pub(super) fn decide(history: &History, initial: &Value, limits: &Limits<'_>) -> Result<Found, Limit> {
    let Some(intervals) = history.intervals() else {
        return Ok(Found::Unsupported(Unsupported::NotIntervals));
    };
    let clusters = match Clusters::new(history, intervals, initial, limits)? {
        Ok(clusters) => clusters,
        Err(outcome) => return Ok(outcome),
    };
    limits.check(0)?;
    Ok(match clusters.order() {
        Ok(order) => Found::Linearized(clusters.linearization(&order)),
        Err((a, b)) => Found::Violated(clusters.crossing(a, b)),
    })
}

/// No operation: the write of the initial value.
const INITIALLY: OpId = OpId(u32::MAX);

struct Clusters<'h> {
    intervals: Intervals<'h>,
    /// By cluster: its write, who returned first and who was called last.
    write: Vec<OpId>,
    first: Vec<OpId>,
    last: Vec<OpId>,
    /// The reads in the order of their calls, with their clusters.
    reads: Vec<(ClusterId, OpId)>,
}

impl<'h> Clusters<'h> {
    /// Reads a history; or says that it is not such a one, or that a read is wrong already.
    fn new(
        history: &'h History,
        intervals: Intervals<'h>,
        initial: &Value,
        limits: &Limits<'_>,
    ) -> Result<Result<Self, Found>, Limit> {
        let unsupported = |why| Ok(Err(Found::Unsupported(why)));
        let mut clusters = Clusters {
            intervals,
            write: vec![INITIALLY],
            first: vec![INITIALLY],
            last: vec![INITIALLY],
            reads: Vec::new(),
        };
        // By return: whether a read has it, and the cluster of its value, once that is known.
        let mut is_read = vec![false; history.return_count()];
        let mut cluster_of: Vec<Option<ClusterId>> = vec![None; history.return_count()];
        let mut return_of: FxHashMap<&Value, ReturnId> = FxHashMap::default();
        let mut writes: Vec<OpId> = Vec::new();
        for (at, event) in intervals.events.iter().enumerate() {
            if at % POLL == 0 {
                limits.check(0)?;
            }
            let Event::Call(op) = *event else { continue };
            let call = history.called(op);
            let ret = history.return_of(op).map(|id| (id, history.returned(id)));
            match (call.method, call.args, ret) {
                ("write", [_], None | Some((_, Value::Null))) => writes.push(op),
                ("read", [], None) => {}
                ("read", [], Some((id, value))) => {
                    if !std::mem::replace(&mut is_read[id.index()], true) {
                        return_of.insert(value, id);
                    }
                    clusters.reads.push((0, op));
                }
                _ => return unsupported(Unsupported::NoCollection),
            }
        }
        if let Some(id) = return_of.get(initial) {
            cluster_of[id.index()] = Some(0);
        }
        for op in writes {
            // A value that is not read may be written any number of times.
            match return_of.get(&history.called(op).args[0]) {
                None if history.is_pending(op) => continue,
                None => {}
                Some(id) if cluster_of[id.index()].is_some() => return unsupported(Unsupported::NotDistinct),
                Some(id) => cluster_of[id.index()] = Some(clusters.write.len() as ClusterId),
            }
            clusters.write.push(op);
            clusters.first.push(op);
            clusters.last.push(op);
        }
        for at in 0..clusters.reads.len() {
            let op = clusters.reads[at].1;
            let Some(cluster) = history.return_of(op).and_then(|id| cluster_of[id.index()]) else {
                return Ok(Err(Found::Violated(violation(vec![op]))));
            };
            if let Some(violation) = clusters.add(at, cluster) {
                return Ok(Err(Found::Violated(violation)));
            }
        }
        Ok(Ok(clusters))
    }

    /// Adds a read to its cluster; or says that it returned before its value was written.
    fn add(&mut self, at: usize, cluster: ClusterId) -> Option<Violation> {
        let Intervals { call, ret, .. } = self.intervals;
        self.reads[at].0 = cluster;
        let (op, place) = (self.reads[at].1, cluster as usize);
        let write = self.write[place];
        if write == INITIALLY {
            self.last[place] = op;
            return None;
        }
        if ret[op.index()] < call[write.index()] {
            return Some(violation(vec![op, write]));
        }
        if ret[op.index()] < ret[self.first[place].index()] {
            self.first[place] = op;
        }
        if call[op.index()] > call[self.last[place].index()] {
            self.last[place] = op;
        }
        None
    }

    /// The clusters in an order that contains hb; or two that must precede each other.
    fn order(&self) -> Result<Vec<ClusterId>, (ClusterId, ClusterId)> {
        let Intervals { call, ret, .. } = self.intervals;
        let f = |cluster: ClusterId| match self.first[cluster as usize] {
            INITIALLY => 0,
            op => ret[op.index()],
        };
        let s = |cluster: ClusterId| call[self.last[cluster as usize].index()];
        let read_initially = u32::from(self.last[0] != INITIALLY);
        zones::order(1 - read_initially..self.write.len() as ClusterId, f, s)
    }

    /// Cluster by cluster, the write and then the reads in the order of their calls.
    fn linearization(&self, order: &[ClusterId]) -> Vec<OpId> {
        let mut size = vec![1usize; self.write.len()];
        size[0] = 0;
        for &(cluster, _) in &self.reads {
            size[cluster as usize] += 1;
        }
        let mut lin = vec![INITIALLY; size.iter().sum()];
        let mut next = vec![0usize; self.write.len()];
        let mut begin = 0;
        for &cluster in order {
            let place = cluster as usize;
            next[place] = begin;
            begin += size[place];
            if self.write[place] != INITIALLY {
                lin[next[place]] = self.write[place];
                next[place] += 1;
            }
        }
        for &(cluster, op) in &self.reads {
            lin[next[cluster as usize]] = op;
            next[cluster as usize] += 1;
        }
        lin
    }

    /// Two clusters that must precede each other, each in at most three operations.
    fn crossing(&self, a: ClusterId, b: ClusterId) -> Violation {
        let of = |cluster: ClusterId| {
            let place = cluster as usize;
            [self.write[place], self.first[place], self.last[place]]
        };
        let mut operations: Vec<OpId> = of(a).into_iter().chain(of(b)).collect();
        operations.retain(|&op| op != INITIALLY);
        violation(operations)
    }
}

fn violation(mut operations: Vec<OpId>) -> Violation {
    operations.sort_unstable();
    operations.dedup();
    Violation { operations, cut: None }
}

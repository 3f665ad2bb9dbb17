//! Wing and Gong's search as it was published (1993): the baseline.
//!
//! Takes any operation that no other one left happens before, and if its return fits, goes on with the rest; else goes
//! back. Nothing is remembered, so it can take time exponential in the number of concurrent operations.

use super::meter::Meter;
use super::{AbstractExecution, Criterion, History, OpId, Specification, Verdict, Violation, Visibility};
use tribunal_history::verdict::Limit;

/// The bytes that an operation takes in the search's columns.
const BYTES: usize = 80;

pub(super) fn decide(
    history: &History,
    spec: &dyn Specification,
    criterion: &Criterion,
    meter: &mut Meter<'_>,
) -> Result<Verdict, Limit> {
    meter.room(BYTES * history.len())?;
    let mut machine = spec.machine(history);
    let real_time = *criterion == Criterion::Linearizable;
    let before = |a: OpId, b: OpId| match real_time {
        true => history.before(a, b),
        false => a != b && history.process(a) == history.process(b) && precedes(history, a, b),
    };
    let ops: Vec<OpId> = history.ops().collect();
    let completed = ops.iter().filter(|&&op| !history.is_pending(op)).count();
    let mut taken = vec![false; ops.len()];
    let (mut lin, mut states, mut tries) = (Vec::new(), vec![machine.initial()], vec![0]);
    let mut done = 0;
    // The top of `tries` is the next operation to try after `lin`.
    while done < completed {
        meter.visit(1)?;
        meter.work(ops.len() as u64)?;
        meter.hold(BYTES * ops.len(), &mut *machine)?;
        let depth = tries.len() - 1;
        let Some(&op) = ops.get(tries[depth]) else {
            tries.pop();
            states.pop();
            let Some(op) = lin.pop() else {
                return Ok(Verdict::Inconsistent(Violation { operations: ops, cut: None }));
            };
            let op: OpId = op;
            taken[op.index()] = false;
            done -= usize::from(!history.is_pending(op));
            continue;
        };
        tries[depth] += 1;
        // A pending operation may be left out, so nothing waits for it.
        let first =
            |&&other: &&OpId| !taken[other.index()] && before(other, op) && !history.is_pending(other);
        let late = |&&other: &&OpId| taken[other.index()] && before(op, other);
        if taken[op.index()] || ops.iter().any(|other| first(&other)) || ops.iter().any(|other| late(&other))
        {
            continue;
        }
        if let Some(state) = machine.apply(states[depth], op) {
            taken[op.index()] = true;
            done += usize::from(!history.is_pending(op));
            lin.push(op);
            states.push(state);
            tries.push(0);
        }
    }
    Ok(Verdict::Consistent(AbstractExecution { lin, vis: Visibility::All }))
}

fn precedes(history: &History, a: OpId, b: OpId) -> bool {
    let of_process = history.of_process(history.process(a));
    of_process.iter().find(|&&op| op == a || op == b) == Some(&a)
}

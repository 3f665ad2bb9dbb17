//! ccv, causal convergence.
//!
//! - cc
//! - acyclic(po ∪ rf ∪ cf\[co\])
//!
//! with co = (po ∪ rf)⁺ and cf\[co\] = co_WR ; rf⁻¹ minus identity: a write before a read is before the one that is
//! read. An RMW is a read and a write like any other.
//!
//! Decided in O(n·k). Of the writes of a thread in a read's past the last is enough, and only if it was not yet in
//! the past of the reader's previous access a of the location: otherwise it is before the write that a leaves,
//! which is before the one read.

use super::arrows::Arrows;
use super::cc::causal_past;
use crate::limits::Limits;
use crate::memory::{EventId, Execution, ThreadId};
use crate::order::chains::left_by;
use crate::order::clocks::Clocks;
use crate::order::digraph::{Arc, short_cycle};
use crate::order::happens_before::HappensBefore;
use crate::order::observer::{Fronts, Observable};
use crate::order::parallel;
use crate::order::replay::{Deadlock, Halt, replay};
use crate::verdict::{Axiom, Because, Cycle, Edge, Limit, Refutation, Verdict, Violation, Witness};

/// Histories up to this size get the shortest of all cycles.
const LITMUS: usize = 64;

pub(in crate::models) fn decide(x: &Execution, limits: &Limits<'_>) -> Result<Verdict, Limit> {
    let co = match causal_past(x, limits)? {
        Ok(co) => co,
        Err(violation) => return Ok(Verdict::Inconsistent(violation)),
    };
    let threads: Vec<ThreadId> = x.threads().collect();
    let writes = Observable::writes(x);
    let conflicts = parallel::map(x, &threads, |&thread| {
        limits.check(0)?;
        Ok(conflicts(x, &co, &writes, thread))
    });
    let conflicts: Vec<_> = conflicts.into_iter().collect::<Result<_, Limit>>()?;
    drop(writes);
    let arrows = Arrows::new(x.len(), conflicts);
    match replay(x, |e| arrows.tails(e), limits, |_| {}) {
        Ok(()) => Ok(Verdict::Consistent(Witness::History)),
        Err(Halt::Deadlock(deadlock)) => Ok(Verdict::Inconsistent(explain(x, &co, &deadlock))),
        Err(Halt::Limit(limit)) => Err(limit),
    }
}

/// The cf edges that the reads of a thread demand and co does not have.
fn conflicts(
    x: &Execution,
    co: &HappensBefore,
    writes: &Observable,
    thread: ThreadId,
) -> Vec<(EventId, EventId)> {
    let clocks = co.clocks.as_ref().expect("every read synchronises");
    let mut fronts = Fronts::new(writes, thread);
    // For each location, the write that the thread's last access left, and its clock.
    let mut previous: Vec<_> = x.locations().map(|loc| (x.init_write(loc), Clocks::EMPTY)).collect();
    let mut found = Vec::new();
    for e in x.thread_events(thread).map(EventId) {
        let loc = x.locs()[e.index()];
        let (last, last_row) = &mut previous[loc.index()];
        let source = x.rf(e);
        let mut conflict = |write: EventId| {
            if let Some(source) = source
                && source != write
                && !co.before(x, write, source)
            {
                found.push((write, source));
            }
        };
        conflict(*last);
        let row = clocks.row_of(e);
        if row != *last_row {
            fronts.advance(writes, loc, clocks.row(row), |_, front| conflict(front.event));
        }
        (*last, *last_row) = (left_by(x, e), row);
    }
    found
}

fn explain(x: &Execution, co: &HappensBefore, deadlock: &Deadlock) -> Violation {
    let edges = if x.len() <= LITMUS { shortest_cycle(x, co) } else { wait_cycle(x, co, deadlock) };
    let refutation = Refutation::Cycle(Cycle { lemmas: Vec::new(), edges });
    Violation { axiom: Axiom::CausalConflict, refutation }
}

/// A cf edge, for some read of `to` that has `from` in its past.
fn conflict(x: &Execution, co: &HappensBefore, from: EventId, to: EventId) -> Option<Edge> {
    let reads = x.events().filter(|&e| x.rf(e) == Some(to) && co.before(x, from, e));
    let shown = reads.filter_map(|read| Some((read, co.path(x, from, read)?)));
    let (read, path) = match x.len() <= LITMUS {
        true => shown.min_by_key(|(_, path)| path.len()),
        false => shown.into_iter().next(),
    }?;
    Some(Edge { from, to, because: Because::Read { read, path } })
}

fn shortest_cycle(x: &Execution, co: &HappensBefore) -> Vec<Edge> {
    let (mut arcs, mut edges) = (Vec::new(), Vec::new());
    let mut add = |edge: Edge, weight| {
        arcs.push(Arc { tail: edge.from.0, head: edge.to.0, weight });
        edges.push(edge);
    };
    for to in x.events() {
        for from in x.events().filter(|&from| from != to) {
            if x.rf(to) == Some(from) {
                add(Edge { from, to, because: Because::Rf }, 1);
            } else if from < to && x.thread_of(from) == x.thread_of(to) {
                add(Edge { from, to, because: Because::Po }, 1);
            } else if [from, to].iter().all(|&e| x.label(e).writes())
                && x.loc(from) == x.loc(to)
                && let Some(edge) = conflict(x, co, from, to)
            {
                let Because::Read { path, .. } = &edge.because else { continue };
                let weight = 1 + path.len() as u32;
                add(edge, weight);
            }
        }
    }
    let cycle = short_cycle(x.len(), &arcs).expect("the replay got stuck, so there is a cycle");
    cycle.into_iter().map(|arc| edges[arc].clone()).collect()
}

fn wait_cycle(x: &Execution, co: &HappensBefore, deadlock: &Deadlock) -> Vec<Edge> {
    let waits = deadlock.cycle(x);
    let mut edges = Vec::new();
    for i in (0..waits.len()).rev() {
        let (blocked, awaited) = waits[i];
        edges.push(match x.rf(blocked) == Some(awaited) {
            true => Edge { from: awaited, to: blocked, because: Because::Rf },
            false => conflict(x, co, awaited, blocked).expect("a thread waits for cf or rf"),
        });
        let wanted = waits[(i + waits.len() - 1) % waits.len()].1;
        if wanted != blocked {
            edges.push(Edge { from: blocked, to: wanted, because: Because::Po });
        }
    }
    edges
}

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

use super::cc::causal_past;
use super::graph::arrows_to;
use crate::limits::Meter;
use crate::memory::order::coherence::chains::left_by;
use crate::memory::order::coherence::latest::{Latest, Walk, teams};
use crate::memory::order::coherence::observer::{Fronts, Observable};
use crate::memory::order::parallel;
use crate::memory::order::past::clocks::Clocks;
use crate::memory::order::past::happens_before::HappensBefore;
use crate::memory::order::past::pasts::Pasts;
use crate::memory::order::past::replay::{Deadlock, Halt, replay};
use crate::reach::digraph::{Arc, short_cycle};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, ThreadId};
use tribunal_history::verdict::{
    Axiom, Because, Cycle, Edge, Limit, Refutation, Verdict, Violation, Witness,
};

/// Edges between writes.
type Pairs = Vec<(EventId, EventId)>;

/// The bytes that an edge takes, twice while it is put where it ends; what writes and arrows take beside it.
const BYTES_PER_EDGE: usize = 12;
const BYTES_PER_EVENT: usize = 32;
const BYTES_PER_LOCATION: usize = 16;

/// Histories up to this size get the shortest of all cycles.
const LITMUS: usize = 64;

pub(in crate::memory::models) fn decide(x: &Execution, limits: &Limits<'_>) -> Result<Verdict, Limit> {
    let co = match causal_past(x, limits)? {
        Ok(co) => co,
        Err(violation) => return Ok(Verdict::Inconsistent(violation)),
    };
    let meter = Meter::new(limits);
    meter.take(co.bytes() + BYTES_PER_EVENT * x.len() + BYTES_PER_LOCATION * x.location_count())?;
    let conflicts = conflicts(x, &co, &meter)?;
    let arrows = arrows_to(x.len(), conflicts);
    match replay(x, |e| arrows.of(e.index()), limits, |_| Ok(())) {
        Ok(()) => Ok(Verdict::Consistent(Witness::History)),
        Err(Halt::Deadlock(deadlock)) => Ok(Verdict::Inconsistent(explain(x, &co, &deadlock))),
        Err(Halt::Limit(limit)) => Err(limit),
    }
}

/// The cf edges that reads demand and co does not have.
fn conflicts(x: &Execution, co: &HappensBefore, meter: &Meter<'_>) -> Result<Vec<Pairs>, Limit> {
    let count = |found: &Pairs| meter.check().and(meter.take(found.capacity() * BYTES_PER_EDGE));
    let conflicts = match co.pasts.as_ref().expect("every read synchronizes") {
        Pasts::Clocks(clocks) => {
            let writes = Observable::writes(x);
            let threads: Vec<ThreadId> = x.threads().collect();
            let observer = 8 * writes.run_count() + 8 * x.location_count();
            meter.take(observer.saturating_mul(parallel::width(x)))?;
            parallel::map(x, &threads, |&thread| {
                let mut found = Vec::new();
                in_thread(x, clocks, &writes, thread, |write, read| {
                    conflict_of(x, co, write, read, &mut found)
                });
                count(&found).map(|()| found)
            })
        }
        Pasts::Sets(sets) => {
            let latest = Latest::new(x, sets, |e| x.label(e).writes());
            parallel::map(x, &teams(x), |team| {
                let (mut found, mut walk) = (Vec::new(), Walk::new(x, Some((&latest, sets))));
                for &thread in team {
                    meter.check()?;
                    // The write that the last access left is before the one read, whoever wrote it.
                    walk.observe(
                        thread,
                        |_| true,
                        |write, read| {
                            conflict_of(x, co, left_by(x, write), read, &mut found);
                        },
                    );
                }
                count(&found).map(|()| found)
            })
        }
    };
    conflicts.into_iter().collect()
}

/// The edge from `write`, which is in the past of `e`, to the write that `e` reads from, if it is not known anyway.
#[inline]
fn conflict_of(x: &Execution, co: &HappensBefore, write: EventId, e: EventId, found: &mut Pairs) {
    if let Some(source) = x.rf(e)
        && source != write
        && !co.before(x, write, source)
    {
        found.push((write, source));
    }
}

/// Calls `conflict(write, e)` for the writes that each access e of a thread must look at.
fn in_thread(
    x: &Execution,
    clocks: &Clocks,
    writes: &Observable,
    thread: ThreadId,
    mut conflict: impl FnMut(EventId, EventId),
) {
    let mut fronts = Fronts::new(writes, thread);
    // For each location, the write that the thread's last access left, and its clock.
    let mut previous: Vec<_> = x.locations().map(|loc| (x.init_write(loc), Clocks::EMPTY)).collect();
    let accesses = x.thread_events(thread).map(EventId).filter(|e| !x.labels()[e.index()].is_fence());
    for e in accesses {
        let loc = x.locs()[e.index()];
        let (last, last_row) = &mut previous[loc.index()];
        conflict(*last, e);
        let row = clocks.row_of(e);
        if row != *last_row {
            fronts.advance(writes, loc, clocks.row(row), |_, front| conflict(front.event, e));
        }
        (*last, *last_row) = (left_by(x, e), row);
    }
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

//! wccm, weak convergent causal memory.
//!
//! - acyclic(po-loc ∪ rf)
//! - acyclic(π ∪ rfe ∪ wpww ∪ rw\[wpww\]), for π = tso's ppo and for π = po-loc
//!
//! with hb^π_o as in [`cm`](super::cm), but with π and rfe for po and rf; hb^π = (∪_o hb^π_o)⁺; whb = (hb^ppo ∪
//! hb^po-loc)⁺; and wpww = (whb_WW ∪ cfe\[hb^ppo\] ∪ cfe\[hb^po-loc\])⁺, where cfe is cf for reads from other
//! threads.
//!
//! For ppo, the last read of each thread is observer enough: it is after all reads of the thread, and an edge is
//! seen at a read. Decided in O(n·k), as [`view`](super::view) and [`convergence`] say.

use super::base::{Base, Program, ReadsFrom, Writes};
use super::convergence::{self, seen_cycle};
use super::graph::{Arrows, arrows_to, sort};
use super::observers::{all_seen, base_cycle};
use super::past::{Past, Relation};
use super::proof::Line;
use crate::limits::Meter;
use crate::memory::models::multiprocessor;
use tribunal_history::heap::Heap;
use tribunal_history::limits::Limits;
use tribunal_history::memory::Execution;
use tribunal_history::model::Preserved;
use tribunal_history::verdict::{Axiom, Cycle, Limit, Refutation, Verdict, Violation, Witness};

/// The bytes that bases, writes and a sorted graph take.
const BYTES_PER_EVENT: usize = 76;
const BYTES_PER_LOCATION: usize = 16;

pub(in crate::memory::models) fn decide(x: &Execution, limits: &Limits<'_>) -> Result<Verdict, Limit> {
    // What tso allows wccm allows, and tso is the faster one to find out.
    if x.len() >= multiprocessor::LARGE && multiprocessor::plainly(x, &Preserved::TSO, limits)?.is_some() {
        return Ok(Verdict::Consistent(Witness::History));
    }
    Ok(match order(x, limits)? {
        Ok(_) => Verdict::Consistent(Witness::History),
        Err(violation) => Verdict::Inconsistent(violation),
    })
}

/// Pairs from which all of wpww follows, or a violation.
pub(in crate::memory::models) fn order(
    x: &Execution,
    limits: &Limits<'_>,
) -> Result<Result<Arrows, Violation>, Limit> {
    let violation = |axiom, cycle| Violation { axiom, refutation: Refutation::Cycle(cycle) };
    limits.check_memory(BYTES_PER_EVENT * x.len() + BYTES_PER_LOCATION * x.location_count(), 0)?;
    let local = Base::new(x, Program::PoLoc, ReadsFrom::All);
    if let Err(cycle) = sort(&local, limits)? {
        return Ok(Err(violation(Axiom::PoLocRf, base_cycle(&local, &cycle, None))));
    }
    let order = global_order(x, limits)?;
    Ok(order.map_err(|cycle| violation(Axiom::WeakCausalConvergence, cycle)))
}

fn global_order(x: &Execution, limits: &Limits<'_>) -> Result<Result<Arrows, Cycle>, Limit> {
    let bases = [Program::Ppo, Program::PoLoc].map(|program| Base::new(x, program, ReadsFrom::External));
    let writes = Writes::new(x);
    let meter = Meter::new(limits);
    meter.take(BYTES_PER_EVENT * x.len() + BYTES_PER_LOCATION * x.location_count())?;
    let mut lines = Vec::with_capacity(bases.len());
    for base in &bases {
        let nothing = Relation { bases: &[base], further: arrows_to(x.len(), Vec::new()), observer: 0..0 };
        let past =
            match Past::new(&nothing, &meter.rest()).map_err(|limit| limit.out_of(limits.max_memory))? {
                Ok(past) => past,
                Err(cycle) => return Ok(Err(base_cycle(base, &cycle, None))),
            };
        let seen: usize = lines.iter().map(|line: &Line<'_>| line.seen.held()).sum();
        let held = past.bytes() + seen + BYTES_PER_EVENT / 2 * x.len();
        match all_seen(base, &writes, |write, other| past.has(other, write), held, limits)? {
            Ok(seen) => lines.push(Line { base, seen }),
            Err(cycle) => return Ok(Err(seen_cycle(cycle))),
        }
    }
    convergence::order(&lines, &writes, limits)
}

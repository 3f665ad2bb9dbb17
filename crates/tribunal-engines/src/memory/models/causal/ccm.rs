//! ccm, convergent causal memory.
//!
//! - acyclic(po ∪ rf ∪ pww ∪ rw\[pww\])
//!
//! with pww = (hb_WW ∪ cf\[hb\])⁺ and hb = (∪_o hb_o)⁺, hb_o as in [`cm`](super::cm). Decided in O(n·k), as
//! [`view`](super::view) and [`convergence`] say; a history that is not consistent with cc or with cm is refuted as
//! such.

use super::base::{Base, Program, ReadsFrom, Writes};
use super::cc::causal_past;
use super::convergence;
use super::graph::Arrows;
use super::observers::all_seen;
use super::proof::Line;
use tribunal_history::limits::Limits;
use tribunal_history::memory::Execution;
use tribunal_history::verdict::{Axiom, Limit, Refutation, Verdict, Violation, Witness};

pub(in crate::memory::models) fn decide(x: &Execution, limits: &Limits<'_>) -> Result<Verdict, Limit> {
    Ok(match order(x, limits)? {
        Ok(_) => Verdict::Consistent(Witness::History),
        Err(violation) => Verdict::Inconsistent(violation),
    })
}

/// Pairs from which all of pww follows, or a violation.
pub(in crate::memory::models) fn order(
    x: &Execution,
    limits: &Limits<'_>,
) -> Result<Result<Arrows, Violation>, Limit> {
    let co = match causal_past(x, limits)? {
        Ok(co) => co,
        Err(violation) => return Ok(Err(violation)),
    };
    let (base, writes) = (Base::new(x, Program::Po, ReadsFrom::All), Writes::new(x));
    let known = |write, other| co.before(x, write, other);
    let order = match all_seen(&base, &writes, known, co.bytes(), limits)? {
        Ok(seen) => {
            drop(co);
            convergence::order(&[Line { base: &base, seen }], &writes, limits)?
        }
        Err(cycle) => Err(convergence::seen_cycle(cycle)),
    };
    Ok(order
        .map_err(|cycle| Violation { axiom: Axiom::CausalConvergence, refutation: Refutation::Cycle(cycle) }))
}

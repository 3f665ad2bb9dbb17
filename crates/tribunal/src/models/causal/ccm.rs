//! ccm, convergent causal memory.
//!
//! - acyclic(po ∪ rf ∪ pww ∪ rw\[pww\])
//!
//! with pww = (hb_WW ∪ cf\[hb\])⁺ and hb = (∪_o hb_o)⁺, hb_o as in [`cm`](super::cm). Decided in O(n·k), as
//! [`view`](super::view) and [`convergence`] say; a history that is not consistent with cc or with cm is refuted as
//! such.

use super::base::{Base, Heard, Program, Writes};
use super::cc::causal_past;
use super::convergence;
use super::observers::all_seen;
use super::proof::Line;
use crate::limits::Limits;
use crate::memory::Execution;
use crate::verdict::{Axiom, Limit, Refutation, Verdict, Violation, Witness};

pub(in crate::models) fn decide(x: &Execution, limits: &Limits<'_>) -> Result<Verdict, Limit> {
    let co = match causal_past(x, limits)? {
        Ok(co) => co,
        Err(violation) => return Ok(Verdict::Inconsistent(violation)),
    };
    let (base, writes) = (Base::new(x, Program::Po, Heard::All), Writes::new(x));
    let known = |write, other| co.before(x, write, other);
    let cycle = match all_seen(&base, &writes, known, co.bytes(), limits)? {
        Ok(seen) => {
            drop(co);
            convergence::cycle(&[Line { base: &base, seen }], &writes, limits)?
        }
        Err(cycle) => Some(convergence::seen_cycle(cycle)),
    };
    Ok(match cycle {
        None => Verdict::Consistent(Witness::History),
        Some(cycle) => {
            let refutation = Refutation::Cycle(cycle);
            Verdict::Inconsistent(Violation { axiom: Axiom::CausalConvergence, refutation })
        }
    })
}

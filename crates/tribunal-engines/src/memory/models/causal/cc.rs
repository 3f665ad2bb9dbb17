//! cc, causal consistency.
//!
//! - acyclic(po ∪ rf)
//! - irr(rw\[co\] ; co)   no read from a write that is overwritten in the read's causal past
//!
//! with co = (po ∪ rf)⁺ and rw\[co\] = rf⁻¹ ; co_WW. An RMW is a read and a write like any other.
//!
//! Decided in O(n·k), as [`overwritten`] says.

use super::overwritten;
use crate::memory::order::past::causality;
use crate::memory::order::past::happens_before::{HappensBefore, Synchronization};
use crate::memory::order::past::replay::Halt;
use tribunal_history::limits::Limits;
use tribunal_history::memory::Execution;
use tribunal_history::verdict::{Axiom, Limit, Verdict, Violation, Witness};

pub(in crate::memory::models) fn decide(x: &Execution, limits: &Limits<'_>) -> Result<Verdict, Limit> {
    Ok(match causal_past(x, limits)? {
        Ok(_) => Verdict::Consistent(Witness::History),
        Err(violation) => Verdict::Inconsistent(violation),
    })
}

/// co of a history that is consistent with cc, or why it is not.
pub(super) fn causal_past(
    x: &Execution,
    limits: &Limits<'_>,
) -> Result<Result<HappensBefore, Violation>, Limit> {
    let co = match HappensBefore::new(x, Synchronization::EveryRead, limits) {
        Ok(co) => co,
        Err(Halt::Deadlock(deadlock)) => return Ok(Err(causality::explain(x, &deadlock))),
        Err(Halt::Limit(limit)) => return Err(limit),
    };
    let overwritten = overwritten::find(x, &co, Axiom::CausalPast, limits)?;
    Ok(overwritten.map_or(Ok(co), Err))
}

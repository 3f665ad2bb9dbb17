//! WRA, weak release-acquire.
//!
//! - acyclic(po ∪ rf)
//! - irr(hbloc ; \[W\] ; hb ; rf⁻¹)   weak read coherence
//! - no two RMWs read from one write   weak atomicity
//!
//! with hb = (po ∪ rf)⁺; there is no mo.
//!
//! Decided in O(n·k), as `causal/overwritten.rs` says.

use super::causal::overwritten;
use crate::memory::order::coherence::chains::SharedSource;
use crate::memory::order::past::causality;
use crate::memory::order::past::happens_before::{HappensBefore, Synchronization};
use crate::memory::order::past::replay::Halt;
use tribunal_history::limits::Limits;
use tribunal_history::memory::Execution;
use tribunal_history::verdict::{Axiom, Limit, Refutation, Verdict, Violation, Witness};

pub(super) fn decide(x: &Execution, limits: &Limits<'_>) -> Result<Verdict, Limit> {
    let hb = match HappensBefore::new(x, Synchronization::EveryRead, limits) {
        Ok(hb) => hb,
        Err(Halt::Deadlock(deadlock)) => return Ok(Verdict::Inconsistent(causality::explain(x, &deadlock))),
        Err(Halt::Limit(limit)) => return Err(limit),
    };
    if let Some(SharedSource { write, rmws }) = SharedSource::find(x) {
        let refutation = Refutation::SharedSource { write, rmws };
        return Ok(Verdict::Inconsistent(Violation { axiom: Axiom::WeakAtomicity, refutation }));
    }
    let overwritten = overwritten::find(x, &hb, Axiom::WeakReadCoherence, limits)?;
    Ok(overwritten.map_or(Verdict::Consistent(Witness::History), Verdict::Inconsistent))
}

//! RC20, RA and Relaxed.
//!
//! - acyclic(po ∪ rf)
//! - irr(mo ; rf? ; hb?)   write coherence
//! - irr(fr ; rf? ; hb)    read coherence
//! - irr(fr ; mo)          atomicity
//!
//! | model   | hb |
//! |---------|----|
//! | rc20    | (po ∪ sw)⁺, sw = \[E⊒REL\] ; (\[F\];po)? ; rf⁺ ; (po;\[F\])? ; \[E⊒ACQ\] |
//! | ra      | (po ∪ rf)⁺: every access counts as acq_rel, fences are ignored |
//! | relaxed | po |
//!
//! Decided by minimal coherence (Tunç et al. 2023, Algorithms 3 and 4): O(n·k), and O(n) for relaxed.

use crate::limits::Limits;
use crate::memory::Execution;
use crate::order::happens_before::{HappensBefore, Synchronisation};
use crate::order::replay::Halt;
use crate::order::{causality, coherence};
use crate::verdict::{Limit, Verdict, Witness};

pub(super) fn decide(
    x: &Execution,
    synchronisation: Synchronisation,
    limits: &Limits<'_>,
) -> Result<Verdict, Limit> {
    let hb = match HappensBefore::new(x, synchronisation, limits) {
        Ok(hb) => hb,
        Err(Halt::Deadlock(deadlock)) => return Ok(Verdict::Inconsistent(causality::explain(x, &deadlock))),
        Err(Halt::Limit(limit)) => return Err(limit),
    };
    Ok(match coherence::order_writes(x, &hb, limits)? {
        Ok(mo) => Verdict::Consistent(Witness::Mo(mo)),
        Err(violation) => Verdict::Inconsistent(violation),
    })
}

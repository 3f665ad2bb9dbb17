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
use crate::order::chains::Chains;
use crate::order::happens_before::{HappensBefore, Synchronisation};
use crate::order::replay::Halt;
use crate::order::{causality, coherence, parallel};
use crate::verdict::{Limit, Verdict, Witness};

pub(super) fn decide(
    x: &Execution,
    synchronisation: Synchronisation,
    limits: &Limits<'_>,
) -> Result<Verdict, Limit> {
    // The two are found at once, so what the chains take is not left for hb.
    limits.check_memory(Chains::bytes(x), 0)?;
    let rest = Limits { max_memory: limits.max_memory - Chains::bytes(x), ..*limits };
    let (hb, chains) = parallel::join(x, || HappensBefore::new(x, synchronisation, &rest), || Chains::new(x));
    let hb = match hb {
        Ok(hb) => hb,
        Err(Halt::Deadlock(deadlock)) => return Ok(Verdict::Inconsistent(causality::explain(x, &deadlock))),
        Err(Halt::Limit(limit)) => return Err(limit.out_of(limits.max_memory)),
    };
    Ok(match coherence::order_writes(x, &hb, chains, limits)? {
        Ok(mo) => Verdict::Consistent(Witness::Mo(mo)),
        Err(violation) => Verdict::Inconsistent(violation),
    })
}

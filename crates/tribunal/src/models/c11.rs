//! RC20, RC11, RA and Relaxed.
//!
//! - acyclic(po ∪ rf)
//! - irr(mo ; rf? ; hb?)   write coherence
//! - irr(fr ; rf? ; hb)    read coherence
//! - irr(fr ; mo)          atomicity
//! - acyclic(psc)          rc20 and rc11, where an event is seq_cst
//!
//! | model   | hb |
//! |---------|----|
//! | rc20    | (po ∪ sw)⁺, sw = \[E⊒REL\] ; (\[F\];po)? ; rf⁺ ; (po;\[F\])? ; \[E⊒ACQ\] |
//! | rc11    | (po ∪ sw)⁺, where rf⁺ may begin at a later write of the same thread to the location |
//! | ra      | (po ∪ rf)⁺: every access counts as acq_rel, fences are ignored |
//! | relaxed | po |
//!
//! With SC the seq_cst events and F those of them that are fences,
//!
//! - scb = po ∪ (far ; hb ; far) ∪ hb-loc ∪ mo ∪ fr, far = po, for rc11 without the pairs of accesses of one location
//! - psc = (\[SC\] ∪ \[F\];hb?) ; scb ; (\[SC\] ∪ hb?;\[F\]) ∪ \[F\] ; (hb ∪ hb;eco;hb) ; \[F\], eco = (rf ∪ mo ∪ fr)⁺
//!
//! Without seq_cst decided by minimal coherence (Tunç et al. 2023, Algorithms 3 and 4): O(n·k), and O(n) for relaxed. With it,
//! saturation of what psc asks of mo, then a search or a SAT solver, as for sc. If every event is seq_cst, the model is sc.

use super::Engine;
use crate::limits::Limits;
use crate::memory::Execution;
use crate::order::chains::Chains;
use crate::order::happens_before::{HappensBefore, Synchronisation};
use crate::order::replay::Halt;
use crate::order::{causality, coherence, parallel};
use crate::verdict::{Limit, Verdict, Witness};

/// The two models with seq_cst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum C11 {
    Rc20,
    Rc11,
}

impl C11 {
    pub(crate) fn synchronisation(self) -> Synchronisation {
        match self {
            C11::Rc20 => Synchronisation::Annotated,
            C11::Rc11 => Synchronisation::Continued,
        }
    }
}

/// rc20 or rc11.
pub(super) fn decide(
    x: &Execution,
    model: C11,
    engine: Option<Engine>,
    limits: &Limits<'_>,
) -> Result<(Verdict, Engine), Limit> {
    let coherent = coherent(x, model.synchronisation(), limits)?;
    Ok((coherent, engine.unwrap_or(Engine::MinimalCoherence)))
}

/// ra and relaxed; of rc20 and rc11 all but psc.
pub(super) fn coherent(
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

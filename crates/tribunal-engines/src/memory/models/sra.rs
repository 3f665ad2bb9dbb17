//! SRA, strong release-acquire.
//!
//! - acyclic(po ∪ rf)
//! - acyclic(hb ∪ mo)     strong write coherence
//! - irr(fr ; rf? ; hb)   read coherence
//! - irr(fr ; mo)         atomicity
//!
//! with hb = (po ∪ rf)⁺.
//!
//! Without RMWs, decided in O(n·k) by minimal coherence (Tunç et al. 2023, Algorithm 2): read coherence gives mo edges, and a
//! history is consistent if and only if these and hb are acyclic; any topological order is then an mo. With RMWs the
//! problem is NP-complete: saturation, then the frontier search (section 4.2). When the search finds that there is no mo,
//! the proof of it splits cases on pairs of writes until saturation refutes each.

use super::Engine;
use crate::memory::order::coherence::chains::{Chains, SharedSource};
use crate::memory::order::coherence::frontier;
use crate::memory::order::coherence::saturation::{Contradiction, Saturated, SraSaturation};
use crate::memory::order::past::causality;
use crate::memory::order::past::happens_before::{HappensBefore, Synchronization};
use crate::memory::order::past::replay::Halt;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::verdict::{
    Axiom, Because, Limit, ModificationOrder, Refutation, Verdict, Violation, Witness,
};

pub(super) fn decide(x: &Execution, limits: &Limits<'_>) -> Result<(Verdict, Engine), Limit> {
    let hb = match HappensBefore::new(x, Synchronization::EveryRead, limits) {
        Ok(hb) => hb,
        Err(Halt::Deadlock(deadlock)) => {
            let violation = causality::explain(x, &deadlock);
            return Ok((Verdict::Inconsistent(violation), Engine::MinimalCoherence));
        }
        Err(Halt::Limit(limit)) => return Err(limit),
    };
    limits.check_memory(hb.bytes() + Chains::bytes(x), 0)?;
    let chains = match Chains::new(x) {
        Ok(chains) => chains,
        Err(SharedSource { write, rmws }) => {
            let refutation = Refutation::SharedSource { write, rmws };
            return Ok((inconsistent(Axiom::Atomicity, refutation), Engine::MinimalCoherence));
        }
    };
    search(x, &mut SraSaturation::new(x, &hb, &chains, limits)?, limits)
}

fn inconsistent(axiom: Axiom, refutation: Refutation) -> Verdict {
    Verdict::Inconsistent(Violation { axiom, refutation })
}

fn search(
    x: &Execution,
    saturation: &mut SraSaturation<'_>,
    limits: &Limits<'_>,
) -> Result<(Verdict, Engine), Limit> {
    let saturated = match saturation.run(limits)? {
        Ok(saturated) => saturated,
        Err(contradiction) => {
            let cycle = saturation.explain(&contradiction);
            let axiom = broken_axiom(&cycle.edges);
            return Ok((inconsistent(axiom, Refutation::Cycle(cycle)), Engine::MinimalCoherence));
        }
    };
    let consistent =
        |order: &[EventId]| Verdict::Consistent(Witness::Mo(ModificationOrder::in_line(x, order)));
    if x.features().rmws == 0 {
        return Ok((consistent(&saturated.order), Engine::MinimalCoherence));
    }
    let mut states = 0;
    let verdict = match frontier::search(x, &saturated.preds, limits, &mut states)? {
        Some(order) => consistent(&order),
        None => inconsistent(Axiom::StrongWriteCoherence, refute(saturation, limits, &mut states)?),
    };
    Ok((verdict, Engine::FrontierSearch))
}

/// The axiom that best names what a cycle of hb and mo edges breaks.
fn broken_axiom(edges: &[tribunal_history::verdict::Edge]) -> Axiom {
    let base = |because: &Because| match because {
        Because::Atomic { premise } => premise.because.name(),
        because => because.name(),
    };
    let mo: Vec<&str> = edges.iter().map(|edge| &edge.because).filter(|b| b.is_mo()).map(base).collect();
    match mo[..] {
        _ if mo.contains(&"final") => Axiom::FinalValue,
        ["read"] | ["read", "chain"] | ["chain", "read"] => Axiom::ReadCoherence,
        _ => Axiom::StrongWriteCoherence,
    }
}

/// Why no mo exists, by cases: looks for a pair of chains of which one order is refuted by saturation alone; if there is
/// none, splits on the pair whose two orders tell the most. It is no [theory](crate::split::Theory): its saturation begins anew in each case and notes no
/// cases in what it derives, so that there is nothing to jump back by.
fn refute(
    saturation: &mut SraSaturation<'_>,
    limits: &Limits<'_>,
    states: &mut u64,
) -> Result<Refutation, Limit> {
    /// How many pairs are tried before each split.
    const LOOK_AHEAD: usize = 24;
    *states += 1;
    limits.check(*states)?;
    let pasts = match saturation.run(limits)? {
        Ok(Saturated { pasts, .. }) => pasts,
        Err(contradiction) => return Ok(Refutation::Cycle(saturation.explain(&contradiction))),
    };
    let known = saturation.edges.len();
    let mut best: Option<(usize, (EventId, EventId))> = None;
    for (first, second) in saturation.unordered(&pasts, LOOK_AHEAD) {
        let mut told = [0; 2];
        for (i, (a, b)) in [(first, second), (second, first)].into_iter().enumerate() {
            saturation.assume(a, b);
            let outcome = saturation.run(limits)?;
            let leaf = outcome.err().map(|contradiction: Contradiction| saturation.explain(&contradiction));
            told[i] = saturation.edges.len() - known;
            saturation.edges.truncate(known);
            if let Some(cycle) = leaf {
                saturation.assume(b, a);
                let rest = refute(saturation, limits, states)?;
                saturation.edges.truncate(known);
                let (forward, backward) = (Box::new(Refutation::Cycle(cycle)), Box::new(rest));
                return Ok(Refutation::Split { first: a, second: b, forward, backward });
            }
        }
        let least = told[0].min(told[1]);
        if best.is_none_or(|(most, _)| least > most) {
            best = Some((least, (first, second)));
        }
    }
    let (_, (first, second)) = best.expect("a history without an mo has chains that are unordered");
    let mut cases = Vec::with_capacity(2);
    for (a, b) in [(first, second), (second, first)] {
        saturation.assume(a, b);
        cases.push(Box::new(refute(saturation, limits, states)?));
        saturation.edges.truncate(known);
    }
    let (backward, forward) = (cases.pop().expect("two cases"), cases.pop().expect("two cases"));
    Ok(Refutation::Split { first, second, forward, backward })
}

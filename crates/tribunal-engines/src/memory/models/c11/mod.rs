//! rc20, rc11, ra and relaxed.
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

mod explain;

use super::{Engine, multiprocessor};
use crate::memory::order::coherence::chains::Chains;
use crate::memory::order::coherence::minimal;
use crate::memory::order::coherence::observer::Accesses;
use crate::memory::order::coherence::psc::{self, Copies, Far, Psc, Scene};
use crate::memory::order::parallel;
use crate::memory::order::past::causality;
use crate::memory::order::past::happens_before::{HappensBefore, Synchronization};
use crate::memory::order::past::pasts::Pasts;
use crate::memory::order::past::replay::Halt;
use crate::memory::order::views::memory_order::MemoryOrderSweep;
use crate::memory::order::views::repair::repair;
use crate::memory::order::views::saturation::{Reason, Stop, ViewSaturation, graph_bytes};
use crate::memory::order::views::search::{self, Explain, in_order};
use crate::reach::graph::Graph;
use explain::Explanation;
use std::rc::Rc;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, Order};
use tribunal_history::model::Preserved;
use tribunal_history::verdict::{Axiom, Limit, Verdict, Violation, Witness};

/// The two models with seq_cst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum C11 {
    Rc20,
    Rc11,
}

impl C11 {
    pub(crate) fn synchronization(self) -> Synchronization {
        match self {
            C11::Rc20 => Synchronization::Annotated,
            C11::Rc11 => Synchronization::Continued,
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
    if !x.features().seq_cst {
        let coherent = coherent(x, model.synchronization(), limits)?;
        return Ok((coherent, engine.unwrap_or(Engine::MinimalCoherence)));
    }
    let searched = engine.filter(|&engine| engine != Engine::MinimalCoherence);
    if x.labels().iter().all(|label| label.order() == Order::SeqCst) {
        return multiprocessor::decide(x, &Preserved::SC, searched, limits);
    }
    let rest = limits.beside(Chains::bytes(x))?;
    let (hb, chains) = parallel::join(
        x,
        || HappensBefore::with_clocks(x, model.synchronization(), &rest),
        || Chains::new(x),
    );
    let hb = match hb {
        Ok(hb) => hb,
        Err(Halt::Deadlock(deadlock)) => {
            return Ok((Verdict::Inconsistent(causality::explain(x, &deadlock)), Engine::MinimalCoherence));
        }
        Err(Halt::Limit(limit)) => return Err(limit.out_of(limits.max_memory)),
    };
    let incoherent = || -> Result<Option<(Verdict, Engine)>, Limit> {
        let violation = minimal::order_writes(x, &hb, Chains::new(x), limits)?.err();
        Ok(violation.map(|violation| (Verdict::Inconsistent(violation), Engine::MinimalCoherence)))
    };
    let Ok(chains) = chains else {
        return Ok(incoherent()?.expect("two RMWs that read from one write are not coherent"));
    };
    let observing = BYTES_PER_EVENT * x.len() + BYTES_PER_LOCATION * x.location_count();
    let rest = limits.beside(hb.bytes() + Chains::bytes(x) + observing)?;
    let observed = Accesses::new(x, &chains, hb.pasts.as_ref(), |e| hb.observable(x, e));
    let found = psc::arcs(x, &chains, observed.sight(hb.pasts.as_ref()), &rest);
    drop(observed);
    let Some(arcs) = found.map_err(|limit| limit.out_of(limits.max_memory))? else {
        return Ok(incoherent()?.expect("what contradicts itself within a chain is not coherent"));
    };
    let Some(Pasts::Clocks(clocks)) = &hb.pasts else { unreachable!("hb by clocks") };
    let far = if model == C11::Rc20 { Far::Po } else { Far::OtherLocation };
    let rest = limits.beside(hb.bytes() + Chains::bytes(x) + 8 * arcs.capacity())?;
    let scene = Scene { x, far, hb: &hb, clocks, chains: &chains, arcs: &arcs };
    if engine == Some(Engine::MinimalCoherence) {
        return incoherent()?.ok_or(Limit::Saturated);
    }
    match seq_cst(scene, searched, &rest).map_err(|limit| limit.out_of(limits.max_memory))? {
        // Perhaps it is not psc that is broken.
        (Verdict::Inconsistent(violation), decided) => {
            Ok(incoherent()?.unwrap_or((Verdict::Inconsistent(violation), decided)))
        }
        decided => Ok(decided),
    }
}

/// Whether some mo satisfies coherence and acyclic(psc).
fn seq_cst(
    scene: Scene<'_>,
    engine: Option<Engine>,
    limits: &Limits<'_>,
) -> Result<(Verdict, Engine), Limit> {
    let x = scene.x;
    let mut psc = Psc::new(scene, Copies::One, limits)?;
    let rest = limits.beside(psc.bytes())?;
    let mut graph = psc.graph(&rest)?;
    if let (None, Ok(graph)) = (engine, &mut graph) {
        rest.check_memory(graph_bytes(graph) + MemoryOrderSweep::bytes(&psc.events), 0)?;
        let moves = STRAIGHTENED.max(x.len() / 16);
        if MemoryOrderSweep::new(&psc.events, Rc::default()).straighten(graph, moves, &rest)? {
            let mo = psc.of_history(x, &in_order(&psc.events, graph));
            return Ok((Verdict::Consistent(Witness::Mo(mo)), Engine::Search));
        }
        graph.truncate(0);
    }
    if psc.observed {
        // An mo that satisfies more will do, and is found faster.
        if let (None, Ok(graph)) = (engine, graph)
            && let Some(decided) = plainly(x, &psc, graph, &rest)?
        {
            return Ok(decided);
        }
        drop(psc);
        psc = Psc::new(scene, Copies::Two, limits)?;
        graph = psc.graph(&limits.beside(psc.bytes())?)?;
    }
    let limits = &limits.beside(psc.bytes() + psc.lines_bytes())?;
    let explanation = Explanation { scene, psc: &psc };
    let inconsistent = |violation, decided| Ok((Verdict::Inconsistent(violation), engine.unwrap_or(decided)));
    let consistent = |writes: &[EventId], decided| {
        let mo = psc.of_history(x, writes);
        Ok((Verdict::Consistent(Witness::Mo(mo)), engine.unwrap_or(decided)))
    };
    let mut saturation = match graph {
        Ok(graph) => ViewSaturation::new(&psc.events, graph, psc.lines(), limits)?,
        Err(cycle) => return inconsistent(explanation.base_cycle(&cycle), Engine::Saturation),
    };
    match saturation.run(limits) {
        Ok(()) => {}
        Err(Stop::Limit(limit)) => return Err(limit),
        Err(Stop::Conflict(conflict)) => {
            let (cycle, _) = explanation.explain(&saturation, &conflict);
            return inconsistent(explanation.violation(cycle), Engine::Saturation);
        }
    }
    saturation.reorder();
    let is_memory_order =
        MemoryOrderSweep::new(&psc.events, saturation.twins()).next(&saturation.graph).is_none();
    if engine == Some(Engine::Saturation) && !is_memory_order {
        return Err(Limit::Saturated);
    }
    if let Some(repairs) = repair(&psc.events, &mut saturation, limits)? {
        let decided = if repairs == 0 { Engine::Saturation } else { Engine::Search };
        return consistent(&in_order(&psc.events, &saturation.graph), decided);
    }
    /// Refuted cases after which another way is worth a try.
    const CASES_BEFORE_SAT: u64 = 2000;
    let patience = if engine == Some(Engine::Search) { u64::MAX } else { CASES_BEFORE_SAT };
    let mut states = 0;
    let searched = match engine {
        Some(Engine::Sat) => None,
        _ => search::search(&psc.events, &mut saturation, &explanation, patience, limits, &mut states)?,
    };
    let (outcome, decided) = match searched {
        Some(outcome) => (outcome, Engine::Search),
        None => {
            let outcome = search::solve(&psc.events, &mut saturation, &explanation, limits, &mut states)?;
            (outcome, Engine::Sat)
        }
    };
    match outcome {
        Ok(writes) => consistent(&writes, decided),
        Err(refutation) => {
            let refutation = explanation.of_history(refutation);
            inconsistent(Violation { axiom: Axiom::SeqCst, refutation }, decided)
        }
    }
}

/// An mo that saturation finds, all except for some writes out of place, if it does.
fn plainly(
    x: &Execution,
    psc: &Psc,
    graph: Graph<Reason>,
    limits: &Limits<'_>,
) -> Result<Option<(Verdict, Engine)>, Limit> {
    let limits = &limits.beside(psc.lines_bytes())?;
    let mut saturation = ViewSaturation::new(&psc.events, graph, psc.lines(), limits)?;
    match saturation.run(limits) {
        Ok(()) => {}
        Err(Stop::Limit(limit)) => return Err(limit),
        Err(Stop::Conflict(_)) => return Ok(None),
    }
    saturation.reorder();
    let repairs = repair(&psc.events, &mut saturation, limits)?;
    let engine = if repairs == Some(0) { Engine::Saturation } else { Engine::Search };
    let mo = |_| Witness::Mo(psc.of_history(x, &in_order(&psc.events, &saturation.graph)));
    Ok(repairs.map(mo).map(|mo| (Verdict::Consistent(mo), engine)))
}

/// Moves by which the order of a small graph may be straightened.
const STRAIGHTENED: usize = 64;

/// The bytes that it takes to observe what threads know of each other.
const BYTES_PER_EVENT: usize = 24;
const BYTES_PER_LOCATION: usize = 64;

/// ra and relaxed; of rc20 and rc11 all but psc.
pub(super) fn coherent(
    x: &Execution,
    synchronization: Synchronization,
    limits: &Limits<'_>,
) -> Result<Verdict, Limit> {
    // The two are found at once, so what the chains take is not left for hb.
    let rest = limits.beside(Chains::bytes(x))?;
    let (hb, chains) = parallel::join(x, || HappensBefore::new(x, synchronization, &rest), || Chains::new(x));
    let hb = match hb {
        Ok(hb) => hb,
        Err(Halt::Deadlock(deadlock)) => return Ok(Verdict::Inconsistent(causality::explain(x, &deadlock))),
        Err(Halt::Limit(limit)) => return Err(limit.out_of(limits.max_memory)),
    };
    Ok(match minimal::order_writes(x, &hb, chains, limits)? {
        Ok(mo) => Verdict::Consistent(Witness::Mo(mo)),
        Err(violation) => Verdict::Inconsistent(violation),
    })
}

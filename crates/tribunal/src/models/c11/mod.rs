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

mod explain;

use super::{Engine, Preserved, multiprocessor};
use crate::limits::Limits;
use crate::memory::{EventId, Execution, Order};
use crate::order::chains::Chains;
use crate::order::graph::{Graph, Node};
use crate::order::happens_before::{HappensBefore, Synchronisation};
use crate::order::observer::Accesses;
use crate::order::pasts::Pasts;
use crate::order::psc::{self, Copies, Far, Psc, Role, Scene};
use crate::order::repair::repair;
use crate::order::replay::Halt;
use crate::order::saturate::{Lines, Reason, Saturation, Stop};
use crate::order::search::{self, Explain, Outcome, in_order};
use crate::order::turns::Turns;
use crate::order::{causality, coherence, parallel, sat};
use crate::verdict::{Axiom, Limit, ModificationOrder, Verdict, Violation, Witness};
use explain::Explanation;

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
    if !x.features().seq_cst {
        let coherent = coherent(x, model.synchronisation(), limits)?;
        return Ok((coherent, engine.unwrap_or(Engine::MinimalCoherence)));
    }
    let searched = engine.filter(|&engine| engine != Engine::MinimalCoherence);
    if x.labels().iter().all(|label| label.order() == Order::SeqCst) {
        return multiprocessor::decide(x, &Preserved::SC, searched, limits);
    }
    let found = match prepared(x, HappensBefore::with_clocks(x, model.synchronisation(), limits), limits)? {
        Ok(found) => found,
        Err(violation) => return Ok((Verdict::Inconsistent(violation), Engine::MinimalCoherence)),
    };
    if engine == Some(Engine::MinimalCoherence) {
        return Err(Limit::Saturated);
    }
    let (hb, chains) = found;
    let Some(Pasts::Clocks(clocks)) = &hb.pasts else { unreachable!("hb by clocks") };
    let observed = Accesses::new(x, &chains, hb.pasts.as_ref(), |e| hb.observable(x, e));
    let arcs = psc::arcs(x, &chains, observed.sight(hb.pasts.as_ref()));
    drop(observed);
    let far = if model == C11::Rc20 { Far::Po } else { Far::OtherLocation };
    let held = hb.bytes() + Chains::bytes(x) + 8 * arcs.len();
    limits.check_memory(held, 0)?;
    let rest = Limits { max_memory: limits.max_memory - held, ..*limits };
    let scene = Scene { x, far, hb: &hb, clocks, chains: &chains, arcs: &arcs };
    seq_cst(scene, searched, &rest).map_err(|limit| limit.out_of(limits.max_memory))
}

/// Whether some mo also satisfies acyclic(psc).
fn seq_cst(
    scene: Scene<'_>,
    engine: Option<Engine>,
    limits: &Limits<'_>,
) -> Result<(Verdict, Engine), Limit> {
    let x = scene.x;
    let mut psc = Psc::new(scene, Copies::One, limits)?;
    if psc.observed {
        // An mo that satisfies more will do, and is found faster.
        if let Some((mo, decided)) = plainly(&psc, scene, limits)?
            && engine.is_none_or(|engine| engine == decided)
        {
            return Ok((Verdict::Consistent(Witness::Mo(mo)), decided));
        }
        psc = Psc::new(scene, Copies::Two, limits)?;
    }
    let explanation = Explanation { scene, psc: &psc };
    let inconsistent = |violation, decided| Ok((Verdict::Inconsistent(violation), engine.unwrap_or(decided)));
    let consistent = |writes: &[EventId], decided| {
        let mo = of_history(x, &psc, writes);
        Ok((Verdict::Consistent(Witness::Mo(mo)), engine.unwrap_or(decided)))
    };
    let mut saturation = match graph(&psc, limits)? {
        Ok(graph) => Saturation::new(&psc.events, graph, lines(&psc), limits)?,
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
    let in_turn = Turns::new(&psc.events, saturation.twins()).next(&saturation.graph).is_none();
    if engine == Some(Engine::Saturation) && !in_turn {
        return Err(Limit::Saturated);
    }
    if let Some(repairs) = repair(&psc.events, &mut saturation, limits)? {
        let decided = if repairs == 0 { Engine::Saturation } else { Engine::Search };
        return consistent(&in_order(&psc.events, &saturation.graph), decided);
    }
    /// Refuted cases after which another way is worth a try.
    const PATIENCE: u64 = 2000;
    let patience = if engine == Some(Engine::Search) { u64::MAX } else { PATIENCE };
    let mut states = 0;
    let searched = match engine {
        Some(Engine::Sat) => None,
        _ => search::search(&psc.events, &mut saturation, &explanation, patience, limits, &mut states)?,
    };
    let (outcome, decided) = match searched {
        Some(outcome) => (outcome, Engine::Search),
        None => {
            let outcome = sat::search(&psc.events, &mut saturation, &explanation, limits, &mut states)?;
            (outcome, Engine::Sat)
        }
    };
    match outcome {
        Outcome::Mo(writes) => consistent(&writes, decided),
        Outcome::Refuted(refutation) => {
            let refutation = explanation.of_history(refutation);
            inconsistent(Violation { axiom: Axiom::SeqCst, refutation }, decided)
        }
    }
}

/// An mo found without a search, if the graph has one.
fn plainly(
    psc: &Psc,
    scene: Scene<'_>,
    limits: &Limits<'_>,
) -> Result<Option<(ModificationOrder, Engine)>, Limit> {
    let Ok(graph) = graph(psc, limits)? else { return Ok(None) };
    let mut saturation = Saturation::new(&psc.events, graph, lines(psc), limits)?;
    match saturation.run(limits) {
        Ok(()) => {}
        Err(Stop::Limit(limit)) => return Err(limit),
        Err(Stop::Conflict(_)) => return Ok(None),
    }
    saturation.reorder();
    let repairs = repair(&psc.events, &mut saturation, limits)?;
    let engine = if repairs == Some(0) { Engine::Saturation } else { Engine::Search };
    let mo = |_| (of_history(scene.x, psc, &in_order(&psc.events, &saturation.graph)), engine);
    Ok(repairs.map(mo))
}

fn graph(psc: &Psc, limits: &Limits<'_>) -> Result<Result<Graph<Reason>, Vec<Node>>, Limit> {
    Saturation::graph(&psc.events, psc.nodes(), psc.edges.clone(), limits)
}

fn lines(psc: &Psc) -> Lines {
    Lines {
        line: Psc::LINE,
        barriers: Vec::new(),
        hazards: false,
        readers_in_order: false,
        informs: Some(psc.informs.clone()),
        twins: psc.twins.as_slice().into(),
    }
}

/// The mo of the history that the order of the graph's writes is.
fn of_history(x: &Execution, psc: &Psc, writes: &[EventId]) -> ModificationOrder {
    let first = |write: &&EventId| psc.roles[write.index()] == Role::Write;
    let writes: Vec<EventId> = writes.iter().filter(first).map(|write| psc.origins[write.index()]).collect();
    ModificationOrder::in_line(x, &writes)
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

/// hb and the chains of a history that is coherent, or why it is not.
fn prepared(
    x: &Execution,
    hb: Result<HappensBefore, Halt>,
    limits: &Limits<'_>,
) -> Result<Result<(HappensBefore, Chains), Violation>, Limit> {
    limits.check_memory(2 * Chains::bytes(x), 0)?;
    let hb = match hb {
        Ok(hb) => hb,
        Err(Halt::Deadlock(deadlock)) => return Ok(Err(causality::explain(x, &deadlock))),
        Err(Halt::Limit(limit)) => return Err(limit),
    };
    Ok(match coherence::order_writes(x, &hb, Chains::new(x), limits)? {
        Ok(_) => {
            Chains::new(x).map(|chains| (hb, chains)).map_err(|_| unreachable!("chains were found before"))
        }
        Err(violation) => Err(violation),
    })
}

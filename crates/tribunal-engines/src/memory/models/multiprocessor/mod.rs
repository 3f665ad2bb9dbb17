//! sc, tso, pso, rmo, wmo and models given as a pair (po-mm, rf-mm).
//!
//! - acyclic(po-loc ∪ rf ∪ mo ∪ fr)     the local view
//! - acyclic(po-mm ∪ rf-mm ∪ mo ∪ fr)   the global view
//! - acyclic(deps ∪ rf)                 where dependencies count (rmo)
//!
//! For sc, po-mm is po and rf-mm is rf, so that the global view is all there is to it.
//!
//! Decided gradually (Zennou et al. 2019 and 2020): what is plain from adjacent accesses, then saturation, then a search or
//! a SAT solver for the order of the writes that are still unordered. NP-complete; near O(n·k) for n events of k threads
//! where saturation decides, and it mostly does.

mod explain;

use super::Engine;
use super::causal::{ccm, wccm};
use crate::memory::order::views::base::{Base, keeps_all_kinds};
use crate::memory::order::views::memory_order::MemoryOrderSweep;
use crate::memory::order::views::repair::repair;
use crate::memory::order::views::saturation::{Lines, Reason, Stop, ViewSaturation, graph_bytes};
use crate::memory::order::views::search::{self, Explain, Outcome, in_order};
use crate::memory::order::views::{completion, enumeration, memoized, subset};
use crate::reach::graph::Graph;
pub(super) use explain::Explanation;
use std::rc::Rc;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::model::{Keep, Model, Preserved};
use tribunal_history::verdict::{Limit, ModificationOrder, Verdict, Violation, Witness};

pub(super) fn decide(
    x: &Execution,
    preserved: &Preserved,
    engine: Option<Engine>,
    limits: &Limits<'_>,
) -> Result<(Verdict, Engine), Limit> {
    let explain = Explanation::new(x, preserved);
    let consistent = |mo, engine| Ok((Verdict::Consistent(Witness::Mo(mo)), engine));
    let mut states = 0;
    match engine {
        Some(Engine::Enum) => {
            if let Some(mo) = enumeration::search(x, preserved, limits, &mut states)? {
                return consistent(mo, Engine::Enum);
            }
        }
        Some(Engine::Subset) => {
            if let Some(mo) = subset::search(x, preserved, limits, &mut states)? {
                return consistent(mo, Engine::Subset);
            }
        }
        Some(engine @ (Engine::WscEnum | Engine::CcmEnum | Engine::WccmEnum)) => {
            if let Some(mo) = completed(x, preserved, engine, &explain, limits, &mut states)? {
                return consistent(mo, engine);
            }
        }
        Some(Engine::Memoized) => {
            if let Some(mo) = memoized::search(x, preserved, limits, &mut states)? {
                return consistent(mo, Engine::Memoized);
            }
        }
        _ => {}
    }
    // What a stronger model allows this one allows, by the same mo, and the less is kept in order the more is left to search.
    if let (None, Some(stronger), LARGE..) = (engine, stronger(x, preserved), x.len())
        && let Some((mo, engine)) = plainly(x, &stronger, limits)?
    {
        return consistent(mo, engine);
    }
    let inconsistent = |violation, decided| Ok((Verdict::Inconsistent(violation), engine.unwrap_or(decided)));
    let mut saturation = match saturated(x, preserved, &explain, limits) {
        Ok(Ok(saturation)) => saturation,
        Ok(Err(violation)) => return inconsistent(violation, Engine::Saturation),
        // Clocks of many threads are large: perhaps it goes without.
        Err(limit @ Limit::Memory { .. }) => {
            let mo = unsaturated(x, preserved, &explain, limits)?.ok_or(limit)?;
            return consistent(mo, engine.unwrap_or(Engine::Saturation));
        }
        Err(limit) => return Err(limit),
    };
    saturation.reorder();
    if engine == Some(Engine::Saturation)
        && MemoryOrderSweep::new(x, saturation.twins()).next(&saturation.graph).is_some()
    {
        return Err(Limit::Saturated);
    }
    if let Some(repairs) = repair(x, &mut saturation, limits)? {
        let writes = in_order(x, &saturation.graph);
        let decided = if repairs == 0 { Engine::Saturation } else { Engine::Search };
        return consistent(ModificationOrder::in_line(x, &writes), engine.unwrap_or(decided));
    }
    let (outcome, decided) = beyond(x, preserved, engine, &mut saturation, &explain, limits, &mut states)?;
    match outcome {
        Ok(writes) => consistent(ModificationOrder::in_line(x, &writes), engine.unwrap_or(decided)),
        Err(refutation) => inconsistent(Violation { axiom: explain.axiom(), refutation }, decided),
    }
}

/// Smaller histories are decided in no time whichever model they are asked for: there it is no use to ask a stronger one first.
pub(super) const LARGE: usize = 1 << 14;

/// A model that keeps more and forbids more: tso ⊆ pso ⊆ rmo, and without times pso ⊆ wmo.
fn stronger(x: &Execution, preserved: &Preserved) -> Option<Preserved> {
    match *preserved {
        Preserved::PSO => Some(Preserved::TSO),
        Preserved::RMO => Some(Preserved::PSO),
        Preserved::WMO if !x.features().times => Some(Preserved::PSO),
        _ => None,
    }
}

/// An mo that satisfies a model, or a stronger one, if there is one that is found without a search.
pub(super) fn plainly(
    x: &Execution,
    preserved: &Preserved,
    limits: &Limits<'_>,
) -> Result<Option<(ModificationOrder, Engine)>, Limit> {
    if let Some(stronger) = stronger(x, preserved)
        && let Some(found) = plainly(x, &stronger, limits)?
    {
        return Ok(Some(found));
    }
    let explain = Explanation::new(x, preserved);
    let found = saturated(x, preserved, &explain, limits).and_then(|saturated| {
        let Ok(mut saturation) = saturated else { return Ok(None) };
        saturation.reorder();
        let repairs = repair(x, &mut saturation, limits)?;
        let engine = if repairs == Some(0) { Engine::Saturation } else { Engine::Search };
        Ok(repairs.map(|_| (ModificationOrder::in_line(x, &in_order(x, &saturation.graph)), engine)))
    });
    match found {
        // Perhaps there is room enough for another way.
        Err(Limit::Memory { .. }) => Ok(None),
        found => found,
    }
}

/// Decides what saturation does not: by cases for a while, then by a SAT solver or, where a search is asked for, by
/// memoized frontiers, which are polynomial for a fixed number of threads.
fn beyond(
    x: &Execution,
    preserved: &Preserved,
    engine: Option<Engine>,
    saturation: &mut ViewSaturation<'_>,
    explain: &Explanation<'_>,
    limits: &Limits<'_>,
    states: &mut u64,
) -> Result<(Outcome, Engine), Limit> {
    /// Refuted cases after which another way is worth a try.
    const CASES_BEFORE_SAT: u64 = 2000;
    if engine == Some(Engine::Sat) {
        return Ok((search::solve(x, saturation, explain, limits, states)?, Engine::Sat));
    }
    if let Some(outcome) = search::search(x, saturation, explain, CASES_BEFORE_SAT, limits, states)? {
        return Ok((outcome, Engine::Search));
    }
    if engine.is_none() {
        return Ok((search::solve(x, saturation, explain, limits, states)?, Engine::Sat));
    }
    // Derived edges join events.
    let derived = saturation.graph.derived().iter().map(|edge| (EventId(edge.from.0), EventId(edge.to.0)));
    if let Some(writes) = memoized::search_within(x, preserved, derived, limits, states)? {
        return Ok((Ok(writes), Engine::Search));
    }
    // There is none: what is left to do is to prove it.
    let outcome = search::search(x, saturation, explain, u64::MAX, limits, states)?;
    Ok((outcome.expect("cases without end"), Engine::Search))
}

/// An mo that extends what a saturation orders: that of sc, or the store order of ccm or of wccm. Where a causal model says
/// nothing about a history, there is none to begin with.
fn completed(
    x: &Execution,
    preserved: &Preserved,
    engine: Engine,
    explain: &Explanation<'_>,
    limits: &Limits<'_>,
    states: &mut u64,
) -> Result<Option<ModificationOrder>, Limit> {
    let store_order = match engine {
        Engine::CcmEnum if Model::Ccm.unsupported(x).is_none() => Some(ccm::order(x, limits)?),
        Engine::WccmEnum if Model::Wccm.unsupported(x).is_none() => Some(wccm::order(x, limits)?),
        _ => None,
    };
    let Ok(store_order) = store_order.transpose() else { return Ok(None) };
    let mut graph = if engine == Engine::WscEnum {
        let Ok(saturation) = saturated(x, preserved, explain, limits)? else { return Ok(None) };
        saturation.graph
    } else {
        let Ok((graph, _)) = graph(x, preserved, explain, limits)? else { return Ok(None) };
        graph
    };
    for to in x.events().filter(|_| store_order.is_some()) {
        for &from in
            store_order.iter().flat_map(|order| order.of(to.index())).filter(|&&from| !x.is_init(from))
        {
            if graph.insert(from.into(), to.into(), Reason::Reached).is_err() {
                return Ok(None);
            }
        }
        limits.check_memory(graph_bytes(&graph), 0)?;
    }
    drop(store_order);
    let writes = completion::search(x, &mut graph, limits, states)?;
    Ok(writes.map(|writes| ModificationOrder::in_line(x, &writes)))
}

/// An mo that satisfies a multiprocessor model and has the given pairs of writes of one location, if there is one.
///
/// ```
/// use tribunal::{Limits, memory::{Execution, Op}, history::model::Preserved, engines::memory::models::decide_assuming};
/// let mut b = Execution::builder();
/// let (t0, t1, x) = (b.thread("T0"), b.thread("T1"), b.location("x"));
/// let one = b.push(t0, Op::write(x, 1));
/// let two = b.push(t1, Op::write(x, 2));
/// b.push(t1, Op::read(x, 1));
/// let history = b.build()?;
/// let (one, two) = (history.event(one), history.event(two));
/// let with = |first, second| decide_assuming(&history, &Preserved::SC, &[(first, second)], &Limits::default());
/// assert!(with(two, one).expect("no limit").is_some() && with(one, two).expect("no limit").is_none());
/// # Ok::<(), tribunal::memory::MalformedHistory>(())
/// ```
pub fn decide_assuming(
    x: &Execution,
    preserved: &Preserved,
    assumed: &[(EventId, EventId)],
    limits: &Limits<'_>,
) -> Result<Option<ModificationOrder>, Limit> {
    let explain = Explanation::new(x, preserved);
    let Ok(mut saturation) = saturated(x, preserved, &explain, limits)? else { return Ok(None) };
    for &(first, second) in assumed {
        let outcome = saturation.assume(first, second).map_err(Stop::Conflict);
        match outcome.and_then(|()| saturation.run(limits)) {
            Ok(()) => {}
            Err(Stop::Conflict(_)) => return Ok(None),
            Err(Stop::Limit(limit)) => return Err(limit),
        }
    }
    match search::search(x, &mut saturation, &explain, u64::MAX, limits, &mut 0)? {
        Some(Ok(writes)) => Ok(Some(ModificationOrder::in_line(x, &writes))),
        _ => Ok(None),
    }
}

/// The bytes that a base takes while it is built.
const BYTES_PER_EVENT: usize = 100;

/// The graph of what a model preserves, or why it is cyclic.
fn graph(
    x: &Execution,
    preserved: &Preserved,
    explain: &Explanation<'_>,
    limits: &Limits<'_>,
) -> Result<Result<(Graph<Reason>, Lines), Violation>, Limit> {
    if let Some(violation) = explain.thin_air() {
        return Ok(Err(violation));
    }
    limits.check_memory(BYTES_PER_EVENT * x.len(), 0)?;
    let Base { nodes, edges, line, barriers } = match Base::new(x, preserved) {
        Ok(base) => base,
        Err(found) => return Ok(Err(explain.contradiction(found))),
    };
    let readers_in_order = preserved.rr != Keep::Never && keeps_all_kinds(x, preserved);
    let (known_writes, twins) = (None, Rc::default());
    let lines =
        Lines { line, barriers, hazards: preserved.load_hazards, readers_in_order, known_writes, twins };
    let graph = ViewSaturation::graph(x, nodes, edges, limits)?;
    Ok(graph.map(|graph| (graph, lines)).map_err(|cycle| explain.base_cycle(&cycle)))
}

/// An mo in which the writes come as in the graph of what the model preserves, if that is one.
fn unsaturated(
    x: &Execution,
    preserved: &Preserved,
    explain: &Explanation<'_>,
    limits: &Limits<'_>,
) -> Result<Option<ModificationOrder>, Limit> {
    let Ok((graph, _)) = graph(x, preserved, explain, limits)? else { return Ok(None) };
    let is_memory_order = MemoryOrderSweep::new(x, Rc::default()).next(&graph).is_none();
    Ok(is_memory_order.then(|| ModificationOrder::in_line(x, &in_order(x, &graph))))
}

/// The saturated graph, or why there is none.
pub(super) fn saturated<'a>(
    x: &'a Execution,
    preserved: &Preserved,
    explain: &Explanation<'_>,
    limits: &Limits<'_>,
) -> Result<Result<ViewSaturation<'a>, Violation>, Limit> {
    let (graph, lines) = match graph(x, preserved, explain, limits)? {
        Ok(graph) => graph,
        Err(violation) => return Ok(Err(violation)),
    };
    let mut saturation = ViewSaturation::new(x, graph, lines, limits)?;
    match saturation.run(limits) {
        Ok(()) => Ok(Ok(saturation)),
        Err(Stop::Limit(limit)) => Err(limit),
        Err(Stop::Conflict(conflict)) => {
            let (cycle, _) = explain.explain(&saturation, &conflict);
            Ok(Err(explain.violation(cycle)))
        }
    }
}

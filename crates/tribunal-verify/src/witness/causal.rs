//! The causal models and wsc, whose axioms mention the history alone: they are derived anew.

use super::saturation::{Fault, Relation, Sites};
use super::views::{po_loc, reads_from};
use super::{c11, cycle};
use crate::Refusal;
use crate::graph::Digraph;
use crate::program::Program;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, ThreadId};
use tribunal_history::verdict::Axiom;

fn po_rf(x: &Execution) -> Digraph {
    let mut graph = Digraph::new(x.len());
    for t in x.threads() {
        x.thread_events(t).skip(1).for_each(|e| graph.add_edge(e - 1, e));
    }
    reads_from(x, true, &mut graph);
    graph
}

/// tso's ppo without fences: a read is before all that follows, a write before the writes that do.
fn ppo(x: &Execution, graph: &mut Digraph) {
    for t in x.threads() {
        let (mut last_read, mut last_write) = (None, None);
        for e in x.thread_events(t) {
            let label = x.label(EventId(e));
            for before in last_read.into_iter().chain(last_write.filter(|_| label.writes())) {
                graph.add_edge(before, e);
            }
            if label.reads() {
                last_read = Some(e);
            }
            if label.writes() {
                last_write = Some(e);
            }
        }
    }
}

/// acyclic(po ∪ rf), and co.
fn co(sites: &Sites<'_>) -> Result<Relation, Refusal> {
    Relation::new(sites, &po_rf(sites.x)).map_err(|fault| fault.refusal(sites.x, Axiom::PoRf))
}

/// cc, and acyclic(po ∪ rf ∪ cf\[co\]).
pub(super) fn ccv(x: &Execution, limits: &Limits<'_>) -> Result<(), Refusal> {
    c11::not_overwritten(x, Axiom::CausalPast, limits)?;
    let sites = Sites::new(x, limits);
    let mut graph = po_rf(x);
    co(&sites)?
        .conflicts(&sites, |_| true, |w1, w2| graph.add_edge(w1, w2))
        .and_then(|()| Ok(graph.acyclic()?))
        .map_err(|fault| fault.refusal(x, Axiom::CausalConflict))
}

/// cc, and hb_o is acyclic for every o. That implies the rest of cc: a read from an overwritten write sees the two
/// writes both ways.
pub(super) fn cm(x: &Execution, limits: &Limits<'_>) -> Result<(), Refusal> {
    let sites = Sites::new(x, limits);
    let co = co(&sites)?;
    sites.observers().try_for_each(|t| {
        co.seen_by(&sites, t).map(drop).map_err(|fault| fault.refusal(x, Axiom::CausalMemory))
    })
}

/// acyclic(po ∪ rf ∪ pww ∪ rw\[pww\]).
pub(super) fn ccm(x: &Execution, limits: &Limits<'_>) -> Result<(), Refusal> {
    let sites = Sites::new(x, limits);
    let co = co(&sites)?;
    converges(&sites, co).map_err(|fault| fault.refusal(x, Axiom::CausalConvergence))
}

fn converges(sites: &Sites<'_>, co: Relation) -> Result<(), Fault> {
    let x = sites.x;
    let mut graph = po_rf(x);
    add_seen(sites, &co, &mut graph)?;
    let hb = Relation::new(sites, &graph)?;
    // hb between writes is paths of the graph already.
    let mut pairs = Vec::new();
    hb.conflicts(sites, |_| true, |w1, w2| pairs.push((w1, w2)))?;
    graph.add_edges(&pairs);
    hb.write_pairs(sites, |w1, w2| pairs.push((w1, w2)));
    add_fr(sites, &pairs, &mut graph);
    Ok(graph.acyclic()?)
}

/// Adds what each thread sees on top of a relation.
fn add_seen(sites: &Sites<'_>, relation: &Relation, graph: &mut Digraph) -> Result<(), Fault> {
    sites.observers().try_for_each(|t: ThreadId| {
        graph.add_edges(&relation.seen_by(sites, t)?);
        Ok(())
    })
}

/// rw of the transitive closure of these pairs of writes and the initial writes before all. To follow single pairs is
/// enough: a reader of w1 is before w2 and so before all that w2 is before, or is w2 itself.
fn add_fr(sites: &Sites<'_>, pairs: &[(u32, u32)], graph: &mut Digraph) {
    for &(w1, w2) in pairs {
        for &read in sites.last_readers(w1).iter().filter(|&&read| read != w2) {
            graph.add_edge(read, w2);
        }
    }
    sites.fr_from_initial_writes(|read, write| graph.add_edge(read, write));
}

/// acyclic(po-loc ∪ rf), and acyclic(π ∪ rfe ∪ wpww ∪ rw\[wpww\]) for π = ppo and π = po-loc.
pub(super) fn wccm(x: &Execution, limits: &Limits<'_>) -> Result<(), Refusal> {
    let mut local = Digraph::new(x.len());
    po_loc(x, false, &mut local);
    reads_from(x, true, &mut local);
    local.acyclic().map_err(|event| cycle(x, Axiom::PoLocRf, event))?;
    converges_weakly(&Sites::new(x, limits)).map_err(|fault| fault.refusal(x, Axiom::WeakCausalConvergence))
}

fn converges_weakly(sites: &Sites<'_>) -> Result<(), Fault> {
    let x = sites.x;
    let mut lines = [Digraph::new(x.len()), Digraph::new(x.len())];
    ppo(x, &mut lines[0]);
    po_loc(x, false, &mut lines[1]);
    let (mut whb, mut pairs) = (Digraph::new(x.len()), Vec::new());
    let program = Program::new(x);
    // An order for both lines: closer to what will be derived than an order of either alone. A cycle of po ∪ rf is one of
    // ppo ∪ rfe, since from a read to a write all of po is kept.
    let po_rf = po_rf(x);
    let order = po_rf.order(&po_rf.successors())?;
    for line in &mut lines {
        reads_from(x, false, line);
        let mut hb = line.clone();
        add_seen(sites, &Relation::in_order(sites, line.successors(), &order)?, &mut hb)?;
        let external = |e| program.reads_externally(e);
        Relation::new(sites, &hb)?.conflicts(sites, external, |w1, w2| pairs.push((w1, w2)))?;
        whb.add_all(&hb);
    }
    // A cycle of whb is one for π = ppo: from write to write of a thread all of po is kept.
    Relation::new(sites, &whb)?.write_pairs(sites, |w1, w2| pairs.push((w1, w2)));
    lines.into_iter().try_for_each(|mut graph| {
        graph.add_edges(&pairs);
        add_fr(sites, &pairs, &mut graph);
        Ok(graph.acyclic()?)
    })
}

/// The saturation of sc is acyclic.
pub(super) fn wsc(x: &Execution, limits: &Limits<'_>) -> Result<(), Refusal> {
    let sites = Sites::new(x, limits);
    let mut graph = po_rf(x);
    sites.fr_from_initial_writes(|read, write| graph.add_edge(read, write));
    Relation::new(&sites, &graph)
        .and_then(|start| start.saturated(&sites))
        .map_err(|fault| fault.refusal(x, Axiom::SaturatedSequential))
}

//! The views of the multiprocessor models, coherence and sc, as graphs that must have no cycle.
//!
//! Every view has linearly many edges here, though its relations have more pairs: mo is its adjacent pairs; fr leads from
//! a read to the write right after its source; and what ppo keeps of a thread goes through nodes that stand for no event
//! but gather those that come before. The initial writes, which must be first in mo, have nothing before them, so
//! they have no node.

use super::{Positions, cycle, final_values};
use crate::Refusal;
use crate::graph::Digraph;
use rustc_hash::FxHashMap;
use tribunal_history::memory::{EventId, Execution, Kind, LocId, Order, ThreadId};
use tribunal_history::model::Model;
use tribunal_history::model::{Keep, Preserved};
use tribunal_history::verdict::{Axiom, ModificationOrder};

/// Accepts an mo with which each of the model's views is acyclic.
pub(super) fn acyclic(x: &Execution, model: Model, mo: &ModificationOrder) -> Result<(), Refusal> {
    let positions = Positions::new(x, mo)?;
    final_values(x, mo)?;
    let view = |axiom, graph: Digraph| graph.acyclic().map_err(|event| cycle(x, axiom, event));
    let kept = model.preserved();
    let (first, global) = match model {
        Model::Sc => (Axiom::Sequential, Axiom::Sequential),
        _ => (Axiom::PerLocation, Axiom::Global),
    };
    // An initial write is before all other writes of its location, by po-loc and by po.
    if let Some(init) = x.locations().map(|loc| x.init_write(loc)).find(|&w| positions.of(w) != 0) {
        return Err(cycle(x, first, init.0));
    }
    // The global view of sc has all that is local.
    if model != Model::Sc {
        let mut graph = Digraph::new(x.len());
        po_loc(x, kept.is_some_and(|kept| kept.load_hazards), &mut graph);
        communication(x, mo, &positions, true, &mut graph);
        view(Axiom::PerLocation, graph)?;
    }
    let Some(kept) = kept else { return Ok(()) };
    let mut graph = Digraph::new(x.len());
    for t in x.threads() {
        preserved(x, t, &kept, &mut graph);
    }
    communication(x, mo, &positions, kept.internal_rf, &mut graph);
    view(global, graph)?;
    if kept.dependencies {
        let mut graph = Digraph::new(x.len());
        dependencies(x, x.events(), &mut graph);
        reads_from(x, true, &mut graph);
        view(Axiom::ThinAir, graph)?;
    }
    Ok(())
}

/// rf; without the internal pairs, only those between threads.
pub(super) fn reads_from(x: &Execution, internal: bool, graph: &mut Digraph) {
    for t in x.threads() {
        for e in x.thread_events(t).map(EventId) {
            if let Some(w) = x.rf(e).filter(|&w| !x.is_init(w))
                // An RMW that reads from itself is not related to itself by po.
                && (internal || w == e || !x.thread_events(t).contains(&w.0))
            {
                graph.add_edge(w.0, e.0);
            }
        }
    }
}

/// po-loc; with load hazards without the pairs of plain reads.
pub(super) fn po_loc(x: &Execution, load_hazards: bool, graph: &mut Digraph) {
    const NONE: u32 = u32::MAX;
    // By location: the last write (without load hazards: access) of the thread at hand, and the reads since.
    let mut last = vec![NONE; x.location_count()];
    let mut reads: Vec<Vec<u32>> = vec![Vec::new(); x.location_count()];
    for t in x.threads() {
        for e in x.thread_events(t) {
            let Some(loc) = x.loc(EventId(e)) else { continue };
            let before = &mut last[loc.index()];
            if *before != NONE {
                graph.add_edge(*before, e);
            }
            if load_hazards && x.label(EventId(e)).kind() == Kind::Read {
                reads[loc.index()].push(e);
            } else {
                *before = e;
                reads[loc.index()].drain(..).for_each(|read| graph.add_edge(read, e));
            }
        }
        for loc in x.thread_events(t).filter_map(|e| x.loc(EventId(e))) {
            last[loc.index()] = NONE;
            reads[loc.index()].clear();
        }
    }
}

/// rf, mo and fr.
fn communication(
    x: &Execution,
    mo: &ModificationOrder,
    positions: &Positions,
    internal_rf: bool,
    graph: &mut Digraph,
) {
    reads_from(x, internal_rf, graph);
    for loc in x.locations() {
        for pair in mo.of(loc)[1..].windows(2) {
            graph.add_edge(pair[0].0, pair[1].0);
        }
    }
    for e in x.events() {
        if let (Some(w), Some(loc)) = (x.rf(e), x.loc(e))
            && let Some(&next) = mo.of(loc).get(positions.of(w) as usize + 1)
            // An RMW right after its source is before what comes then by mo.
            && next != e
        {
            graph.add_edge(e.0, next.0);
        }
    }
}

/// The dependencies of some events.
fn dependencies(x: &Execution, events: impl Iterator<Item = EventId>, graph: &mut Digraph) {
    if x.features().deps {
        for e in events {
            x.deps(e).for_each(|read| graph.add_edge(read.0, e.0));
        }
    }
}

/// Adds the parts of a thread's program order that a model keeps.
fn preserved(x: &Execution, t: ThreadId, kept: &Preserved, graph: &mut Digraph) {
    kinds(x, t, kept, graph);
    if x.features().fences > 0 {
        fences(x, t, graph);
    }
    if kept.dependencies {
        dependencies(x, x.thread_events(t).map(EventId), graph);
    }
    if kept.times && x.features().times {
        times(x, t, graph);
    }
}

/// A node that some events of a thread so far, and nothing else, lead to.
#[derive(Clone, Copy, Default)]
struct Gathered(Option<u32>);

impl Gathered {
    fn add(&mut self, graph: &mut Digraph, event: u32) {
        let node = graph.add_node();
        if let Some(before) = self.0 {
            graph.add_edge(before, node);
        }
        graph.add_edge(event, node);
        self.0 = Some(node);
    }

    fn lead_to(self, graph: &mut Digraph, node: u32) {
        if let Some(before) = self.0 {
            graph.add_edge(before, node);
        }
    }
}

/// Adds the pairs that are kept by the kinds of their ends.
fn kinds(x: &Execution, t: ThreadId, kept: &Preserved, graph: &mut Digraph) {
    use Keep::{Always, Never, SameLocation};
    let keeps = |keep: Keep| [kept.rr, kept.rw, kept.wr, kept.ww].contains(&keep);
    // Everything is kept: the accesses are one line.
    let line = kept.rmws && !keeps(Never) && !keeps(SameLocation);
    let mut last = None;
    let mut everywhere = [Gathered::default(); 2];
    let mut by_location: FxHashMap<LocId, [Gathered; 2]> = FxHashMap::default();
    for e in x.thread_events(t).map(EventId) {
        let (label, Some(loc)) = (x.label(e), x.loc(e)) else { continue };
        if line {
            if let Some(before) = last.replace(e.0) {
                graph.add_edge(before, e.0);
            }
            continue;
        }
        if !kept.rmws && label.is_of_rmw() {
            continue;
        }
        let here = by_location.entry(loc).or_default();
        for (kind, to_reads, to_writes) in [(0, kept.rr, kept.rw), (1, kept.wr, kept.ww)] {
            let wants = |keep| to_reads == keep && label.reads() || to_writes == keep && label.writes();
            if wants(Always) {
                everywhere[kind].lead_to(graph, e.0);
            } else if wants(SameLocation) {
                here[kind].lead_to(graph, e.0);
            }
        }
        for (kind, is_kind, keep) in
            [(0, label.reads(), [kept.rr, kept.rw]), (1, label.writes(), [kept.wr, kept.ww])]
        {
            if is_kind && keep.contains(&Always) {
                everywhere[kind].add(graph, e.0);
            }
            if is_kind && keep.contains(&SameLocation) {
                here[kind].add(graph, e.0);
            }
        }
    }
}

/// Adds the pairs that are kept by a fence in between. Of each sort of fence the last before an access will do: more comes before it
/// than before earlier ones.
fn fences(x: &Execution, t: ThreadId, graph: &mut Digraph) {
    let (mut reads, mut writes) = (Gathered::default(), Gathered::default());
    let (mut to_all, mut to_writes) = ([None; 2], None);
    for e in x.thread_events(t).map(EventId) {
        let label = x.label(e);
        if label.is_fence() {
            let mut fence = |after_writes: bool| {
                let node = graph.add_node();
                reads.lead_to(graph, node);
                if after_writes {
                    writes.lead_to(graph, node);
                }
                Some(node)
            };
            match label.order() {
                Order::NonAtomic | Order::Relaxed => {}
                Order::Acquire => to_all[0] = fence(false),
                Order::Release => to_writes = fence(true),
                Order::AcqRel => (to_all[0], to_writes) = (fence(false), fence(true)),
                Order::SeqCst => to_all[1] = fence(true),
            }
            continue;
        }
        let to_writes = to_writes.filter(|_| label.writes());
        for fence in to_all.into_iter().chain([to_writes]).flatten() {
            graph.add_edge(fence, e.0);
        }
        if label.reads() {
            reads.add(graph, e.0);
        }
        if label.writes() {
            writes.add(graph, e.0);
        }
    }
}

/// Adds the pairs that are kept since a read ended before the other began.
fn times(x: &Execution, t: ThreadId, graph: &mut Digraph) {
    let events = x.thread_events(t);
    let end = |e: u32| x.interval(EventId(e)).end.filter(|_| x.label(EventId(e)).reads());
    // Where no read from b on ended before b began, the reads that did are all before b in program order.
    let mut earliest = u64::MAX;
    let in_order = events.clone().rev().all(|b| {
        earliest = end(b).map_or(earliest, |end| end.min(earliest));
        x.interval(EventId(b)).begin.is_none_or(|begin| begin <= earliest)
    });
    let mut ended = |firsts: &[u32], seconds: &[u32]| {
        let mut reads: Vec<(u64, u32)> = firsts.iter().filter_map(|&a| Some((end(a)?, a))).collect();
        reads.sort_unstable();
        let mut gathered = Gathered::default();
        let nodes: Vec<Gathered> = reads
            .iter()
            .map(|&(_, read)| {
                gathered.add(graph, read);
                gathered
            })
            .collect();
        for &b in seconds.iter().filter(|&&b| !x.label(EventId(b)).is_fence()) {
            let Some(begin) = x.interval(EventId(b)).begin else { continue };
            let before = reads.partition_point(|&(end, _)| end < begin);
            if let Some(last) = before.checked_sub(1) {
                nodes[last].lead_to(graph, b);
            }
        }
    };
    let all: Vec<u32> = events.collect();
    if in_order {
        return ended(&all, &all);
    }
    // Otherwise by halves: every pair is in the first and the second half of some part.
    let mut parts = vec![all.as_slice()];
    while let Some(part) = parts.pop() {
        if part.len() > 1 {
            let (first, second) = part.split_at(part.len() / 2);
            ended(first, second);
            parts.extend([first, second]);
        }
    }
}

//! acyclic(psc) of rc20 and rc11, for an mo that is coherent.
//!
//! psc is a regular expression over po, sw, rf, mo and fr. A graph has the seq_cst events as nodes and, for each of the steps
//! within a psc edge, the events once more ([`Layer`]): a path from one seq_cst event to the next is a psc edge, each psc edge
//! is a path, and since the steps within an edge go from layer to layer, or on in po or mo, a cycle is one of psc.
//!
//! Where the mo is coherent, eco = rf ∪ (mo ∪ fr) ; rf?. Of the events of a thread that would do, the nearest is enough: the
//! others are before or behind it in po, and seq_cst events that are ordered by po are so by psc.

use super::c11::Accesses;
use super::{Positions, cycle};
use crate::Refusal;
use crate::clocks::Clocks;
use crate::graph::Digraph;
use std::ops::Range;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, LocId, Order, ThreadId};
use tribunal_history::model::Model;
use tribunal_history::verdict::{Axiom, Limit, ModificationOrder};

/// The layer of a node. Sc comes first, so that of a cycle a seq_cst event is named.
#[derive(Clone, Copy)]
enum Layer {
    /// It is seq_cst.
    Sc,
    /// It is an access that comes, in hb-loc, after an access that is seq_cst or that a fence happens before.
    Seen,
    /// It is a write that comes, in mo or fr, after what a psc edge may begin with.
    Later,
    /// It is an access that a fence happens before.
    Fenced,
    /// It is a write that comes, in mo or fr, after an access that a fence happens before.
    LaterFenced,
    /// It is an access from which psc goes on to the fences that it happens before.
    Fencing,
}

const LAYERS: usize = 6;
/// The bytes that psc takes where there are no fences.
const LAYERS_WITHOUT_FENCES: usize = 3;

const NONE: u32 = u32::MAX;

struct Psc<'a> {
    x: &'a Execution,
    clocks: &'a Clocks,
    mo: &'a ModificationOrder,
    positions: &'a Positions,
    limits: &'a Limits<'a>,
    accesses: Accesses,
    fences: bool,
    graph: Digraph,
    /// By event: the last seq_cst event of its thread that is before it.
    before: Vec<u32>,
    /// By event: the last seq_cst fence of its thread that is it or before it.
    fence: Vec<u32>,
    /// By event: the first of the accesses of one location, without another event between them, of which it is the last; the
    /// event itself where far is po. What is before that is far from the event.
    near: Vec<u32>,
}

/// Time O(n·k) for n events and k threads; memory is linear in the events and in how often a thread comes to know more of
/// another one's seq_cst events.
pub(super) fn acyclic(
    x: &Execution,
    model: Model,
    clocks: &Clocks,
    mo: &ModificationOrder,
    positions: &Positions,
    limits: &Limits<'_>,
) -> Result<(), Refusal> {
    let fences = x.events().any(|e| is_sc(x, e) && x.label(e).is_fence());
    let layers = if fences { LAYERS } else { LAYERS_WITHOUT_FENCES };
    let nodes = layers * (x.len() + x.location_count());
    // The columns and the nodes, which are sorted in the end.
    limits.check_memory(20 * x.len() + 12 * nodes, 0).map_err(Refusal::Limit)?;
    let (accesses, graph) = (Accesses::new(x), Digraph::new(nodes));
    let columns = || Vec::with_capacity(x.len());
    let (before, fence, near) = (columns(), columns(), columns());
    let mut psc = Psc { x, clocks, mo, positions, limits, accesses, fences, graph, before, fence, near };
    psc.fill_columns(model);
    psc.add_edges().map_err(Refusal::Limit)?;
    psc.graph.acyclic().map_err(|event| cycle(x, Axiom::SeqCst, event))
}

fn is_sc(x: &Execution, e: EventId) -> bool {
    x.label(e).order() == Order::SeqCst
}

impl Psc<'_> {
    fn fill_columns(&mut self, model: Model) {
        let x = self.x;
        for t in x.threads() {
            let (mut before, mut fence) = (NONE, NONE);
            let (mut near, mut loc) = (0, None);
            for e in x.thread_events(t).map(EventId) {
                self.before.push(before);
                if is_sc(x, e) {
                    before = e.0;
                    fence = if x.label(e).is_fence() { e.0 } else { fence };
                }
                self.fence.push(fence);
                if model != Model::Rc11 || loc.is_none() || x.loc(e) != loc {
                    near = e.0;
                }
                loc = x.loc(e);
                self.near.push(near);
            }
        }
    }

    fn add_edges(&mut self) -> Result<(), Limit> {
        for t in self.x.threads() {
            self.sequence(t);
            self.check()?;
        }
        for loc in self.x.locations() {
            self.order(loc);
            self.know(loc);
            self.check()?;
        }
        if self.fences {
            let mut seen = Seen { turn: 0, turns: vec![0; self.x.location_count()] };
            for t in self.x.threads() {
                self.fence(t, &mut seen);
                self.check()?;
            }
        }
        Ok(())
    }

    /// Edges are kept twice while they are sorted, and more room is taken ahead for them.
    fn check(&self) -> Result<(), Limit> {
        self.limits.check(0)?;
        self.limits.check_memory(24 * self.graph.edge_count(), 0)
    }

    fn node(&self, layer: Layer, event: EventId) -> u32 {
        let events = self.x.len() + self.x.location_count();
        (layer as usize * events + event.index()) as u32
    }

    fn add(&mut self, from: (Layer, EventId), to: (Layer, EventId)) {
        let (from, to) = (self.node(from.0, from.1), self.node(to.0, to.1));
        self.graph.add_edge(from, to);
    }

    /// po between seq_cst events; far ; hb ; far between accesses; what begins or ends at a fence and is made of po and hb.
    fn sequence(&mut self, t: ThreadId) {
        let x = self.x;
        let events = x.thread_events(t);
        // By thread: the last seq_cst event that an edge leads from.
        let mut told = Vec::new();
        for b in events.clone().map(EventId).filter(|&e| is_sc(x, e)) {
            if told.is_empty() {
                told = vec![0; x.thread_count()];
            }
            let previous = self.before[b.index()];
            if previous != NONE {
                self.add((Layer::Sc, EventId(previous)), (Layer::Sc, b));
            }
            if x.label(b).is_fence() {
                self.hear(b, b, &mut told, |psc, last| {
                    if psc.fence[last] == last as u32 { last as u32 } else { psc.before[last] }
                });
                continue;
            }
            if b.0 > events.start {
                self.hear(b, EventId(b.0 - 1), &mut told, |psc, last| psc.fence[last]);
            }
            let near = self.near[b.index()];
            if near > events.start {
                let far = |psc: &Self, last: usize| psc.before[psc.near[last] as usize];
                self.hear(b, EventId(near - 1), &mut told, far);
            }
        }
    }

    /// Edges to `b` from the seq_cst event that `from` gives for the last event of each thread that happens before `by`.
    fn hear(&mut self, b: EventId, by: EventId, told: &mut [u32], from: impl Fn(&Self, usize) -> u32) {
        for (&bound, told) in self.clocks.before(by).iter().zip(told) {
            let Some(last) = bound.checked_sub(1) else { continue };
            let from = from(self, last as usize);
            if from != NONE && from >= *told {
                // `told` counts from 1.
                *told = from + 1;
                // The nodes of the first layer are the events.
                self.graph.add_edge(from, b.0);
            }
        }
    }

    /// mo and fr, and between fences rf.
    fn order(&mut self, loc: LocId) {
        let (x, mo) = (self.x, self.mo.of(loc));
        for (i, &w) in mo.iter().enumerate() {
            if is_sc(x, w) {
                self.add((Layer::Later, w), (Layer::Sc, w));
            }
            if let Some(&next) = mo.get(i + 1) {
                self.add((Layer::Later, w), (Layer::Later, next));
                if self.fences {
                    self.add((Layer::LaterFenced, w), (Layer::LaterFenced, next));
                }
            }
            if self.fences {
                self.add((Layer::LaterFenced, w), (Layer::Later, w));
                self.add((Layer::Later, w), (Layer::Fencing, w));
            }
        }
        let mut previous: Option<EventId> = None;
        for i in self.accesses.starts[loc.index()]..self.accesses.starts[loc.index() + 1] {
            let e = self.accesses.events[i];
            let source = x.rf(e);
            let written = if x.label(e).writes() { Some(e) } else { source };
            let next = written.and_then(|w| mo.get(self.positions.of(w) as usize + 1)).copied();
            if let Some(next) = next
                && is_sc(x, e)
            {
                self.add((Layer::Sc, e), (Layer::Later, next));
            }
            if !self.fences {
                continue;
            }
            if let Some(next) = next {
                self.add((Layer::Fenced, e), (Layer::LaterFenced, next));
            }
            if let Some(w) = source {
                self.add((Layer::LaterFenced, w), (Layer::Fencing, e));
                self.add((Layer::Fenced, w), (Layer::Fencing, e));
            }
            previous = previous.filter(|&previous| x.thread_of(previous) == x.thread_of(e));
            self.follow(previous, e);
            previous = Some(e);
        }
    }

    /// The fences that happen before an access, if the one before it in its thread and of its location is `previous`.
    fn follow(&mut self, previous: Option<EventId>, e: EventId) {
        if let Some(previous) = previous {
            self.add((Layer::Fenced, previous), (Layer::Fenced, e));
            self.add((Layer::Fencing, previous), (Layer::Fencing, e));
        }
        let own = self.fence[e.index()];
        if own != previous.map_or(NONE, |previous| self.fence[previous.index()]) {
            self.add((Layer::Sc, EventId(own)), (Layer::Fenced, e));
        }
        let row = self.clocks.before(e);
        let known = previous.map_or(&[][..], |previous| self.clocks.before(previous));
        if std::ptr::eq(row, known) {
            return;
        }
        let fence = |bound: Option<&u32>| match bound {
            Some(&bound) if bound > 0 => self.fence[bound as usize - 1],
            _ => NONE,
        };
        let to = self.node(Layer::Fenced, e);
        for (u, bound) in row.iter().enumerate() {
            let last = fence(Some(bound));
            if last != NONE && last != fence(known.get(u)) {
                self.graph.add_edge(last, to);
            }
        }
    }

    /// hb-loc. Without a seq_cst access of the location it says no more than hb between fences.
    fn know(&mut self, loc: LocId) {
        let x = self.x;
        let accesses = std::mem::take(&mut self.accesses);
        let location = accesses.of(x, loc);
        if location.accesses.iter().any(|&e| is_sc(x, e)) {
            let clocks = self.clocks;
            // What leads to the next access of the thread.
            let nodes = |range: Range<usize>| {
                let entering = &location.accesses[range];
                let last = entering.last().filter(|_| self.fences).map(|&e| self.node(Layer::Fenced, e));
                let sc = entering.iter().rev().find(|&&e| is_sc(x, e)).map(|&e| self.node(Layer::Sc, e));
                [last, sc]
            };
            let mut edges: Vec<(u32, u32)> = Vec::new();
            let walked = location.walk(
                clocks,
                Vec::new,
                |before: &mut Vec<u32>, _, entering| before.extend(nodes(entering).into_iter().flatten()),
                |before, _, i| {
                    let e = location.accesses[i];
                    if before.is_empty() {
                        return Ok(());
                    }
                    let seen = self.node(Layer::Seen, e);
                    edges.extend(before.drain(..).map(|node| (node, seen)));
                    if is_sc(x, e) {
                        edges.push((seen, self.node(Layer::Sc, e)));
                    }
                    if self.fences {
                        edges.push((seen, self.node(Layer::Fencing, e)));
                    }
                    before.push(seen);
                    Ok(())
                },
            );
            debug_assert!(walked.is_ok(), "nothing is refused");
            self.graph.add_edges(&edges);
        }
        self.accesses = accesses;
    }

    /// The accesses that happen before the fences of a thread, as far as they are new to the fence.
    fn fence(&mut self, t: ThreadId, seen: &mut Seen) {
        let x = self.x;
        let mut previous: Option<EventId> = None;
        for f in x.thread_events(t).map(EventId).filter(|&e| is_sc(x, e) && x.label(e).is_fence()) {
            let start = previous.map_or(x.thread_events(t).start, |previous| previous.0);
            self.lead_to(f, start..f.0, seen);
            let row = self.clocks.before(f);
            let known = previous.map_or(&[][..], |previous| self.clocks.before(previous));
            if !std::ptr::eq(row, known) {
                for u in x.threads().filter(|u| row[u.index()] > 0) {
                    let known = known.get(u.index()).copied().unwrap_or(0);
                    let start = x.thread_events(u).start.max(known);
                    self.lead_to(f, start..row[u.index()], seen);
                }
            }
            previous = Some(f);
        }
    }

    /// From these events of a thread, of each location from the last.
    fn lead_to(&mut self, f: EventId, events: Range<u32>, seen: &mut Seen) {
        seen.turn += 1;
        for e in events.rev().map(EventId) {
            if let Some(loc) = self.x.loc(e)
                && seen.turns[loc.index()] != seen.turn
            {
                seen.turns[loc.index()] = seen.turn;
                self.add((Layer::Fencing, e), (Layer::Sc, f));
            }
        }
    }
}

/// The locations that were met in the present turn.
struct Seen {
    turn: u64,
    /// By location: the last turn in which it was met.
    turns: Vec<u64>,
}

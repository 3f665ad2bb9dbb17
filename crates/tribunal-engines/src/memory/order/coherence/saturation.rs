//! Saturation for strong release-acquire: the mo edges that every mo must have, found round by round.
//!
//! The graph is po ∪ rf ∪ the mo edges known so far. An edge between two rf-chains goes from the last write of one to
//! the first of the other, since mo keeps chains together. The first edges are the constraints of read coherence, as in
//! [`minimal`](super::minimal). Then, in rounds: clocks of the graph are computed, and wherever a write of one chain
//! reaches a write of another chain of its location, the whole chain must come first. Without RMWs the first round is
//! the last. Each round costs O(n·k + edges); a round without a new edge ends the saturation, and a graph with a cycle
//! refutes the history.

use super::chains::{Chains, left_by, looked_at};
use super::observer::{Accesses, observe_all};
use crate::limits::{Bounded, Meter};
use crate::memory::order::past::happens_before::HappensBefore;
use crate::memory::order::past::pasts::{Pasts, comes_before};
use crate::memory::order::past::replay::{Deadlock, Halt};
use crate::memory::order::path::shortest_path;
use crate::reach::digraph::{Arc, short_cycle};
use crate::reach::lists::Lists;
use std::collections::BTreeMap;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::verdict::{Because, Cycle, Edge, Limit};

/// Histories up to this size get the shortest of all cycles.
const LITMUS: usize = 256;

/// The bytes that chains, accesses, an order of the writes and where the edges to each event begin take.
const BYTES_PER_EVENT: usize = 44;

/// An mo edge between the ends of two rf-chains, with the mo edge between two of their writes that it follows from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoEdge {
    pub from: EventId,
    pub to: EventId,
    base: (EventId, EventId),
    /// Whether it leads to a write that its first write comes after: an initial write, or one earlier in its chain.
    backward: bool,
    reason: Reason,
}

/// The reason why the base of an edge holds.
#[derive(Clone, Copy, Debug)]
enum Reason {
    /// The first write happens before the access `e`, which looks at the second.
    Observed { e: EventId },
    /// The graph with the first `known` mo edges has a path from the first write to the second.
    Reached { known: usize },
    /// The second write is the given final one.
    Final,
    /// It is the case at hand.
    Assumed,
}

/// The reason why a graph is cyclic.
pub(crate) enum Contradiction {
    /// No replay gets past this.
    Deadlock(Deadlock),
    /// The mo edge of this index is backward.
    Backward(usize),
}

/// What a saturated, acyclic graph looks like.
pub(crate) struct Saturated {
    pub pasts: Pasts,
    /// The predecessors of each event by mo edges.
    pub preds: Lists<EventId>,
    /// All writes in an order that the graph allows.
    pub order: Vec<EventId>,
}

pub(crate) struct SraSaturation<'a> {
    x: &'a Execution,
    hb: &'a HappensBefore,
    chains: &'a Chains,
    pub(crate) edges: Vec<MoEdge>,
}

impl<'a> SraSaturation<'a> {
    /// The graph with the edges of read coherence and of final values.
    pub(crate) fn new(
        x: &'a Execution,
        hb: &'a HappensBefore,
        chains: &'a Chains,
        limits: &Limits<'_>,
    ) -> Result<Self, Limit> {
        let mut saturation = SraSaturation { x, hb, chains, edges: Vec::new() };
        saturation.observe(limits)?;
        saturation.add_finals();
        Ok(saturation)
    }

    fn observe(&mut self, limits: &Limits<'_>) -> Result<(), Limit> {
        let meter = self.meter(limits)?;
        let mut edges = Bounded::new(&meter);
        self.observe_writes(
            self.hb.pasts.as_ref(),
            |_| true,
            |a, e| {
                let (left, target) = (left_by(self.x, a), looked_at(self.x, e));
                // A constraint that only says that hb keeps two plain writes in order is in the graph already.
                if (target != e || self.chains.is_long(self.chains.link(left).chain))
                    && let Some(edge) = self.between_chains(left, target, Reason::Observed { e })
                {
                    edges.push(edge);
                }
            },
        );
        self.edges = edges.into_items()?;
        Ok(())
    }

    /// Counts beside what is held: hb, chains, accesses, and the edges with those who lead to each event.
    fn meter<'l>(&self, limits: &'l Limits<'l>) -> Result<Meter<'l>, Limit> {
        let meter = Meter::new(limits);
        let edges = self.edges.capacity() * (size_of::<MoEdge>() + 4);
        meter.take(self.hb.bytes() + edges + BYTES_PER_EVENT * self.x.len())?;
        Ok(meter)
    }

    /// What the accesses that `observes` is true of observe of writes: whoever observes a read observes its source.
    fn observe_writes(
        &self,
        pasts: Option<&Pasts>,
        observes: impl Fn(EventId) -> bool,
        visit: impl FnMut(EventId, EventId),
    ) {
        let accesses = Accesses::new(self.x, self.chains, pasts, |e| self.x.label(e).writes());
        observe_all(self.x, self.chains, accesses.sight(pasts), observes, visit);
    }

    fn add_finals(&mut self) {
        for &(loc, write) in self.x.finals() {
            for chain in self.chains.of(loc) {
                let edge = self.between_chains(self.chains.ends(chain)[1], write, Reason::Final);
                self.edges.extend(edge);
            }
        }
    }

    /// Adds the case that mo puts `first` before `second`, two writes of one location.
    pub(crate) fn assume(&mut self, first: EventId, second: EventId) {
        let edge = self.between_chains(first, second, Reason::Assumed);
        self.edges.extend(edge);
    }

    /// The edge that says that `first` is mo-before `second`; none if this is so anyway.
    fn between_chains(&self, first: EventId, second: EventId, reason: Reason) -> Option<MoEdge> {
        let base = (first, second);
        let (a, b) = (self.chains.link(first), self.chains.link(second));
        if a.chain == b.chain {
            let backward = a.position > b.position;
            return backward.then_some(MoEdge { from: first, to: second, base, backward, reason });
        }
        let ([_, from], [to, _]) = (self.chains.ends(a.chain), self.chains.ends(b.chain));
        // An initial write comes before everything as it is.
        (!self.x.is_init(from)).then_some(MoEdge { from, to, base, backward: self.x.is_init(to), reason })
    }

    /// Saturates.
    pub(crate) fn run(&mut self, limits: &Limits<'_>) -> Result<Result<Saturated, Contradiction>, Limit> {
        let mut checked = 0;
        loop {
            if let Some(i) = (checked..self.edges.len()).find(|&i| self.edges[i].backward) {
                return Ok(Err(Contradiction::Backward(i)));
            }
            checked = self.edges.len();
            let rest = self.meter(limits)?.rest();
            let edges = self.edges.iter().map(|edge| (edge.to.index(), edge.from));
            let preds = Lists::of_pairs(self.x.len(), edges);
            let mut order = Vec::new();
            let replayed = Pasts::new(
                self.x,
                |e| preds.of(e.index()),
                &rest,
                |e| {
                    if self.x.label(e).writes() {
                        order.push(e);
                    }
                },
            );
            let pasts = match replayed {
                Ok(pasts) => pasts,
                Err(Halt::Deadlock(deadlock)) => return Ok(Err(Contradiction::Deadlock(deadlock))),
                Err(Halt::Limit(limit)) => return Err(limit.out_of(limits.max_memory)),
            };
            if self.x.features().rmws == 0 || !self.carry_along_chains(&pasts, limits)? {
                return Ok(Ok(Saturated { pasts, preds, order }));
            }
        }
    }

    /// One round: orders whole chains wherever the graph orders two of their writes. Says whether there was a new edge.
    fn carry_along_chains(&mut self, pasts: &Pasts, limits: &Limits<'_>) -> Result<bool, Limit> {
        let known = self.edges.len();
        let meter = self.meter(limits)?;
        meter.take(pasts.bytes())?;
        let mut edges = Bounded::new(&meter);
        let writes = |e| self.x.label(e).writes();
        self.observe_writes(Some(pasts), writes, |a, e| {
            let (first, second) = (self.chains.link(a).chain, self.chains.link(e).chain);
            if first != second
                && (self.chains.is_long(first) || self.chains.is_long(second))
                && let Some(edge) = self.between_chains(a, e, Reason::Reached { known })
                && !comes_before(self.x, Some(pasts), edge.from, edge.to)
            {
                edges.push(edge);
            }
        });
        self.edges.append(&mut edges.into_items()?);
        Ok(self.edges.len() > known)
    }

    /// Pairs of chains of one location, at least one of them longer than a write, that the graph leaves unordered; each as
    /// the last write of one and the first of the other.
    pub(crate) fn unordered(&self, pasts: &Pasts, most: usize) -> Vec<(EventId, EventId)> {
        let mut pairs = Vec::new();
        for loc in self.x.locations() {
            let chains = self.chains.of(loc);
            for first in chains.clone().filter(|&chain| self.chains.is_long(chain)) {
                // Two long chains are met twice: count them once.
                let others = chains.clone().filter(|&other| other > first || !self.chains.is_long(other));
                for ([top, bottom], [other_top, other_bottom]) in
                    others.map(|other| (self.chains.ends(first), self.chains.ends(other)))
                {
                    if !comes_before(self.x, Some(pasts), bottom, other_top)
                        && !comes_before(self.x, Some(pasts), other_bottom, top)
                    {
                        pairs.push((bottom, other_top));
                        if pairs.len() == most {
                            return pairs;
                        }
                    }
                }
            }
        }
        pairs
    }
}

/// The proof of a contradiction.
impl SraSaturation<'_> {
    /// The cycle that a contradiction amounts to, every edge of it justified.
    pub(crate) fn explain(&self, contradiction: &Contradiction) -> Cycle {
        let cycle = match contradiction {
            Contradiction::Backward(_) | Contradiction::Deadlock(_) if self.x.len() <= LITMUS => {
                self.shortest_cycle()
            }
            Contradiction::Backward(i) => self.backward_cycle(*i),
            Contradiction::Deadlock(deadlock) => self.wait_cycle(deadlock),
        };
        self.justify(cycle)
    }

    /// A cycle as edges whose mo edges are [`Because::Lemma`] of their index in `self.edges`.
    fn shortest_cycle(&self) -> Vec<Edge> {
        let x = self.x;
        let mut arcs = Vec::new();
        let mut edges = Vec::new();
        let mut add = |from: EventId, to: EventId, because: Because, weight| {
            arcs.push(Arc { tail: from.0, head: to.0, weight });
            edges.push(Edge { from, to, because });
        };
        for e in x.events() {
            x.locations().for_each(|loc| add(x.init_write(loc), e, Because::Po, 2));
            let thread = x.thread_of(e).expect("an event of a thread");
            (e.0 + 1..x.thread_events(thread).end).for_each(|later| add(e, EventId(later), Because::Po, 2));
            if let Some(write) = x.rf(e) {
                add(write, e, Because::Rf, 2);
            }
        }
        // An edge is dearer than its base, and one that was found later is dearer than one found earlier.
        for (i, edge) in self.edges.iter().enumerate() {
            let weight = match edge.reason {
                Reason::Assumed => 2,
                Reason::Final => 3,
                Reason::Observed { .. } => 6,
                Reason::Reached { known } => 20 + known as u32,
            };
            add(edge.from, edge.to, Because::Lemma(i), weight + u32::from(edge.base != (edge.from, edge.to)));
        }
        let cycle = short_cycle(x.len() + x.location_count(), &arcs).expect("the graph is cyclic");
        cycle.into_iter().map(|i| edges[i].clone()).collect()
    }

    /// The cycle of an edge that leads to an initial write or up its own chain.
    fn backward_cycle(&self, i: usize) -> Vec<Edge> {
        let MoEdge { from, to, .. } = self.edges[i];
        let back = if self.x.is_init(to) { Because::Po } else { Because::Chain };
        vec![Edge { from, to, because: Because::Lemma(i) }, Edge { from: to, to: from, because: back }]
    }

    fn wait_cycle(&self, deadlock: &Deadlock) -> Vec<Edge> {
        let waits = deadlock.cycle(self.x);
        let mut edges = Vec::new();
        for i in (0..waits.len()).rev() {
            let (blocked, awaited) = waits[i];
            let because = match self.x.rf(blocked) == Some(awaited) {
                true => Because::Rf,
                false => Because::Lemma(self.edge_index(awaited, blocked)),
            };
            edges.push(Edge { from: awaited, to: blocked, because });
            let wanted = waits[(i + waits.len() - 1) % waits.len()].1;
            if wanted != blocked {
                edges.push(Edge { from: blocked, to: wanted, because: Because::Po });
            }
        }
        edges
    }

    fn edge_index(&self, from: EventId, to: EventId) -> usize {
        self.edges
            .iter()
            .position(|edge| (edge.from, edge.to) == (from, to))
            .expect("an mo edge of the graph")
    }

    /// Replaces the indexes of mo edges by their reasons, those that others build on as lemmas.
    fn justify(&self, cycle: Vec<Edge>) -> Cycle {
        let in_edges_of = |known: usize| {
            let mut into: BTreeMap<EventId, Vec<(EventId, Because)>> = BTreeMap::new();
            for (i, edge) in self.edges[..known].iter().enumerate() {
                into.entry(edge.to).or_default().push((edge.from, Because::Lemma(i)));
            }
            into
        };
        // Each edge's path is found once, latest edges first, since a path only uses earlier edges.
        let mut paths: BTreeMap<usize, Vec<Edge>> = BTreeMap::new();
        let mut wanted: BTreeMap<usize, bool> = BTreeMap::new();
        for i in lemmas_of(&cycle) {
            wanted.insert(i, false);
        }
        let mut pending: Vec<usize> = wanted.keys().copied().collect();
        while let Some(i) = pending.pop() {
            let edge = &self.edges[i];
            let Reason::Reached { known } = edge.reason else { continue };
            let into = in_edges_of(known);
            let path = shortest_path(self.x, edge.base.0, edge.base.1, |e, edges| {
                edges.extend(self.x.rf(e).map(|write| (write, Because::Rf)));
                edges.extend(into.get(&e).into_iter().flatten().cloned());
            });
            let path = path.expect("the clocks said that there is a path");
            for lemma in lemmas_of(&path) {
                if wanted.insert(lemma, true).is_none() {
                    pending.push(lemma);
                }
            }
            pending.sort_unstable();
            paths.insert(i, path);
        }
        let number: BTreeMap<usize, usize> =
            wanted.iter().filter(|&(_, &used)| used).enumerate().map(|(n, (&i, _))| (i, n)).collect();
        let refer = |edges: &mut [Edge]| {
            for edge in edges {
                if let Because::Lemma(i) = edge.because
                    && let Some(&n) = number.get(&i)
                {
                    edge.because = Because::Lemma(n);
                }
            }
        };
        paths.values_mut().for_each(|path| refer(path));
        let lemmas =
            number.keys().map(|&i| self.because(i, &paths, (self.edges[i].from, self.edges[i].to))).collect();
        let edges = self
            .without_detours(cycle, &number)
            .into_iter()
            .map(|edge| match edge.because {
                Because::Lemma(i) if number.contains_key(&i) => {
                    Edge { because: Because::Lemma(number[&i]), ..edge }
                }
                Because::Lemma(i) => self.because(i, &paths, (edge.from, edge.to)),
                _ => edge,
            })
            .collect();
        Cycle { lemmas, edges }
    }

    /// The cycle without steps along chains that its mo edges do not need: an mo edge holds from every later write of the
    /// chain it begins in, and to every earlier write of the chain it ends in. Lemmas keep their ends.
    fn without_detours(&self, mut cycle: Vec<Edge>, lemmas: &BTreeMap<usize, usize>) -> Vec<Edge> {
        let along = |edge: &Edge| {
            matches!(edge.because, Because::Rf | Because::Chain) && self.x.label(edge.to).writes()
        };
        let mut at = 0;
        while at < cycle.len() {
            let len = cycle.len();
            let (before, after) = ((at + len - 1) % len, (at + 1) % len);
            if let Because::Lemma(i) = cycle[at].because
                && !lemmas.contains_key(&i)
                && len > 2
            {
                let (first, second) = self.edges[i].base;
                let [a, b] = [first, second].map(|write| self.chains.link(write));
                let begin = self.chains.link(cycle[before].from);
                let end = self.chains.link(cycle[after].to);
                if along(&cycle[before]) && begin.chain == a.chain && begin.position >= a.position {
                    cycle[at].from = cycle[before].from;
                    cycle.remove(before);
                    at = 0;
                    continue;
                }
                if along(&cycle[after]) && end.chain == b.chain && end.position <= b.position {
                    cycle[at].to = cycle[after].to;
                    cycle.remove(after);
                    at = 0;
                    continue;
                }
            }
            at += 1;
        }
        cycle
    }

    /// An mo edge, between these ends, with its reason spelled out.
    fn because(&self, i: usize, paths: &BTreeMap<usize, Vec<Edge>>, (from, to): (EventId, EventId)) -> Edge {
        let MoEdge { base, reason, .. } = self.edges[i];
        let because = match reason {
            Reason::Final => Because::Final,
            Reason::Assumed => Because::Assumed,
            Reason::Reached { .. } => Because::Coherence { path: paths[&i].clone() },
            Reason::Observed { e } => {
                let path = self.hb.path(self.x, base.0, e).expect("the write happens before e");
                match self.x.label(e).reads() {
                    true => Because::Read { read: e, path },
                    false => Because::Coherence { path },
                }
            }
        };
        let edge = Edge { from: base.0, to: base.1, because };
        match base == (from, to) {
            true => edge,
            false => Edge { from, to, because: Because::Atomic { premise: Box::new(edge) } },
        }
    }
}

fn lemmas_of(edges: &[Edge]) -> impl Iterator<Item = usize> + '_ {
    edges.iter().filter_map(|edge| match edge.because {
        Because::Lemma(i) => Some(i),
        _ => None,
    })
}

//! Conflicts of the multiprocessor models as certificates.

use crate::memory::order::views::base::{Contradiction, seen_by};
use crate::memory::order::views::derivation::{Derivation, Hop, Lemma};
use crate::memory::order::views::saturation::{Conflict, Reason, ViewSaturation};
use crate::memory::order::views::search::Explain;
use crate::reach::digraph::{Arc, short_cycle, topological_order};
use crate::reach::graph::Node;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::model::Preserved;
use tribunal_history::verdict::{Axiom, Because, Cycle, Edge, Refutation, Violation};

/// Writes what the engine found in the words of the model.
pub(crate) struct Explanation<'a> {
    x: &'a Execution,
    preserved: &'a Preserved,
    /// The model is sc, or its saturation: all of po and rf is in the one view.
    sequential: bool,
}

fn edge(from: EventId, to: EventId, because: Because) -> Edge {
    Edge { from, to, because }
}

impl<'a> Explanation<'a> {
    pub(crate) fn new(x: &'a Execution, preserved: &'a Preserved) -> Self {
        Explanation { x, preserved, sequential: *preserved == Preserved::SC }
    }

    /// The axiom that a case split breaks in the end.
    pub(crate) fn axiom(&self) -> Axiom {
        if self.sequential { Axiom::Sequential } else { Axiom::Global }
    }

    /// A cycle as a violation: one of mo alone is in both views, and the local one is the simpler.
    pub(crate) fn violation(&self, cycle: Cycle) -> Violation {
        let mo = cycle.edges.iter().all(|edge| edge.because.is_mo());
        let axiom = if mo { self.local_axiom() } else { self.axiom() };
        Violation { axiom, refutation: Refutation::Cycle(cycle) }
    }

    fn local_axiom(&self) -> Axiom {
        if self.sequential { Axiom::Sequential } else { Axiom::PerLocation }
    }

    fn po(&self) -> Because {
        if self.sequential { Because::Po } else { Because::Ppo }
    }

    fn po_loc(&self) -> Because {
        if self.sequential { Because::Po } else { Because::PoLoc }
    }

    fn access(&self, node: Node) -> Option<EventId> {
        let label = self.x.labels().get(node.index())?;
        (!label.is_fence()).then_some(EventId(node.0))
    }

    /// mo(init, write), since the initial write comes first.
    fn after_initial(&self, write: EventId) -> Edge {
        let init = self.x.init_write(self.x.loc(write).expect("a write"));
        edge(init, write, Because::Coherence { path: vec![edge(init, write, self.po_loc())] })
    }

    pub(crate) fn contradiction(&self, found: Contradiction) -> Violation {
        let x = self.x;
        let (axiom, edges) = match found {
            Contradiction::SharedSource { write, rmws } => {
                let refutation = Refutation::SharedSource { write, rmws };
                return Violation { axiom: self.local_axiom(), refutation };
            }
            Contradiction::ReadsLater { read } => {
                let source = x.rf(read).expect("a read");
                let mut edges = vec![edge(source, read, Because::Rf)];
                if read != source {
                    edges.push(edge(read, source, self.po_loc()));
                }
                (self.local_axiom(), edges)
            }
            Contradiction::ReadsInitial { read, after } => {
                let write = seen_by(x, after).expect("an access sees a write");
                let premise = Box::new(self.after_initial(write));
                let mut edges = vec![edge(read, write, Because::Fr { premise })];
                if after != write {
                    edges.push(edge(write, after, Because::Rf));
                }
                edges.push(edge(after, read, self.po_loc()));
                (self.local_axiom(), edges)
            }
            Contradiction::FinalInitial { write } => {
                let init = x.init_write(x.loc(write).expect("a write"));
                let edges = vec![edge(write, init, Because::Final), edge(init, write, self.po_loc())];
                (self.local_axiom(), edges)
            }
        };
        Violation { axiom, refutation: Refutation::Cycle(Cycle { lemmas: Vec::new(), edges }) }
    }

    /// A cycle of deps ∪ rf, where dependencies count.
    pub(crate) fn thin_air(&self) -> Option<Violation> {
        let x = self.x;
        if !self.preserved.dependencies || !x.features().deps {
            return None;
        }
        let mut arcs = Vec::new();
        for e in x.events() {
            arcs.extend(x.deps(e).map(|on| (on.0, e.0)));
            arcs.extend(x.rf(e).filter(|&write| !x.is_init(write)).map(|write| (write.0, e.0)));
        }
        if topological_order(0, x.len(), &[&arcs]).is_some() {
            return None;
        }
        let weighted: Vec<Arc> = arcs.iter().map(|&(tail, head)| Arc { tail, head, weight: 1 }).collect();
        let cycle = short_cycle(x.len(), &weighted).expect("there is no topological order");
        let edges = cycle.into_iter().map(|i| {
            let (from, to) = (EventId(arcs[i].0), EventId(arcs[i].1));
            edge(from, to, if x.rf(to) == Some(from) { Because::Rf } else { Because::Dep })
        });
        let refutation = Refutation::Cycle(Cycle { lemmas: Vec::new(), edges: edges.collect() });
        Some(Violation { axiom: Axiom::ThinAir, refutation })
    }

    /// A cycle of base edges.
    pub(crate) fn base_cycle(&self, cycle: &[Node]) -> Violation {
        let next = |i: usize| cycle[(i + 1) % cycle.len()];
        // Begins at an access, so that what stands between accesses stays together.
        let start = cycle.iter().position(|&node| self.access(node).is_some()).expect("an access");
        let hops: Vec<Hop> = (start..start + cycle.len())
            .map(|i| Hop::Base(cycle[i % cycle.len()], next(i % cycle.len())))
            .collect();
        let mut edges = self.walk(&hops, &[]);
        self.merge_ends(&mut edges);
        self.violation(Cycle { lemmas: Vec::new(), edges })
    }

    /// The mo edge that a derived edge is, or depends on.
    fn lemma(&self, lemma: &Lemma, lemmas: &[Lemma]) -> Edge {
        let (from, to) = (EventId(lemma.from.0), EventId(lemma.to.0));
        let path = || self.walk(&lemma.path, lemmas);
        match lemma.reason {
            Reason::Read { read } => edge(from, to, Because::Read { read, path: path() }),
            Reason::Reached => edge(from, to, Because::Coherence { path: path() }),
            Reason::Assumed { .. } => edge(from, to, Because::Assumed),
            Reason::Same { .. } => unreachable!("writes have no copies here"),
            Reason::Fr { source } if self.x.is_init(source) => self.after_initial(to),
            Reason::Fr { source } => edge(source, to, Because::Coherence { path: path() }),
        }
    }

    /// A path as edges between accesses.
    fn walk(&self, hops: &[Hop], lemmas: &[Lemma]) -> Vec<Edge> {
        let mut edges = Vec::new();
        let mut begin: Option<EventId> = None;
        for &hop in hops {
            match hop {
                Hop::Derived(i) => edges.push(self.derived(i, &lemmas[i])),
                Hop::Base(from, to) => {
                    let from = begin.take().or(self.access(from)).expect("a path begins at an access");
                    match (self.access(to), self.direct(hop)) {
                        (None, _) => begin = Some(from),
                        (Some(to), true) => edges.push(self.base(from, to)),
                        (Some(to), false) => edges.push(self.indirect(from, to)),
                    }
                }
            }
        }
        self.merge(edges)
    }

    /// Whether a hop leaves an access.
    fn direct(&self, hop: Hop) -> bool {
        matches!(hop, Hop::Base(from, _) if self.access(from).is_some())
    }

    fn derived(&self, i: usize, lemma: &Lemma) -> Edge {
        let (from, to) = (EventId(lemma.from.0), EventId(lemma.to.0));
        match lemma.reason {
            Reason::Assumed { .. } => edge(from, to, Because::Assumed),
            Reason::Fr { source } => {
                let premise = Box::new(edge(source, to, Because::Lemma(i)));
                edge(from, to, Because::Fr { premise })
            }
            _ => edge(from, to, Because::Lemma(i)),
        }
    }

    /// An edge by way of nodes that are no accesses: fences and gatherings of a thread, or the first overwriting of an initial
    /// write.
    fn indirect(&self, from: EventId, to: EventId) -> Edge {
        if self.x.thread_of(from) == self.x.thread_of(to) && from < to && self.kept(from, to) {
            return edge(from, to, self.po());
        }
        edge(from, to, Because::Fr { premise: Box::new(self.after_initial(to)) })
    }

    fn kept(&self, from: EventId, to: EventId) -> bool {
        self.sequential || self.preserved.keeps(self.x, from, to)
    }

    /// A base edge between accesses.
    fn base(&self, from: EventId, to: EventId) -> Edge {
        let x = self.x;
        let same_thread = x.thread_of(from) == x.thread_of(to);
        if same_thread && from < to && self.kept(from, to) {
            return edge(from, to, self.po());
        }
        if x.rf(to) == Some(from) && (self.preserved.internal_rf || !same_thread) {
            return edge(from, to, Because::Rf);
        }
        self.local(from, to)
    }

    /// An mo edge between the writes that two adjacent accesses of a thread see, or to a final write.
    fn local(&self, first: EventId, second: EventId) -> Edge {
        let x = self.x;
        let readers = x.events().filter(|&e| x.rf(e) == Some(second));
        for later in std::iter::once(second).chain(readers) {
            let Some(earlier) = self.sees_before(later, first) else { continue };
            let mut path = Vec::new();
            if earlier != first {
                path.push(edge(first, earlier, Because::Rf));
            }
            path.push(edge(earlier, later, self.po_loc()));
            let because = if later == second {
                Because::Coherence { path }
            } else {
                Because::Read { read: later, path }
            };
            return edge(first, second, because);
        }
        edge(first, second, Because::Final)
    }

    /// An access of the same thread and location before `later` that sees `write`.
    fn sees_before(&self, later: EventId, write: EventId) -> Option<EventId> {
        let x = self.x;
        let thread = x.thread_of(later)?;
        let plain_read = |e: EventId| !x.label(e).writes();
        (x.thread_events(thread).start..later.0)
            .rev()
            .map(EventId)
            .filter(|&e| x.loc(e) == x.loc(write))
            .filter(|&e| !(self.preserved.load_hazards && plain_read(e) && plain_read(later)))
            .find(|&e| seen_by(x, e) == Some(write))
    }

    /// Joins neighbors of program order that make one.
    fn merge(&self, edges: Vec<Edge>) -> Vec<Edge> {
        let mut merged: Vec<Edge> = Vec::with_capacity(edges.len());
        for edge in edges {
            match merged.last_mut() {
                Some(last) if self.mergeable(last, &edge) => last.to = edge.to,
                _ => merged.push(edge),
            }
        }
        merged
    }

    fn mergeable(&self, first: &Edge, second: &Edge) -> bool {
        let po = self.po();
        first.because == po && second.because == po && self.kept(first.from, second.to)
    }

    /// Joins the last edge of a cycle with the first.
    fn merge_ends(&self, edges: &mut Vec<Edge>) {
        if let [first, .., last] = &edges[..]
            && self.mergeable(last, first)
        {
            let last = edges.pop().expect("two edges or more");
            edges[0].from = last.from;
        }
    }
}

impl Explain for Explanation<'_> {
    fn explain(&self, saturation: &ViewSaturation<'_>, conflict: &Conflict) -> (Cycle, Vec<u32>) {
        let Derivation { lemmas, closing, path, cases } = saturation.derivation(conflict);
        let lemmas_said: Vec<Edge> = lemmas.iter().map(|lemma| self.lemma(lemma, &lemmas)).collect();
        let mut edges = self.walk(&path, &lemmas);
        let closing = match closing.reason {
            Reason::Fr { .. } => {
                let premise = Box::new(self.lemma(&closing, &lemmas));
                edge(EventId(closing.from.0), EventId(closing.to.0), Because::Fr { premise })
            }
            _ => self.lemma(&closing, &lemmas),
        };
        edges.push(closing);
        self.merge_ends(&mut edges);
        let mut cycle = Cycle { lemmas: lemmas_said, edges };
        cycle.drop_idle_lemmas();
        (cycle, cases)
    }
}

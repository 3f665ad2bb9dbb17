//! Conflicts of psc as certificates.
//!
//! A cycle of the [graph](crate::memory::order::coherence::psc) is cut at its seq_cst events: what is between two of them is an edge of
//! psc. mo edges that were derived become lemmas, each with the cycle that it would close the other way around.

use crate::memory::order::coherence::chains::{left_by, looked_at};
use crate::memory::order::coherence::psc::{Beside, Far, Psc, Role, Scene};
use crate::memory::order::views::derivation::{Derivation, Hop, Lemma};
use crate::memory::order::views::saturation::{Conflict, Reason, ViewSaturation};
use crate::memory::order::views::search::Explain;
use crate::reach::graph::Node;
use rustc_hash::FxHashMap;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::verdict::{Axiom, Because, Cycle, Edge, Refutation, Violation};

/// Writes what the engine found in the words of the history.
pub(super) struct Explanation<'a> {
    pub scene: Scene<'a>,
    pub psc: &'a Psc,
}

/// A step of a walk through the graph.
#[derive(Clone, Debug)]
struct Step {
    from: Node,
    to: Node,
    /// If it is one of mo or fr: mo edges that lead to the write `to` from the write that `from` is or reads.
    mo: Vec<Edge>,
}

/// Lemmas so far.
#[derive(Default)]
struct Lemmas {
    edges: Vec<Edge>,
    /// Those that hold by coherence, by their ends.
    known: FxHashMap<(EventId, EventId), usize>,
    /// The mo edges that the derived edges of a derivation stand for.
    derived: Vec<Vec<Edge>>,
}

impl Lemmas {
    fn add(&mut self, edge: Edge) -> Edge {
        let (from, to) = (edge.from, edge.to);
        self.edges.push(edge);
        Edge { from, to, because: Because::Lemma(self.edges.len() - 1) }
    }
}

fn po(from: EventId, to: EventId) -> Edge {
    Edge { from, to, because: Because::Po }
}

fn assumed(from: EventId, to: EventId) -> Edge {
    Edge { from, to, because: Because::Assumed }
}

impl Explanation<'_> {
    fn x(&self) -> &Execution {
        self.scene.x
    }

    /// A cycle of base edges.
    pub(super) fn base_cycle(&self, cycle: &[Node]) -> Violation {
        let mut lemmas = Lemmas::default();
        let hops: Vec<Hop> =
            (0..cycle.len()).map(|i| Hop::Base(cycle[i], cycle[(i + 1) % cycle.len()])).collect();
        let steps = self.steps(&hops, &[], &mut lemmas);
        let edges = self.closed(&steps);
        self.violation(Cycle { lemmas: lemmas.edges, edges })
    }

    pub(super) fn violation(&self, cycle: Cycle) -> Violation {
        Violation { axiom: Axiom::SeqCst, refutation: Refutation::Cycle(cycle) }
    }

    /// The same refutation with case distinctions on writes of the history.
    pub(super) fn of_history(&self, refutation: Refutation) -> Refutation {
        match refutation {
            Refutation::Split { first, second, forward, backward } => {
                let [first, second] = [first, second].map(|write| self.psc.origins[write.index()]);
                let [forward, backward] = [forward, backward].map(|case| Box::new(self.of_history(*case)));
                Refutation::Split { first, second, forward, backward }
            }
            refutation => refutation,
        }
    }

    fn role(&self, node: Node) -> Option<Role> {
        self.psc.roles.get(node.index()).copied()
    }

    fn origin(&self, node: Node) -> EventId {
        self.psc.origins[node.index()]
    }

    fn beside(&self, node: Node) -> Option<Beside> {
        self.psc.beside.get(node.index().checked_sub(self.psc.roles.len())?).copied()
    }

    fn is_write(&self, node: Node) -> bool {
        matches!(self.role(node), Some(Role::Write | Role::Copy))
    }

    /// A path as steps. What leads to all writes but the initial one leads on to the next node at once.
    fn steps(&self, hops: &[Hop], derived: &[Lemma], lemmas: &mut Lemmas) -> Vec<Step> {
        let mut steps = Vec::with_capacity(hops.len());
        let overwriting = |node: Node| matches!(self.beside(node), Some(Beside::Overwriting(_)));
        let mut begin = None;
        for &hop in hops {
            let (from, to, mo) = match hop {
                Hop::Derived(i) => (derived[i].from, derived[i].to, lemmas.derived[i].clone()),
                Hop::Base(from, to) if overwriting(to) => {
                    begin = Some(from);
                    continue;
                }
                Hop::Base(from, to) => {
                    let from = if overwriting(from) { begin.take().unwrap_or(from) } else { from };
                    (from, to, self.base_mo(from, to, lemmas))
                }
            };
            steps.push(Step { from, to, mo });
        }
        if let Some(from) = begin {
            // A closed walk that begins behind such a node.
            let first = steps.first_mut().expect("a walk of more than one node");
            first.from = from;
            first.mo = self.base_mo(from, first.to, lemmas);
        }
        steps
    }

    /// The mo edges that a base edge stands for.
    fn base_mo(&self, from: Node, to: Node, lemmas: &mut Lemmas) -> Vec<Edge> {
        if !self.is_write(to) || matches!(self.beside(from), Some(Beside::Known(_))) {
            return Vec::new();
        }
        let left = match self.role(from) {
            Some(Role::Write | Role::Copy) => self.origin(from),
            Some(Role::Line | Role::Seen) => left_by(self.x(), self.origin(from)),
            None => self.x().init_write(self.x().loc(self.origin(to)).expect("a write")),
        };
        if left == self.origin(to) { Vec::new() } else { vec![self.coherent(left, self.origin(to), lemmas)] }
    }

    /// The mo edge between two writes that coherence, atomicity or a final value asks for.
    fn coherent(&self, from: EventId, to: EventId, lemmas: &mut Lemmas) -> Edge {
        if let Some(&i) = lemmas.known.get(&(from, to)) {
            return Edge { from, to, because: Because::Lemma(i) };
        }
        lemmas.known.insert((from, to), lemmas.edges.len());
        let x = self.x();
        let because = match () {
            () if x.rf(to) == Some(from) => Because::Chain,
            () if x.is_init(from) => Because::Coherence { path: vec![po(from, to)] },
            () => {
                let premise = self.constraint(from, to);
                match (premise.from, premise.to) == (from, to) {
                    true => premise.because,
                    false => Because::Atomic { premise: Box::new(premise) },
                }
            }
        };
        lemmas.add(Edge { from, to, because })
    }

    /// The constraint between the chains of two writes.
    fn constraint(&self, from: EventId, to: EventId) -> Edge {
        let (x, chains, hb) = (self.x(), self.scene.chains, self.scene.hb);
        let [tail, head] = [from, to].map(|write| chains.link(write).chain);
        if x.loc(from).is_some_and(|loc| chains.link(x.init_write(loc)).chain == tail) {
            let init = x.init_write(x.loc(from).expect("a write"));
            return Edge { from: init, to, because: Because::Coherence { path: vec![po(init, to)] } };
        }
        let of =
            |chain: u32| x.events().filter(move |&e| x.loc(e).is_some() && chains.link(e).chain == chain);
        let earlier: Vec<EventId> = of(tail).collect();
        for e in of(head) {
            let Some(&a) = earlier.iter().find(|&&a| hb.before(x, a, e)) else { continue };
            let (left, target) = (left_by(x, a), looked_at(x, e));
            let mut path = Vec::new();
            if left != a {
                path.push(Edge { from: left, to: a, because: Because::Rf });
            }
            path.extend(self.happens_before(a, e));
            let because = match x.label(e).reads() {
                true => Because::Read { read: e, path },
                false => Because::Coherence { path },
            };
            return Edge { from: left, to: target, because };
        }
        let last = x.finals().iter().find(|&&(_, write)| chains.link(write).chain == head);
        let (_, last) = *last.expect("a constraint by coherence or by a final value");
        Edge { from, to: last, because: Because::Final }
    }

    fn happens_before(&self, from: EventId, to: EventId) -> Vec<Edge> {
        self.scene.hb.path(self.x(), from, to).expect("one happens before the other")
    }

    /// The mo edges that a derived edge, or one that closes a cycle, stands for.
    fn derived(&self, lemma: &Lemma, derived: &[Lemma], lemmas: &mut Lemmas) -> Vec<Edge> {
        let x = self.x();
        let (from, to) = (self.origin(lemma.from), self.origin(lemma.to));
        match lemma.reason {
            Reason::Assumed { .. } => vec![assumed(from, to)],
            Reason::Same { .. } => match lemma.path[..] {
                [Hop::Derived(i)] => lemmas.derived[i].clone(),
                _ => unreachable!("the same as a derived edge"),
            },
            Reason::Reached => self.ordered(from, to, &lemma.path, derived, lemmas),
            Reason::Read { read } if self.is_write(read.into()) => {
                // Before an RMW is before the write that it reads from.
                let rmw = self.origin(read.into());
                let mut edges = self.ordered(from, rmw, &lemma.path, derived, lemmas);
                let last = edges.pop().expect("a path is not empty");
                if last.from != to {
                    let (from, because) = (last.from, Because::Atomic { premise: Box::new(last) });
                    edges.push(lemmas.add(Edge { from, to, because }));
                }
                edges
            }
            Reason::Read { read } => {
                let mut steps = self.steps(&lemma.path, derived, lemmas);
                let mo = vec![assumed(to, from)];
                steps.push(Step { from: read.into(), to: lemma.from, mo });
                let because = Because::Unless { cycle: self.closed(&steps) };
                vec![lemmas.add(Edge { from, to, because })]
            }
            Reason::Fr { source } => {
                let mut edges = match source.index() < self.psc.roles.len() {
                    true => self.ordered(self.origin(source.into()), to, &lemma.path, derived, lemmas),
                    false => {
                        let init = x.init_write(x.loc(to).expect("a write"));
                        vec![self.coherent(init, to, lemmas)]
                    }
                };
                if self.is_write(lemma.from) {
                    // What is behind the write that an RMW reads from is behind the RMW.
                    let first = edges.remove(0);
                    if first.to != from {
                        let (to, because) = (first.to, Because::Atomic { premise: Box::new(first) });
                        edges.insert(0, lemmas.add(Edge { from, to, because }));
                    }
                }
                edges
            }
        }
    }

    /// mo edges from one write to another, between which there is a path.
    fn ordered(
        &self,
        from: EventId,
        to: EventId,
        path: &[Hop],
        derived: &[Lemma],
        lemmas: &mut Lemmas,
    ) -> Vec<Edge> {
        let mut steps = self.steps(path, derived, lemmas);
        if steps.iter().all(|step| self.is_write(step.from) && self.is_write(step.to)) {
            return steps.into_iter().flat_map(|step| step.mo).collect();
        }
        let (first, last) = (steps[0].from, steps[steps.len() - 1].to);
        steps.push(Step { from: last, to: first, mo: vec![assumed(to, from)] });
        let because = Because::Unless { cycle: self.closed(&steps) };
        vec![lemmas.add(Edge { from, to, because })]
    }

    /// A closed walk as edges of psc; or of mo, if it meets no seq_cst event.
    fn closed(&self, steps: &[Step]) -> Vec<Edge> {
        let is_line = |node: Node| self.role(node) == Some(Role::Line);
        let Some(start) = steps.iter().position(|step| is_line(step.from)) else {
            return steps.iter().flat_map(|step| step.mo.clone()).collect();
        };
        let mut edges = Vec::new();
        let mut begin = self.origin(steps[start].from);
        let (mut at, mut path) = (begin, Vec::new());
        for i in start..start + steps.len() {
            let step = &steps[i % steps.len()];
            match (self.role(step.from), self.role(step.to)) {
                (Some(Role::Line), Some(Role::Line)) => {
                    path = self.ordered_whatever_mo_is(begin, self.origin(step.to));
                }
                (_, Some(Role::Line)) => path.extend(self.to_line(step)),
                // Fences that are known; only the first matters.
                (_, None) => {}
                (None, Some(_)) => {
                    path.extend(self.happens_before(begin, self.origin(step.to)));
                    at = self.origin(step.to);
                }
                (Some(_), Some(_)) => {
                    let mut mo = step.mo.iter().cloned();
                    if let Some(first) = mo.next() {
                        let edge = match first.from == at {
                            true => first,
                            false => {
                                let to = first.to;
                                Edge { from: at, to, because: Because::Fr { premise: Box::new(first) } }
                            }
                        };
                        path.push(edge);
                        path.extend(mo);
                        at = self.origin(step.to);
                    }
                }
            }
            if is_line(step.to) {
                let to = self.origin(step.to);
                let path = self.merged(std::mem::take(&mut path));
                edges.push(Edge { from: begin, to, because: Because::Psc { path } });
                (begin, at) = (to, to);
            }
        }
        edges
    }

    /// The path with one step of program order for two in a row, where that may still begin and end a path between accesses.
    fn merged(&self, path: Vec<Edge>) -> Vec<Edge> {
        let x = self.x();
        let left_out = |e: EventId| x.label(e).does_nothing();
        let far = |a: EventId, b: EventId| {
            self.scene.far == Far::Po
                || !left_out(a) && !left_out(b) && (x.loc(a).is_none() || x.loc(a) != x.loc(b))
        };
        let mut merged: Vec<Edge> = Vec::with_capacity(path.len());
        for edge in path {
            match merged.last_mut() {
                Some(last)
                    if last.because == Because::Po
                        && edge.because == Because::Po
                        && far(last.from, edge.to) =>
                {
                    last.to = edge.to;
                }
                _ => merged.push(edge),
            }
        }
        merged
    }

    /// From a write to a seq_cst event: itself, or a fence that it or a read of it happens before.
    fn to_line(&self, step: &Step) -> Vec<Edge> {
        let (x, hb) = (self.x(), self.scene.hb);
        let (write, to) = (self.origin(step.from), self.origin(step.to));
        if write == to {
            return Vec::new();
        }
        if hb.before(x, write, to) {
            return self.happens_before(write, to);
        }
        let read = x.events().find(|&e| x.rf(e) == Some(write) && hb.before(x, e, to));
        let read = read.expect("a read of the write happens before the fence");
        let mut path = vec![Edge { from: write, to: read, because: Because::Rf }];
        path.extend(self.happens_before(read, to));
        path
    }

    /// The path of an edge of psc between two seq_cst events that holds whatever mo is.
    fn ordered_whatever_mo_is(&self, a: EventId, b: EventId) -> Vec<Edge> {
        let (x, hb) = (self.x(), self.scene.hb);
        let events = |e: EventId| x.thread_events(x.thread_of(e).expect("an event of a thread"));
        if x.thread_of(a) == x.thread_of(b) {
            return vec![po(a, b)];
        }
        match (x.loc(a), x.loc(b)) {
            (None, None) => self.happens_before(a, b),
            (None, Some(loc)) => {
                let previous = (b.0 > events(b).start).then(|| EventId(b.0 - 1));
                if let Some(previous) = previous.filter(|&previous| hb.before(x, a, previous)) {
                    let mut path = self.happens_before(a, previous);
                    path.push(po(previous, b));
                    return path;
                }
                let between =
                    |&e: &EventId| x.loc(e) == Some(loc) && hb.before(x, a, e) && hb.before(x, e, b);
                let access = x.events().find(between).expect("an access of the location is between");
                let mut path = self.happens_before(a, access);
                path.extend(self.happens_before(access, b));
                path
            }
            (Some(_), None) => {
                let between = self.scene.access_before_fence(a, b).expect("an event is between");
                let mut path = match x.thread_of(between) == x.thread_of(a) {
                    true => vec![po(a, between)],
                    false => self.happens_before(a, between),
                };
                path.extend(self.happens_before(between, b));
                path
            }
            (Some(first), Some(second)) if first == second && hb.before(x, a, b) => self.happens_before(a, b),
            _ => {
                let after = self.scene.far_after(a, &events(a)).expect("an event behind it");
                let before = self.scene.far_before(b, &events(b)).expect("an event before it");
                let mut path = vec![po(a, after)];
                path.extend(self.happens_before(after, before));
                path.push(po(before, b));
                path
            }
        }
    }
}

impl Explain for Explanation<'_> {
    fn explain(&self, saturation: &ViewSaturation<'_>, conflict: &Conflict) -> (Cycle, Vec<u32>) {
        let Derivation { lemmas: derived, closing, path, cases } = saturation.derivation(conflict);
        let mut lemmas = Lemmas::default();
        for lemma in &derived {
            let edges = self.derived(lemma, &derived, &mut lemmas);
            lemmas.derived.push(edges);
        }
        let mo = self.derived(&closing, &derived, &mut lemmas);
        let mut steps = self.steps(&path, &derived, &mut lemmas);
        steps.push(Step { from: closing.from, to: closing.to, mo });
        let mut cycle = Cycle { edges: self.closed(&steps), lemmas: lemmas.edges };
        cycle.drop_idle_lemmas();
        (cycle, cases)
    }
}

//! Why the writes of some location have no mo: a short cycle of constraints, as mo edges with their reasons.

use super::accesses::Place;
use super::coherence::Coherence;
use super::digraph::{Arc, short_cycle};
use crate::memory::LocId;
use crate::verdict::{Axiom, Because, Cycle, Edge, Refutation, Violation};

/// Histories up to this size are explained by the shortest of all explanations.
const LITMUS: usize = 128;

/// A constraint: the write that access `a` leaves is at or mo-before the one at `target`.
#[derive(Clone, Copy)]
struct Constraint {
    a: Place,
    observer: Observer,
    target: Place,
}

/// Who looks, in a constraint.
#[derive(Clone, Copy)]
enum Observer {
    /// The access at this place.
    Access(Place),
    /// The end of the execution, at which the given final write is read.
    End,
}

impl Coherence<'_> {
    /// A violation of the first location that has one; in a small history, the shortest of all.
    pub(super) fn explain(&self) -> Violation {
        let mut violations = self.x.locations().filter_map(|loc| self.explain_location(loc));
        let violation =
            if self.x.len() <= LITMUS { violations.min_by_key(Violation::weight) } else { violations.next() };
        violation.expect("some location has no order")
    }

    fn explain_location(&self, loc: LocId) -> Option<Violation> {
        let constraints = if self.x.len() <= LITMUS { self.all(loc) } else { self.latest(loc) };
        let first = self.chains.of(loc).start;
        let chain = |place: Place| self.chains.chain[place as usize] - first;
        let position = |place: Place| self.chains.position[place as usize];
        let mut arcs = Vec::new();
        let mut meaning = Vec::new();
        for constraint in constraints {
            let left = self.left(constraint);
            let (tail, head) = (chain(left), chain(constraint.target));
            if tail != head || position(left) > position(constraint.target) {
                arcs.push(Arc { tail, head, weight: self.weight(constraint) });
                meaning.push(constraint);
            }
        }
        let cycle = short_cycle(self.chains.of(loc).len(), &arcs)?;
        let cycle: Vec<_> = cycle.into_iter().map(|arc| meaning[arc]).collect();
        Some(self.close(&cycle))
    }

    /// The constraints that the engine looks at.
    fn latest(&self, loc: LocId) -> Vec<Constraint> {
        let here = self.accesses.of(loc);
        let mut found = Vec::new();
        for run in self.accesses.runs(loc) {
            let clocks = self.hb.clocks.as_ref();
            self.accesses.observe(
                self.x,
                run.thread,
                clocks,
                |place| here.contains(&place),
                |_, a, e| {
                    let target = self.accesses.target[e as usize];
                    found.push(Constraint { a, observer: Observer::Access(e), target });
                },
            );
        }
        let last = self.accesses.runs(loc).iter().map(|run| run.end - 1).chain([self.accesses.init(loc)]);
        found.extend(self.at_the_end(loc, last));
        found
    }

    /// A constraint for every two accesses of which one happens before the other.
    fn all(&self, loc: LocId) -> Vec<Constraint> {
        let init = self.accesses.init(loc);
        let event = |place: Place| self.accesses.events[place as usize];
        let mut found = Vec::new();
        for e in self.accesses.of(loc) {
            let target = self.accesses.target[e as usize];
            let earlier = self.accesses.of(loc).filter(|&a| self.hb.before(self.x, event(a), event(e)));
            found.extend(earlier.chain([init]).map(|a| Constraint {
                a,
                observer: Observer::Access(e),
                target,
            }));
        }
        found.extend(self.at_the_end(loc, self.accesses.of(loc).chain([init])));
        found
    }

    fn at_the_end(
        &self,
        loc: LocId,
        last: impl Iterator<Item = Place> + Clone,
    ) -> impl Iterator<Item = Constraint> {
        let finals = self.x.finals().iter().filter(move |&&(other, _)| other == loc);
        finals.flat_map(move |&(_, write)| {
            let target = self.accesses.place(self.x, write);
            last.clone().map(move |a| Constraint { a, observer: Observer::End, target })
        })
    }

    fn left(&self, constraint: Constraint) -> Place {
        self.accesses.seen[constraint.a as usize]
    }

    /// The number of edges that it takes to say a constraint.
    fn weight(&self, constraint: Constraint) -> u32 {
        match constraint.observer {
            Observer::Access(e) if self.x.len() <= LITMUS => 1 + self.path(constraint.a, e).len() as u32,
            _ => 1,
        }
    }

    /// The path in rf? ; hb from the write that `a` leaves to the access at `e`.
    fn path(&self, a: Place, e: Place) -> Vec<Edge> {
        let event = |place: Place| self.accesses.events[place as usize];
        let left = self.accesses.seen[a as usize];
        let mut path = Vec::new();
        if left != a {
            path.push(Edge { from: event(left), to: event(a), because: Because::Rf });
        }
        path.extend(self.hb.path(self.x, event(a), event(e)).expect("a happens before e"));
        path
    }

    /// The mo edge that a constraint says.
    fn edge(&self, constraint: Constraint) -> Edge {
        let event = |place: Place| self.accesses.events[place as usize];
        let because = match constraint.observer {
            Observer::End => Because::Final,
            Observer::Access(e) => {
                let path = self.path(constraint.a, e);
                match self.x.label(event(e)).reads() {
                    true => Because::Read { read: event(e), path },
                    false => Because::Coherence { path },
                }
            }
        };
        Edge { from: event(self.left(constraint)), to: event(constraint.target), because }
    }

    /// Turns a cycle of constraints between chains into a cycle of mo edges between writes.
    fn close(&self, constraints: &[Constraint]) -> Violation {
        let event = |place: Place| self.accesses.events[place as usize];
        let position = |place: Place| self.chains.position[place as usize];
        let mut edges = Vec::new();
        for (i, &constraint) in constraints.iter().enumerate() {
            let enters = constraint.target;
            let leaves = self.left(constraints[(i + 1) % constraints.len()]);
            let edge = self.edge(constraint);
            // Within a chain: back to an earlier write by atomicity, on to a later one along the chain.
            if position(enters) > position(leaves) && constraints.len() > 1 {
                let (from, premise) = (edge.from, Box::new(edge));
                edges.push(Edge { from, to: event(leaves), because: Because::Atomic { premise } });
            } else {
                edges.push(edge);
                if enters != leaves {
                    edges.push(Edge { from: event(enters), to: event(leaves), because: Because::Chain });
                }
            }
        }
        let axiom = broken_axiom(&edges);
        Violation { axiom, refutation: Refutation::Cycle(Cycle { lemmas: Vec::new(), edges }) }
    }
}

/// The axiom that best names what a cycle of mo edges breaks.
fn broken_axiom(edges: &[Edge]) -> Axiom {
    let base = |edge: &Edge| match &edge.because {
        Because::Atomic { premise } => premise.because.name(),
        because => because.name(),
    };
    let any = |name| edges.iter().any(|edge| base(edge) == name);
    if any("final") {
        Axiom::FinalValue
    } else if any("read") {
        Axiom::ReadCoherence
    } else if edges.iter().any(|edge| matches!(edge.because, Because::Atomic { .. })) {
        Axiom::Atomicity
    } else {
        Axiom::WriteCoherence
    }
}

//! The reason why the writes of some location have no mo: a short cycle of constraints, as mo edges with their reasons.

use super::chains::{left_by, looked_at};
use super::minimal::Coherence;
use super::observer::observe_all;
use crate::reach::digraph::{Arc, short_cycle};
use std::ops::{Range, RangeInclusive};
use tribunal_history::memory::{EventId, LocId};
use tribunal_history::verdict::{Axiom, Because, Cycle, Edge, Refutation, Violation};

/// Histories up to this size are explained by the shortest of all explanations.
const LITMUS: usize = 128;

/// A constraint: the write that access `a` leaves is `target` or mo-before it.
#[derive(Clone, Copy)]
struct Constraint {
    a: EventId,
    looker: Accessor,
    target: EventId,
}

/// The access that looks, in a constraint.
#[derive(Clone, Copy)]
enum Accessor {
    /// This access.
    Access(EventId),
    /// The end of the execution, at which the given final write is read.
    End,
}

impl Coherence<'_> {
    /// A violation of one of a group of locations, one of which has no order; in a small history, the shortest of all.
    pub(super) fn explain(&self, group: Range<u32>) -> Violation {
        let violation = match self.x.len() <= LITMUS {
            true => {
                let violations = self.x.locations().filter_map(|loc| self.shortest(loc..=loc, self.all(loc)));
                violations.min_by_key(Violation::weight)
            }
            false => self.shortest(LocId(group.start)..=LocId(group.end - 1), self.latest(group)),
        };
        violation.expect("some location has no order")
    }

    /// The shortest cycle of constraints, which are on these locations.
    fn shortest(&self, locs: RangeInclusive<LocId>, constraints: Vec<Constraint>) -> Option<Violation> {
        let chains = self.chains.of(*locs.start()).start..self.chains.of(*locs.end()).end;
        let mut arcs = Vec::new();
        let mut meaning = Vec::new();
        for constraint in constraints {
            let (left, target) = (self.chains.link(constraint.a), self.chains.link(constraint.target));
            if left.chain != target.chain || left.position > target.position {
                let (tail, head) = (left.chain - chains.start, target.chain - chains.start);
                arcs.push(Arc { tail, head, weight: self.weight(constraint) });
                meaning.push(constraint);
            }
        }
        let cycle = short_cycle(chains.len(), &arcs)?;
        let cycle: Vec<_> = cycle.into_iter().map(|arc| meaning[arc]).collect();
        Some(self.close(&cycle))
    }

    /// The constraints that the engine looks at.
    fn latest(&self, locs: Range<u32>) -> Vec<Constraint> {
        let mut found = Vec::new();
        let here = |e: EventId| locs.contains(&self.x.locs()[e.index()].0);
        observe_all(self.x, &self.chains, self.sight(), here, |a, e| {
            found.push(Constraint { a, looker: Accessor::Access(e), target: looked_at(self.x, e) });
        });
        locs.clone().for_each(|loc| found.extend(self.at_the_end(LocId(loc))));
        found
    }

    /// A constraint for every two accesses of which one happens before the other.
    fn all(&self, loc: LocId) -> Vec<Constraint> {
        let accesses: Vec<EventId> = self.x.events().filter(|&e| self.x.loc(e) == Some(loc)).collect();
        let mut found = Vec::new();
        for &e in &accesses {
            let earlier = accesses.iter().copied().filter(|&a| self.hb.before(self.x, a, e));
            let (looker, target) = (Accessor::Access(e), looked_at(self.x, e));
            found.extend(earlier.chain([self.x.init_write(loc)]).map(|a| Constraint { a, looker, target }));
        }
        found.extend(self.at_the_end(loc));
        found
    }

    /// The last write of every chain comes before the given final write.
    fn at_the_end(&self, loc: LocId) -> impl Iterator<Item = Constraint> + '_ {
        let finals = self.x.finals().iter().filter(move |&&(other, _)| other == loc);
        finals.flat_map(move |&(_, target)| {
            let last = self.chains.of(loc).map(|chain| self.chains.ends(chain)[1]);
            last.map(move |a| Constraint { a, looker: Accessor::End, target })
        })
    }

    /// The number of edges that it takes to say a constraint.
    fn weight(&self, constraint: Constraint) -> u32 {
        match constraint.looker {
            Accessor::Access(e) if self.x.len() <= LITMUS => 1 + self.path(constraint.a, e).len() as u32,
            _ => 1,
        }
    }

    /// The shortest path in rf? ; hb from the write that `a` leaves to `e`.
    fn path(&self, a: EventId, e: EventId) -> Vec<Edge> {
        let left = left_by(self.x, a);
        let mut path = Vec::new();
        if left != a {
            path.push(Edge { from: left, to: a, because: Because::Rf });
        }
        path.extend(self.hb.path(self.x, a, e).expect("a happens before e"));
        path
    }

    /// The mo edge that a constraint says.
    fn edge(&self, Constraint { a, looker, target }: Constraint) -> Edge {
        let because = match looker {
            Accessor::End => Because::Final,
            Accessor::Access(e) if self.x.label(e).reads() => {
                Because::Read { read: e, path: self.path(a, e) }
            }
            Accessor::Access(e) => Because::Coherence { path: self.path(a, e) },
        };
        Edge { from: left_by(self.x, a), to: target, because }
    }

    /// MemoryOrderSweep a cycle of constraints between chains into a cycle of mo edges between writes.
    fn close(&self, constraints: &[Constraint]) -> Violation {
        let mut edges = Vec::new();
        for (i, &constraint) in constraints.iter().enumerate() {
            let enters = constraint.target;
            let leaves = left_by(self.x, constraints[(i + 1) % constraints.len()].a);
            let edge = self.edge(constraint);
            // Within a chain: back to an earlier write by atomicity, on to a later one along the chain.
            let back = self.chains.link(enters).position > self.chains.link(leaves).position;
            if back && constraints.len() > 1 {
                let (from, premise) = (edge.from, Box::new(edge));
                edges.push(Edge { from, to: leaves, because: Because::Atomic { premise } });
            } else {
                edges.push(edge);
                if enters != leaves {
                    edges.push(Edge { from: enters, to: leaves, because: Because::Chain });
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

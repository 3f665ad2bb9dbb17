//! coherence: each location alone is sequentially consistent.
//!
//! - for each location, acyclic(po-loc ∪ rf ∪ mo ∪ fr)
//!
//! po ∪ rf may be cyclic. Decided in O(n). An access *leaves* a write: itself if it writes, or else the one it
//! reads from; and *looks at* one: the one it reads from if it reads, or else itself. For a total mo the axiom says
//! that
//! - of two accesses of a thread to a location, one right after the other, the first leaves the write that the
//!   second looks at, or an mo-earlier one;
//! - no read reads from a write after it in its thread, and no RMW, by way of RMWs, from itself;
//! - an RMW comes right after the write that it reads from, and the initial write is first.
//!
//! (Order the accesses by the writes that they leave, each write before its readers: po-loc, rf, mo and fr all go
//! forward.) These are constraints between [rf-chains](crate::memory::order::coherence::chains), and any topological order of the
//! chains is an mo.

use crate::memory::order::coherence::chains::{Chains, SharedSource, left_by, looked_at};
use crate::memory::order::coherence::latest::Walk;
use crate::reach::digraph::{Arc, short_cycle, topological_order};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, Kind};
use tribunal_history::verdict::{
    Axiom, Because, Cycle, Edge, Limit, ModificationOrder, Refutation, Verdict, Violation, Witness,
};

/// The bytes that chains, constraints, the order of the writes and, if there is none, its explanation take.
const BYTES_PER_EVENT: usize = 80;
const BYTES_PER_LOCATION: usize = 48;

pub(super) fn decide(x: &Execution, limits: &Limits<'_>) -> Result<Verdict, Limit> {
    Ok(match order_locations(x, limits)? {
        Ok(mo) => Verdict::Consistent(Witness::Mo(mo)),
        Err(violation) => Verdict::Inconsistent(violation),
    })
}

/// An mo that satisfies the axiom, or a violation in the local view.
fn order_locations(
    x: &Execution,
    limits: &Limits<'_>,
) -> Result<Result<ModificationOrder, Violation>, Limit> {
    limits.check(0)?;
    limits.check_memory(BYTES_PER_EVENT * x.len() + BYTES_PER_LOCATION * x.location_count(), 0)?;
    let chains = match Chains::new(x) {
        Ok(chains) => chains,
        Err(SharedSource { write, rmws }) => {
            let refutation = Refutation::SharedSource { write, rmws };
            return Ok(Err(Violation { axiom: Axiom::PerLocation, refutation }));
        }
    };
    if let Some(cycle) = rmw_cycle(x, &chains) {
        return Ok(Err(violation(Cycle { lemmas: Vec::new(), edges: cycle })));
    }
    let coherence = Coherence { x, chains };
    let mut constraints = Vec::new();
    let mut contradiction = false;
    adjacent(x, |a, e| match coherence.constraint(a, e) {
        Some((tail, head)) if tail != head => constraints.push((tail, head)),
        Some(_) => contradiction = true,
        None => {}
    });
    limits.check(0)?;
    for (last, target) in coherence.finals() {
        let (tail, head) = (coherence.chains.link(last), coherence.chains.link(target));
        constraints.extend((tail.chain != head.chain).then_some((tail.chain, head.chain)));
        contradiction |= tail.chain == head.chain && tail.position > head.position;
    }
    let order = (!contradiction).then(|| coherence.order(&constraints)).flatten();
    Ok(order.ok_or_else(|| coherence.explain()))
}

/// Visits the accesses of each thread, each with the thread's previous access of the location, or the initial write.
fn adjacent(x: &Execution, mut visit: impl FnMut(EventId, EventId)) {
    let mut walk = Walk::new(x, None);
    x.threads().for_each(|thread| walk.observe(thread, |_| true, &mut visit));
}

/// RMWs that read from each other in a circle.
fn rmw_cycle(x: &Execution, chains: &Chains) -> Option<Vec<Edge>> {
    // An RMW in a chain is behind the chain's first write.
    let astray = |e: EventId| x.label(e).kind() == Kind::Rmw && chains.link(e).position == 0;
    let first = (x.features().rmws > 0).then(|| x.events().find(|&e| astray(e))).flatten()?;
    let mut edges = Vec::new();
    let mut to = first;
    loop {
        let from = looked_at(x, to);
        edges.push(Edge { from, to, because: Because::Rf });
        if from == first {
            edges.reverse();
            return Some(edges);
        }
        to = from;
    }
}

fn violation(cycle: Cycle) -> Violation {
    let is_final = |edge: &Edge| edge.because == Because::Final;
    let axiom = match cycle.lemmas.iter().chain(&cycle.edges).any(is_final) {
        true => Axiom::FinalValue,
        false => Axiom::PerLocation,
    };
    Violation { axiom, refutation: Refutation::Cycle(cycle) }
}

struct Coherence<'a> {
    x: &'a Execution,
    chains: Chains,
}

/// The reason why the write that one access leaves is the write that another looks at, or mo-before it.
#[derive(Clone, Copy)]
enum Constraint {
    /// The second is po-loc-after the first.
    Adjacent(EventId, EventId),
    /// The second is the given final write.
    Final(EventId, EventId),
}

impl Coherence<'_> {
    /// The chains that an adjacent pair orders: two of them; the same twice if it has no order; or none.
    #[inline]
    fn constraint(&self, a: EventId, e: EventId) -> Option<(u32, u32)> {
        let (left, chain) = (self.chains.link(a), self.chains.link(e).chain);
        if left.chain != chain {
            return Some((left.chain, chain));
        }
        let looked_at = self.chains.link(looked_at(self.x, e));
        (left.position > looked_at.position || self.x.rf(a) == Some(e)).then_some((chain, chain))
    }

    /// The last write of every chain, and the given final write that it comes before.
    fn finals(&self) -> impl Iterator<Item = (EventId, EventId)> + '_ {
        self.x.finals().iter().flat_map(move |&(loc, target)| {
            self.chains.of(loc).map(move |chain| (self.chains.ends(chain)[1], target))
        })
    }

    fn order(&self, constraints: &[(u32, u32)]) -> Option<ModificationOrder> {
        let order = topological_order(0, self.chains.count(), &[constraints])?;
        let mut fill: Vec<usize> = Vec::with_capacity(self.x.location_count());
        let mut size = 0;
        for loc in self.x.locations() {
            fill.push(size);
            size += self.chains.write_count(loc);
        }
        let mut writes = vec![EventId(0); size];
        for chain in order {
            let loc = self.x.loc(self.chains.ends(chain)[0]).expect("a write");
            for write in self.chains.writes(chain) {
                writes[fill[loc.index()]] = write;
                fill[loc.index()] += 1;
            }
        }
        let mut mo = ModificationOrder::new();
        let mut writes = writes.into_iter();
        for loc in self.x.locations() {
            mo.push_location(writes.by_ref().take(self.chains.write_count(loc)));
        }
        Some(mo)
    }
}

/// The proof that there is no mo.
impl Coherence<'_> {
    /// A short cycle of constraints, as one of the local view.
    fn explain(&self) -> Violation {
        let mut constraints = Vec::new();
        adjacent(self.x, |a, e| {
            if self.constraint(a, e).is_some() {
                constraints.push(Constraint::Adjacent(a, e));
            }
        });
        let finals = self.finals().filter(|(last, target)| last != target);
        constraints.extend(finals.map(|(last, target)| Constraint::Final(last, target)));
        let arc = |&constraint: &Constraint| {
            let (left, target) = self.ends(constraint);
            let (tail, head) = (self.chains.link(left).chain, self.chains.link(target).chain);
            Arc { tail, head, weight: self.weight(constraint) }
        };
        let arcs: Vec<Arc> = constraints.iter().map(arc).collect();
        let cycle = short_cycle(self.chains.count(), &arcs).expect("some location has no order");
        let cycle: Vec<_> = cycle.into_iter().map(|arc| constraints[arc]).collect();
        violation(match cycle[..] {
            [constraint] => Cycle { lemmas: Vec::new(), edges: self.within_chain(constraint) },
            _ => self.between_chains(&cycle),
        })
    }

    fn ends(&self, constraint: Constraint) -> (EventId, EventId) {
        match constraint {
            Constraint::Adjacent(a, e) => (left_by(self.x, a), looked_at(self.x, e)),
            Constraint::Final(last, target) => (last, target),
        }
    }

    /// The local path from the write that `a` leaves to `e`.
    fn path(&self, a: EventId, e: EventId) -> Vec<Edge> {
        let (x, left) = (self.x, left_by(self.x, a));
        let po_loc = |from| Edge { from, to: e, because: Because::PoLoc };
        match left == a || x.is_init(left) || (left < a && x.thread_of(left) == x.thread_of(a)) {
            true => vec![po_loc(left)],
            false => vec![Edge { from: left, to: a, because: Because::Rf }, po_loc(a)],
        }
    }

    /// The number of edges that it takes to say a constraint.
    fn weight(&self, constraint: Constraint) -> u32 {
        match constraint {
            Constraint::Adjacent(a, e) => 1 + self.path(a, e).len() as u32,
            Constraint::Final(..) => 1,
        }
    }

    /// The mo edge that a constraint says.
    fn edge(&self, constraint: Constraint) -> Edge {
        let (from, to) = self.ends(constraint);
        let because = match constraint {
            Constraint::Final(..) => Because::Final,
            Constraint::Adjacent(a, e) if self.x.label(e).reads() => {
                Because::Read { read: e, path: self.path(a, e) }
            }
            Constraint::Adjacent(a, e) => Because::Coherence { path: self.path(a, e) },
        };
        Edge { from, to, because }
    }

    /// rf edges from a write of a chain down to a later one.
    fn along(&self, chain: u32, from: EventId, to: EventId) -> Vec<Edge> {
        let writes: Vec<EventId> = self.chains.writes(chain).collect();
        let [first, last] = [from, to].map(|write| self.chains.link(write).position as usize);
        let rf = |pair: &[EventId]| Edge { from: pair[0], to: pair[1], because: Because::Rf };
        writes[first..=last].windows(2).map(rf).collect()
    }

    /// A constraint that leads up a chain: the cycle of that chain's writes.
    fn within_chain(&self, constraint: Constraint) -> Vec<Edge> {
        let (left, target) = self.ends(constraint);
        let chain = self.chains.link(left).chain;
        match constraint {
            Constraint::Final(..) => {
                let mut edges = self.along(chain, target, left);
                edges.push(self.edge(constraint));
                edges
            }
            Constraint::Adjacent(a, e) => {
                // The write directly after the one that e looks at: e itself, or one that e is before by fr.
                let after = match target == e {
                    true => e,
                    false => {
                        let place = self.chains.link(target).position as usize + 1;
                        self.chains.writes(chain).nth(place).expect("the write left is further down")
                    }
                };
                let mut edges = self.along(chain, after, left);
                edges.extend(self.path(a, e));
                if after != e {
                    let path = vec![Edge { from: target, to: after, because: Because::Rf }];
                    let premise = Edge { from: target, to: after, because: Because::Coherence { path } };
                    let because = Because::Fr { premise: Box::new(premise) };
                    edges.push(Edge { from: e, to: after, because });
                }
                edges
            }
        }
    }

    /// A cycle through several chains. It goes on along a chain by rf; where it would go back, the edge out of the
    /// chain is carried down it instead: what is after a write is, by fr, after the RMW that reads from the write.
    fn between_chains(&self, constraints: &[Constraint]) -> Cycle {
        let mut cycle = Cycle::default();
        for (i, &constraint) in constraints.iter().enumerate() {
            let (_, enters) = self.ends(constraints[(i + constraints.len() - 1) % constraints.len()]);
            let mut edge = self.edge(constraint);
            let chain = self.chains.link(edge.from).chain;
            let [entered, left] = [enters, edge.from].map(|write| self.chains.link(write).position as usize);
            if entered <= left {
                cycle.edges.extend(self.along(chain, enters, edge.from));
            }
            for write in self.chains.writes(chain).take(entered + 1).skip(left + 1) {
                let (from, to) = (edge.from, edge.to);
                let premise = Edge { from, to, because: Because::Lemma(cycle.lemmas.len()) };
                cycle.lemmas.push(edge);
                let fr = Edge { from: write, to, because: Because::Fr { premise: Box::new(premise) } };
                edge = Edge { from: write, to, because: Because::Coherence { path: vec![fr] } };
            }
            cycle.edges.push(edge);
        }
        cycle
    }
}

//! Minimal coherence (Tunç et al. 2023, sections 4.4 and 4.5): the engine of rc20, ra and relaxed.
//!
//! An access e of location x *looks at* a write: the one it reads from, or itself if it only writes. An access a
//! *leaves* a write: itself if it writes, or else the one it reads from. If a happens before e, then in every mo that
//! satisfies read and write coherence the write that a leaves is the write that e looks at, or mo-before it; by
//! atomicity it is then in the same rf-chain and not after it, or before the whole chain (Lemma 3.2). These are the
//! constraints. They only relate chains, so the writes of x have an mo if and only if the graph of chains is acyclic,
//! and then any topological order of the chains, each written out from its top, is one: nothing comes between an RMW
//! and its source, and every constraint holds. This is Lemma 4.4's extension without its quadratic second phase.
//!
//! Not all pairs (a, e) are needed. Within a thread the previous access is enough, since its write is at or after all
//! that were left before (Lemma A.6). Of another thread the last access that happens before e is enough, and only if it
//! did not happen before the observer's previous access of x already. Finding them takes O(n·k), or O(n) if hb = po.
//!
//! The observing threads are independent of each other, and so are the locations once all constraints are known: large
//! histories use all cores for both.

use super::chains::{Chains, Link, SharedSource, looked_at};
use super::latest::{Walk, teams};
use super::observer::{Accesses, Observed, Observer, Scene, Sight, TURN};
use crate::limits::Meter;
use crate::memory::order::parallel;
use crate::memory::order::past::happens_before::HappensBefore;
use crate::reach::digraph::topological_order;
use std::ops::Range;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, LocId};
use tribunal_history::verdict::{Axiom, Limit, ModificationOrder, Refutation, Violation};

/// The bytes that chains, observable accesses and the orders of the writes take.
const BYTES_PER_EVENT: usize = 56;
const BYTES_PER_LOCATION: usize = 64;
/// The bytes that an observer takes for each run of accesses.
const BYTES_PER_RUN: usize = 8;

/// The number of groups that the locations are put into, each to be ordered on its own.
const GROUPS: usize = 64;

/// The bytes that a constraint takes, and an arc that is made of it when the writes are ordered.
const BYTES_PER_ARC: usize = size_of::<Arc>() + 4;

/// A constraint between two chains: mo puts the first before the second.
type Arc = (u32, u32);

/// An mo that satisfies write coherence, read coherence, atomicity and the final values, or why there is none.
///
/// O(n·k) time; the memory of [`Chains`] and [`Observable`](super::observer::Observable), and 8 bytes a constraint, of which there are at most k an
/// access.
pub(crate) fn order_writes(
    x: &Execution,
    hb: &HappensBefore,
    chains: Result<Chains, SharedSource>,
    limits: &Limits<'_>,
) -> Result<Result<ModificationOrder, Violation>, Limit> {
    let meter = Meter::new(limits);
    meter.take(hb.bytes() + BYTES_PER_EVENT * x.len() + BYTES_PER_LOCATION * x.location_count())?;
    let chains = match chains {
        Ok(chains) => chains,
        Err(SharedSource { write, rmws }) => {
            let refutation = Refutation::SharedSource { write, rmws };
            return Ok(Err(Violation { axiom: Axiom::Atomicity, refutation }));
        }
    };
    let accesses = Accesses::new(x, &chains, hb.pasts.as_ref(), |e| hb.observable(x, e));
    let coherence = Coherence { x, hb, chains, accesses };
    Ok(coherence.order(&meter)?.map_err(|group| coherence.explain(group)))
}

/// An execution with all that its constraints are found from.
pub(super) struct Coherence<'a> {
    pub(super) x: &'a Execution,
    pub(super) hb: &'a HappensBefore,
    pub(super) chains: Chains,
    pub(super) accesses: Accesses,
}

/// The demands of an observer, or of the given final values: for each group of locations, its constraints.
struct Demands {
    groups: Vec<Vec<Arc>>,
    /// The bytes of the constraints that have been counted.
    counted: usize,
    /// A group in which some write must come before an earlier one of its own chain.
    contradiction: Option<u32>,
}

impl Coherence<'_> {
    /// An mo, or a group of locations of which one has none.
    fn order(&self, meter: &Meter<'_>) -> Result<Result<ModificationOrder, Range<u32>>, Limit> {
        let groups = self.group_locations();
        let mut group_of = vec![0u32; self.x.location_count()];
        for (id, group) in (0..).zip(&groups) {
            group_of[group.start as usize..group.end as usize].fill(id);
        }
        let mut demands = self.observe(&group_of, groups.len(), meter)?;
        demands.push(self.final_demands(&group_of, groups.len()));
        demands.last_mut().map_or(Ok(()), |demands| demands.count(meter))?;
        if let Some(id) = demands.iter().filter_map(|demands| demands.contradiction).min() {
            return Ok(Err(groups[id as usize].clone()));
        }
        let ids: Vec<usize> = (0..groups.len()).collect();
        let orders = parallel::map(self.x, &ids, |&id| {
            meter.check()?;
            let constraints: Vec<&[Arc]> = demands.iter().map(|demands| &demands.groups[id][..]).collect();
            Ok(self.order_group(groups[id].clone(), &constraints))
        });
        let mut mo = ModificationOrder::new();
        for (group, order) in groups.iter().zip(orders) {
            let Some(order) = order? else { return Ok(Err(group.clone())) };
            let mut order = order.into_iter();
            for loc in group.clone().map(LocId) {
                mo.push_location(order.by_ref().take(self.chains.write_count(loc)));
            }
        }
        Ok(Ok(mo))
    }

    /// The demands of the threads.
    fn observe(&self, group_of: &[u32], groups: usize, meter: &Meter<'_>) -> Result<Vec<Demands>, Limit> {
        let x = self.x;
        match self.sight() {
            Sight::Clocks(observable, clocks) => {
                let scene = Scene { x, chains: &self.chains, observable, clocks };
                let observer =
                    BYTES_PER_RUN * observable.run_count() + BYTES_PER_LOCATION * x.location_count();
                let at_once = parallel::states_at_once(x, observable.run_count());
                meter.take(observer.saturating_mul(at_once))?;
                let new = |thread| {
                    // About two constraints an event is usual; what is not needed is never touched.
                    let room = 2 * x.thread_events(thread).len() / groups.max(1);
                    (Observer::new(&scene, thread), Demands::new(groups, room))
                };
                let advance = |(observer, demands): &mut (Observer, Demands)| {
                    let enter = |e, loc: LocId| Some((e, self.chains.link(e).chain, group_of[loc.index()]));
                    let more =
                        observer.advance(&scene, TURN, enter, |&(e, chain, group), Observed { left, .. }| {
                            self.demand(demands, left, chain, e, group);
                        });
                    demands.count(meter).map(|()| more)
                };
                parallel::in_turns(x, observable.run_count(), new, advance, |(_, demands)| demands)
            }
            Sight::Sets(sight) => {
                let demands = parallel::map(x, &teams(x), |team| {
                    let (mut demands, mut walk) = (Demands::new(groups, 0), Walk::new(x, sight));
                    for &thread in team {
                        walk.observe(
                            thread,
                            |_| true,
                            |a, e| {
                                let group = group_of[x.locs()[e.index()].index()];
                                self.demand(
                                    &mut demands,
                                    self.chains.link(a),
                                    self.chains.link(e).chain,
                                    e,
                                    group,
                                );
                            },
                        );
                        demands.count(meter)?;
                    }
                    Ok(demands)
                });
                demands.into_iter().collect()
            }
        }
    }

    /// The constraint that the write `left` is the one that `e`, of this chain and group, looks at, or mo-before it.
    #[inline(always)]
    fn demand(&self, demands: &mut Demands, left: Link, chain: u32, e: EventId, group: u32) {
        if left.chain != chain {
            demands.groups[group as usize].push((left.chain, chain));
        } else if left.position > 0 && left.position > self.chains.link(looked_at(self.x, e)).position {
            demands.contradiction.get_or_insert(group);
        }
    }

    pub(super) fn sight(&self) -> Sight<'_> {
        self.accesses.sight(self.hb.pasts.as_ref())
    }

    /// Consecutive locations in groups with about the same number of writes.
    fn group_locations(&self) -> Vec<Range<u32>> {
        let writes: usize = self.x.locations().map(|loc| self.chains.write_count(loc)).sum();
        let mut groups = Vec::new();
        let (mut start, mut size) = (0, 0);
        for loc in self.x.locations() {
            size += self.chains.write_count(loc);
            if size > writes / GROUPS {
                groups.push(start..loc.0 + 1);
                (start, size) = (loc.0 + 1, 0);
            }
        }
        if (start as usize) < self.x.location_count() {
            groups.push(start..self.x.location_count() as u32);
        }
        groups
    }

    fn final_demands(&self, group_of: &[u32], groups: usize) -> Demands {
        let mut demands = Demands::new(groups, 0);
        for &(loc, write) in self.x.finals() {
            let Link { chain, position } = self.chains.link(write);
            let others = self.chains.of(loc).filter(|&other| other != chain);
            demands.groups[group_of[loc.index()] as usize].extend(others.map(|other| (other, chain)));
            if position < self.chains.link(self.chains.ends(chain)[1]).position {
                demands.contradiction.get_or_insert(group_of[loc.index()]);
            }
        }
        demands
    }

    /// The writes of a group of locations, location by location in an order that satisfies every constraint.
    fn order_group(&self, group: Range<u32>, constraints: &[&[Arc]]) -> Option<Vec<EventId>> {
        let first = self.chains.of(LocId(group.start)).start;
        let nodes = self.chains.of(LocId(group.end - 1)).end - first;
        let order = topological_order(first, nodes as usize, constraints)?;
        let mut fill = Vec::with_capacity(group.len());
        let mut size = 0;
        for loc in group.clone().map(LocId) {
            fill.push(size);
            size += self.chains.write_count(loc);
        }
        let mut writes = vec![EventId(0); size];
        for chain in order {
            let loc = match group.len() {
                1 => 0,
                _ => self.x.loc(self.chains.ends(chain)[0]).expect("a write").0 - group.start,
            };
            let slot = &mut fill[loc as usize];
            for write in self.chains.writes(chain) {
                writes[*slot] = write;
                *slot += 1;
            }
        }
        Some(writes)
    }
}

impl Demands {
    fn new(groups: usize, room: usize) -> Self {
        let groups = (0..groups).map(|_| Vec::with_capacity(room)).collect();
        Demands { groups, counted: 0, contradiction: None }
    }

    /// Counts what has been added, with what it takes to order it; also looks at the time.
    fn count(&mut self, meter: &Meter<'_>) -> Result<(), Limit> {
        let bytes = self.groups.iter().map(|group| group.capacity() * BYTES_PER_ARC).sum();
        let added = bytes - std::mem::replace(&mut self.counted, bytes);
        meter.check().and(meter.take(added))
    }
}

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
use super::digraph::topological_order;
use super::happens_before::HappensBefore;
use super::observer::{Observable, Observed, Observer, Scene, TURN};
use super::parallel;
use crate::limits::Limits;
use crate::memory::{EventId, Execution, LocId};
use crate::verdict::{Axiom, Limit, ModificationOrder, Refutation, Violation};
use std::ops::Range;

/// How many groups the locations are put into, each to be ordered on its own.
const GROUPS: usize = 64;

/// A constraint between two chains: mo puts the first before the second.
type Arc = (u32, u32);

/// An mo that satisfies write coherence, read coherence, atomicity and the final values, or why there is none.
///
/// O(n·k) time; the memory of [`Chains`] and [`Observable`], and 8 bytes a constraint, of which there are at most k an
/// access.
pub(crate) fn order_writes(
    x: &Execution,
    hb: &HappensBefore,
    limits: &Limits<'_>,
) -> Result<Result<ModificationOrder, Violation>, Limit> {
    let chains = match Chains::new(x) {
        Ok(chains) => chains,
        Err(SharedSource { write, rmws }) => {
            let refutation = Refutation::SharedSource { write, rmws };
            return Ok(Err(Violation { axiom: Axiom::Atomicity, refutation }));
        }
    };
    let observable = Observable::new(x, &chains, |e| hb.observable(x, e));
    let coherence = Coherence { x, hb, chains, observable };
    Ok(coherence.order(limits)?.map_err(|group| coherence.explain(group)))
}

/// An execution with all that its constraints are found from.
pub(super) struct Coherence<'a> {
    pub(super) x: &'a Execution,
    pub(super) hb: &'a HappensBefore,
    pub(super) chains: Chains,
    pub(super) observable: Observable,
}

/// What an observer, or the given final values, demand: for each group of locations, its constraints.
struct Demands {
    groups: Vec<Vec<Arc>>,
    /// A group in which some write must come before an earlier one of its own chain.
    contradiction: Option<u32>,
}

impl Coherence<'_> {
    /// An mo, or a group of locations of which one has none.
    fn order(&self, limits: &Limits<'_>) -> Result<Result<ModificationOrder, Range<u32>>, Limit> {
        let groups = self.group_locations();
        let mut group_of = vec![0u32; self.x.location_count()];
        for (id, group) in (0..).zip(&groups) {
            group_of[group.start as usize..group.end as usize].fill(id);
        }
        let mut demands = self.observe(&group_of, groups.len(), limits)?;
        demands.push(self.final_demands(&group_of, groups.len()));
        if let Some(id) = demands.iter().filter_map(|demands| demands.contradiction).min() {
            return Ok(Err(groups[id as usize].clone()));
        }
        let ids: Vec<usize> = (0..groups.len()).collect();
        let orders = parallel::map(self.x, &ids, |&id| {
            limits.check(0)?;
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

    /// What each thread demands.
    fn observe(&self, group_of: &[u32], groups: usize, limits: &Limits<'_>) -> Result<Vec<Demands>, Limit> {
        let (x, scene) = (self.x, self.scene());
        let new = |thread| {
            // About two constraints an event is usual; what is not needed is never touched.
            let room = 2 * x.thread_events(thread).len() / groups.max(1);
            (Observer::new(&scene, thread), Demands::new(groups, room))
        };
        let observers = parallel::in_turns(x, self.observable.run_count(), new, |(observer, demands)| {
            limits.check(0)?;
            let Demands { groups, contradiction } = demands;
            let enter = |e, loc: LocId| Some((e, self.chains.link(e).chain, group_of[loc.index()]));
            Ok(observer.advance(&scene, TURN, enter, |&(e, chain, group), Observed { left, .. }| {
                if left.chain != chain {
                    groups[group as usize].push((left.chain, chain));
                } else if left.position > 0 {
                    let looked_at = self.chains.link(looked_at(x, e));
                    if left.position > looked_at.position {
                        contradiction.get_or_insert(group);
                    }
                }
            }))
        })?;
        Ok(observers.into_iter().map(|(_, demands)| demands).collect())
    }

    pub(super) fn scene(&self) -> Scene<'_> {
        let Coherence { x, hb, chains, observable } = self;
        Scene { x, chains, observable, clocks: hb.clocks.as_ref() }
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
        Demands { groups: (0..groups).map(|_| Vec::with_capacity(room)).collect(), contradiction: None }
    }
}

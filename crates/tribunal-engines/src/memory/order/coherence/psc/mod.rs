//! The constraints that acyclic(psc) puts on mo, as a graph for [saturation](crate::memory::order::views::saturation).
//!
//! psc relates seq_cst events, and mo and fr come into it by writes that need not be seq_cst. So the graph has
//! - a node for each seq_cst event, the *line* of its thread;
//! - a node M(w) for each write w, *at or behind w in mo*: it leads to w if that is seq_cst, to the fences that w happens
//!   before, and by mo to the writes behind w;
//! - for each seq_cst access, and for accesses that happen after a seq_cst fence, a read of the write that it leaves: it comes
//!   before M(w') of each write w' that mo puts behind that write, as fr does.
//!
//! Every edge of psc is a path of this graph, and every path between seq_cst events is one of psc⁺: psc is acyclic if and only if
//! the graph is, with its edges of mo and fr. There are no edges of rf, since psc has none but in eco. That one ends in
//! rf only between fences: so there is a second copy of the writes, M'(w), for what fences come before, with M'(w) before
//! M(w), and before the fences that a read of w happens before. mo is the same in both copies. Without the copy, as
//! [`Copies::One`], the graph asks for more than psc does: an mo that it has will do, and where it has none nothing is known.
//!
//! The events of the graph make up an execution of their own, so that engines for memory orders can be put to work on it. Edges that
//! follow from others are left out: there are O(n·k) edges for n events of k threads, mostly a few an event.

mod build;

use super::chains::{Chains, Link, looked_at};
use super::observer::{Sight, observe_all};
use crate::limits::{Bounded, Meter};
use crate::memory::order::past::clocks::Clocks;
use crate::memory::order::past::happens_before::HappensBefore;
use crate::memory::order::views::base::Line;
use crate::memory::order::views::known_writes::{Entry, KnownWrites};
use crate::memory::order::views::saturation::{Lines, Reason, ViewSaturation};
use crate::reach::graph::{Graph, Node};
use std::rc::Rc;
use tribunal_history::heap::held;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, LocId, Order, ThreadId};
use tribunal_history::verdict::{Limit, ModificationOrder};

/// No event, or no node.
const NONE: u32 = u32::MAX;

/// The po pairs that may begin and end a path of happens-before between two seq_cst accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Far {
    /// All (rc20).
    Po,
    /// All but those between accesses of one location (rc11).
    OtherLocation,
}

/// Whether what fences come before has writes of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copies {
    One,
    Two,
}

/// The role of an event of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A seq_cst event.
    Line,
    /// M(w).
    Write,
    /// M'(w).
    Copy,
    /// An access that happens after a fence.
    Seen,
}

/// The meaning of a node of the graph that is not an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beside {
    /// What happens after some fences: from this event of a thread on.
    Known(EventId),
    /// All writes of a location but the initial one, and those that directly follow it.
    Overwriting(LocId),
}

/// The history that psc is asked of.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub x: &'a Execution,
    pub far: Far,
    pub hb: &'a HappensBefore,
    pub clocks: &'a Clocks,
    pub chains: &'a Chains,
    /// Constraints between chains: what coherence and final values ask of mo.
    pub arcs: &'a [(u32, u32)],
}

/// The graph.
pub(crate) struct Psc {
    /// Its events: seq_cst ones are on lines.
    pub events: Execution,
    pub roles: Vec<Role>,
    /// The event of the history that each event stands for.
    pub origins: Vec<EventId>,
    pub beside: Vec<Beside>,
    edges: Vec<(Node, Node)>,
    /// The entries of lines, which tell of writes.
    entries: Vec<Entry>,
    /// The other copy of each write, if there are two.
    twins: Rc<[u32]>,
    /// Whether two copies tell more than one.
    pub observed: bool,
}

impl Scene<'_> {
    fn is_sc(&self, e: EventId) -> bool {
        self.x.label(e).order() == Order::SeqCst
    }

    /// The number of events of a thread that happen before an event: of its own thread those before it.
    #[inline]
    pub(crate) fn known(&self, e: EventId, own: ThreadId, thread: ThreadId) -> u32 {
        match own == thread {
            true => e.0 - self.x.thread_events(own).start,
            false => self.clocks.known(e, thread),
        }
    }

    /// Whether an event is no access of this location. One that was left out is nowhere.
    fn is_elsewhere(&self, e: EventId, loc: Option<LocId>) -> bool {
        !self.x.label(e).does_nothing() && (loc.is_none() || self.x.loc(e) != loc)
    }

    /// The first event after an access in its thread such that the two are in far.
    pub(crate) fn far_after(&self, a: EventId, events: &std::ops::Range<u32>) -> Option<EventId> {
        let loc = self.x.loc(a);
        let mut later = (a.0 + 1..events.end).map(EventId);
        match self.far {
            Far::Po => later.next(),
            Far::OtherLocation => later.find(|&e| self.is_elsewhere(e, loc)),
        }
    }

    /// The last event before an access in its thread such that the two are in far.
    pub(crate) fn far_before(&self, b: EventId, events: &std::ops::Range<u32>) -> Option<EventId> {
        let loc = self.x.loc(b);
        let mut earlier = (events.start..b.0).rev().map(EventId);
        match self.far {
            Far::Po => earlier.next(),
            Far::OtherLocation => earlier.find(|&e| self.is_elsewhere(e, loc)),
        }
    }

    /// Whether a seq_cst access comes before a seq_cst fence of another thread in psc, mo aside: by po or by an access of its
    /// location in between.
    pub(crate) fn access_before_fence(&self, a: EventId, fence: EventId) -> Option<EventId> {
        let (x, loc) = (self.x, self.x.loc(a));
        let (of_a, of_fence) = (x.thread_of(a)?, x.thread_of(fence)?);
        let after = EventId(a.0 + 1);
        if x.thread_events(of_a).contains(&after.0) && self.hb.before(x, after, fence) {
            return Some(after);
        }
        let index = a.0 - x.thread_events(of_a).start;
        x.threads().filter(|&thread| thread != of_a).find_map(|thread| {
            let events = x.thread_events(thread);
            let known = events.start + self.known(fence, of_fence, thread);
            (events.start..known)
                .rev()
                .map(EventId)
                .take_while(|&y| self.clocks.known(y, of_a) > index)
                .find(|&y| x.loc(y) == loc)
        })
    }
}

impl Psc {
    /// The graph, in an order close to a memory order, or a cycle of its edges. To be asked for once.
    pub(crate) fn graph(&mut self, limits: &Limits<'_>) -> Result<Result<Graph<Reason>, Vec<Node>>, Limit> {
        let nodes = self.events.len() + self.beside.len();
        ViewSaturation::graph(&self.events, nodes, std::mem::take(&mut self.edges), limits)
    }

    /// The bytes that it takes beside the edges of the graph.
    pub(crate) fn bytes(&self) -> usize {
        self.events.bytes()
            + held(&[&self.roles, &self.origins, &self.beside, &self.entries])
            + size_of_val(&*self.twins)
    }

    /// The bytes that its lines will take.
    pub(crate) fn lines_bytes(&self) -> usize {
        32 * self.entries.len() + 8 * self.events.location_count()
    }

    /// Its lines.
    pub(crate) fn lines(&self) -> Lines {
        Lines {
            line: Line::SeqCst,
            barriers: Vec::new(),
            hazards: false,
            readers_in_order: false,
            known_writes: Some(KnownWrites::of_entries(&self.events, &self.entries)),
            twins: Rc::clone(&self.twins),
        }
    }

    /// The mo of the history that an order of the graph's writes is.
    pub(crate) fn of_history(&self, x: &Execution, writes: &[EventId]) -> ModificationOrder {
        let first = writes.iter().filter(|write| self.roles[write.index()] == Role::Write);
        let writes: Vec<EventId> = first.map(|write| self.origins[write.index()]).collect();
        ModificationOrder::in_line(x, &writes)
    }
}

/// The constraints between chains that coherence and the final values ask for, few of them twice; none if some write must come
/// before an earlier one of its own chain, or before the initial one.
pub(crate) fn arcs(
    x: &Execution,
    chains: &Chains,
    sight: Sight<'_>,
    limits: &Limits<'_>,
) -> Result<Option<Vec<(u32, u32)>>, Limit> {
    let meter = Meter::new(limits);
    meter.take(4 * chains.count())?;
    let mut arcs = Bounded::new(&meter);
    let mut contradiction = false;
    // The last one into each chain.
    let mut last = vec![NONE; chains.count()];
    let mut add = |tail: u32, head: u32| {
        if std::mem::replace(&mut last[head as usize], tail) != tail {
            arcs.push((tail, head));
        }
        x.is_init(chains.ends(head)[0])
    };
    let observe = |a, e| {
        let (left, head) = (chains.link(a), chains.link(e).chain);
        if left.chain != head {
            contradiction |= add(left.chain, head);
        } else if left.position > 0 {
            contradiction |= left.position > chains.link(looked_at(x, e)).position;
        }
    };
    observe_all(x, chains, sight, |_| true, observe);
    for &(loc, write) in x.finals() {
        let Link { chain: head, position } = chains.link(write);
        for tail in chains.of(loc).filter(|&tail| tail != head) {
            contradiction |= add(tail, head);
        }
        contradiction |= position < chains.link(chains.ends(head)[1]).position;
    }
    let arcs = arcs.into_items()?;
    Ok((!contradiction).then_some(arcs))
}

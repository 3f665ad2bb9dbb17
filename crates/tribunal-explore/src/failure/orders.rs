//! A program with changed memory orders.

use crate::graph::Graph;
use crate::program::{Action, Answer, Place, Program, Request};
use crate::report::Problem;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use tribunal::Limits;
use tribunal::memory::{LocId, Order, ThreadId};

/// What kind of operation an order is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A load.
    Load,
    /// A store.
    Store,
    /// A read-modify-write.
    Rmw,
    /// A compare-exchange that fails.
    Failure,
    /// A fence.
    Fence,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Load => "load",
            Kind::Store => "store",
            Kind::Rmw => "read-modify-write",
            Kind::Failure => "failing compare-exchange",
            Kind::Fence => "fence",
        })
    }
}

impl Kind {
    /// The orders that are stronger than one, weaker ones first.
    pub(super) fn stronger(self, order: Order) -> &'static [Order] {
        use Order::{AcqRel, Acquire, Relaxed, Release, SeqCst};
        match (self, order) {
            (_, Order::NonAtomic | SeqCst) => &[],
            (Kind::Load | Kind::Failure, Relaxed) => &[Acquire, SeqCst],
            (Kind::Store, Relaxed) => &[Release, SeqCst],
            (Kind::Rmw, Relaxed) => &[Acquire, Release, AcqRel, SeqCst],
            (Kind::Rmw | Kind::Fence, Acquire | Release) => &[AcqRel, SeqCst],
            _ => &[SeqCst],
        }
    }
}

/// An operation of the source.
pub type Site = (Place, Kind);

/// The orders that operations are given.
pub(super) type Table = BTreeMap<Site, Order>;

/// A program whose operations have the orders of a table.
pub(super) struct Reordered<P> {
    program: P,
    table: Arc<Table>,
    /// The operations met, with the orders that they are written with.
    pub(super) met: Table,
    /// Locations of locks, whose orders are not the user's.
    locks: FxHashSet<LocId>,
}

impl<P> Reordered<P> {
    pub(super) fn new(program: P, table: Arc<Table>) -> Self {
        Reordered { program, table, met: Table::new(), locks: FxHashSet::default() }
    }

    fn give(&mut self, site: Site, order: &mut Order) {
        if site.0.line == 0 || *order == Order::NonAtomic {
            return;
        }
        // One place may be many operations, of a loop or a macro: the weakest is what is written.
        let written = self.met.entry(site).or_insert(*order);
        *written = weaker(*written, *order);
        if let Some(&given) = self.table.get(&site) {
            *order = join(*order, given);
        }
    }
}

/// How much an order asks for.
pub(super) fn strength(order: Order) -> u32 {
    match order {
        Order::NonAtomic | Order::Relaxed => 0,
        Order::Acquire | Order::Release => 1,
        Order::AcqRel => 2,
        Order::SeqCst => 4,
    }
}

/// The one that asks for less.
pub(super) fn weaker(a: Order, b: Order) -> Order {
    if strength(b) < strength(a) { b } else { a }
}

/// The weakest order that is as strong as both.
pub(super) fn join(a: Order, b: Order) -> Order {
    match (a, b) {
        (Order::Acquire, Order::Release) | (Order::Release, Order::Acquire) => Order::AcqRel,
        _ if strength(b) > strength(a) => b,
        _ => a,
    }
}

impl<P: Program> Program for Reordered<P> {
    fn start(&mut self) {
        self.locks.clear();
        self.program.start();
    }

    fn resume(&mut self, thread: ThreadId, answer: Answer, fresh: LocId) -> Request {
        let mut request = self.program.resume(thread, answer, fresh);
        let place = request.place;
        // Of Rust code, what waits is a lock or the like; a program as text waits for what it likes.
        let text = place.file.is_empty();
        match &mut request.action {
            Action::Load { order, .. } => self.give((place, Kind::Load), order),
            Action::Store { loc, order, .. } if !self.locks.contains(loc) => {
                self.give((place, Kind::Store), order);
            }
            Action::Rmw { loc, order, failure, .. } if !self.locks.contains(loc) => {
                self.give((place, Kind::Rmw), order);
                self.give((place, Kind::Failure), failure);
            }
            Action::Fence { order } => self.give((place, Kind::Fence), order),
            Action::Await { order, .. } if text => self.give((place, Kind::Load), order),
            Action::AwaitRmw { order, .. } if text => self.give((place, Kind::Rmw), order),
            Action::AwaitRmw { loc, .. } => _ = self.locks.insert(*loc),
            _ => {}
        }
        request
    }

    fn keep_to(&mut self, limits: Limits<'static>) {
        self.program.keep_to(limits);
    }

    fn spawn(&mut self, parent: ThreadId, child: ThreadId) {
        self.program.spawn(parent, child);
    }

    fn made(&self, loc: LocId) -> Option<(ThreadId, u32)> {
        self.program.made(loc)
    }

    fn initial(&self, loc: LocId) -> u64 {
        self.program.initial(loc)
    }

    fn finish(&mut self, graph: &Graph) -> Result<(), Problem> {
        self.program.finish(graph)
    }

    fn handles(&self, loc: LocId) -> u32 {
        self.program.handles(loc)
    }

    fn thread_name(&self, thread: ThreadId) -> Option<String> {
        self.program.thread_name(thread)
    }

    fn location_name(&self, loc: LocId) -> Option<String> {
        self.program.location_name(loc)
    }
}

//! A program with changed memory orders and with additional fences.

use crate::graph::Graph;
use crate::program::{Action, Answer, Place, Program, Request};
use crate::report::Problem;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{LocId, Order, ThreadId};

/// The kind of operation that an order is of.
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
    /// A fence that is not there, behind the operation at the place.
    NewFence,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Load => "load",
            Kind::Store => "store",
            Kind::Rmw => "read-modify-write",
            Kind::Failure => "failing compare-exchange",
            Kind::Fence => "fence",
            Kind::NewFence => "new fence",
        })
    }
}

impl Kind {
    /// The orders that are stronger than one, weaker ones first.
    pub(super) fn stronger(self, order: Order) -> &'static [Order] {
        use Order::{AcqRel, Acquire, Relaxed, Release, SeqCst};
        match (self, order) {
            (Kind::NewFence, _) => &[Acquire, Release, SeqCst],
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

/// The orders that operations are given, and those of new fences.
pub(super) type Table = BTreeMap<Site, Order>;

/// A program whose operations have the orders of a table.
pub(super) struct Reordered<P> {
    program: P,
    table: Arc<Table>,
    /// The operations met, with the orders that they are written with.
    pub(super) met: Table,
    /// By thread.
    threads: Vec<Fenced>,
}

/// A thread and its new fences.
#[derive(Default)]
struct Fenced {
    /// The fence that comes next, with its place.
    next: Option<(Order, Place)>,
    /// The answer to the operation before it.
    answer: Option<Answer>,
    /// The number of events that the program knows of.
    events: u32,
    /// After how many of them there are new fences.
    fences: Vec<u32>,
}

impl<P> Reordered<P> {
    pub(super) fn new(program: P, table: Arc<Table>) -> Self {
        Reordered { program, table, met: Table::new(), threads: Vec::new() }
    }

    fn thread(&mut self, thread: ThreadId) -> &mut Fenced {
        if self.threads.len() <= thread.index() {
            self.threads.resize_with(thread.index() + 1, Fenced::default);
        }
        &mut self.threads[thread.index()]
    }

    fn give(&mut self, site: Site, order: &mut Order) {
        if !site.0.is_known() || *order == Order::NonAtomic {
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

/// The strength of an order.
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

/// Whether a fence may be put behind an operation.
fn takes_fence(action: &Action) -> bool {
    matches!(action, Action::Load { .. } | Action::Store { .. } | Action::Rmw { .. })
}

impl<P: Program> Program for Reordered<P> {
    fn start(&mut self) {
        self.threads.clear();
        self.program.start();
    }

    fn resume(&mut self, thread: ThreadId, answer: Answer, fresh: LocId) -> Request {
        let fenced = self.thread(thread);
        if let Some((order, place)) = fenced.next.take() {
            fenced.answer = Some(answer);
            fenced.fences.push(fenced.events);
            return Request { action: Action::Fence { order }, place };
        }
        let answer = fenced.answer.take().unwrap_or(answer);
        let mut request = self.program.resume(thread, answer, fresh);
        let place = request.place;
        let has_orders = request.action.loc().is_none_or(|loc| self.program.has_orders(loc));
        let kind = match &mut request.action {
            _ if !has_orders => None,
            Action::Load { order, .. } | Action::Await { order, .. } => Some((Kind::Load, order)),
            Action::Store { order, .. } => Some((Kind::Store, order)),
            Action::Rmw { order, failure, .. } => {
                self.give((place, Kind::Failure), failure);
                Some((Kind::Rmw, order))
            }
            Action::AwaitRmw { order, .. } => Some((Kind::Rmw, order)),
            Action::Fence { order } => Some((Kind::Fence, order)),
            _ => None,
        };
        if let Some((kind, order)) = kind {
            self.give((place, kind), order);
        }
        let fence = self.table.get(&(place, Kind::NewFence)).filter(|_| takes_fence(&request.action));
        let next = fence.map(|&order| (order, place));
        let fenced = self.thread(thread);
        fenced.next = next.filter(|_| has_orders);
        fenced.events += u32::from(!matches!(request.action, Action::Yield));
        request
    }

    fn keep_to(&mut self, limits: Limits<'static>) {
        self.program.keep_to(limits);
    }

    fn spawn(&mut self, parent: ThreadId, child: ThreadId) {
        self.program.spawn(parent, child);
    }

    fn made(&self, loc: LocId) -> Option<(ThreadId, u32)> {
        // Events of the program come behind new fences.
        let (thread, events) = self.program.made(loc)?;
        let fences = self.threads.get(thread.index()).map_or(&[][..], |fenced| &fenced.fences);
        Some((thread, events + fences.iter().filter(|&&after| after <= events).count() as u32))
    }

    fn initial(&self, loc: LocId) -> u64 {
        self.program.initial(loc)
    }

    fn finish(&mut self, graph: &Graph) -> Result<(), Problem> {
        self.program.finish(graph)
    }

    fn asks_what_threads_know(&self) -> bool {
        self.program.asks_what_threads_know()
    }

    fn told(&mut self, thread: ThreadId, known: Option<&[u32]>) {
        // The program does not know of new fences.
        let without_fences = |(by, &known): (usize, &u32)| {
            let fences = self.threads.get(by).map_or(&[][..], |fenced| &fenced.fences);
            let before = fences.iter().zip(0..).take_while(|&(&after, number)| after + number < known);
            known - before.count() as u32
        };
        let known: Option<Vec<u32>> =
            known.map(|known| known.iter().enumerate().map(without_fences).collect());
        self.program.told(thread, known.as_deref());
    }

    fn may_be_left(&self, thread: ThreadId) -> bool {
        self.program.may_be_left(thread)
    }

    fn handles(&self, loc: LocId) -> u32 {
        self.program.handles(loc)
    }

    fn is_lock(&self, loc: LocId) -> bool {
        self.program.is_lock(loc)
    }

    fn explores(&self) -> bool {
        self.program.explores()
    }

    fn has_orders(&self, loc: LocId) -> bool {
        self.program.has_orders(loc)
    }

    fn thread_name(&self, thread: ThreadId) -> Option<String> {
        self.program.thread_name(thread)
    }

    fn location_name(&self, loc: LocId) -> Option<String> {
        self.program.location_name(loc)
    }
}

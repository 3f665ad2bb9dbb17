//! The clients: their number, and their operations.

use crate::mix::Mix;
use crate::{Bug, Machine, Step};
use tribunal_history::memory::{Kind, LocId, Op, Order, ThreadId};
use tribunal_random::{Xoshiro, scale};

/// Random clients of a simulated memory. In each step, a random thread performs an access or a fence.
///
/// ```
/// use tribunal_machines::Clients;
/// let clients = Clients { threads: 2, events: 100, rmws: 0.0, seed: 7, ..Clients::default() };
/// assert_eq!(clients.locations, 16);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Clients {
    /// Number of threads.
    pub threads: u32,
    /// Total number of events, fences included.
    pub events: u64,
    /// Number of locations.
    pub locations: u32,
    /// Share of the accesses that are writes (not RMWs).
    pub writes: f64,
    /// Share of the accesses that are RMWs; the rest are reads.
    pub rmws: f64,
    /// Share of the events that are fences.
    pub fences: f64,
    /// Share of the accesses that depend on their thread's last read; only for the rmo machine.
    pub deps: f64,
    /// Share of the accesses that go to the location their thread accessed last or to the next one; the others go anywhere.
    pub locality: f64,
    /// The orders of accesses and fences.
    pub orders: Mix,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Default for Clients {
    /// 8 threads, 1000 events, 16 locations; 35 % writes, 10 % RMWs, 2 % fences; no locality; mixed orders; seed 0.
    fn default() -> Self {
        Clients {
            threads: 8,
            events: 1000,
            locations: 16,
            writes: 0.35,
            rmws: 0.1,
            fences: 0.02,
            deps: 0.1,
            locality: 0.0,
            orders: Mix::default(),
            seed: 0,
        }
    }
}

/// The reason why clients cannot run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InvalidClients {
    /// There must be a thread.
    #[error("clients need at least one thread")]
    NoThreads,
    /// There must be a location.
    #[error("clients need at least one location")]
    NoLocations,
    /// A share is not a number from 0 to 1.
    #[error("the share of {what} is {share}, expected a number from 0 to 1")]
    Share {
        /// Writes, RMWs, fences, dependencies or local accesses.
        what: &'static str,
        /// The share given.
        share: f64,
    },
    /// A bug needs caches that can have it.
    #[error("caches of the {machine} machine cannot have {bug}")]
    Bug {
        /// The machine.
        machine: Machine,
        /// The bug.
        bug: Bug,
    },
    /// An access is one thing only.
    #[error("the shares of writes ({writes}) and of RMWs ({rmws}) add up to more than 1")]
    SharesExceedOne {
        /// Share of writes.
        writes: f64,
        /// Share of RMWs.
        rmws: f64,
    },
    /// The memory's state would be too large.
    #[error(
        "the {machine} machine would take {bytes} bytes for this many threads and locations, the limit is {limit}"
    )]
    TooLarge {
        /// The memory.
        machine: Machine,
        /// The bytes that it would take.
        bytes: u64,
        /// The bytes that it may take.
        limit: u64,
    },
    /// An execution counts its events with 32 bits.
    #[error("{events} events do not fit in one execution")]
    TooManyEvents {
        /// The number of events asked for.
        events: u64,
    },
}

impl Clients {
    /// Says what is wrong with the numbers, whatever the memory.
    pub(crate) fn validate(&self) -> Result<(), InvalidClients> {
        if self.threads == 0 {
            return Err(InvalidClients::NoThreads);
        }
        if self.locations == 0 {
            return Err(InvalidClients::NoLocations);
        }
        let shares = [
            ("writes", self.writes),
            ("RMWs", self.rmws),
            ("fences", self.fences),
            ("dependencies", self.deps),
            ("local accesses", self.locality),
        ];
        for (what, share) in shares {
            if !(0.0..=1.0).contains(&share) {
                return Err(InvalidClients::Share { what, share });
            }
        }
        // 0.7 + 0.3 may exceed 1 by a rounding error.
        if self.writes + self.rmws > 1.0 + 1e-9 {
            return Err(InvalidClients::SharesExceedOne { writes: self.writes, rmws: self.rmws });
        }
        Ok(())
    }
}

/// The next access of a client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) thread: ThreadId,
    pub(crate) kind: Kind,
    pub(crate) order: Order,
    pub(crate) loc: LocId,
    /// Whether it depends on what its thread read last.
    pub(crate) depends: bool,
}

impl Request {
    /// The request once it is done: what it wrote, if it writes, and what its location held before.
    pub(crate) fn done(self, value: u64, read: u64, depends: Option<u32>) -> Step {
        let Request { thread, kind, order, loc, .. } = self;
        let op = match kind {
            Kind::Read => Op::read(loc, read),
            Kind::Write => Op::write(loc, value),
            Kind::Rmw => Op::rmw(loc, read, value),
            Kind::Fence => Op::fence(order),
        };
        Step { thread, op: op.order(order), depends }
    }
}

/// The clients' choices, one request after the other.
#[derive(Clone, Debug)]
pub(crate) struct Requests {
    threads: u64,
    locations: u64,
    /// Of 2^32 draws, how many are below a fence's share; a fence's or a write's; a fence's, a write's or an RMW's.
    fence_below: u64,
    write_below: u64,
    rmw_below: u64,
    /// Likewise: of accesses those that depend, and those that are local.
    depends_below: u64,
    local_below: u64,
    /// The location that each thread accessed last.
    latest: Vec<LocId>,
    orders: Mix,
    fence_orders: Mix,
}

impl Requests {
    pub(crate) fn new(clients: &Clients, machine: Machine) -> Self {
        let below = |share: f64| (share * 4_294_967_296.0) as u64;
        let accesses = 1.0 - clients.fences;
        Requests {
            threads: u64::from(clients.threads),
            locations: u64::from(clients.locations),
            fence_below: below(clients.fences),
            write_below: below(clients.fences + accesses * clients.writes),
            rmw_below: below(clients.fences + accesses * (clients.writes + clients.rmws)),
            depends_below: if machine == Machine::Rmo { below(clients.deps) } else { 0 },
            local_below: below(clients.locality),
            latest: vec![LocId(0); clients.threads as usize],
            orders: clients.orders,
            fence_orders: clients.orders.for_fences(machine.usual_fence()),
        }
    }

    #[inline]
    pub(crate) fn draw(&mut self, rng: &mut Xoshiro) -> Request {
        let (thread, kind) = rng.pair();
        let (loc, order) = rng.pair();
        let kind = match u64::from(kind) {
            roll if roll < self.fence_below => Kind::Fence,
            roll if roll < self.write_below => Kind::Write,
            roll if roll < self.rmw_below => Kind::Rmw,
            _ => Kind::Read,
        };
        let order = match kind {
            Kind::Fence => self.fence_orders.pick(order),
            Kind::Rmw => atomic_part(self.orders.pick(order)),
            Kind::Read => acquire_part(self.orders.pick(order)),
            Kind::Write => release_part(self.orders.pick(order)),
        };
        let thread = ThreadId(scale(thread, self.threads) as u32);
        let mut loc = LocId(scale(loc, self.locations) as u32);
        let mut depends = false;
        // What no client asks for draws no numbers, so that a seed means what it always meant.
        if self.local_below > 0 {
            let latest = &mut self.latest[thread.index()];
            let (local, next) = rng.pair();
            if u64::from(local) < self.local_below {
                loc = LocId(((u64::from(latest.0) + u64::from(next & 1)) % self.locations) as u32);
            }
            *latest = loc;
        }
        if self.depends_below > 0 {
            depends = rng.bits() >> 32 < self.depends_below;
        }
        Request { thread, kind, order, loc, depends }
    }
}

/// The part of an order that an RMW can have.
fn atomic_part(order: Order) -> Order {
    if order.is_atomic() { order } else { Order::Relaxed }
}

/// The part of an order that a read can have.
fn acquire_part(order: Order) -> Order {
    match order {
        Order::AcqRel => Order::Acquire,
        Order::Release => Order::Relaxed,
        order => order,
    }
}

/// The part of an order that a write can have.
fn release_part(order: Order) -> Order {
    match order {
        Order::AcqRel => Order::Release,
        Order::Acquire => Order::Relaxed,
        order => order,
    }
}

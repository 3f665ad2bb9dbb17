//! Running clients on a memory, step by step.

use crate::atomic::AtomicMemory;
use crate::caches::{Caches, Interconnect};
use crate::clients::{Request, Requests};
use crate::memory::Memory;
use crate::out_of_order::OutOfOrder;
use crate::store_buffers::{Discipline, StoreBuffers};
use crate::view::ViewMemory;
use crate::{Clients, InvalidClients, Machine};
use std::iter::FusedIterator;
use tribunal_history::memory::{Kind, Op, ThreadId};
use tribunal_random::Xoshiro;

/// Most bytes that a memory's state may take.
const MAX_STATE: u64 = 1 << 30;

/// A step of a thread. Steps of one thread come in program order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The thread.
    pub thread: ThreadId,
    /// The operation, with the value that it read.
    pub op: Op,
    /// The index of the read of its thread that it depends on, if it does.
    pub depends: Option<u32>,
}

/// Clients running on a memory: an iterator over their steps, made by [`run`].
///
/// Its memory is that of the machine's state, however many steps there are.
#[derive(Clone, Debug)]
pub struct Run {
    state: State,
    requests: Requests,
    /// Per location, the last value that was given to a write.
    written: Vec<u64>,
    rng: Xoshiro,
    left: u64,
}

#[derive(Clone, Debug)]
enum State {
    Atomic(AtomicMemory),
    Buffered(StoreBuffers),
    View(ViewMemory),
    Caches(Caches),
    OutOfOrder(OutOfOrder),
}

/// Runs clients on a machine.
///
/// The n-th write or RMW of a location writes n, so each value identifies its write; 0 is initial.
///
/// ```
/// use tribunal_machines::{Clients, Machine, run};
/// let clients = Clients { threads: 2, events: 100, ..Clients::default() };
/// let steps: Vec<_> = run(Machine::Tso, &clients)?.collect();
/// assert_eq!(steps.len(), 100);
/// assert!(run(Machine::Tso, &clients)?.eq(steps));
/// # Ok::<(), tribunal_machines::InvalidClients>(())
/// ```
pub fn run(machine: Machine, clients: &Clients) -> Result<Run, InvalidClients> {
    clients.validate()?;
    let &Clients { threads, locations, .. } = clients;
    if let Machine::Caches(_, Some(bug)) | Machine::Snooping(_, Some(bug)) = machine
        && !bug.is_of(machine)
    {
        return Err(InvalidClients::Bug { machine, bug });
    }
    let state = match machine {
        Machine::Atomic => 0,
        Machine::Tso | Machine::Pso => u64::from(threads) * StoreBuffers::bytes_per_thread(),
        Machine::View => ViewMemory::bytes(threads, locations),
        Machine::Caches(..) | Machine::Snooping(..) => Caches::bytes(threads, locations),
        Machine::Rmo => u64::from(threads) * OutOfOrder::bytes_per_thread(),
    };
    // Any memory has a value, and a run a counter, for each location.
    let bytes = state.saturating_add(16 * u64::from(locations));
    if bytes > MAX_STATE {
        return Err(InvalidClients::TooLarge { machine, bytes, limit: MAX_STATE });
    }
    Ok(Run {
        state: match machine {
            Machine::Atomic => State::Atomic(AtomicMemory::new(locations)),
            Machine::Tso => State::Buffered(StoreBuffers::new(Discipline::Tso, threads, locations)),
            Machine::Pso => State::Buffered(StoreBuffers::new(Discipline::Pso, threads, locations)),
            Machine::View => State::View(ViewMemory::new(threads, locations)),
            Machine::Rmo => State::OutOfOrder(OutOfOrder::new(threads, locations)),
            Machine::Caches(protocol, bug) => {
                State::Caches(Caches::new(protocol, Interconnect::Directory, bug, threads, locations))
            }
            Machine::Snooping(protocol, bug) => {
                State::Caches(Caches::new(protocol, Interconnect::Snooping, bug, threads, locations))
            }
        },
        requests: Requests::new(clients, machine),
        written: vec![0; locations as usize],
        rng: Xoshiro::new(clients.seed),
        left: clients.events,
    })
}

impl Iterator for Run {
    type Item = Step;

    #[inline]
    fn next(&mut self) -> Option<Step> {
        let Run { state, requests, written, rng, left } = self;
        // These complete accesses in another order than clients ask for them.
        match state {
            State::Caches(caches) => return caches.next(requests, left, written, rng),
            State::OutOfOrder(machine) => return machine.next(requests, left, written, rng),
            _ => {}
        }
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let request = self.requests.draw(&mut self.rng);
        let op = match &mut self.state {
            State::Atomic(memory) => perform(memory, request, &mut self.written, &mut self.rng),
            State::Buffered(memory) => {
                memory.tick(&mut self.rng);
                perform(memory, request, &mut self.written, &mut self.rng)
            }
            State::View(memory) => perform(memory, request, &mut self.written, &mut self.rng),
            State::Caches(_) | State::OutOfOrder(_) => return None,
        };
        Some(Step { thread: request.thread, op, depends: None })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.left);
        (left.unwrap_or(usize::MAX), left.ok())
    }
}

impl FusedIterator for Run {}

#[inline]
fn perform(memory: &mut impl Memory, request: Request, written: &mut [u64], rng: &mut Xoshiro) -> Op {
    let Request { thread, kind, order, loc, .. } = request;
    let mut fresh = || {
        written[loc.index()] += 1;
        written[loc.index()]
    };
    match kind {
        Kind::Read => Op::read(loc, memory.read(thread, loc, order, rng)).order(order),
        Kind::Write => {
            let value = fresh();
            memory.write(thread, loc, value, order, rng);
            Op::write(loc, value).order(order)
        }
        Kind::Rmw => {
            let value = fresh();
            Op::rmw(loc, memory.rmw(thread, loc, value, order, rng), value).order(order)
        }
        Kind::Fence => {
            memory.fence(thread, order);
            Op::fence(order)
        }
    }
}

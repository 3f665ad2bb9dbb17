//! Store buffers in front of one shared memory: TSO and PSO.
//!
//! A write waits in its thread's buffer and reaches memory at some later step, unseen; the order in which the writes of
//! a location reach memory is mo. A read returns the thread's own newest buffered write of the location, else memory.
//! The two machines differ only in what may leave the buffer before what:
//!
//! - TSO: first in, first out. An RMW and a seq_cst fence first empty the buffer. Weaker fences do nothing: what they
//!   keep in order, TSO keeps anyway.
//! - PSO: first in, first out for each location alone. An RMW first empties the buffer of its own location; a release,
//!   acq_rel or seq_cst fence empties it all.
//!
//! Give each read the time of its step and each write the time it reached memory: ppo ∪ rfe ∪ mo ∪ fr then goes forward
//! in time, which is why the histories are consistent.

use crate::memory::Memory;
use tribunal_history::memory::{LocId, Order, ThreadId};
use tribunal_random::{Xoshiro, scale};

/// The number of writes of a thread that may wait; one more, and one of them must leave first.
const CAPACITY: usize = 16;

/// The write that may leave a buffer first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Discipline {
    /// The oldest.
    Tso,
    /// The oldest of its location.
    Pso,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    loc: LocId,
    value: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct StoreBuffers {
    discipline: Discipline,
    memory: Vec<u64>,
    /// Per thread its waiting writes, oldest first.
    buffers: Vec<Vec<Pending>>,
}

impl StoreBuffers {
    pub(crate) fn new(discipline: Discipline, threads: u32, locations: u32) -> Self {
        StoreBuffers {
            discipline,
            memory: vec![0; locations as usize],
            buffers: (0..threads).map(|_| Vec::with_capacity(CAPACITY)).collect(),
        }
    }

    pub(crate) fn bytes_per_thread() -> u64 {
        (size_of::<Vec<Pending>>() + CAPACITY * size_of::<Pending>()) as u64
    }

    /// Lets time pass: at every other call, a random thread's write reaches memory if it has one waiting.
    #[inline]
    pub(crate) fn tick(&mut self, rng: &mut Xoshiro) {
        let (thread, choice) = rng.pair();
        if choice & 1 == 1 {
            let thread = scale(thread, self.buffers.len() as u64) as usize;
            if !self.buffers[thread].is_empty() {
                self.drain_one(thread, rng);
            }
        }
    }

    /// One waiting write of the thread reaches memory; there must be one.
    #[inline]
    fn drain_one(&mut self, thread: usize, rng: &mut Xoshiro) {
        let buffer = &mut self.buffers[thread];
        let leaving = match self.discipline {
            Discipline::Tso => 0,
            Discipline::Pso => {
                let loc = buffer[rng.index(buffer.len())].loc;
                buffer.iter().position(|pending| pending.loc == loc).expect("the drawn write itself")
            }
        };
        let Pending { loc, value } = buffer.remove(leaving);
        self.memory[loc.index()] = value;
    }

    fn drain_all(&mut self, thread: ThreadId) {
        for Pending { loc, value } in self.buffers[thread.index()].drain(..) {
            self.memory[loc.index()] = value;
        }
    }

    fn drain_location(&mut self, thread: ThreadId, loc: LocId) {
        let slot = &mut self.memory[loc.index()];
        self.buffers[thread.index()].retain(|pending| {
            let stays = pending.loc != loc;
            if !stays {
                *slot = pending.value;
            }
            stays
        });
    }
}

impl Memory for StoreBuffers {
    #[inline]
    fn read(&mut self, thread: ThreadId, loc: LocId, _: Order, _: &mut Xoshiro) -> u64 {
        let own = self.buffers[thread.index()].iter().rev().find(|pending| pending.loc == loc);
        own.map_or(self.memory[loc.index()], |pending| pending.value)
    }

    #[inline]
    fn write(&mut self, thread: ThreadId, loc: LocId, value: u64, _: Order, rng: &mut Xoshiro) {
        if self.buffers[thread.index()].len() == CAPACITY {
            self.drain_one(thread.index(), rng);
        }
        self.buffers[thread.index()].push(Pending { loc, value });
    }

    #[inline]
    fn rmw(&mut self, thread: ThreadId, loc: LocId, value: u64, _: Order, _: &mut Xoshiro) -> u64 {
        match self.discipline {
            Discipline::Tso => self.drain_all(thread),
            Discipline::Pso => self.drain_location(thread, loc),
        }
        std::mem::replace(&mut self.memory[loc.index()], value)
    }

    fn fence(&mut self, thread: ThreadId, order: Order) {
        let drains = match self.discipline {
            Discipline::Tso => order == Order::SeqCst,
            Discipline::Pso => order.is_release(),
        };
        if drains {
            self.drain_all(thread);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::satisfies;
    use tribunal_history::memory::{Execution, Kind, Op, Slot};
    use tribunal_history::model::Model;
    use tribunal_history::verdict::ModificationOrder;

    /// The writes as (location, value) in the order in which they reached memory.
    #[derive(Default)]
    struct Landed(Vec<(LocId, u64)>);

    impl Landed {
        /// Does something that drains one buffer at most, and takes down what left it.
        fn during<T>(&mut self, memory: &mut StoreBuffers, act: impl FnOnce(&mut StoreBuffers) -> T) -> T {
            let before = memory.buffers.clone();
            let result = act(memory);
            for (before, after) in before.iter().zip(&memory.buffers) {
                let stayed =
                    |was: &Pending| after.iter().any(|is| (is.loc, is.value) == (was.loc, was.value));
                self.0.extend(before.iter().filter(|&was| !stayed(was)).map(|was| (was.loc, was.value)));
            }
            result
        }
    }

    /// A history long enough to fill buffers, and the order in which its writes reached memory.
    fn long_run(discipline: Discipline, seed: u64) -> (Execution, ModificationOrder) {
        let (threads, locations) = (3, 2);
        let mut memory = StoreBuffers::new(discipline, threads, locations);
        let mut rng = Xoshiro::new(seed);
        let mut b = Execution::builder();
        (0..threads).for_each(|t| _ = b.thread(&t.to_string()));
        let locs: Vec<LocId> = (0..locations).map(|x| b.location(&x.to_string())).collect();
        let mut landed = Landed::default();
        let mut slots: Vec<Option<Slot>> = vec![None];
        for value in 1..=320 {
            let thread = ThreadId(rng.index(threads as usize) as u32);
            let loc = locs[rng.index(locs.len())];
            let order = Order::ALL[1 + rng.index(5)];
            // Mostly writes, so that buffers do fill.
            let kind =
                [Kind::Read, Kind::Write, Kind::Write, Kind::Write, Kind::Write, Kind::Rmw, Kind::Fence]
                    [rng.index(7)];
            landed.during(&mut memory, |memory| memory.tick(&mut rng));
            let op = landed.during(&mut memory, |memory| match kind {
                Kind::Read => Op::read(loc, memory.read(thread, loc, order, &mut rng)),
                Kind::Write => {
                    memory.write(thread, loc, value, order, &mut rng);
                    Op::write(loc, value)
                }
                Kind::Rmw => Op::rmw(loc, memory.rmw(thread, loc, value, order, &mut rng), value),
                Kind::Fence => {
                    let order = if order == Order::Relaxed { Order::Acquire } else { order };
                    memory.fence(thread, order);
                    Op::fence(order)
                }
            });
            if kind == Kind::Rmw {
                landed.0.push((loc, value));
            }
            let order = if kind == Kind::Fence { op.order } else { order };
            slots.push(Some(b.push(thread, op.order(order))));
        }
        for thread in (0..threads).map(ThreadId) {
            landed.during(&mut memory, |memory| memory.drain_all(thread));
        }
        let x = b.build().expect("a valid history");
        let mut mo = ModificationOrder::new();
        for &loc in &locs {
            let of_loc = landed.0.iter().filter(|write| write.0 == loc);
            let order = of_loc.filter_map(|&(_, value)| slots[value as usize].map(|slot| x.event(slot)));
            mo.push_location(std::iter::once(x.init_write(loc)).chain(order));
        }
        (x, mo)
    }

    #[test]
    fn long_runs_are_consistent() {
        for seed in 0..6 {
            let (x, mo) = long_run(Discipline::Tso, seed);
            assert!(satisfies(&x, Model::Tso, &mo), "seed {seed}");
            let (x, mo) = long_run(Discipline::Pso, seed);
            assert!(satisfies(&x, Model::Pso, &mo), "seed {seed}");
            assert!(!satisfies(&x, Model::Tso, &mo), "seed {seed}");
        }
    }
}

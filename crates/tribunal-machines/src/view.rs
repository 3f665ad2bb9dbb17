//! The view machine: C11, operationally (seq_cst, release, acquire, relaxed and non-atomic accesses, fences, RMWs).
//!
//! Memory keeps messages rather than values: the writes of a location, each with a timestamp. mo is the order of the
//! timestamps. A *view* gives a timestamp for each location: what is below it is no longer readable for who holds the
//! view, and nothing may be written below it. A thread holds three views, a message one:
//!
//! - `current`: what the thread has written, has read, or learned by acquiring;
//! - `pending`: the views of all messages the thread has read, acquired or not; an acquire fence joins it to `current`;
//! - `released`: `current` as it was at the last release fence;
//! - a message's view: the writer's `current` if the write is release, else its `released`; the message of an RMW joins
//!   the view of the message it read (release sequences).
//!
//! A read takes any message at or above `current`, an acquire read joins the message's view to `current`. A write goes
//! to the end of mo half the time, else into any gap above `current`. An RMW takes the timestamp directly after the one it
//! reads, so that nothing ever comes between the two; if that is taken, it reads a later message.
//!
//! `current` bounds every write in rf?;hb before the thread's next event, which gives write and read coherence; adjacent
//! timestamps give atomicity; reading only what exists gives acyclic(po ∪ rf): the histories are rc20-consistent, and
//! ra-consistent if every read acquires and every write releases.
//!
//! seq_cst has one more view, `global`, which all threads share. A seq_cst access of x first raises `current` to `global` at x, and
//! if it writes, `global` at x to its own timestamp. A seq_cst fence, between acquiring and releasing, joins `global` to `current`
//! and that to `global`. So every psc edge goes forward in the order of execution, and psc is acyclic. hb does anyway. Of mo, fr
//! and eco, suppose that the edge ends at what was executed earlier: by then `global` was at or above the write, or the write that
//! was read, at the end of the mo, fr or eco step, since that is the seq_cst write at the end or happens before the fence there. What
//! comes later, the seq_cst access at the beginning or what happens after the fence there, is then not before it in mo: no step
//! of mo or fr leads back, and rf never does.
//!
//! Memory stays bounded since a location keeps only its mo-last messages: an older one is never read again, and nothing
//! is written before the oldest one kept. A step costs O(locations) at most and allocates nothing once the windows are
//! full.

use crate::memory::Memory;
use tribunal_history::memory::{LocId, Order, ThreadId};
use tribunal_random::Xoshiro;

/// Most messages a location keeps, when views are small.
const MAX_WINDOW: usize = 32;

/// Room for this many timestamps in the views of all messages decides how many messages a location keeps.
const VIEW_BUDGET: usize = 1 << 23;

/// Distance between a message at the end of mo and the one before it: room for later writes in between.
const GAP: u64 = 1 << 20;

type Timestamp = u64;

#[derive(Clone, Copy, Debug)]
struct Message {
    timestamp: Timestamp,
    value: u64,
    /// The row of its view.
    view: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct ViewMemory {
    window: usize,
    /// Per location the messages kept, in mo; never empty.
    messages: Vec<Vec<Message>>,
    views: Views,
    current: Views,
    pending: Views,
    released: Views,
    global: Box<[Timestamp]>,
}

impl ViewMemory {
    pub(crate) fn new(threads: u32, locations: u32) -> Self {
        let (threads, locations) = (threads as usize, locations as usize);
        let window = window(locations);
        let mut views = Views::new(0, locations);
        let messages = (0..locations)
            .map(|_| {
                let mut kept = Vec::with_capacity(window);
                kept.push(Message { timestamp: 0, value: 0, view: views.take() });
                kept
            })
            .collect();
        let of_threads = Views::new(threads, locations);
        ViewMemory {
            window,
            messages,
            views,
            current: of_threads.clone(),
            pending: of_threads.clone(),
            released: of_threads,
            global: vec![0; locations].into(),
        }
    }

    /// Bytes that a memory of this size may come to take.
    pub(crate) fn bytes(threads: u32, locations: u32) -> u64 {
        let kept = u64::from(locations) * window(locations as usize) as u64;
        let timestamps =
            (3 * u64::from(threads) + 1).saturating_add(kept).saturating_mul(u64::from(locations));
        timestamps
            .saturating_mul(size_of::<Timestamp>() as u64)
            .saturating_add(kept * size_of::<Message>() as u64)
    }

    /// Before an access of this order.
    #[inline]
    fn begin(&mut self, thread: ThreadId, loc: LocId, order: Order) {
        if order == Order::SeqCst {
            let current = &mut self.current.row_mut(thread.0)[loc.index()];
            *current = self.global[loc.index()].max(*current);
        }
    }

    /// Index of a random message that the thread may still see.
    #[inline]
    fn visible(&self, thread: ThreadId, loc: LocId, rng: &mut Xoshiro) -> usize {
        let bound = self.current.row(thread.0)[loc.index()];
        let kept = &self.messages[loc.index()];
        let first = kept.partition_point(|message| message.timestamp < bound);
        first + rng.index(kept.len() - first)
    }

    /// The first message from index `from` on behind which a write can go: the last one at the latest.
    #[inline]
    fn open(&self, loc: LocId, from: usize) -> usize {
        let kept = &self.messages[loc.index()];
        let last = kept.len() - 1;
        (from..last).find(|&i| kept[i + 1].timestamp - kept[i].timestamp > 1).unwrap_or(last)
    }

    /// The thread reads a message.
    #[inline]
    fn see(&mut self, thread: ThreadId, loc: LocId, message: Message, order: Order) {
        let current = self.current.row_mut(thread.0);
        current[loc.index()] = current[loc.index()].max(message.timestamp);
        let learned = self.views.row(message.view);
        if order.is_atomic() {
            join(self.pending.row_mut(thread.0), learned);
        }
        if order.is_acquire() {
            join(self.current.row_mut(thread.0), learned);
        }
    }

    /// The thread puts a message behind the one at index `behind`; an RMW says which view it read.
    #[inline]
    fn put(&mut self, thread: ThreadId, loc: LocId, behind: usize, write: Write, read_view: Option<u32>) {
        self.current.row_mut(thread.0)[loc.index()] = write.timestamp;
        if write.order == Order::SeqCst {
            // The write is above what was global when it began.
            self.global[loc.index()] = write.timestamp;
        }
        let view = self.views.take();
        let released = self.views.row_mut(view);
        match write.order {
            Order::NonAtomic => released.fill(0),
            order if order.is_release() => released.copy_from_slice(self.current.row(thread.0)),
            _ => released.copy_from_slice(self.released.row(thread.0)),
        }
        if let Some(read_view) = read_view {
            self.views.join(view, read_view);
        }
        let message = Message { timestamp: write.timestamp, value: write.value, view };
        let kept = &mut self.messages[loc.index()];
        if kept.len() < self.window {
            kept.insert(behind + 1, message);
        } else {
            self.views.give_back(kept[0].view);
            kept.copy_within(1..=behind, 0);
            kept[behind] = message;
        }
    }
}

/// A write of a thread.
struct Write {
    timestamp: Timestamp,
    value: u64,
    order: Order,
}

/// The number of messages that a location keeps.
fn window(locations: usize) -> usize {
    (VIEW_BUDGET / locations.saturating_mul(locations)).clamp(2, MAX_WINDOW)
}

impl Memory for ViewMemory {
    #[inline]
    fn read(&mut self, thread: ThreadId, loc: LocId, order: Order, rng: &mut Xoshiro) -> u64 {
        self.begin(thread, loc, order);
        let message = self.messages[loc.index()][self.visible(thread, loc, rng)];
        self.see(thread, loc, message, order);
        message.value
    }

    #[inline]
    fn write(&mut self, thread: ThreadId, loc: LocId, value: u64, order: Order, rng: &mut Xoshiro) {
        self.begin(thread, loc, order);
        let last = self.messages[loc.index()].len() - 1;
        let behind = if rng.flip() { last } else { self.open(loc, self.visible(thread, loc, rng)) };
        let kept = &self.messages[loc.index()];
        let timestamp = match kept.get(behind + 1) {
            Some(next) => kept[behind].timestamp.midpoint(next.timestamp),
            None => kept[behind].timestamp + GAP,
        };
        self.put(thread, loc, behind, Write { timestamp, value, order }, None);
    }

    #[inline]
    fn rmw(&mut self, thread: ThreadId, loc: LocId, value: u64, order: Order, rng: &mut Xoshiro) -> u64 {
        self.begin(thread, loc, order);
        let behind = self.open(loc, self.visible(thread, loc, rng));
        let message = self.messages[loc.index()][behind];
        self.see(thread, loc, message, order);
        let write = Write { timestamp: message.timestamp + 1, value, order };
        self.put(thread, loc, behind, write, Some(message.view));
        message.value
    }

    fn fence(&mut self, thread: ThreadId, order: Order) {
        if order.is_acquire() {
            join(self.current.row_mut(thread.0), self.pending.row(thread.0));
        }
        if order == Order::SeqCst {
            join(self.current.row_mut(thread.0), &self.global);
            self.global.copy_from_slice(self.current.row(thread.0));
        }
        if order.is_release() {
            self.released.row_mut(thread.0).copy_from_slice(self.current.row(thread.0));
        }
    }
}

/// Views in rows of one table; rows given back are used again.
#[derive(Clone, Debug)]
struct Views {
    width: usize,
    timestamps: Vec<Timestamp>,
    free: Vec<u32>,
}

impl Views {
    fn new(rows: usize, width: usize) -> Self {
        Views { width, timestamps: vec![0; rows * width], free: Vec::new() }
    }

    /// A row to use: a new one is all 0, one given back holds what it held.
    #[inline]
    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            let row = self.timestamps.len() / self.width;
            self.timestamps.resize(self.timestamps.len() + self.width, 0);
            row as u32
        })
    }

    #[inline]
    fn give_back(&mut self, row: u32) {
        self.free.push(row);
    }

    #[inline]
    fn row(&self, row: u32) -> &[Timestamp] {
        &self.timestamps[row as usize * self.width..][..self.width]
    }

    #[inline]
    fn row_mut(&mut self, row: u32) -> &mut [Timestamp] {
        &mut self.timestamps[row as usize * self.width..][..self.width]
    }

    /// Joins one row to another.
    #[inline]
    fn join(&mut self, into: u32, from: u32) {
        let (low, high) = (into.min(from) as usize, into.max(from) as usize);
        let (head, tail) = self.timestamps.split_at_mut(high * self.width);
        let (low, high) = (&mut head[low * self.width..][..self.width], &mut tail[..self.width]);
        if into < from { join(low, high) } else { join(high, low) }
    }
}

/// Raises a view to include another.
#[inline]
fn join(into: &mut [Timestamp], from: &[Timestamp]) {
    for (into, &from) in into.iter_mut().zip(from) {
        *into = (*into).max(from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::satisfies;
    use tribunal_history::memory::{Execution, Kind, Op};
    use tribunal_history::model::Model;
    use tribunal_history::verdict::ModificationOrder;

    /// A history long enough to fill windows and gaps, and the machine's own mo of it.
    fn long_run(seed: u64, locations: u32, orders: &[Order]) -> (Execution, ModificationOrder) {
        let (threads, events) = (4, 320);
        let mut memory = ViewMemory::new(threads, locations);
        let mut rng = Xoshiro::new(seed);
        let mut b = Execution::builder();
        (0..threads).for_each(|t| _ = b.thread(&t.to_string()));
        let locs: Vec<LocId> = (0..locations).map(|x| b.location(&x.to_string())).collect();
        let mut writes = Vec::new();
        for value in 1..=events {
            let thread = ThreadId(rng.index(threads as usize) as u32);
            let loc = locs[rng.index(locs.len())];
            let order = orders[rng.index(orders.len())];
            let kind =
                [Kind::Read, Kind::Write, Kind::Write, Kind::Rmw, Kind::Rmw, Kind::Fence][rng.index(6)];
            let op = match kind {
                Kind::Read => Op::read(loc, memory.read(thread, loc, order, &mut rng)),
                Kind::Write => {
                    memory.write(thread, loc, value, order, &mut rng);
                    Op::write(loc, value)
                }
                Kind::Rmw => Op::rmw(loc, memory.rmw(thread, loc, value, order, &mut rng), value),
                Kind::Fence if !Order::OF_FENCES.contains(&order) => continue,
                Kind::Fence => {
                    memory.fence(thread, order);
                    Op::fence(order)
                }
            };
            let slot = b.push(thread, op.order(order));
            let kept = memory.messages[loc.index()].iter();
            writes.extend(kept.filter(|m| m.value == value).map(|m| (loc, m.timestamp, slot)));
        }
        let x = b.build().expect("a valid history");
        writes.sort_by_key(|&(loc, timestamp, _)| (loc, timestamp));
        let mut mo = ModificationOrder::new();
        for &loc in &locs {
            let of_loc = writes.iter().filter(|write| write.0 == loc);
            let order = of_loc.map(|&(_, _, slot)| x.event(slot));
            mo.push_location(std::iter::once(x.init_write(loc)).chain(order));
        }
        (x, mo)
    }

    #[test]
    fn long_runs_are_consistent() {
        for seed in 0..12 {
            let locations = 1 + seed as u32 % 3;
            for orders in [&Order::ALL[1..5], &Order::ALL[1..], &[Order::Relaxed, Order::SeqCst]] {
                let (x, mo) = long_run(seed, locations, orders);
                assert!(satisfies(&x, Model::Rc20, &mo), "seed {seed}");
            }
            let (x, mo) = long_run(seed, locations, &[Order::SeqCst]);
            assert!(satisfies(&x, Model::Sc, &mo), "seed {seed}");
            let (x, mo) = long_run(seed, locations, &[Order::AcqRel]);
            assert!(satisfies(&x, Model::Ra, &mo), "seed {seed}");
        }
    }

    #[test]
    fn rows_are_used_again() {
        let mut memory = ViewMemory::new(2, 3);
        let mut rng = Xoshiro::new(0);
        for value in 1..10_000 {
            memory.write(
                ThreadId(value as u32 % 2),
                LocId(value as u32 % 3),
                value,
                Order::Release,
                &mut rng,
            );
        }
        assert!(memory.views.timestamps.len() <= 3 * (3 * MAX_WINDOW + 1));
    }
}

//! Revealing an execution to a checker, event by event, with a stopwatch.

use super::closed::Closed;
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use tribunal_engines::memory::check;
use tribunal_engines::memory::session::{Session, WriteId};
use tribunal_history::memory::{Kind, LocId, Order, ThreadId};
use tribunal_history::model::Model;
use tribunal_machines::Step;

/// An event as it is revealed.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Event {
    pub kind: Kind,
    pub order: Order,
    pub thread: ThreadId,
    pub loc: LocId,
    /// The write that it reads from. Writes are numbered as they are revealed, the initial ones first.
    pub source: u32,
}

/// A checker of executions that grow. It says whether it accepts what is read.
pub(in super::super) trait Checker: Sized {
    fn new(model: Model, threads: u32, locations: u32) -> Self;
    fn write(&mut self, thread: ThreadId, loc: LocId, order: Order);
    fn read(&mut self, thread: ThreadId, source: u32, order: Order) -> bool;
    fn rmw(&mut self, thread: ThreadId, source: u32, order: Order) -> bool;
    fn fence(&mut self, thread: ThreadId, order: Order);

    fn reveal(&mut self, event: Event) -> bool {
        let Event { kind, order, thread, loc, source } = event;
        match kind {
            Kind::Write => self.write(thread, loc, order),
            Kind::Read => return self.read(thread, source, order),
            Kind::Rmw => return self.rmw(thread, source, order),
            Kind::Fence => self.fence(thread, order),
        }
        true
    }
}

/// A session and its writes by their numbers.
pub(super) struct Grown {
    pub session: Session,
    writes: Vec<WriteId>,
}

impl Checker for Grown {
    fn new(model: Model, threads: u32, locations: u32) -> Self {
        let mut session = Session::new(model).expect("a model with sessions");
        for _ in 0..threads {
            session.thread();
        }
        let mut initial = || {
            let loc = session.location();
            session.initial(loc).expect("nothing is retired")
        };
        let writes = (0..locations).map(|_| initial()).collect();
        Grown { session, writes }
    }

    fn write(&mut self, thread: ThreadId, loc: LocId, order: Order) {
        self.writes.push(self.session.write(thread, loc, order));
    }

    fn read(&mut self, thread: ThreadId, source: u32, order: Order) -> bool {
        self.session.read(thread, self.writes[source as usize], order).is_ok()
    }

    fn rmw(&mut self, thread: ThreadId, source: u32, order: Order) -> bool {
        match self.session.rmw(thread, self.writes[source as usize], order) {
            Ok(write) => self.writes.push(write),
            Err(_) => return false,
        }
        true
    }

    fn fence(&mut self, thread: ThreadId, order: Order) {
        self.session.fence(thread, order);
    }
}

/// Steps of a machine as events: a step's value says which write it is, or reads from.
pub(super) struct Revealed<S> {
    steps: S,
    /// Per location and value, the write.
    writes: Vec<Vec<u32>>,
    next: u32,
}

impl<S: Iterator<Item = Step>> Revealed<S> {
    pub(super) fn new(steps: S, locations: u32) -> Self {
        Revealed { steps, writes: (0..locations).map(|init| vec![init]).collect(), next: locations }
    }
}

impl<S: Iterator<Item = Step>> Iterator for Revealed<S> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let Step { thread, op, .. } = self.steps.next()?;
        if op.kind == Kind::Fence {
            return Some(Event { kind: op.kind, order: op.order, thread, loc: op.loc, source: 0 });
        }
        let writes = &mut self.writes[op.loc.index()];
        let read = if op.kind == Kind::Rmw { op.read } else { op.value };
        let source = if op.kind == Kind::Write { 0 } else { writes[read as usize] };
        if matches!(op.kind, Kind::Write | Kind::Rmw) {
            // A buffered write may become known after a later one.
            let room = writes.len().max(op.value as usize + 1);
            writes.resize(room, u32::MAX);
            writes[op.value as usize] = self.next;
            self.next += 1;
        }
        Some(Event { kind: op.kind, order: op.order, thread, loc: op.loc, source })
    }
}

/// The same events with relaxed accesses, a release fence before every write and an acquire fence behind every read.
pub(super) fn fenced(events: &[Event]) -> Vec<Event> {
    let mut fenced = Vec::with_capacity(2 * events.len());
    for &event in events {
        let fence = |order| Event { kind: Kind::Fence, order, ..event };
        let (reads, writes) = (event.kind != Kind::Write, event.kind != Kind::Read);
        fenced.extend(writes.then(|| fence(Order::Release)));
        fenced.push(Event { order: Order::Relaxed, ..event });
        fenced.extend(reads.then(|| fence(Order::Acquire)));
    }
    fenced
}

/// The time that a checker took for how many events, and whether it was stopped before the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    pub time: Duration,
    pub events: u64,
    pub stopped: bool,
}

impl Cost {
    pub(super) fn per_event(&self) -> Duration {
        Duration::from_secs_f64(self.time.as_secs_f64() / self.events.max(1) as f64)
    }
}

/// Reveals all events, each of which must be accepted, unless it takes longer than `patience`. What it takes to find
/// the events is not counted.
pub(super) fn replay<C: Checker>(
    model: Model,
    (threads, locations): (u32, u32),
    mut events: impl Iterator<Item = Event>,
    patience: Duration,
) -> Cost {
    const BATCH: usize = 4096;
    let mut batch = VecDeque::with_capacity(BATCH);
    let mut cost = Cost { time: Duration::ZERO, events: 0, stopped: false };
    let mut checker = C::new(model, threads, locations);
    loop {
        batch.extend(events.by_ref().take(BATCH));
        if batch.is_empty() {
            return cost;
        }
        let start = Instant::now();
        for (i, event) in batch.drain(..).enumerate() {
            assert!(checker.reveal(event), "event {}: consistent by construction", cost.events);
            cost.events += 1;
            if i % 64 == 0 && cost.time + start.elapsed() > patience {
                cost.stopped = true;
                break;
            }
        }
        cost.time += start.elapsed();
        if cost.stopped {
            return cost;
        }
    }
}

/// The time that Algorithm 3 takes if it is asked anew at every read. Making the history of what was revealed is not
/// counted.
pub(super) fn anew(model: Model, (threads, locations): (u32, u32), events: &[Event]) -> Cost {
    let mut cost = Cost { time: Duration::ZERO, events: events.len() as u64, stopped: false };
    let mut grown = Grown::new(model, threads, locations);
    for &event in events {
        assert!(grown.reveal(event), "consistent by construction");
        if matches!(event.kind, Kind::Read | Kind::Rmw) {
            let x = grown.session.execution().expect("a history of few events");
            let start = Instant::now();
            assert!(check(&x, model).is_consistent(), "consistent by construction");
            cost.time += start.elapsed();
        }
    }
    cost
}

/// Asks both checkers the same for small executions in which whatever may be read is asked for, and more. Says how
/// many reads were accepted, and how many refused.
pub(super) fn agreement(model: Model, executions: u64) -> [u64; 2] {
    const ORDERS: [Order; 4] = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel];
    let mut answers = [0; 2];
    for seed in 0..executions {
        let mut state = seed;
        let mut below = |bound: usize| {
            // SplitMix64 (Steele, Lea and Flood, 2014).
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut bits = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((bits ^ (bits >> 31)) % bound as u64) as usize
        };
        let (threads, locations) = (2 + below(4) as u32, 1 + below(3) as u32);
        let mut grown = Grown::new(model, threads, locations);
        let mut closed = Closed::new(model, threads, locations);
        let mut writes = locations;
        for _ in 0..20 + below(40) {
            let kinds = [Kind::Write, Kind::Read, Kind::Read, Kind::Rmw, Kind::Fence];
            let kind = kinds[below(if model == Model::Rc20 { 5 } else { 4 })];
            let order = ORDERS[below(4)];
            let (thread, loc) =
                (ThreadId(below(threads as usize) as u32), LocId(below(locations as usize) as u32));
            if kind == Kind::Fence && order == Order::Relaxed {
                continue;
            }
            let event = Event { kind, order, thread, loc, source: below(writes as usize) as u32 };
            let answer = grown.reveal(event);
            assert_eq!(answer, closed.reveal(event), "execution {seed}: {event:?}");
            writes += u32::from(kind == Kind::Write || kind == Kind::Rmw && answer);
            answers[usize::from(!answer)] += u64::from(matches!(kind, Kind::Read | Kind::Rmw));
        }
    }
    answers
}

//! Revealing an execution to a checker, event by event, with a stopwatch.

use super::closed::Closed;
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use tribunal::memory::{Kind, LocId, ThreadId};
use tribunal::online::{Online, WriteId};
use tribunal::{Model, check};
use tribunal_machines::Step;

/// An event as it is revealed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub kind: Kind,
    pub thread: ThreadId,
    pub loc: LocId,
    /// The write that it reads from. Writes are numbered as they are revealed, the initial ones first.
    pub source: WriteId,
}

/// A checker of executions that grow. It says whether it accepts what is read.
pub(super) trait Checker: Sized {
    fn new(threads: u32, locations: u32) -> Self;
    fn write(&mut self, thread: ThreadId, loc: LocId);
    fn read(&mut self, thread: ThreadId, source: WriteId) -> bool;
    fn rmw(&mut self, thread: ThreadId, source: WriteId) -> bool;

    fn reveal(&mut self, event: Event) -> bool {
        match event.kind {
            Kind::Write => self.write(event.thread, event.loc),
            Kind::Read => return self.read(event.thread, event.source),
            Kind::Rmw => return self.rmw(event.thread, event.source),
            Kind::Fence => {}
        }
        true
    }
}

impl Checker for Online {
    fn new(threads: u32, locations: u32) -> Self {
        let mut online = Online::new();
        for _ in 0..threads {
            online.thread();
        }
        for _ in 0..locations {
            online.location();
        }
        online
    }

    fn write(&mut self, thread: ThreadId, loc: LocId) {
        Online::write(self, thread, loc);
    }

    fn read(&mut self, thread: ThreadId, source: WriteId) -> bool {
        Online::read(self, thread, source).is_ok()
    }

    fn rmw(&mut self, thread: ThreadId, source: WriteId) -> bool {
        Online::rmw(self, thread, source).is_ok()
    }
}

/// Steps of a machine as events: a step's value says which write it is, or reads from.
pub(super) struct Revealed<S> {
    steps: S,
    /// Per location and value, the write.
    writes: Vec<Vec<WriteId>>,
    next: u32,
}

impl<S: Iterator<Item = Step>> Revealed<S> {
    pub(super) fn new(steps: S, locations: u32) -> Self {
        Revealed { steps, writes: (0..locations).map(|init| vec![WriteId(init)]).collect(), next: locations }
    }
}

impl<S: Iterator<Item = Step>> Iterator for Revealed<S> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let Step { thread, op, .. } = self.steps.next()?;
        let writes = &mut self.writes[op.loc.index()];
        let read = if op.kind == Kind::Rmw { op.read } else { op.value };
        let source = if op.kind == Kind::Write { WriteId(0) } else { writes[read as usize] };
        if matches!(op.kind, Kind::Write | Kind::Rmw) {
            // A buffered write may become known after a later one.
            let room = writes.len().max(op.value as usize + 1);
            writes.resize(room, WriteId(u32::MAX));
            writes[op.value as usize] = WriteId(self.next);
            self.next += 1;
        }
        Some(Event { kind: op.kind, thread, loc: op.loc, source })
    }
}

/// How long a checker took for how many events, and whether it was stopped before the end.
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
    (threads, locations): (u32, u32),
    mut events: impl Iterator<Item = Event>,
    patience: Duration,
) -> Cost {
    const BATCH: usize = 4096;
    let mut batch = VecDeque::with_capacity(BATCH);
    let mut cost = Cost { time: Duration::ZERO, events: 0, stopped: false };
    let mut checker = C::new(threads, locations);
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
pub(super) fn anew((threads, locations): (u32, u32), events: &[Event]) -> Cost {
    let mut cost = Cost { time: Duration::ZERO, events: events.len() as u64, stopped: false };
    let mut online = <Online as Checker>::new(threads, locations);
    for &event in events {
        assert!(online.reveal(event), "consistent by construction");
        if event.kind != Kind::Write {
            let x = online.execution().expect("a history of few events");
            let start = Instant::now();
            assert!(check(&x, Model::Ra).is_consistent(), "consistent by construction");
            cost.time += start.elapsed();
        }
    }
    cost
}

/// Asks both checkers the same of small executions in which whatever may be read is asked for, and more. Says how
/// many reads were accepted, and how many refused.
pub(super) fn agreement(executions: u64) -> [u64; 2] {
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
        let mut online = <Online as Checker>::new(threads, locations);
        let mut closed = Closed::new(threads, locations);
        let mut writes = locations;
        for _ in 0..20 + below(40) {
            let kind = [Kind::Write, Kind::Read, Kind::Read, Kind::Rmw][below(4)];
            let (thread, loc) =
                (ThreadId(below(threads as usize) as u32), LocId(below(locations as usize) as u32));
            let event = Event { kind, thread, loc, source: WriteId(below(writes as usize) as u32) };
            let answer = online.reveal(event);
            assert_eq!(answer, closed.reveal(event), "execution {seed}: {event:?}");
            writes += u32::from(kind == Kind::Write || kind == Kind::Rmw && answer);
            answers[usize::from(!answer)] += u64::from(kind != Kind::Write);
        }
    }
    answers
}

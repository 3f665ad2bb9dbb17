//! The baseline of random executions: an mo that is always closed, as in C11Tester.

use super::super::incremental::{Checker, Closed};
use tribunal_explore::graph::{Event, EventId, Graph, Source};
use tribunal_explore::program::Action;
use tribunal_explore::search::Memory;
use tribunal_history::memory::{LocId, Order, ThreadId};
use tribunal_history::model::Model;

/// As many as any program of the comparison has, except for those of spawns and joins.
const LOCATIONS: u32 = 8;

/// A random execution never goes back but to its beginning.
#[derive(Clone)]
pub(super) struct ClosedMo {
    closed: Closed,
    /// By event: the write that it made.
    writes: Vec<Option<u32>>,
    /// By write, its source; the initial ones first.
    sources: Vec<Source>,
    /// By location, its writes.
    of: Vec<Vec<u32>>,
    threads: u32,
    /// Spawns and joins: the next location for one, from the last down.
    next: u32,
}

impl ClosedMo {
    /// For a program of so many threads, the main one included.
    pub(super) fn new(threads: usize) -> Self {
        let threads = threads as u32;
        let locations = LOCATIONS + 2 * threads;
        ClosedMo {
            closed: Closed::new(Model::Rc20, threads, locations),
            writes: Vec::new(),
            sources: vec![Source::Init; locations as usize],
            of: (0..locations).map(|loc| vec![loc]).collect(),
            threads,
            next: locations,
        }
    }

    fn write_of(&self, loc: LocId, source: Source) -> u32 {
        match source {
            Source::Event(event) => self.writes[event.index()].expect("a write"),
            _ => loc.index() as u32,
        }
    }

    /// What a thread knows, another learns.
    fn hand_over(&mut self, from: ThreadId, to: ThreadId) {
        self.next -= 1;
        let loc = LocId::from_index(self.next as usize);
        self.closed.write(from, loc, Order::Release);
        let write = self.sources.len() as u32;
        self.sources.push(Source::Nothing);
        assert!(self.closed.read(to, write, Order::Acquire), "the only write of its location");
    }
}

impl Memory for ClosedMo {
    fn len(&self) -> usize {
        self.writes.len()
    }

    fn push(&mut self, _: &Graph, event: &Event) -> bool {
        let order = event.order().unwrap_or(Order::Relaxed);
        let mut made = None;
        match event.action {
            _ if event.waiting => {}
            Action::Fence { order } => self.closed.fence(event.thread, order),
            Action::Spawn => self.hand_over(event.thread, ThreadId::from_index(event.read as usize)),
            Action::Join { thread } => self.hand_over(thread, event.thread),
            _ => {
                if let Some(loc) = event.loc() {
                    let reads = event.is_read().then(|| self.write_of(loc, event.source));
                    let taken = match (reads, event.written) {
                        (Some(source), Some(_)) => self.closed.rmw(event.thread, source, order),
                        (Some(source), None) => self.closed.read(event.thread, source, order),
                        (None, _) => {
                            self.closed.write(event.thread, loc, order);
                            true
                        }
                    };
                    if !taken {
                        return false;
                    }
                    if event.written.is_some() {
                        let write = self.sources.len() as u32;
                        made = Some(write);
                        self.sources.push(Source::Event(EventId::from_index(self.writes.len())));
                        self.of[loc.index()].push(write);
                    }
                }
            }
        }
        self.writes.push(made);
        true
    }

    fn truncate(&mut self, _: &Graph, length: usize) {
        if length < self.writes.len() {
            assert_eq!(length, 0, "a random execution goes back to its beginning");
            *self = ClosedMo::new(self.threads as usize);
        }
    }

    fn candidates(&mut self, thread: ThreadId, loc: LocId, _: Order, found: &mut Vec<Source>) {
        found.clear();
        for &write in &self.of[loc.index()] {
            if self.closed.may_read(thread, write) {
                found.push(self.sources[write as usize]);
            }
        }
    }

    fn admits(&mut self, thread: ThreadId, loc: LocId, source: Source, _: Order, rmw: bool) -> bool {
        let write = self.write_of(loc, source);
        (!rmw || self.closed.may_be_overwritten(write)) && self.closed.may_read(thread, write)
    }

    fn happens_before(&self, _: EventId, _: ThreadId, _: ThreadId) -> bool {
        // Races are not looked for here.
        true
    }

    fn may_be_last(&mut self, _: &[(LocId, Source)]) -> bool {
        false
    }
}

//! The latest events, to settle and to explain with.

use std::collections::VecDeque;
use tribunal_history::heap::Heap;
use tribunal_history::memory::{Execution, ExecutionBuilder, Kind, MalformedHistory, Op, Slot, Source};

/// The number of events that are kept.
const KEPT: usize = 1 << 17;

/// The latest events in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Recent {
    events: VecDeque<Logged>,
    /// How many came before these, and how many of those were told to be inconsistent together.
    base: u64,
    told: u64,
}

#[derive(Clone, Copy, Debug)]
struct Logged {
    slot: Slot,
    op: Op,
    reads_from: Origin,
}

/// The origin of the value that an event reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Not known, or it is skipped: then an RMW is a write, and a read is nothing.
    Unknown,
    Init,
    /// The event before which so many came.
    Event(u64),
}

impl Recent {
    pub(super) fn push(&mut self, slot: Slot, op: Op) {
        if self.events.len() == KEPT {
            self.events.pop_front();
            self.base += 1;
        }
        self.events.push_back(Logged { slot, op, reads_from: Origin::Unknown });
    }

    fn place(&self, event: u64) -> Option<usize> {
        usize::try_from(event.checked_sub(self.base)?).ok()
    }

    /// What an event reads from is known, or forgotten.
    pub(super) fn reads_from(&mut self, event: u64, origin: Origin) {
        if let Some(logged) = self.place(event).and_then(|place| self.events.get_mut(place)) {
            logged.reads_from = origin;
        }
    }

    /// The number of events that are no longer there.
    pub(super) fn gone(&self) -> u64 {
        self.base
    }

    /// Whether all events are there that were not told to be inconsistent.
    pub(super) fn is_whole(&self) -> bool {
        self.base == self.told
    }

    /// The number of events that there have been.
    pub(super) fn end(&self) -> u64 {
        self.base + self.events.len() as u64
    }

    /// The place of an event, if it is there.
    pub(super) fn slot(&self, event: u64) -> Option<Slot> {
        Some(self.events.get(self.place(event)?)?.slot)
    }

    /// The operation of an event, if it is there.
    pub(super) fn op(&self, event: u64) -> Option<Op> {
        Some(self.events.get(self.place(event)?)?.op)
    }

    /// Forgets all events, which have been told to be inconsistent.
    pub(super) fn clear(&mut self) {
        self.base = self.end();
        self.told = self.base;
        self.events.clear();
    }

    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        self.events.held()
    }

    /// The execution of the events before `end`. A read is left out if its source is not among them, or not known; except for one, whose
    /// origin is given, or told by its value. To leave out reads only takes away edges.
    pub(super) fn execution(
        &self,
        mut b: ExecutionBuilder,
        end: u64,
        but: Option<(u64, Origin)>,
    ) -> Result<Execution, MalformedHistory> {
        let known = |origin| match origin {
            Origin::Unknown => false,
            Origin::Init => true,
            Origin::Event(source) => (self.base..end).contains(&source),
        };
        let is_but = |event| but.is_some_and(|(but, _)| but == event);
        let mut lengths: Vec<u32> = Vec::new();
        let slots: Vec<Slot> = (self.base..end)
            .zip(&self.events)
            .map(|(event, &Logged { slot, op, reads_from })| {
                let thread = slot.thread.index();
                lengths.resize(lengths.len().max(thread + 1), 0);
                let index = lengths[thread];
                let stays = op.kind != Kind::Read || known(reads_from) || is_but(event);
                lengths[thread] += u32::from(stays);
                Slot { thread: slot.thread, index }
            })
            .collect();
        for (event, &Logged { slot, op, reads_from }) in (self.base..end).zip(&self.events) {
            let reads_from = but.filter(|_| is_but(event)).map_or(reads_from, |(_, origin)| origin);
            let op = match (op.kind, reads_from) {
                (Kind::Write | Kind::Fence, _) => op,
                (_, Origin::Init) => op.from(Source::Init),
                (_, Origin::Event(source)) if known(reads_from) => {
                    op.from(Source::At(slots[(source - self.base) as usize]))
                }
                _ if is_but(event) => op.from(Source::ByValue),
                (Kind::Rmw, _) => Op::write(op.loc, op.value).order(op.order),
                (Kind::Read, _) => continue,
            };
            b.push(slot.thread, op);
        }
        b.build()
    }
}

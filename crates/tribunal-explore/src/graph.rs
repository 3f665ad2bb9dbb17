//! An execution as a graph: the events of each thread in program order, and from where each read reads.

use crate::program::{Action, Place};
use tribunal::memory::{LocId, ThreadId};

/// An event, by its place in [`Graph::events`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(pub(crate) u32);

impl EventId {
    /// Its place in [`Graph::events`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// From where an event takes what it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// It reads nothing.
    Nothing,
    /// The initial write of its location.
    Init,
    /// A write; for a join, the end of the thread.
    Event(EventId),
    /// The number picked; of a release, 1 if it is the last.
    Choice(u32),
}

/// An event of an execution.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its thread.
    pub thread: ThreadId,
    /// How many events its thread has before it.
    pub index: u32,
    /// What was asked for.
    pub action: Action,
    /// Where it stands in the source.
    pub place: Place,
    /// From where it reads.
    pub source: Source,
    /// The value read; 0 if it reads nothing.
    pub read: u64,
    /// The value written, if it writes.
    pub written: Option<u64>,
    /// The order in which the explorer first added events; see [`crate::search`].
    pub(crate) stamp: u32,
}

impl Event {
    /// The location that it accesses.
    pub fn loc(&self) -> Option<LocId> {
        match self.action {
            Action::Load { loc, .. }
            | Action::Store { loc, .. }
            | Action::Rmw { loc, .. }
            | Action::Await { loc, .. }
            | Action::AwaitRmw { loc, .. } => Some(loc),
            _ => None,
        }
    }
}

/// An execution. Events are in an order that contains program order and reads-from.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The events.
    pub(crate) events: Vec<Event>,
}

impl Graph {
    /// The events, in an order that contains program order and reads-from.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// An event.
    pub fn event(&self, id: EventId) -> &Event {
        &self.events[id.index()]
    }
}

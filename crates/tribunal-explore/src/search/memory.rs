//! What the search asks of a memory model.

use crate::graph::{Event, EventId, Graph, Source};
use tribunal::memory::{LocId, Order, ThreadId};

/// Decides what an execution may do next. It is kept in step with a graph, whose first [`len`](Memory::len) events it knows.
///
/// [`search`](super::search) takes a [session](tribunal::session); [`search_with`](super::search_with) takes any other, to compare.
pub trait Memory {
    /// How many events of the graph it knows.
    fn len(&self) -> usize;

    /// Whether it knows of none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Goes on with an event that is about to be added to the graph. Says whether the model lets it: if not, nothing has changed. An
    /// event that [waits](Event::waiting) asks for nothing.
    fn push(&mut self, graph: &Graph, event: &Event) -> bool;

    /// Goes back to the first `length` events of the graph, which still has those to be taken away.
    fn truncate(&mut self, graph: &Graph, length: usize);

    /// The writes of a location that a thread may read from, in any order.
    fn candidates(&mut self, thread: ThreadId, loc: LocId, order: Order, found: &mut Vec<Source>);

    /// Whether a thread may read from a write, as an RMW or not.
    fn admits(&mut self, thread: ThreadId, loc: LocId, source: Source, order: Order, rmw: bool) -> bool;

    /// Whether an event, which is of the thread `by`, happens before whatever `thread` does next.
    fn happens_before(&self, event: EventId, by: ThreadId, thread: ThreadId) -> bool;

    /// Whether mo may have these writes as the last of their locations, all of them.
    fn may_be_last(&mut self, writes: &[(LocId, Source)]) -> bool;
}

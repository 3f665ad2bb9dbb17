//! The interface of the search to memory models.

use crate::graph::{Event, EventId, Graph, Source};
use tribunal_history::limits::Limits;
use tribunal_history::memory::{LocId, Order, ThreadId};

/// Decides what an execution may do next. It follows a graph, and knows its first [`len`](Memory::len) events.
///
/// [`search`](super::search) uses a [session](tribunal_engines::memory::session); [`search_with`](super::search_with) takes any other implementation, for comparison.
pub trait Memory {
    /// The number of events of the graph that it knows.
    fn len(&self) -> usize;

    /// Whether it knows of none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The limits of the exploration, for what may take long. Once one is reached, its answers do not count.
    fn keep_to(&mut self, limits: Limits<'static>) {
        let _ = limits;
    }

    /// An execution begins that is sampled: it is gone back in to its beginning alone. If it `commits`, executions that are hard to decide may be left out.
    fn sample(&mut self, commits: bool) {
        let _ = commits;
    }

    /// Spawns and ends of threads count as events of their own, so that [`happens_before`](Self::happens_before) tells them from what comes before.
    fn count_ends(&mut self) {}

    /// Whether what comes next is hard to decide in a long execution, and [would not be](Self::sample) if it committed itself.
    fn is_hard(&self) -> bool {
        false
    }

    /// A thread is about to ask for what it may read, or to write. The order is the strongest that its access may have.
    fn approach(&mut self, thread: ThreadId, loc: LocId, order: Order) {
        let _ = (thread, loc, order);
    }

    /// Adds an event that is about to be added to the graph. Returns whether the model allows it; if not, nothing has changed. A
    /// [waiting](Event::waiting) event is always allowed.
    fn push(&mut self, graph: &Graph, event: &Event) -> bool;

    /// Goes back to the first `length` events of the graph, which still contains the events to be removed.
    fn truncate(&mut self, graph: &Graph, length: usize);

    /// The writes of a location that a thread may read from, in any order.
    fn candidates(&mut self, thread: ThreadId, loc: LocId, order: Order, found: &mut Vec<Source>);

    /// The same for an RMW that writes.
    fn rmw_candidates(&mut self, thread: ThreadId, loc: LocId, order: Order, found: &mut Vec<Source>) {
        self.candidates(thread, loc, order, found);
        found.retain(|&source| self.admits(thread, loc, source, order, true));
    }

    /// Whether a thread may read from a write, as an RMW or not.
    fn admits(&mut self, thread: ThreadId, loc: LocId, source: Source, order: Order, rmw: bool) -> bool;

    /// The same of one of the thread's [candidates](Self::candidates), before anything else has changed.
    fn admits_candidate(
        &mut self,
        thread: ThreadId,
        loc: LocId,
        source: Source,
        order: Order,
        rmw: bool,
    ) -> bool {
        self.admits(thread, loc, source, order, rmw)
    }

    /// Whether the model orders events by happens-before, so that plain accesses may race.
    fn has_races(&self) -> bool {
        true
    }

    /// Whether an event of the thread `by` happens before the next event of `thread`. True if there is no happens-before.
    fn happens_before(&self, event: EventId, by: ThreadId, thread: ThreadId) -> bool;

    /// Whether some mo has all these writes last in their locations.
    fn may_be_last(&mut self, writes: &[(LocId, Source)]) -> bool;

    /// The number of mos that the execution may have, all of whose events it knows; 1 if the model has none, and anything once a limit is reached.
    fn count_mo(&mut self, graph: &Graph, limits: &Limits<'_>) -> u64 {
        let _ = (graph, limits);
        1
    }
}

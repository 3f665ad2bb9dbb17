//! Whether a topological order is a memory order: whether every read comes before the next write after its source. Where there
//! are two copies of the writes, they must also come in the same order.
//!
//! If it is, the order of the writes in it is an mo. If it is not, a write that comes too early is named; the question can
//! be asked again when the order has changed, and then only what changed is looked at again.

use super::saturation::Reason;
use crate::reach::graph::Graph;
use std::rc::Rc;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution, LocId};
use tribunal_history::verdict::Limit;

/// Writes that come between a read and its source: mo has each before the source, or else it comes after the read.
#[derive(Clone, Copy, Debug)]
struct Intervening {
    source: EventId,
    read: EventId,
    /// The first of them.
    first: EventId,
    /// The last of them.
    last: EventId,
}

impl Intervening {
    /// Pairs one of which the order should have, the nearer first. What reaches the read must come before its source, and what
    /// the source reaches behind the read.
    fn ways<R: Copy>(&self, graph: &Graph<R>) -> [(EventId, EventId); 4] {
        let Intervening { source, read, first, last } = *self;
        let place = |e: EventId| graph.place(e.into());
        let mut ways = [(read, first), (last, source), (first, source), (read, last)];
        if place(last) - place(source) < place(read) - place(first) {
            ways.swap(0, 1);
        }
        ways
    }

    /// A pair that mo should have, of the two ways out the one that moves nodes less far: the last of the writes before the source,
    /// or the first of them after it. Whatever is known to come before the one, or after the other, follows.
    fn nearer<R: Copy>(&self, graph: &Graph<R>) -> (EventId, EventId) {
        let place = |e: EventId| graph.place(e.into());
        let (back, forth) = (place(self.last) - place(self.source), place(self.read) - place(self.first));
        if back < forth { (self.last, self.source) } else { (self.source, self.first) }
    }
}

/// A move of nodes: how many derived edges there were before, the edges that bring it about, and which of them is next.
struct Move {
    edges: usize,
    ways: [(EventId, EventId); 4],
    next: usize,
}

/// A sweep along the order, with what it takes to go back.
pub(crate) struct MemoryOrderSweep<'a> {
    x: &'a Execution,
    place: u32,
    /// The last write of each location so far.
    current: Vec<Option<EventId>>,
    overwritten: Vec<Overwritten>,
    /// The next write of its location after each write that is not the last so far.
    next: Vec<EventId>,
    /// By event: the other copy of a write; empty if there are none.
    twins: Rc<[u32]>,
}

struct Overwritten {
    place: u32,
    loc: LocId,
    before: Option<EventId>,
}

impl<'a> MemoryOrderSweep<'a> {
    pub(crate) fn new(x: &'a Execution, twins: Rc<[u32]>) -> Self {
        MemoryOrderSweep {
            twins,
            x,
            place: 0,
            current: vec![None; x.location_count()],
            overwritten: Vec::new(),
            next: vec![EventId(0); x.len()],
        }
    }

    /// The bytes that it takes.
    pub(crate) fn bytes(x: &Execution) -> usize {
        // What was overwritten may move to where there is twice the room.
        let writes = x.features().writes + x.features().rmws;
        4 * x.len() + 8 * x.location_count() + 3 * writes * size_of::<Overwritten>()
    }

    /// Goes back to a place from which on the order has changed.
    pub(crate) fn rewind(&mut self, place: u32) {
        while let Some(last) = self.overwritten.pop_if(|last| last.place >= place) {
            self.current[last.loc.index()] = last.before;
        }
        self.place = self.place.min(place);
    }

    /// A pair of writes that mo should order so, since it has one of them out of place; none if the order is a memory order.
    pub(crate) fn next<R: Copy>(&mut self, graph: &Graph<R>) -> Option<(EventId, EventId)> {
        self.pair(graph).map(|pair| pair.nearer(graph)).or_else(|| self.differing(graph))
    }

    /// Makes the order a memory order by moving nodes alone: a read before the writes out of place, or its source behind them. What
    /// follows is not thought of; where there is no way on, the last move is made otherwise. Says whether it worked, with at
    /// most so many moves.
    pub(crate) fn straighten(
        &mut self,
        graph: &mut Graph<Reason>,
        most: usize,
        limits: &Limits<'_>,
    ) -> Result<bool, Limit> {
        let reason = Reason::Assumed { depth: 0 };
        let mut made: Vec<Move> = Vec::new();
        let mut moves = 0;
        while let Some(pair) = self.pair(graph) {
            made.push(Move { edges: graph.derived().len(), ways: pair.ways(graph), next: 0 });
            // The last move that can still be made otherwise.
            loop {
                moves += 1;
                limits.check(0)?;
                let Some(last) = made.last_mut().filter(|_| moves <= most) else { return Ok(false) };
                graph.truncate(last.edges);
                let Some(&(from, to)) = last.ways.get(last.next) else {
                    made.pop();
                    continue;
                };
                last.next += 1;
                if let Ok(place) = graph.insert(from.into(), to.into(), reason) {
                    self.rewind(place);
                    break;
                }
            }
        }
        Ok(true)
    }

    /// Two writes of a location whose copies come in another order.
    fn differing<R: Copy>(&self, graph: &Graph<R>) -> Option<(EventId, EventId)> {
        if self.twins.is_empty() {
            return None;
        }
        let x = self.x;
        let copied = x.location_count() / 2;
        let mut orders: Vec<[Vec<u32>; 2]> = vec![Default::default(); copied];
        for node in (0..graph.len() as u32).map(|place| graph.at(place)) {
            if x.labels().get(node.index()).is_some_and(|label| label.writes()) {
                let loc = x.locs()[node.index()].index();
                match loc < copied {
                    true => orders[loc][0].push(node.0),
                    false => orders[loc - copied][1].push(self.twins[node.index()]),
                }
            }
        }
        let pairs = orders.iter().flat_map(|[first, second]| first.iter().zip(second));
        pairs.into_iter().find(|(a, b)| a != b).map(|(&a, &b)| (EventId(a), EventId(b)))
    }

    /// The first write out of place.
    fn pair<R: Copy>(&mut self, graph: &Graph<R>) -> Option<Intervening> {
        let x = self.x;
        while (self.place as usize) < graph.len() {
            let node = graph.at(self.place);
            if let Some(label) = x.labels().get(node.index())
                && !label.is_fence()
            {
                let (e, loc) = (EventId(node.0), x.locs()[node.index()]);
                let current = self.current[loc.index()];
                if let Some(source) = x.rf(e)
                    && let Some(last) = current
                    && last != source
                    && !x.is_init(source)
                    && graph.place(source.into()) < self.place
                {
                    return Some(Intervening { source, read: e, first: self.next[source.index()], last });
                }
                if label.writes() {
                    if let Some(current) = current {
                        self.next[current.index()] = e;
                    }
                    self.current[loc.index()] = Some(e);
                    self.overwritten.push(Overwritten { place: self.place, loc, before: current });
                }
            }
            self.place += 1;
        }
        None
    }
}

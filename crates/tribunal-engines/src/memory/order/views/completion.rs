//! Completes a partial store order: enumerates the orders that extend it, location by location, and leaves those that close a
//! cycle (Zennou et al. 2019, Algorithms 1 and 2).
//!
//! A write is put after the last of its location, with what reads from that one before it; a write that the partial order has
//! after one that is still to come waits for it. Exponential in the number of pairs that are left open; O(n) memory beside the graph.

use super::saturation::{self, Reason};
use super::search::in_order;
use crate::reach::graph::{Graph, Node};
use crate::reach::lists::Lists;
use tribunal_history::limits::Limits;
use tribunal_history::memory::{EventId, Execution};
use tribunal_history::verdict::Limit;

/// The bytes that a write takes beside the graph.
const BYTES_PER_EVENT: usize = 40;

/// The writes in the order of an mo that extends the graph, if there is one; `states` counts the writes that were placed.
pub(crate) fn search(
    x: &Execution,
    graph: &mut Graph<Reason>,
    limits: &Limits<'_>,
    states: &mut u64,
) -> Result<Option<Vec<EventId>>, Limit> {
    limits.check_memory(saturation::graph_bytes(graph) + BYTES_PER_EVENT * x.len(), *states)?;
    let mut completion = Completion::new(x, graph);
    let mut tried: Vec<Tried> = Vec::with_capacity(completion.writes.len());
    // Of the writes that may come next, the first to try.
    let mut from = 0;
    while tried.len() < completion.writes.len() {
        *states += 1;
        limits.check(*states)?;
        limits
            .check_memory(saturation::graph_bytes(completion.graph) + BYTES_PER_EVENT * x.len(), *states)?;
        let at = tried.len();
        match completion.place_next(at, at.max(from)) {
            Some(choice) => {
                tried.push(choice);
                from = 0;
            }
            None => {
                let Some(last) = tried.pop() else { return Ok(None) };
                completion.take_back(tried.len(), &last);
                from = last.choice + 1;
            }
        }
    }
    Ok(Some(in_order(x, completion.graph)))
}

/// The write that was placed, and how many derived edges there were before.
struct Tried {
    choice: usize,
    edges: usize,
}

struct Completion<'a> {
    x: &'a Execution,
    graph: &'a mut Graph<Reason>,
    /// The writes of each location in turn: those placed in their order, then those still to come.
    writes: Vec<EventId>,
    /// By place in `writes`: where the location begins and where it ends.
    location: Vec<(u32, u32)>,
    placed: Vec<bool>,
    /// By write, who reads from it.
    readers: Lists<EventId>,
}

impl<'a> Completion<'a> {
    fn new(x: &'a Execution, graph: &'a mut Graph<Reason>) -> Self {
        let mut writes: Vec<EventId> = x.events().filter(|&e| x.label(e).writes()).collect();
        writes.sort_unstable_by_key(|&w| (x.loc(w), graph.place(w.into())));
        let mut location = Vec::with_capacity(writes.len());
        for of_location in writes.chunk_by(|&a, &b| x.loc(a) == x.loc(b)) {
            let start = location.len() as u32;
            location.resize(location.len() + of_location.len(), (start, start + of_location.len() as u32));
        }
        let sources =
            x.events().filter_map(|e| Some((x.rf(e).filter(|&write| !x.is_init(write))?.index(), e)));
        let readers = Lists::of_pairs(x.len(), sources);
        Completion { x, graph, writes, location, placed: vec![false; x.len()], readers }
    }

    /// Places a write: of those that may come at this place, the first from `from` on that closes no cycle.
    fn place_next(&mut self, at: usize, from: usize) -> Option<Tried> {
        let (start, end) = self.location[at];
        let edges = self.graph.derived().len();
        for choice in from..end as usize {
            let write = self.writes[choice];
            if self.waits(write) {
                continue;
            }
            let last = (at > start as usize).then(|| self.writes[at - 1]);
            if last.is_none_or(|last| self.put_after(last, write)) {
                self.writes.swap(at, choice);
                self.placed[write.index()] = true;
                return Some(Tried { choice, edges });
            }
            self.graph.truncate(edges);
        }
        None
    }

    fn take_back(&mut self, at: usize, tried: &Tried) {
        self.placed[self.writes[at].index()] = false;
        self.writes.swap(at, tried.choice);
        self.graph.truncate(tried.edges);
    }

    /// Whether the partial order has a write of its location before it that is still to come.
    fn waits(&self, write: EventId) -> bool {
        let to_come = |pred: Node| {
            let e = EventId(pred.0);
            pred.index() < self.x.len()
                && self.x.label(e).writes()
                && self.x.loc(e) == self.x.loc(write)
                && !self.placed[e.index()]
        };
        self.graph.base_preds(write.into()).iter().any(|&pred| to_come(pred))
            || self.graph.derived_into(write.into()).any(|(_, edge)| to_come(edge.from))
    }

    /// Puts a write after another, and what reads from that before it; whether that closes no cycle.
    fn put_after(&mut self, last: EventId, write: EventId) -> bool {
        let (after, fr) = (Reason::Assumed { depth: 0 }, Reason::Fr { source: last });
        self.graph.insert(last.into(), write.into(), after).is_ok()
            && self
                .readers
                .of(last.index())
                .iter()
                .filter(|&&read| read != write)
                .all(|&read| self.graph.insert(read.into(), write.into(), fr).is_ok())
    }
}

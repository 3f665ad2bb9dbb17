//! Runs a graph as a memory would: one node at a time, no write before all have read what it overwrites, unless nothing
//! else can go. This gives a topological order that is close to a memory order. O(n + edges).

use super::graph::{Graph, Node};
use crate::memory::{EventId, Execution, LocId};
use std::collections::VecDeque;

struct Simulation<'a, R> {
    x: &'a Execution,
    graph: &'a Graph<R>,
    waits_for: Vec<u32>,
    /// Readers still to come, by write.
    unread: Vec<u32>,
    /// The last write of each location so far.
    current: Vec<EventId>,
    /// Writes that wait for the readers of the current write of their location.
    blocked: Vec<Vec<EventId>>,
    /// All blocked writes, oldest first; those that have gone since are skipped.
    oldest: VecDeque<EventId>,
    ready: VecDeque<Node>,
    ready_writes: VecDeque<EventId>,
    done: Vec<bool>,
    order: Vec<Node>,
}

/// A topological order; or a cycle of base edges, if there are no others.
pub(crate) fn order<R: Copy>(x: &Execution, graph: &Graph<R>) -> Result<Vec<Node>, Vec<Node>> {
    let mut simulation = Simulation::new(x, graph);
    simulation.run();
    if simulation.order.len() == graph.len() { Ok(simulation.order) } else { Err(simulation.cycle()) }
}

impl<'a, R: Copy> Simulation<'a, R> {
    fn new(x: &'a Execution, graph: &'a Graph<R>) -> Self {
        let mut unread = vec![0; x.len() + x.location_count()];
        x.events().filter_map(|e| x.rf(e)).for_each(|write| unread[write.index()] += 1);
        let nodes = || (0..graph.len() as u32).map(Node);
        let waits_for: Vec<u32> =
            nodes().map(|n| (graph.base_preds(n).len() + graph.derived_into(n).count()) as u32).collect();
        let mut simulation = Simulation {
            x,
            graph,
            unread,
            current: x.locations().map(|loc| x.init_write(loc)).collect(),
            blocked: vec![Vec::new(); x.location_count()],
            oldest: VecDeque::new(),
            ready: VecDeque::new(),
            ready_writes: VecDeque::new(),
            done: vec![false; graph.len()],
            order: Vec::with_capacity(graph.len()),
            waits_for,
        };
        for node in nodes() {
            if simulation.waits_for[node.index()] == 0 {
                simulation.make_ready(node);
            }
        }
        simulation
    }

    fn make_ready(&mut self, node: Node) {
        if self.x.labels().get(node.index()).is_some_and(|label| label.writes()) {
            self.ready_writes.push_back(EventId(node.0));
        } else {
            self.ready.push_back(node);
        }
    }

    /// Runs until nothing is left to run; a write goes out of turn only when nothing else can go.
    fn run(&mut self) {
        loop {
            if let Some(node) = self.ready.pop_front() {
                self.execute(node);
            } else if let Some(write) = self.pick() {
                self.execute(write.into());
            } else if let Some(write) = self.oldest.pop_front() {
                let loc = self.x.locs()[write.index()];
                if self.done[write.index()] || !self.blocked[loc.index()].contains(&write) {
                    continue;
                }
                self.blocked[loc.index()].retain(|&other| other != write);
                self.execute(write.into());
            } else {
                return;
            }
        }
    }

    /// A ready write in turn, one that leaves few readers waiting for something else: until they have read, it blocks
    /// its location.
    fn pick(&mut self) -> Option<EventId> {
        const LOOK_AT: usize = 64;
        let mut best: Option<(u32, usize)> = None;
        let mut i = 0;
        while i < self.ready_writes.len().min(LOOK_AT) {
            let write = self.ready_writes[i];
            let loc = self.x.locs()[write.index()];
            if !self.in_turn(write, loc) {
                self.ready_writes.remove(i);
                self.blocked[loc.index()].push(write);
                self.oldest.push_back(write);
                continue;
            }
            let waiting = self.readers_waiting(write);
            if best.is_none_or(|(least, _)| waiting < least) {
                best = Some((waiting, i));
            }
            if waiting == 0 {
                break;
            }
            i += 1;
        }
        best.and_then(|(_, i)| self.ready_writes.remove(i))
    }

    /// How many readers of a write wait for something else besides it.
    fn readers_waiting(&self, write: EventId) -> u32 {
        let succs = self.graph.base_succs(write.into()).iter();
        succs
            .filter(|succ| succ.index() < self.x.len() && self.x.rf(EventId(succ.0)) == Some(write))
            .map(|reader| self.waits_for[reader.index()].saturating_sub(1))
            .sum()
    }

    /// Whether nobody but itself has still to read what the write overwrites.
    fn in_turn(&self, write: EventId, loc: LocId) -> bool {
        let current = self.current[loc.index()];
        let own = u32::from(self.x.rf(write) == Some(current));
        self.unread[current.index()] == own
    }

    fn execute(&mut self, node: Node) {
        self.done[node.index()] = true;
        self.order.push(node);
        if let Some(&label) = self.x.labels().get(node.index())
            && !label.is_fence()
        {
            let e = EventId(node.0);
            let loc = self.x.locs()[node.index()];
            if let Some(source) = self.x.rf(e) {
                self.unread[source.index()] -= 1;
            }
            if label.writes() {
                self.current[loc.index()] = e;
            }
            self.wake(loc);
        }
        let graph = self.graph;
        for succ in graph.base_succs(node).iter().copied().chain(graph.derived_succs(node)) {
            self.waits_for[succ.index()] -= 1;
            if self.waits_for[succ.index()] == 0 {
                self.make_ready(succ);
            }
        }
    }

    /// Lets writes go on that wait for the readers of the current write, once all have read it, or all but one that writes.
    fn wake(&mut self, loc: LocId) {
        let current = self.current[loc.index()];
        let blocked = &mut self.blocked[loc.index()];
        match self.unread[current.index()] {
            0 => self.ready_writes.extend(blocked.drain(..)),
            1 => {
                if let Some(i) = blocked.iter().position(|&write| self.x.rf(write) == Some(current)) {
                    self.ready_writes.push_back(blocked.swap_remove(i));
                }
            }
            _ => {}
        }
    }

    /// A cycle among the nodes that never became ready.
    fn cycle(&self) -> Vec<Node> {
        let start = (0..self.graph.len() as u32).map(Node).find(|n| !self.done[n.index()]);
        let mut walk = vec![start.expect("not all nodes ran")];
        let mut met = vec![u32::MAX; self.graph.len()];
        loop {
            let node = walk[walk.len() - 1];
            if met[node.index()] != u32::MAX {
                let mut cycle = walk[met[node.index()] as usize..walk.len() - 1].to_vec();
                cycle.reverse();
                return cycle;
            }
            met[node.index()] = walk.len() as u32 - 1;
            let waiting = self.graph.base_preds(node).iter().copied().find(|p| !self.done[p.index()]);
            walk.push(waiting.expect("a node that never became ready waits for another"));
        }
    }
}

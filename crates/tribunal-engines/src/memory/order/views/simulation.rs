//! Runs a graph as a memory would: one node at a time, no write before all have read what it overwrites, unless nothing
//! else can go. This gives a topological order that is close to a memory order. O(n + edges).

use crate::reach::graph::{Graph, Node};
use std::collections::VecDeque;
use tribunal_history::memory::{EventId, Execution, LocId};

struct Simulation<'a, R> {
    x: &'a Execution,
    graph: &'a Graph<R>,
    waits_for: Vec<u32>,
    /// Readers still to come, by write.
    unread: Vec<u32>,
    /// The number of nodes that the readers of a write wait for besides it.
    readers_wait_for: Vec<u32>,
    /// The last write of each location so far.
    current: Vec<EventId>,
    /// Writes that wait for the readers of the current write of their location.
    blocked: Vec<Vec<EventId>>,
    /// All blocked writes, oldest first; those that have gone since are skipped.
    oldest: VecDeque<EventId>,
    is_blocked: Vec<bool>,
    ready: VecDeque<Node>,
    /// Ready writes whose readers wait for nothing else: these can go without regret.
    free_writes: VecDeque<EventId>,
    /// The other ready writes; those that became free, were blocked or have gone since are skipped.
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
        let mut readers_wait_for = vec![0; x.len() + x.location_count()];
        for e in x.events() {
            if let Some(source) = x.rf(e) {
                let preds = graph.base_preds(e.into()).iter().copied();
                let preds = preds.chain(graph.derived_into(e.into()).map(|(_, edge)| edge.from));
                readers_wait_for[source.index()] += preds.filter(|pred| pred.0 != source.0).count() as u32;
            }
        }
        let mut simulation = Simulation {
            x,
            graph,
            unread,
            readers_wait_for,
            current: x.locations().map(|loc| x.init_write(loc)).collect(),
            blocked: vec![Vec::new(); x.location_count()],
            oldest: VecDeque::new(),
            is_blocked: vec![false; x.len()],
            ready: VecDeque::new(),
            free_writes: VecDeque::new(),
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
            self.make_write_ready(EventId(node.0));
        } else {
            self.ready.push_back(node);
        }
    }

    fn make_write_ready(&mut self, write: EventId) {
        if self.readers_wait_for[write.index()] == 0 {
            self.free_writes.push_back(write);
        } else {
            self.ready_writes.push_back(write);
        }
    }

    /// Puts a write aside that is not in turn.
    fn block(&mut self, write: EventId, loc: LocId) {
        self.is_blocked[write.index()] = true;
        self.blocked[loc.index()].push(write);
        self.oldest.push_back(write);
    }

    /// Runs until nothing is left to run; a write goes out of place only when nothing else can go.
    fn run(&mut self) {
        loop {
            if let Some(node) = self.ready.pop_front() {
                self.execute(node);
            } else if let Some(write) = self.pick_free().or_else(|| self.pick()) {
                self.execute(write.into());
            } else if let Some(write) = self.oldest.pop_front() {
                let loc = self.x.locs()[write.index()];
                if self.done[write.index()] || !self.is_blocked[write.index()] {
                    continue;
                }
                self.is_blocked[write.index()] = false;
                self.blocked[loc.index()].retain(|&other| other != write);
                self.execute(write.into());
            } else {
                return;
            }
        }
    }

    /// A free write in turn.
    fn pick_free(&mut self) -> Option<EventId> {
        while let Some(write) = self.free_writes.pop_front() {
            let loc = self.x.locs()[write.index()];
            if self.done[write.index()] || self.is_blocked[write.index()] {
                continue;
            }
            if self.is_memory_order(write, loc) {
                return Some(write);
            }
            self.block(write, loc);
        }
        None
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
            if self.done[write.index()] || self.is_blocked[write.index()] {
                self.ready_writes.remove(i);
                continue;
            }
            if !self.is_memory_order(write, loc) {
                self.ready_writes.remove(i);
                self.block(write, loc);
                continue;
            }
            let waiting = self.readers_wait_for[write.index()];
            if best.is_none_or(|(least, _)| waiting < least) {
                best = Some((waiting, i));
            }
            i += 1;
        }
        best.and_then(|(_, i)| self.ready_writes.remove(i))
    }

    /// Whether nobody but itself has still to read what the write overwrites.
    fn is_memory_order(&self, write: EventId, loc: LocId) -> bool {
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
            if let Some(source) = self.source(succ)
                && source.0 != node.0
            {
                let left = &mut self.readers_wait_for[source.index()];
                *left -= 1;
                // A ready write becomes free.
                if *left == 0 && !self.x.is_init(source) && self.waits_for[source.index()] == 0 {
                    self.free_writes.push_back(source);
                }
            }
            if self.waits_for[succ.index()] == 0 {
                self.make_ready(succ);
            }
        }
    }

    fn source(&self, node: Node) -> Option<EventId> {
        if node.index() < self.x.len() { self.x.rf(EventId(node.0)) } else { None }
    }

    /// Lets writes go on that wait for the readers of the current write, once all have read it, or all but one that writes.
    fn wake(&mut self, loc: LocId) {
        let current = self.current[loc.index()];
        let mut blocked = std::mem::take(&mut self.blocked[loc.index()]);
        match self.unread[current.index()] {
            0 => blocked.drain(..).for_each(|write| self.unblock(write)),
            1 => {
                if let Some(i) = blocked.iter().position(|&write| self.x.rf(write) == Some(current)) {
                    self.unblock(blocked.swap_remove(i));
                }
            }
            _ => {}
        }
        self.blocked[loc.index()] = blocked;
    }

    fn unblock(&mut self, write: EventId) {
        self.is_blocked[write.index()] = false;
        self.make_write_ready(write);
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

//! A directed acyclic graph that grows: base edges, derived edges, and a topological order kept up to date.
//!
//! A derived edge against the order is inserted by the algorithm of Pearce and Kelly (2006): only the nodes between its
//! ends are looked at, and they keep the places that they had among them. An edge that would close a cycle is refused.
//! Derived edges are taken back in the reverse order of their insertion; the topological order stays as it is, since an order
//! of more edges is one of fewer.
//!
//! Memory: 28 bytes per node, 8 per base edge, 24 per derived one.

use super::lists::Lists;
use tribunal_history::memory::EventId;

/// A node: an event (by its id) or, beyond the events, one that stands for no event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Node(pub u32);

impl Node {
    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<EventId> for Node {
    #[inline(always)]
    fn from(event: EventId) -> Self {
        Node(event.0)
    }
}

/// A derived edge; `reason` is the business of whoever derives it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Derived<R> {
    pub from: Node,
    pub to: Node,
    pub reason: R,
    next_in: u32,
    next_out: u32,
}

const NONE: u32 = u32::MAX;

/// The edge would close a cycle.
#[derive(Debug)]
pub(crate) struct ClosesCycle;

#[derive(Clone, Debug)]
pub(crate) struct Graph<R> {
    preds: Lists<Node>,
    succs: Lists<Node>,
    derived: Vec<Derived<R>>,
    first_in: Vec<u32>,
    first_out: Vec<u32>,
    order: Vec<Node>,
    place: Vec<u32>,
    seen: Vec<bool>,
    forward: Vec<Node>,
    backward: Vec<Node>,
}

impl<R: Copy> Graph<R> {
    /// A graph of base edges, which has no order yet.
    pub(crate) fn new(nodes: usize, edges: &[(Node, Node)]) -> Self {
        Graph {
            preds: Lists::of_pairs(nodes, edges.iter().map(|&(from, to)| (to.index(), from))),
            succs: Lists::of_pairs(nodes, edges.iter().map(|&(from, to)| (from.index(), to))),
            derived: Vec::new(),
            first_in: vec![NONE; nodes],
            first_out: vec![NONE; nodes],
            order: Vec::new(),
            place: vec![0; nodes],
            seen: vec![false; nodes],
            forward: Vec::new(),
            backward: Vec::new(),
        }
    }

    /// Gives the graph its topological order, which must be one.
    pub(crate) fn set_order(&mut self, order: Vec<Node>) {
        for (place, node) in order.iter().enumerate() {
            self.place[node.index()] = place as u32;
        }
        self.order = order;
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.place.len()
    }

    /// The node at a place of the topological order.
    #[inline(always)]
    pub(crate) fn at(&self, place: u32) -> Node {
        self.order[place as usize]
    }

    /// The place of a node in the topological order.
    #[inline(always)]
    pub(crate) fn place(&self, node: Node) -> u32 {
        self.place[node.index()]
    }

    /// The base edges into a node.
    #[inline(always)]
    pub(crate) fn base_preds(&self, node: Node) -> &[Node] {
        self.preds.of(node.index())
    }

    /// The base edges out of a node.
    #[inline(always)]
    pub(crate) fn base_succs(&self, node: Node) -> &[Node] {
        self.succs.of(node.index())
    }

    /// The derived edges into a node, with their indexes, latest first.
    #[inline(always)]
    pub(crate) fn derived_into(&self, node: Node) -> impl Iterator<Item = (usize, &Derived<R>)> {
        let mut next = self.first_in[node.index()];
        std::iter::from_fn(move || {
            let edge = self.derived.get(next as usize)?;
            let index = next as usize;
            next = edge.next_in;
            Some((index, edge))
        })
    }

    /// The ends of the derived edges out of a node.
    #[inline(always)]
    pub(crate) fn derived_succs(&self, node: Node) -> impl Iterator<Item = Node> {
        let mut next = self.first_out[node.index()];
        std::iter::from_fn(move || {
            let edge = self.derived.get(next as usize)?;
            next = edge.next_out;
            Some(edge.to)
        })
    }

    /// All derived edges, in the order of their insertion.
    pub(crate) fn derived(&self) -> &[Derived<R>] {
        &self.derived
    }

    /// Inserts an edge; the places from the one returned on may have changed.
    pub(crate) fn insert(&mut self, from: Node, to: Node, reason: R) -> Result<u32, ClosesCycle> {
        let (low, high) = (self.place(to), self.place(from));
        if low <= high {
            self.reorder(from, to, low, high)?;
        }
        let index = self.derived.len() as u32;
        let (next_in, next_out) = (self.first_in[to.index()], self.first_out[from.index()]);
        self.derived.push(Derived { from, to, reason, next_in, next_out });
        self.first_in[to.index()] = index;
        self.first_out[from.index()] = index;
        Ok(low)
    }

    /// Takes back all derived edges but the first `keep`.
    pub(crate) fn truncate(&mut self, keep: usize) {
        while self.derived.len() > keep {
            let edge = self.derived.pop().expect("longer than `keep`");
            self.first_in[edge.to.index()] = edge.next_in;
            self.first_out[edge.from.index()] = edge.next_out;
        }
    }

    /// Makes room for an edge: what `to` reaches, up to the place of `from`, moves behind what reaches `from`.
    fn reorder(&mut self, from: Node, to: Node, low: u32, high: u32) -> Result<(), ClosesCycle> {
        let mut forward = std::mem::take(&mut self.forward);
        let mut backward = std::mem::take(&mut self.backward);
        let closes = self.reach_forward(from, to, high, &mut forward);
        if !closes {
            self.reach_backward(from, low, &mut backward);
            let by_place = |node: &Node| self.place[node.index()];
            forward.sort_unstable_by_key(by_place);
            backward.sort_unstable_by_key(by_place);
            let mut places: Vec<u32> = backward.iter().chain(&forward).map(by_place).collect();
            places.sort_unstable();
            for (&node, place) in backward.iter().chain(&forward).zip(places) {
                self.place[node.index()] = place;
                self.order[place as usize] = node;
            }
        }
        for node in forward.drain(..).chain(backward.drain(..)) {
            self.seen[node.index()] = false;
        }
        self.forward = forward;
        self.backward = backward;
        if closes { Err(ClosesCycle) } else { Ok(()) }
    }

    /// Collects what `to` reaches up to the place `high` of `from`; says whether `from` is among it.
    fn reach_forward(&mut self, from: Node, to: Node, high: u32, reached: &mut Vec<Node>) -> bool {
        self.seen[to.index()] = true;
        reached.push(to);
        if from == to {
            return true;
        }
        let mut visited = 0;
        while let Some(&node) = reached.get(visited) {
            visited += 1;
            let mut next = self.first_out[node.index()];
            let mut base = self.succs.of(node.index()).iter();
            loop {
                let succ = if let Some(&succ) = base.next() {
                    succ
                } else if let Some(edge) = self.derived.get(next as usize) {
                    next = edge.next_out;
                    edge.to
                } else {
                    break;
                };
                if succ == from {
                    return true;
                }
                if self.place[succ.index()] < high && !self.seen[succ.index()] {
                    self.seen[succ.index()] = true;
                    reached.push(succ);
                }
            }
        }
        false
    }

    /// Collects what reaches `from` down to the place `low`.
    fn reach_backward(&mut self, from: Node, low: u32, reached: &mut Vec<Node>) {
        self.seen[from.index()] = true;
        reached.push(from);
        let mut visited = 0;
        while let Some(&node) = reached.get(visited) {
            visited += 1;
            let mut next = self.first_in[node.index()];
            let mut base = self.preds.of(node.index()).iter();
            loop {
                let pred = if let Some(&pred) = base.next() {
                    pred
                } else if let Some(edge) = self.derived.get(next as usize) {
                    next = edge.next_in;
                    edge.from
                } else {
                    break;
                };
                if self.place[pred.index()] > low && !self.seen[pred.index()] {
                    self.seen[pred.index()] = true;
                    reached.push(pred);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph() -> Graph<()> {
        let mut graph = Graph::new(4, &[(Node(0), Node(1)), (Node(2), Node(3))]);
        graph.set_order((0..4).map(Node).collect());
        graph
    }

    #[test]
    fn keeps_a_topological_order() {
        let mut graph = graph();
        graph.insert(Node(3), Node(0), ()).expect("no cycle");
        let places: Vec<u32> = (0..4).map(|node| graph.place(Node(node))).collect();
        assert_eq!(places, [2, 3, 0, 1]);
        assert!(graph.insert(Node(1), Node(2), ()).is_err());
        assert_eq!(graph.derived().len(), 1);
    }

    #[test]
    fn takes_edges_back() {
        let mut graph = graph();
        graph.insert(Node(1), Node(2), ()).expect("no cycle");
        assert!(graph.insert(Node(3), Node(0), ()).is_err());
        graph.truncate(0);
        graph.insert(Node(3), Node(0), ()).expect("no cycle any more");
        assert_eq!(graph.derived_into(Node(0)).map(|(_, edge)| edge.from).collect::<Vec<_>>(), [Node(3)]);
        assert_eq!(graph.derived_succs(Node(3)).collect::<Vec<_>>(), [Node(0)]);
    }
}

//! What is known before anything is derived: D, what reads of lists tell of ww, and rw from both; as edges in a topological order.

use super::super::graph::Node;
use super::super::relations::{counted, ends, reads, so};
use super::super::versions::{Appenders, Versions};
use super::super::{Base, History, INIT, Isolation, KeyId, Level};
use super::accesses::Accesses;
use super::nodes::Nodes;
use super::saturation::{Ground, Known, NONE, Reason};

/// An edge: where it begins, where it leads, and why.
pub(super) type Hop = (Node, Node, Reason);

/// Collects edges.
pub(super) struct Collection<'a> {
    history: &'a History,
    level: Level,
    nodes: Nodes,
    accesses: &'a Accesses,
    pub hops: Vec<Hop>,
    pub steps: Vec<Known>,
}

impl<'a> Collection<'a> {
    /// All but the rw of initial values.
    pub(super) fn of(
        history: &'a History,
        level: Level,
        accesses: &'a Accesses,
        versions: &Versions,
    ) -> Self {
        let nodes = Nodes::of(history, level);
        let (hops, steps) = Default::default();
        let mut collection = Collection { history, level, nodes, accesses, hops, steps };
        collection.base();
        for txn in counted(history) {
            for (op, _, source) in reads(history, txn).filter(|&(.., source)| source != INIT) {
                let hop = (nodes.commit(source), nodes.snapshot(txn), Reason::Wr(op));
                collection.hops.push(hop);
            }
        }
        for (key, appenders) in versions.iter() {
            collection.list(key, appenders);
        }
        collection
    }

    /// S before C, and b.
    fn base(&mut self) {
        let Collection { history, level, nodes, .. } = *self;
        if nodes.two {
            let inside = counted(history).map(|txn| (nodes.snapshot(txn), nodes.commit(txn), Reason::Inside));
            self.hops.extend(inside);
        }
        if level.base() != Base::None {
            let so = so(history).map(|(from, to)| (nodes.commit(from), nodes.snapshot(to), Reason::So));
            self.hops.extend(so);
        }
        if level.base() == Base::Strict {
            self.real_time();
        }
    }

    /// rt, by way of a moment for each end of a committed transaction.
    fn real_time(&mut self) {
        let Collection { history, nodes, .. } = *self;
        let ends = ends(history);
        let first = nodes.first_moment();
        for (moment, &(_, txn)) in (first..).zip(&ends) {
            if moment > first {
                self.hops.push((moment - 1, moment, Reason::Moment));
            }
            self.hops.push((nodes.commit(txn), moment, Reason::Moment));
        }
        for txn in counted(history) {
            let Some(span) = history.span(txn) else { continue };
            let before = ends.partition_point(|&(end, _)| end < span.begin);
            if before > 0 {
                self.hops.push((first + before as Node - 1, nodes.snapshot(txn), Reason::Moment));
            }
        }
    }

    /// What was read of a list: each appender before the next, the last that was read before those that were not.
    fn list(&mut self, key: KeyId, Appenders { read, unread, by }: Appenders<'_>) {
        let nodes = self.nodes;
        let last = read.last().into_iter().flat_map(|&last| unread.iter().map(move |&next| (last, next)));
        for (first, second) in read.windows(2).map(|pair| (pair[0], pair[1])).chain(last) {
            let step = self.steps.len() as u32;
            self.steps.push(Known { key, first, second, ground: Ground::List(by), edges: 0 });
            self.hops.push((nodes.commit(first), nodes.target(second), Reason::Ww(step)));
            let Some(version) = self.accesses.version(key, first) else { continue };
            for &(reader, op) in self.accesses.readers(version) {
                if reader != second && self.level.isolation() != Isolation::Psi {
                    let hop = (nodes.snapshot(reader), nodes.commit(second), Reason::Rw(op, step));
                    self.hops.push(hop);
                }
            }
        }
    }

    /// Who reads the initial value comes before all writers. The first of a list, or of a chain, stands for those behind it: `firsts` are
    /// the writers of a key without them.
    pub(super) fn initial(&mut self, firsts: impl Fn(KeyId) -> Vec<super::super::TxnId>) {
        if self.level.isolation() == Isolation::Psi {
            return;
        }
        let nodes = self.nodes;
        for key in self.accesses.keys() {
            let readers = self.accesses.readers(self.accesses.initial(key));
            if readers.is_empty() {
                continue;
            }
            for writer in firsts(key) {
                for &(reader, op) in readers.iter().filter(|(reader, _)| *reader != writer) {
                    let hop = (nodes.snapshot(reader), nodes.commit(writer), Reason::Rw(op, NONE));
                    self.hops.push(hop);
                }
            }
        }
    }
}

/// By node, its place in an order that contains the edges; or the nodes that are on cycles, or between them.
pub(super) fn order(nodes: usize, hops: &[Hop]) -> Result<Vec<Node>, Vec<Node>> {
    let graph = Adjacency::new(nodes, hops);
    let mut before = vec![0u32; nodes];
    hops.iter().for_each(|&(_, to, _)| before[to as usize] += 1);
    let mut order: Vec<Node> = (0..nodes as Node).filter(|&node| before[node as usize] == 0).collect();
    let mut done = 0;
    while let Some(&node) = order.get(done) {
        done += 1;
        for &to in graph.next(node) {
            before[to as usize] -= 1;
            if before[to as usize] == 0 {
                order.push(to);
            }
        }
    }
    if order.len() == nodes {
        return Ok(order);
    }
    Err((0..nodes as Node).filter(|&node| before[node as usize] > 0).collect())
}

/// Where edges lead, by where they begin.
pub(super) struct Adjacency {
    starts: Vec<u32>,
    to: Vec<Node>,
}

impl Adjacency {
    pub(super) fn new(nodes: usize, hops: &[Hop]) -> Self {
        let mut starts = vec![0u32; nodes + 1];
        hops.iter().for_each(|&(from, ..)| starts[from as usize + 1] += 1);
        (1..=nodes).for_each(|node| starts[node] += starts[node - 1]);
        let mut next = starts.clone();
        let mut to = vec![0; hops.len()];
        for &(from, sink, _) in hops {
            let place = &mut next[from as usize];
            to[*place as usize] = sink;
            *place += 1;
        }
        Adjacency { starts, to }
    }

    pub(super) fn next(&self, node: Node) -> &[Node] {
        &self.to[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }
}

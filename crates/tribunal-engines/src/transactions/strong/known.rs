//! What is known before anything is derived: D, what reads of lists tell of ww, and rw from both; as edges in a topological order.

use super::super::graph::Node;
use super::super::relations::{counted, ends, reads, so};
use super::super::versions::{Appenders, Versions};
use super::super::{Base, History, INIT, Isolation, KeyId, Level, OpId, TxnId};
use super::accesses::{Accesses, Version};
use super::nodes::Nodes;
use super::saturation::{Ground, Known, NONE, Reason};
use crate::reach::digraph::{sort, unsorted};
use crate::reach::lists::Lists;

/// Of so few readers, or writers, each has its own edges.
const FEW: usize = 8;

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
    /// The next node that stands between readers and writers.
    junction: Node,
}

impl<'a> Collection<'a> {
    /// All but the rw of initial values.
    pub(super) fn of(
        history: &'a History,
        level: Level,
        accesses: &'a Accesses,
        versions: &Versions,
        nodes: Nodes,
    ) -> Self {
        let (hops, steps) = Default::default();
        let junction = nodes.first_junction();
        let mut collection = Collection { history, level, nodes, accesses, hops, steps, junction };
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
        for pair in read.windows(2) {
            self.known(key, pair[0], &pair[1..], by);
        }
        if let Some(&last) = read.last() {
            self.known(key, last, unread, by);
        }
    }

    /// An appender comes before others, and so does who reads from it.
    fn known(&mut self, key: KeyId, first: TxnId, others: &[TxnId], by: OpId) {
        let nodes = self.nodes;
        let step = self.steps.len() as u32;
        for (&second, step) in others.iter().zip(step..) {
            self.steps.push(Known { key, first, second, ground: Ground::List(by), edges: 0 });
            self.hops.push((nodes.commit(first), nodes.target(second), Reason::Ww(step)));
        }
        if let Some(version) = self.accesses.version(key, first) {
            self.overwritten(version, others, |at| step + at as u32);
        }
    }

    /// Who reads the initial value comes before all writers. The first of a list, or of a chain, stands for those behind it: `firsts` are
    /// the writers of a key without them.
    pub(super) fn initial(&mut self, firsts: impl Fn(KeyId) -> Vec<TxnId>) {
        for key in self.accesses.keys() {
            let version = self.accesses.initial(key);
            if !self.accesses.readers(version).is_empty() {
                self.overwritten(version, &firsts(key), |_| NONE);
            }
        }
    }

    /// rw from all readers of a version to writers, each of which a step says to come after it; by way of a junction, since there may be many of both.
    fn overwritten(&mut self, version: Version, writers: &[TxnId], step: impl Fn(usize) -> u32) {
        let (nodes, accesses) = (self.nodes, self.accesses);
        if self.level.isolation() == Isolation::Psi {
            return;
        }
        let readers = accesses.readers(version);
        let (key, _) = accesses.of_version(version);
        let rw =
            |reader, op, writer, step| (nodes.snapshot(reader), nodes.commit(writer), Reason::Rw(op, step));
        if readers.len().min(writers.len()) <= FEW {
            for (at, &writer) in writers.iter().enumerate() {
                let others = readers.iter().filter(|(reader, _)| *reader != writer);
                self.hops.extend(others.map(|&(reader, op)| rw(reader, op, writer, step(at))));
            }
            return;
        }
        // A transaction that is one node must not lead to itself: if it writes the key as well, it does not go through the junction.
        let writes = |txn: TxnId| !nodes.two && accesses.version(key, txn).is_some();
        let junction = self.junction;
        self.junction += 1;
        for &(reader, op) in readers.iter().filter(|(reader, _)| !writes(*reader)) {
            self.hops.push((nodes.snapshot(reader), junction, Reason::Reads(op)));
        }
        for (at, &writer) in writers.iter().enumerate() {
            self.hops.push((junction, nodes.commit(writer), Reason::Overwrites(step(at))));
        }
        // Two that read one version and overwrite it cannot be: each comes before the other. Nothing more is needed of the others.
        for &(reader, op) in readers.iter().filter(|(reader, _)| writes(*reader)).take(2) {
            let others = writers.iter().enumerate().filter(|(_, writer)| **writer != reader);
            self.hops.extend(others.map(|(at, &writer)| rw(reader, op, writer, step(at))));
        }
    }
}

/// The number of junctions that there may be.
pub(super) fn junctions(accesses: &Accesses, versions: &Versions, level: Level) -> u32 {
    if level.isolation() == Isolation::Psi {
        return 0;
    }
    let many = |version: Version, writers: usize| accesses.readers(version).len().min(writers) > FEW;
    let initial = |key: &KeyId| many(accesses.initial(*key), accesses.writers(*key).len());
    let last = |(key, appenders): &(KeyId, Appenders<'_>)| {
        let version = appenders.read.last().and_then(|&last| accesses.version(*key, last));
        version.is_some_and(|version| many(version, appenders.unread.len()))
    };
    (accesses.keys().filter(initial).count() + versions.iter().filter(last).count()) as u32
}

/// By node, its place in an order that contains the edges; or the nodes that are on cycles, or between them.
pub(super) fn order(nodes: usize, hops: &[Hop]) -> Result<Vec<Node>, Vec<Node>> {
    let graph = forward(nodes, hops);
    let mut before = vec![0u32; nodes];
    hops.iter().for_each(|&(_, to, _)| before[to as usize] += 1);
    sort(before, |node| graph.of(node as usize).iter().copied()).map_err(|before| unsorted(&before))
}

/// Where edges lead, by where they begin.
pub(super) fn forward(nodes: usize, hops: &[Hop]) -> Lists<Node> {
    Lists::of_pairs(nodes, hops.iter().map(|&(from, to, _)| (from as usize, to)))
}

/// Where edges begin, by where they lead.
pub(super) fn backward(nodes: usize, hops: &[Hop]) -> Lists<Node> {
    Lists::of_pairs(nodes, hops.iter().map(|&(from, to, _)| (to as usize, from)))
}

//! Running the transactions on a store that keeps to the level: an order without going back, or none.
//!
//! A transaction, or its snapshot, runs once all that comes before it has; a commit waits until everybody has read what it overwrites. Under si
//! a snapshot also takes the keys that its transaction writes, until the commit: nobody else may write them meanwhile. So whatever has run
//! is explained: reads are of the latest version, since that is not overwritten before they have run.
//!
//! Of those that may run the first by the hint does. Who waits for a key waits in its queue, and when the key is free the first of them is tried. Time O((n + m) log n) for
//! n operations and m edges where transactions wait for one key at a time; polled, since those that wait for several are tried again and again.

use super::super::graph::Node;
use super::super::{History, Isolation, KeyId, Level, TxnId};
use super::accesses::{Accesses, Version};
use super::known::{Adjacency, Hop};
use super::nodes::Nodes;
use crate::limits::Limits;
use crate::verdict::Limit;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const NOBODY: u32 = u32::MAX;

/// Transactions under way.
struct Simulation<'a> {
    nodes: Nodes,
    accesses: &'a Accesses,
    takes_keys: bool,
    hint: &'a [u32],
    graph: Adjacency,
    /// By node, how many of those before it have not run.
    before: Vec<u32>,
    ready: BinaryHeap<Reverse<(u32, Node)>>,
    /// By version, how many reads of it have not run; by key, the latest.
    unread: Vec<u32>,
    latest: Vec<Version>,
    /// By version, its readers that have not run, all ids combined by exclusive or: of the last one, its id.
    last_reader: Vec<u32>,
    /// By key, the transaction that has taken it.
    taken: Vec<u32>,
    /// By key, who waits for it, or for the reads of its latest version, by the hint. By node, the key that it waits for: what is in a queue and does not wait for its key has left it.
    queues: Vec<BinaryHeap<Reverse<(u32, Node)>>>,
    waits_for: Vec<u32>,
    commits: Vec<TxnId>,
    ran: usize,
}

/// What a simulation comes to: the transactions in the order of their commits, or the keys that somebody waits for in the end.
pub(super) type Simulated = Result<Vec<TxnId>, Vec<KeyId>>;

/// Runs all transactions. By node, `hint` says what runs first; `hops` are all edges known so far.
pub(super) fn run(
    history: &History,
    nodes: Nodes,
    level: Level,
    accesses: &Accesses,
    hops: &[Hop],
    hint: &[u32],
    limits: &Limits<'_>,
) -> Result<Simulated, Limit> {
    let count = nodes.count();
    let mut before = vec![0u32; count];
    hops.iter().for_each(|&(_, to, _)| before[to as usize] += 1);
    let versions = accesses.all_versions();
    let unread = (0..versions as u32).map(|version| accesses.readers(Version(version)).len() as u32);
    let latest: Vec<Version> = accesses.keys().map(|key| accesses.initial(key)).collect();
    let last_reader = (0..versions as u32)
        .map(|version| accesses.readers(Version(version)).iter().fold(0, |ids, (reader, _)| ids ^ reader.0));
    let keys = latest.len();
    let mut simulation = Simulation {
        nodes,
        accesses,
        takes_keys: level.isolation() == Isolation::Si,
        hint,
        graph: Adjacency::new(count, hops),
        before,
        ready: BinaryHeap::new(),
        unread: unread.collect(),
        latest,
        last_reader: last_reader.collect(),
        taken: vec![NOBODY; keys],
        queues: vec![BinaryHeap::new(); keys],
        waits_for: vec![NOBODY; count],
        commits: Vec::new(),
        ran: 0,
    };
    for node in 0..count as Node {
        if simulation.before[node as usize] == 0 {
            simulation.may_run(node);
        }
    }
    let mut tried = 0u32;
    while let Some(Reverse((_, node))) = simulation.ready.pop() {
        tried = tried.wrapping_add(1);
        if tried.is_multiple_of(1024) {
            limits.check(0)?;
        }
        if simulation.runs(node) {
            simulation.run(node);
        } else {
            simulation.pass_on(node);
        }
    }
    if simulation.ran < count {
        return Ok(Err(simulation.in_the_way()));
    }
    let mut commits = simulation.commits;
    commits.retain(|&txn| history.reads().counts(txn));
    Ok(Ok(commits))
}

impl Simulation<'_> {
    fn may_run(&mut self, node: Node) {
        self.ready.push(Reverse((self.hint[node as usize], node)));
    }

    /// Whether a node can run now; if not, it waits for what is in its way.
    fn runs(&mut self, node: Node) -> bool {
        let Some(txn) = self.nodes.txn(node) else { return true };
        let taken = |key: KeyId| self.taken[key.index()] != NOBODY;
        let mut in_the_way = None;
        if self.takes_keys && node == self.nodes.snapshot(txn) {
            in_the_way = self.accesses.written(txn).map(|(key, _)| key).find(|&key| taken(key));
        }
        if in_the_way.is_none() && node == self.nodes.commit(txn) {
            in_the_way = self.accesses.written(txn).map(|(key, _)| key).find(|&key| self.is_unread(key, txn));
        }
        if let Some(key) = in_the_way {
            self.waits_for[node as usize] = key.0;
            self.queues[key.index()].push(Reverse((self.hint[node as usize], node)));
        }
        in_the_way.is_none()
    }

    /// Whether somebody has yet to read the latest version of a key, other than a transaction whose reads run with its writes.
    fn is_unread(&self, key: KeyId, txn: TxnId) -> bool {
        let version = self.latest[key.index()];
        match self.unread[version.index()] {
            0 => false,
            1 => self.nodes.two || self.last_reader[version.index()] != txn.0,
            _ => true,
        }
    }

    /// A node that waits again leaves the keys that are free to those behind it.
    fn pass_on(&mut self, node: Node) {
        let Some(txn) = self.nodes.txn(node) else { return };
        let accesses = self.accesses;
        for (key, _) in accesses.written(txn) {
            if self.taken[key.index()] == NOBODY && !self.is_unread(key, txn) {
                self.wake(key);
            }
        }
    }

    fn run(&mut self, node: Node) {
        self.ran += 1;
        if let Some(txn) = self.nodes.txn(node) {
            if node == self.nodes.snapshot(txn) {
                self.read(txn);
            }
            if node == self.nodes.commit(txn) {
                self.write(txn);
            }
        }
        for at in 0..self.graph.next(node).len() {
            let next = self.graph.next(node)[at];
            self.before[next as usize] -= 1;
            if self.before[next as usize] == 0 {
                self.may_run(next);
            }
        }
    }

    fn read(&mut self, txn: TxnId) {
        let accesses = self.accesses;
        for &(_, version) in accesses.reads(txn) {
            self.unread[version.index()] -= 1;
            self.last_reader[version.index()] ^= txn.0;
            let (key, _) = accesses.of_version(version);
            match self.unread[version.index()] {
                0 if self.taken[key.index()] != NOBODY => {
                    self.wake_node(self.nodes.commit(TxnId(self.taken[key.index()])));
                }
                0 => self.wake(key),
                // The last reader may be who waits.
                1 => self.wake_node(self.nodes.commit(TxnId(self.last_reader[version.index()]))),
                _ => {}
            }
        }
        if self.takes_keys {
            for (key, _) in accesses.written(txn) {
                self.taken[key.index()] = txn.0;
            }
        }
    }

    fn write(&mut self, txn: TxnId) {
        let accesses = self.accesses;
        for (key, version) in accesses.written(txn) {
            self.latest[key.index()] = version;
            self.taken[key.index()] = NOBODY;
            self.wake(key);
        }
        self.commits.push(txn);
    }

    /// The keys that somebody waits for, or whose versions somebody waits for to be read.
    fn in_the_way(&self) -> Vec<KeyId> {
        let mut waited_for = vec![false; self.queues.len()];
        let keys = self.waits_for.iter().filter(|&&key| key != NOBODY);
        keys.for_each(|&key| waited_for[key as usize] = true);
        self.accesses.keys().filter(|key| waited_for[key.index()]).collect()
    }

    /// The first that waits for a key may be able to run.
    fn wake(&mut self, key: KeyId) {
        while let Some(Reverse((_, node))) = self.queues[key.index()].pop() {
            if self.waits_for[node as usize] == key.0 {
                return self.wake_node(node);
            }
        }
    }

    /// A node may be able to run, if it waits.
    fn wake_node(&mut self, node: Node) {
        if std::mem::replace(&mut self.waits_for[node as usize], NOBODY) != NOBODY {
            self.may_run(node);
        }
    }
}

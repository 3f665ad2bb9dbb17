//! Running the transactions on a store that keeps to the level: an order without going back, or none.
//!
//! A transaction, or its snapshot, runs once all that comes before it has; a commit waits until everybody has read what it overwrites. Under si
//! a snapshot also takes the keys that its transaction writes, until the commit: nobody else may write them meanwhile. So whatever has run
//! is explained: reads are of the latest version, since that is not overwritten before they have run.
//!
//! Of those that may run the first by the hint does. Time O((n + m) log n) for n operations and m edges.

use super::super::graph::Node;
use super::super::{History, Isolation, KeyId, Level, TxnId};
use super::accesses::{Accesses, Version};
use super::known::{Adjacency, Hop};
use super::nodes::Nodes;
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
    /// By key, the transaction that has taken it.
    taken: Vec<u32>,
    /// Who waits for the reads of a version, and for a key: linked by node.
    waiting_for_reads: Vec<u32>,
    waiting_for_key: Vec<u32>,
    next_waiting: Vec<u32>,
    commits: Vec<TxnId>,
    ran: usize,
}

/// The transactions in the order of their commits, if the simulation comes to its end; else the keys that somebody waits for in the end. By node,
/// `hint` says what runs first; `hops` are all edges known so far.
pub(super) fn run(
    history: &History,
    nodes: Nodes,
    level: Level,
    accesses: &Accesses,
    hops: &[Hop],
    hint: &[u32],
) -> Result<Vec<TxnId>, Vec<KeyId>> {
    let count = nodes.count();
    let mut before = vec![0u32; count];
    hops.iter().for_each(|&(_, to, _)| before[to as usize] += 1);
    let versions = accesses.all_versions();
    let unread = (0..versions as u32).map(|version| accesses.readers(Version(version)).len() as u32);
    let latest: Vec<Version> = accesses.keys().map(|key| accesses.initial(key)).collect();
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
        taken: vec![NOBODY; keys],
        waiting_for_reads: vec![NOBODY; versions],
        waiting_for_key: vec![NOBODY; keys],
        next_waiting: vec![NOBODY; count],
        commits: Vec::new(),
        ran: 0,
    };
    for node in 0..count as Node {
        if simulation.before[node as usize] == 0 {
            simulation.may_run(node);
        }
    }
    while let Some(Reverse((_, node))) = simulation.ready.pop() {
        if simulation.runs(node) {
            simulation.run(node);
        }
    }
    if simulation.ran < count {
        return Err(simulation.in_the_way());
    }
    let mut commits = simulation.commits;
    commits.retain(|&txn| history.reads().counts(txn));
    Ok(commits)
}

impl Simulation<'_> {
    fn may_run(&mut self, node: Node) {
        self.ready.push(Reverse((self.hint[node as usize], node)));
    }

    /// Whether a node can run now; if not, it waits for what is in its way.
    fn runs(&mut self, node: Node) -> bool {
        let Some(txn) = self.nodes.txn(node) else { return true };
        if self.takes_keys && node == self.nodes.snapshot(txn) {
            let taken = |key: KeyId| self.taken[key.index()] != NOBODY;
            if let Some((key, _)) = self.accesses.written(txn).find(|&(key, _)| taken(key)) {
                self.next_waiting[node as usize] = self.waiting_for_key[key.index()];
                self.waiting_for_key[key.index()] = node;
                return false;
            }
        }
        if node != self.nodes.commit(txn) {
            return true;
        }
        // Its own reads run with it.
        let own = |version: Version| {
            let reads = !self.nodes.two && self.accesses.reads(txn).iter().any(|&(_, read)| read == version);
            u32::from(reads)
        };
        let unread = |key: KeyId| {
            let version = self.latest[key.index()];
            (self.unread[version.index()] > own(version)).then_some(version)
        };
        match self.accesses.written(txn).find_map(|(key, _)| unread(key)) {
            None => true,
            Some(version) => {
                self.next_waiting[node as usize] = self.waiting_for_reads[version.index()];
                self.waiting_for_reads[version.index()] = node;
                false
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
        for &(_, version) in self.accesses.reads(txn) {
            self.unread[version.index()] -= 1;
            // The last reader may be who waits.
            if self.unread[version.index()] <= 1 {
                let waiting = std::mem::replace(&mut self.waiting_for_reads[version.index()], NOBODY);
                self.wake(waiting);
            }
        }
        if self.takes_keys {
            for (key, _) in self.accesses.written(txn) {
                self.taken[key.index()] = txn.0;
            }
        }
    }

    fn write(&mut self, txn: TxnId) {
        for (key, version) in self.accesses.written(txn) {
            self.latest[key.index()] = version;
            if self.takes_keys {
                self.taken[key.index()] = NOBODY;
                let waiting = std::mem::replace(&mut self.waiting_for_key[key.index()], NOBODY);
                self.wake(waiting);
            }
        }
        self.commits.push(txn);
    }

    /// The keys that somebody waits for, or whose versions somebody waits for to be read.
    fn in_the_way(&self) -> Vec<KeyId> {
        let is_waited_for = |key: &KeyId| {
            let version = self.latest[key.index()];
            self.waiting_for_key[key.index()] != NOBODY || self.waiting_for_reads[version.index()] != NOBODY
        };
        self.accesses.keys().filter(is_waited_for).collect()
    }

    fn wake(&mut self, mut waiting: u32) {
        while waiting != NOBODY {
            let next = std::mem::replace(&mut self.next_waiting[waiting as usize], NOBODY);
            self.may_run(waiting);
            waiting = next;
        }
    }
}

//! Running the transactions on a store that keeps to the level: an order without going back, or none.
//!
//! A transaction, or its snapshot, runs once all that comes before it has; a commit waits until everybody has read what it overwrites. Under si
//! a snapshot also takes the keys that its transaction writes, until the commit: nobody else may write them meanwhile. So whatever has run
//! is explained: reads are of the latest version, since that is not overwritten before they have run.
//!
//! Of those that may run the first by the hint does. Who waits for a key waits in its queue, and when the key is free the first of them is tried. Time O((n + m) log n) for
//! n operations and m edges where transactions wait for one key at a time; polled, since those that wait for several are tried again and again.
//!
//! When nobody can run, some wait for each other ([`repair`](super::repair)): what is in the way came too early, so all since then is undone and it comes later.

use super::super::graph::Node;
use super::super::{History, Isolation, KeyId, Level, TxnId};
use super::accesses::{Accesses, Version};
use super::known::{Hop, forward};
use super::nodes::Nodes;
use super::repair::Repairs;
use crate::reach::lists::Lists;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::Limit;

pub(super) const NOBODY: u32 = u32::MAX;

/// Transactions under way.
pub(super) struct Simulation<'a> {
    pub nodes: Nodes,
    pub accesses: &'a Accesses,
    takes_keys: bool,
    hint: &'a [u32],
    graph: Lists<Node>,
    pub repairs: Repairs,
    /// By node, how many of those before it have not run.
    pub before: Vec<u32>,
    ready: BinaryHeap<Reverse<(u32, Node)>>,
    /// By version, how many reads of it have not run; by key, the latest.
    unread: Vec<u32>,
    pub latest: Vec<Version>,
    /// By version, the one before it.
    overwritten: Vec<Version>,
    /// By version, its readers that have not run, all ids combined by exclusive or: of the last one, its id.
    last_reader: Vec<u32>,
    /// By key, the transaction that has taken it.
    pub taken: Vec<u32>,
    /// By key, who waits for it, or for the reads of its latest version, by the hint. By node, the key that it waits for: what is in a queue and does not wait for its key has left it.
    queues: Vec<BinaryHeap<Reverse<(u32, Node)>>>,
    waits_for: Vec<u32>,
    /// Those that wait, and some that did.
    waiting: Vec<Node>,
    commits: Vec<TxnId>,
    /// What has run, in order; by node, its place there, if it has run.
    pub ran: Vec<Node>,
    pub places: Vec<u32>,
}

/// What is in the way of a node that all before it have run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// The key is taken.
    Taken(KeyId),
    /// Somebody has yet to read the latest version of the key.
    Unread(KeyId),
}

impl Obstacle {
    fn key(self) -> KeyId {
        let (Obstacle::Taken(key) | Obstacle::Unread(key)) = self;
        key
    }
}

/// What a simulation comes to: the transactions in the order of their commits, or the keys that somebody waits for in the end.
pub(super) type Simulated = Result<Vec<TxnId>, Vec<KeyId>>;

/// Runs all transactions. By node, `hint` says what runs first; `hops` are all edges known so far. As long as `patience` lasts, which is counted in nodes that
/// are looked at, what came too early is undone.
#[expect(clippy::too_many_arguments)]
pub(super) fn run(
    history: &History,
    nodes: Nodes,
    level: Level,
    accesses: &Accesses,
    hops: &[Hop],
    hint: &[u32],
    patience: usize,
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
        graph: forward(count, hops),
        repairs: Repairs::new(patience),
        before,
        ready: BinaryHeap::new(),
        unread: unread.collect(),
        latest,
        overwritten: vec![Version(NOBODY); versions],
        last_reader: last_reader.collect(),
        taken: vec![NOBODY; keys],
        queues: vec![BinaryHeap::new(); keys],
        waits_for: vec![NOBODY; count],
        waiting: Vec::new(),
        commits: Vec::new(),
        ran: Vec::with_capacity(count),
        places: vec![NOBODY; count],
    };
    for node in 0..count as Node {
        if simulation.before[node as usize] == 0 {
            simulation.may_run(node);
        }
    }
    let mut tried = 0u32;
    loop {
        while let Some(Reverse((_, node))) = simulation.ready.pop() {
            tried = tried.wrapping_add(1);
            if tried.is_multiple_of(1024) {
                limits.check(0)?;
            }
            if simulation.has_run(node) {
                continue;
            }
            // Something before it may have been undone.
            if simulation.before[node as usize] == 0 && simulation.runs(node) {
                simulation.run(node);
            } else {
                simulation.pass_on(node);
            }
        }
        if simulation.ran.len() == count {
            break;
        }
        if !simulation.wake_all() && !simulation.repair(hops, limits)? {
            return Ok(Err(simulation.in_the_way()));
        }
    }
    let mut commits = simulation.commits;
    commits.retain(|&txn| history.reads().counts(txn));
    Ok(Ok(commits))
}

impl Simulation<'_> {
    pub(super) fn may_run(&mut self, node: Node) {
        self.ready.push(Reverse((self.hint[node as usize], node)));
    }

    pub(super) fn has_run(&self, node: Node) -> bool {
        self.places[node as usize] != NOBODY
    }

    /// What is in the way of a node, all before it having run.
    pub(super) fn obstacle(&self, node: Node) -> Option<Obstacle> {
        let txn = self.nodes.txn(node)?;
        let mut keys = self.accesses.written(txn).map(|(key, _)| key);
        if self.takes_keys && node == self.nodes.snapshot(txn) {
            return keys.find(|key| self.taken[key.index()] != NOBODY).map(Obstacle::Taken);
        }
        let commits = node == self.nodes.commit(txn);
        keys.find(|&key| commits && self.is_unread(key, txn)).map(Obstacle::Unread)
    }

    /// Whether a node can run now; if not, it waits for what is in its way.
    fn runs(&mut self, node: Node) -> bool {
        let obstacle = self.obstacle(node);
        if let Some(key) = obstacle.map(Obstacle::key) {
            self.waits_for[node as usize] = key.0;
            self.waiting.push(node);
            self.queues[key.index()].push(Reverse((self.hint[node as usize], node)));
        }
        obstacle.is_none()
    }

    /// Wakes those that can run: when something was undone, not all who waited for it were told. Whether there is one.
    fn wake_all(&mut self) -> bool {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain(|&node| self.waits_for[node as usize] != NOBODY);
        waiting.sort_unstable();
        waiting.dedup();
        let mut any = false;
        for &node in &waiting {
            if self.before[node as usize] == 0 && self.obstacle(node).is_none() {
                self.wake_node(node);
                any = true;
            }
        }
        self.waiting = waiting;
        any
    }

    /// Those that wait for a key alone.
    pub(super) fn waiting(&self) -> impl Iterator<Item = Node> + '_ {
        let waits =
            |node: &Node| self.waits_for[*node as usize] != NOBODY && self.before[*node as usize] == 0;
        self.waiting.iter().copied().filter(waits)
    }

    /// Where the edges of a node lead.
    pub(super) fn next_of(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        self.graph.of(node as usize).iter().chain(self.repairs.next(node)).copied()
    }

    /// The same, one by one.
    fn next(&self, node: Node, at: usize) -> Option<Node> {
        let known = self.graph.of(node as usize);
        known.get(at).copied().or_else(|| self.repairs.next(node).get(at - known.len()).copied())
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
        self.places[node as usize] = self.ran.len() as u32;
        self.ran.push(node);
        if let Some(txn) = self.nodes.txn(node) {
            if node == self.nodes.snapshot(txn) {
                self.read(txn);
            }
            if node == self.nodes.commit(txn) {
                self.write(txn);
            }
        }
        let mut at = 0;
        while let Some(next) = self.next(node, at) {
            at += 1;
            self.before[next as usize] -= 1;
            if self.before[next as usize] == 0 {
                self.may_run(next);
            }
        }
    }

    /// Undoes what has run from a place on; whoever could run then may again.
    pub(super) fn go_back(&mut self, place: usize) {
        let undone = self.ran.split_off(place);
        for &node in undone.iter().rev() {
            self.places[node as usize] = NOBODY;
            let mut at = 0;
            while let Some(next) = self.next(node, at) {
                at += 1;
                self.before[next as usize] += 1;
            }
            if let Some(txn) = self.nodes.txn(node) {
                if node == self.nodes.commit(txn) {
                    self.unwrite(txn);
                }
                if node == self.nodes.snapshot(txn) {
                    self.unread(txn);
                }
            }
        }
        for node in undone {
            if self.before[node as usize] == 0 {
                self.may_run(node);
            }
        }
    }

    fn unread(&mut self, txn: TxnId) {
        let accesses = self.accesses;
        for &(_, version) in accesses.reads(txn) {
            self.unread[version.index()] += 1;
            self.last_reader[version.index()] ^= txn.0;
        }
        if self.takes_keys {
            accesses.written(txn).for_each(|(key, _)| self.taken[key.index()] = NOBODY);
        }
    }

    fn unwrite(&mut self, txn: TxnId) {
        self.commits.pop();
        for (key, version) in self.accesses.written(txn) {
            self.latest[key.index()] = self.overwritten[version.index()];
            if self.takes_keys {
                self.taken[key.index()] = txn.0;
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
            self.overwritten[version.index()] = std::mem::replace(&mut self.latest[key.index()], version);
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

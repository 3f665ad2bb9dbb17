//! Replicas with causal delivery: a replica takes a transaction once it has all that the transaction's own replica had at its commit.
//!
//! A session belongs to a replica, whose state at the beginning of a transaction is its snapshot. Commits are numbered, and of the writes of a
//! register that a snapshot has, the one of the latest commit is read; numbers grow along causality. Appends are put behind those of
//! earlier commits, which the replica takes first, so that what is read of a list is always a beginning of it.

use super::buffered::{Writes, own, tear};
use super::engine::{Answer, Context, Engine};
use super::versions::Version;
use super::{Clients, StoreBug};
use crate::chance::chance;

/// Most replicas.
const REPLICAS: usize = 3;

/// Of the steps, the share at which a replica may take a transaction of another.
const DELIVERIES: f64 = 0.8;
/// The part of it that is left where the network is slow.
const SLOW: f64 = 0.2;

/// By replica, how many of its transactions are there.
type Clock = [u32; REPLICAS];

/// A version of a key: the replica that made it, and by which of its transactions.
#[derive(Clone, Copy)]
struct Written {
    replica: usize,
    number: u32,
    version: Version,
}

pub(super) struct Causal {
    /// By key, its versions in the order of their commits.
    chains: Vec<Vec<Written>>,
    /// By replica, what it has taken.
    taken: [Clock; REPLICAS],
    /// By replica and transaction, what the replica had taken at its commit, itself included.
    needs: [Vec<Clock>; REPLICAS],
    /// By client.
    snapshots: Vec<Clock>,
    buffers: Vec<Writes>,
    /// The number of keys that are lists: the first.
    lists: u32,
}

impl Causal {
    pub(super) fn new(clients: &Clients) -> Self {
        let sessions = clients.sessions as usize;
        Causal {
            chains: vec![Vec::new(); clients.keys as usize],
            taken: [[0; REPLICAS]; REPLICAS],
            needs: std::array::from_fn(|_| Vec::new()),
            snapshots: vec![[0; REPLICAS]; sessions],
            buffers: vec![Vec::new(); sessions],
            lists: clients.list_count(),
        }
    }

    /// The replica of a client.
    fn home(client: usize) -> usize {
        client % REPLICAS
    }

    /// The version of a key in a snapshot.
    fn at(&self, key: u32, snapshot: &Clock) -> Version {
        let mut chain = self.chains[key as usize].iter().rev();
        let seen = chain.find(|written| written.number <= snapshot[written.replica]);
        seen.map_or(Version::INITIAL, |written| written.version)
    }

    /// Lets a replica take what another had taken.
    fn take(&mut self, replica: usize, needs: Clock) {
        let taken = &mut self.taken[replica];
        taken.iter_mut().zip(needs).for_each(|(have, need)| *have = need.max(*have));
    }

    fn install(&mut self, replica: usize, writes: &[(u32, i64)], cx: &mut Context) {
        let lists = self.lists;
        for &(key, _) in writes.iter().filter(|write| write.0 < lists) {
            if let Some(&Written { replica: from, number, .. }) = self.chains[key as usize].last() {
                let needs = self.needs[from].get(number as usize - 1).copied();
                self.take(replica, needs.unwrap_or_default());
            }
        }
        self.taken[replica][replica] += 1;
        let number = self.taken[replica][replica];
        for &(key, value) in writes {
            let chain = &mut self.chains[key as usize];
            let below = chain.last().map_or(Version::INITIAL, |written| written.version);
            chain.push(Written { replica, number, version: cx.versions.on(below, value) });
        }
        self.needs[replica].push(self.taken[replica]);
    }
}

impl Engine for Causal {
    fn begin(&mut self, client: usize, _: bool, cx: &mut Context) -> Answer<()> {
        let mut replica = Self::home(client);
        if cx.strikes(StoreBug::StaleSnapshot) {
            replica = cx.rng.index(REPLICAS);
        }
        self.snapshots[client] = self.taken[replica];
        Answer::Done(())
    }

    fn read(&mut self, client: usize, key: u32, cx: &mut Context) -> Answer<Version> {
        let base = self.at(key, &self.snapshots[client]);
        Answer::Done(own(&self.buffers[client], key, base, cx))
    }

    fn write(&mut self, client: usize, key: u32, value: i64, _: &mut Context) -> Answer<()> {
        self.buffers[client].push((key, value));
        Answer::Done(())
    }

    fn commit(&mut self, client: usize, cx: &mut Context) -> Answer<()> {
        let mut writes = std::mem::take(&mut self.buffers[client]);
        if writes.is_empty() {
            return Answer::Done(());
        }
        let late = if cx.strikes(StoreBug::TornCommit) { tear(&mut writes) } else { None };
        self.install(Self::home(client), &writes, cx);
        // At its own replica both parts are there at once.
        if let Some(late) = late {
            self.install(Self::home(client), &late, cx);
        }
        Answer::Done(())
    }

    fn abort(&mut self, client: usize, cx: &mut Context) {
        let writes = std::mem::take(&mut self.buffers[client]);
        if !writes.is_empty() && cx.strikes(StoreBug::AbortedRead) {
            self.install(Self::home(client), &writes, cx);
        }
    }

    /// Now and then a replica takes the next transaction of another.
    fn pass(&mut self, cx: &mut Context) {
        if !chance(&mut cx.rng, DELIVERIES) {
            return;
        }
        let (to, from) = (cx.rng.index(REPLICAS), cx.rng.index(REPLICAS));
        // One way round the replicas the network is slow, so that news may come by the third first.
        if (to + 1) % REPLICAS == from && !chance(&mut cx.rng, SLOW) {
            return;
        }
        let next = self.taken[to][from];
        let Some(&needs) = self.needs[from].get(next as usize) else { return };
        let ready = (0..REPLICAS).all(|other| other == from || needs[other] <= self.taken[to][other]);
        if ready {
            self.taken[to][from] = next + 1;
        } else if cx.strikes(StoreBug::EarlyDelivery) {
            self.taken[to][from] = self.needs[from].len() as u32;
        }
    }
}

//! Multiversion snapshot isolation: reads are of a snapshot, and of two concurrent writers of a key the first to commit wins.

use super::buffered::{Writes, own, tear};
use super::engine::{Answer, Context, Engine};
use super::versions::Version;
use super::{Clients, StoreBug};
use crate::chance::chance;

/// How often, on average, what is late goes ahead: once in so many steps.
const LATE: f64 = 0.1;
/// The number of commits that a stale snapshot lacks at most.
const BEHIND: usize = 8;

pub(super) struct Snapshot {
    /// By key, its versions with the numbers of the commits that made them, which grow.
    chains: Vec<Vec<(u64, Version)>>,
    /// The number of the last commit.
    clock: u64,
    /// By client, the last commit that its transaction sees.
    snapshots: Vec<u64>,
    /// By client.
    buffers: Vec<Writes>,
    /// Parts of torn commits that are still to come.
    late: Vec<Writes>,
}

impl Snapshot {
    pub(super) fn new(clients: &Clients) -> Self {
        let sessions = clients.sessions as usize;
        Snapshot {
            chains: vec![Vec::new(); clients.keys as usize],
            clock: 0,
            snapshots: vec![0; sessions],
            buffers: vec![Vec::new(); sessions],
            late: Vec::new(),
        }
    }

    /// The version of a key in a snapshot.
    fn at(&self, key: u32, snapshot: u64) -> Version {
        let chain = &self.chains[key as usize];
        // Snapshots are seldom far behind.
        let seen = chain.iter().rev().find(|version| version.0 <= snapshot);
        seen.map_or(Version::INITIAL, |version| version.1)
    }

    fn is_newer(&self, key: u32, snapshot: u64) -> bool {
        self.chains[key as usize].last().is_some_and(|version| version.0 > snapshot)
    }

    /// Makes writes visible. An append is to what its transaction saw of the list.
    fn install(&mut self, writes: &[(u32, i64)], snapshot: u64, cx: &mut Context) {
        self.clock += 1;
        for &(key, value) in writes {
            let below = match self.chains[key as usize].last() {
                Some(&(commit, version)) if commit == self.clock => version,
                _ => self.at(key, snapshot),
            };
            let version = cx.versions.on(below, value);
            self.chains[key as usize].push((self.clock, version));
        }
    }
}

impl Engine for Snapshot {
    fn begin(&mut self, client: usize, _: bool, cx: &mut Context) -> Answer<()> {
        let behind = if cx.strikes(StoreBug::StaleSnapshot) { cx.rng.index(BEHIND) as u64 + 1 } else { 0 };
        self.snapshots[client] = self.clock.saturating_sub(behind);
        Answer::Done(())
    }

    fn read(&mut self, client: usize, key: u32, cx: &mut Context) -> Answer<Version> {
        Answer::Done(own(&self.buffers[client], key, self.at(key, self.snapshots[client]), cx))
    }

    fn write(&mut self, client: usize, key: u32, value: i64, _: &mut Context) -> Answer<()> {
        self.buffers[client].push((key, value));
        Answer::Done(())
    }

    fn commit(&mut self, client: usize, cx: &mut Context) -> Answer<()> {
        let snapshot = self.snapshots[client];
        let conflict = self.buffers[client].iter().any(|&(key, _)| self.is_newer(key, snapshot));
        if conflict && !cx.strikes(StoreBug::LostUpdate) {
            return Answer::Abort;
        }
        let mut writes = std::mem::take(&mut self.buffers[client]);
        if cx.strikes(StoreBug::TornCommit) {
            self.late.extend(tear(&mut writes));
        }
        if !writes.is_empty() {
            self.install(&writes, snapshot, cx);
        }
        Answer::Done(())
    }

    fn abort(&mut self, client: usize, cx: &mut Context) {
        let writes = std::mem::take(&mut self.buffers[client]);
        if !writes.is_empty() && cx.strikes(StoreBug::AbortedRead) {
            self.install(&writes, self.clock, cx);
        }
    }

    fn pass(&mut self, cx: &mut Context) {
        if !self.late.is_empty() && chance(&mut cx.rng, LATE) {
            let writes = self.late.remove(0);
            self.install(&writes, self.clock, cx);
        }
    }
}

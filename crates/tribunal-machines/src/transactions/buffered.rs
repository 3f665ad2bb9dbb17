//! The committed state of a store, and what transactions have written and not committed: writes wait in a buffer until the commit.

use super::engine::Context;
use super::versions::Version;
use super::{Clients, StoreBug};
use crate::chance::chance;

/// How often, on average, what is late goes ahead: once in so many steps.
const LATE: f64 = 0.1;

/// Writes in the order in which they were made: keys and values.
pub(super) type Writes = Vec<(u32, i64)>;

/// The committed state, with a buffer for each client.
pub(super) struct Buffered {
    /// By key.
    now: Vec<Version>,
    /// By client.
    buffers: Vec<Writes>,
    /// Parts of torn commits that are still to come.
    late: Vec<Writes>,
    /// A copy that lags, if the store has one.
    behind: Vec<Version>,
    /// By client, the copy that it reads.
    stale: Vec<Option<Vec<Version>>>,
}

impl Buffered {
    pub(super) fn new(clients: &Clients) -> Self {
        let (sessions, keys) = (clients.sessions as usize, clients.keys as usize);
        Buffered {
            now: vec![Version::INITIAL; keys],
            buffers: vec![Vec::new(); sessions],
            late: Vec::new(),
            behind: Vec::new(),
            stale: vec![None; sessions],
        }
    }

    /// A transaction begins; whether it is one that reads from a copy that lags.
    pub(super) fn begin(&mut self, client: usize, read_only: bool, cx: &mut Context) -> bool {
        let stale = read_only && cx.strikes(StoreBug::StaleSnapshot);
        self.stale[client] =
            stale.then(|| if self.behind.is_empty() { self.now.clone() } else { self.behind.clone() });
        stale
    }

    /// The version that the client reads of the copy that lags, if it does.
    pub(super) fn stale(&self, client: usize, key: u32) -> Option<Version> {
        self.stale[client].as_ref().map(|copy| copy[key as usize])
    }

    /// The committed version of a key.
    pub(super) fn now(&self, key: u32) -> Version {
        self.now[key as usize]
    }

    /// The committed versions of all keys.
    pub(super) fn state(&self) -> &[Version] {
        &self.now
    }

    /// A version of a key as a client sees it, which has written to the key itself perhaps.
    pub(super) fn own(&self, client: usize, key: u32, base: Version, cx: &mut Context) -> Version {
        own(&self.buffers[client], key, base, cx)
    }

    /// A version of the key that is not committed, if another client has one.
    pub(super) fn dirty(&self, client: usize, key: u32, cx: &mut Context) -> Option<Version> {
        let others = self.buffers.iter().enumerate().filter(|&(other, _)| other != client);
        let (_, writes) = { others }.find(|(_, writes)| writes.iter().any(|write| write.0 == key))?;
        Some(own(writes, key, self.now(key), cx))
    }

    pub(super) fn write(&mut self, client: usize, key: u32, value: i64) {
        self.buffers[client].push((key, value));
    }

    /// Whether a client has written the key.
    pub(super) fn writes(&self, client: usize, key: u32) -> bool {
        self.buffers[client].iter().any(|write| write.0 == key)
    }

    /// Makes a client's writes visible.
    pub(super) fn commit(&mut self, client: usize, cx: &mut Context) {
        let mut writes = std::mem::take(&mut self.buffers[client]);
        if cx.strikes(StoreBug::TornCommit) {
            self.late.extend(tear(&mut writes));
        }
        self.install(&writes, cx);
        writes.clear();
        self.buffers[client] = writes;
    }

    /// Forgets a client's writes.
    pub(super) fn abort(&mut self, client: usize, cx: &mut Context) {
        let writes = std::mem::take(&mut self.buffers[client]);
        if cx.strikes(StoreBug::AbortedRead) {
            self.install(&writes, cx);
        }
    }

    fn install(&mut self, writes: &[(u32, i64)], cx: &mut Context) {
        for &(key, value) in writes {
            let now = &mut self.now[key as usize];
            *now = cx.versions.on(*now, value);
        }
    }

    pub(super) fn pass(&mut self, cx: &mut Context) {
        if !self.late.is_empty() && chance(&mut cx.rng, LATE) {
            let writes = self.late.remove(0);
            self.install(&writes, cx);
        }
        if cx.bug == Some(StoreBug::StaleSnapshot) && chance(&mut cx.rng, LATE) {
            self.behind.clone_from(&self.now);
        }
    }
}

/// Takes the writes to all keys but the first out, if there are others.
pub(super) fn tear(writes: &mut Writes) -> Option<Writes> {
    let first = writes.first()?.0;
    let late: Writes = writes.iter().copied().filter(|write| write.0 != first).collect();
    writes.retain(|write| write.0 == first);
    (!late.is_empty()).then_some(late)
}

/// A version of a key with writes on top of it.
pub(super) fn own(writes: &[(u32, i64)], key: u32, base: Version, cx: &mut Context) -> Version {
    let on_key = writes.iter().filter(|write| write.0 == key);
    on_key.fold(base, |version, &(_, value)| cx.versions.on(version, value))
}

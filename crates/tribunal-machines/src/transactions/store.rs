//! The stores, and what can be wrong with them.

use std::fmt;
use std::str::FromStr;
use tribunal_history::names::{UnknownName, named};
use tribunal_history::transactions::{Base, Isolation, Level};

/// A simulated store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Store {
    /// One transaction at a time.
    Serial,
    /// Strict two-phase locking: shared locks to read, exclusive ones to write, all held to the end. A transaction that would close a cycle of waiting aborts.
    Locking,
    /// Optimistic concurrency control: a transaction aborts at its commit if something that it read has changed since.
    Optimistic,
    /// Multiversion snapshot isolation: reads are of a snapshot taken at the beginning; of two that write one key, the first to commit wins.
    Snapshot,
    /// Replicas, to which transactions are delivered after those they depend on. The last writer wins.
    Causal,
    /// Reads return what is committed when they are made; commits are atomic.
    ReadCommitted,
}

impl Store {
    /// Every store.
    pub const ALL: [Store; 6] = [
        Store::Serial,
        Store::Locking,
        Store::Optimistic,
        Store::Snapshot,
        Store::Causal,
        Store::ReadCommitted,
    ];

    /// The store's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Store::Serial => "serial",
            Store::Locking => "2pl",
            Store::Optimistic => "occ",
            Store::Snapshot => "mvcc",
            Store::Causal => "causal",
            Store::ReadCommitted => "read-committed",
        }
    }

    /// The level that its histories satisfy as long as it has no bug, and no stronger one on the whole.
    ///
    /// What is read under read committed never goes back within a transaction, since commits are atomic: that is mav.
    ///
    /// ```
    /// use tribunal_machines::transactions::Store;
    /// assert_eq!(Store::Snapshot.level().name(), "strict-si");
    /// assert_eq!(Store::ReadCommitted.level().name(), "strict-mav");
    /// ```
    pub fn level(self) -> Level {
        let (isolation, base) = match self {
            Store::Serial | Store::Locking | Store::Optimistic => (Isolation::Ser, Base::Strict),
            Store::Snapshot => (Isolation::Si, Base::Strict),
            Store::Causal => (Isolation::Tcc, Base::Session),
            Store::ReadCommitted => (Isolation::Mav, Base::Strict),
        };
        Level::new(isolation, base).expect("each of these has a name")
    }

    /// The bugs that it can have, such that they show.
    ///
    /// ```
    /// use tribunal_machines::transactions::{Store, StoreBug};
    /// assert!(Store::Locking.bugs().contains(&StoreBug::MissedConflict));
    /// // Snapshot isolation does not look at what is read.
    /// assert!(!Store::Snapshot.bugs().contains(&StoreBug::MissedConflict));
    /// ```
    pub const fn bugs(self) -> &'static [StoreBug] {
        use StoreBug::*;
        match self {
            Store::Serial => &[StaleSnapshot, TornCommit, AbortedRead],
            Store::Locking => {
                &[LostUpdate, MissedConflict, StaleSnapshot, TornCommit, AbortedRead, DirtyRead]
            }
            Store::Optimistic => &[LostUpdate, MissedConflict, StaleSnapshot, TornCommit, AbortedRead],
            Store::Snapshot => &[LostUpdate, StaleSnapshot, TornCommit, AbortedRead],
            Store::Causal => &[StaleSnapshot, TornCommit, AbortedRead, EarlyDelivery],
            Store::ReadCommitted => &[StaleSnapshot, TornCommit, AbortedRead, DirtyRead],
        }
    }
}

/// A bug of a store. It strikes now and then, not always.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StoreBug {
    /// A write goes ahead though what its transaction read of the key has changed: a lock is let go before a stronger one is taken, a check of
    /// what is written left out.
    LostUpdate,
    /// The keys that a transaction read and did not write are not protected: no lock, no validation.
    MissedConflict,
    /// Reads are of a state that was overwritten before the transaction began: from a copy that lags, or from another replica.
    StaleSnapshot,
    /// The writes of a transaction become visible one after the other.
    TornCommit,
    /// The writes of an aborted transaction stay.
    AbortedRead,
    /// Reads return what others have not committed yet.
    DirtyRead,
    /// A replica takes a transaction before those that it depends on.
    EarlyDelivery,
}

impl StoreBug {
    /// Every bug.
    pub const ALL: [StoreBug; 7] = [
        StoreBug::LostUpdate,
        StoreBug::MissedConflict,
        StoreBug::StaleSnapshot,
        StoreBug::TornCommit,
        StoreBug::AbortedRead,
        StoreBug::DirtyRead,
        StoreBug::EarlyDelivery,
    ];

    /// The bug's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            StoreBug::LostUpdate => "lost-update",
            StoreBug::MissedConflict => "missed-conflict",
            StoreBug::StaleSnapshot => "stale-snapshot",
            StoreBug::TornCommit => "torn-commit",
            StoreBug::AbortedRead => "aborted-read",
            StoreBug::DirtyRead => "dirty-read",
            StoreBug::EarlyDelivery => "early-delivery",
        }
    }
}

impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for StoreBug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Store {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        named("store", name, &Store::ALL, Store::name)
    }
}

impl FromStr for StoreBug {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        named("bug", name, &StoreBug::ALL, StoreBug::name)
    }
}

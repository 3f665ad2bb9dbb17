//! Who reads and writes what, by transaction, by key and by version, in flat columns.

use super::super::relations::{counted, reads};
use super::super::{History, INIT, KeyId, OpId, TxnId};
use crate::reach::lists::Lists;
use tribunal_history::heap::held;

/// What a transaction, or init, wrote to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Version(pub u32);

impl Version {
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Who reads and writes what, of the transactions that count.
pub(super) struct Accesses {
    /// By transaction, where its versions begin, and where the last end; by version, its key. Initial versions come behind, by key.
    write_starts: Vec<u32>,
    keys: Vec<KeyId>,
    /// By transaction, where its external reads begin, and where the last end.
    read_starts: Vec<u32>,
    reads: Vec<(OpId, Version)>,
    /// By version.
    readers: Lists<(TxnId, OpId)>,
    /// By key.
    writers: Lists<TxnId>,
}

impl Accesses {
    pub(super) fn of(history: &History) -> Self {
        let (mut write_starts, mut keys) = (Vec::with_capacity(history.len() + 1), Vec::new());
        for txn in history.transactions() {
            let start = keys.len();
            write_starts.push(start as u32);
            if !history.reads().counts(txn) {
                continue;
            }
            for op in history.ops_of(txn) {
                if history.writes(op) {
                    keys.push(history.key(op));
                }
            }
            keys[start..].sort_unstable();
            let mut kept = start;
            for at in start..keys.len() {
                if at == start || keys[at] != keys[kept - 1] {
                    keys[kept] = keys[at];
                    kept += 1;
                }
            }
            keys.truncate(kept);
        }
        write_starts.push(keys.len() as u32);
        let mut accesses = Accesses {
            write_starts,
            keys,
            read_starts: Vec::with_capacity(history.len() + 1),
            reads: Vec::new(),
            readers: Lists::default(),
            writers: Lists::default(),
        };
        let written =
            |txn| accesses.keys[accesses.write_range(txn)].iter().map(move |key| (key.index(), txn));
        let keys = accesses.keys.iter().map(|key| key.index());
        accesses.writers = Lists::new(history.key_count(), keys, counted(history).flat_map(written));
        accesses.index_reads(history);
        accesses
    }

    fn index_reads(&mut self, history: &History) {
        let versions = self.versions() + history.key_count();
        // By version, the transaction that was last seen to read it.
        let mut reader = vec![INIT; versions];
        for txn in history.transactions() {
            self.read_starts.push(self.reads.len() as u32);
            if history.reads().counts(txn) {
                for (op, key, source) in reads(history, txn) {
                    if let Some(version) = self.version(key, source)
                        && std::mem::replace(&mut reader[version.index()], txn) != txn
                    {
                        self.reads.push((op, version));
                    }
                }
            }
        }
        self.read_starts.push(self.reads.len() as u32);
        let read = |txn| self.reads(txn).iter().map(move |&(op, version)| (version.index(), (txn, op)));
        let counts = self.reads.iter().map(|(_, version)| version.index());
        self.readers = Lists::new(versions, counts, counted(history).flat_map(read));
    }

    /// The number of versions without the initial ones.
    fn versions(&self) -> usize {
        self.keys.len()
    }

    /// The key of a version, and who wrote it.
    pub(super) fn of_version(&self, version: Version) -> (KeyId, TxnId) {
        match version.index().checked_sub(self.versions()) {
            Some(key) => (KeyId(key as u32), INIT),
            None => {
                let txn = self.write_starts.partition_point(|&start| start <= version.0) - 1;
                (self.keys[version.index()], TxnId(txn as u32))
            }
        }
    }

    /// The number of versions with the initial ones.
    pub(super) fn all_versions(&self) -> usize {
        self.readers.keys()
    }

    fn write_range(&self, txn: TxnId) -> std::ops::Range<usize> {
        self.write_starts[txn.index()] as usize..self.write_starts[txn.index() + 1] as usize
    }

    fn read_range(&self, txn: TxnId) -> std::ops::Range<usize> {
        self.read_starts[txn.index()] as usize..self.read_starts[txn.index() + 1] as usize
    }

    /// The version of a key that a transaction, or init, wrote.
    pub(super) fn version(&self, key: KeyId, writer: TxnId) -> Option<Version> {
        if writer == INIT {
            return Some(self.initial(key));
        }
        let range = self.write_range(writer);
        let found = self.keys[range.clone()].binary_search(&key).ok()?;
        Some(Version((range.start + found) as u32))
    }

    /// The initial version of a key.
    pub(super) fn initial(&self, key: KeyId) -> Version {
        Version(self.versions() as u32 + key.0)
    }

    /// What a transaction writes: keys in order, with their versions.
    pub(super) fn written(&self, txn: TxnId) -> impl Iterator<Item = (KeyId, Version)> + '_ {
        let range = self.write_range(txn);
        let first = range.start as u32;
        self.keys[range].iter().zip(first..).map(|(&key, version)| (key, Version(version)))
    }

    /// The versions that a transaction reads of others, each once, by the first read of it.
    pub(super) fn reads(&self, txn: TxnId) -> &[(OpId, Version)] {
        &self.reads[self.read_range(txn)]
    }

    /// Who reads a version, and by which read.
    pub(super) fn readers(&self, version: Version) -> &[(TxnId, OpId)] {
        self.readers.of(version.index())
    }

    /// Who writes a key.
    pub(super) fn writers(&self, key: KeyId) -> &[TxnId] {
        self.writers.of(key.index())
    }

    pub(super) fn writer_range(&self, key: KeyId) -> std::ops::Range<usize> {
        self.writers.range(key.index())
    }

    /// All keys.
    pub(super) fn keys(&self) -> impl Iterator<Item = KeyId> + use<> {
        (0..self.writers.keys() as u32).map(KeyId)
    }

    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        held(&[&self.write_starts, &self.keys, &self.read_starts, &self.reads])
            + self.readers.bytes()
            + self.writers.bytes()
    }
}

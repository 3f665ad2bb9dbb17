//! The writers of each value, found from the operations of a history alone.

use super::poll::Poll;
use rustc_hash::FxHashMap;
use tribunal_history::transactions::{History, KeyId, Op, OpId, Status, TxnId};
use tribunal_history::verdict::Limit;

/// No operation.
pub(super) const NOBODY: u32 = u32::MAX;

/// The writers of each value.
pub(super) struct Writes {
    /// By operation, its transaction.
    pub txn_of: Vec<TxnId>,
    /// By key and value, the first operation that wrote or appended it; by operation, the next one, or NOBODY.
    first: FxHashMap<(KeyId, i64), u32>,
    next: Vec<u32>,
    /// By operation, whether its transaction writes the key again later.
    pub overwritten: Vec<bool>,
}

/// A transaction that wrote a value, and whether its last write of the key did so and it is not aborted.
#[derive(Clone, Copy)]
pub(super) struct Writer {
    pub txn: TxnId,
    pub clean: bool,
}

impl Writes {
    pub(super) fn of(history: &History, poll: &Poll<'_>) -> Result<Self, Limit> {
        let count = history.ops().len();
        let mut writes = Writes {
            txn_of: vec![TxnId(NOBODY); count],
            first: FxHashMap::default(),
            next: vec![NOBODY; count],
            overwritten: vec![false; count],
        };
        // By key, the transaction that was last seen to write it: from the end to the beginning.
        let mut writer = vec![NOBODY; history.key_count()];
        for txn in (0..history.len() as u32).rev().map(TxnId) {
            for op in history.ops_of(txn).rev() {
                poll.step()?;
                writes.txn_of[op.index()] = txn;
                if let Op::Write(key, value) | Op::Append(key, value) = history.op(op) {
                    writes.overwritten[op.index()] =
                        std::mem::replace(&mut writer[key.index()], txn.0) == txn.0;
                    if let Some(later) = writes.first.insert((key, value), op.0) {
                        writes.next[op.index()] = later;
                    }
                }
            }
        }
        Ok(writes)
    }

    /// The first operation that wrote or appended a value.
    pub(super) fn find(&self, key: KeyId, value: i64) -> Option<OpId> {
        self.first.get(&(key, value)).map(|&op| OpId(op))
    }

    /// Whether no other operation wrote what an operation wrote.
    pub(super) fn is_only(&self, op: OpId) -> bool {
        self.next[op.index()] == NOBODY
    }

    /// The transactions that wrote a value, in their order.
    pub(super) fn writers(&self, history: &History, key: KeyId, value: i64) -> Vec<Writer> {
        let mut writers: Vec<Writer> = Vec::new();
        let mut op = self.first.get(&(key, value)).copied().unwrap_or(NOBODY);
        while op != NOBODY {
            let txn = self.txn_of[op as usize];
            let clean = history.status(txn) != Status::Aborted && !self.overwritten[op as usize];
            match writers.last_mut().filter(|last| last.txn == txn) {
                Some(last) => last.clean |= clean,
                None => writers.push(Writer { txn, clean }),
            }
            op = self.next[op as usize];
        }
        writers
    }
}

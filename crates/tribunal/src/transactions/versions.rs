//! The order in which transactions appended to a list, as reads tell it.
//!
//! Transactions append in the order of co, each all its appends at once. What was read is a beginning of that: so an element that was read
//! fixes what is before it, and all that was not read comes after.

use super::history::Kind;
use super::reads::ListRead;
use super::{History, KeyId, OpId, TxnId};
use rustc_hash::FxHashMap;

/// The transactions that appended to a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Versions {
    /// Those whose elements were read, in their order.
    pub read: Vec<TxnId>,
    /// Those that come after them, in an order that is not known.
    pub unread: Vec<TxnId>,
    /// The read that tells it.
    pub by: Option<OpId>,
}

/// No order of the transactions explains what was read of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incompatible {
    /// The list.
    pub key: KeyId,
    /// A read of it.
    pub op: OpId,
    /// Another read that does not go with it, or the same if that is in itself impossible.
    pub other: OpId,
}

/// The versions of every list. Aborted transactions are in none.
pub(super) fn versions(history: &History) -> Result<FxHashMap<KeyId, Versions>, Incompatible> {
    let mut appends: FxHashMap<KeyId, Appends> = FxHashMap::default();
    for txn in history.transactions().filter(|&txn| history.reads().counts(txn)) {
        for op in history.range(txn).filter(|&op| history.kinds[op] == Kind::Append) {
            let of_key = appends.entry(history.keys[op]).or_default();
            of_key.txn_of.insert(history.values[op], txn);
            match of_key.by_txn.last_mut() {
                Some((last, elements)) if *last == txn => elements.push(history.values[op]),
                _ => of_key.by_txn.push((txn, vec![history.values[op]])),
            }
        }
    }
    let mut versions: FxHashMap<KeyId, Versions> = FxHashMap::default();
    for reads in history.reads().lists().chunk_by(|a, b| a.key == b.key) {
        let appends = appends.entry(reads[0].key).or_default();
        versions.insert(reads[0].key, appends.explain(history, reads)?);
    }
    for (key, appends) in appends {
        let unread = || appends.by_txn.iter().map(|(txn, _)| *txn).collect();
        versions.entry(key).or_insert_with(|| Versions { unread: unread(), ..Versions::default() });
    }
    Ok(versions)
}

/// What was appended to a list by transactions that count.
#[derive(Default)]
struct Appends {
    txn_of: FxHashMap<i64, TxnId>,
    /// In the order of transactions, each one's elements in its order.
    by_txn: Vec<(TxnId, Vec<i64>)>,
}

impl Appends {
    fn explain(&self, history: &History, reads: &[ListRead]) -> Result<Versions, Incompatible> {
        let lists: Vec<Vec<i64>> = reads.iter().map(|read| self.others(history, read)).collect();
        let Some(longest) = (0..lists.len()).max_by_key(|&at| lists[at].len()) else {
            return Ok(Versions::default());
        };
        let ListRead { key, op, .. } = reads[longest];
        if let Some(at) = lists.iter().position(|list| !lists[longest].starts_with(list)) {
            return Err(Incompatible { key, op, other: reads[at].op });
        }
        let mut rest = &lists[longest][..];
        let mut read = Vec::new();
        while let Some(first) = rest.first() {
            let txn = self.txn_of[first];
            let appended = self.elements(txn);
            let common = appended.len().min(rest.len());
            // The last may have been read while it was appending: that is another mistake.
            if rest[..common] != appended[..common] {
                return Err(Incompatible { key, op, other: op });
            }
            read.push(txn);
            rest = &rest[common..];
        }
        let mut sorted = read.clone();
        sorted.sort_unstable();
        let unread = self.by_txn.iter().map(|(txn, _)| *txn);
        let unread = unread.filter(|txn| sorted.binary_search(txn).is_err()).collect();
        Ok(Versions { read, unread, by: Some(op) })
    }

    /// What was read of others, as far as they count.
    fn others(&self, history: &History, read: &ListRead) -> Vec<i64> {
        let list = history.lists.get(read.key, history.values[read.op.index()]);
        let others = &list[..read.others as usize];
        others.iter().copied().filter(|element| self.txn_of.contains_key(element)).collect()
    }

    fn elements(&self, txn: TxnId) -> &[i64] {
        let found = self.by_txn.binary_search_by_key(&txn, |(txn, _)| *txn);
        found.map_or(&[], |at| &self.by_txn[at].1)
    }
}

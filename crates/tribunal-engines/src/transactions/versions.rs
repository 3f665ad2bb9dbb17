//! The order in which transactions appended to lists, as reads show it.
//!
//! Transactions append in the order of co, each all its appends at once. A read returns a prefix of that, so an element that was read
//! determines what is before it, and everything that was not read comes after.

use super::{History, Incompatible, KeyId, OpId, TxnId};
use tribunal_history::heap::held;
use tribunal_history::transactions::ListRead;

/// The transactions that appended to each list, aborted ones left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Versions {
    /// By key, where its transactions begin, and where the last end; in between, where those begin that were not read.
    starts: Vec<u32>,
    unread: Vec<u32>,
    /// By key, the read that tells the order.
    by: Vec<Option<OpId>>,
    txns: Vec<TxnId>,
}

/// The transactions that appended to a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Appenders<'a> {
    /// Those whose elements were read, in order.
    pub read: &'a [TxnId],
    /// Those that come after them, in unknown order.
    pub unread: &'a [TxnId],
    /// The read that tells it.
    pub by: OpId,
}

impl Versions {
    /// In time linear in operations and in what was read, or a pair of reads that do not go together.
    pub(super) fn of(history: &History) -> Result<Self, Incompatible> {
        let reads = history.reads().lists();
        if reads.is_empty() {
            return Ok(Versions::default());
        }
        let mut versions = Versions::appended(history);
        // By transaction, the list in whose order it was last put.
        let mut placed: Vec<KeyId> = vec![KeyId(u32::MAX); history.len()];
        for reads in reads.chunk_by(|a, b| a.key == b.key) {
            let key = reads[0].key;
            let (by, order) = explain(history, reads)?;
            order.iter().for_each(|txn| placed[txn.index()] = key);
            let range = versions.starts[key.index()] as usize..versions.starts[key.index() + 1] as usize;
            let txns = &mut versions.txns[range.clone()];
            let unread: Vec<TxnId> = txns.iter().copied().filter(|txn| placed[txn.index()] != key).collect();
            txns[..order.len()].copy_from_slice(&order);
            txns[order.len()..].copy_from_slice(&unread);
            versions.unread[key.index()] = (range.start + order.len()) as u32;
            versions.by[key.index()] = Some(by);
        }
        Ok(versions)
    }

    /// With nothing read: by key, those that append to it, in the order of transactions.
    fn appended(history: &History) -> Self {
        let mut starts = vec![0u32; history.key_count() + 1];
        let appends = || {
            let counted = history.transactions().filter(|&txn| history.reads().counts(txn));
            let appends = |op: &OpId| history.appends(*op);
            counted.flat_map(move |txn| {
                history.ops_of(txn).filter(appends).map(move |op| (txn, history.key(op)))
            })
        };
        // By key, the transaction that was last seen to append to it.
        let mut last = vec![TxnId(u32::MAX); history.key_count()];
        for (txn, key) in appends() {
            if std::mem::replace(&mut last[key.index()], txn) != txn {
                starts[key.index() + 1] += 1;
            }
        }
        (1..starts.len()).for_each(|key| starts[key] += starts[key - 1]);
        let mut next = starts.clone();
        let mut txns = vec![TxnId(u32::MAX); starts.last().copied().unwrap_or(0) as usize];
        last.fill(TxnId(u32::MAX));
        for (txn, key) in appends() {
            if std::mem::replace(&mut last[key.index()], txn) != txn {
                txns[next[key.index()] as usize] = txn;
                next[key.index()] += 1;
            }
        }
        Versions {
            unread: starts[..history.key_count()].to_vec(),
            by: vec![None; history.key_count()],
            starts,
            txns,
        }
    }

    /// Those of a list of which something was read.
    pub(super) fn get(&self, key: KeyId) -> Option<Appenders<'_>> {
        let by = (*self.by.get(key.index())?)?;
        let [start, end] = [0, 1].map(|next| self.starts[key.index() + next] as usize);
        let unread = self.unread[key.index()] as usize;
        Some(Appenders { read: &self.txns[start..unread], unread: &self.txns[unread..end], by })
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = (KeyId, Appenders<'_>)> {
        let keys = (0..self.by.len() as u32).map(KeyId);
        keys.filter_map(|key| Some((key, self.get(key)?)))
    }

    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        held(&[&self.starts, &self.unread, &self.txns, &self.by])
    }
}

/// The appenders that the longest read tells of, in their order; the other reads of the list must be beginnings of it.
fn explain(history: &History, reads: &[ListRead]) -> Result<(OpId, Vec<TxnId>), Incompatible> {
    let key = reads[0].key;
    let (mut op, mut list) = (reads[0].op, appends(history, &reads[0]));
    for read in &reads[1..] {
        let mut other = appends(history, read);
        let mut by = read.op;
        if other.len() > list.len() {
            std::mem::swap(&mut list, &mut other);
            std::mem::swap(&mut op, &mut by);
        }
        if other[..] != list[..other.len()] {
            return Err(Incompatible { key, op, other: by });
        }
    }
    let (by, mut rest) = (op, &list[..]);
    let mut order = Vec::new();
    while let Some(&(txn, _)) = rest.first() {
        // Each all its appends at once; the last may have been read while it was appending, which is another mistake.
        let appended = history.ops_of(txn).filter(|&op| history.appends(op) && history.key(op) == key);
        let mut common = 0;
        for (op, read) in appended.zip(rest) {
            if *read != (txn, op) {
                return Err(Incompatible { key, op: by, other: by });
            }
            common += 1;
        }
        order.push(txn);
        rest = &rest[common..];
    }
    Ok((by, order))
}

/// The appends of others that a read returned, as far as they count.
fn appends(history: &History, read: &ListRead) -> Vec<(TxnId, OpId)> {
    let appends = history.reads().appends(read).iter().map(|&op| (history.txn_of(op), op));
    appends.filter(|(txn, _)| history.reads().counts(*txn)).collect()
}

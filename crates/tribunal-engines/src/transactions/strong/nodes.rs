//! The nodes of a level's graph: transactions, or their snapshots and commits; behind them moments of real time; and behind these junctions, which stand between
//! all readers of a version and those that overwrite it.

use super::super::graph::Node;
use super::super::relations::ends;
use super::super::{Base, History, Isolation, Level, TxnId};

/// The nodes of a level's graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nodes {
    /// Whether a transaction is two nodes, S and C.
    pub two: bool,
    /// Whether ww leads to commits.
    to_commits: bool,
    transactions: u32,
    moments: u32,
    junctions: u32,
}

impl Nodes {
    pub(super) fn of(history: &History, level: Level, junctions: u32) -> Self {
        Nodes {
            two: matches!(level.isolation(), Isolation::Si | Isolation::Pc),
            to_commits: level.isolation() == Isolation::Pc,
            transactions: history.len() as u32,
            junctions,
            moments: if level.base() == Base::Strict { ends(history).len() as u32 } else { 0 },
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        (self.first_junction() + self.junctions) as usize
    }

    pub(super) fn first_junction(&self) -> Node {
        self.first_moment() + self.moments
    }

    pub(super) fn first_moment(&self) -> Node {
        if self.two { 2 * self.transactions } else { self.transactions }
    }

    /// S, or the transaction itself.
    pub(super) fn snapshot(&self, txn: TxnId) -> Node {
        if self.two { 2 * txn.0 } else { txn.0 }
    }

    /// C, or the transaction itself.
    pub(super) fn commit(&self, txn: TxnId) -> Node {
        if self.two { 2 * txn.0 + 1 } else { txn.0 }
    }

    /// Where ww leads.
    pub(super) fn target(&self, txn: TxnId) -> Node {
        if self.to_commits { self.commit(txn) } else { self.snapshot(txn) }
    }

    /// The transaction of a node; none if it is a moment or a junction.
    pub(super) fn txn(&self, node: Node) -> Option<TxnId> {
        let txn = TxnId(if self.two { node / 2 } else { node });
        (txn.0 < self.transactions).then_some(txn)
    }
}

//! so, rt, wr and what reads tell of ww, as edges of a graph.

use super::graph::{Edge, Node, Why};
use super::versions::{Appenders, Versions};
use super::{Base, History, INIT, KeyId, Source, Status, TxnId};

/// The nodes of a history's graph: transactions by their ids, init behind them, then moments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nodes {
    transactions: u32,
}

impl Nodes {
    pub(super) fn of(history: &History) -> Self {
        Nodes { transactions: history.len() as u32 }
    }

    /// The transaction of a node; none if it is a moment.
    pub(super) fn txn(self, node: Node) -> Option<TxnId> {
        match node {
            node if node < self.transactions => Some(TxnId(node)),
            node if node == self.transactions => Some(INIT),
            _ => None,
        }
    }

    /// The number of nodes without moments.
    pub(super) fn count(self) -> usize {
        self.transactions as usize + 1
    }
}

/// The transactions of a session that count, each with the one that it directly follows: the last committed one before it.
pub(super) fn so(history: &History) -> impl Iterator<Item = (TxnId, TxnId)> + '_ {
    let sessions = (0..history.session_count() as u32).map(super::SessionId);
    sessions.flat_map(move |session| {
        let mut last = None;
        history.session(session).filter(|&txn| history.reads().counts(txn)).filter_map(move |txn| {
            let before = last;
            if history.status(txn) == Status::Committed {
                last = Some(txn);
            }
            before.map(|before| (before, txn))
        })
    })
}

/// The external reads of a transaction, in their order: operation, key, source. Their sources must be known.
pub(super) fn reads(history: &History, txn: TxnId) -> impl Iterator<Item = (super::OpId, KeyId, TxnId)> + '_ {
    history.ops_of(txn).filter_map(move |op| match history.reads().source(op) {
        Source::Txn(source) if history.reads().counts(source) => Some((op, history.key(op), source)),
        _ => None,
    })
}

/// The keys that a transaction writes, in order, if it counts.
pub(super) fn written(history: &History, txn: TxnId) -> Vec<KeyId> {
    if !history.reads().counts(txn) {
        return Vec::new();
    }
    let writes = history.ops_of(txn).filter(|&op| history.writes(op));
    let mut keys: Vec<KeyId> = writes.map(|op| history.key(op)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The times when committed transactions that count ended, in order.
pub(super) fn ends(history: &History) -> Vec<(i64, TxnId)> {
    let committed = counted(history).filter(|&txn| history.status(txn) == Status::Committed);
    let mut ends: Vec<(i64, TxnId)> =
        committed.filter_map(|txn| Some((history.span(txn)?.end?, txn))).collect();
    ends.sort_unstable();
    ends
}

/// Those that count.
pub(super) fn counted(history: &History) -> impl Iterator<Item = TxnId> + Clone + '_ {
    history.transactions().filter(|&txn| history.reads().counts(txn))
}

/// Puts the base into a graph; gives the number of nodes, with moments.
pub(super) fn base(history: &History, base: Base, edges: &mut Vec<Edge>) -> usize {
    let nodes = Nodes::of(history).count();
    if base == Base::None {
        return nodes;
    }
    edges.extend(so(history).map(|(from, to)| Edge { from: from.0, to: to.0, why: Why::Session }));
    if base == Base::Session {
        return nodes;
    }
    real_time(history, nodes as Node, edges) as usize
}

/// rt by way of moments: one for each end of a committed transaction, in their order. A transaction comes after the last moment before
/// its begin.
fn real_time(history: &History, first: Node, edges: &mut Vec<Edge>) -> Node {
    let ends = ends(history);
    let time = |from, to| Edge { from, to, why: Why::Time };
    for (moment, (_, txn)) in (first..).zip(&ends) {
        edges.push(time(txn.0, moment));
        if moment > first {
            edges.push(time(moment - 1, moment));
        }
    }
    for txn in counted(history) {
        let Some(span) = history.span(txn) else { continue };
        let before = ends.partition_point(|&(end, _)| end < span.begin);
        if before > 0 {
            edges.push(time(first + before as Node - 1, txn.0));
        }
    }
    first + ends.len() as Node
}

/// Puts wr into a graph. What init wrote comes before anything as it is.
pub(super) fn wr(history: &History, edges: &mut Vec<Edge>) {
    for txn in counted(history) {
        for (op, _, source) in reads(history, txn).filter(|&(.., source)| source != INIT) {
            edges.push(Edge { from: source.0, to: txn.0, why: Why::Read(op) });
        }
    }
}

/// Puts what reads of lists tell of ww into a graph.
pub(super) fn lists(versions: &Versions, edges: &mut Vec<Edge>) {
    for (_, Appenders { read, unread, by }) in versions.iter() {
        let ww = |from: TxnId, to: TxnId| Edge { from: from.0, to: to.0, why: Why::List(by) };
        edges.extend(read.windows(2).map(|pair| ww(pair[0], pair[1])));
        if let Some(&last) = read.last() {
            edges.extend(unread.iter().map(|&unread| ww(last, unread)));
        }
    }
}

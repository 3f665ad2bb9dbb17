//! The transactions of a violation in their sessions, with what they read and wrote.

use super::story::Story;
use super::{did, name, session, source};
use crate::Source;
use crate::columns::{Column, side_by_side};
use std::collections::{BTreeMap, BTreeSet};
use tribunal_history::transactions::{History, INIT, KeyId, Op, OpId, Span, Status, TxnId};

/// Of a transaction with more operations, only those on keys that matter are shown.
const FEW: usize = 6;
/// And of those no more than this.
const MOST: usize = 12;

/// The sessions of these transactions side by side, as many as there is width for, the others below: `(1)` where the first step begins,
/// what became of each, its line of the input and the error that its client gave (`source`), what its reads read from; `>` before a read that cannot be. Rows are at most `height`; if
/// there are too many, only the transactions of the steps are listed.
pub fn listing(
    history: &History,
    source: Source<'_>,
    txns: &[TxnId],
    story: &Story,
    height: usize,
) -> Vec<String> {
    let chosen = (!story.sources.is_empty()).then(|| history.choosing(&story.sources));
    let history = chosen.as_ref().unwrap_or(history);
    let marks: BTreeMap<TxnId, usize> =
        story.steps.iter().map(|step| step.from).zip(1..).collect::<Vec<_>>().into_iter().rev().collect();
    let readers = || story.reads.iter().map(|&op| history.txn_of(op));
    let needed: BTreeSet<TxnId> = marks.keys().copied().chain(readers()).filter(|&txn| txn != INIT).collect();
    let all: BTreeSet<TxnId> =
        needed.iter().copied().chain(txns.iter().copied()).filter(|&txn| txn != INIT).collect();
    let keys: BTreeSet<KeyId> = story.keys.iter().copied().collect();
    let few = |most: usize| Listing { history, input: source, marks: &marks, keys: &keys, story, most };
    let shown = few(FEW);
    let mut rows = shown.rows(&all);
    if rows.len() > height {
        rows = shown.rows(&needed);
    }
    if rows.len() > height {
        rows = few(0).rows(&needed);
    }
    if rows.len() > height {
        rows.truncate(height.saturating_sub(1));
        rows.push("...".into());
    }
    rows
}

struct Listing<'a> {
    history: &'a History,
    input: Source<'a>,
    /// By transaction, the number of the step that begins there.
    marks: &'a BTreeMap<TxnId, usize>,
    keys: &'a BTreeSet<KeyId>,
    story: &'a Story,
    /// A transaction with more operations is not shown whole.
    most: usize,
}

impl Listing<'_> {
    fn rows(&self, txns: &BTreeSet<TxnId>) -> Vec<String> {
        let mut sessions: BTreeMap<u32, Vec<TxnId>> = BTreeMap::new();
        for &txn in txns {
            sessions.entry(self.history.session_of(txn).0).or_default().push(txn);
        }
        let lines: BTreeSet<u64> = txns.iter().filter_map(|&txn| self.line(txn)).collect();
        let one_line = lines.len() == 1 && txns.len() > 1;
        let columns: Vec<Column> =
            sessions.values().map(|txns| Column::of(self.column(txns, one_line))).collect();
        let mut rows = side_by_side(&columns);
        if let (true, Some(line)) = (one_line, lines.first()) {
            rows.push(format!("all on line {line}"));
        }
        rows
    }

    /// Lines count from 1: a history that was not read has none.
    fn line(&self, txn: TxnId) -> Option<u64> {
        self.input.lines.get(txn.index()).copied().filter(|&line| line > 0)
    }

    fn column(&self, txns: &[TxnId], one_line: bool) -> Vec<String> {
        let marked = |txn: &TxnId| self.marks.get(txn).map_or_else(String::new, |mark| format!("({mark}) "));
        let indent = txns.iter().map(|txn| marked(txn).len()).max().unwrap_or(0);
        let mut rows = vec![format!("session {}", session(self.history, txns[0]))];
        for (txn, at) in txns.iter().zip(0..) {
            let earlier: Option<&TxnId> = if at == 0 { None } else { txns.get(at - 1) };
            if earlier.is_some_and(|earlier| txn.0 > earlier.0 + 1) {
                rows.push(format!("{:indent$}..", ""));
            }
            rows.push(format!("{:indent$}{}", marked(txn), self.header(*txn, one_line)));
            rows.extend(self.ops(*txn).into_iter().map(|row| format!("{:indent$}{row}", "")));
        }
        rows
    }

    /// `T1, line 3, 2 to 5, aborted`.
    fn header(&self, txn: TxnId, one_line: bool) -> String {
        let mut parts = vec![name(txn)];
        if let Some(line) = self.line(txn).filter(|_| !one_line) {
            parts.push(format!("line {line}"));
        }
        match self.history.span(txn) {
            Some(Span { begin, end: Some(end) }) => parts.push(format!("{begin} to {end}")),
            Some(Span { begin, end: None }) => parts.push(format!("from {begin}")),
            None => {}
        }
        match self.history.status(txn) {
            Status::Committed => {}
            Status::Aborted => parts.push(format!("aborted{}", self.input.why(txn.0))),
            Status::Unknown => parts.push(format!("outcome unknown{}", self.input.why(txn.0))),
        }
        parts.join(", ")
    }

    fn ops(&self, txn: TxnId) -> Vec<String> {
        let all: Vec<OpId> = self.history.ops_of(txn).collect();
        let matters = |op: &OpId| {
            all.len() <= self.most
                || self.story.reads.contains(op)
                || self.keys.contains(&self.history.op(*op).key())
        };
        let mut shown: Vec<OpId> = all.iter().copied().filter(matters).collect();
        shown.truncate(MOST);
        let mut rows: Vec<String> = shown.iter().map(|&op| self.op(op)).collect();
        if shown.len() < all.len() {
            rows.push(format!("  .. {} more", all.len() - shown.len()));
        }
        rows
    }

    /// `r x 1 of T0`.
    fn op(&self, op: OpId) -> String {
        let wrong = self.story.steps.is_empty() && self.story.reads.contains(&op);
        let from = match (self.history.op(op), source(self.history, op)) {
            (Op::Write(..) | Op::Append(..), _) | (_, None) => String::new(),
            (_, Some(source)) => format!(" of {}", name(source)),
        };
        format!("{} {}{from}", if wrong { ">" } else { " " }, did(self.history, op))
    }
}

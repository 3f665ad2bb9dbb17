//! Reads that are impossible in any order, and reads of a list that contradict each other.

use super::story::Story;
use super::{did, elements, key, name, reading, source, value};
use crate::line::Line;
use std::collections::BTreeMap;
use tribunal_history::transactions::{
    History, INIT, Incompatible, KeyId, Misread, Misreading, Op, OpId, Status, TxnId,
};

/// Tells of a read that cannot be.
pub(super) fn misread(history: &History, misread: Misread) -> Story {
    let Misread { op, what } = misread;
    let reader = history.txn_of(op);
    let (who, read) = (name(reader), reading(history, op));
    let of = history.op(op).key();
    let (said, lines) = match what {
        Misreading::ThinAir => thin_air(history, op),
        Misreading::Internal => internal(history, op),
        Misreading::FutureRead => (
            format!("{who} read {read}, which it wrote only afterwards"),
            vec![about(&format!("{who} had not yet written {} when it read it", key(history, of)), [reader])],
        ),
        Misreading::DuplicateElements => {
            let twice =
                repeated(history, op).map_or_else(|| "an element".into(), |element| element.to_string());
            (
                format!("{who} read {} with {twice} twice", key(history, of)),
                vec![about(&format!("{who} read {read}, and {twice} was appended once at most"), [reader])],
            )
        }
        Misreading::AbortedRead => {
            let writer =
                source(history, op).filter(|&writer| writer != INIT).or_else(|| aborted(history, op));
            let from = writer.map_or_else(|| "a transaction".into(), name);
            (
                format!("{who} read {} of {from}, which aborted", key(history, of)),
                vec![
                    about(
                        &format!("{from} wrote what {who} read: {read}"),
                        writer.into_iter().chain([reader]),
                    ),
                    about(&format!("{from} aborted, so nobody should have seen it"), writer),
                ],
            )
        }
        Misreading::IntermediateRead => intermediate(history, op),
        Misreading::DirtyUpdate => {
            let writer = aborted(history, op);
            let from = writer.map_or_else(|| "a transaction".into(), name);
            (
                format!(
                    "{who} read {} with an element of {from}, which aborted, and others behind it",
                    key(history, of)
                ),
                vec![about(
                    &format!("{who} read {read}: those that appended after {from} built on what was undone"),
                    writer.into_iter().chain([reader]),
                )],
            )
        }
    };
    let name = match what {
        Misreading::AbortedRead => "G1a, aborted read".to_string(),
        Misreading::IntermediateRead => "G1b, intermediate read".to_string(),
        other => other.to_string(),
    };
    let by = if what.breaks_everything() {
        "every level forbids it"
    } else {
        "rc and every stronger level forbid it"
    };
    let closing = Line::new(0, &format!("no order of the transactions explains it: {by}"));
    let lines = lines.into_iter().chain([closing]).collect();
    Story { title: format!("{name}: {said}"), lines, reads: vec![op], keys: vec![of], ..Story::default() }
}

/// A line about transactions.
fn about(text: &str, txns: impl IntoIterator<Item = TxnId>) -> Line<TxnId> {
    let mut line = Line::new(0, text);
    line.about.extend(txns.into_iter().filter(|&txn| txn != INIT));
    line
}

fn thin_air(history: &History, op: OpId) -> (String, Vec<Line<TxnId>>) {
    let reader = history.txn_of(op);
    let who = name(reader);
    let of = history.op(op).key();
    let key = key(history, of);
    let (what, did) = match history.op(op) {
        Op::ReadList(_, list) => {
            let appended = appenders(history, of);
            let unknown = list.iter().find(|element| !appended.contains_key(element));
            (unknown.map_or_else(|| "an element".into(), ToString::to_string), "appended it to")
        }
        _ => (value(history, op), "wrote it to"),
    };
    let said = format!("{who} read {what} of {key}, and nobody {did} {key}");
    let initial = history.init().map_or_else(|| "null".to_string(), |value| value.to_string());
    let initial = if history.is_list(of) { "[]".into() } else { initial };
    let line = about(&format!("{who} read {}; initially it is {initial}", reading(history, op)), [reader]);
    (said, vec![line])
}

fn internal(history: &History, op: OpId) -> (String, Vec<Line<TxnId>>) {
    let reader = history.txn_of(op);
    let (who, of) = (name(reader), history.op(op).key());
    let own: Vec<OpId> = history
        .ops_of(reader)
        .filter(|&other| other < op)
        .filter(|&other| matches!(history.op(other), Op::Write(key, _) | Op::Append(key, _) if key == of))
        .collect();
    let key = key(history, of);
    let read = reading(history, op);
    if history.is_list(of) {
        let appended: Vec<i64> = own
            .iter()
            .filter_map(|&op| match history.op(op) {
                Op::Append(_, element) => Some(element),
                _ => None,
            })
            .collect();
        let said = format!("{who} read {key} without what it had appended itself");
        let line = format!(
            "{who} had appended {}, and then read {read}, which does not end in that",
            elements(&appended)
        );
        return (said, vec![about(&line, [reader])]);
    }
    let last = own.last().map_or_else(String::new, |&write| value(history, write));
    let said = format!("{who} wrote {key} = {last} and then read {read}");
    (said, vec![about(&format!("a transaction reads what it wrote last itself: {key} = {last}"), [reader])])
}

fn intermediate(history: &History, op: OpId) -> (String, Vec<Line<TxnId>>) {
    let reader = history.txn_of(op);
    let (who, of) = (name(reader), history.op(op).key());
    let Some(writer) = source(history, op).filter(|&writer| writer != INIT) else {
        return (format!("{who} read {}, which was overwritten", reading(history, op)), Vec::new());
    };
    let (from, key) = (name(writer), key(history, of));
    let writes: Vec<OpId> = history
        .ops_of(writer)
        .filter(|&op| matches!(history.op(op), Op::Write(key, _) | Op::Append(key, _) if key == of))
        .collect();
    let all: Vec<String> = writes.iter().map(|&write| did(history, write)).collect();
    let said = format!("{who} read {key} as {from} had it on the way, not as it left it");
    let line = format!("{from} did {}; {who} read {}", all.join(", "), reading(history, op));
    (said, vec![about(&line, [writer, reader])])
}

/// An element that a read of a list returned twice.
fn repeated(history: &History, op: OpId) -> Option<i64> {
    let Op::ReadList(_, list) = history.op(op) else { return None };
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// Who appended what to a list.
fn appenders(history: &History, of: KeyId) -> BTreeMap<i64, TxnId> {
    let mut appenders = BTreeMap::new();
    for txn in history.transactions() {
        for op in history.ops_of(txn) {
            if let Op::Append(key, element) = history.op(op)
                && key == of
            {
                appenders.insert(element, txn);
            }
        }
    }
    appenders
}

/// The first aborted transaction whose element a read of a list returned.
fn aborted(history: &History, op: OpId) -> Option<TxnId> {
    let Op::ReadList(of, list) = history.op(op) else { return None };
    let appenders = appenders(history, of);
    let txns = list.iter().filter_map(|element| appenders.get(element).copied());
    txns.into_iter().find(|&txn| history.status(txn) == Status::Aborted)
}

/// Tells of reads of a list that no order of the appends explains.
pub(super) fn incompatible(history: &History, incompatible: Incompatible) -> Story {
    let Incompatible { key: of, op, other } = incompatible;
    let (op, other) = (op.min(other), op.max(other));
    let key = key(history, of);
    let (one, two) = (history.txn_of(op), history.txn_of(other));
    let mut lines = vec![about(&format!("{} read {}", name(one), reading(history, op)), [one])];
    let said = if op == other {
        lines.push(about(
            "a transaction appends all its elements at once, and this read has them apart",
            [one],
        ));
        format!("{} read {key} in an order in which nobody appends", name(one))
    } else {
        lines.push(about(&format!("{} read {}", name(two), reading(history, other)), [two]));
        if let Some(line) = apart(history, of, op, other) {
            lines.push(line);
        }
        format!("{} and {} read {key} in incompatible orders", name(one), name(two))
    };
    lines.push(Line::new(
        0,
        "what is read of a list is a beginning of it: no order of the appends explains this",
    ));
    Story {
        title: format!("incompatible order: {said}"),
        lines,
        reads: vec![op, other],
        keys: vec![of],
        ..Story::default()
    }
}

/// Where two reads of a list part.
fn apart(history: &History, of: KeyId, op: OpId, other: OpId) -> Option<Line<TxnId>> {
    let (Op::ReadList(_, one), Op::ReadList(_, two)) = (history.op(op), history.op(other)) else {
        return None;
    };
    let at = one.iter().zip(two).position(|(a, b)| a != b)?;
    let appenders = appenders(history, of);
    let whose = |element: i64| match appenders.get(&element) {
        Some(&txn) => format!("{element}, of {}", name(txn)),
        None => element.to_string(),
    };
    let text = format!("at place {} the one has {}, the other {}", at + 1, whose(one[at]), whose(two[at]));
    let txns = [one[at], two[at]].into_iter().filter_map(|element| appenders.get(&element).copied());
    Some(about(&text, txns))
}

//! Verdicts on histories of transactions in words.
//!
//! A transaction is called by its number, `T3`: sessions one after another, each in its order. The listing says which session it is of, and
//! where the input has it.

mod explain;
mod grounds;
mod levels;
mod listing;
mod meaning;
mod misread;
mod story;
#[cfg(test)]
mod tests;
mod witness;

pub use explain::explain;
pub use levels::{described, rule};
pub use listing::listing;
pub use story::{Story, anomaly, story};
pub use witness::show_witness;

use crate::printable;
use tribunal_history::transactions::{History, INIT, KeyId, Op, OpId, Rel, Source, TxnId};

/// Of a longer list only both ends are shown.
const LONG: usize = 8;

/// A transaction's name: `T3`, or `init`.
pub fn name(txn: TxnId) -> String {
    txn.to_string()
}

/// The text of an operation: `w x 1`, `append x 1`, `r x null`, `r x [1, 2]`, `r x ?`.
pub fn did(history: &History, op: OpId) -> String {
    let key = key(history, history.op(op).key());
    match history.op(op) {
        Op::Write(_, value) => format!("w {key} {value}"),
        Op::Append(_, value) => format!("append {key} {value}"),
        Op::Read(..) | Op::ReadList(..) | Op::Unknown(_) => format!("r {key} {}", value(history, op)),
    }
}

/// A key's name, fit for a terminal.
fn key(history: &History, key: KeyId) -> String {
    printable(history.key_name(key)).into_owned()
}

/// A session's name, fit for a terminal.
fn session(history: &History, txn: TxnId) -> String {
    printable(history.session_name(history.session_of(txn))).into_owned()
}

/// What an operation wrote or read.
fn value(history: &History, op: OpId) -> String {
    match history.op(op) {
        Op::Write(_, value) | Op::Append(_, value) | Op::Read(_, Some(value)) => value.to_string(),
        Op::Read(key, None) if history.is_list(key) => "[]".into(),
        Op::Read(_, None) => "null".into(),
        Op::ReadList(_, list) => elements(list),
        Op::Unknown(_) => "?".into(),
    }
}

/// A list; of a long one both ends.
fn elements(list: &[i64]) -> String {
    let shown = |part: &[i64]| part.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if list.len() <= LONG {
        return format!("[{}]", shown(list));
    }
    format!("[{}, .., {}]", shown(&list[..LONG / 2]), shown(&list[list.len() - LONG / 2..]))
}

/// What a read returned, with its key: `x = 1`.
fn reading(history: &History, op: OpId) -> String {
    format!("{} = {}", key(history, history.op(op).key()), value(history, op))
}

/// The source of a read, if it has one that is known.
fn source(history: &History, op: OpId) -> Option<TxnId> {
    match history.reads().source(op) {
        Source::Txn(source) => Some(source),
        Source::Open(_) | Source::None => None,
    }
}

/// The last operation by which a transaction writes a key.
fn write(history: &History, txn: TxnId, key: KeyId) -> Option<OpId> {
    if txn == INIT {
        return None;
    }
    let writes = |&op: &OpId| matches!(history.op(op), Op::Write(of, _) | Op::Append(of, _) if of == key);
    history.ops_of(txn).rev().find(writes)
}

/// What a link is called.
fn relation(rel: Rel) -> &'static str {
    match rel {
        Rel::So => "so",
        Rel::Rt => "rt",
        Rel::Wr(_) => "wr",
        Rel::Ww(_) => "ww",
        Rel::Rw(_) => "rw",
    }
}

/// The key that a link is about, if it is about one.
fn key_of(history: &History, rel: Rel) -> Option<KeyId> {
    match rel {
        Rel::So | Rel::Rt => None,
        Rel::Ww(key) => Some(key),
        Rel::Wr(op) | Rel::Rw(op) => Some(history.op(op).key()),
    }
}

/// Names one after another: `T0, T1 and T2`.
fn all_of(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

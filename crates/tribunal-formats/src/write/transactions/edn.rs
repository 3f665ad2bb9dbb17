//! Writing transactions as Jepsen and Elle have them: an event a line.

use super::{as_read, in_pieces, number, session_numbers, sessions};
use crate::Format;
use crate::write::json::put_string;
use crate::write::{WriteError, Writer, put};
use std::io;
use tribunal_history::transactions::{History, Op, OpId, Span, Status, TxnId};

/// Writes a history, in the order of its events. Without times each transaction has its end alone.
pub(super) fn write<W: io::Write>(writer: &mut Writer<W>, history: &History) -> Result<(), WriteError> {
    if history.is_empty() {
        let what = "a history without transactions".into();
        return Err(WriteError::Inexpressible { format: Format::Edn, what });
    }
    if let Some(name) = history.name() {
        // A comment has no escapes, and nothing in it may end the line.
        put!(&mut writer.pending, "; {}\n", name.replace(char::is_control, " "));
    }
    let processes = session_numbers(history);
    let put = |writer: &mut Writer<W>, txn: TxnId, kind: &str| {
        let process = processes[history.session_of(txn).index()];
        event(&mut writer.pending, history, txn, (process, kind))?;
        in_pieces(writer)?;
        Ok::<(), WriteError>(())
    };
    if !history.is_timed() {
        for txn in history.transactions() {
            put(writer, txn, ended(history.status(txn)))?;
        }
        return Ok(());
    }
    for (_, what) in events(history)? {
        match what {
            What::Begin(txn) => put(writer, txn, "invoke")?,
            What::End(txn) => put(writer, txn, ended(history.status(txn)))?,
        }
    }
    Ok(())
}

/// A transaction begins or ends. At equal times those that begin come first: they are concurrent with those that end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Begin(TxnId),
    End(TxnId),
}

/// The events of a history with times, in their order.
fn events(history: &History) -> Result<Vec<(i64, What)>, WriteError> {
    let mut events = Vec::with_capacity(2 * history.len());
    for session in sessions(history) {
        let mut transactions = history.session(session).peekable();
        let mut free = None;
        while let Some(txn) = transactions.next() {
            let Some(Span { begin, end }) = history.span(txn) else { continue };
            if free.is_some_and(|free| free >= begin) {
                let name = history.session_name(session);
                let what =
                    format!("transactions of a session that are not apart in time, such as those of {name}");
                return Err(WriteError::Inexpressible { format: Format::Edn, what });
            }
            events.push((begin, What::Begin(txn)));
            let next = transactions.peek().and_then(|&next| history.span(next));
            free = match (end, next) {
                (Some(end), _) => {
                    events.push((end, What::End(txn)));
                    Some(end)
                }
                // What is unknown has no end; its process is free when it begins the next.
                (None, Some(next)) if next.begin > begin => {
                    events.push((next.begin - 1, What::End(txn)));
                    Some(begin)
                }
                (None, _) => Some(begin),
            };
        }
    }
    events.sort_unstable();
    Ok(events)
}

/// The event type with which a transaction ends.
fn ended(status: Status) -> &'static str {
    match status {
        Status::Committed => "ok",
        Status::Aborted => "fail",
        Status::Unknown => "info",
    }
}

fn event(
    out: &mut Vec<u8>,
    history: &History,
    txn: TxnId,
    (process, kind): (i64, &str),
) -> Result<(), WriteError> {
    let known = |op: OpId| matches!(history.op(op), Op::Read(..) | Op::ReadList(..));
    if history.status(txn) == Status::Unknown && history.ops_of(txn).any(known) {
        let name = history.session_name(history.session_of(txn));
        let what =
            format!("known reads of a transaction whose outcome is unknown, such as one of session {name}");
        return Err(WriteError::Inexpressible { format: Format::Edn, what });
    }
    put!(out, "{{:type :{kind}, :f :txn, :process {process}, :value [");
    for (at, op) in history.ops_of(txn).enumerate() {
        if at > 0 {
            out.push(b' ');
        }
        micro(out, history, op, kind == "ok")?;
    }
    out.extend_from_slice(b"]}\n");
    Ok(())
}

/// A micro-operation, with what it read if it is done.
fn micro(out: &mut Vec<u8>, history: &History, op: OpId, done: bool) -> Result<(), WriteError> {
    let what = history.op(op);
    out.extend_from_slice(match what {
        Op::Write(..) => b"[:w ",
        Op::Append(..) => b"[:append ",
        Op::Read(..) | Op::ReadList(..) | Op::Unknown(_) => b"[:r ",
    });
    put_key(out, history.key_name(what.key()));
    match what {
        Op::Write(_, value) | Op::Append(_, value) => put!(out, " {value}"),
        Op::Unknown(_) if done => {}
        Op::Read(_, value) if done => match as_read(history, Format::Edn, op, value)? {
            Some(value) => put!(out, " {value}"),
            None => out.extend_from_slice(b" nil"),
        },
        Op::ReadList(_, list) if done => {
            out.extend_from_slice(b" [");
            for (at, element) in list.iter().enumerate() {
                if at > 0 {
                    out.push(b' ');
                }
                put!(out, "{element}");
            }
            out.push(b']');
        }
        Op::Read(..) | Op::ReadList(..) | Op::Unknown(_) => out.extend_from_slice(b" nil"),
    }
    out.push(b']');
    Ok(())
}

/// A key: as a number if it is one, as a keyword if it can be one.
fn put_key(out: &mut Vec<u8>, name: &str) {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    match number(name) {
        Some(number) => put!(out, "{number}"),
        None if name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.bytes().all(plain) => {
            put!(out, ":{name}");
        }
        None => put_string(out, name),
    }
}

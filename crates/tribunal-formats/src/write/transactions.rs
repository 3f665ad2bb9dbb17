//! Writing histories of transactions.

mod edn;

use super::json::{put_comma, put_labels, put_string};
use super::{ONLY_READ, PIECE, WriteError, Writer, put};
use crate::{Format, Labels, Transactions};
use std::io;
use tribunal_history::transactions::{
    History, INIT, KeyId, Op, OpId, SessionId, Source, Span, Status, TxnId,
};

/// Writes a history of transactions. JSON expresses everything. EDN has no verdicts; Plume's text and dbcop's JSON have neither verdicts nor
/// times, and drop reads of unknown values and reads of aborted transactions.
///
/// ```
/// use tribunal_formats::{Format, Writer, read, write_transactions};
/// let json = r#"{"sessions":[[{"txn":[["w","x",1]]}],[{"txn":[["r","x",1],["r","y",null]]}]]}"#;
/// let history = read(json.as_bytes(), "two.json", None)?.next().expect("a history")?;
/// let mut writer = Writer::new(Vec::new(), Format::Plume);
/// write_transactions(&mut writer, history.transactions().expect("of transactions"), &history.labels)?;
/// assert_eq!(String::from_utf8(writer.finish()?)?, "w(0,1,0,1)\nr(0,1,1,2)\nr(1,0,1,2)\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_transactions<W: io::Write>(
    writer: &mut Writer<W>,
    transactions: &Transactions,
    labels: &Labels,
) -> Result<(), WriteError> {
    let history = &transactions.history;
    match writer.format() {
        Format::Json => json(writer, history, labels)?,
        Format::Edn | Format::Elle => edn::write(writer, history)?,
        Format::Plume => plume(writer, history)?,
        Format::Dbcop => dbcop(writer, history)?,
        format @ (Format::Jepsen | Format::Cobra | Format::Awdit) => {
            return Err(WriteError::Inexpressible { format, what: ONLY_READ.into() });
        }
        format @ (Format::Axe | Format::Text) => {
            return Err(WriteError::Inexpressible { format, what: "a history of transactions".into() });
        }
    }
    writer.pass_on()?;
    Ok(())
}

fn sessions(history: &History) -> impl Iterator<Item = SessionId> + Clone + use<> {
    (0..history.session_count() as u32).map(SessionId)
}

/// Passes on what was written, if that is much.
fn in_pieces<W: io::Write>(writer: &mut Writer<W>) -> io::Result<()> {
    if writer.pending.len() >= PIECE { writer.pass_on() } else { Ok(()) }
}

fn json<W: io::Write>(writer: &mut Writer<W>, history: &History, labels: &Labels) -> Result<(), WriteError> {
    let out = &mut writer.pending;
    out.extend_from_slice(b"{\"kind\":\"transactions\"");
    if let Some(name) = history.name() {
        out.extend_from_slice(b",\"name\":");
        put_string(out, name);
    }
    if let Some(init) = history.init() {
        put!(out, ",\"init\":{init}");
    }
    out.extend_from_slice(b",\"sessions\":[");
    for session in sessions(history) {
        let out = &mut writer.pending;
        put_comma(out, session.index());
        let name = history.session_name(session);
        // The reader gives this name to a session without one.
        let named = name != session.index().to_string();
        if named {
            out.extend_from_slice(b"{\"name\":");
            put_string(out, name);
            out.extend_from_slice(b",\"transactions\":");
        }
        out.push(b'[');
        for (at, txn) in history.session(session).enumerate() {
            put_comma(&mut writer.pending, at);
            put_transaction(&mut writer.pending, history, txn);
            in_pieces(writer)?;
        }
        writer.pending.extend_from_slice(if named { b"]}" } else { b"]" });
    }
    writer.pending.push(b']');
    put_labels(&mut writer.pending, labels);
    writer.pending.extend_from_slice(b"}\n");
    Ok(())
}

fn put_transaction(out: &mut Vec<u8>, history: &History, txn: TxnId) {
    out.extend_from_slice(b"{\"txn\":[");
    for (at, op) in history.ops_of(txn).enumerate() {
        put_comma(out, at);
        put_op(out, history, op);
    }
    out.push(b']');
    match history.status(txn) {
        Status::Committed => {}
        Status::Aborted => out.extend_from_slice(b",\"status\":\"aborted\""),
        Status::Unknown => out.extend_from_slice(b",\"status\":\"unknown\""),
    }
    if let Some(Span { begin, end }) = history.span(txn) {
        put!(out, ",\"begin\":{begin}");
        if let Some(end) = end {
            put!(out, ",\"end\":{end}");
        }
    }
    out.push(b'}');
}

fn put_op(out: &mut Vec<u8>, history: &History, op: OpId) {
    let op = history.op(op);
    out.extend_from_slice(match op {
        Op::Write(..) => b"[\"w\",",
        Op::Append(..) => b"[\"append\",",
        Op::Read(..) | Op::ReadList(..) | Op::Unknown(_) => b"[\"r\",",
    });
    let name = history.key_name(op.key());
    match number(name) {
        Some(number) => put!(out, "{number}"),
        None => put_string(out, name),
    }
    match op {
        Op::Write(_, value) | Op::Append(_, value) | Op::Read(_, Some(value)) => put!(out, ",{value}"),
        Op::Read(_, None) => out.extend_from_slice(b",null"),
        Op::ReadList(_, list) => {
            out.extend_from_slice(b",[");
            for (at, element) in list.iter().enumerate() {
                put_comma(out, at);
                put!(out, "{element}");
            }
            out.push(b']');
        }
        Op::Unknown(_) => {}
    }
    out.push(b']');
}

/// A name as a number, if it is one as numbers are written.
fn number(name: &str) -> Option<i64> {
    name.parse().ok().filter(|number: &i64| number.to_string() == name)
}

/// Names as numbers: their own if all are numbers, else those of their order.
fn numbers<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Vec<i64> {
    let own: Option<Vec<i64>> = names.clone().map(number).collect();
    own.unwrap_or_else(|| (0..).zip(names).map(|(number, _)| number).collect())
}

fn key_numbers(history: &History) -> Vec<i64> {
    numbers((0..history.key_count() as u32).map(|key| history.key_name(KeyId(key))))
}

fn session_numbers(history: &History) -> Vec<i64> {
    numbers(sessions(history).map(|session| history.session_name(session)))
}

/// An operation on a register, where nothing but registers can be written.
enum Access {
    Write(KeyId, i64),
    /// None: the initial value.
    Read(KeyId, Option<i64>),
    /// It says nothing.
    Nothing,
}

/// An operation as an access of a register.
fn access(history: &History, format: Format, op: OpId) -> Result<Access, WriteError> {
    let refused = |what: String| Err(WriteError::Inexpressible { format, what });
    match history.op(op) {
        Op::Write(key, value) => Ok(Access::Write(key, value)),
        Op::Read(key, value) => Ok(Access::Read(key, as_read(history, format, op, value)?)),
        Op::Unknown(_) => Ok(Access::Nothing),
        Op::Append(key, _) | Op::ReadList(key, _) => {
            refused(format!("a list, such as {}", history.key_name(key)))
        }
    }
}

/// The value that a read returned, none if it is initial.
fn as_read(
    history: &History,
    format: Format,
    op: OpId,
    value: Option<i64>,
) -> Result<Option<i64>, WriteError> {
    let Some(value) = value else {
        // Registers that have an initial value are never empty: the read cannot be, and nil would mean that it is initial.
        if history.init().is_some() && history.reads().source(op) != Source::Txn(INIT) {
            let what = "a read of nothing, where registers have an initial value".into();
            return Err(WriteError::Inexpressible { format, what });
        }
        return Ok(None);
    };
    if history.init() != Some(value) {
        return Ok(Some(value));
    }
    match history.reads().source(op) {
        Source::Txn(INIT) => Ok(None),
        Source::Txn(_) | Source::None => Ok(Some(value)),
        Source::Open(_) => {
            let what = format!("a read of {value}, which is the initial value and is written too");
            Err(WriteError::Inexpressible { format, what })
        }
    }
}

fn refuse_unknown(history: &History, format: Format) -> Result<(), WriteError> {
    match history.transactions().find(|&txn| history.status(txn) == Status::Unknown) {
        None => Ok(()),
        Some(_) => {
            let what = "a transaction whose outcome is unknown".into();
            Err(WriteError::Inexpressible { format, what })
        }
    }
}

fn plume<W: io::Write>(writer: &mut Writer<W>, history: &History) -> Result<(), WriteError> {
    let format = Format::Plume;
    refuse_unknown(history, format)?;
    let (keys, sessions_as) = (key_numbers(history), session_numbers(history));
    let mut any = false;
    for session in sessions(history) {
        for txn in history.session(session) {
            let aborted = history.status(txn) == Status::Aborted;
            let number = if aborted { -1 } else { i64::from(txn.0) + 1 };
            for op in history.ops_of(txn) {
                let (letter, key, value) = match access(history, format, op)? {
                    Access::Nothing => continue,
                    Access::Read(..) if aborted => continue,
                    Access::Write(_, 0) | Access::Read(_, Some(0)) => {
                        let what = "a value of 0 that is written: it is the initial value".into();
                        return Err(WriteError::Inexpressible { format, what });
                    }
                    Access::Write(key, value) => ('w', key, value),
                    Access::Read(key, value) => ('r', key, value.unwrap_or(0)),
                };
                let (key, session) = (keys[key.index()], sessions_as[session.index()]);
                put!(&mut writer.pending, "{letter}({key},{value},{session},{number})\n");
                any = true;
            }
            in_pieces(writer)?;
        }
    }
    let what = || "a history that says nothing".into();
    if any { Ok(()) } else { Err(WriteError::Inexpressible { format, what: what() }) }
}

fn dbcop<W: io::Write>(writer: &mut Writer<W>, history: &History) -> Result<(), WriteError> {
    let format = Format::Dbcop;
    refuse_unknown(history, format)?;
    if history.session_count() == 0 {
        return Err(WriteError::Inexpressible { format, what: "a history without sessions".into() });
    }
    let keys = key_numbers(history);
    let longest = history.transactions().map(|txn| history.ops_of(txn).len()).max().unwrap_or(0);
    let most = sessions(history).map(|session| history.session(session).len()).max().unwrap_or(0);
    put!(
        &mut writer.pending,
        "{{\"params\":{{\"id\":0,\"n_node\":{},\"n_variable\":{},\"n_transaction\":{most},\"n_event\":{longest}}},\"info\":",
        history.session_count(),
        history.key_count()
    );
    put_string(&mut writer.pending, history.name().unwrap_or_default());
    // The times of the run, which are not known.
    let epoch = "1970-01-01T00:00:00Z";
    put!(&mut writer.pending, ",\"start\":\"{epoch}\",\"end\":\"{epoch}\",\"data\":[");
    for session in sessions(history) {
        put_comma(&mut writer.pending, session.index());
        writer.pending.push(b'[');
        for (at, txn) in history.session(session).enumerate() {
            let out = &mut writer.pending;
            put_comma(out, at);
            out.extend_from_slice(b"{\"events\":[");
            let mut events = 0;
            for op in history.ops_of(txn) {
                let (kind, key, version) = match access(history, format, op)? {
                    Access::Nothing => continue,
                    Access::Write(key, value) => ("Write", key, Some(value)),
                    Access::Read(key, value) => ("Read", key, value),
                };
                let variable = keys[key.index()];
                if let Some(number) = [Some(variable), version].into_iter().flatten().find(|&n| n < 0) {
                    let what = format!("a negative number, such as {number}");
                    return Err(WriteError::Inexpressible { format, what });
                }
                put_comma(out, events);
                events += 1;
                put!(out, "{{\"{kind}\":{{\"variable\":{variable},\"version\":");
                match version {
                    Some(version) => put!(out, "{version}}}}}"),
                    None => out.extend_from_slice(b"null}}"),
                }
            }
            put!(out, "],\"committed\":{}}}", history.status(txn) == Status::Committed);
            in_pieces(writer)?;
        }
        writer.pending.push(b']');
    }
    writer.pending.extend_from_slice(b"]}\n");
    Ok(())
}

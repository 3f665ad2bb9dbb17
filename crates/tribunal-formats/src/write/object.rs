//! Writing histories of operations, in native JSON or EDN.

use super::json::{put_comma, put_labels, put_string};
use super::{ONLY_READ, WriteError, Writer, edn, put};
use crate::{Format, Labels, Object};
use std::io;
use tribunal_history::object::{History, OpId, ProcessId, Value};

/// Writes an object history. JSON expresses everything; EDN only what Jepsen's histories can express, without verdicts.
///
/// ```
/// use tribunal_formats::{Format, Writer, read, write_object};
/// let edn = "{:process 0, :type :invoke, :f :write, :value 1}\n{:process 0, :type :ok, :f :write, :value 1}\n";
/// let history = read(edn.as_bytes(), "one.edn", None)?.next().expect("a history")?;
/// let mut writer = Writer::new(Vec::new(), Format::Json);
/// write_object(&mut writer, history.object().expect("of an object"), &history.labels)?;
/// let json = String::from_utf8(writer.finish()?)?;
/// assert!(json.starts_with(r#"{"kind":"object","spec":"cas-register(0)","operations":["#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_object<W: io::Write>(
    writer: &mut Writer<W>,
    object: &Object,
    labels: &Labels,
) -> Result<(), WriteError> {
    match writer.format() {
        Format::Json => json(&mut writer.pending, object, labels),
        Format::Edn => edn::write(&mut writer.pending, object)?,
        format @ (Format::Jepsen | Format::Cobra | Format::Awdit) => {
            return Err(WriteError::Inexpressible { format, what: ONLY_READ.into() });
        }
        format @ (Format::Axe | Format::Text | Format::Elle | Format::Plume | Format::Dbcop) => {
            return Err(WriteError::Inexpressible { format, what: "a history of an object".into() });
        }
    }
    writer.pass_on()?;
    Ok(())
}

fn json(out: &mut Vec<u8>, object: &Object, labels: &Labels) {
    let history = &object.history;
    out.extend_from_slice(b"{\"kind\":\"object\"");
    if let Some(name) = history.name() {
        out.extend_from_slice(b",\"name\":");
        put_string(out, name);
    }
    out.extend_from_slice(b",\"spec\":");
    put_string(out, &object.spec);
    out.extend_from_slice(b",\"operations\":[");
    for op in history.ops() {
        put_comma(out, op.index());
        out.extend_from_slice(b"{\"process\":");
        put_process(out, history.process_name(history.process(op)));
        let call = history.called(op);
        out.extend_from_slice(b",\"f\":");
        put_string(out, call.method);
        out.extend_from_slice(b",\"args\":");
        put_list(out, call.args);
        if let Some(ret) = history.result(op) {
            out.extend_from_slice(b",\"ret\":");
            put_value(out, ret);
        }
        if let Some((call, ret)) = history.times(op) {
            put!(out, ",\"call\":{call}");
            if let Some(ret) = ret {
                put!(out, ",\"return\":{ret}");
            }
        }
        out.push(b'}');
    }
    out.push(b']');
    if history.ops().any(|op| history.times(op).is_none()) {
        out.extend_from_slice(b",\"hb\":[");
        for (at, (a, b)) in pairs(history).into_iter().enumerate() {
            put_comma(out, at);
            put!(out, "[{},{}]", a.0, b.0);
        }
        out.push(b']');
    }
    put_labels(out, labels);
    out.extend_from_slice(b"}\n");
}

/// Pairs whose closure with po is hb. The operations of a process that happen before an operation are the first ones of
/// it, so the last of them says it; and it need not be said again of what comes later in po.
pub(crate) fn pairs(history: &History) -> Vec<(OpId, OpId)> {
    let mut pairs = Vec::new();
    let processes = || (0..history.process_count() as u32).map(ProcessId);
    for process in processes() {
        let mut previous = None;
        for &op in history.of_process(process) {
            for other in processes().filter(|&other| other != process) {
                let ops = history.of_process(other);
                let seen = ops.partition_point(|&before| history.before(before, op));
                if let Some(&last) = ops[..seen].last()
                    && previous.is_none_or(|previous| !history.before(last, previous))
                {
                    pairs.push((last, op));
                }
            }
            previous = Some(op);
        }
    }
    pairs
}

/// A process: as a number if its name is one as numbers are written.
fn put_process(out: &mut Vec<u8>, name: &str) {
    match name.parse::<u64>() {
        Ok(number) if number.to_string() == name => put!(out, "{number}"),
        _ => put_string(out, name),
    }
}

fn put_list(out: &mut Vec<u8>, values: &[Value]) {
    out.push(b'[');
    for (at, value) in values.iter().enumerate() {
        put_comma(out, at);
        put_value(out, value);
    }
    out.push(b']');
}

fn put_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(truth) => put!(out, "{truth}"),
        Value::Int(number) => put!(out, "{number}"),
        Value::Text(text) => put_string(out, text),
        Value::List(values) => put_list(out, values),
    }
}

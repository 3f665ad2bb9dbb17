//! Writing EDN as Jepsen and Knossos have it: a vector of events.

use super::json::put_string;
use super::{WriteError, put};
use crate::read::{Dialect, JepsenObject, JepsenSeen, is_tuple, transaction};
use crate::{Format, NilReads, Object};
use tribunal_history::object::{Event, History, OpId, ProcessId, Value};

/// Writes a history, if reading it gives the same.
pub(super) fn write(out: &mut Vec<u8>, object: &Object) -> Result<(), WriteError> {
    let history = &object.history;
    let keys = Keys::of(&object.spec);
    let values = history.ops().map(|op| Values::of(history, op, keys)).collect::<Result<Vec<_>, _>>()?;
    let seen = seen(history, keys, &values);
    let kind = match JepsenObject::shown_by(&seen) {
        // Who reads it back says that it is no history of transactions.
        JepsenObject::Unknown if seen.is_of_txn() => JepsenObject::MultiRegister,
        kind => kind,
    };
    let transactions = history.ops().flat_map(|op| history.called(op).args);
    let implied = kind.spec(Dialect::Jepsen, &seen, transactions);
    if implied != object.spec || matches!(kind, JepsenObject::Set | JepsenObject::Unknown) {
        return Err(refused(format!("the specification {}", object.spec)));
    }
    let unsorted = |op: OpId| match history.result(op) {
        Some(Value::List(elements)) => !elements.is_sorted(),
        _ => false,
    };
    if let Some(op) = history.ops().find(|&op| kind == JepsenObject::GrowSet && unsorted(op)) {
        return Err(refused(format!("`{}`: its elements are not in order", history.show(op))));
    }
    let Some(intervals) = history.intervals() else {
        return Err(refused("an explicit order".into()));
    };
    let tuples = history.ops().all(|op| is_tuple(history.called(op).method, &values[op.index()].called));
    if !values.is_empty() && tuples != (keys == Keys::Tuples) {
        return Err(refused("values that are pairs: they look like keys with values".into()));
    }

    let processes = processes(history);
    if let Some(name) = history.name() {
        // A comment has no escapes, and nothing in it may end the line.
        put!(out, "; {}\n", name.replace(char::is_control, " "));
    }
    out.push(b'[');
    for (at, &event) in intervals.events.iter().enumerate() {
        if at > 0 {
            out.extend_from_slice(b"\n ");
        }
        let (op, kind) = match event {
            Event::Call(op) => (op, "invoke"),
            Event::Return(op) => (op, "ok"),
        };
        let method = history.called(op).method;
        put!(out, "{{:process {}, :type :{kind}, :f :{method}", processes[history.process(op).index()]);
        let Values { key, called, returned } = &values[op.index()];
        if let Some(key) = key {
            out.extend_from_slice(b", :key ");
            put_value(out, key);
        }
        out.extend_from_slice(b", :value ");
        put_value(out, if matches!(event, Event::Call(_)) { called } else { returned });
        if let Some((call, ret)) = history.times(op) {
            let time = if matches!(event, Event::Call(_)) { Some(call) } else { ret };
            put!(out, ", :time {}", time.unwrap_or(call));
        }
        out.push(b'}');
    }
    out.extend_from_slice(b"]\n");
    Ok(())
}

/// The evidence of the events for a reader.
fn seen(history: &History, keys: Keys, values: &[Values]) -> JepsenSeen {
    let unkeyed = |value: &Value| match value {
        Value::List(tuple) if keys == Keys::Tuples => tuple.get(1).cloned().unwrap_or_default(),
        value => value.clone(),
    };
    let mut seen = JepsenSeen::new(keys != Keys::None && !values.is_empty());
    for (op, Values { called, returned, .. }) in history.ops().zip(values) {
        let method = history.called(op).method.into();
        seen.call(&method, &unkeyed(called));
        if !history.is_pending(op) {
            seen.ret(&method, &unkeyed(returned));
        }
    }
    seen
}

fn refused(what: String) -> WriteError {
    WriteError::Inexpressible { format: Format::Edn, what }
}

/// The form in which the keys of operations are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    None,
    /// As `:key`, in key-value logs.
    Named,
    /// With the values, as jepsen.independent has them.
    Tuples,
}

impl Keys {
    fn of(spec: &str) -> Self {
        match spec {
            "kv-store" => Keys::Named,
            _ if spec.starts_with("keyed ") => Keys::Tuples,
            _ => Keys::None,
        }
    }
}

/// The `:key` and `:value` of an operation's events.
struct Values {
    key: Option<Value>,
    called: Value,
    returned: Value,
}

impl Values {
    fn of(history: &History, op: OpId, keys: Keys) -> Result<Self, WriteError> {
        let call = history.called(op);
        let inexpressible = || refused(format!("`{}`", history.show(op)));
        let (key, args) = match (keys, call.args) {
            (Keys::None, args) => (None, args),
            (_, [key, args @ ..]) if *key != Value::Null => (Some(key.clone()), args),
            _ => return Err(inexpressible()),
        };
        let ret = history.result(op).cloned().unwrap_or_default();
        let pending = history.is_pending(op);
        let nothing = pending || ret == Value::Null;
        let (called, returned) = match (call.method, args) {
            // A read of nil says nothing, nor does one without an answer: they would not be read back.
            ("read" | "get", []) if !pending && ret != Value::Null => (Value::Null, ret),
            ("cas", [old, new]) if pending || ret == Value::Bool(true) => {
                let swap = Value::list([old.clone(), new.clone()]);
                (swap.clone(), swap)
            }
            ("txn", [txn]) if pending && transaction(txn, NilReads::Drop).is_ok() => (txn.clone(), ret),
            ("txn", [txn])
                if transaction(&ret, NilReads::Drop)
                    .is_ok_and(|known| known == Some((txn.clone(), ret.clone()))) =>
            {
                (txn.clone(), ret)
            }
            ("acquire" | "release" | "inc", []) if nothing => (Value::Null, Value::Null),
            ("dequeue" | "pop" | "delete_min", []) => (Value::Null, ret),
            ("write" | "enqueue" | "push" | "insert" | "add" | "append" | "put", [value]) if nothing => {
                (value.clone(), value.clone())
            }
            _ => return Err(inexpressible()),
        };
        Ok(match (keys, key) {
            (Keys::Tuples, Some(key)) => {
                let tuple = |value| Value::list([key.clone(), value]);
                Values { key: None, called: tuple(called), returned: tuple(returned) }
            }
            (_, key) => Values { key, called, returned },
        })
    }
}

/// The numbers of the processes: their names, if all names are numbers.
fn processes(history: &History) -> Vec<i64> {
    let processes = 0..history.process_count() as u32;
    let named = processes.clone().map(|process| {
        let name = history.process_name(ProcessId(process));
        name.parse::<i64>().ok().filter(|number| number.to_string() == name)
    });
    named.collect::<Option<_>>().unwrap_or_else(|| processes.map(i64::from).collect())
}

fn put_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => out.extend_from_slice(b"nil"),
        Value::Bool(truth) => put!(out, "{truth}"),
        Value::Int(number) => put!(out, "{number}"),
        Value::Text(text) => put_string(out, text),
        Value::List(values) => {
            out.push(b'[');
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    out.push(b' ');
                }
                put_value(out, value);
            }
            out.push(b']');
        }
    }
}

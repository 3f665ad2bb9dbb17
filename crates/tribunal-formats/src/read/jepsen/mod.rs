//! Jepsen's histories: events of processes, which become operations.
//!
//! The events of EDN files, JSON files and text logs come here one by one. Their order is real time. An operation is
//! translated at the end, since what it means depends on the others: the methods called tell the object.

pub(super) mod edn;
pub(super) mod json;
pub(super) mod log;
mod translate;

pub(crate) use translate::{Object, transaction};

use super::buffer::{Buffer, Place};
use super::draft::ObjectDraft;
use crate::error::quote;
use crate::{Error, ErrorKind, History};
use rustc_hash::FxHashMap;
use tribunal::object::{Invocation, MalformedHistory, OpId, Value};

/// What happens to an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    /// It is called.
    Invoke,
    /// It took effect.
    Ok,
    /// It did not take effect.
    Fail,
    /// Nobody knows.
    Info,
}

impl Type {
    fn of(word: &[u8]) -> Option<Self> {
        match word {
            b"invoke" => Some(Type::Invoke),
            b"ok" => Some(Type::Ok),
            b"fail" => Some(Type::Fail),
            b"info" => Some(Type::Info),
            _ => None,
        }
    }
}

/// An event of a client.
struct Event<'a> {
    process: i64,
    kind: Type,
    method: &'a str,
    value: Value,
    key: Option<Value>,
    /// Whether the value is marked as a pair of a key and a value.
    tuple: bool,
}

/// An operation as far as it is known.
struct Call {
    process: i64,
    /// An index into the run's methods.
    method: u32,
    value: Value,
    key: Option<Value>,
    line: u64,
    /// How many events came before.
    at: u64,
    end: Option<End>,
}

/// The end of an operation.
struct End {
    kind: Type,
    value: Value,
    at: u64,
}

/// Who wrote the events.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Jepsen and Knossos: a failed operation did not take place, and a read of nil says nothing.
    Jepsen,
    /// Text logs: a cas fails because it saw another value, and nil is a value.
    Log,
}

/// A history event by event.
struct Run {
    dialect: Dialect,
    /// Where the history begins.
    line: u64,
    calls: Vec<Call>,
    methods: Vec<String>,
    /// By process, its last operation.
    last: FxHashMap<i64, usize>,
    events: u64,
    /// Whether every value so far is marked as a pair of a key and a value.
    tuples: bool,
}

impl Run {
    fn new(dialect: Dialect, line: u64) -> Self {
        let (calls, methods, last) = Default::default();
        Run { dialect, line, calls, methods, last, events: 0, tuples: true }
    }

    /// Takes the next event, which stands at a place.
    fn event(&mut self, event: Event<'_>, place: Place, buffer: &Buffer) -> Result<(), Error> {
        let at = self.events;
        self.events += 1;
        let last = self.last.get(&event.process).copied();
        if event.kind == Type::Invoke {
            if let Some(open) = last.filter(|&last| self.still_open(last)) {
                let malformed = MalformedHistory::Overlap {
                    op: OpId(self.calls.len() as u32),
                    process: event.process.to_string(),
                    called: shown(event.method, &event.value),
                    open: shown(&self.methods[self.calls[open].method as usize], &self.calls[open].value),
                };
                return Err(Error::at(
                    buffer.name(),
                    place.line,
                    None,
                    ErrorKind::MalformedObject(malformed),
                ));
            }
            self.tuples &= event.tuple;
            let method = self.method(event.method);
            let Event { process, value, key, .. } = event;
            self.last.insert(process, self.calls.len());
            self.calls.push(Call { process, method, value, key, line: place.line, at, end: None });
            return Ok(());
        }
        let Some(call) = last.map(|last| &mut self.calls[last]).filter(|call| call.end.is_none()) else {
            let process = event.process;
            return Err(buffer.error_at(place, ErrorKind::ReturnWithoutCall { process }));
        };
        let called = &self.methods[call.method as usize];
        if called != event.method {
            let (called, returned) = (quote(called.as_bytes()), quote(event.method.as_bytes()));
            return Err(buffer.error_at(place, ErrorKind::OtherMethod { called, returned }));
        }
        call.end = Some(End { kind: event.kind, value: event.value, at });
        Ok(())
    }

    /// Whether a process's last operation may still be going on. Of a read that nobody knows about nothing is left.
    fn still_open(&self, call: usize) -> bool {
        match &self.calls[call].end {
            None => true,
            Some(end) => {
                let method = self.methods[self.calls[call].method as usize].as_str();
                end.kind == Type::Info && !matches!(method, "read" | "get")
            }
        }
    }

    fn method(&mut self, name: &str) -> u32 {
        let at = self.methods.iter().position(|method| method == name).unwrap_or_else(|| {
            self.methods.push(name.into());
            self.methods.len() - 1
        });
        at as u32
    }

    /// The history.
    fn finish(mut self, buffer: &Buffer) -> Result<History, Error> {
        self.split_tuples();
        let keyed = self.calls.iter().any(|call| call.key.is_some());
        let object = Object::of(&self.methods, keyed);
        let mut draft = ObjectDraft::new(self.line);
        draft.spec = object.spec(self.dialect, keyed, self.calls.iter().map(|call| &call.value));
        let mut args = Vec::new();
        for call in &self.calls {
            let fault = |kind| Error::at(buffer.name(), call.line, None, kind);
            let method = &self.methods[call.method as usize];
            args.clear();
            match (&call.key, keyed) {
                (Some(key), _) => args.push(key.clone()),
                (None, true) => {
                    let object = "an operation, and others have it";
                    return Err(fault(ErrorKind::MissingKey { key: ":key", object }));
                }
                (None, false) => {}
            }
            let Some((method, ret)) =
                object.operation(self.dialect, method, call, &mut args).map_err(fault)?
            else {
                continue;
            };
            let process = draft.builder.process(&call.process.to_string());
            let op = draft.builder.call(process, method, &args, call.at);
            draft.lines.push(call.line);
            if let (Some(ret), Some(end)) = (ret, &call.end) {
                draft.builder.ret(op, ret, end.at);
            }
        }
        draft.finish(buffer)
    }

    /// Tells the keys of jepsen.independent from the values, if all values are pairs of the two.
    fn split_tuples(&mut self) {
        let all = || self.calls.iter().all(|c| is_tuple(&self.methods[c.method as usize], &c.value));
        if self.calls.is_empty() || !(self.tuples || all()) {
            return;
        }
        for call in &mut self.calls {
            let Some([key, value]) = pair(&call.value).cloned() else { continue };
            if let Some(end) = &mut call.end {
                end.value = match pair(&end.value) {
                    Some([of, value]) if *of == key => value.clone(),
                    _ => Value::Null,
                };
            }
            (call.key, call.value) = (Some(key), value);
        }
    }
}

/// Whether the value of a call looks like a key with a value.
pub(crate) fn is_tuple(method: &str, value: &Value) -> bool {
    let Some([key, value]) = pair(value) else { return false };
    match method {
        "cas" => pair(value).is_some(),
        // Two accesses of a transaction are no pair.
        "txn" => !matches!(key, Value::List(_)),
        _ => true,
    }
}

/// The two values of a pair.
fn pair(value: &Value) -> Option<&[Value; 2]> {
    match value {
        Value::List(values) => (&**values).try_into().ok(),
        _ => None,
    }
}

/// A call in words.
fn shown(method: &str, value: &Value) -> String {
    let args = std::slice::from_ref(value);
    let call = Invocation { method, args: if *value == Value::Null { &[] } else { args } };
    quote(call.to_string().as_bytes())
}

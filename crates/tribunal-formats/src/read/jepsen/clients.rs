//! What the clients are doing: calls, and the events that end them.

use super::{COUNTERS, Event, Plain, Type, only_reads};
use crate::error::quote;
use crate::{Error, ErrorKind};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tribunal::growth::Growth;
use tribunal::object::{Invocation, MalformedHistory, OpId, Value};

/// An operation as it was called.
pub(super) struct Call {
    pub(super) process: Arc<str>,
    pub(super) method: Arc<str>,
    pub(super) value: Value,
    pub(super) key: Option<Value>,
    /// The arguments, if they were given as such.
    pub(super) args: Option<Vec<Value>>,
    pub(super) line: u64,
    /// How many events came before.
    pub(super) at: u64,
    /// Whether the value is marked as a pair of a key and a value.
    pub(super) tuple: bool,
    /// How many bytes of the heap its values take at most.
    bytes: usize,
}

/// The end of an operation.
pub(super) struct End {
    pub(super) kind: Type,
    pub(super) value: Value,
    /// The return, if it was given as such.
    pub(super) ret: Option<Value>,
    pub(super) at: u64,
}

/// What an event is.
pub(super) enum Step {
    /// This process has called.
    Called(Value),
    /// An operation has ended.
    Ended(Call, End),
}

/// The clients. Each has one operation at a time.
pub(super) struct Clients {
    file: Arc<str>,
    clients: FxHashMap<Value, (Arc<str>, Doing)>,
    events: u64,
    calls: u32,
    growth: Growth,
    /// What the values of open calls take.
    open: usize,
}

enum Doing {
    Nothing,
    Open(Call),
    /// Nobody knows how this ended, in words: nothing follows it.
    Crashed(String),
}

impl Clients {
    pub(super) fn new(file: Arc<str>) -> Self {
        let (clients, events, calls, growth, open) = Default::default();
        Clients { file, clients, events, calls, growth, open }
    }

    /// How many bytes of the heap they take at most, as they are and as operations that are left over.
    pub(super) fn memory(&self) -> usize {
        self.growth.peak() + self.open + 2 * size_of::<(Call, Option<End>)>() * self.clients.len()
    }

    /// Takes the next event.
    pub(super) fn take(&mut self, event: Event) -> Result<Step, Error> {
        let at = self.events;
        self.events += 1;
        let Event { place, process, kind, method, value, key, tuple, plain, bytes } = event;
        if !self.clients.contains_key(&process) {
            let name: Arc<str> = match &process {
                Value::Text(name) => name.clone(),
                number => number.to_string().into(),
            };
            self.growth.hold(COUNTERS + name.len());
            self.growth.insert(&mut self.clients, process.clone(), (name, Doing::Nothing));
        }
        let (name, doing) = self.clients.get_mut(&process).expect("it is there by now");
        if let (Type::Invoke, Some(method)) = (kind, &method) {
            let args = match plain {
                Some(Plain::Args(args)) => Some(args),
                _ => None,
            };
            let call = Call {
                process: name.clone(),
                method: method.clone(),
                value,
                key,
                args,
                line: place.line,
                at,
                tuple,
                bytes,
            };
            let open = match doing {
                Doing::Nothing => {
                    self.calls += 1;
                    self.open += bytes;
                    *doing = Doing::Open(call);
                    return Ok(Step::Called(process));
                }
                Doing::Open(open) => open.shown(),
                Doing::Crashed(open) => open.clone(),
            };
            let op = OpId(self.calls);
            let overlap =
                MalformedHistory::Overlap { op, process: name.to_string(), called: call.shown(), open };
            return Err(Error::at(&self.file, place.line, None, ErrorKind::MalformedObject(overlap)));
        }
        let fault = |kind| Err(Error::at(&self.file, place.line, place.column, kind));
        match std::mem::replace(doing, Doing::Nothing) {
            Doing::Open(call) => {
                self.open -= call.bytes;
                if let Some(returned) = method.filter(|returned| *returned != call.method) {
                    let (called, returned) = (quote(call.method.as_bytes()), quote(returned.as_bytes()));
                    return fault(ErrorKind::OtherMethod { called, returned });
                }
                if kind == Type::Info && !only_reads(&call.method) {
                    *doing = Doing::Crashed(call.shown());
                }
                let ret = match plain {
                    Some(Plain::Ret(ret)) => Some(ret),
                    _ => None,
                };
                Ok(Step::Ended(call, End { kind, value, ret, at }))
            }
            Doing::Nothing | Doing::Crashed(_) => {
                fault(ErrorKind::ReturnWithoutCall { process: quote(name.as_bytes()) })
            }
        }
    }

    /// The open operation of a process.
    pub(super) fn open(&mut self, process: &Value) -> Option<&mut Call> {
        match self.clients.get_mut(process)? {
            (_, Doing::Open(call)) => Some(call),
            _ => None,
        }
    }

    /// What is open at the end.
    pub(super) fn left(self) -> impl Iterator<Item = Call> {
        self.clients.into_values().filter_map(|(_, doing)| match doing {
            Doing::Open(call) => Some(call),
            Doing::Nothing | Doing::Crashed(_) => None,
        })
    }
}

impl Call {
    /// The call in words.
    fn shown(&self) -> String {
        let args = match &self.args {
            Some(args) => args,
            None if self.value == Value::Null => &[][..],
            None => std::slice::from_ref(&self.value),
        };
        quote(Invocation { method: &self.method, args }.to_string().as_bytes())
    }
}

//! The clients of a history: their calls, and the events that end them.

use super::{COUNTERS, Event, Native, Type, only_reads};
use crate::error::quote;
use crate::{Error, ErrorKind};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tribunal_history::heap::Growth;
use tribunal_history::object::ProcessSet;
use tribunal_history::object::{Invocation, MalformedHistory, OpId, Value};

/// An operation as it was called.
pub(super) struct Call {
    pub(super) process: Arc<str>,
    pub(super) method: Arc<str>,
    pub(super) value: Value,
    pub(super) key: Option<Value>,
    /// The arguments, if they were given as such.
    pub(super) args: Option<Vec<Value>>,
    pub(super) line: u64,
    /// The number of events that came before.
    pub(super) at: u64,
    /// Whether the value is marked as a pair of a key and a value.
    pub(super) tuple: bool,
    /// The bytes of the heap that its values take at most.
    bytes: usize,
}

/// The end of an operation.
pub(super) struct End {
    pub(super) kind: Type,
    pub(super) value: Value,
    /// The return, if it was given as such.
    pub(super) ret: Option<Value>,
    pub(super) at: u64,
    /// The reason why it did not succeed, as the client says.
    pub(super) error: Option<Arc<str>>,
}

/// The part of an operation that an event is.
pub(super) enum Step {
    /// This process has called.
    Called(Value),
    /// An operation has ended.
    Ended(Call, End),
}

/// The clients. Each has one operation at a time.
pub(super) struct Clients {
    file: Arc<str>,
    /// The open calls.
    open: FxHashMap<Value, Call>,
    /// Nobody knows how their last operation ended: nothing follows it.
    crashed: ProcessSet,
    events: u64,
    calls: u32,
    growth: Growth,
    /// The bytes that open calls take of the heap.
    held: usize,
}

impl Clients {
    pub(super) fn new(file: Arc<str>) -> Self {
        let (open, crashed, events, calls, growth, held) = Default::default();
        Clients { file, open, crashed, events, calls, growth, held }
    }

    /// The bytes of the heap that they take at most, as they are and as operations that are left over.
    pub(super) fn memory(&self) -> usize {
        let left_over = 2 * size_of::<(Call, Option<End>)>() * self.open.len();
        self.growth.peak() + self.held + self.crashed.bytes() + left_over
    }

    /// Takes the next event.
    pub(super) fn take(&mut self, event: Event) -> Result<Step, Error> {
        let at = self.events;
        self.events += 1;
        let Event { place, process, kind, method, value, key, tuple, native, error, bytes, time: _ } = event;
        let name = || match &process {
            Value::Text(name) => name.clone(),
            number => Arc::<str>::from(number.to_string()),
        };
        if let (Type::Invoke, Some(method)) = (kind, &method) {
            let args = match native {
                Some(Native::Args(args)) => Some(args),
                _ => None,
            };
            let call = Call {
                process: name(),
                method: method.clone(),
                value,
                key,
                args,
                line: place.line,
                at,
                tuple,
                bytes,
            };
            let open = match self.open.get(&process) {
                Some(open) => open.shown(),
                None if self.crashed.contains(&call.process) => "crashed operation".into(),
                None => {
                    self.calls += 1;
                    self.held += call.held();
                    self.growth.insert(&mut self.open, process.clone(), call);
                    return Ok(Step::Called(process));
                }
            };
            let op = OpId(self.calls);
            let (process, called) = (call.process.to_string(), call.shown());
            let overlap = MalformedHistory::Overlap { op, process, called, open };
            return Err(Error::at(&self.file, place.line, None, ErrorKind::MalformedObject(overlap)));
        }
        let fault = |kind| Err(Error::at(&self.file, place.line, place.column, kind));
        match self.open.remove(&process) {
            Some(call) => {
                self.held -= call.held();
                if let Some(returned) = method.filter(|returned| *returned != call.method) {
                    let (called, returned) = (quote(call.method.as_bytes()), quote(returned.as_bytes()));
                    return fault(ErrorKind::OtherMethod { called, returned });
                }
                if kind == Type::Info && !only_reads(&call.method) {
                    self.crashed.insert(&call.process);
                }
                let ret = match native {
                    Some(Native::Ret(ret)) => Some(ret),
                    _ => None,
                };
                Ok(Step::Ended(call, End { kind, value, ret, at, error }))
            }
            None => fault(ErrorKind::ReturnWithoutCall { process: quote(name().as_bytes()) }),
        }
    }

    /// The open operation of a process.
    pub(super) fn open(&mut self, process: &Value) -> Option<&mut Call> {
        self.open.get_mut(process)
    }

    /// The calls that are open at the end.
    pub(super) fn left(self) -> impl Iterator<Item = Call> {
        self.open.into_values()
    }
}

impl Call {
    /// The request: a value, or a list of several arguments.
    pub(super) fn asked(&self) -> Value {
        match self.args.as_deref() {
            None => self.value.clone(),
            Some([]) => Value::Null,
            Some([one]) => one.clone(),
            Some(several) => Value::list(several.iter().cloned()),
        }
    }

    /// The bytes that it takes of the heap: its values, and its process's name with the counters beside it.
    fn held(&self) -> usize {
        self.bytes + COUNTERS + self.process.len()
    }

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

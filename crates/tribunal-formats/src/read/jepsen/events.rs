//! Events one by one, as a monitor needs them.

use super::clients::{Call, Clients, End, Step};
use super::history::{split_tuple, value_of};
use super::translate::{Outcome, Stage};
use super::{Clock, Event, Native, NilReads, Object, Seen, Source, Type, hint, is_tuple, only_reads, pair};
use crate::error::quote;
use crate::read::ReadAs;
use crate::{Error, ErrorKind, Notes};
use std::collections::VecDeque;
use std::sync::Arc;
use tribunal_history::heap::Growth;
use tribunal_history::object::{Invocation, Value};

/// The events of one object history, each as soon as its last byte has arrived; made by [`events`](crate::events).
///
/// They mean the same as in a whole history, with two differences: the call must say what the operation does, so an end that
/// says otherwise is an error; and the first call decides whether values are pairs of a key and a value.
///
/// The iterator ends after the first error.
///
/// ```
/// use tribunal::object::Value;
/// use tribunal_formats::{Action, events};
/// let log = "INFO  jepsen.util - 3 :invoke :write 7\nINFO  jepsen.util - 3 :ok :write 7\n";
/// let mut events = events(log.as_bytes(), "etcd.log", None)?;
/// assert_eq!(events.spec()?.as_deref(), Some("cas-register"));
/// let call = events.next().expect("a call")?;
/// assert_eq!((call.line, &*call.process), (1, "3"));
/// assert_eq!(call.action, Action::Call { method: "write".into(), args: vec![Value::from(7)] });
/// let end = events.next().expect("a return")?;
/// assert_eq!((end.line, end.action), (2, Action::Return(Value::Null)));
/// assert!(events.next().is_none());
/// # Ok::<(), tribunal_formats::Error>(())
/// ```
pub struct Events {
    source: Box<dyn Source>,
    clients: Clients,
    words: Option<Words>,
    /// Events that were read to learn the object.
    ahead: VecDeque<Event>,
    /// The memory that they take.
    growth: Growth,
    begun: bool,
    ended: bool,
    nil_reads: NilReads,
    /// The notes on what was no operation.
    notes: Notes,
    /// The evidence of the calls, if they must tell the object.
    seen: Option<Seen>,
}

/// An event of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectEvent {
    /// Its line, from 1.
    pub line: u64,
    /// The process whose operation it is of.
    pub process: Arc<str>,
    /// The action.
    pub action: Action,
}

/// An action of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is called.
    Call {
        /// The method.
        method: Arc<str>,
        /// Its arguments.
        args: Vec<Value>,
    },
    /// It returns this.
    Return(Value),
    /// It will not return; it may or may not take effect. Its process calls nothing more.
    Crash,
    /// It did not take effect, or it only reads and its outcome is unknown.
    Withdrawal,
}

/// The meanings of the words of the events.
#[derive(Clone, Copy)]
struct Words {
    object: Object,
    /// Whether values are pairs of a key and a value.
    tuples: bool,
    keyed: bool,
}

impl Events {
    pub(in crate::read) fn new(source: Box<dyn Source>) -> Self {
        let clients = Clients::new(source.name().clone());
        let (words, ahead, growth, nil_reads) = Default::default();
        let (begun, ended, notes) = Default::default();
        let seen = Some(Seen::default());
        Events { source, clients, words, ahead, growth, begun, ended, nil_reads, notes, seen }
    }

    /// The same events, with reads of nil dropped (the default) or kept.
    pub fn nil_reads(self, nil_reads: NilReads) -> Self {
        Events { nil_reads, ..self }
    }

    /// The notes on what was no operation of the object; to be asked for once, at the end.
    pub fn notes(&mut self) -> Notes {
        let Notes { nil_reads, failed, unanswered, .. } = self.notes;
        Notes { nil_reads, failed, unanswered, ..self.source.notes(&Clock::default()) }
    }

    /// The same events, with the given specification, such as `queue` or `keyed register`.
    pub fn of(mut self, spec: &str) -> Self {
        let (keyed, base) = match spec.strip_prefix("keyed ") {
            Some(base) => (true, base),
            None => (false, spec),
        };
        self.words = Some(Words { object: Object::named(base), tuples: keyed, keyed });
        self.seen = None;
        self
    }

    /// The specification that the events imply. As many events are read as needed to be sure, or
    /// all. `None` if there is no call. The registers of transactions, which depend on all events, are not
    /// listed: `multi-register`.
    pub fn spec(&mut self) -> Result<Option<String>, Error> {
        let Some(words) = self.learn()? else { return Ok(None) };
        let none = Seen::default();
        let seen = self.seen.as_ref().unwrap_or(&none);
        // The registers are known only at the end.
        if words.object == Object::MultiRegister {
            let keyed = if words.keyed { "keyed " } else { "" };
            return Ok(Some(format!("{keyed}multi-register")));
        }
        Ok(Some(words.object.spec(self.source.dialect(), seen, std::iter::empty())))
    }

    /// Reads until the calls tell one object.
    fn learn(&mut self) -> Result<Option<Words>, Error> {
        if self.words.is_some() {
            return Ok(self.words);
        }
        let mut seen = self.seen.take().unwrap_or_default();
        let mut tuples = false;
        while let Some(event) = self.read()? {
            if event.kind == Type::Invoke && seen.is_empty() {
                let method = event.method.as_deref().unwrap_or_default();
                let pair = event.tuple || (event.native.is_none() && is_tuple(method, &event.value));
                tuples = event.key.is_none() && pair;
                seen.keyed = tuples || event.key.is_some();
            }
            note(&mut seen, &event, tuples);
            // The queue doubles as it grows.
            self.growth.hold(event.bytes + 3 * size_of::<Event>());
            self.ahead.push_back(event);
            self.source.hold(self.growth.peak())?;
            if seen.is_empty() {
                continue;
            }
            let mut candidates = Object::candidates(&seen);
            match (candidates.next(), candidates.next()) {
                (None, _) | (Some(Object::MultiRegister), None) => break,
                (Some(object), None) if object.is_sure(&seen) => break,
                // Balances that no read told before a transfer are never told.
                (Some(Object::Bank), None) if seen.has("transfer") => break,
                _ => {}
            }
        }
        if !seen.is_empty() {
            let keyed = seen.keyed;
            let object = ReadAs::Object(None).object(&seen);
            self.words = Some(Words { object, tuples, keyed });
        }
        self.seen = Some(seen);
        Ok(self.words)
    }

    /// The next event of the input, which must have one history.
    fn read(&mut self) -> Result<Option<Event>, Error> {
        if !self.begun {
            self.begun = true;
            if self.source.begin()?.is_none() {
                return Ok(None);
            }
        }
        if let Some(event) = self.source.event()? {
            return Ok(Some(event));
        }
        match self.source.begin()? {
            None => Ok(None),
            Some(line) => Err(Error::at(self.source.name(), line, None, ErrorKind::AnotherHistory)),
        }
    }

    fn event(&mut self) -> Result<Option<ObjectEvent>, Error> {
        let Some(words) = self.learn()? else { return Ok(None) };
        let event = match self.ahead.pop_front() {
            Some(event) => event,
            None => match self.read()? {
                Some(event) => event,
                None => return Ok(None),
            },
        };
        let line = event.place.line;
        if let Some(seen) = &mut self.seen {
            note(seen, &event, words.tuples);
            if !words.object.agrees(seen) {
                let methods: Vec<&str> = seen.methods().collect();
                let kind = ErrorKind::OtherObject { hint: hint(&methods) };
                return Err(Error::at(self.source.name(), line, None, kind));
            }
        }
        let step = self.clients.take(event)?;
        self.source.hold(self.growth.peak() + self.clients.memory())?;
        let file = self.source.name();
        let fault = |kind| Error::at(file, line, None, kind);
        let (process, action) = match step {
            Step::Called(process) => {
                let call = self.clients.open(&process).expect("called just now");
                let split = words.tuples && call.args.is_none() && call.key.is_none() && split_tuple(call);
                if words.keyed && !split && call.key.is_none() && call.args.is_none() {
                    let object = "an operation, and others have it";
                    return Err(fault(ErrorKind::MissingKey { key: ":key", object }));
                }
                let mut args = Vec::new();
                words.object.args(call, &call.value, Stage::Open, &mut args).map_err(fault)?;
                let method = match words.object.method(call) {
                    method if *method == *call.method => call.method.clone(),
                    other => other.into(),
                };
                (call.process.clone(), Action::Call { method, args })
            }
            Step::Ended(call, mut end) => {
                if let (Some(key), true) = (&call.key, words.tuples) {
                    end.value = value_of(key, &end).map_err(fault)?;
                }
                let object = words.object;
                let (dialect, nil_reads) = (self.source.dialect(), self.nil_reads);
                let nil = match nil_reads {
                    NilReads::Drop => object.nil_reads(dialect, &call, Some(&end)),
                    NilReads::Keep => 0,
                };
                self.notes.nil_reads += nil;
                let action = match object.outcome(dialect, nil_reads, &call, Some(&end)).map_err(fault)? {
                    Outcome::Open => Action::Crash,
                    Outcome::Withdrawn => {
                        self.notes.failed += u64::from(end.kind == Type::Fail);
                        self.notes.unanswered += u64::from(end.kind != Type::Fail && nil == 0);
                        Action::Withdrawal
                    }
                    Outcome::Returned(ret) => {
                        done_as_called(object, &call, &end, nil_reads).map_err(fault)?;
                        Action::Return(ret)
                    }
                };
                (call.process, action)
            }
        };
        Ok(Some(ObjectEvent { line, process, action }))
    }
}

/// Notes what an event shows. Where values are pairs of a key and a value, the value counts.
fn note(seen: &mut Seen, event: &Event, tuples: bool) {
    let value = match &event.native {
        Some(Native::Args(args)) => match &args[..] {
            [] => &Value::Null,
            [one, ..] => one,
        },
        Some(Native::Ret(ret)) => ret,
        None if tuples => pair(&event.value).map_or(&event.value, |[_, value]| value),
        None => &event.value,
    };
    let Some(method) = &event.method else { return };
    match event.kind {
        Type::Invoke => seen.call(method, value),
        Type::Ok => {
            let first = seen.initial.is_none() && seen.methods().all(only_reads);
            if first && only_reads(method) && *value != Value::Null {
                seen.initial = Some(value.clone());
            }
            seen.ret(method, value);
        }
        Type::Fail | Type::Info => {}
    }
}

/// An error if a call turns out to have done something else than it said.
fn done_as_called(object: Object, call: &Call, end: &End, nil_reads: NilReads) -> Result<(), ErrorKind> {
    let done = object.done(call, Some(end));
    // Of a transaction, the reads that say nothing do not count as done.
    if *done == call.value && object != Object::MultiRegister {
        return Ok(());
    }
    let (mut called, mut turned_out) = (Vec::new(), Vec::new());
    object.args(call, &call.value, Stage::Open, &mut called)?;
    object.args(call, done, Stage::Ended(nil_reads), &mut turned_out)?;
    if called == turned_out {
        return Ok(());
    }
    let shown = |args: &[Value]| quote(Invocation { method: &call.method, args }.to_string().as_bytes());
    Err(ErrorKind::OtherCall { called: shown(&called), done: shown(&turned_out) })
}

impl Iterator for Events {
    type Item = Result<ObjectEvent, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let event = self.event();
        self.ended = !matches!(event, Ok(Some(_)));
        event.transpose()
    }
}

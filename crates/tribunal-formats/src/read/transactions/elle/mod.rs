//! Histories of Jepsen whose operations are transactions, as Elle checks them: list-append and rw-register, in EDN or JSON.
//!
//! A [`Source`] takes the events one by one; their order is real time. The [`Collector`] makes transactions of them: sessions are
//! processes, `:ok` commits, `:fail` aborts, and what ends with `:info` or not at all is unknown.

pub(in crate::read) mod edn;
pub(in crate::read) mod json;
mod look;

pub(in crate::read) use look::is_meant;

use super::Draft;
use crate::error::quote;
use crate::read::ReadAs;
use crate::read::buffer::Place;
use crate::read::jepsen::{Clock, Type};
use crate::{Error, ErrorKind, History, Notes};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tribunal_history::transactions::{KeyId, Op, SessionId, Span, Status};

/// A source of events.
pub(in crate::read) trait Source {
    /// The input's name.
    fn name(&self) -> &Arc<str>;

    /// Goes to the next history: the line where it begins, none at the end of the input.
    fn begin(&mut self) -> Result<Option<u64>, Error>;

    /// The next event of a client in the history begun; false at its end. Its keys are given ids by the draft.
    fn event(&mut self, draft: &mut Draft, event: &mut Event) -> Result<bool, Error>;

    /// The notes on what was no event of a client in the history begun; they begin anew.
    fn notes(&mut self, clock: &Clock) -> Notes;

    /// Says how many bytes the history holds; an error if that is too much.
    fn hold(&mut self, bytes: usize) -> Result<(), Error>;
}

/// An event of a client, kept for its room.
#[derive(Default)]
pub(in crate::read) struct Event {
    /// The place where it begins.
    place: Option<Place>,
    /// Its process, if it has one.
    process: Option<i64>,
    kind: Option<Type>,
    time: Option<i64>,
    /// Whether it says what was done.
    has_value: bool,
    /// The reason why it did not commit, as the client says.
    error: Option<Arc<str>>,
    ops: Vec<Micro>,
    /// The elements of lists that were read.
    elements: Vec<i64>,
}

impl Event {
    /// The number of bytes that it takes at most, and will take once more in the history.
    fn memory(&self) -> usize {
        (3 * size_of::<Micro>() + super::OPERATION) * self.ops.len()
            + (3 * size_of::<i64>() + super::ELEMENT) * self.elements.len()
    }

    fn clear(&mut self) {
        (self.place, self.process, self.kind, self.time, self.has_value) = (None, None, None, None, false);
        self.error = None;
        self.ops.clear();
        self.elements.clear();
    }
}

/// A micro-operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Micro {
    Write(KeyId, i64),
    Append(KeyId, i64),
    Read(KeyId, Returned),
}

/// The return of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Returned {
    Unknown,
    Nothing,
    Value(i64),
    /// These of the event's elements.
    List(u32, u32),
}

/// The function of a micro-operation.
#[derive(Clone, Copy)]
enum Function {
    Read,
    Write,
    Append,
}

impl Function {
    fn of(word: &[u8]) -> Option<Self> {
        match word {
            b"r" | b"read" => Some(Function::Read),
            b"w" | b"write" => Some(Function::Write),
            b"append" => Some(Function::Append),
            _ => None,
        }
    }
}

/// The words of errors.
const MICRO: &str = "a micro-operation: [:r k v], [:w k v] or [:append k v]";
const VALUE: &str = "a list of micro-operations as the value of a transaction";
const WRITTEN: &str = "a whole number from -2^63 to 2^63 - 1 that is written or appended";
const READ: &str = "nil, a whole number or a list of them that is read";
const METHOD: &str = ":txn, :read or :write, since these are transactions";

/// Whether an operation of this name may be a transaction: long-fork has those that only read and those that only write.
fn is_transaction(method: &str) -> bool {
    matches!(method, "txn" | "read" | "write")
}

/// The next history; none at the end of the input.
pub(in crate::read) fn history(source: &mut dyn Source, read_as: ReadAs) -> Result<Option<History>, Error> {
    let Some(line) = source.begin()? else { return Ok(None) };
    let mut collector = Collector::new(line);
    let mut event = Event::default();
    while source.event(&mut collector.draft, &mut event)? {
        collector.take(&mut event, source.name())?;
        source.hold(collector.memory())?;
    }
    let errors_of = std::mem::take(&mut collector.draft.notes.errors_of);
    collector.draft.notes = Notes { errors_of, ..source.notes(&collector.clock) };
    let history = collector.finish(source.name())?;
    match zero_of_nothing(&history).filter(|_| read_as == ReadAs::Told) {
        Some(key) => {
            let kind = ErrorKind::TransactionsOrRegisters { key };
            Err(Error::at(source.name(), line, None, kind))
        }
        None => Ok(Some(history)),
    }
}

/// A key of which 0 was read, though nothing wrote it: the initial value of Knossos's registers, and none of Elle's.
fn zero_of_nothing(history: &History) -> Option<String> {
    let history = &history.transactions()?.history;
    let mut zeros: FxHashMap<KeyId, bool> = FxHashMap::default();
    for op in history.transactions().flat_map(|txn| history.ops_of(txn)) {
        match history.op(op) {
            Op::Read(key, Some(0)) => {
                zeros.entry(key).or_insert(false);
            }
            Op::Write(key, 0) => {
                zeros.insert(key, true);
            }
            _ => {}
        }
    }
    let unwritten = zeros.into_iter().filter(|&(_, written)| !written).map(|(key, _)| key);
    unwritten.min().map(|key| quote(history.key_name(key).as_bytes()))
}

/// A transaction that was called.
#[derive(Default)]
struct Call {
    /// Whether it is still open.
    open: bool,
    session: Option<SessionId>,
    line: u64,
    /// The number of events that came before.
    at: i64,
    ops: Vec<Micro>,
}

/// Makes transactions of events.
struct Collector {
    draft: Draft,
    /// By process, its last call.
    calls: FxHashMap<i64, Call>,
    /// Open calls of no process.
    free: Vec<Call>,
    /// The number of transactions that had none.
    free_sessions: u64,
    events: i64,
    clock: Clock,
    /// Whether events are times: not if the first transaction has an end and no begin.
    timed: Option<bool>,
    /// Micro-operations that are kept.
    held: usize,
}

impl Collector {
    fn new(line: u64) -> Self {
        let (calls, free, free_sessions, events, clock, timed, held) = Default::default();
        Collector { draft: Draft::new(line), calls, free, free_sessions, events, clock, timed, held }
    }

    /// The number of bytes that it takes at most.
    fn memory(&self) -> usize {
        let calls = 4 * size_of::<(i64, Call)>() * (self.calls.len() + self.free.len());
        self.draft.memory() + self.clock.memory() + calls + 3 * size_of::<Micro>() * self.held
    }

    fn take(&mut self, event: &mut Event, file: &str) -> Result<(), Error> {
        let at = self.events;
        self.events += 1;
        self.clock.note(event.time);
        let line = event.place.map_or(1, |place| place.line);
        let kind = event.kind.unwrap_or(Type::Info);
        self.timed.get_or_insert(kind == Type::Invoke);
        if kind != Type::Invoke {
            let mut call = match event.process {
                Some(process) => self.calls.get_mut(&process).filter(|call| call.open).map(std::mem::take),
                None => self.free_call(event),
            };
            let ended = self.end(event, kind, call.as_ref(), (line, at));
            if let (Some(process), Some(call)) = (event.process, call.as_mut()) {
                // Its room is kept for the next.
                call.open = false;
                self.calls.insert(process, std::mem::take(call));
            }
            return ended;
        }
        let Some(process) = event.process else {
            self.held += event.ops.len();
            let ops = event.ops.clone();
            self.free.push(Call { open: true, session: None, line, at, ops });
            return Ok(());
        };
        let call = self.calls.entry(process).or_default();
        if call.open {
            let kind = ErrorKind::OverlappingTransactions { process, open: call.line };
            return Err(Error::at(file, line, None, kind));
        }
        let session = match call.session {
            Some(session) => session,
            None => self.draft.session(&process.to_string()),
        };
        (call.open, call.session, call.line, call.at) = (true, Some(session), line, at);
        let before = call.ops.capacity();
        call.ops.clear();
        call.ops.extend_from_slice(&event.ops);
        self.held += call.ops.capacity() - before.min(call.ops.capacity());
        Ok(())
    }

    /// The open call of no process that an event without one ends: the first that does the same.
    fn free_call(&mut self, event: &Event) -> Option<Call> {
        let same = |a: &Micro, b: &Micro| match (a, b) {
            (Micro::Read(a, _), Micro::Read(b, _)) => a == b,
            (a, b) => a == b,
        };
        let ended = |call: &Call| {
            !event.has_value
                || call.ops.len() == event.ops.len()
                    && call.ops.iter().zip(&event.ops).all(|(a, b)| same(a, b))
        };
        let found = self.free.iter().position(ended)?;
        let call = self.free.remove(found);
        self.held -= call.ops.len();
        Some(call)
    }

    /// Ends a transaction, which may not have been called.
    fn end(
        &mut self,
        event: &Event,
        kind: Type,
        call: Option<&Call>,
        (line, at): (u64, i64),
    ) -> Result<(), Error> {
        let session = match (call.and_then(|call| call.session), event.process) {
            (Some(session), _) => session,
            (None, Some(process)) => self.draft.session(&process.to_string()),
            (None, None) => self.free_session(),
        };
        let status = match kind {
            Type::Ok => Status::Committed,
            Type::Fail => Status::Aborted,
            Type::Info | Type::Invoke => Status::Unknown,
        };
        self.draft.begin(session, call.map_or(line, |call| call.line));
        self.draft.note_error(event.error.clone());
        let of_event = status == Status::Committed && event.has_value;
        match call {
            Some(call) if !of_event => call.ops.iter().for_each(|&op| self.draft.op(unread(op))),
            _ if of_event => event.ops.iter().for_each(|&op| self.draft.op(done(op, &event.elements))),
            _ => event.ops.iter().for_each(|&op| self.draft.op(unread(op))),
        }
        // What was not called may have begun before everything.
        let begin = call.map_or(-1, |call| call.at);
        let end = (status != Status::Unknown).then_some(at);
        self.draft.end(status, (self.timed == Some(true)).then_some(Span { begin, end }));
        Ok(())
    }

    /// A session for a transaction of no process.
    fn free_session(&mut self) -> SessionId {
        loop {
            let name = self.free_sessions.to_string();
            self.free_sessions += 1;
            if let Some(session) = self.draft.new_session(&name) {
                return session;
            }
        }
    }

    /// The history, whose open transactions are unknown.
    fn finish(mut self, file: &str) -> Result<History, Error> {
        let calls = std::mem::take(&mut self.calls).into_values().filter(|call| call.open);
        let mut left: Vec<Call> = std::mem::take(&mut self.free).into_iter().chain(calls).collect();
        left.sort_unstable_by_key(|call| call.at);
        for call in left {
            self.end(&Event::default(), Type::Info, Some(&call), (call.line, call.at))?;
        }
        self.draft.retime(|position| self.clock.at(position));
        self.draft.finish(file)
    }
}

/// A micro-operation of which it is not known what it read.
fn unread(op: Micro) -> Op<'static> {
    match op {
        Micro::Write(key, value) => Op::Write(key, value),
        Micro::Append(key, value) => Op::Append(key, value),
        Micro::Read(key, _) => Op::Unknown(key),
    }
}

/// A micro-operation as it was done.
fn done(op: Micro, elements: &[i64]) -> Op<'_> {
    match op {
        Micro::Read(key, Returned::Nothing) => Op::Read(key, None),
        Micro::Read(key, Returned::Value(value)) => Op::Read(key, Some(value)),
        Micro::Read(key, Returned::List(start, end)) => {
            Op::ReadList(key, &elements[start as usize..end as usize])
        }
        other => unread(other),
    }
}

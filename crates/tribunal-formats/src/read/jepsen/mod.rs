//! Jepsen's histories: events of processes, which become operations.
//!
//! A [`Source`] takes the events from EDN, JSON or a text log, each as soon as it is complete. Their order is real time.
//! [`history`] makes a history of them: there an operation is translated at the end, since what it means depends on the
//! others. [`Events`] translates each as it comes.

mod clients;
pub(super) mod edn;
mod events;
mod history;
pub(super) mod json;
pub(super) mod log;
mod noted;
mod seen;
mod translate;

pub use events::{Action, Events, ObjectEvent};
pub(super) use history::history;
pub(super) use noted::{Clock, Noted};
pub(crate) use seen::Seen;
pub(crate) use translate::{Object, hint, transaction};

use super::buffer::{Place, Room};
use crate::{Error, ErrorKind, Notes};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tribunal_history::heap::Growth;
use tribunal_history::object::Value;

/// A source of events. Nothing is read beyond the last byte of an event before it is given.
pub(super) trait Source: Send {
    /// The input's name.
    fn name(&self) -> &Arc<str>;

    /// The dialect of the events.
    fn dialect(&self) -> Dialect;

    /// Goes to the next history: the line where it begins, none at the end of the input.
    fn begin(&mut self) -> Result<Option<u64>, Error>;

    /// The next event of a client in the history begun; none at its end.
    fn event(&mut self) -> Result<Option<Event>, Error>;

    /// The notes on what was no event of a client in the history begun; they begin anew.
    fn notes(&mut self, clock: &Clock) -> Notes;

    /// Says how many bytes the events hold that were read; an error if that is too much.
    fn hold(&mut self, bytes: usize) -> Result<(), Error>;

    /// The memory that a history may take.
    fn room(&self) -> Room;
}

/// The dialect of the events.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Jepsen and Knossos: a failed operation did not take place, and a read of nil says nothing unless it is kept.
    Jepsen,
    /// Text logs: a cas fails because it saw another value, and nil is a value.
    Log,
}

/// The treatment of reads of nil in histories of Jepsen and Knossos, where nil usually means an unknown value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NilReads {
    /// Drop and count them.
    #[default]
    Drop,
    /// Keep them as reads of null.
    Keep,
}

impl NilReads {
    /// Both ways.
    pub const ALL: [NilReads; 2] = [NilReads::Drop, NilReads::Keep];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            NilReads::Drop => "drop",
            NilReads::Keep => "keep",
        }
    }
}

/// The type of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
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
    pub(super) fn of(word: &[u8]) -> Option<Self> {
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
pub(super) struct Event {
    place: Place,
    /// A number or a name.
    process: Value,
    kind: Type,
    /// Its time, if it has one that is a whole number.
    time: Option<i64>,
    /// An end may leave it to the call.
    method: Option<Arc<str>>,
    value: Value,
    key: Option<Value>,
    /// Whether the value is marked as a pair of a key and a value.
    tuple: bool,
    /// The arguments or the return as such, in place of Jepsen's value.
    native: Option<Native>,
    /// The reason why its operation did not succeed, as the client says.
    error: Option<Arc<str>>,
    /// The bytes of the heap that its values take at most.
    bytes: usize,
}

/// An invocation or return not in Jepsen's words but in the object's own.
enum Native {
    Args(Vec<Value>),
    Ret(Value),
}

/// The words of an event of a client; an error if something is missing.
fn event(
    place: Place,
    (process, kind): (Value, Option<Type>),
    method: Option<Arc<str>>,
    file: &str,
    [type_key, f_key]: [&'static str; 2],
) -> Result<Event, Error> {
    let missing = |key| {
        let kind = ErrorKind::MissingKey { key, object: "the event" };
        Err(Error::at(file, place.line, place.column, kind))
    };
    match (kind, method) {
        (None, _) => missing(type_key),
        (Some(Type::Invoke), None) => missing(f_key),
        (Some(kind), method) => {
            let (time, value, key, tuple, native, error, bytes) = Default::default();
            Ok(Event { place, process, kind, time, method, value, key, tuple, native, error, bytes })
        }
    }
}

/// The bytes before a shared text on the heap.
const COUNTERS: usize = 2 * size_of::<usize>();

/// The names of methods, each kept once.
#[derive(Default)]
struct Names {
    known: FxHashMap<Arc<str>, ()>,
    /// Room for a name that is being read.
    read: String,
    growth: Growth,
}

impl Names {
    /// The name read.
    fn get(&mut self) -> Arc<str> {
        if let Some((known, ())) = self.known.get_key_value(self.read.as_str()) {
            return known.clone();
        }
        let name: Arc<str> = self.read.as_str().into();
        self.growth.hold(COUNTERS + name.len());
        self.growth.insert(&mut self.known, name.clone(), ());
        name
    }
}

/// Whether a method changes nothing, so that nothing is left of a call that did not return.
fn only_reads(method: &str) -> bool {
    matches!(method, "read" | "get" | "read-init")
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

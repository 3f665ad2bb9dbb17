//! Histories of Jepsen and Knossos in EDN: a vector or a list of maps, or maps one after another.

use super::{Clock, Dialect, Event, Names, Noted, Source, Type, event};
use crate::read::buffer::{Buffer, Room};
use crate::read::edn::Pull;
use crate::read::keys::{Seen, keys};
use crate::{Error, ErrorKind, Notes};
use std::str::from_utf8;
use std::sync::Arc;
use tribunal_history::object::Value;

keys!(EventKey {
    Process = ":process",
    Type = ":type",
    F = ":f",
    Value = ":value",
    Key = ":key",
    Time = ":time",
    Error = ":error",
});

/// The events of an EDN stream: each vector or list is a history, and so are all maps up to the next of these.
pub(in crate::read) struct Edn {
    pull: Pull,
    names: Names,
    noted: Noted,
    /// The byte that closes the history: none if its maps come one after another.
    close: Option<u8>,
}

impl Edn {
    pub(in crate::read) fn new(buffer: Buffer) -> Self {
        Edn { pull: Pull::new(buffer, false), names: Names::default(), noted: Noted::default(), close: None }
    }

    /// The parser, for who reads the events as transactions.
    pub(in crate::read) fn pull(&mut self) -> &mut Pull {
        &mut self.pull
    }

    /// An event: a map, which may be tagged as a record. It may be of no client.
    fn any_event(&mut self) -> Result<Option<Event>, Error> {
        self.pull.count_anew();
        self.pull.peek()?;
        let place = self.pull.place();
        self.pull.tag(|_| ())?;
        self.pull.open(b'{', "a map: an event")?;
        let (mut process, mut kind, mut method) = (Value::Null, None, None);
        let (mut value, mut key, mut tuple) = Default::default();
        let (mut time, mut error) = (None, Value::Null);
        let mut seen = Seen::default();
        while self.pull.another(b'}')? {
            let Some(known) = self.pull.key(EventKey::of)? else {
                self.pull.skip()?;
                continue;
            };
            if !seen.add(known.bit()) {
                return Err(self.pull.error_at(place, ErrorKind::DuplicateKey { key: known.text() }));
            }
            match known {
                EventKey::Process => process = self.pull.process()?,
                EventKey::Type => kind = Some(self.pull.kind()?),
                EventKey::F => {
                    self.pull.method(&mut self.names.read)?;
                    method = Some(self.names.get());
                }
                EventKey::Value => {
                    tuple = self.pull.tag(is_tuple)?.unwrap_or(false);
                    value = self.pull.value()?;
                }
                EventKey::Time => time = self.pull.value()?.as_int(),
                EventKey::Error => error = self.pull.value()?,
                EventKey::Key => key = Some(self.pull.value()?).filter(|key| *key != Value::Null),
            }
        }
        if !seen.has(EventKey::Process.bit()) {
            let missing = ErrorKind::MissingKey { key: EventKey::Process.text(), object: "the event" };
            return Err(self.pull.error_at(place, missing));
        }
        // The nemesis and other processes without numbers are no clients.
        if process.as_int().is_none() {
            self.noted.other(place, time, &process, (method.as_deref().unwrap_or("nil"), &value));
            return Ok(None);
        }
        let error = self.noted.client(&error);
        let keys = [EventKey::Type.text(), EventKey::F.text()];
        let event = event(place, (process, kind), method, self.pull.buffer().name(), keys)?;
        Ok(Some(Event { value, key, tuple, time, error, bytes: self.pull.counted(), ..event }))
    }
}

impl Source for Edn {
    fn name(&self) -> &Arc<str> {
        self.pull.buffer().name()
    }

    fn hold(&mut self, bytes: usize) -> Result<(), Error> {
        let bytes = bytes + self.names.growth.peak() + self.noted.memory();
        self.pull.hold(bytes)
    }

    fn notes(&mut self, clock: &Clock) -> Notes {
        self.noted.take(clock)
    }

    fn room(&self) -> Room {
        self.pull.buffer().room()
    }

    fn dialect(&self) -> Dialect {
        Dialect::Jepsen
    }

    fn begin(&mut self) -> Result<Option<u64>, Error> {
        let Some((line, close)) = self.pull.begin_history()? else { return Ok(None) };
        self.close = close;
        Ok(Some(line))
    }

    fn event(&mut self) -> Result<Option<Event>, Error> {
        while self.pull.another_event(self.close)? {
            if let Some(event) = self.any_event()? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }
}

/// Whether a tag marks a key and a value of jepsen.independent.
fn is_tuple(tag: &[u8]) -> bool {
    matches!(tag, b"jepsen.independent/tuple" | b"jepsen.independent.Tuple" | b"clojure.lang.MapEntry")
}

impl Pull {
    /// The type of an event.
    pub(in crate::read) fn kind(&mut self) -> Result<Type, Error> {
        self.word(":invoke, :ok, :fail or :info", |word| word.strip_prefix(b":").and_then(Type::of))
    }

    /// The method of an event: a keyword, a symbol or a string.
    pub(in crate::read) fn method(&mut self, method: &mut String) -> Result<(), Error> {
        method.clear();
        if self.peek()? == Some(b'"') {
            return self.quoted(|text| method.push_str(text));
        }
        self.word("a method", |word| {
            method.push_str(from_utf8(word.strip_prefix(b":").unwrap_or(word)).ok()?);
            Some(())
        })
    }
}

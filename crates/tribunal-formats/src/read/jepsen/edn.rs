//! Histories of Jepsen and Knossos in EDN: a vector or a list of maps, or maps one after another.

use super::{Dialect, Event, Run, Type};
use crate::read::buffer::Buffer;
use crate::read::edn::Pull;
use crate::read::keys::{Seen, keys};
use crate::{Error, ErrorKind, History};
use std::str::from_utf8;
use tribunal::object::Value;

/// Reads the histories of an EDN stream.
pub(in crate::read) struct Reader {
    pull: Pull,
    method: String,
}

keys!(EventKey { Process = ":process", Type = ":type", F = ":f", Value = ":value", Key = ":key" });

impl Reader {
    pub(in crate::read) fn new(buffer: Buffer) -> Self {
        Reader { pull: Pull::new(buffer, false), method: String::new() }
    }

    /// The next history: each vector or list is one, and so are all maps up to the next of these.
    pub(in crate::read) fn next(&mut self) -> Result<Option<History>, Error> {
        let (open, close) = match self.pull.peek()? {
            None => return Ok(None),
            Some(b'{' | b'#') => {
                let mut run = Run::new(Dialect::Jepsen, self.pull.place().line);
                while let Some(b'{' | b'#') = self.pull.peek()? {
                    self.event(&mut run)?;
                }
                return run.finish(self.pull.buffer()).map(Some);
            }
            Some(b'(') => (b'(', b')'),
            _ => (b'[', b']'),
        };
        let mut run = Run::new(Dialect::Jepsen, self.pull.place().line);
        self.pull.open(open, "a vector, a list or a map: a history or an event")?;
        while self.pull.another(close)? {
            self.event(&mut run)?;
        }
        run.finish(self.pull.buffer()).map(Some)
    }

    /// An event: a map, which may be tagged as a record.
    fn event(&mut self, run: &mut Run) -> Result<(), Error> {
        self.pull.peek()?;
        let place = self.pull.place();
        self.pull.tag(|_| ())?;
        self.pull.open(b'{', "a map: an event")?;
        let (mut process, mut kind, mut value, mut key, mut tuple) = (None, None, Value::Null, None, false);
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
                EventKey::Process => process = self.pull.value()?.as_int(),
                EventKey::Type => kind = Some(self.pull.kind()?),
                EventKey::F => self.pull.method(&mut self.method)?,
                EventKey::Value => {
                    tuple = self.pull.tag(is_tuple)?.unwrap_or(false);
                    value = self.pull.value()?;
                }
                EventKey::Key => key = Some(self.pull.value()?).filter(|key| *key != Value::Null),
            }
        }
        let missing = |key: EventKey| {
            let missing = ErrorKind::MissingKey { key: key.text(), object: "the event" };
            Err(self.pull.error_at(place, missing))
        };
        match (process, kind) {
            _ if !seen.has(EventKey::Process.bit()) => missing(EventKey::Process),
            // The nemesis and other processes that are no clients.
            (None, _) => Ok(()),
            (_, None) => missing(EventKey::Type),
            _ if !seen.has(EventKey::F.bit()) => missing(EventKey::F),
            (Some(process), Some(kind)) => {
                let event = Event { process, kind, method: &self.method, value, key, tuple };
                run.event(event, place, self.pull.buffer())
            }
        }
    }
}

/// Whether a tag marks a key and a value of jepsen.independent.
fn is_tuple(tag: &[u8]) -> bool {
    matches!(tag, b"jepsen.independent/tuple" | b"jepsen.independent.Tuple" | b"clojure.lang.MapEntry")
}

impl Pull {
    /// What happens in an event.
    pub(super) fn kind(&mut self) -> Result<Type, Error> {
        self.word(":invoke, :ok, :fail or :info", |word| word.strip_prefix(b":").and_then(Type::of))
    }

    /// The method of an event: a keyword, a symbol or a string.
    pub(super) fn method(&mut self, method: &mut String) -> Result<(), Error> {
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

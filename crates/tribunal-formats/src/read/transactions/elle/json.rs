//! Transactions of Jepsen in JSON: an array of events, or events one after another.

use super::{Event, Function, METHOD, MICRO, Micro, READ, Returned, Source, VALUE, WRITTEN, is_transaction};
use crate::error::quote;
use crate::read::buffer::Place;
use crate::read::jepsen::{Clock, Noted, Type};
use crate::read::keys::{Seen, keys};
use crate::read::pull::Pull;
use crate::read::transactions::Draft;
use crate::{Error, ErrorKind, Notes};
use std::sync::Arc;
use tribunal_history::object::Value;
use tribunal_history::transactions::KeyId;

keys!(EventKey {
    Process = "process",
    Type = "type",
    F = "f",
    Value = "value",
    Time = "time",
    Error = "error",
});

/// The events of a JSON stream.
pub(in crate::read) struct Json<'p> {
    pull: &'p mut Pull,
    /// Whether the events are in an array.
    array: bool,
    /// Whether the array's next event is its first.
    first: bool,
    name: String,
    noted: Noted,
}

/// The first thing that is wrong with a value, which matters only if a client did it.
type Wrong = Option<(Place, ErrorKind)>;

impl<'p> Json<'p> {
    pub(in crate::read) fn new(pull: &'p mut Pull) -> Self {
        Json { pull, array: false, first: true, name: String::new(), noted: Noted::default() }
    }

    /// An event. False if it is of no client.
    fn any_event(&mut self, draft: &mut Draft, event: &mut Event) -> Result<bool, Error> {
        event.clear();
        self.pull.count_anew();
        self.pull.peek()?;
        let place = self.pull.place();
        event.place = Some(place);
        let (mut process, mut method, mut wrong) = (Value::Null, None, None);
        let (mut value, mut error) = (None, Value::Null);
        let mut seen = Seen::default();
        let mut first = true;
        self.name.clear();
        self.pull.open_object("history")?;
        while self.pull.next_entry(&mut first)? {
            let Some(known) = self.pull.key(EventKey::of)? else {
                self.pull.skip()?;
                continue;
            };
            if !seen.add(known.bit()) {
                return Err(self.pull.error_at(place, ErrorKind::DuplicateKey { key: known.text() }));
            }
            match known {
                EventKey::Process => process = self.pull.process()?,
                EventKey::Type => {
                    event.kind = Some(self.pull.word("type", "invoke, ok, fail or info", Type::of)?);
                }
                EventKey::F => method = self.method()?,
                // Nobody else's values are looked at.
                EventKey::Value if method.is_some() || matches!(process, Value::Text(_)) => {
                    value = Some(self.pull.any_value("value")?);
                }
                EventKey::Value => self.value(draft, event, &mut wrong)?,
                EventKey::Time => event.time = self.pull.any_value("time")?.as_int(),
                EventKey::Error => error = self.pull.any_value("error")?,
            }
        }
        event.process = match process {
            Value::Null => None,
            Value::Int(number) => Some(number),
            process => {
                let value = value.unwrap_or_default();
                self.noted.other(place, event.time, &process, (&self.name, &value));
                return Ok(false);
            }
        };
        event.error = self.noted.client(&error);
        if let Some((at, kind)) = method.or(wrong) {
            return Err(self.pull.error_at(at, kind));
        }
        if event.kind.is_none() {
            let missing = ErrorKind::MissingKey { key: EventKey::Type.text(), object: "the event" };
            return Err(self.pull.error_at(place, missing));
        }
        Ok(true)
    }

    /// The fault in a method, unless it is one of transactions or there is none.
    fn method(&mut self) -> Result<Wrong, Error> {
        if self.pull.eat_null()? {
            return Ok(None);
        }
        let at = self.pull.place();
        let name = &mut self.name;
        let found = self.pull.string("f", |f| {
            name.push_str(f);
            (!is_transaction(f)).then(|| format!("`{}`", quote(f.as_bytes())))
        })?;
        Ok(found.map(|found| (at, ErrorKind::Syntax { expected: METHOD, found })))
    }

    /// The value of an event: an array of micro-operations, or null.
    fn value(&mut self, draft: &mut Draft, event: &mut Event, wrong: &mut Wrong) -> Result<(), Error> {
        if self.pull.peek()? != Some(b'[') {
            return self.other(VALUE, wrong).map(|_| ());
        }
        event.has_value = true;
        let mut first = true;
        self.pull.open_array("value")?;
        while self.pull.next_element(&mut first)? {
            if self.pull.peek()? == Some(b'[') {
                self.micro(draft, event, wrong)?;
            } else {
                self.other(MICRO, wrong)?;
            }
            self.pull.buffer().within(event.memory())?;
        }
        Ok(())
    }

    /// Passes a value that is something else than expected; true if it is null.
    fn other(&mut self, expected: &'static str, wrong: &mut Wrong) -> Result<bool, Error> {
        if self.pull.eat_null()? {
            return Ok(true);
        }
        self.bad(expected, wrong);
        self.pull.skip()?;
        Ok(false)
    }

    /// Notes that something else is next.
    fn bad(&mut self, expected: &'static str, wrong: &mut Wrong) {
        if wrong.is_none() {
            let found = self.pull.shown();
            *wrong = Some((self.pull.place(), ErrorKind::Syntax { expected, found }));
        }
    }

    /// A micro-operation.
    fn micro(&mut self, draft: &mut Draft, event: &mut Event, wrong: &mut Wrong) -> Result<(), Error> {
        let mut first = true;
        self.pull.open_array("value")?;
        let function = match self.pull.next_element(&mut first)? {
            false => {
                self.bad(MICRO, wrong);
                return Ok(());
            }
            true if self.pull.peek()? == Some(b'"') => {
                self.pull.string("value", |word| Function::of(word.as_bytes()))?
            }
            true => {
                self.bad(MICRO, wrong);
                self.pull.skip()?;
                None
            }
        };
        let Some(function) = function else { return self.leave(first, wrong) };
        if !self.pull.next_element(&mut first)? {
            self.bad(MICRO, wrong);
            return Ok(());
        }
        let key = self.key(draft)?;
        let given = self.pull.next_element(&mut first)?;
        let op = match function {
            Function::Read if !given => Some(Micro::Read(key, Returned::Unknown)),
            Function::Read => Some(Micro::Read(key, self.returned(event, wrong)?)),
            Function::Write | Function::Append if !given => {
                self.bad(WRITTEN, wrong);
                None
            }
            Function::Write => self.number(WRITTEN, wrong)?.map(|value| Micro::Write(key, value)),
            Function::Append => self.number(WRITTEN, wrong)?.map(|value| Micro::Append(key, value)),
        };
        event.ops.extend(op);
        if given && self.pull.next_element(&mut first)? {
            self.bad(MICRO, wrong);
            self.pull.skip()?;
            return self.leave(first, wrong);
        }
        Ok(())
    }

    /// Passes the rest of what is no micro-operation.
    fn leave(&mut self, mut first: bool, wrong: &mut Wrong) -> Result<(), Error> {
        self.bad(MICRO, wrong);
        while self.pull.next_element(&mut first)? {
            self.pull.skip()?;
        }
        Ok(())
    }

    /// A key: a number, a text or anything else.
    fn key(&mut self, draft: &mut Draft) -> Result<KeyId, Error> {
        if self.pull.peek()? == Some(b'"') {
            return self.pull.string("value", |name| draft.key(name));
        }
        match self.pull.any_value("value")? {
            Value::Int(number) => Ok(draft.number_key(number)),
            Value::Text(name) => Ok(draft.key(&name)),
            other => Ok(draft.key(&other.to_string())),
        }
    }

    /// A whole number; anything else is passed and noted.
    fn number(&mut self, expected: &'static str, wrong: &mut Wrong) -> Result<Option<i64>, Error> {
        if matches!(self.pull.peek()?, Some(b'0'..=b'9' | b'-')) {
            return self.pull.integer("value").map(Some);
        }
        self.bad(expected, wrong);
        self.pull.skip()?;
        Ok(None)
    }

    /// The return of a read.
    fn returned(&mut self, event: &mut Event, wrong: &mut Wrong) -> Result<Returned, Error> {
        match self.pull.peek()? {
            Some(b'[') => {}
            Some(b'0'..=b'9' | b'-') => {
                return Ok(self.number(READ, wrong)?.map_or(Returned::Unknown, Returned::Value));
            }
            _ => return Ok(if self.other(READ, wrong)? { Returned::Nothing } else { Returned::Unknown }),
        }
        let start = event.elements.len() as u32;
        let mut first = true;
        self.pull.open_array("value")?;
        while self.pull.next_element(&mut first)? {
            if let Some(element) = self.number(READ, wrong)? {
                event.elements.push(element);
            }
            if event.elements.len().is_multiple_of(1 << 10) {
                self.pull.buffer().within(event.memory())?;
            }
        }
        Ok(Returned::List(start, event.elements.len() as u32))
    }
}

impl Source for Json<'_> {
    fn name(&self) -> &Arc<str> {
        self.pull.buffer().name()
    }

    fn begin(&mut self) -> Result<Option<u64>, Error> {
        self.first = true;
        let Some((line, array)) = self.pull.begin_history()? else { return Ok(None) };
        self.array = array;
        Ok(Some(line))
    }

    fn event(&mut self, draft: &mut Draft, event: &mut Event) -> Result<bool, Error> {
        while self.pull.another_event(self.array, &mut self.first)? {
            if self.any_event(draft, event)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn notes(&mut self, clock: &Clock) -> Notes {
        self.noted.take(clock)
    }

    fn hold(&mut self, bytes: usize) -> Result<(), Error> {
        self.pull.hold(bytes + self.noted.memory())
    }
}

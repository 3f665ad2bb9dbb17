//! Histories of Jepsen in JSON: an array of events, or events one after another.

use super::{Clock, Dialect, Event, Names, Native, Noted, Source, Type, event};
use crate::read::buffer::Room;
use crate::read::keys::{Seen, keys};
use crate::read::pull::Pull;
use crate::{Error, ErrorKind, Notes};
use rustc_hash::FxHashMap;
use std::borrow::BorrowMut;
use std::sync::Arc;
use tribunal_history::heap::Growth;
use tribunal_history::object::Value;

keys!(EventKey {
    Process = "process",
    Type = "type",
    F = "f",
    Value = "value",
    Key = "key",
    Args = "args",
    Ret = "ret",
    Time = "time",
    Error = "error",
});

/// The events of a JSON stream: each array is a history, and so are all events up to the next array.
pub(in crate::read) struct Json<P> {
    pull: P,
    names: Names,
    noted: Noted,
    /// Processes with names that have called with `args` or returned with `ret`: the others, such as the nemesis, are no clients.
    named: FxHashMap<Value, ()>,
    growth: Growth,
    /// Whether the events are in an array.
    array: bool,
    /// Whether the array's next event is its first.
    first: bool,
}

impl<P: BorrowMut<Pull>> Json<P> {
    pub(in crate::read) fn new(pull: P) -> Self {
        Json {
            pull,
            names: Names::default(),
            noted: Noted::default(),
            named: FxHashMap::default(),
            growth: Growth::default(),
            array: false,
            first: true,
        }
    }

    /// An event, which may be of no client.
    fn any_event(&mut self) -> Result<Option<Event>, Error> {
        let pull: &mut Pull = self.pull.borrow_mut();
        pull.count_anew();
        pull.peek()?;
        let place = pull.place();
        let (mut process, mut kind, mut method) = (Value::Null, None, None);
        let (mut value, mut key, mut native) = Default::default();
        let (mut time, mut error) = (None, Value::Null);
        let mut seen = Seen::default();
        let mut first = true;
        pull.open_object("history")?;
        while pull.next_entry(&mut first)? {
            let Some(known) = pull.key(EventKey::of)? else {
                pull.skip()?;
                continue;
            };
            if !seen.add(known.bit()) {
                return Err(pull.error_at(place, ErrorKind::DuplicateKey { key: known.text() }));
            }
            match known {
                EventKey::Process => process = pull.process()?,
                EventKey::Type => kind = Some(pull.word("type", "invoke, ok, fail or info", Type::of)?),
                EventKey::F => {
                    if !pull.eat_null()? {
                        let read = &mut self.names.read;
                        read.clear();
                        pull.string("f", |f| read.push_str(f))?;
                        method = Some(self.names.get());
                    }
                }
                EventKey::Time => time = pull.any_value("time")?.as_int(),
                EventKey::Error => error = pull.any_value("error")?,
                EventKey::Value => value = pull.any_value("value")?,
                EventKey::Key => key = Some(pull.any_value("key")?).filter(|key| *key != Value::Null),
                EventKey::Args => {
                    let (mut args, mut first) = (Vec::new(), true);
                    pull.open_array("args")?;
                    while pull.next_element(&mut first)? {
                        args.push(pull.value("args")?);
                    }
                    native = Some(Native::Args(args));
                }
                EventKey::Ret => native = Some(Native::Ret(pull.value("ret")?)),
            }
        }
        if !seen.has(EventKey::Process.bit()) {
            let missing = ErrorKind::MissingKey { key: EventKey::Process.text(), object: "the event" };
            return Err(pull.error_at(place, missing));
        }
        match &process {
            Value::Int(_) => {}
            Value::Text(_) if self.named.contains_key(&process) => {}
            Value::Text(_) if native.is_some() => {
                self.growth.insert(&mut self.named, process.clone(), ());
                self.growth.hold(pull.counted());
            }
            _ => {
                self.noted.other(place, time, &process, (method.as_deref().unwrap_or("null"), &value));
                return Ok(None);
            }
        }
        let error = self.noted.client(&error);
        let keys = [EventKey::Type.text(), EventKey::F.text()];
        let event = event(place, (process, kind), method, pull.buffer().name(), keys)?;
        Ok(Some(Event { value, key, native, time, error, bytes: pull.counted(), ..event }))
    }
}

impl<P: BorrowMut<Pull> + Send> Source for Json<P> {
    fn name(&self) -> &Arc<str> {
        self.pull.borrow().buffer().name()
    }

    fn hold(&mut self, bytes: usize) -> Result<(), Error> {
        let bytes = bytes + self.names.growth.peak() + self.growth.peak() + self.noted.memory();
        self.pull.borrow_mut().hold(bytes)
    }

    fn notes(&mut self, clock: &Clock) -> Notes {
        self.noted.take(clock)
    }

    fn room(&self) -> Room {
        self.pull.borrow().buffer().room()
    }

    fn dialect(&self) -> Dialect {
        Dialect::Jepsen
    }

    fn begin(&mut self) -> Result<Option<u64>, Error> {
        let pull: &mut Pull = self.pull.borrow_mut();
        (self.named, self.growth) = Default::default();
        self.first = true;
        let Some((line, array)) = pull.begin_history()? else { return Ok(None) };
        self.array = array;
        Ok(Some(line))
    }

    fn event(&mut self) -> Result<Option<Event>, Error> {
        while self.pull.borrow_mut().another_event(self.array, &mut self.first)? {
            if let Some(event) = self.any_event()? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }
}

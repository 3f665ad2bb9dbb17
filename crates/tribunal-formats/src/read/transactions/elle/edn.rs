//! Transactions of Jepsen in EDN: a vector or a list of maps, or maps one after another.

use super::{Event, Function, METHOD, MICRO, Micro, READ, Returned, Source, VALUE, WRITTEN, is_transaction};
use crate::error::quote;
use crate::read::buffer::Place;
use crate::read::edn::{self, Pull};
use crate::read::jepsen::log::Log;
use crate::read::jepsen::{self, Clock, Noted, Type};
use crate::read::keys::{Seen, keys};
use crate::read::transactions::Draft;
use crate::{Error, ErrorKind, Notes};
use std::str::from_utf8;
use std::sync::Arc;
use tribunal_history::object::Value;
use tribunal_history::transactions::KeyId;

keys!(EventKey {
    Process = ":process",
    Type = ":type",
    F = ":f",
    Value = ":value",
    Time = ":time",
    Error = ":error",
});

/// The events of an EDN stream.
pub(in crate::read) struct Edn<'p> {
    pull: &'p mut Pull,
    /// The byte that closes the history: none if its maps come one after another.
    close: Option<u8>,
    name: String,
    noted: Noted,
}

/// The process of an event.
enum Process {
    Missing,
    Number(i64),
    /// No client: the nemesis.
    Other(Value),
}

/// The first thing that is wrong with a value, which matters only if a client did it.
type Wrong = Option<(Place, ErrorKind)>;

impl<'p> Edn<'p> {
    pub(in crate::read) fn new(pull: &'p mut Pull) -> Self {
        Edn { pull, close: None, name: String::new(), noted: Noted::default() }
    }

    /// An event: a map, which may be tagged as a record. False if it is of no client.
    fn any_event(&mut self, draft: &mut Draft, event: &mut Event) -> Result<bool, Error> {
        event.clear();
        self.name.clear();
        self.pull.count_anew();
        self.pull.peek()?;
        let place = self.pull.place();
        event.place = Some(place);
        self.pull.tag(|_| ())?;
        self.pull.open(b'{', "a map: an event")?;
        let (mut process, mut method, mut wrong) = (Process::Missing, None, None);
        let (mut value, mut error) = (None, Value::Null);
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
                EventKey::Process => process = self.process()?,
                EventKey::Type => event.kind = Some(self.pull.kind()?),
                EventKey::F => {
                    self.pull.peek()?;
                    method = self.method(self.pull.place())?;
                }
                // Nobody else's values are looked at.
                EventKey::Value if method.is_some() || matches!(process, Process::Other(_)) => {
                    value = Some(self.pull.value()?);
                }
                EventKey::Value => self.value(draft, event, &mut wrong)?,
                EventKey::Time => event.time = self.pull.value()?.as_int(),
                EventKey::Error => error = self.pull.value()?,
            }
        }
        event.process = match process {
            Process::Other(process) => {
                let value = value.unwrap_or_default();
                self.noted.other(place, event.time, &process, (&self.name, &value));
                return Ok(false);
            }
            Process::Missing => None,
            Process::Number(number) => Some(number),
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

    fn process(&mut self) -> Result<Process, Error> {
        Ok(match self.pull.process()? {
            Value::Null => Process::Missing,
            Value::Int(number) => Process::Number(number),
            other => Process::Other(other),
        })
    }

    /// The fault in a method, unless it is one of transactions or there is none.
    fn method(&mut self, at: Place) -> Result<Wrong, Error> {
        self.pull.method(&mut self.name)?;
        let found = match self.name.as_str() {
            "nil" => return Ok(None),
            method if is_transaction(method) => return Ok(None),
            other => format!("`:{}`", quote(other.as_bytes())),
        };
        Ok(Some((at, ErrorKind::Syntax { expected: METHOD, found })))
    }

    /// The value of an event: a list of micro-operations, or nil.
    fn value(&mut self, draft: &mut Draft, event: &mut Event, wrong: &mut Wrong) -> Result<(), Error> {
        self.pull.tag(|_| ())?;
        let close = match self.pull.peek()? {
            Some(b'[') => b']',
            Some(b'(') => b')',
            _ => return self.other(VALUE, wrong).map(|_| ()),
        };
        event.has_value = true;
        self.pull.open(if close == b']' { b'[' } else { b'(' }, VALUE)?;
        while self.pull.another(close)? {
            match self.pull.peek()? {
                Some(b'[') => {
                    self.pull.open(b'[', MICRO)?;
                    self.micro(draft, event, wrong)?;
                }
                _ => {
                    self.other(MICRO, wrong)?;
                }
            }
            self.pull.buffer().within(event.memory())?;
        }
        Ok(())
    }

    /// Passes a form that is something else than expected; nil says nothing, and is said to be.
    fn other(&mut self, expected: &'static str, wrong: &mut Wrong) -> Result<bool, Error> {
        let at = self.pull.place();
        let found = self.pull.shown();
        let value = self.pull.value()?;
        if value == Value::Null {
            return Ok(true);
        }
        wrong.get_or_insert((at, ErrorKind::Syntax { expected, found }));
        Ok(false)
    }

    /// A micro-operation, whose bracket is open.
    fn micro(&mut self, draft: &mut Draft, event: &mut Event, wrong: &mut Wrong) -> Result<(), Error> {
        let next = self.pull.peek()?;
        let at = self.pull.place();
        let function = match next {
            Some(b':' | b'a'..=b'z') => self.pull.word(MICRO, |word| {
                Some(Function::of(word.strip_prefix(b":").unwrap_or(word)).ok_or_else(|| quote(word)))
            })?,
            Some(b'"') => self
                .pull
                .quoted(|word| Function::of(word.as_bytes()).ok_or_else(|| quote(word.as_bytes())))?,
            _ => return self.leave(wrong),
        };
        let function = match function {
            Ok(function) => function,
            Err(found) => {
                let found = format!("`{found}`");
                wrong.get_or_insert((at, ErrorKind::Syntax { expected: MICRO, found }));
                return self.leave(wrong);
            }
        };
        if self.pull.peek()? == Some(b']') {
            return self.leave(wrong);
        }
        let key = self.key(draft)?;
        let given = self.pull.peek()? != Some(b']');
        let op = match function {
            Function::Read if !given => Micro::Read(key, Returned::Unknown),
            Function::Read => Micro::Read(key, self.returned(event, wrong)?),
            Function::Write | Function::Append => {
                let value = if given { self.number(WRITTEN, wrong)? } else { None };
                match (value, function) {
                    (None, _) => {
                        self.bad(WRITTEN, wrong);
                        return self.leave(wrong);
                    }
                    (Some(value), Function::Append) => Micro::Append(key, value),
                    (Some(value), _) => Micro::Write(key, value),
                }
            }
        };
        if self.pull.another(b']')? {
            return self.leave(wrong);
        }
        event.ops.push(op);
        Ok(())
    }

    /// Notes that something else is next.
    fn bad(&mut self, expected: &'static str, wrong: &mut Wrong) {
        if wrong.is_none() {
            let found = self.pull.shown();
            *wrong = Some((self.pull.place(), ErrorKind::Syntax { expected, found }));
        }
    }

    /// Passes the rest of what is no micro-operation.
    fn leave(&mut self, wrong: &mut Wrong) -> Result<(), Error> {
        self.bad(MICRO, wrong);
        while self.pull.another(b']')? {
            self.pull.skip()?;
        }
        Ok(())
    }

    /// A key: a number, a keyword, a text or anything else.
    fn key(&mut self, draft: &mut Draft) -> Result<KeyId, Error> {
        match self.pull.peek()? {
            Some(b'0'..=b'9') => {
                let key = self.pull.word("a key", |word| Some(integer(word).ok_or_else(|| whole(word))))?;
                match key {
                    Ok(number) => Ok(draft.number_key(number)),
                    Err(Some(name)) => Ok(draft.key(&name)),
                    Err(None) => Err(self.pull.error_at(self.pull.place(), ErrorKind::InvalidUtf8)),
                }
            }
            Some(b':') => {
                let key = self
                    .pull
                    .word("a key", |word| Some(from_utf8(&word[1..]).ok().map(|name| draft.key(name))))?;
                key.ok_or_else(|| self.pull.error_at(self.pull.place(), ErrorKind::InvalidUtf8))
            }
            Some(b'"') => self.pull.quoted(|name| draft.key(name)),
            _ => match self.pull.value()? {
                Value::Int(number) => Ok(draft.number_key(number)),
                Value::Text(name) => Ok(draft.key(&name)),
                other => Ok(draft.key(&other.to_string())),
            },
        }
    }

    /// A whole number; anything else is passed and noted.
    #[inline]
    fn number(&mut self, expected: &'static str, wrong: &mut Wrong) -> Result<Option<i64>, Error> {
        match self.pull.peek()? {
            Some(b'0'..=b'9' | b'-' | b'+') => {
                let at = self.pull.place();
                let number =
                    self.pull.word(expected, |word| Some(integer(word).ok_or_else(|| quote(word))))?;
                Ok(match number {
                    Ok(number) => Some(number),
                    Err(found) => {
                        let found = format!("`{found}`");
                        wrong.get_or_insert((at, ErrorKind::Syntax { expected, found }));
                        None
                    }
                })
            }
            _ => {
                if self.other(expected, wrong)? && wrong.is_none() {
                    let found = "nil".into();
                    *wrong = Some((self.pull.place(), ErrorKind::Syntax { expected, found }));
                }
                Ok(None)
            }
        }
    }

    /// The return of a read.
    fn returned(&mut self, event: &mut Event, wrong: &mut Wrong) -> Result<Returned, Error> {
        let start = event.elements.len() as u32;
        let close = match self.pull.peek()? {
            Some(b'n') if self.pull.eat_nil()? => return Ok(Returned::Nothing),
            Some(b'[') if self.pull.plain_integers(&mut event.elements) => {
                return Ok(Returned::List(start, event.elements.len() as u32));
            }
            Some(b'[') => b']',
            Some(b'(') => b')',
            Some(b'0'..=b'9' | b'-' | b'+') => {
                return Ok(self.number(READ, wrong)?.map_or(Returned::Unknown, Returned::Value));
            }
            _ => return Ok(if self.other(READ, wrong)? { Returned::Nothing } else { Returned::Unknown }),
        };
        self.pull.open(if close == b']' { b'[' } else { b'(' }, READ)?;
        while self.pull.another(close)? {
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

/// A whole number as EDN writes it: with a sign, with an N if it is large.
#[inline]
fn integer(word: &[u8]) -> Option<i64> {
    if (1..=18).contains(&word.len()) && word.iter().all(u8::is_ascii_digit) {
        return Some(word.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')));
    }
    from_utf8(word.strip_suffix(b"N").unwrap_or(word)).ok()?.parse().ok()
}

/// A number that is not of 64 bits as the name of a key.
fn whole(word: &[u8]) -> Option<String> {
    let word = from_utf8(word).ok()?;
    match edn::number(word) {
        Some(Value::Text(digits)) => Some(digits.to_string()),
        _ => Some(word.to_string()),
    }
}

/// The events of a log.
pub(in crate::read) struct Lines<'p>(pub(in crate::read) &'p mut Log);

impl Lines<'_> {
    /// A line. False if it has no event of a client.
    fn line(&mut self, draft: &mut Draft, event: &mut Event) -> Result<bool, Error> {
        event.clear();
        if !self.0.head()? {
            return Ok(false);
        }
        let mut edn = Edn::new(self.0.pull());
        edn.pull.count_anew();
        edn.pull.peek()?;
        event.place = Some(edn.pull.place());
        let place = edn.pull.place();
        match edn.process()? {
            Process::Number(process) => event.process = Some(process),
            Process::Missing => return self.0.other(place, &Value::Null).map(|()| false),
            Process::Other(process) => return self.0.other(place, &process).map(|()| false),
        }
        let mut edn = Edn::new(self.0.pull());
        let kind = edn.pull.kind()?;
        event.kind = Some(kind);
        edn.pull.peek()?;
        let method = edn.method(edn.pull.place())?;
        let mut wrong = None;
        // What ended without an answer may be followed by any text that says why.
        if matches!(kind, Type::Invoke | Type::Ok) && method.is_none() {
            edn.value(draft, event, &mut wrong)?;
        }
        event.error = self.0.client(kind)?;
        match method.or(wrong) {
            Some((at, kind)) => Err(self.0.pull().error_at(at, kind)),
            None => Ok(true),
        }
    }
}

impl Source for Lines<'_> {
    fn name(&self) -> &Arc<str> {
        jepsen::Source::name(self.0)
    }

    fn begin(&mut self) -> Result<Option<u64>, Error> {
        jepsen::Source::begin(self.0)
    }

    fn event(&mut self, draft: &mut Draft, event: &mut Event) -> Result<bool, Error> {
        while self.0.next_line()? {
            let found = self.line(draft, event)?;
            self.0.pull().rest_of_line()?;
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn notes(&mut self, clock: &Clock) -> Notes {
        jepsen::Source::notes(self.0, clock)
    }

    fn hold(&mut self, bytes: usize) -> Result<(), Error> {
        jepsen::Source::hold(self.0, bytes)
    }
}

impl Source for Edn<'_> {
    fn name(&self) -> &Arc<str> {
        self.pull.buffer().name()
    }

    fn begin(&mut self) -> Result<Option<u64>, Error> {
        let Some((line, close)) = self.pull.begin_history()? else { return Ok(None) };
        self.close = close;
        Ok(Some(line))
    }

    fn event(&mut self, draft: &mut Draft, event: &mut Event) -> Result<bool, Error> {
        while self.pull.another_event(self.close)? {
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

//! Jepsen's text logs: `INFO  jepsen.util - 0 :invoke :write 3`, an event a line; and the `history.txt` of its store, which has the
//! events alone.

use super::{Clock, Dialect, Event, Names, Noted, Source, Type};
use crate::read::buffer::{Buffer, Place, Room};
use crate::read::edn::Pull;
use crate::{Error, Notes};
use std::sync::Arc;
use tribunal_history::object::Value;

/// The logger that logs the events; lines of others are skipped.
const LOGGER: &[u8] = b"jepsen.util";

/// The number of bytes of a line that are noted at most.
const LONGEST: usize = 400;

/// The events of a log, which is one history.
pub(in crate::read) struct Log {
    pull: Pull,
    names: Names,
    noted: Noted,
    /// Whether the events stand alone.
    whole_line: bool,
}

impl Log {
    pub(in crate::read) fn new(buffer: Buffer) -> Self {
        Log {
            pull: Pull::new(buffer, true),
            names: Names::default(),
            noted: Noted::default(),
            whole_line: false,
        }
    }

    /// The parser, for who reads the events as transactions.
    pub(in crate::read) fn pull(&mut self) -> &mut Pull {
        &mut self.pull
    }

    /// Goes to the next line that is not blank; false at the end of the input.
    pub(in crate::read) fn next_line(&mut self) -> Result<bool, Error> {
        loop {
            match self.pull.peek()? {
                None => return Ok(false),
                Some(b'\n') => {
                    self.pull.next_line()?;
                }
                Some(_) => return Ok(true),
            }
        }
    }

    /// Reads what comes before an event in a line, if anything does: its level and its logger. False if the line has no event.
    pub(in crate::read) fn head(&mut self) -> Result<bool, Error> {
        if matches!(self.pull.peek()?, Some(b'0'..=b'9' | b':')) {
            self.whole_line = true;
            return Ok(true);
        }
        self.pull
            .word("a log line: INFO, WARN, ERROR, DEBUG or TRACE", |word| is_level(word).then_some(()))?;
        let ours = self.pull.word("a logger's name", |word| Some(word == LOGGER))?;
        self.pull.word("`-` after the logger's name", |word| (word == b"-").then_some(()))?;
        if !ours {
            self.noted.log_line();
        }
        Ok(ours)
    }

    /// Notes the rest of a line of a process that is no client, which may be any text.
    pub(in crate::read) fn other(&mut self, place: Place, process: &Value) -> Result<(), Error> {
        self.pull.peek()?;
        let line = self.pull.line_ahead(LONGEST)?;
        let mut words: Vec<&str> = line.split_whitespace().collect();
        let is_type =
            |word: &&str| word.strip_prefix(':').is_some_and(|word| Type::of(word.as_bytes()).is_some());
        if words.first().is_some_and(is_type) {
            words.remove(0);
        }
        if let Some(method) = words.first_mut() {
            *method = method.strip_prefix(':').unwrap_or(method);
        }
        if words.len() > 1 && words.last() == Some(&"nil") {
            words.pop();
        }
        self.noted.other(place, None, process, (&words.join(" "), &Value::Null));
        Ok(())
    }

    /// Notes an event of a client whose line is read up to its value, and why its operation did not succeed: a keyword in place of the
    /// value, or what comes after the value.
    pub(in crate::read) fn client(&mut self, kind: Type) -> Result<Option<Arc<str>>, Error> {
        if matches!(kind, Type::Invoke | Type::Ok) {
            return Ok(self.noted.client(&Value::Null));
        }
        self.pull.peek()?;
        let rest = self.pull.line_ahead(LONGEST)?;
        let error = match rest.split_once('\t') {
            _ if rest.starts_with(':') => &rest,
            Some((_, error)) => error,
            None => "",
        };
        let error = error.trim().trim_start_matches(':');
        Ok(self.noted.client(&if error.is_empty() { Value::Null } else { error.into() }))
    }

    /// A line, which may have no event of a client.
    fn line(&mut self) -> Result<Option<Event>, Error> {
        self.pull.count_anew();
        if !self.head()? {
            return Ok(None);
        }
        self.pull.peek()?;
        let place = self.pull.place();
        let process = self.pull.process()?;
        // The nemesis is a process without a number.
        if process.as_int().is_none() {
            self.other(place, &process)?;
            return Ok(None);
        }
        let kind = self.pull.kind()?;
        self.pull.method(&mut self.names.read)?;
        let method = Some(self.names.get());
        // What ended without an answer may be followed by any text that says why.
        let value = match kind {
            Type::Invoke | Type::Ok => self.pull.value()?,
            Type::Fail | Type::Info => Value::Null,
        };
        let error = self.client(kind)?;
        let bytes = self.pull.counted();
        Ok(Some(Event {
            place,
            process,
            kind,
            time: None,
            method,
            value,
            key: None,
            tuple: false,
            native: None,
            error,
            bytes,
        }))
    }
}

impl Source for Log {
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
        if self.whole_line { Dialect::Jepsen } else { Dialect::Log }
    }

    fn begin(&mut self) -> Result<Option<u64>, Error> {
        let line = self.pull.place().line;
        Ok(self.next_line()?.then_some(line))
    }

    fn event(&mut self) -> Result<Option<Event>, Error> {
        while self.next_line()? {
            let event = self.line()?;
            self.pull.rest_of_line()?;
            if event.is_some() {
                return Ok(event);
            }
        }
        Ok(None)
    }
}

/// Whether a word is the level of a log line.
pub(in crate::read) fn is_level(word: &[u8]) -> bool {
    matches!(word, b"INFO" | b"WARN" | b"ERROR" | b"DEBUG" | b"TRACE")
}

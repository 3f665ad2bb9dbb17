//! Jepsen's text logs: `INFO  jepsen.util - 0 :invoke :write 3`, an event a line.

use super::{Dialect, Event, Run, Type};
use crate::read::buffer::Buffer;
use crate::read::edn::Pull;
use crate::{Error, History};
use tribunal::object::Value;

/// The logger that logs the events; lines of others are passed over.
const LOGGER: &[u8] = b"jepsen.util";

/// Reads a log, which is one history.
pub(in crate::read) struct Reader {
    pull: Pull,
    method: String,
}

impl Reader {
    pub(in crate::read) fn new(buffer: Buffer) -> Self {
        Reader { pull: Pull::new(buffer, true), method: String::new() }
    }

    pub(in crate::read) fn next(&mut self) -> Result<Option<History>, Error> {
        let mut run = Run::new(Dialect::Log, self.pull.place().line);
        let mut any = false;
        loop {
            if !matches!(self.pull.peek()?, None | Some(b'\n')) {
                any = true;
                self.line(&mut run)?;
            }
            if !self.pull.next_line()? {
                break;
            }
        }
        if any { run.finish(self.pull.buffer()).map(Some) } else { Ok(None) }
    }

    /// A line: its level, its logger and what is logged.
    fn line(&mut self, run: &mut Run) -> Result<(), Error> {
        self.pull
            .word("a log line: INFO, WARN, ERROR, DEBUG or TRACE", |word| is_level(word).then_some(()))?;
        let ours = self.pull.word("a logger's name", |word| Some(word == LOGGER))?;
        self.pull.word("`-` after the logger's name", |word| (word == b"-").then_some(()))?;
        if !ours {
            return self.pull.rest_of_line();
        }
        self.pull.peek()?;
        let place = self.pull.place();
        // The nemesis is a process without a number.
        let Some(process) = self.pull.value()?.as_int() else { return self.pull.rest_of_line() };
        let kind = self.pull.kind()?;
        self.pull.method(&mut self.method)?;
        // What ended without an answer may be followed by any text that says why.
        let value = match kind {
            Type::Invoke | Type::Ok => self.pull.value()?,
            Type::Fail | Type::Info => Value::Null,
        };
        self.pull.rest_of_line()?;
        let event = Event { process, kind, method: &self.method, value, key: None, tuple: false };
        run.event(event, place, self.pull.buffer())
    }
}

/// Whether a word is the level of a log line.
pub(in crate::read) fn is_level(word: &[u8]) -> bool {
    matches!(word, b"INFO" | b"WARN" | b"ERROR" | b"DEBUG" | b"TRACE")
}

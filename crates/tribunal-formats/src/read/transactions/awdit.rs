//! The form of AWDIT's tests: `w 0 1`, an operation a line; dashes between transactions, equals signs between sessions.

use super::Draft;
use super::plume::Position;
use crate::read::buffer::Buffer;
use crate::read::cursor::Parsed;
use crate::{Error, History};
use tribunal_history::transactions::{Op, SessionId, Status};

/// Reads a file, which is one history.
pub(in crate::read) struct Awdit {
    buffer: Buffer,
    ended: bool,
}

impl Awdit {
    pub(in crate::read) fn new(buffer: Buffer) -> Self {
        Awdit { buffer, ended: false }
    }

    pub(in crate::read) fn next(&mut self) -> Result<Option<History>, Error> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(None);
        }
        let mut sheet = Sheet { draft: Draft::new(1), sessions: 0, session: None, open: false, any: false };
        while let Some((number, line)) = self.buffer.next_line()? {
            if let Err(fault) = sheet.take(number, line) {
                return Err(fault.in_line(number, &self.buffer));
            }
            self.buffer.hold(sheet.draft.memory())?;
        }
        if !sheet.any {
            return Ok(None);
        }
        sheet.end();
        sheet.draft.finish(self.buffer.name()).map(Some)
    }
}

/// The part of a file that was read.
struct Sheet {
    draft: Draft,
    sessions: u64,
    session: Option<SessionId>,
    /// Whether a transaction is open.
    open: bool,
    any: bool,
}

impl Sheet {
    fn take(&mut self, number: u64, line: &[u8]) -> Parsed<()> {
        let line = line.trim_ascii_end();
        let rule = line.trim_ascii_start();
        match rule.first() {
            None => return Ok(()),
            Some(mark @ (b'-' | b'=')) if rule.iter().all(|byte| byte == mark) => {
                self.end();
                if *mark == b'=' {
                    // A session without a transaction is one, too.
                    self.session();
                    self.session = None;
                }
                self.any = true;
                return Ok(());
            }
            Some(_) => {}
        }
        let mut at = Position { line, at: 0 };
        let writes = match at.word() {
            b"w" => true,
            b"r" => false,
            _ => {
                at.at = line.len() - rule.len();
                return Err(at.expected("`w key value`, `r key value`, or a line of - or ="));
            }
        };
        let key = at.integer("the key")?;
        let value = at.integer("the value")?;
        at.end()?;
        if !self.open {
            let session = self.session();
            self.draft.begin(session, number);
            (self.open, self.any) = (true, true);
        }
        let key = self.draft.number_key(key);
        self.draft.op(if writes { Op::Write(key, value) } else { Op::Read(key, Some(value)) });
        Ok(())
    }

    /// The session being read.
    fn session(&mut self) -> SessionId {
        if let Some(session) = self.session {
            return session;
        }
        let session = self.draft.session(&self.sessions.to_string());
        self.sessions += 1;
        self.session = Some(session);
        session
    }

    /// Ends the transaction being read, if there is one.
    fn end(&mut self) {
        if std::mem::replace(&mut self.open, false) {
            self.draft.end(Status::Committed, None);
        }
    }
}

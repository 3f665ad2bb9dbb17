//! dbcop's histories: bincode of 2019, and the text form of dbcop 0.2. Its JSON is read with the other JSON.

use super::Draft;
use super::binary::Bytes;
use crate::error::quote;
use crate::read::buffer::{Buffer, Room};
use crate::read::cursor::{Cursor, Fault, Parsed, text};
use crate::{Error, ErrorKind, History};
use tribunal_history::transactions::{Op, SessionId, Status};

/// Reads a file, which is one history.
pub(in crate::read) struct Dbcop {
    buffer: Buffer,
    ended: bool,
}

impl Dbcop {
    pub(in crate::read) fn new(buffer: Buffer) -> Self {
        Dbcop { buffer, ended: false }
    }

    pub(in crate::read) fn next(&mut self) -> Result<Option<History>, Error> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(None);
        }
        if is_bincode(&mut self.buffer)? { self.bincode() } else { self.text() }
    }

    /// Bincode 1: whole numbers of eight bytes, little-endian, lengths too.
    fn bincode(&mut self) -> Result<Option<History>, Error> {
        let mut draft = Draft::new(1);
        draft.init(Some(0));
        let mut bytes = Bytes::new(&mut self.buffer);
        for parameter in ["the number of the history", "n_node", "n_variable", "n_transaction", "n_event"] {
            number(&mut bytes, parameter)?;
        }
        for what in ["the info", "the start", "the end"] {
            let length = number(&mut bytes, what)?;
            bytes.pass(length, what)?;
        }
        let sessions = number(&mut bytes, "the number of sessions")?;
        for index in 0..sessions {
            let session = draft.session(&index.to_string());
            let transactions = number(&mut bytes, "the number of transactions")?;
            for _ in 0..transactions {
                transaction(&mut bytes, &mut draft, session)?;
            }
            bytes.buffer.hold(draft.memory())?;
        }
        if !bytes.is_at_end()? {
            return Err(bytes.expected(0, "the end of the input", "more bytes".into()));
        }
        draft.finish(self.buffer.name()).map(Some)
    }

    /// `[x:=1 y==2 z==?]` is a transaction; lines of dashes are between sessions.
    fn text(&mut self) -> Result<Option<History>, Error> {
        let mut draft = Draft::new(1);
        let (mut sessions, mut any) = (0u64, false);
        let mut session = None;
        loop {
            let room = self.buffer.room();
            let Some((number, line)) = self.buffer.next_line()? else { break };
            let line = line.trim_ascii_end();
            let content = line.trim_ascii_start();
            if content.is_empty() || content.starts_with(b"//") {
                continue;
            }
            any = true;
            let of = *session.get_or_insert_with(|| {
                sessions += 1;
                draft.session(&(sessions - 1).to_string())
            });
            if content.iter().all(|&byte| byte == b'-') {
                session = None;
            } else if let Err(fault) = text_line(&mut draft, of, (number, line), room) {
                return Err(fault.in_line(number, &self.buffer));
            }
            self.buffer.hold(draft.memory())?;
        }
        if any { draft.finish(self.buffer.name()).map(Some) } else { Ok(None) }
    }
}

/// Whether bytes are ahead that no text has: numbers of eight bytes are mostly zeros.
pub(in crate::read) fn is_bincode(buffer: &mut Buffer) -> Result<bool, Error> {
    while buffer.ahead().len() < 8 && buffer.more()? {}
    Ok(buffer.ahead().iter().take(8).any(|&byte| byte == 0))
}

/// A transaction and its events.
fn transaction(bytes: &mut Bytes<'_>, draft: &mut Draft, session: SessionId) -> Result<(), Error> {
    let events = number(bytes, "the number of events")?;
    draft.begin(session, 1);
    for _ in 0..events {
        let writes = truth(bytes, "whether the event writes")?;
        let variable = number(bytes, "the variable")?;
        let value = number(bytes, "the value")?;
        let success = truth(bytes, "whether the event succeeded")?;
        let signed = |number: u64| {
            let expected = "a variable and a value of at most 2^63 - 1";
            i64::try_from(number).map_err(|_| bytes.expected(17, expected, number.to_string()))
        };
        let (key, value) = (draft.number_key(signed(variable)?), signed(value)?);
        match (writes, success) {
            // 0 is the initial value; writing it states that.
            (true, _) if value == 0 => {}
            (true, true) => draft.op(Op::Write(key, value)),
            (false, true) => draft.op(Op::Read(key, Some(value))),
            (_, false) => {}
        }
        bytes.buffer.hold(draft.memory())?;
    }
    let committed = truth(bytes, "whether the transaction succeeded")?;
    draft.end(if committed { Status::Committed } else { Status::Aborted }, None);
    Ok(())
}

fn number(bytes: &mut Bytes<'_>, what: &'static str) -> Result<u64, Error> {
    bytes.take(what).map(u64::from_le_bytes)
}

fn truth(bytes: &mut Bytes<'_>, what: &'static str) -> Result<bool, Error> {
    match bytes.take(what)? {
        [0] => Ok(false),
        [1] => Ok(true),
        [other] => Err(bytes.expected(1, "0 or 1", format!("{other}, {what}"))),
    }
}

/// The transactions of a line.
fn text_line(draft: &mut Draft, session: SessionId, (number, line): (u64, &[u8]), room: Room) -> Parsed<()> {
    let mut cursor = Cursor::new(line)?;
    loop {
        cursor.skip_blanks();
        if cursor.peek().is_none() || cursor.eat("//") {
            return Ok(());
        }
        cursor.expect("[", "`[` and a transaction")?;
        draft.begin(session, number);
        while !cursor.eat("]") {
            event(draft, &mut cursor)?;
            room.within(draft.memory()).map_err(|kind| Fault::new(cursor.at(), kind))?;
        }
        let committed = !cursor.eat("!");
        draft.end(if committed { Status::Committed } else { Status::Aborted }, None);
    }
}

/// `x:=1`, `x==1` or `x==?`.
fn event(draft: &mut Draft, cursor: &mut Cursor<'_>) -> Parsed<()> {
    const EXPECTED: &str = "x:=1, x==1 or x==?, or `]`";
    let in_variable = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    cursor.skip_blanks();
    let variable = cursor.pass(|rest| {
        let length = rest.iter().take_while(|&byte| in_variable(byte)).count();
        (length > 0).then(|| rest.split_at(length))
    });
    let key = match variable {
        Some(variable) => draft.key(text(variable)),
        None => return Err(cursor.expected(EXPECTED)),
    };
    let writes = cursor.eat(":=");
    if !writes {
        cursor.expect("==", EXPECTED)?;
        if cursor.eat("?") {
            draft.op(Op::Read(key, None));
            return Ok(());
        }
    }
    let at = cursor.at();
    let version = cursor.number("a version")?;
    let value = i64::try_from(version).map_err(|_| {
        let found = quote(version.to_string().as_bytes());
        Fault::new(at, ErrorKind::NotAnInteger { what: "a version", found })
    })?;
    draft.op(if writes { Op::Write(key, value) } else { Op::Read(key, Some(value)) });
    Ok(())
}

//! Cobra's logs: a file a session, of records in binary, big-endian. A folder of them is one history.

use super::Draft;
use super::binary::Bytes;
use crate::read::buffer::Buffer;
use crate::{Error, ErrorKind, History};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use tribunal_history::transactions::{Op, SessionId, Status};

/// Writes that stand for the initial version: of Cobra's initial transaction, of none, and of a key that is not there.
const INITIAL: [i64; 4] = [0xbebe_ebee, 0xdead_beef, 0xdead_dead, 0];
/// The garbage collector marks its accesses by these.
const GARBAGE: [i64; 2] = [0x2333_2333, 0x6666_6666];

/// The function that opens the file of a session.
pub(in crate::read) type Opener = Box<dyn Fn(&Path) -> io::Result<Box<dyn Read + Send>> + Send>;

/// Reads a folder of logs, or one log.
pub(in crate::read) struct Cobra {
    input: Option<Logs>,
}

/// The place where the logs are.
enum Logs {
    One(Buffer),
    Folder { name: String, files: Vec<PathBuf>, open: Opener, max_memory: usize },
}

impl Cobra {
    /// A log by itself: a history of one session.
    pub(in crate::read) fn new(buffer: Buffer) -> Self {
        Cobra { input: Some(Logs::One(buffer)) }
    }

    /// The logs of a folder, in the order of their sessions.
    pub(in crate::read) fn of_folder(
        name: String,
        files: Vec<PathBuf>,
        open: Opener,
        max_memory: usize,
    ) -> Self {
        Cobra { input: Some(Logs::Folder { name, files, open, max_memory }) }
    }

    pub(in crate::read) fn next(&mut self) -> Result<Option<History>, Error> {
        let mut draft = Draft::new(1);
        match self.input.take() {
            None => Ok(None),
            Some(Logs::One(mut buffer)) => {
                if Bytes::new(&mut buffer).is_at_end()? {
                    return Ok(None);
                }
                let session = draft.session("0");
                log(&mut buffer, &mut draft, session)?;
                draft.finish(buffer.name()).map(Some)
            }
            Some(Logs::Folder { name, files, open, max_memory }) => {
                for file in &files {
                    let shown = file.display().to_string();
                    let bytes = open(file).map_err(|e| Error::of_input(&shown, ErrorKind::Io(e)))?;
                    let mut buffer = Buffer::new(bytes, shown.into(), max_memory)?;
                    let stem = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy();
                    let session = draft.session(&stem);
                    log(&mut buffer, &mut draft, session)?;
                }
                draft.finish(&name).map(Some)
            }
        }
    }
}

/// Whether an input begins as a log does: a transaction begins, whose number no text would have.
pub(in crate::read) fn is_log(ahead: &[u8]) -> bool {
    matches!(ahead, [b'S', first, ..] if !first.is_ascii_graphic() && !first.is_ascii_whitespace())
}

/// Reads the log of a session.
fn log(buffer: &mut Buffer, draft: &mut Draft, session: SessionId) -> Result<(), Error> {
    const TXN: &str = "the number of a transaction";
    let mut bytes = Bytes::new(buffer);
    let mut open: Option<i64> = None;
    while !bytes.is_at_end()? {
        let [tag] = bytes.take("a record")?;
        match (tag, open) {
            (b'S', _) => {
                // The client was not told how the last one ended.
                end(draft, &mut open, Status::Unknown);
                open = Some(number(&mut bytes, TXN)?);
                draft.begin(session, 1);
            }
            (b'W', Some(_)) => {
                let write = number(&mut bytes, "the number of a write")?;
                let key = number(&mut bytes, "a key")?;
                number(&mut bytes, "a value")?;
                if GARBAGE.contains(&write) {
                    draft.notes.garbage += 1;
                } else {
                    let key = draft.number_key(key);
                    draft.op(Op::Write(key, write));
                }
            }
            (b'R', Some(_)) => {
                number(&mut bytes, TXN)?;
                let write = number(&mut bytes, "the number of a write")?;
                let key = number(&mut bytes, "a key")?;
                number(&mut bytes, "a value")?;
                if GARBAGE.contains(&write) {
                    draft.notes.garbage += 1;
                } else {
                    let key = draft.number_key(key);
                    draft.op(Op::Read(key, Some(write).filter(|write| !INITIAL.contains(write))));
                }
            }
            (b'C' | b'A', Some(begun)) => {
                let ended = number(&mut bytes, TXN)?;
                if ended != begun {
                    let found = format!("that of {ended:#x}, while {begun:#x} is open");
                    return Err(bytes.expected(8, "the end of the transaction that is open", found));
                }
                let status = if tag == b'C' { Status::Committed } else { Status::Aborted };
                end(draft, &mut open, status);
            }
            (b'W' | b'R' | b'C' | b'A', None) => {
                let found = format!("`{}`", char::from(tag));
                return Err(bytes.expected(1, "`S`, the begin of a transaction", found));
            }
            _ => {
                let expected = "a record: `S`, `W`, `R`, `C` or `A`";
                return Err(bytes.expected(1, expected, format!("byte {tag:#04x}")));
            }
        }
        bytes.buffer.hold(draft.memory())?;
    }
    end(draft, &mut open, Status::Unknown);
    Ok(())
}

/// Ends the transaction that is open, if there is one.
fn end(draft: &mut Draft, open: &mut Option<i64>, status: Status) {
    if open.take().is_some() {
        draft.end(status, None);
    }
}

fn number(bytes: &mut Bytes<'_>, what: &'static str) -> Result<i64, Error> {
    bytes.take(what).map(i64::from_be_bytes)
}

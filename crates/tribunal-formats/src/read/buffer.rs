//! A refillable window onto the input: what the hot readers work on.

use crate::{Error, ErrorKind};
use std::io::{self, Read};
use std::sync::Arc;

const INITIAL: usize = 256 << 10;
/// No line and no string may be longer: input without line ends must not eat the memory.
pub(super) const LIMIT: usize = 256 << 20;

/// The input's bytes from a position on, as far as they were read. Reads from the input only when asked for more than
/// is there, so that a history is given as soon as its last byte has come.
pub(super) struct Buffer {
    input: Box<dyn Read + Send>,
    name: Arc<str>,
    bytes: Vec<u8>,
    pos: usize,
    end: usize,
    /// Offset of `bytes[0]` in the input.
    base: u64,
    /// Offset in the input where the current line begins.
    line_start: u64,
    line: u64,
    /// Whether the input has ended: a terminal must not be asked again.
    ended: bool,
    max_memory: usize,
    /// Bytes that the history being read holds, as far as its reader has said.
    held: usize,
}

/// A place in the input, for errors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) line: u64,
    pub(super) column: u64,
}

/// How much memory a history may take, out of which limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) bytes: usize,
    limit: usize,
}

impl Room {
    /// Whether there is room for so many bytes.
    #[inline(always)]
    pub(super) fn within(self, bytes: usize) -> Result<(), ErrorKind> {
        if bytes <= self.bytes { Ok(()) } else { Err(ErrorKind::TooMuchMemory { limit: self.limit }) }
    }
}

impl Buffer {
    /// A window onto `input`; a byte-order mark at its beginning is passed over.
    pub(super) fn new(input: Box<dyn Read + Send>, name: Arc<str>, max_memory: usize) -> Result<Self, Error> {
        let bytes = vec![0; INITIAL];
        let (pos, end, base, line_start, held) = Default::default();
        let mut buffer = Buffer {
            input,
            name,
            bytes,
            pos,
            end,
            base,
            line_start,
            line: 1,
            ended: false,
            max_memory,
            held,
        };
        const MARK: &[u8] = "\u{feff}".as_bytes();
        while buffer.ahead().len() < MARK.len() && MARK.starts_with(buffer.ahead()) && buffer.more()? {}
        if buffer.ahead().starts_with(MARK) {
            buffer.pos = MARK.len();
            buffer.line_start = MARK.len() as u64;
        }
        Ok(buffer)
    }

    /// What is there from the position on.
    #[inline(always)]
    pub(super) fn ahead(&self) -> &[u8] {
        &self.bytes[self.pos..self.end]
    }

    /// Moves on within what is [`ahead`](Self::ahead).
    #[inline(always)]
    pub(super) fn advance(&mut self, by: usize) {
        debug_assert!(self.pos + by <= self.end);
        self.pos += by;
    }

    /// Moves past a line end, which must be the next byte.
    #[inline]
    pub(super) fn advance_line(&mut self) {
        self.pos += 1;
        self.line += 1;
        self.line_start = self.base + self.pos as u64;
    }

    /// The next byte; none at the end of the input.
    #[inline(always)]
    pub(super) fn peek(&mut self) -> Result<Option<u8>, Error> {
        if self.pos == self.end && !self.more()? {
            return Ok(None);
        }
        Ok(Some(self.bytes[self.pos]))
    }

    /// Reads once from the input and keeps what is ahead; false at the end of the input.
    #[cold]
    pub(super) fn more(&mut self) -> Result<bool, Error> {
        if self.ended {
            return Ok(false);
        }
        if self.end == self.bytes.len() {
            if self.pos > 0 {
                self.bytes.copy_within(self.pos..self.end, 0);
                self.base += self.pos as u64;
                self.end -= self.pos;
                self.pos = 0;
            }
            // A window more than half full would be shifted too often.
            if self.end > self.bytes.len() / 2 {
                if self.bytes.len() >= LIMIT {
                    return Err(self.error(ErrorKind::TooLong { limit: LIMIT }));
                }
                self.within(2 * self.bytes.len())?;
                self.bytes.resize(self.bytes.len() * 2, 0);
            }
        }
        loop {
            match self.input.read(&mut self.bytes[self.end..]) {
                Ok(n) => {
                    self.end += n;
                    self.ended = n == 0;
                    return Ok(!self.ended);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
                    return Err(self.error(ErrorKind::Truncated));
                }
                Err(e) => return Err(Error::of_input(&self.name, ErrorKind::Io(e))),
            }
        }
    }

    /// Says how many bytes the history being read holds now; an error if that is too much.
    #[inline(always)]
    pub(super) fn hold(&mut self, bytes: usize) -> Result<(), Error> {
        self.held = bytes;
        self.within(0)
    }

    /// Whether there is memory for so many bytes more.
    #[inline(always)]
    pub(super) fn within(&self, more: usize) -> Result<(), Error> {
        let Room { bytes, limit } = self.room();
        if self.held.saturating_add(more) <= bytes {
            return Ok(());
        }
        Err(self.error(ErrorKind::TooMuchMemory { limit }))
    }

    /// What a history may take beside the window.
    #[inline(always)]
    pub(super) fn room(&self) -> Room {
        Room { bytes: self.max_memory.saturating_sub(self.bytes.len()), limit: self.max_memory }
    }

    /// Takes the next line: its number and its bytes without the line end; none at the end of the input.
    #[inline]
    pub(super) fn next_line(&mut self) -> Result<Option<(u64, &[u8])>, Error> {
        let mut searched = 0;
        let (length, end) = loop {
            match memchr::memchr(b'\n', &self.ahead()[searched..]) {
                Some(at) => break (searched + at, searched + at + 1),
                None => {
                    searched = self.ahead().len();
                    if !self.more()? {
                        if searched == 0 {
                            return Ok(None);
                        }
                        break (searched, searched);
                    }
                }
            }
        };
        let line = &self.bytes[self.pos..self.pos + length];
        self.pos += end;
        self.line += 1;
        self.line_start = self.base + self.pos as u64;
        Ok(Some((self.line - 1, line.strip_suffix(b"\r").unwrap_or(line))))
    }

    /// The input's name.
    pub(super) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The position.
    #[inline]
    pub(super) fn place(&self) -> Place {
        Place { line: self.line, column: self.base + self.pos as u64 - self.line_start + 1 }
    }

    /// An error at the position.
    #[cold]
    pub(super) fn error(&self, kind: ErrorKind) -> Error {
        self.error_at(self.place(), kind)
    }

    /// An error at a place.
    #[cold]
    pub(super) fn error_at(&self, place: Place, kind: ErrorKind) -> Error {
        Error::at(&self.name, place.line, place.column, kind)
    }
}

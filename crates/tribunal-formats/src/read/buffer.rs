//! A refillable window onto the input: what the hot readers work on.

use crate::{Error, ErrorKind};
use bytes::Bytes;
use std::io::{self, Read};
use std::ops::{Deref, Range};
use std::sync::Arc;

const INITIAL: usize = 256 << 10;
/// No line and no string may be longer: input without line ends must not eat the memory.
pub(super) const LIMIT: usize = 256 << 20;

/// The byte-order mark.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// The input's bytes from a position on, as far as they were read. Reads from the input only when asked for more than
/// is there, so that a history is given as soon as its last byte has come.
pub(super) struct Buffer {
    input: Box<dyn Read + Send>,
    name: Arc<str>,
    bytes: Window,
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
    /// The reason why no more could be read, until it is told.
    broken: Option<io::Error>,
}

/// The place where the bytes lie.
enum Window {
    /// Read from an input, to be read over.
    Own(Vec<u8>),
    /// All there already, and someone else's.
    Lent(Bytes),
}

impl Deref for Window {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        match self {
            Window::Own(bytes) => bytes,
            Window::Lent(bytes) => bytes,
        }
    }
}

/// A part of an input, with its place.
#[derive(Debug)]
pub(super) struct Part {
    bytes: Vec<u8>,
    name: Arc<str>,
    base: u64,
    line_start: u64,
    line: u64,
    max_memory: usize,
}

/// A position in the window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    pos: usize,
    line: u64,
    line_start: u64,
}

/// A place in the input, for errors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) line: u64,
    pub(super) column: u64,
}

/// The memory that a history may take, out of which limit.
#[derive(Clone, Copy, Debug, Default)]
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
    /// A window onto `input`; a byte-order mark at its beginning is skipped.
    pub(super) fn new(input: Box<dyn Read + Send>, name: Arc<str>, max_memory: usize) -> Result<Self, Error> {
        let bytes = Window::Own(vec![0; INITIAL]);
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
            broken: None,
        };
        while buffer.ahead().len() < MARK.len() && MARK.starts_with(buffer.ahead()) && buffer.more()? {}
        buffer.pass_mark();
        Ok(buffer)
    }

    /// Skips a byte-order mark.
    fn pass_mark(&mut self) {
        if self.ahead().starts_with(MARK) {
            self.pos += MARK.len();
            self.line_start += MARK.len() as u64;
        }
    }

    /// A window onto bytes that are all there, closed until [`begin_at`](Self::begin_at) opens it.
    pub(super) fn lent(bytes: Bytes, name: Arc<str>, max_memory: usize) -> Self {
        let input = Box::new(io::empty());
        let (pos, end, base, line_start, held, broken) = Default::default();
        let bytes = Window::Lent(bytes);
        Buffer {
            input,
            name,
            bytes,
            pos,
            end,
            base,
            line_start,
            line: 1,
            ended: true,
            max_memory,
            held,
            broken,
        }
    }

    /// Lends it other bytes in place of those that were lent.
    pub(super) fn lend(&mut self, bytes: Bytes) {
        (self.pos, self.end, self.bytes) = (0, 0, Window::Lent(bytes));
    }

    /// Begins anew with a range of what was lent, as if that were the whole input.
    pub(super) fn begin_at(&mut self, range: Range<usize>) {
        debug_assert!(range.start <= range.end && range.end <= self.bytes.len());
        (self.pos, self.end) = (range.start, range.end);
        (self.line, self.line_start, self.held) = (1, self.base + range.start as u64, 0);
        self.pass_mark();
    }

    /// A window onto a part of an input, closed until [`open_to`](Self::open_to) opens it.
    pub(super) fn of_part(part: Part) -> Self {
        let Part { bytes, name, base, line_start, line, max_memory } = part;
        let input = Box::new(io::empty());
        let (pos, end, held, broken) = Default::default();
        let bytes = Window::Own(bytes);
        Buffer { input, name, bytes, pos, end, base, line_start, line, ended: true, max_memory, held, broken }
    }

    /// Lets what is ahead end here, at a distance from the beginning of the part.
    pub(super) fn open_to(&mut self, end: usize) {
        debug_assert!(self.pos <= end && end <= self.bytes.len());
        self.end = end;
    }

    /// Takes the next bytes, which must be ahead.
    pub(super) fn part(&mut self, length: usize) -> Part {
        let bytes = self.ahead()[..length].to_vec();
        let part = Part {
            bytes,
            name: self.name.clone(),
            base: self.base + self.pos as u64,
            line_start: self.line_start,
            line: self.line,
            max_memory: self.max_memory,
        };
        self.pass(length);
        part
    }

    /// Moves on within what is ahead, counting lines.
    pub(super) fn pass(&mut self, length: usize) {
        let passed = &self.bytes[self.pos..self.pos + length];
        self.line += memchr::memchr_iter(b'\n', passed).count() as u64;
        if let Some(last) = memchr::memrchr(b'\n', passed) {
            self.line_start = self.base + (self.pos + last + 1) as u64;
        }
        self.pos += length;
    }

    /// Comes back to a position.
    pub(super) fn rewind(&mut self, mark: Mark) {
        (self.pos, self.line, self.line_start) = (mark.pos, mark.line, mark.line_start);
    }

    /// The position, to come back to while nothing more is read.
    pub(super) fn mark(&self) -> Mark {
        Mark { pos: self.pos, line: self.line, line_start: self.line_start }
    }

    /// Reads once from the input and keeps what is ahead; false at its end, and where there is no more to be had: then
    /// [`more`](Self::more) says why.
    pub(super) fn fill(&mut self) -> bool {
        if self.ended || self.broken.is_some() {
            return false;
        }
        if self.end == self.bytes.len() && self.make_room().is_err() {
            return false;
        }
        let Window::Own(bytes) = &mut self.bytes else { return false };
        loop {
            match self.input.read(&mut bytes[self.end..]) {
                Ok(n) => {
                    self.end += n;
                    self.ended = n == 0;
                    return !self.ended;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.broken = Some(e);
                    return false;
                }
            }
        }
    }

    /// Whether the input has ended as it should.
    pub(super) fn is_at_end(&self) -> bool {
        self.ended
    }

    /// Whether the input cannot be read on.
    pub(super) fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// The bytes from the position on.
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
        if !self.ended && self.broken.is_none() && self.end == self.bytes.len() {
            self.make_room()?;
        }
        if self.fill() {
            return Ok(true);
        }
        match self.broken.take() {
            None => Ok(false),
            Some(e) if e.kind() == io::ErrorKind::UnexpectedEof => Err(self.error(ErrorKind::Truncated)),
            Some(e) => Err(Error::of_input(&self.name, ErrorKind::Io(e))),
        }
    }

    /// Makes room for more in a window that is full.
    fn make_room(&mut self) -> Result<(), Error> {
        let Window::Own(bytes) = &mut self.bytes else { return Ok(()) };
        if self.pos > 0 {
            bytes.copy_within(self.pos..self.end, 0);
            self.base += self.pos as u64;
            self.end -= self.pos;
            self.pos = 0;
        }
        // A window more than half full would be shifted too often.
        let length = bytes.len();
        if self.end > length / 2 {
            if length >= LIMIT {
                return Err(self.error(ErrorKind::TooLong { limit: LIMIT }));
            }
            self.within(2 * length)?;
            if let Window::Own(bytes) = &mut self.bytes {
                bytes.resize(2 * length, 0);
            }
        }
        Ok(())
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

    /// The memory that a history may take beside the window.
    #[inline(always)]
    pub(super) fn room(&self) -> Room {
        let window = match &self.bytes {
            Window::Own(bytes) => bytes.len(),
            Window::Lent(_) => 0,
        };
        Room { bytes: self.max_memory.saturating_sub(window), limit: self.max_memory }
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

    /// Like [`next_line`](Self::next_line), of lines that have an end: what has none is left ahead.
    #[inline]
    pub(super) fn next_whole_line(&mut self) -> Result<Option<(u64, &[u8])>, Error> {
        let mut searched = 0;
        while memchr::memchr(b'\n', &self.ahead()[searched..]).is_none() {
            searched = self.ahead().len();
            if !self.more()? {
                return Ok(None);
            }
        }
        self.next_line()
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

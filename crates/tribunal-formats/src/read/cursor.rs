//! A position in a line: what the line-based grammars share.
//!
//! Histories are long and come through a window, so they are read byte by byte, for speed. `tribunal_cat::text`, on which languages are
//! read, has its text in memory as a whole and knows the place of every token.

use super::buffer::{Buffer, Place};
use crate::error::quote;
use crate::{Error, ErrorKind};
use std::str::from_utf8;
use tribunal_history::memory::Interval;

/// The fault in a line, and at which byte of it.
#[derive(Debug)]
pub(super) struct Fault {
    at: usize,
    kind: ErrorKind,
}

/// The result of parsing in a line; the fault is boxed to keep the good case small.
pub(super) type Parsed<T> = Result<T, Box<Fault>>;

impl Fault {
    #[cold]
    pub(super) fn new(at: usize, kind: ErrorKind) -> Box<Self> {
        Box::new(Fault { at, kind })
    }

    /// The error for a fault in a line.
    #[cold]
    pub(super) fn in_line(self, line: u64, buffer: &Buffer) -> Error {
        buffer.error_at(Place { line, column: self.at as u64 + 1 }, self.kind)
    }
}

/// A position in a line, which is UTF-8. What is taken from it ends at ASCII bytes, so that it is UTF-8, too.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
    /// The length of the line.
    length: usize,
}

impl<'a> Cursor<'a> {
    /// The beginning of a line.
    #[inline]
    pub(super) fn new(line: &'a [u8]) -> Parsed<Self> {
        if !line.is_ascii()
            && let Err(e) = from_utf8(line)
        {
            return Err(Fault::new(e.valid_up_to(), ErrorKind::InvalidUtf8));
        }
        Ok(Cursor { rest: line, length: line.len() })
    }

    /// The byte of the line that the cursor is at.
    #[inline(always)]
    pub(super) fn at(&self) -> usize {
        self.length - self.rest.len()
    }

    /// The rest of the line.
    pub(super) fn rest(&self) -> &'a str {
        text(self.rest)
    }

    /// The bytes that were passed since the cursor was there.
    #[inline(always)]
    pub(super) fn since(&self, before: Cursor<'a>) -> &'a [u8] {
        &before.rest[..before.rest.len() - self.rest.len()]
    }

    #[inline(always)]
    pub(super) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    #[inline(always)]
    pub(super) fn skip_blanks(&mut self) {
        let blank = |byte: &u8| *byte <= b' ' && matches!(byte, b' ' | b'\t');
        while let [byte, rest @ ..] = self.rest
            && blank(byte)
        {
            self.rest = rest;
        }
    }

    /// Passes what `parse` finds next, if it finds something; it gives what is after that.
    #[inline(always)]
    pub(super) fn pass<T>(&mut self, parse: impl FnOnce(&'a [u8]) -> Option<(T, &'a [u8])>) -> Option<T> {
        let (found, rest) = parse(self.rest)?;
        self.rest = rest;
        Some(found)
    }

    /// Whether nothing but blanks and a comment is left.
    #[inline(always)]
    pub(super) fn done(&mut self) -> bool {
        self.skip_blanks();
        matches!(self.peek(), None | Some(b'#'))
    }

    /// Passes blanks, and then this text if it is next.
    #[inline(always)]
    pub(super) fn eat(&mut self, text: &str) -> bool {
        self.skip_blanks();
        match self.rest.strip_prefix(text.as_bytes()) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Passes blanks, and then this word if it is next and ends there.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let before = *self;
        if self.eat(word) && !self.peek().is_some_and(in_name) {
            return true;
        }
        *self = before;
        false
    }

    /// Passes blanks and this text, which must be next.
    #[inline(always)]
    pub(super) fn expect(&mut self, text: &str, expected: &'static str) -> Parsed<()> {
        if self.eat(text) { Ok(()) } else { Err(self.expected(expected)) }
    }

    /// A number, after blanks.
    #[inline]
    pub(super) fn number(&mut self, what: &'static str) -> Parsed<u64> {
        self.skip_blanks();
        let count = self.rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(count);
        let value = digits
            .iter()
            .try_fold(0u64, |value, digit| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
        match value {
            Some(value) if count > 0 && !rest.first().is_some_and(|&byte| in_number(byte)) => {
                self.rest = rest;
                Ok(value)
            }
            _ => Err(self.no_number(what, u64::MAX)),
        }
    }

    /// An index of an event, after blanks.
    pub(super) fn index(&mut self, what: &'static str) -> Parsed<u32> {
        self.skip_blanks();
        let before = *self;
        u32::try_from(self.number(what)?).map_err(|_| before.no_number(what, u64::from(u32::MAX)))
    }

    /// The reason why there is no number here.
    #[cold]
    fn no_number(&self, what: &'static str, largest: u64) -> Box<Fault> {
        let rest = self.rest;
        let digits = rest.strip_prefix(b"-").unwrap_or(rest);
        if !digits.first().is_some_and(u8::is_ascii_digit) {
            return self.expected(what);
        }
        let end = digits.iter().position(|&b| !in_number(b)).unwrap_or(digits.len());
        let found = quote(&rest[..rest.len() - digits.len() + end]);
        Fault::new(self.at(), ErrorKind::OutOfRange { what, largest, found })
    }

    /// A name of a thread or a location, after blanks; see [`in_name`] and [`text`].
    #[inline(always)]
    pub(super) fn name(&mut self, expected: &'static str) -> Parsed<&'a [u8]> {
        self.skip_blanks();
        let length = self.rest.iter().position(|&byte| !in_name(byte)).unwrap_or(self.rest.len());
        if length == 0 {
            return Err(self.expected(expected));
        }
        let (name, rest) = self.rest.split_at(length);
        self.rest = rest;
        Ok(name)
    }

    /// Times: `@ begin : end`, either side may be missing.
    pub(super) fn times(&mut self) -> Parsed<Option<Interval>> {
        if !self.eat("@") {
            return Ok(None);
        }
        let begin = self.optional_number("the begin time")?;
        self.expect(":", "`:` between begin and end time")?;
        let end = self.optional_number("the end time")?;
        Ok(Some(Interval { begin, end }))
    }

    fn optional_number(&mut self, what: &'static str) -> Parsed<Option<u64>> {
        self.skip_blanks();
        match self.peek() {
            None | Some(b':' | b';' | b'#') => Ok(None),
            _ => self.number(what).map(Some),
        }
    }

    /// Nothing but a comment may be left.
    #[inline]
    pub(super) fn expect_done(&mut self, expected: &'static str) -> Parsed<()> {
        if self.done() { Ok(()) } else { Err(self.expected(expected)) }
    }

    /// The fault that something else stands here, after blanks.
    #[cold]
    pub(super) fn expected(mut self, expected: &'static str) -> Box<Fault> {
        self.skip_blanks();
        let found = match self.peek() {
            None | Some(b'#') => "the end of the line".to_string(),
            Some(_) => format!("`{}`", quote(self.word().as_bytes())),
        };
        Fault::new(self.at(), ErrorKind::Syntax { expected, found })
    }

    /// The word here, as a person would see it: up to a blank or a separator, at least one character.
    fn word(&self) -> &'a str {
        let rest = self.rest();
        let end =
            rest.char_indices().skip(1).find(|&(_, c)| c.is_whitespace() || matches!(c, ';' | '#' | ','));
        &rest[..end.map_or(rest.len(), |(at, _)| at)]
    }
}

/// The bytes taken from a line, as text.
pub(super) fn text(taken: &[u8]) -> &str {
    from_utf8(taken).unwrap_or_default()
}

/// A number of at most 19 digits, which fits, without leading zeros, and what is after it.
#[inline(always)]
pub(super) fn whole_number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    let mut length = 0;
    while let Some(digit @ b'0'..=b'9') = bytes.get(length) {
        if length == 19 {
            return None;
        }
        value = value * 10 + u64::from(digit - b'0');
        length += 1;
    }
    let zeros = length > 1 && bytes[0] == b'0';
    (length > 0 && !zeros).then(|| (value, &bytes[length..]))
}

/// Whether a byte goes on with a number, well written or not.
#[inline(always)]
fn in_number(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.') || byte >= 0x80
}

/// Whether a byte may be part of a name of the text form. Bytes of non-ASCII characters may.
#[inline(always)]
pub(crate) fn in_name(byte: u8) -> bool {
    const TABLE: [bool; 256] = {
        let mut table = [true; 256];
        let mut byte = 0;
        while byte < 256 {
            table[byte] = !matches!(byte as u8, 0..=b' ' | 0x7f | b':' | b';' | b'#' | b'=' | b',');
            byte += 1;
        }
        table
    };
    TABLE[byte as usize]
}

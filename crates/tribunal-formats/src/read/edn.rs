//! An EDN pull parser on the buffer: forms are taken one by one, nothing is kept. It reads bytes, not tokens, for speed (see `cursor`).

use super::buffer::{Buffer, LIMIT, Place};
use crate::error::quote;
use crate::{Error, ErrorKind};
use std::str::from_utf8;
use tribunal_history::object::Value;

/// The form of the process of an event.
const PROCESS: &str = "a process: a whole number from -2^63 to 2^63 - 1, or a name";

/// The depth to which forms may be nested.
const DEPTH: usize = 128;

/// Takes EDN forms from the input one by one. Commas are white space; comments (`;`) and discarded forms (`#_`) are too.
pub(super) struct Pull {
    buffer: Buffer,
    /// Whether the end of a line is no white space: nothing goes on in the next line.
    within_line: bool,
    /// The number of forms that are being read within each other.
    depth: usize,
    /// A string that had to be decoded.
    decoded: Vec<u8>,
    /// Bytes that the values take that were read since something was last held.
    counted: usize,
}

impl Pull {
    pub(super) fn new(buffer: Buffer, within_line: bool) -> Self {
        Pull { buffer, within_line, depth: 0, decoded: Vec::new(), counted: 0 }
    }

    /// Says how many bytes the history being read holds now; the values read count no longer.
    pub(super) fn hold(&mut self, bytes: usize) -> Result<(), Error> {
        self.counted = 0;
        self.buffer.hold(bytes)
    }

    /// The number of bytes that the values take that were read since something was last held.
    pub(super) fn counted(&self) -> usize {
        self.counted
    }

    /// Counts anew.
    pub(super) fn count_anew(&mut self) {
        self.counted = 0;
    }

    /// Counts a value, which lies in a list that grows and is then copied, and so many bytes of it.
    #[inline]
    fn count(&mut self, bytes: usize) -> Result<(), Error> {
        self.counted = self.counted.saturating_add(4 * size_of::<Value>() + bytes);
        self.buffer.within(self.counted)
    }

    pub(super) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    pub(super) fn buffer_mut(&mut self) -> &mut Buffer {
        &mut self.buffer
    }

    /// The place of the next byte.
    pub(super) fn place(&self) -> Place {
        self.buffer.place()
    }

    pub(super) fn error_at(&self, place: Place, kind: ErrorKind) -> Error {
        self.buffer.error_at(place, kind)
    }

    /// Passes white space; the byte after it, none at the end of the input.
    #[inline(always)]
    pub(super) fn peek(&mut self) -> Result<Option<u8>, Error> {
        // White space, comments and what is discarded begin with none of these.
        let plain = |byte: u8| byte > b',' && byte != b';';
        match *self.buffer.ahead() {
            [byte, ..] if plain(byte) => Ok(Some(byte)),
            [b' ', byte, ..] if plain(byte) => {
                self.buffer.advance(1);
                Ok(Some(byte))
            }
            _ => self.peek_slowly(),
        }
    }

    fn peek_slowly(&mut self) -> Result<Option<u8>, Error> {
        loop {
            match self.buffer.peek()? {
                Some(b'\n') if !self.within_line => self.buffer.advance_line(),
                Some(b' ' | b',' | b'\t' | b'\r') => self.buffer.advance(1),
                Some(b';') => self.rest_of_line()?,
                Some(b'#') if self.byte(1)? == Some(b'_') => self.discard()?,
                other => return Ok(other),
            }
        }
    }

    /// The rest of the line, up to so many bytes; it is still to be read.
    pub(super) fn line_ahead(&mut self, most: usize) -> Result<String, Error> {
        loop {
            let ahead = self.buffer.ahead();
            let end = memchr::memchr2(b'\n', b'\r', ahead);
            if end.is_some() || ahead.len() >= most || !self.buffer.more()? {
                let ahead = self.buffer.ahead();
                let end = end.unwrap_or(ahead.len()).min(most);
                return Ok(String::from_utf8_lossy(&ahead[..end]).into_owned());
            }
        }
    }

    /// Passes what is left of the line, but not its end.
    pub(super) fn rest_of_line(&mut self) -> Result<(), Error> {
        loop {
            let ahead = self.buffer.ahead();
            if let Some(end) = memchr::memchr(b'\n', ahead) {
                self.buffer.advance(end);
                return Ok(());
            }
            self.buffer.advance(ahead.len());
            if !self.buffer.more()? {
                return Ok(());
            }
        }
    }

    /// Passes the end of a line, which must be next; false at the end of the input.
    pub(super) fn next_line(&mut self) -> Result<bool, Error> {
        let more = self.buffer.peek()?.is_some();
        if more {
            self.buffer.advance_line();
        }
        Ok(more)
    }

    /// Passes `#_` and the form that it discards. `#_ #_ a b` discards two.
    #[cold]
    fn discard(&mut self) -> Result<(), Error> {
        self.buffer.advance(2);
        self.skip()
    }

    /// Passes this opening bracket, which must be next.
    pub(super) fn open(&mut self, bracket: u8, expected: &'static str) -> Result<(), Error> {
        if self.peek()? == Some(bracket) {
            self.buffer.advance(1);
            return Ok(());
        }
        Err(self.expected(expected))
    }

    /// Passes the bracket that opens a history, if there is one. Its line, and the bracket that closes it; nothing at the end of the input.
    pub(super) fn begin_history(&mut self) -> Result<Option<(u64, Option<u8>)>, Error> {
        let next = self.peek()?;
        let line = self.place().line;
        let (open, close) = match next {
            None => return Ok(None),
            Some(b'{' | b'#') => return Ok(Some((line, None))),
            Some(b'(') => (b'(', b')'),
            _ => (b'[', b']'),
        };
        self.open(open, "a vector, a list or a map: a history or an event")?;
        Ok(Some((line, Some(close))))
    }

    /// Whether the history has another event. Its closing bracket is passed.
    pub(super) fn another_event(&mut self, close: Option<u8>) -> Result<bool, Error> {
        match close {
            Some(close) => self.another(close),
            None => Ok(matches!(self.peek()?, Some(b'{' | b'#'))),
        }
    }

    /// Whether the collection begun has another form; if not, its closing bracket is passed.
    #[inline]
    pub(super) fn another(&mut self, close: u8) -> Result<bool, Error> {
        match self.peek()? {
            Some(byte) if byte == close => {
                self.buffer.advance(1);
                Ok(false)
            }
            Some(b')' | b']' | b'}') | None => Err(self.expected(match close {
                b')' => "`)`",
                b']' => "`]`",
                _ => "`}`",
            })),
            Some(_) => Ok(true),
        }
    }

    /// A tag's name if a tag is next, which is passed: `#inst`, `#jepsen.history.Op`. A set is none.
    pub(super) fn tag<T>(&mut self, read: impl FnOnce(&[u8]) -> T) -> Result<Option<T>, Error> {
        if self.peek()? != Some(b'#') || self.byte(1)? == Some(b'{') {
            return Ok(None);
        }
        self.buffer.advance(1);
        let length = self.token()?;
        if length == 0 {
            return Err(self.expected("a tag after `#`"));
        }
        let tag = read(&self.buffer.ahead()[..length]);
        self.buffer.advance(length);
        Ok(Some(tag))
    }

    /// A word: a keyword with its colon, a symbol or a number; `expected` if it is none.
    #[inline]
    pub(super) fn word<T>(
        &mut self,
        expected: &'static str,
        read: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Result<T, Error> {
        self.peek()?;
        let length = self.token()?;
        match read(&self.buffer.ahead()[..length]) {
            Some(word) if length > 0 => {
                self.buffer.advance(length);
                Ok(word)
            }
            _ => Err(self.expected(expected)),
        }
    }

    /// The key of an entry: one of those that `known` knows, or none.
    #[inline]
    pub(super) fn key<T>(&mut self, known: impl FnOnce(&[u8]) -> Option<T>) -> Result<Option<T>, Error> {
        if self.peek()? != Some(b':') {
            self.skip()?;
            return Ok(None);
        }
        self.word("a key", |word| Some(known(word)))
    }

    /// Passes nil if it is next.
    #[inline]
    pub(super) fn eat_nil(&mut self) -> Result<bool, Error> {
        if self.peek()? != Some(b'n') {
            return Ok(false);
        }
        let nil = self.token()? == 3 && self.buffer.ahead().starts_with(b"nil");
        if nil {
            self.buffer.advance(3);
        }
        Ok(nil)
    }

    /// Appends the elements of a vector of a few digits each that is wholly in the buffer, and passes it: the usual case. False, and nothing is
    /// passed, if what is next is anything else.
    #[inline]
    pub(super) fn plain_integers(&mut self, into: &mut Vec<i64>) -> bool {
        let before = into.len();
        let ahead = self.buffer.ahead();
        if ahead.first() != Some(&b'[') {
            return false;
        }
        let (mut value, mut digits) = (0i64, 0);
        for (at, &byte) in ahead.iter().enumerate().skip(1) {
            match byte {
                b'0'..=b'9' if digits < 18 => {
                    value = value * 10 + i64::from(byte - b'0');
                    digits += 1;
                }
                b' ' | b',' | b']' => {
                    if digits > 0 {
                        into.push(value);
                        (value, digits) = (0, 0);
                    }
                    if byte == b']' {
                        self.buffer.advance(at + 1);
                        return true;
                    }
                }
                _ => break,
            }
        }
        into.truncate(before);
        false
    }

    /// A value. Keywords, symbols, characters and numbers that are not whole are texts; sets and maps are lists, a map's of
    /// pairs.
    pub(super) fn value(&mut self) -> Result<Value, Error> {
        self.enter()?;
        self.count(0)?;
        while self.tag(|_| ())?.is_some() {}
        let value = match self.peek()? {
            Some(b'"') => {
                let (value, length) = self.quoted(|text| (Value::from(text), text.len()))?;
                self.count(length)?;
                Ok(value)
            }
            Some(b'[') => self.values(b']').map(Value::list),
            Some(b'(') => self.values(b')').map(Value::list),
            Some(b'#') => {
                self.buffer.advance(1);
                let mut values = self.values(b'}')?;
                values.sort_unstable();
                Ok(Value::list(values))
            }
            Some(b'{') => self.entries(),
            Some(b'\\') => self.character(),
            _ => self.atom(),
        }?;
        self.depth -= 1;
        Ok(value)
    }

    fn values(&mut self, close: u8) -> Result<Vec<Value>, Error> {
        let mut values = Vec::new();
        self.buffer.advance(1);
        while self.another(close)? {
            values.push(self.value()?);
        }
        Ok(values)
    }

    fn entries(&mut self) -> Result<Value, Error> {
        let mut pairs = Vec::new();
        self.buffer.advance(1);
        while self.another(b'}')? {
            self.count(4 * size_of::<Value>())?;
            let key = self.value()?;
            if matches!(self.peek()?, Some(b'}')) {
                return Err(self.expected("the value of a key"));
            }
            pairs.push(Value::list([key, self.value()?]));
        }
        pairs.sort_unstable();
        Ok(Value::list(pairs))
    }

    fn character(&mut self) -> Result<Value, Error> {
        // The character itself may be a delimiter.
        let mut length = 2;
        while self.byte(length)?.is_some_and(|byte| !delimits(byte)) {
            length += 1;
        }
        let written = self.buffer.ahead().get(1..length).unwrap_or_default();
        let value = match written {
            [] | [b'\n'] => None,
            b"newline" => Some(Value::from("\n")),
            b"space" => Some(Value::from(" ")),
            b"tab" => Some(Value::from("\t")),
            b"return" => Some(Value::from("\r")),
            _ => from_utf8(written).ok().map(Value::from),
        };
        let value = value.ok_or_else(|| self.expected("a character"))?;
        self.buffer.advance(length);
        Ok(value)
    }

    /// nil, a truth value, a number, a keyword or a symbol.
    fn atom(&mut self) -> Result<Value, Error> {
        let length = self.token()?;
        self.count(length)?;
        let word = &self.buffer.ahead()[..length];
        let value = match word {
            [] => return Err(self.expected("a value")),
            b"nil" => Value::Null,
            b"true" => Value::Bool(true),
            b"false" => Value::Bool(false),
            _ => match from_utf8(word.strip_prefix(b":").unwrap_or(word)) {
                Ok(text) => number(text).unwrap_or_else(|| Value::from(text)),
                Err(_) => return Err(self.buffer.error(ErrorKind::InvalidUtf8)),
            },
        };
        self.buffer.advance(length);
        Ok(value)
    }

    /// The process of an event: a number of 64 bits is a client's, nil or a name is not. Any other number is an error.
    pub(super) fn process(&mut self) -> Result<Value, Error> {
        let first = self.peek()?;
        let place = self.place();
        let digit = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_digit());
        let number = digit(first) || matches!(first, Some(b'+' | b'-')) && digit(self.byte(1)?);
        match self.value()? {
            Value::Text(found) if number => {
                let found = format!("`{}`", quote(found.as_bytes()));
                Err(self.error_at(place, ErrorKind::Syntax { expected: PROCESS, found }))
            }
            process => Ok(process),
        }
    }

    /// Passes a form of any type.
    pub(super) fn skip(&mut self) -> Result<(), Error> {
        self.enter()?;
        while self.tag(|_| ())?.is_some() {}
        let close = match self.peek()? {
            Some(b'"') => {
                self.quoted(|_| ())?;
                None
            }
            Some(b'[') => Some(b']'),
            Some(b'(') => Some(b')'),
            Some(b'{') => Some(b'}'),
            Some(b'#') => {
                self.buffer.advance(1);
                Some(b'}')
            }
            Some(b'\\') => {
                self.character()?;
                None
            }
            _ => {
                let length = self.token()?;
                if length == 0 {
                    return Err(self.expected("a form"));
                }
                self.buffer.advance(length);
                None
            }
        };
        if let Some(close) = close {
            self.buffer.advance(1);
            while self.another(close)? {
                self.skip()?;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Goes a level deeper; the reader ends at the first error, so only success comes up again.
    #[inline]
    fn enter(&mut self) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.buffer.error(ErrorKind::TooDeep { limit: DEPTH }));
        }
        Ok(())
    }

    /// The length of the word at the position.
    #[inline]
    fn token(&mut self) -> Result<usize, Error> {
        let mut length = 0;
        loop {
            let ahead = self.buffer.ahead();
            while ahead.get(length).is_some_and(|&byte| !delimits(byte)) {
                length += 1;
            }
            if length < ahead.len() || !self.buffer.more()? {
                return Ok(length);
            }
        }
    }

    /// The byte at a distance from the position, which does not move.
    #[inline]
    fn byte(&mut self, distance: usize) -> Result<Option<u8>, Error> {
        loop {
            if let Some(&byte) = self.buffer.ahead().get(distance) {
                return Ok(Some(byte));
            }
            if !self.buffer.more()? {
                return Ok(None);
            }
        }
    }

    /// A string, whose opening quote is next. It may have line ends in it.
    pub(super) fn quoted<T>(&mut self, read: impl FnOnce(&str) -> T) -> Result<T, Error> {
        self.buffer.advance(1);
        self.decoded.clear();
        loop {
            let ahead = self.buffer.ahead();
            let plain = memchr::memchr3(b'"', b'\\', b'\n', ahead).unwrap_or(ahead.len());
            self.decoded.extend_from_slice(&ahead[..plain]);
            if self.decoded.len() > LIMIT {
                return Err(self.buffer.error(ErrorKind::TooLong { limit: LIMIT }));
            }
            self.buffer.within(self.counted + 3 * self.decoded.len())?;
            let ahead = self.buffer.ahead();
            let next = ahead.get(plain).copied();
            self.buffer.advance(plain);
            match next {
                Some(b'"') => break,
                Some(b'\n') if !self.within_line => {
                    self.decoded.push(b'\n');
                    self.buffer.advance_line();
                }
                Some(b'\\') => self.escape()?,
                None if self.buffer.more()? => {}
                _ => return Err(self.expected("the rest of a string")),
            }
        }
        let Ok(text) = from_utf8(&self.decoded) else {
            return Err(self.buffer.error(ErrorKind::InvalidUtf8));
        };
        let value = read(text);
        self.buffer.advance(1);
        Ok(value)
    }

    fn escape(&mut self) -> Result<(), Error> {
        let (decoded, length) = match self.byte(1)? {
            Some(b'n') => ('\n', 2),
            Some(b't') => ('\t', 2),
            Some(b'r') => ('\r', 2),
            Some(b'b') => ('\u{8}', 2),
            Some(b'f') => ('\u{c}', 2),
            Some(mark @ (b'"' | b'\\')) => (char::from(mark), 2),
            Some(b'u') => {
                self.byte(5)?;
                let code = self.buffer.ahead().get(2..6).and_then(|digits| from_utf8(digits).ok());
                match code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32) {
                    Some(decoded) => (decoded, 6),
                    None => return Err(self.expected("a character's code")),
                }
            }
            _ => return Err(self.expected("an escape that EDN has")),
        };
        self.decoded.extend_from_slice(decoded.encode_utf8(&mut [0; 4]).as_bytes());
        self.buffer.advance(length);
        Ok(())
    }

    /// The error that something else is next.
    #[cold]
    pub(super) fn expected(&mut self, expected: &'static str) -> Error {
        let found = self.shown();
        self.buffer.error(ErrorKind::Syntax { expected, found })
    }

    /// The next text, for an error.
    #[cold]
    pub(super) fn shown(&mut self) -> String {
        // The whole word is better to read; if it cannot be had, its beginning will do.
        let _ = self.token();
        let ahead = self.buffer.ahead();
        match ahead.first() {
            None => "the end of the input".to_string(),
            Some(b'\n' | b'\r') => "the end of the line".to_string(),
            Some(_) => {
                let end = memchr::memchr2(b'\n', b'\r', ahead).unwrap_or(ahead.len());
                format!("`{}`", quote(&ahead[..end]))
            }
        }
    }
}

/// A whole number as EDN writes it: with a sign, with an N if it is large. Beyond 64 bits it is a text, the same for each way to write it.
pub(super) fn number(word: &str) -> Option<Value> {
    let number = word.strip_suffix('N').unwrap_or(word);
    if let Ok(number) = number.parse() {
        return Some(Value::Int(number));
    }
    let digits = number.strip_prefix(['+', '-']).unwrap_or(number);
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let sign = if number.starts_with('-') { "-" } else { "" };
    Some(Value::from(format!("{sign}{}", digits.trim_start_matches('0')).as_str()))
}

/// Whether a byte ends a word.
#[inline(always)]
fn delimits(byte: u8) -> bool {
    const TABLE: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            table[byte] = matches!(
                byte as u8,
                0..=b' ' | b',' | b';' | b'"' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'\\' | 0x7f
            );
            byte += 1;
        }
        table
    };
    TABLE[byte as usize]
}

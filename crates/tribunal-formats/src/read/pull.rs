//! A JSON pull parser on the buffer: values are taken one by one, nothing is kept. It reads bytes, not tokens, for speed (see `cursor`).

mod value;

use super::buffer::{Buffer, Place};
use crate::error::quote;
use crate::{Error, ErrorKind};
use std::str::{Utf8Error, from_utf8};

/// The depth to which values that are skipped may be nested.
const DEPTH: usize = 128;

/// Takes JSON values from the input one by one.
pub(super) struct Pull {
    buffer: Buffer,
    /// A string that had to be decoded.
    decoded: Vec<u8>,
    /// Bytes that the values take that were read since they were last forgotten.
    counted: usize,
}

impl Pull {
    pub(super) fn new(buffer: Buffer) -> Self {
        Pull { buffer, decoded: Vec::new(), counted: 0 }
    }

    /// Says how many bytes the history being read holds now; the values read count no longer.
    #[inline(always)]
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

    pub(super) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    pub(super) fn buffer_mut(&mut self) -> &mut Buffer {
        &mut self.buffer
    }

    /// Moves on past a value that was read ahead, which has no line end.
    #[inline(always)]
    pub(super) fn advance(&mut self, by: usize) {
        self.buffer.advance(by);
    }

    /// The place of the next byte.
    pub(super) fn place(&self) -> Place {
        self.buffer.place()
    }

    pub(super) fn error_at(&self, place: Place, kind: ErrorKind) -> Error {
        self.buffer.error_at(place, kind)
    }

    /// Passes white space; the byte after it, none at the end of the input.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<Option<u8>, Error> {
        loop {
            match self.buffer.peek()? {
                Some(b'\n') => self.buffer.advance_line(),
                Some(b' ' | b'\t' | b'\r') => self.buffer.advance(1),
                other => return Ok(other),
            }
        }
    }

    /// Whether the array that is next begins with an array; nothing is consumed.
    pub(super) fn is_nested_array(&mut self) -> Result<bool, Error> {
        let mut at = 1;
        while matches!(self.byte(at)?, Some(b' ' | b'\t' | b'\r' | b'\n')) {
            at += 1;
        }
        Ok(self.byte(at)? == Some(b'['))
    }

    /// Whether the object that is next has this key, of which nothing is consumed. Only the beginning of a long object is
    /// looked at, and what is no JSON has no key.
    pub(super) fn has_key_ahead(&mut self, key: &[u8]) -> Result<bool, Error> {
        const ENOUGH: usize = 64 << 10;
        let (mut at, mut depth, mut string) = (0, 0u32, None);
        while at < ENOUGH
            && let Some(byte) = self.byte(at)?
        {
            match (byte, string) {
                (b'\\', Some(_)) => at += 1,
                (b'"', None) => string = Some(at + 1),
                (b'"', Some(begin)) => {
                    string = None;
                    let mut after = at + 1;
                    while matches!(self.byte(after)?, Some(b' ' | b'\t' | b'\r' | b'\n')) {
                        after += 1;
                    }
                    if depth == 1 && self.buffer.ahead()[begin..at] == *key && self.byte(after)? == Some(b':')
                    {
                        return Ok(true);
                    }
                }
                (b'{' | b'[', None) => depth += 1,
                (b'}' | b']', None) if depth <= 1 => return Ok(false),
                (b'}' | b']', None) => depth -= 1,
                _ => {}
            }
            at += 1;
        }
        Ok(false)
    }

    /// Passes white space and this byte if it is next.
    #[inline]
    fn eat(&mut self, byte: u8) -> Result<bool, Error> {
        let found = self.peek()? == Some(byte);
        if found {
            self.buffer.advance(1);
        }
        Ok(found)
    }

    /// Begins an object, the value of `key`.
    #[inline]
    pub(super) fn open_object(&mut self, key: &'static str) -> Result<(), Error> {
        if self.eat(b'{')? { Ok(()) } else { Err(self.wrong_type(key, "an object")) }
    }

    /// Begins an array, the value of `key`.
    #[inline]
    pub(super) fn open_array(&mut self, key: &'static str) -> Result<(), Error> {
        if self.eat(b'[')? { Ok(()) } else { Err(self.wrong_type(key, "an array")) }
    }

    /// Begins a history of events, in an array or one after another. Its line, and whether it is an array; nothing at the end of the input.
    pub(super) fn begin_history(&mut self) -> Result<Option<(u64, bool)>, Error> {
        let next = self.peek()?;
        let line = self.place().line;
        match next {
            None => return Ok(None),
            Some(b'[') => self.open_array("history")?,
            Some(b'{') => {}
            Some(_) => return Err(self.expected("`[` and a history, or `{` and an event")),
        }
        Ok(Some((line, next == Some(b'['))))
    }

    /// Whether the history has another event; `first` as for [`next_element`](Self::next_element).
    pub(super) fn another_event(&mut self, array: bool, first: &mut bool) -> Result<bool, Error> {
        if array { self.next_element(first) } else { Ok(self.peek()? == Some(b'{')) }
    }

    /// Whether the array begun has another element. `first` must be true at the first call and is kept by this.
    #[inline]
    pub(super) fn next_element(&mut self, first: &mut bool) -> Result<bool, Error> {
        self.next_item(first, b']', "`,` or `]`")
    }

    /// Whether the object begun has another entry; see [`next_element`](Self::next_element).
    #[inline]
    pub(super) fn next_entry(&mut self, first: &mut bool) -> Result<bool, Error> {
        self.next_item(first, b'}', "`,` or `}`")
    }

    #[inline(always)]
    fn next_item(&mut self, first: &mut bool, close: u8, expected: &'static str) -> Result<bool, Error> {
        let was_first = std::mem::replace(first, false);
        match self.peek()? {
            Some(b) if b == close => {
                self.buffer.advance(1);
                Ok(false)
            }
            _ if was_first => Ok(true),
            Some(b',') => {
                self.buffer.advance(1);
                Ok(true)
            }
            _ => Err(self.expected(expected)),
        }
    }

    /// The key of an entry, whose value is next: one of those that `known` knows, or none.
    #[inline]
    pub(super) fn key<T>(&mut self, known: impl FnOnce(&[u8]) -> Option<T>) -> Result<Option<T>, Error> {
        // Only what is not known need be checked to be UTF-8.
        self.raw_key(|key| match known(key) {
            None => from_utf8(key).map(|_| None),
            known => Ok(known),
        })
    }

    /// The key of an entry, whose value is next.
    pub(super) fn any_key<T>(&mut self, read: impl FnOnce(&str) -> T) -> Result<T, Error> {
        self.raw_key(|key| from_utf8(key).map(read))
    }

    #[inline(always)]
    fn raw_key<T>(&mut self, read: impl FnOnce(&[u8]) -> Result<T, Utf8Error>) -> Result<T, Error> {
        if self.peek()? != Some(b'"') {
            return Err(self.expected("a key in quotes"));
        }
        let key = self.quoted(read)?;
        if self.eat(b':')? { Ok(key) } else { Err(self.expected("`:` after the key")) }
    }

    /// A string, the value of `key`.
    #[inline]
    pub(super) fn string<T>(&mut self, key: &'static str, read: impl FnOnce(&str) -> T) -> Result<T, Error> {
        if self.peek()? != Some(b'"') {
            return Err(self.wrong_type(key, "a string"));
        }
        self.quoted(|string| from_utf8(string).map(read))
    }

    /// A string that is one of a few words, the value of `key`.
    #[inline]
    pub(super) fn word<T>(
        &mut self,
        key: &'static str,
        expected: &'static str,
        known: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Result<T, Error> {
        if self.peek()? != Some(b'"') {
            return Err(self.wrong_type(key, "a string"));
        }
        let place = self.place();
        let word = self.quoted(|word| Ok(known(word).ok_or_else(|| format!("`{}`", quote(word)))))?;
        word.map_err(|found| self.error_at(place, ErrorKind::Syntax { expected, found }))
    }

    /// A whole number, the value of `key`.
    #[inline]
    pub(super) fn number(&mut self, key: &'static str) -> Result<u64, Error> {
        if !matches!(self.peek()?, Some(b'0'..=b'9' | b'-')) {
            return Err(self.wrong_type(key, "a whole number"));
        }
        let mut value = 0u64;
        let mut length = 0;
        let after = loop {
            let ahead = self.buffer.ahead();
            while let Some(digit @ b'0'..=b'9') = ahead.get(length) {
                let digit = u64::from(digit - b'0');
                match value.checked_mul(10).and_then(|v| v.checked_add(digit)) {
                    Some(v) => value = v,
                    None => return Err(self.out_of_range(key, u64::MAX)),
                }
                length += 1;
            }
            match ahead.get(length).copied() {
                Some(after) => break after,
                None if self.buffer.more()? => {}
                None => break b' ',
            }
        };
        if matches!(after, b'-' | b'.' | b'e' | b'E') {
            return Err(self.out_of_range(key, u64::MAX));
        }
        if length > 1 && self.buffer.ahead()[0] == b'0' {
            return Err(self.expected("a number without leading zeros"));
        }
        self.buffer.advance(length);
        Ok(value)
    }

    /// An index, the value of `key` or within it.
    pub(super) fn index(&mut self, key: &'static str) -> Result<u32, Error> {
        self.peek()?;
        let place = self.place();
        let number = self.number(key)?;
        u32::try_from(number).map_err(|_| {
            let found = number.to_string();
            self.error_at(place, ErrorKind::OutOfRange { what: key, largest: u64::from(u32::MAX), found })
        })
    }

    /// An optional time, the value of `key`.
    pub(super) fn time(&mut self, key: &'static str) -> Result<Option<u64>, Error> {
        if self.eat_null()? { Ok(None) } else { self.number(key).map(Some) }
    }

    /// An array of two, the value of `key` or within it.
    pub(super) fn pair<T>(
        &mut self,
        key: &'static str,
        mut element: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<[T; 2], Error> {
        let mut first = true;
        self.open_array(key)?;
        if !self.next_element(&mut first)? {
            return Err(self.expected("two numbers in the pair"));
        }
        let a = element(self)?;
        if !self.next_element(&mut first)? {
            return Err(self.expected("two numbers in the pair"));
        }
        let b = element(self)?;
        if self.next_element(&mut first)? {
            return Err(self.expected("no more than two numbers in the pair"));
        }
        Ok([a, b])
    }

    /// Passes `null` if it is next.
    #[inline]
    pub(super) fn eat_null(&mut self) -> Result<bool, Error> {
        if self.peek()? != Some(b'n') {
            return Ok(false);
        }
        self.literal("null")?;
        Ok(true)
    }

    /// `true`, `false` or `null`, the value of `key`.
    pub(super) fn optional_bool(&mut self, key: &'static str) -> Result<Option<bool>, Error> {
        match self.peek()? {
            Some(b't') => self.literal("true").map(|()| Some(true)),
            Some(b'f') => self.literal("false").map(|()| Some(false)),
            Some(b'n') => self.literal("null").map(|()| None),
            _ => Err(self.wrong_type(key, "true, false or null")),
        }
    }

    /// Passes a value of any type.
    pub(super) fn skip(&mut self) -> Result<(), Error> {
        self.skip_nested(0)
    }

    fn skip_nested(&mut self, depth: usize) -> Result<(), Error> {
        if depth > DEPTH {
            return Err(self.buffer.error(ErrorKind::TooDeep { limit: DEPTH }));
        }
        let mut first = true;
        match self.peek()? {
            Some(b'{') => {
                self.buffer.advance(1);
                while self.next_entry(&mut first)? {
                    self.any_key(|_| ())?;
                    self.skip_nested(depth + 1)?;
                }
                Ok(())
            }
            Some(b'[') => {
                self.buffer.advance(1);
                while self.next_element(&mut first)? {
                    self.skip_nested(depth + 1)?;
                }
                Ok(())
            }
            Some(b'"') => self.quoted(|string| from_utf8(string).map(|_| ())),
            Some(b't') => self.literal("true"),
            Some(b'f') => self.literal("false"),
            Some(b'n') => self.literal("null"),
            Some(b'-' | b'0'..=b'9') => self.skip_number(),
            _ => Err(self.expected("a value")),
        }
    }

    /// Passes a number of any size, whole or not.
    fn skip_number(&mut self) -> Result<(), Error> {
        let length = self.any_number()?;
        self.buffer.advance(length);
        Ok(())
    }

    /// The length of the next number, of any size, whole or not.
    fn any_number(&mut self) -> Result<usize, Error> {
        let mut length = 0;
        while let Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9') = self.byte(length)? {
            length += 1;
        }
        let number = from_utf8(&self.buffer.ahead()[..length]).unwrap_or_default();
        // Rust takes a few spellings that JSON does not: `1.`, `01`.
        let digits = number.strip_prefix('-').unwrap_or(number).as_bytes();
        let spelled = !matches!(digits, [b'0', b'0'..=b'9', ..] | [b'.', ..] | [])
            && !number.contains(".e")
            && !number.contains(".E")
            && !number.ends_with('.');
        if !spelled || number.parse::<f64>().is_err() {
            return Err(self.expected("a number"));
        }
        Ok(length)
    }

    fn literal(&mut self, word: &'static str) -> Result<(), Error> {
        for (i, &letter) in word.as_bytes().iter().enumerate() {
            if self.byte(i)? != Some(letter) {
                return Err(self.expected(word));
            }
        }
        self.buffer.advance(word.len());
        Ok(())
    }

    /// The byte at a distance from the position, which does not move.
    #[inline(always)]
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

    /// A string, whose opening quote is next.
    #[inline(always)]
    fn quoted<T>(&mut self, read: impl FnOnce(&[u8]) -> Result<T, Utf8Error>) -> Result<T, Error> {
        let mut length = 1;
        loop {
            let ahead = self.buffer.ahead();
            while ahead.get(length).is_some_and(|&b| b >= b' ' && b != b'"' && b != b'\\') {
                length += 1;
            }
            match ahead.get(length).copied() {
                Some(b'"') => break,
                Some(b'\\') => return self.quoted_with_escapes(read),
                None if self.buffer.more()? => {}
                _ => return Err(self.bad_string(length)),
            }
        }
        let read = match read(&self.buffer.ahead()[1..length]) {
            Ok(read) => read,
            Err(e) => {
                self.buffer.advance(1 + e.valid_up_to());
                return Err(self.buffer.error(ErrorKind::InvalidUtf8));
            }
        };
        self.buffer.advance(length + 1);
        Ok(read)
    }

    #[cold]
    fn quoted_with_escapes<T>(
        &mut self,
        read: impl FnOnce(&[u8]) -> Result<T, Utf8Error>,
    ) -> Result<T, Error> {
        self.decoded.clear();
        let mut length = 1;
        loop {
            // What is decoded grows by doubling, and is then copied.
            if self.decoded.len().is_multiple_of(1 << 10) {
                self.buffer.within(self.counted + 4 * self.decoded.len())?;
            }
            match self.byte(length)? {
                Some(b'"') => break,
                Some(b'\\') => {
                    let decoded = match self.byte(length + 1)? {
                        Some(b'n') => '\n',
                        Some(b't') => '\t',
                        Some(b'r') => '\r',
                        Some(b'b') => '\u{8}',
                        Some(b'f') => '\u{c}',
                        Some(mark @ (b'"' | b'\\' | b'/')) => char::from(mark),
                        Some(b'u') => {
                            let (decoded, units) = self.unicode_escape(length)?;
                            length += units * 6 - 2;
                            decoded
                        }
                        _ => return Err(self.bad_string(length)),
                    };
                    length += 2;
                    self.decoded.extend_from_slice(decoded.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Some(byte @ b' '..) => {
                    self.decoded.push(byte);
                    length += 1;
                }
                _ => return Err(self.bad_string(length)),
            }
        }
        let Ok(read) = read(&self.decoded) else {
            return Err(self.buffer.error(ErrorKind::InvalidUtf8));
        };
        self.buffer.advance(length + 1);
        Ok(read)
    }

    /// The character of the `\u` escape at a distance, and how many escapes it takes: two for a surrogate pair.
    fn unicode_escape(&mut self, at: usize) -> Result<(char, usize), Error> {
        let first = self.code_unit(at)?;
        if let Some(c) = char::from_u32(first) {
            return Ok((c, 1));
        }
        let second = if first < 0xdc00 { self.code_unit(at + 6)? } else { 0 };
        if !(0xdc00..0xe000).contains(&second) {
            return Err(self.bad_string(at));
        }
        let c = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        char::from_u32(c).map(|c| (c, 2)).ok_or_else(|| self.bad_string(at))
    }

    fn code_unit(&mut self, at: usize) -> Result<u32, Error> {
        let mut unit = 0;
        for i in 0..6 {
            let digit = match (i, self.byte(at + i)?) {
                (0, Some(b'\\')) | (1, Some(b'u')) => 0,
                (2.., Some(b)) => char::from(b).to_digit(16).ok_or_else(|| self.bad_string(at))?,
                _ => return Err(self.bad_string(at)),
            };
            unit = unit * 16 + digit;
        }
        Ok(unit)
    }

    /// The error that the string begun at the position goes wrong at a distance.
    #[cold]
    fn bad_string(&mut self, distance: usize) -> Error {
        self.buffer.advance(distance.min(self.buffer.ahead().len()));
        self.expected("the rest of a string")
    }

    /// The error that a number is negative, fractional or too large.
    #[cold]
    fn out_of_range(&mut self, what: &'static str, largest: u64) -> Error {
        let mut length = 0;
        while let Ok(Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) = self.byte(length)
            && length < 64
        {
            length += 1;
        }
        let found = quote(&self.buffer.ahead()[..length]);
        self.buffer.error(ErrorKind::OutOfRange { what, largest, found })
    }

    /// The error that the value of a key has another type.
    #[cold]
    pub(super) fn wrong_type(&mut self, key: &'static str, expected: &'static str) -> Error {
        let found = match self.buffer.ahead().first() {
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b'"') => "a string",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            Some(b'-' | b'0'..=b'9') => "a number",
            _ => return self.expected(expected),
        };
        self.buffer.error(ErrorKind::WrongType { key, expected, found })
    }

    /// The error that something else is next.
    #[cold]
    pub(super) fn expected(&mut self, expected: &'static str) -> Error {
        let found = self.shown();
        self.buffer.error(ErrorKind::Syntax { expected, found })
    }

    /// The next text, for an error.
    #[cold]
    pub(super) fn shown(&self) -> String {
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

//! Arguments and returns of operations.

use super::{DEPTH, Pull};
use crate::error::quote;
use crate::{Error, ErrorKind};
use std::str::from_utf8;
use tribunal_history::object::Value;

impl Pull {
    /// An argument or a return, the value of `key` or within it.
    pub(in crate::read) fn value(&mut self, key: &'static str) -> Result<Value, Error> {
        self.nested_value(key, false, 0)
    }

    /// Like [`value`](Self::value), of any type: objects are lists of pairs, and numbers that are not whole are texts.
    pub(in crate::read) fn any_value(&mut self, key: &'static str) -> Result<Value, Error> {
        self.nested_value(key, true, 0)
    }

    /// The process of an event: a number must be whole; anything else is a name or nothing.
    pub(in crate::read) fn process(&mut self) -> Result<Value, Error> {
        match self.peek()? {
            Some(b'-' | b'0'..=b'9') => self.integer("process").map(Value::Int),
            _ => self.any_value("process"),
        }
    }

    /// Counts a value, which lies in a list that grows and is then copied, and so many bytes of it.
    #[inline]
    fn count(&mut self, bytes: usize) -> Result<(), Error> {
        self.counted = self.counted.saturating_add(4 * size_of::<Value>() + bytes);
        self.buffer.within(self.counted)
    }

    fn nested_value(&mut self, key: &'static str, any: bool, depth: usize) -> Result<Value, Error> {
        self.count(0)?;
        match self.peek()? {
            Some(b'-' | b'0'..=b'9') if any => self.number_or_text(),
            Some(b'-' | b'0'..=b'9') => self.integer(key).map(Value::Int),
            Some(b'n') => self.literal("null").map(|()| Value::Null),
            Some(b't') => self.literal("true").map(|()| Value::Bool(true)),
            Some(b'f') => self.literal("false").map(|()| Value::Bool(false)),
            Some(b'"') => {
                let (value, length) = self.string(key, |text| (Value::from(text), text.len()))?;
                self.count(length)?;
                Ok(value)
            }
            Some(b'[' | b'{') if depth == DEPTH => {
                Err(self.buffer.error(ErrorKind::TooDeep { limit: DEPTH }))
            }
            Some(b'[') => {
                let mut values = Vec::new();
                let mut first = true;
                self.buffer.advance(1);
                while self.next_element(&mut first)? {
                    values.push(self.nested_value(key, any, depth + 1)?);
                }
                Ok(Value::list(values))
            }
            Some(b'{') if any => {
                let mut pairs = Vec::new();
                let mut first = true;
                self.buffer.advance(1);
                while self.next_entry(&mut first)? {
                    let (name, length) = self.any_key(|name| (Value::from(name), name.len()))?;
                    self.count(length + 4 * size_of::<Value>())?;
                    pairs.push(Value::list([name, self.nested_value(key, any, depth + 1)?]));
                }
                pairs.sort_unstable();
                Ok(Value::list(pairs))
            }
            _ => Err(self.wrong_type(key, "null, true, false, a whole number, a string or an array")),
        }
    }

    /// A whole number, negative or not, the value of `key` or within it.
    pub(in crate::read) fn integer(&mut self, key: &'static str) -> Result<i64, Error> {
        let negative = self.peek()? == Some(b'-');
        if !negative && let Some((value, length)) = self.short_number() {
            self.buffer.advance(length);
            return Ok(value);
        }
        let mut length = 0;
        while let Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9') = self.byte(length)? {
            length += 1;
        }
        let written = from_utf8(&self.buffer.ahead()[..length]).unwrap_or_default();
        let digits = written.strip_prefix('-').unwrap_or(written);
        if digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(self.expected("a number without leading zeros"));
        }
        match written.parse() {
            Ok(value) if digits.starts_with(|c: char| c.is_ascii_digit()) => {
                self.buffer.advance(length);
                Ok(value)
            }
            _ if digits.starts_with(|c: char| c.is_ascii_digit()) => {
                let found = quote(written.as_bytes());
                Err(self.buffer.error(ErrorKind::NotAnInteger { what: key, found }))
            }
            _ => Err(self.expected("a number")),
        }
    }

    /// A number of a few digits that is wholly in the buffer, and its length: the usual case.
    #[inline]
    fn short_number(&self) -> Option<(i64, usize)> {
        let ahead = self.buffer.ahead();
        let mut value = 0;
        for (length, &byte) in ahead.iter().enumerate().take(18) {
            match byte {
                b'0'..=b'9' if length == 1 && ahead[0] == b'0' => return None,
                b'0'..=b'9' => value = value * 10 + i64::from(byte - b'0'),
                b',' | b']' | b'}' | b' ' | b'\n' => return Some((value, length)),
                _ => return None,
            }
        }
        None
    }

    /// A number of any size; if it is not whole, its text.
    fn number_or_text(&mut self) -> Result<Value, Error> {
        let length = self.any_number()?;
        let number = from_utf8(&self.buffer.ahead()[..length]).unwrap_or_default();
        let value = number.parse().map_or_else(|_| Value::from(number), Value::Int);
        self.buffer.advance(length);
        Ok(value)
    }
}

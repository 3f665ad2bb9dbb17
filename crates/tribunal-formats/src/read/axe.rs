//! Axe traces: `0: M[1] := 1`, one operation a line; `check` ends a trace.
//!
//! `M[3]` and `v3` are one location, named `M[3]`; threads are named by their numbers. Accesses are relaxed, `sync` is a
//! seq_cst fence, initial values are 0.

use super::buffer::{Buffer, Room};
use super::cursor::{Cursor, Parsed, whole_number};
use super::draft::{Draft, put_number};
use super::split::ends_history;
use crate::{Error, Format, History};
use tribunal_history::memory::{LocId, Op, Order, ThreadId};

/// Reads the traces of an Axe file.
pub(super) struct Reader {
    pub(super) buffer: Buffer,
    trace: Trace,
    /// Whether the end of the history being read is still to come.
    inside: bool,
}

impl Reader {
    pub(super) fn new(buffer: Buffer) -> Self {
        Reader { buffer, trace: Trace::default(), inside: false }
    }

    pub(super) fn next(&mut self) -> Result<Option<History>, Error> {
        self.inside = true;
        loop {
            let room = self.buffer.room();
            let Some((number, line)) = self.buffer.next_line()? else { break };
            match self.trace.line(number, line, room) {
                Ok(false) => self.buffer.hold(self.trace.draft.memory())?,
                Ok(true) => break,
                Err(fault) => {
                    self.inside = !ends_history(Format::Axe, line);
                    return Err(fault.in_line(number, &self.buffer));
                }
            }
        }
        self.inside = false;
        self.trace.name = None;
        let draft = &mut self.trace.draft;
        draft.has_begun().then(|| draft.finish(&self.buffer)).transpose()
    }

    /// Forgets the history being read; says whether its end is still to come.
    pub(super) fn forget(&mut self) -> bool {
        self.trace = Trace::default();
        self.inside
    }
}

/// The trace being read.
#[derive(Default)]
struct Trace {
    /// Begun by the first line that is neither blank nor a comment.
    draft: Draft,
    /// The latest comment before that.
    name: Option<String>,
    /// A name that is not in the trace as it is spelled here.
    spelled: String,
}

impl Trace {
    /// The history, which begins at this line if none has begun.
    fn begun(&mut self, number: u64, room: Room) -> &mut Draft {
        if !self.draft.has_begun() {
            self.draft.begin(number, room);
            if let Some(name) = self.name.take() {
                self.draft.builder.name(name);
            }
        }
        &mut self.draft
    }

    /// Takes a line; true if it ends the trace.
    fn line(&mut self, number: u64, line: &[u8], room: Room) -> Parsed<bool> {
        if let Some((thread, loc, op)) = plain_access(line) {
            let draft = self.begun(number, room);
            let op = Op { loc: draft.location(loc), ..op };
            let thread = draft.thread(thread);
            draft.builder.push(thread, op);
            draft.note_line(number);
            return Ok(false);
        }
        let mut cursor = Cursor::new(line)?;
        if cursor.done() {
            let comment = cursor.rest().trim_start_matches('#').trim();
            if !self.draft.has_begun() && !comment.is_empty() {
                self.name = Some(comment.to_string());
            }
            return Ok(false);
        }
        self.begun(number, room);
        let Trace { draft, spelled, .. } = self;
        if cursor.peek().is_some_and(|b| b.is_ascii_digit()) {
            let thread = thread(&mut cursor, draft, spelled)?;
            cursor.expect(":", "`:` after the thread's number")?;
            let op = operation(&mut cursor, draft, spelled)?;
            let slot = draft.builder.push(thread, op);
            if let Some(interval) = cursor.times()? {
                draft.builder.interval(slot, interval);
            }
            cursor.expect_done("`@` or the end of the line")?;
            draft.note_line(number);
            return Ok(false);
        }
        if cursor.eat_word("check") {
            cursor.expect_done("the end of the line after `check`")?;
            return Ok(true);
        }
        if !cursor.eat_word("final") {
            return Err(cursor.expected("a thread's number, `final`, `check` or a comment"));
        }
        let loc = location(&mut cursor, draft, spelled)?;
        cursor.expect("==", "`==` and the final value")?;
        draft.builder.final_value(loc, cursor.number("the final value")?);
        cursor.expect_done("the end of the line after the final value")?;
        Ok(false)
    }
}

/// `M[1] := 2`, `M[1] == 2`, `< M[1] == 2; M[1] := 3 >`, `{ ... }` or `sync`.
#[inline]
pub(super) fn operation(cursor: &mut Cursor<'_>, draft: &mut Draft, spelled: &mut String) -> Parsed<Op> {
    cursor.skip_blanks();
    match cursor.peek() {
        Some(b'M' | b'v') => {
            let loc = location(cursor, draft, spelled)?;
            if cursor.eat(":=") {
                Ok(Op::write(loc, cursor.number("the value written")?))
            } else if cursor.eat("==") {
                Ok(Op::read(loc, cursor.number("the value read")?))
            } else {
                Err(cursor.expected("`:=` or `==`"))
            }
        }
        Some(open @ (b'<' | b'{')) => {
            cursor.eat(if open == b'<' { "<" } else { "{" });
            let loc = location(cursor, draft, spelled)?;
            cursor.expect("==", "`==` and the value read")?;
            let read = cursor.number("the value read")?;
            cursor.expect(";", "`;` between load and store")?;
            cursor.skip_blanks();
            let second = *cursor;
            if location(cursor, draft, spelled)? != loc {
                return Err(second.expected("the location that was read"));
            }
            cursor.expect(":=", "`:=` and the value written")?;
            let value = cursor.number("the value written")?;
            if open == b'<' {
                cursor.expect(">", "`>`")?;
            } else {
                cursor.expect("}", "`}`")?;
            }
            Ok(Op::rmw(loc, read, value))
        }
        _ if cursor.eat_word("sync") => Ok(Op::fence(Order::SeqCst)),
        _ => {
            Err(cursor
                .expected("an operation: `M[1] := 2`, `M[1] == 2`, `{ M[1] == 2; M[1] := 3 }` or `sync`"))
        }
    }
}

/// A thread's number; its name is that number without leading zeros.
#[inline]
pub(super) fn thread(cursor: &mut Cursor<'_>, draft: &mut Draft, spelled: &mut String) -> Parsed<ThreadId> {
    let before = *cursor;
    let number = cursor.number("a thread's number")?;
    let digits = cursor.since(before);
    if digits.len() == 1 || digits[0] != b'0' {
        return Ok(draft.thread(digits));
    }
    spelled.clear();
    put_number(spelled, number);
    Ok(draft.builder.thread(spelled))
}

/// `M[3]` or `v3`.
#[inline]
fn location(cursor: &mut Cursor<'_>, draft: &mut Draft, spelled: &mut String) -> Parsed<LocId> {
    cursor.skip_blanks();
    if let Some(name) = cursor.pass(plain_location) {
        return Ok(draft.location(name));
    }
    let number = if cursor.eat("M") {
        cursor.expect("[", "`[` after `M`")?;
        let number = cursor.number("an address")?;
        cursor.expect("]", "`]` after the address")?;
        number
    } else if cursor.eat("v") {
        cursor.number("a variable's number")?
    } else {
        return Err(cursor.expected("a location: `M[3]` or `v3`"));
    };
    spelled.clear();
    spelled.push_str("M[");
    put_number(spelled, number);
    spelled.push(']');
    Ok(draft.builder.location(spelled))
}

/// A line that is a load or a store as this crate writes it, `0: M[1] := 2`: its thread's and its location's names, and what it does.
#[inline(always)]
pub(super) fn plain_access(line: &[u8]) -> Option<(&[u8], &[u8], Op)> {
    let (thread, rest) = plain_digits(line)?;
    let (loc, rest) = plain_location(rest.strip_prefix(b": ")?)?;
    let (operator, rest) = rest.split_first_chunk()?;
    let (value, rest) = whole_number(rest)?;
    let op = match operator {
        b" := " => Op::write(LocId(0), value),
        b" == " => Op::read(LocId(0), value),
        _ => return None,
    };
    rest.is_empty().then_some((thread, loc, op))
}

/// A location that is spelled as its name is, without blanks or leading zeros, and what is after it.
#[inline(always)]
fn plain_location(next: &[u8]) -> Option<(&[u8], &[u8])> {
    let (digits, rest) = plain_digits(next.strip_prefix(b"M[")?)?;
    let rest = rest.strip_prefix(b"]")?;
    Some((&next[..b"M[]".len() + digits.len()], rest))
}

/// A number that fits, spelled without leading zeros, and what is after it.
#[inline(always)]
fn plain_digits(next: &[u8]) -> Option<(&[u8], &[u8])> {
    let count = next.iter().position(|byte| !byte.is_ascii_digit())?;
    let plain = count == 1 || (2..20).contains(&count) && next[0] != b'0';
    plain.then(|| next.split_at(count))
}

//! Axe traces: `0: M[1] := 1`, one operation a line; `check` ends a trace.
//!
//! `M[3]` and `v3` are one location, named `M[3]`; threads are named by their numbers. Accesses are relaxed, `sync` is a
//! seq_cst fence, initial values are 0.

use super::buffer::{Buffer, Room};
use super::cursor::{Cursor, Parsed};
use super::draft::Draft;
use super::split::ends_history;
use crate::{Error, Format, History};
use rustc_hash::FxHashMap;
use tribunal::growth::Growth;
use tribunal::memory::{ExecutionBuilder, LocId, Op, Order, ThreadId};

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
                Ok(false) => self.buffer.hold(self.trace.memory())?,
                Ok(true) => break,
                Err(fault) => {
                    self.inside = !ends_history(Format::Axe, line);
                    return Err(fault.in_line(number, &self.buffer));
                }
            }
        }
        self.inside = false;
        let trace = std::mem::take(&mut self.trace);
        trace.draft.map(|draft| draft.finish(&self.buffer)).transpose()
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
    draft: Option<Draft>,
    /// The latest comment before that.
    name: Option<String>,
    threads: Numbered<ThreadId>,
    locs: Numbered<LocId>,
}

impl Trace {
    /// How many bytes the trace takes at most.
    fn memory(&self) -> usize {
        let names = self.threads.growth.peak() + self.locs.growth.peak();
        names + self.draft.as_ref().map_or(0, Draft::memory)
    }

    /// Takes a line; true if it ends the trace.
    fn line(&mut self, number: u64, line: &[u8], room: Room) -> Parsed<bool> {
        let mut cursor = Cursor::new(line)?;
        if cursor.done() {
            let comment = cursor.rest().trim_start_matches('#').trim();
            if self.draft.is_none() && !comment.is_empty() {
                self.name = Some(comment.to_string());
            }
            return Ok(false);
        }
        let draft = self.draft.get_or_insert_with(|| {
            let mut draft = Draft::new(number, room);
            if let Some(name) = self.name.take() {
                draft.builder.name(name);
            }
            draft
        });
        let builder = &mut draft.builder;
        if cursor.peek().is_some_and(|b| b.is_ascii_digit()) {
            let thread = cursor.number("a thread's number")?;
            let thread = self.threads.id(thread, |n| builder.thread(&n.to_string()));
            cursor.expect(":", "`:` after the thread's number")?;
            let op = self.locs.operation(&mut cursor, builder)?;
            let slot = builder.push(thread, op);
            if let Some(interval) = cursor.times()? {
                builder.interval(slot, interval);
            }
            cursor.expect_done("`@` or the end of the line")?;
            draft.note_line(slot, number);
            return Ok(false);
        }
        if cursor.eat_word("check") {
            cursor.expect_done("the end of the line after `check`")?;
            return Ok(true);
        }
        if !cursor.eat_word("final") {
            return Err(cursor.expected("a thread's number, `final`, `check` or a comment"));
        }
        let loc = self.locs.location(&mut cursor, builder)?;
        cursor.expect("==", "`==` and the final value")?;
        builder.final_value(loc, cursor.number("the final value")?);
        cursor.expect_done("the end of the line after the final value")?;
        Ok(false)
    }
}

impl Numbered<LocId> {
    /// `M[1] := 2`, `M[1] == 2`, `< M[1] == 2; M[1] := 3 >`, `{ ... }` or `sync`.
    #[inline]
    fn operation(&mut self, cursor: &mut Cursor<'_>, builder: &mut ExecutionBuilder) -> Parsed<Op> {
        cursor.skip_blanks();
        match cursor.peek() {
            Some(b'M' | b'v') => {
                let loc = self.location(cursor, builder)?;
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
                let loc = self.location(cursor, builder)?;
                cursor.expect("==", "`==` and the value read")?;
                let read = cursor.number("the value read")?;
                cursor.expect(";", "`;` between load and store")?;
                cursor.skip_blanks();
                let second = *cursor;
                if self.location(cursor, builder)? != loc {
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
            _ => Err(cursor
                .expected("an operation: `M[1] := 2`, `M[1] == 2`, `{ M[1] == 2; M[1] := 3 }` or `sync`")),
        }
    }

    /// `M[3]` or `v3`.
    #[inline]
    fn location(&mut self, cursor: &mut Cursor<'_>, builder: &mut ExecutionBuilder) -> Parsed<LocId> {
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
        Ok(self.id(number, |n| builder.location(&format!("M[{n}]"))))
    }
}

/// Numbers below this are looked up in a table.
const SMALL: u64 = 1 << 12;

/// The ids of things that a trace names by number.
struct Numbered<T> {
    small: Vec<Option<T>>,
    large: FxHashMap<u64, T>,
    growth: Growth,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Numbered { small: Vec::new(), large: FxHashMap::default(), growth: Growth::default() }
    }
}

impl<T: Copy> Numbered<T> {
    /// The id of a number; `make` makes it at the number's first use.
    #[inline(always)]
    fn id(&mut self, number: u64, make: impl FnOnce(u64) -> T) -> T {
        if let Some(&Some(id)) = self.small.get(number as usize) {
            return id;
        }
        self.rare(number, make)
    }

    #[cold]
    fn rare(&mut self, number: u64, make: impl FnOnce(u64) -> T) -> T {
        if number >= SMALL {
            if let Some(&id) = self.large.get(&number) {
                return id;
            }
            let id = make(number);
            self.growth.insert(&mut self.large, number, id);
            return id;
        }
        let i = number as usize;
        if self.small.len() <= i {
            self.small.resize(i + 1, None);
        }
        *self.small[i].insert(make(number))
    }
}

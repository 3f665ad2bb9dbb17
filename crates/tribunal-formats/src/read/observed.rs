//! The events of a memory one by one, as a monitor needs them.

use super::axe;
use super::buffer::Buffer;
use super::cursor::{Cursor, Fault, Parsed};
use super::draft::Draft;
use super::json::memory::{self as json, flat_line};
use super::text;
use crate::certificate::parse;
use crate::error::quote;
use crate::{Error, ErrorKind, Format};
use serde_json::{Map, Value};
use std::collections::VecDeque;
use tribunal_history::memory::{Kind, LocId, Op, Order, Slot, Source, ThreadId};

/// An observation of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observed {
    /// A new thread; threads are numbered from 0.
    Thread(String),
    /// A new location with its initial value; locations are numbered from 0.
    Location(String, u64),
    /// The next event of a thread.
    Event {
        /// Its line, from 1.
        line: u64,
        /// Its thread.
        thread: ThreadId,
        /// The operation.
        op: Op,
    },
    /// The execution ends. Threads and locations of the next one are numbered from 0 again.
    End,
}

/// The events of a memory, each as soon as its line has arrived; made by [`observations`](crate::observations).
///
/// An unterminated last line is accepted if it is complete JSON; otherwise it is [dropped](Self::left_out), since more of it might have
/// followed. The iterator ends after the first error.
///
/// ```
/// use tribunal::memory::{LocId, Op, ThreadId};
/// use tribunal_formats::{Observed, observations};
/// let mut observed = observations("T0: W x 1\nT0: W x 1".as_bytes(), "-", None)?;
/// assert_eq!(observed.next().expect("a thread")?, Observed::Thread("T0".into()));
/// assert_eq!(observed.next().expect("a location")?, Observed::Location("x".into(), 0));
/// let event = Observed::Event { line: 1, thread: ThreadId(0), op: Op::write(LocId(0), 1) };
/// assert_eq!(observed.next().expect("an event")?, event);
/// assert!(observed.next().is_none() && observed.left_out());
/// # Ok::<(), tribunal_formats::Error>(())
/// ```
pub struct Observations {
    buffer: Buffer,
    format: Format,
    sheet: Sheet,
    left_out: bool,
    ended: bool,
}

/// The part of an execution that has been read.
#[derive(Default)]
struct Sheet {
    /// Has the names, and no events.
    names: Draft,
    /// The number of threads and of locations that have been given.
    threads: u32,
    locations: u32,
    /// The events to be given next.
    ahead: VecDeque<Observed>,
    deps: Vec<u32>,
    /// A name that is not in the line as it is spelled here.
    spelled: String,
}

impl Observations {
    pub(super) fn new(buffer: Buffer, format: Format) -> Self {
        let mut sheet = Sheet::default();
        sheet.names.begin(1, buffer.room());
        Observations { buffer, format, sheet, left_out: false, ended: false }
    }

    /// Whether the last line was unterminated and dropped.
    pub fn left_out(&self) -> bool {
        self.left_out
    }

    /// Reads lines until there is something to give; false at the end.
    fn read(&mut self) -> Result<bool, Error> {
        while self.sheet.ahead.is_empty() {
            let Some((number, line)) = self.buffer.next_whole_line()? else { return self.rest() };
            let taken = match self.format {
                Format::Text => self.sheet.text(number, line),
                Format::Axe => self.sheet.axe(number, line),
                _ => self.sheet.json(number, line),
            };
            taken.map_err(|fault| fault.in_line(number, &self.buffer))?;
            self.buffer.hold(self.sheet.names.memory())?;
        }
        Ok(true)
    }

    /// What is left has no line end.
    fn rest(&mut self) -> Result<bool, Error> {
        let Some((number, line)) = self.buffer.next_line()? else { return Ok(false) };
        let complete = self.format == Format::Json && self.sheet.json(number, line).is_ok();
        self.left_out = !complete && !line.trim_ascii().is_empty();
        Ok(!self.sheet.ahead.is_empty())
    }
}

impl Iterator for Observations {
    type Item = Result<Observed, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.sheet.ahead.is_empty() {
            if self.ended {
                return None;
            }
            match self.read() {
                Ok(more) => self.ended = !more,
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
            }
        }
        self.sheet.ahead.pop_front().map(Ok)
    }
}

impl Sheet {
    /// An event, with the names that are new in it.
    #[inline]
    fn event(&mut self, line: u64, thread: ThreadId, op: Op) {
        self.thread(thread);
        if let Source::At(source) = op.source {
            self.thread(source.thread);
        }
        if op.kind != Kind::Fence {
            self.location(op.loc, 0);
        }
        self.ahead.push_back(Observed::Event { line, thread, op });
    }

    /// Gives the names of threads up to this one that are new.
    #[inline]
    fn thread(&mut self, thread: ThreadId) {
        while self.threads <= thread.0 {
            let name = self.names.builder.thread_name(ThreadId(self.threads)).to_string();
            self.ahead.push_back(Observed::Thread(name));
            self.threads += 1;
        }
    }

    /// Gives the name of a location, and those before it, if it is new; false if it is not.
    #[inline]
    fn location(&mut self, loc: LocId, init: u64) -> bool {
        let new = self.locations <= loc.0;
        while self.locations <= loc.0 {
            let name = self.names.builder.location_name(LocId(self.locations)).to_string();
            let init = if self.locations == loc.0 { init } else { 0 };
            self.ahead.push_back(Observed::Location(name, init));
            self.locations += 1;
        }
        new
    }

    /// Another execution begins.
    fn end(&mut self) {
        let room = self.names.room();
        let ahead = std::mem::take(&mut self.ahead);
        *self = Sheet { ahead, ..Sheet::default() };
        self.names.begin(1, room);
        self.ahead.push_back(Observed::End);
    }

    /// A line of the text form.
    fn text(&mut self, number: u64, line: &[u8]) -> Parsed<()> {
        let mut cursor = Cursor::new(line)?;
        if cursor.done() {
            return Ok(());
        }
        if line.trim_ascii().starts_with(b"---") {
            self.end();
            return Ok(());
        }
        let head = match cursor.pass(text::plain_head) {
            Some(head) => head,
            None => {
                let head = cursor.name("a thread's name and `:`")?;
                cursor.expect(":", "`:` after the thread's name")?;
                head
            }
        };
        match head {
            b"name" | b"expect" => {}
            b"threads" => {
                while !cursor.done() {
                    let thread = self.names.thread(cursor.name("a thread's name")?);
                    self.thread(thread);
                    cursor.eat(",");
                }
            }
            b"init" => {
                while !cursor.done() {
                    let before = cursor;
                    let (loc, value) = text::assignment(&mut cursor)?;
                    let id = self.names.location(loc);
                    if !self.location(id, value) {
                        return Err(late(before.at(), loc));
                    }
                }
            }
            b"final" => return Err(Fault::new(0, ErrorKind::Misplaced { what: "final" })),
            thread => {
                let thread = self.names.thread(thread);
                while !cursor.done() {
                    let (op, _) = text::operation(&mut cursor, &mut self.names, &mut self.deps)?;
                    atomic(&op, cursor.at())?;
                    self.event(number, thread, op);
                    if cursor.peek().is_none() {
                        break;
                    }
                    if !cursor.eat(";") {
                        cursor.expect_done("`;` or the end of the line")?;
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// A line of an Axe trace.
    fn axe(&mut self, number: u64, line: &[u8]) -> Parsed<()> {
        if let Some((thread, loc, op)) = axe::plain_access(line) {
            let op = Op { loc: self.names.location(loc), ..op };
            let thread = self.names.thread(thread);
            self.event(number, thread, op);
            return Ok(());
        }
        let mut cursor = Cursor::new(line)?;
        if cursor.done() {
            return Ok(());
        }
        if cursor.eat_word("check") {
            cursor.expect_done("the end of the line after `check`")?;
            self.end();
            return Ok(());
        }
        if cursor.eat_word("final") {
            return Err(Fault::new(0, ErrorKind::Misplaced { what: "final" }));
        }
        let thread = axe::thread(&mut cursor, &mut self.names, &mut self.spelled)?;
        cursor.expect(":", "`:` after the thread's number")?;
        let op = axe::operation(&mut cursor, &mut self.names, &mut self.spelled)?;
        cursor.times()?;
        cursor.expect_done("`@` or the end of the line")?;
        self.event(number, thread, op);
        Ok(())
    }

    /// A line of JSON: an event, or threads and initial values, or the end.
    fn json(&mut self, number: u64, line: &[u8]) -> Parsed<()> {
        let cursor = Cursor::new(line)?;
        if let Some((thread, loc, op)) = flat_line(line) {
            atomic(&op, 0)?;
            let op = loc.map_or(op, |loc| Op { loc: self.names.location(loc), ..op });
            let thread = self.names.thread(thread);
            self.event(number, thread, op);
            return Ok(());
        }
        let text = cursor.rest().trim();
        if text.is_empty() {
            return Ok(());
        }
        /// A line of an event is short.
        const LONGEST: usize = 1 << 20;
        let json = parse(text, LONGEST).map_err(|error| {
            let found = quote(text.as_bytes());
            Fault::new(error.column().saturating_sub(1), syntax("an event as JSON", found))
        })?;
        let Value::Object(object) = &json else {
            return Err(Fault::new(0, syntax("`{` and an event", quote(text.as_bytes()))));
        };
        if object.contains_key("op") {
            let (thread, op) = self.json_event(object)?;
            atomic(&op, 0)?;
            self.event(number, thread, op);
            return Ok(());
        }
        if object.get("end") == Some(&Value::Bool(true)) {
            self.end();
            return Ok(());
        }
        if !object.contains_key("threads") && !object.contains_key("init") {
            return Err(missing("op"));
        }
        for thread in object.get("threads").and_then(Value::as_array).into_iter().flatten() {
            let thread = self.json_thread(thread)?;
            self.thread(thread);
        }
        for (loc, value) in object.get("init").and_then(Value::as_object).into_iter().flatten() {
            let value = value.as_u64().ok_or_else(|| wrong("an initial value", value))?;
            let id = self.names.builder.location(loc);
            if !self.location(id, value) {
                return Err(late(0, loc.as_bytes()));
            }
        }
        Ok(())
    }

    fn json_event(&mut self, object: &Map<String, Value>) -> Parsed<(ThreadId, Op)> {
        let get = |key: &'static str| object.get(key).ok_or_else(|| missing(key));
        let number = |key: &'static str| {
            let json = get(key)?;
            json.as_u64().ok_or_else(|| wrong("a whole number", json))
        };
        let thread = self.json_thread(get("thread")?)?;
        let kind = get("op")?;
        let kind = kind
            .as_str()
            .and_then(|word| json::operation(word.as_bytes()))
            .ok_or_else(|| wrong("read, write, rmw or fence", kind))?;
        let order = match object.get("order") {
            None if kind == Kind::Fence => return Err(missing("order")),
            None => Order::Relaxed,
            Some(order) => order
                .as_str()
                .and_then(|word| json::order(word.as_bytes()))
                .ok_or_else(|| wrong("na, relaxed, acquire, release, acq_rel or seq_cst", order))?,
        };
        if kind == Kind::Fence {
            return Ok((thread, Op::fence(order)));
        }
        let loc = get("loc")?;
        let loc = loc.as_str().ok_or_else(|| wrong("a location's name", loc))?;
        let loc = self.names.builder.location(loc);
        let op = match kind {
            Kind::Write => Op::write(loc, number("value")?),
            Kind::Rmw => Op::rmw(loc, number("read")?, number("value")?),
            _ => Op::read(loc, number("value")?),
        };
        let source = match object.get("from") {
            None | Some(Value::Null) => Source::ByValue,
            Some(_) if kind == Kind::Write => {
                return Err(Fault::new(0, ErrorKind::Misplaced { what: "from" }));
            }
            Some(Value::String(init)) if init == "init" => Source::Init,
            Some(from) => {
                let pair = from.as_array().map(Vec::as_slice);
                let Some([thread, index]) = pair else {
                    return Err(wrong("init, or a thread and an index", from));
                };
                let index = index.as_u64().and_then(|index| u32::try_from(index).ok());
                let index = index.ok_or_else(|| wrong("init, or a thread and an index", from))?;
                Source::At(Slot { thread: self.json_thread(thread)?, index })
            }
        };
        Ok((thread, op.order(order).from(source)))
    }

    /// A thread by its name; a number n is the thread called `Tn`.
    fn json_thread(&mut self, json: &Value) -> Parsed<ThreadId> {
        match json {
            Value::String(name) => Ok(self.names.builder.thread(name)),
            Value::Number(number) if number.is_u64() => Ok(self.names.builder.thread(&format!("T{number}"))),
            _ => Err(wrong("a thread's name or number", json)),
        }
    }
}

/// An RMW is atomic, and a fence has an order.
#[inline]
fn atomic(op: &Op, at: usize) -> Parsed<()> {
    match op.kind {
        Kind::Rmw if !op.order.is_atomic() => {
            Err(Fault::new(at, syntax("an order of an RMW, which is atomic", "`na`".into())))
        }
        Kind::Fence if !Order::OF_FENCES.contains(&op.order) => {
            let found = format!("`{}`", op.order.name());
            Err(Fault::new(at, syntax("an order of a fence: acquire, release, acq_rel or seq_cst", found)))
        }
        _ => Ok(()),
    }
}

fn syntax(expected: &'static str, found: String) -> ErrorKind {
    ErrorKind::Syntax { expected, found }
}

fn missing(key: &'static str) -> Box<Fault> {
    Fault::new(0, ErrorKind::MissingKey { key, object: "the event" })
}

fn wrong(expected: &'static str, found: &Value) -> Box<Fault> {
    Fault::new(0, syntax(expected, format!("`{}`", quote(found.to_string().as_bytes()))))
}

/// An initial value that comes after the location's first event, or twice.
fn late(at: usize, loc: &[u8]) -> Box<Fault> {
    let found = format!("one of `{}`, which has been named", quote(loc));
    Fault::new(at, syntax("initial values before events", found))
}

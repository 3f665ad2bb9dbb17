//! Memory executions in native JSON.

use super::Reader;
use crate::read::draft::Draft;
use crate::read::keys::{Seen, keys};
use crate::{Error, ErrorKind};
use tribunal::growth::Growth;
use tribunal::memory::{Interval, Kind, LocId, Op, Order, Slot, Source, ThreadId};

/// The events of the thread being read. They wait here until the thread's name is known: it may come after them, as it
/// does in files with sorted keys.
#[derive(Default)]
pub(super) struct Column {
    ops: Vec<Op>,
    lines: Vec<u64>,
    deps: Vec<(u32, u32)>,
    times: Vec<(u32, Interval)>,
    growth: Growth,
}

impl Column {
    /// How many bytes the events take at most, here and in the draft that they are moved to.
    fn memory(&self) -> usize {
        const MOVED: usize = 160;
        self.growth.peak() + MOVED * self.ops.len()
    }

    fn move_to(&mut self, draft: &mut Draft, thread: ThreadId) {
        draft.builder.reserve(thread, self.ops.len());
        for (op, line) in self.ops.drain(..).zip(self.lines.drain(..)) {
            let slot = draft.builder.push(thread, op);
            draft.note_line(slot, line);
        }
        for (index, on) in self.deps.drain(..) {
            draft.builder.depends(Slot { thread, index }, on);
        }
        for (index, interval) in self.times.drain(..) {
            draft.builder.interval(Slot { thread, index }, interval);
        }
    }
}

/// What a reader keeps for the next history, in bytes.
const KEPT: usize = 64 << 10;

keys!(ThreadKey { Name = "name", Events = "events" });
keys!(EventKey {
    Op = "op",
    Loc = "loc",
    Value = "value",
    Read = "read",
    Order = "order",
    From = "from",
    Deps = "deps",
    Begin = "begin",
    End = "end",
});

impl Reader {
    pub(super) fn init(&mut self, draft: &mut Draft) -> Result<(), Error> {
        if self.pull.eat_null()? {
            return Ok(());
        }
        let mut first = true;
        self.pull.open_object("init")?;
        while self.pull.next_entry(&mut first)? {
            self.pull.peek()?;
            let place = self.pull.place();
            let (loc, name) = self.pull.any_key(|name| (draft.builder.location(name), name.to_string()))?;
            let value = self.pull.number("init")?;
            if !draft.init(loc, value) {
                return Err(self.pull.error_at(place, ErrorKind::DuplicateInit { loc: name }));
            }
            self.pull.hold(draft.memory())?;
        }
        Ok(())
    }

    pub(super) fn finals(&mut self, draft: &mut Draft) -> Result<(), Error> {
        if self.pull.eat_null()? {
            return Ok(());
        }
        let mut first = true;
        self.pull.open_object("final")?;
        while self.pull.next_entry(&mut first)? {
            let loc = self.pull.any_key(|name| draft.builder.location(name))?;
            let value = self.pull.number("final")?;
            draft.builder.final_value(loc, value);
            self.pull.hold(draft.memory())?;
        }
        Ok(())
    }

    pub(super) fn threads(&mut self, draft: &mut Draft) -> Result<(), Error> {
        let mut first = true;
        let mut position = 0;
        self.pull.open_array("threads")?;
        while self.pull.next_element(&mut first)? {
            self.thread(draft, position)?;
            position += 1;
        }
        // Building the execution takes its own room; a little is kept for the next history.
        if self.column.growth.peak() > KEPT {
            self.column = Column::default();
        }
        Ok(())
    }

    fn thread(&mut self, draft: &mut Draft, position: u32) -> Result<(), Error> {
        self.pull.peek()?;
        let place = self.pull.place();
        let mut name = None;
        let mut seen = Seen::default();
        let mut first = true;
        self.pull.open_object("threads")?;
        while self.pull.next_entry(&mut first)? {
            let Some(key) = self.pull.key(ThreadKey::of)? else {
                self.pull.skip()?;
                continue;
            };
            self.note(&mut seen, key.bit(), key.text())?;
            match key {
                ThreadKey::Name => {
                    if !self.pull.eat_null()? {
                        name = Some(self.pull.string("name", str::to_string)?);
                    }
                }
                ThreadKey::Events => {
                    let mut first = true;
                    self.pull.open_array("events")?;
                    while self.pull.next_element(&mut first)? {
                        if !self.plain_event(draft)? {
                            self.event(draft)?;
                        }
                    }
                }
            }
        }
        if !seen.has(ThreadKey::Events.bit()) {
            let kind = ErrorKind::MissingKey { key: "events", object: "the thread" };
            return Err(self.pull.error_at(place, kind));
        }
        let name = name.unwrap_or_else(|| format!("T{position}"));
        let thread = draft.builder.thread(&name);
        // The builder knows threads by name: an old id means that the name is not new.
        if thread.0 != position {
            return Err(self.pull.error_at(place, ErrorKind::DuplicateThread { name }));
        }
        self.column.move_to(draft, thread);
        self.pull.hold(draft.memory() + self.column.memory())
    }

    /// Reads an event as this crate writes most: without white space, escapes or other keys than op, loc, read, value and
    /// order. False, and nothing is read, if the next event is another or not all there.
    #[inline]
    fn plain_event(&mut self, draft: &mut Draft) -> Result<bool, Error> {
        let Some((plain, length)) = Plain::of(self.pull.buffer().ahead()) else { return Ok(false) };
        let Plain { mut op, seen, loc } = plain;
        if lacking(seen, &op).is_some() {
            return Ok(false);
        }
        if let Some(loc) = loc {
            op.loc = draft.builder.location(loc);
        }
        let line = self.pull.place().line;
        self.column.growth.push(&mut self.column.lines, line);
        self.column.growth.push(&mut self.column.ops, op);
        self.pull.advance(length);
        self.pull.hold(draft.memory() + self.column.memory())?;
        Ok(true)
    }

    fn event(&mut self, draft: &mut Draft) -> Result<(), Error> {
        self.pull.peek()?;
        let place = self.pull.place();
        let index = self.column.ops.len() as u32;
        self.column.growth.push(&mut self.column.lines, place.line);
        let mut op = Op::read(LocId(0), 0);
        let mut interval = Interval::default();
        let mut seen = Seen::default();
        let mut first = true;
        self.pull.open_object("events")?;
        while self.pull.next_entry(&mut first)? {
            let Some(key) = self.pull.key(EventKey::of)? else {
                self.pull.skip()?;
                continue;
            };
            self.note(&mut seen, key.bit(), key.text())?;
            match key {
                EventKey::Op => op.kind = self.pull.word("op", "read, write, rmw or fence", operation)?,
                EventKey::Loc => op.loc = self.pull.string("loc", |name| draft.builder.location(name))?,
                EventKey::Value => op.value = self.pull.number("value")?,
                EventKey::Read => op.read = self.pull.number("read")?,
                EventKey::Order => {
                    op.order =
                        self.pull.word("order", "relaxed, acquire, release, acq_rel or seq_cst", order)?;
                }
                EventKey::From => op.source = self.source()?,
                EventKey::Deps => self.deps(index)?,
                EventKey::Begin => interval.begin = self.pull.time("begin")?,
                EventKey::End => interval.end = self.pull.time("end")?,
            }
        }
        if let Some(kind) = lacking(seen, &op) {
            return Err(self.pull.error_at(place, kind));
        }
        if interval != Interval::default() {
            self.column.growth.push(&mut self.column.times, (index, interval));
        }
        self.column.growth.push(&mut self.column.ops, op);
        self.pull.hold(draft.memory() + self.column.memory())
    }

    fn source(&mut self) -> Result<Source, Error> {
        if self.pull.eat_null()? {
            return Ok(Source::ByValue);
        }
        if self.pull.peek()? == Some(b'"') {
            return self.pull.word("from", "init", |word| (word == b"init").then_some(Source::Init));
        }
        let [thread, index] = self.pull.pair("from", |pull| pull.index("from"))?;
        Ok(Source::At(Slot { thread: ThreadId(thread), index }))
    }

    fn deps(&mut self, index: u32) -> Result<(), Error> {
        if self.pull.eat_null()? {
            return Ok(());
        }
        let mut first = true;
        self.pull.open_array("deps")?;
        while self.pull.next_element(&mut first)? {
            let on = self.pull.index("deps")?;
            self.column.growth.push(&mut self.column.deps, (index, on));
            self.pull.buffer().within(2 * self.column.growth.peak())?;
        }
        Ok(())
    }
}

/// An event without anything unusual.
struct Plain<'a> {
    op: Op,
    seen: Seen,
    loc: Option<&'a str>,
}

impl<'a> Plain<'a> {
    /// The event that these bytes begin with, if it is all there, and its length.
    #[inline]
    fn of(bytes: &'a [u8]) -> Option<(Self, usize)> {
        let mut plain = Plain { op: Op::read(LocId(0), 0), seen: Seen::default(), loc: None };
        let mut rest = bytes.strip_prefix(b"{")?;
        loop {
            let key;
            (key, rest) = match rest.get(1)? {
                b'v' => (EventKey::Value, rest.strip_prefix(b"\"value\":")?),
                b'l' => (EventKey::Loc, rest.strip_prefix(b"\"loc\":\"")?),
                b'r' => (EventKey::Read, rest.strip_prefix(b"\"read\":")?),
                b'o' if *rest.get(2)? == b'p' => (EventKey::Op, rest.strip_prefix(b"\"op\":\"")?),
                b'o' => (EventKey::Order, rest.strip_prefix(b"\"order\":\"")?),
                _ => return None,
            };
            if !plain.seen.add(key.bit()) {
                return None;
            }
            match key {
                EventKey::Value => (plain.op.value, rest) = whole_number(rest)?,
                EventKey::Read => (plain.op.read, rest) = whole_number(rest)?,
                EventKey::Loc => {
                    let loc;
                    (loc, rest) = plain_string(rest)?;
                    plain.loc = Some(std::str::from_utf8(loc).ok()?);
                }
                EventKey::Op => {
                    let word;
                    (word, rest) = plain_string(rest)?;
                    plain.op.kind = operation(word)?;
                }
                _ => {
                    let word;
                    (word, rest) = plain_string(rest)?;
                    plain.op.order = order(word)?;
                }
            }
            match rest.split_first()? {
                (b',', more) => rest = more,
                (b'}', more) => return Some((plain, bytes.len() - more.len())),
                _ => return None,
            }
        }
    }
}

/// A string up to its closing quote, and what is after that; none if there are escapes in it, or no end.
#[inline(always)]
fn plain_string(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|&b| b < b' ' || b == b'"' || b == b'\\')?;
    (bytes[end] == b'"').then(|| (&bytes[..end], &bytes[end + 1..]))
}

/// A number of at most 19 digits, which fits, and what is after it.
#[inline(always)]
fn whole_number(bytes: &[u8]) -> Option<(u64, &[u8])> {
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

/// What an event lacks, or has though it makes no sense.
#[inline(always)]
fn lacking(seen: Seen, op: &Op) -> Option<ErrorKind> {
    use EventKey::{From, Loc, Order, Read, Value};
    let required: &[EventKey] = match op.kind {
        _ if !seen.has(EventKey::Op.bit()) => &[EventKey::Op],
        Kind::Read | Kind::Write => &[Loc, Value],
        Kind::Rmw => &[Loc, Read, Value],
        Kind::Fence => &[Order],
    };
    for key in required {
        if !seen.has(key.bit()) {
            return Some(ErrorKind::MissingKey { key: key.text(), object: "the event" });
        }
    }
    let reads = matches!(op.kind, Kind::Read | Kind::Rmw);
    (op.source != Source::ByValue && !reads).then_some(ErrorKind::Misplaced { what: From.text() })
}

#[inline(always)]
fn operation(word: &[u8]) -> Option<Kind> {
    match word {
        b"read" => Some(Kind::Read),
        b"write" => Some(Kind::Write),
        b"rmw" => Some(Kind::Rmw),
        b"fence" => Some(Kind::Fence),
        _ => None,
    }
}

#[inline(always)]
fn order(word: &[u8]) -> Option<Order> {
    match word {
        b"relaxed" => Some(Order::Relaxed),
        b"acquire" => Some(Order::Acquire),
        b"release" => Some(Order::Release),
        b"acq_rel" => Some(Order::AcqRel),
        b"seq_cst" => Some(Order::SeqCst),
        _ => None,
    }
}

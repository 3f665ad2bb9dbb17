//! Memory executions in native JSON.

use super::Reader;
use crate::read::cursor::whole_number;
use crate::read::draft::{DEPENDENCY, Draft, put_number};
use crate::read::keys::{Seen, keys};
use crate::{Error, ErrorKind};
use tribunal_history::memory::{Interval, Kind, LocId, Op, Order, Slot, Source, ThreadId};

/// The parts of the thread being read that wait for the rest of it; kept for its room.
#[derive(Default)]
pub(super) struct Waiting {
    /// The thread's name.
    name: String,
    /// The dependencies of the event being read.
    deps: Vec<u32>,
}

/// Room that is kept for the next history.
const KEPT: usize = 1 << 10;

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
        // Building takes its own room.
        if self.waiting.name.capacity() + self.waiting.deps.capacity() > KEPT {
            self.waiting = Waiting::default();
        }
        Ok(())
    }

    fn thread(&mut self, draft: &mut Draft, position: u32) -> Result<(), Error> {
        self.pull.peek()?;
        let place = self.pull.place();
        // The name may come after the events, as it does in files with sorted keys.
        let thread = draft.builder.next_thread();
        let mut named = false;
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
                        let name = &mut self.waiting.name;
                        name.clear();
                        self.pull.string("name", |text| name.push_str(text))?;
                        named = true;
                    }
                }
                ThreadKey::Events => {
                    let mut first = true;
                    self.pull.open_array("events")?;
                    while self.pull.next_element(&mut first)? {
                        if !self.flat_event(draft, thread)? {
                            self.event(draft, thread)?;
                        }
                    }
                }
            }
        }
        if !seen.has(ThreadKey::Events.bit()) {
            let kind = ErrorKind::MissingKey { key: "events", object: "the thread" };
            return Err(self.pull.error_at(place, kind));
        }
        let name = &mut self.waiting.name;
        if !named {
            name.clear();
            name.push('T');
            put_number(name, u64::from(position));
        }
        // The builder knows threads by name: an old id means that the name is not new.
        if draft.builder.thread(name) != thread {
            let kind = ErrorKind::DuplicateThread { name: name.clone() };
            return Err(self.pull.error_at(place, kind));
        }
        self.pull.hold(draft.memory())
    }

    /// Reads an event as this crate writes most: without white space, escapes or other keys than op, loc, read, value and
    /// order. False, and nothing is read, if the next event is another or not all there.
    #[inline]
    fn flat_event(&mut self, draft: &mut Draft, thread: ThreadId) -> Result<bool, Error> {
        let Some((event, length)) = FlatEvent::of(self.pull.buffer().ahead()) else { return Ok(false) };
        let FlatEvent { mut op, seen, loc } = event;
        if missing(seen, &op).is_some() {
            return Ok(false);
        }
        if let Some(loc) = loc {
            op.loc = match draft.builder.location_of(loc) {
                Ok(loc) => loc,
                Err(_) => return Ok(false),
            };
        }
        draft.builder.push(thread, op);
        draft.note_line(self.pull.place().line);
        self.pull.advance(length);
        self.pull.hold(draft.memory())?;
        Ok(true)
    }

    fn event(&mut self, draft: &mut Draft, thread: ThreadId) -> Result<(), Error> {
        self.pull.peek()?;
        let place = self.pull.place();
        self.waiting.deps.clear();
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
                    op.order = self.pull.word(
                        "order",
                        "na, relaxed, acquire, release, acq_rel or seq_cst",
                        order,
                    )?;
                }
                EventKey::From => op.source = self.source()?,
                EventKey::Deps => self.deps()?,
                EventKey::Begin => interval.begin = self.pull.time("begin")?,
                EventKey::End => interval.end = self.pull.time("end")?,
            }
        }
        if let Some(kind) = lacking(seen, &op) {
            return Err(self.pull.error_at(place, kind));
        }
        let slot = draft.builder.push(thread, op);
        draft.note_line(place.line);
        for &on in &self.waiting.deps {
            draft.builder.depends(slot, on);
        }
        if interval != Interval::default() {
            draft.builder.interval(slot, interval);
        }
        self.pull.hold(draft.memory())
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

    fn deps(&mut self) -> Result<(), Error> {
        if self.pull.eat_null()? {
            return Ok(());
        }
        let mut first = true;
        self.pull.open_array("deps")?;
        while self.pull.next_element(&mut first)? {
            let on = self.pull.index("deps")?;
            self.waiting.deps.push(on);
            self.pull.buffer().within(DEPENDENCY * self.waiting.deps.len())?;
        }
        Ok(())
    }
}

/// An event without anything unusual.
struct FlatEvent<'a> {
    op: Op,
    seen: Seen,
    /// The location's name, which may not be UTF-8.
    loc: Option<&'a [u8]>,
}

impl<'a> FlatEvent<'a> {
    /// The event that these bytes begin with, if it is all there, and its length.
    #[inline]
    fn of(bytes: &'a [u8]) -> Option<(Self, usize)> {
        let (event, rest) = FlatEvent::after_brace(bytes.strip_prefix(b"{")?)?;
        Some((event, bytes.len() - rest.len()))
    }

    /// The event that these bytes, after its opening brace, are the rest of; and what is after it.
    #[inline]
    fn after_brace(mut rest: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let mut event = FlatEvent { op: Op::read(LocId(0), 0), seen: Seen::default(), loc: None };
        loop {
            let key = match *rest.first_chunk()? {
                [_, b'v', _] => EventKey::Value,
                [_, b'l', _] => EventKey::Loc,
                [_, b'r', _] => EventKey::Read,
                [_, b'o', b'p'] => EventKey::Op,
                [_, b'o', _] => EventKey::Order,
                _ => return None,
            };
            if !event.seen.add(key.bit()) {
                return None;
            }
            match key {
                EventKey::Value => (event.op.value, rest) = whole_number(rest.strip_prefix(b"\"value\":")?)?,
                EventKey::Read => (event.op.read, rest) = whole_number(rest.strip_prefix(b"\"read\":")?)?,
                EventKey::Loc => {
                    let loc;
                    (loc, rest) = flat_string(rest.strip_prefix(b"\"loc\":\"")?)?;
                    event.loc = Some(loc);
                }
                EventKey::Op => (event.op.kind, rest) = flat_operation(rest.strip_prefix(b"\"op\":\"")?)?,
                _ => (event.op.order, rest) = flat_order(rest.strip_prefix(b"\"order\":\"")?)?,
            }
            match rest.split_first()? {
                (b',', more) => rest = more,
                (b'}', more) => return Some((event, more)),
                _ => return None,
            }
        }
    }
}

/// The names of an event's thread and of its location, if it has one, and what it does.
pub(in crate::read) type Line<'a> = (&'a [u8], Option<&'a [u8]>, Op);

/// An event with its thread first, `{"thread":"T0","op":...}`, without anything unusual.
#[inline]
pub(in crate::read) fn flat_line(line: &[u8]) -> Option<Line<'_>> {
    let (thread, rest) = flat_string(line.strip_prefix(b"{\"thread\":\"")?)?;
    let (FlatEvent { op, seen, loc }, rest) = FlatEvent::after_brace(rest.strip_prefix(b",")?)?;
    (rest.is_empty() && missing(seen, &op).is_none()).then_some((thread, loc, op))
}

/// A string up to its closing quote, and what is after that; none if there are escapes in it, or no end.
#[inline(always)]
fn flat_string(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|&b| b < b' ' || b == b'"' || b == b'\\')?;
    (bytes[end] == b'"').then(|| (&bytes[..end], &bytes[end + 1..]))
}

/// An operation with its closing quote, and what is after that.
#[inline(always)]
fn flat_operation(bytes: &[u8]) -> Option<(Kind, &[u8])> {
    match bytes.first_chunk()? {
        b"read\"" => Some((Kind::Read, &bytes[5..])),
        b"rmw\"," => Some((Kind::Rmw, &bytes[4..])),
        b"write" => Some((Kind::Write, bytes[5..].strip_prefix(b"\"")?)),
        b"fence" => Some((Kind::Fence, bytes[5..].strip_prefix(b"\"")?)),
        _ => None,
    }
}

/// An order with its closing quote, and what is after that. All but one have seven letters.
#[inline(always)]
fn flat_order(bytes: &[u8]) -> Option<(Order, &[u8])> {
    if let Some(rest) = bytes.strip_prefix(b"na\"") {
        return Some((Order::NonAtomic, rest));
    }
    let (word, rest) = bytes.split_first_chunk()?;
    let order = match word {
        b"relaxed\"" => Order::Relaxed,
        b"acquire\"" => Order::Acquire,
        b"release\"" => Order::Release,
        b"acq_rel\"" => Order::AcqRel,
        b"seq_cst\"" => Order::SeqCst,
        _ => return None,
    };
    Some((order, rest))
}

/// The field that an event lacks, or has though it makes no sense.
fn lacking(seen: Seen, op: &Op) -> Option<ErrorKind> {
    if let Some(key) = missing(seen, op) {
        return Some(ErrorKind::MissingKey { key: key.text(), object: "the event" });
    }
    let reads = matches!(op.kind, Kind::Read | Kind::Rmw);
    (op.source != Source::ByValue && !reads).then_some(ErrorKind::Misplaced { what: EventKey::From.text() })
}

/// The first of the keys that an event of this kind must have and has not.
#[inline(always)]
fn missing(seen: Seen, op: &Op) -> Option<EventKey> {
    use EventKey::{Loc, Order, Read, Value};
    let missing = |keys: &[EventKey]| keys.iter().copied().find(|key| !seen.has(key.bit()));
    match op.kind {
        _ if !seen.has(EventKey::Op.bit()) => Some(EventKey::Op),
        Kind::Read | Kind::Write => missing(&[Loc, Value]),
        Kind::Rmw => missing(&[Loc, Read, Value]),
        Kind::Fence => missing(&[Order]),
    }
}

#[inline(always)]
pub(in crate::read) fn operation(word: &[u8]) -> Option<Kind> {
    match word {
        b"read" => Some(Kind::Read),
        b"write" => Some(Kind::Write),
        b"rmw" => Some(Kind::Rmw),
        b"fence" => Some(Kind::Fence),
        _ => None,
    }
}

#[inline(always)]
pub(in crate::read) fn order(word: &[u8]) -> Option<Order> {
    match word {
        b"na" => Some(Order::NonAtomic),
        b"relaxed" => Some(Order::Relaxed),
        b"acquire" => Some(Order::Acquire),
        b"release" => Some(Order::Release),
        b"acq_rel" => Some(Order::AcqRel),
        b"seq_cst" => Some(Order::SeqCst),
        _ => None,
    }
}

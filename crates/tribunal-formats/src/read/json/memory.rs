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
        for (op, line) in self.ops.drain(..).zip(self.lines.drain(..)) {
            draft.builder.push(thread, op);
            draft.note_line(thread, line);
        }
        for (index, on) in self.deps.drain(..) {
            draft.builder.depends(Slot { thread, index }, on);
        }
        for (index, interval) in self.times.drain(..) {
            draft.builder.interval(Slot { thread, index }, interval);
        }
    }
}

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
        // Building the execution takes its own room.
        self.column = Column::default();
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
                        self.event(draft)?;
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

fn operation(word: &[u8]) -> Option<Kind> {
    match word {
        b"read" => Some(Kind::Read),
        b"write" => Some(Kind::Write),
        b"rmw" => Some(Kind::Rmw),
        b"fence" => Some(Kind::Fence),
        _ => None,
    }
}

fn order(word: &[u8]) -> Option<Order> {
    Order::ALL.into_iter().find(|order| order.name().as_bytes() == word)
}

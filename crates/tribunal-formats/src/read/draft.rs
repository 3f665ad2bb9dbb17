//! Histories under construction.

use super::buffer::{Buffer, Room};
use crate::{Error, ErrorKind, History, Labels, Lines, Notes, Object, Subject};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tribunal_history::heap::Growth;
use tribunal_history::memory::{ExecutionBuilder, LocId, ThreadId};
use tribunal_history::object;

/// A history of a memory under construction; then another, for which some room is kept.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) builder: ExecutionBuilder,
    pub(super) labels: Labels,
    /// Whether a history has begun.
    begun: bool,
    /// The line where it begins.
    line: u64,
    /// Of each event, how many lines below that it is; nothing while none is.
    below: Vec<u32>,
    /// Locations with an initial value given.
    initialized: FxHashMap<LocId, ()>,
    room: Room,
    /// The memory that labels and initialized locations take.
    growth: Growth,
}

/// The bytes that a dependency takes at most, in a list of its reader's and in the builder.
pub(super) const DEPENDENCY: usize = 80;
/// The number of lines that a draft has room for when another history begins.
const KEPT: usize = 1 << 10;

impl Draft {
    /// Begins a history at a line, with what it may take, if none has begun.
    #[inline]
    pub(super) fn begin(&mut self, line: u64, room: Room) {
        if !self.begun {
            (self.begun, self.line, self.room) = (true, line, room);
        }
    }

    /// Whether a history has begun.
    #[inline]
    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }

    /// The memory that the history may take.
    pub(super) fn room(&self) -> Room {
        self.room
    }

    /// The number of bytes that the history takes at most, as it is and while it is built.
    #[inline]
    pub(super) fn memory(&self) -> usize {
        if !self.begun {
            return 0;
        }
        // The column grows by doubling, or is arranged.
        let lines = 3 * size_of::<u32>() * self.below.len().max(KEPT);
        self.builder.memory() + lines + self.growth.peak()
    }

    /// An error if the history takes too much, with so many bytes that its reader has beside it.
    #[inline]
    pub(super) fn within(&self, beside: usize) -> Result<(), ErrorKind> {
        self.room.within(self.memory() + beside)
    }

    /// The location of a name taken from a line, which is UTF-8 as the line is.
    #[inline]
    pub(super) fn location(&mut self, name: &[u8]) -> LocId {
        self.builder.location_of(name).expect("UTF-8")
    }

    /// The thread of a name taken from a line.
    #[inline]
    pub(super) fn thread(&mut self, name: &[u8]) -> ThreadId {
        self.builder.thread_of(name).expect("UTF-8")
    }

    /// Adds a label.
    pub(super) fn label(&mut self, model: String, consistent: Option<bool>) {
        self.growth.hold(model.len());
        self.growth.push(&mut self.labels.0, (model, consistent));
    }

    /// Notes the line of the event pushed last, so that an error can name it.
    #[inline]
    pub(super) fn note_line(&mut self, line: u64) {
        if line != self.line || !self.below.is_empty() {
            self.note_below(line);
        }
    }

    fn note_below(&mut self, line: u64) {
        self.below.resize(self.builder.len() - 1, 0);
        self.below.push(u32::try_from(line - self.line).unwrap_or(u32::MAX));
    }

    /// Gives a location its initial value; false if it has one.
    pub(super) fn init(&mut self, loc: LocId, value: u64) -> bool {
        self.builder.init(loc, value);
        let new = !self.initialized.contains_key(&loc);
        self.growth.insert(&mut self.initialized, loc, ());
        new
    }

    /// Whether a location has an initial value given.
    pub(super) fn has_init(&self) -> bool {
        !self.initialized.is_empty()
    }

    /// Forgets the history.
    pub(super) fn forget(&mut self) {
        *self = Draft::default();
    }

    /// The history, if it makes sense. Another may begin.
    pub(super) fn finish(&mut self, buffer: &Buffer) -> Result<History, Error> {
        let history = self.build(buffer);
        if history.is_err() || self.below.capacity() > KEPT {
            *self = Draft { builder: std::mem::take(&mut self.builder), ..Draft::default() };
        } else {
            self.below.clear();
            self.initialized = FxHashMap::default();
            self.begun = false;
            self.growth = Growth::default();
        }
        history
    }

    fn build(&mut self, buffer: &Buffer) -> Result<History, Error> {
        self.within(0).map_err(|kind| {
            self.builder = ExecutionBuilder::default();
            buffer.error(kind)
        })?;
        let line = self.line;
        let lines = Lines::new(line, &self.below, &self.builder);
        match self.builder.build_next() {
            Ok(execution) => {
                let labels = std::mem::take(&mut self.labels);
                Ok(History { subject: Subject::Memory(execution.into()), labels, line, lines })
            }
            Err(malformed) => {
                let line = malformed.slot().map_or(line, |slot| lines.of(slot));
                Err(Error::at(buffer.name(), line, None, ErrorKind::Malformed(malformed)))
            }
        }
    }
}

/// Writes a number.
pub(super) fn put_number(text: &mut String, number: u64) {
    if number >= 10 {
        put_number(text, number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

/// A history of an object under construction.
pub(super) struct ObjectDraft {
    pub(super) builder: object::Builder,
    pub(super) spec: String,
    pub(super) labels: Labels,
    /// By operation, the line where it is called.
    lines: Vec<u64>,
    /// The notes on what is no operation.
    pub(super) notes: Notes,
    line: u64,
    growth: Growth,
}

impl ObjectDraft {
    /// A history that begins at a line, and what it may take.
    pub(super) fn new(line: u64, room: Room) -> Self {
        let (spec, labels, lines, notes, growth) = Default::default();
        let mut builder = object::History::builder();
        builder.max_memory(room.bytes);
        ObjectDraft { builder, spec, labels, lines, notes, line, growth }
    }

    /// Notes the line of the next operation.
    #[inline]
    pub(super) fn note_line(&mut self, line: u64) {
        self.growth.push(&mut self.lines, line);
    }

    /// Notes what the client of the operation noted last gave as its error, if it gave any.
    pub(super) fn note_error(&mut self, error: Option<Arc<str>>) {
        if let (Some(error), Some(op)) = (error, self.lines.len().checked_sub(1)) {
            self.growth.push(&mut self.notes.errors_of, (op as u32, error));
        }
    }

    /// The number of bytes that the history takes at most, as it is and while it is built.
    #[inline]
    pub(super) fn memory(&self) -> usize {
        self.builder.memory() + self.growth.peak()
    }

    /// The history, if it makes sense.
    pub(super) fn finish(self, file: &str) -> Result<History, Error> {
        let ObjectDraft { builder, spec, labels, lines, notes, line, .. } = self;
        match builder.build() {
            Ok(history) => {
                let subject = Subject::Object(Object { history: history.into(), spec, lines, notes });
                Ok(History { subject, labels, line, lines: Lines::default() })
            }
            Err(malformed) => {
                let line = malformed.op().map_or(line, |op| lines[op.index()]);
                Err(Error::at(file, line, None, ErrorKind::MalformedObject(malformed)))
            }
        }
    }
}

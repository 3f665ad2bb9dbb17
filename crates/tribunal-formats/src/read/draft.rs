//! Histories under construction.

use super::buffer::{Buffer, Room};
use crate::{Error, ErrorKind, History, Labels, Lines, Object, Subject};
use rustc_hash::FxHashMap;
use tribunal::growth::Growth;
use tribunal::memory::{Execution, ExecutionBuilder, LocId, Slot};
use tribunal::object;

/// A history of a memory under construction.
pub(super) struct Draft {
    pub(super) builder: ExecutionBuilder,
    pub(super) labels: Labels,
    /// Locations with an initial value given.
    initialised: FxHashMap<LocId, ()>,
    line: u64,
    lines: Lines,
    room: Room,
    /// What labels and initialised locations take.
    growth: Growth,
}

impl Draft {
    /// A history that begins at a line, and what it may take.
    pub(super) fn new(line: u64, room: Room) -> Self {
        let (labels, initialised, growth) = Default::default();
        let lines = Lines::new(line);
        Draft { builder: Execution::builder(), labels, initialised, line, lines, room, growth }
    }

    /// How many bytes the history takes at most, as it is and while it is built.
    #[inline]
    pub(super) fn memory(&self) -> usize {
        self.builder.memory() + self.lines.memory() + self.growth.peak()
    }

    /// An error if the history takes too much, with so many bytes that its reader has beside it.
    #[inline]
    pub(super) fn within(&self, beside: usize) -> Result<(), ErrorKind> {
        self.room.within(self.memory() + beside)
    }

    /// Adds a label.
    pub(super) fn label(&mut self, model: String, consistent: Option<bool>) {
        self.growth.hold(model.len());
        self.growth.push(&mut self.labels.0, (model, consistent));
    }

    /// Notes the line of a thread's next event, so that an error can name it.
    #[inline]
    pub(super) fn note_line(&mut self, slot: Slot, line: u64) {
        self.lines.note(slot, line);
    }

    /// Gives a location its initial value; false if it has one.
    pub(super) fn init(&mut self, loc: LocId, value: u64) -> bool {
        self.builder.init(loc, value);
        let new = !self.initialised.contains_key(&loc);
        self.growth.insert(&mut self.initialised, loc, ());
        new
    }

    /// The history, if it makes sense.
    pub(super) fn finish(mut self, buffer: &Buffer) -> Result<History, Error> {
        self.within(0).map_err(|kind| buffer.error(kind))?;
        match std::mem::take(&mut self.builder).build() {
            Ok(execution) => {
                let Draft { labels, line, lines, .. } = self;
                Ok(History { subject: Subject::Memory(execution), labels, line, lines })
            }
            Err(malformed) => {
                let line = malformed.slot().map_or(self.line, |slot| self.lines.of(slot));
                Err(Error::at(buffer.name(), line, None, ErrorKind::Malformed(malformed)))
            }
        }
    }
}

/// A history of an object under construction.
pub(super) struct ObjectDraft {
    pub(super) builder: object::Builder,
    pub(super) spec: String,
    pub(super) labels: Labels,
    /// By operation, the line where it is called.
    lines: Vec<u64>,
    /// Reads of nil that were left out.
    pub(super) nil_reads: u64,
    line: u64,
    growth: Growth,
}

impl ObjectDraft {
    /// A history that begins at a line, and what it may take.
    pub(super) fn new(line: u64, room: Room) -> Self {
        let (spec, labels, lines, growth) = Default::default();
        let mut builder = object::History::builder();
        builder.max_memory(room.bytes);
        ObjectDraft { builder, spec, labels, lines, nil_reads: 0, line, growth }
    }

    /// Notes the line of the next operation.
    #[inline]
    pub(super) fn note_line(&mut self, line: u64) {
        self.growth.push(&mut self.lines, line);
    }

    /// How many bytes the history takes at most, as it is and while it is built.
    #[inline]
    pub(super) fn memory(&self) -> usize {
        self.builder.memory() + self.growth.peak()
    }

    /// The history, if it makes sense.
    pub(super) fn finish(self, file: &str) -> Result<History, Error> {
        let ObjectDraft { builder, spec, labels, lines, nil_reads, line, .. } = self;
        match builder.build() {
            Ok(history) => {
                let subject = Subject::Object(Object { history, spec, lines, nil_reads });
                Ok(History { subject, labels, line, lines: Lines::default() })
            }
            Err(malformed) => {
                let line = malformed.op().map_or(line, |op| lines[op.index()]);
                Err(Error::at(file, line, None, ErrorKind::MalformedObject(malformed)))
            }
        }
    }
}

//! Histories under construction.

use super::buffer::Buffer;
use crate::{Error, ErrorKind, History, Labels, Lines, Object, Subject};
use rustc_hash::FxHashSet;
use tribunal::memory::{Execution, ExecutionBuilder, LocId, ThreadId};
use tribunal::object;

/// A history of a memory under construction.
pub(super) struct Draft {
    pub(super) builder: ExecutionBuilder,
    pub(super) labels: Labels,
    /// Locations with an initial value given.
    initialised: FxHashSet<LocId>,
    line: u64,
    lines: Lines,
}

impl Draft {
    /// A history that begins at a line.
    pub(super) fn new(line: u64) -> Self {
        let (labels, initialised) = (Labels::default(), FxHashSet::default());
        Draft { builder: Execution::builder(), labels, initialised, line, lines: Lines::new(line) }
    }

    /// Notes the line of a thread's next event, so that an error can name it.
    #[inline]
    pub(super) fn note_line(&mut self, thread: ThreadId, line: u64) {
        self.lines.note(thread, line);
    }

    /// Gives a location its initial value; false if it has one.
    pub(super) fn init(&mut self, loc: LocId, value: u64) -> bool {
        self.builder.init(loc, value);
        self.initialised.insert(loc)
    }

    /// The history, if it makes sense.
    pub(super) fn finish(mut self, buffer: &Buffer) -> Result<History, Error> {
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
    pub(super) lines: Vec<u64>,
    /// Reads of nil that were left out.
    pub(super) nil_reads: u64,
    line: u64,
}

impl ObjectDraft {
    /// A history that begins at a line.
    pub(super) fn new(line: u64) -> Self {
        let (spec, labels, lines) = Default::default();
        ObjectDraft { builder: object::History::builder(), spec, labels, lines, nil_reads: 0, line }
    }

    /// The history, if it makes sense.
    pub(super) fn finish(self, file: &str) -> Result<History, Error> {
        let ObjectDraft { builder, spec, labels, lines, nil_reads, line } = self;
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

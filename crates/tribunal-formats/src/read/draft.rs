//! A history under construction.

use super::buffer::Buffer;
use crate::{Error, ErrorKind, History, Labels};
use rustc_hash::FxHashSet;
use tribunal::memory::{Execution, ExecutionBuilder, LocId};

/// A history under construction.
pub(super) struct Draft {
    pub(super) builder: ExecutionBuilder,
    pub(super) labels: Labels,
    /// Locations with an initial value given.
    initialised: FxHashSet<LocId>,
    line: u64,
}

impl Draft {
    /// A history that begins at a line.
    pub(super) fn new(line: u64) -> Self {
        let (labels, initialised) = (Labels::default(), FxHashSet::default());
        Draft { builder: Execution::builder(), labels, initialised, line }
    }

    /// Gives a location its initial value; false if it has one.
    pub(super) fn init(&mut self, loc: LocId, value: u64) -> bool {
        self.builder.init(loc, value);
        self.initialised.insert(loc)
    }

    /// The history, if it makes sense.
    pub(super) fn finish(self, buffer: &Buffer) -> Result<History, Error> {
        match self.builder.build() {
            Ok(execution) => Ok(History { execution, labels: self.labels, line: self.line }),
            Err(malformed) => Err(Error::at(buffer.name(), self.line, None, ErrorKind::Malformed(malformed))),
        }
    }
}

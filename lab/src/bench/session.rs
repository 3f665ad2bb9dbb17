//! A running suite: its size, its observer, and its results.

use crate::bench::{Error, Plot, Report, Section, Table};

/// How much to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Under a minute per suite.
    Quick,
    /// The papers' sizes, and beyond.
    Full,
}

/// An observer of a suite, which may stop it.
pub trait Watch {
    /// A part with this many steps begins.
    fn begin(&mut self, part: &str, steps: u64);
    /// A step is done.
    fn step(&mut self);
    /// Whether to stop.
    fn stopped(&self) -> bool;
}

/// What a suite is given to measure with.
pub struct Session<'a> {
    size: Size,
    watch: &'a mut dyn Watch,
    report: Report,
}

impl<'a> Session<'a> {
    pub(crate) fn new(report: Report, size: Size, watch: &'a mut dyn Watch) -> Self {
        Session { size, watch, report }
    }

    pub(crate) fn report(self) -> Report {
        self.report
    }

    /// The first value for a quick run, else the second.
    pub fn pick<T>(&self, quick: T, full: T) -> T {
        match self.size {
            Size::Quick => quick,
            Size::Full => full,
        }
    }

    /// Begins a part of so many steps.
    pub fn begin(&mut self, part: &str, steps: u64) {
        self.watch.begin(part, steps);
    }

    /// Ends a step; an error if the observer stops the suite.
    pub fn step(&mut self) -> Result<(), Error> {
        self.watch.step();
        if self.watch.stopped() { Err(Error::Stopped) } else { Ok(()) }
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) {
        self.report.sections.push(Section::Table(table));
    }

    /// Adds a plot.
    pub fn plot(&mut self, plot: Plot) {
        self.report.sections.push(Section::Plot(plot));
    }

    /// Adds a paragraph: what was compared with what, and what came of it.
    pub fn note(&mut self, note: impl Into<String>) {
        self.report.sections.push(Section::Note(note.into()));
    }
}

//! A history with its place: the file, the line and the number that people know it by.

use crate::printable;
use std::fmt;
use tribunal_formats::Subject;

/// A history as its readers know it.
pub struct Case<'a> {
    /// The file's name as given.
    pub file: &'a str,
    /// Its place among the file's histories, from 0.
    pub index: u64,
    /// The line where it begins, from 1.
    pub line: u64,
    /// The history.
    pub subject: &'a Subject,
}

impl Case<'_> {
    /// The history's name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.subject.name()
    }

    /// The number of events, operations or transactions.
    pub fn events(&self) -> usize {
        self.subject.len()
    }

    /// The number of reads of nil that were left out of it.
    pub fn nil_reads(&self) -> u64 {
        match self.subject {
            Subject::Object(object) => object.notes.nil_reads,
            _ => 0,
        }
    }

    /// The part of the input that is not in the history, if anything is.
    pub fn note(&self) -> Option<String> {
        match self.subject {
            Subject::Object(object) => object.notes.left_out(),
            Subject::Transactions(transactions) => transactions.notes.left_out(),
            Subject::Memory(_) => None,
        }
    }

    /// A warning that a verdict on the history means nothing, if it is empty.
    pub fn warning(&self) -> Option<&'static str> {
        (self.events() == 0).then_some("the history is empty: every model allows it")
    }

    /// The warning as a line for standard error, if there is one.
    pub fn warning_line(&self) -> Option<String> {
        self.warning().map(|warning| format!("warning: {self}: {warning}"))
    }

    /// Notes and warnings, as lines for standard error.
    pub fn remarks(&self) -> impl Iterator<Item = String> {
        let note = self.note().map(|note| format!("{self}: {note}"));
        self.warning_line().into_iter().chain(note)
    }
}

/// `MP (litmus.txt:3)`, or `litmus.txt:3` without a name.
impl fmt::Display for Case<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, line) = (printable(self.file), self.line);
        match self.name() {
            Some(name) => write!(f, "{} ({file}:{line})", printable(name)),
            None => write!(f, "{file}:{line}"),
        }
    }
}

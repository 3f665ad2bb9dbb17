//! Printing verdicts: each style in its own file.

mod brief;
mod expect;
mod json;
pub mod junit;
mod levels;
mod lines;
mod matrix;
mod overview;
mod profile;

pub use brief::Brief;
pub use expect::Expectations;
pub use json::JsonLines;
pub use junit::{Junit, Suites};
pub use lines::Lines;
pub use overview::Overview;

use crate::certificates::Stored;
use crate::failure::Failure;
use crate::output::{self, Page};
use anstyle::Style;
use std::io;
use tribunal_history::limits::Limits;
use tribunal_history::verdict::{Bare, Verdict};
use tribunal_report::{Answer, Case, Question};

/// A way of printing answers.
pub trait Report: Sync {
    /// Prints the answers on a history.
    fn history(&self, case: &Case<'_>, answers: &[Answer], sheet: &mut Sheet) -> io::Result<()>;

    /// Prints what the answers so far settle of the beginning of what [`history`](Report::history) prints, but for what was begun
    /// already; and notes that, since `history` prints only the rest.
    fn begin(&self, _: &Case<'_>, _: &Known<'_>, _: &mut Begun, _: &mut Page) -> io::Result<()> {
        Ok(())
    }

    /// Prints that a history is malformed, with --keep-going.
    fn malformed(&self, malformed: &Malformed<'_>, page: &mut Page) -> io::Result<()>;
}

/// The part of an answer that was printed before all was known.
#[derive(Default)]
pub enum Begun {
    /// Nothing.
    #[default]
    Nothing,
    /// This text.
    Text(Vec<u8>),
    /// The lines of so many answers.
    Lines(usize),
}

impl Begun {
    /// Of how many answers lines were printed.
    fn lines(&self) -> usize {
        match self {
            Begun::Lines(lines) => *lines,
            Begun::Nothing | Begun::Text(_) => 0,
        }
    }
}

/// The part of an answer that is known before everything is.
pub struct Known<'a> {
    /// The questions, in the order in which they are printed.
    pub questions: &'a [Question],
    /// The answers so far; once all are there, in the order of the questions.
    pub answers: &'a [Answer],
    /// Whether the history is the first of its kind.
    pub first: bool,
    /// Whether only whole lines are printed.
    pub lines: bool,
}

impl<'a> Known<'a> {
    /// The answers on the first questions, up to the first that is open.
    fn settled(&self) -> impl Iterator<Item = &'a Answer> {
        let Known { questions, answers, .. } = *self;
        let found = |question: &Question| answers.iter().find(|answer| answer.question() == *question);
        questions.iter().map_while(found)
    }

    /// All answers, if they are there.
    fn all(&self) -> Option<&'a [Answer]> {
        Some(self.answers).filter(|answers| answers.len() == self.questions.len())
    }
}

/// A verdict in a cell of a table.
fn mark(verdict: Bare) -> (Style, &'static str) {
    let mark = match verdict {
        Verdict::Consistent(()) => "yes",
        Verdict::Inconsistent(()) => "no",
        Verdict::Undecided(_) => "?",
        Verdict::Unsupported(()) => "-",
    };
    (output::style(verdict), mark)
}

/// The output for a history.
pub struct Sheet {
    /// The part that is always printed.
    pub page: Page,
    /// Whether it is the first of its kind, a memory's or an object's.
    pub first: bool,
    /// The part that is printed at the end if it stays the only one.
    pub below: Page,
    /// The limits of what comes beside the answers.
    pub beside: Limits<'static>,
    /// The part of the page that was printed already.
    pub begun: Begun,
    /// Certificates to store before the page is printed.
    pub stored: Vec<Stored>,
}

/// A history that is malformed.
pub struct Malformed<'a> {
    /// The file's name as given.
    pub file: &'a str,
    /// Its place among the file's histories, from 0.
    pub index: u64,
    /// The fault in it.
    pub failure: &'a Failure,
}

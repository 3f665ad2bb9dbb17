//! A line for each history and model asked for, and the explanation of what is inconsistent.

use super::{Begun, Known, Malformed, Report, Sheet};
use crate::budget::Budget;
use crate::output::{self, BAD, Page, indented};
use std::io::{self, Write};
use tribunal_history::verdict::Verdict;
use tribunal_report::Answer;
use tribunal_report::Case;
use tribunal_report::printable;

/// Prints lines such as `MP (mp.txt:1): ra: consistent`.
pub struct Lines {
    /// Whether consistent lines are followed by their witness.
    pub witness: bool,
    /// The limits of an explanation.
    pub budget: Budget,
}

impl Lines {
    /// Prints the line of an answer, and what is below it.
    fn line(&self, case: &Case<'_>, answer: &Answer, page: &mut Page) -> io::Result<()> {
        let verdict = answer.verdict();
        let word = match verdict {
            Verdict::Unsupported(()) => "does not apply",
            verdict => verdict.word(),
        };
        let more = answer.reason().map_or_else(|| answer.broken(), |reason| format!(": {reason}"));
        let racy = match answer.beside() {
            "" => String::new(),
            racy => page.paint(BAD, racy),
        };
        writeln!(
            page,
            "{case}: {}: {}{racy}{more}",
            answer.question(),
            page.paint(output::style(verdict), word)
        )?;
        let below = match verdict {
            Verdict::Inconsistent(()) => answer.explain(&self.budget.limits()),
            Verdict::Consistent(()) if self.witness => answer.show_witness(),
            _ => Vec::new(),
        };
        indented(below.into_iter().chain(answer.explain_race()), page)
    }
}

impl Report for Lines {
    fn history(&self, case: &Case<'_>, answers: &[Answer], sheet: &mut Sheet) -> io::Result<()> {
        answers[sheet.begun.lines()..].iter().try_for_each(|answer| self.line(case, answer, &mut sheet.page))
    }

    fn begin(
        &self,
        case: &Case<'_>,
        known: &Known<'_>,
        begun: &mut Begun,
        page: &mut Page,
    ) -> io::Result<()> {
        for answer in known.settled().skip(begun.lines()) {
            self.line(case, answer, page)?;
            *begun = Begun::Lines(begun.lines() + 1);
        }
        Ok(())
    }

    fn malformed(&self, malformed: &Malformed<'_>, page: &mut Page) -> io::Result<()> {
        error_line(malformed, page)
    }
}

/// Prints `error: mp.txt:3:9: ` and what is wrong.
pub(super) fn error_line(malformed: &Malformed<'_>, page: &mut Page) -> io::Result<()> {
    let failure = malformed.failure.to_string();
    writeln!(page, "{}: {}", page.paint(BAD, "error"), printable(&failure))
}

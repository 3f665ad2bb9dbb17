//! A line for each history and model asked for, and the explanation of what is inconsistent.

use super::{Begun, Known, Malformed, Report, Sheet};
use crate::args::Budget;
use crate::output::{BAD, DOUBT, FAINT, GOOD, Page};
use std::io::{self, Write};
use tribunal_report::Case;
use tribunal_report::printable;
use tribunal_report::{Finding, Word};

/// Prints lines such as `MP (mp.txt:1): ra: consistent`.
pub struct Lines {
    /// Whether consistent lines are followed by their witness.
    pub witness: bool,
    /// What an explanation may cost.
    pub budget: Budget,
}

impl Lines {
    /// Prints the line of a finding, and what is below it.
    fn line(&self, case: &Case<'_>, finding: &Finding<'_>, page: &mut Page) -> io::Result<()> {
        let ruling = &finding.ruling;
        let (style, word) = match ruling.word() {
            Word::Consistent => (GOOD, "consistent"),
            Word::Inconsistent => (BAD, "inconsistent"),
            Word::Undecided => (DOUBT, "undecided"),
            Word::Unsupported => (FAINT, "does not apply"),
        };
        let more = ruling.reason().map_or_else(|| ruling.broken(), |reason| format!(": {reason}"));
        let racy = match finding.beside() {
            "" => String::new(),
            racy => page.paint(BAD, racy),
        };
        writeln!(page, "{case}: {}: {}{racy}{more}", ruling.question(), page.paint(style, word))?;
        let below = match ruling.word() {
            Word::Inconsistent => ruling.explain(&self.budget.limits()),
            Word::Consistent if self.witness => ruling.show_witness(),
            _ => Vec::new(),
        };
        below.into_iter().chain(finding.explain_race()).try_for_each(|line| writeln!(page, "  {line}"))
    }
}

impl Report for Lines {
    fn history(&self, case: &Case<'_>, findings: &[Finding<'_>], sheet: &mut Sheet) -> io::Result<()> {
        findings[sheet.begun.lines()..]
            .iter()
            .try_for_each(|finding| self.line(case, finding, &mut sheet.page))
    }

    fn begin(
        &self,
        case: &Case<'_>,
        known: &Known<'_, '_>,
        begun: &mut Begun,
        page: &mut Page,
    ) -> io::Result<()> {
        for finding in known.settled().skip(begun.lines()) {
            self.line(case, finding, page)?;
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

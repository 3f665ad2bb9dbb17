//! One word a history, as Axe prints it.

use super::{Malformed, Report, Sheet};
use crate::output::Page;
use std::io::{self, Write};
use tribunal_report::Case;
use tribunal_report::memory::Racy;
use tribunal_report::{Finding, Word};

/// Prints `OK`, `NO`, `??` or `--` for each history, with `RACY` beside it if a model says so, or `ERROR`.
pub struct Brief {
    /// Whether models that do not apply are ignored rather than reported.
    pub only_those_that_apply: bool,
}

impl Brief {
    /// The word for these findings: the worst of them.
    fn word(&self, findings: &[Finding<'_>]) -> &'static str {
        let any = |word: Word| findings.iter().any(|finding| finding.ruling.word() == word);
        if any(Word::Inconsistent) {
            "NO"
        } else if any(Word::Undecided) {
            "??"
        } else if !any(Word::Consistent) || !self.only_those_that_apply && any(Word::Unsupported) {
            "--"
        } else {
            "OK"
        }
    }
}

impl Report for Brief {
    fn history(&self, _: &Case<'_>, findings: &[Finding<'_>], sheet: &mut Sheet) -> io::Result<()> {
        let racy = findings.iter().any(|finding| matches!(finding.racy, Some(Racy::Race(_))));
        writeln!(sheet.page, "{}{}", self.word(findings), if racy { " RACY" } else { "" })
    }

    fn malformed(&self, _: &Malformed<'_>, page: &mut Page) -> io::Result<()> {
        writeln!(page, "ERROR")
    }
}

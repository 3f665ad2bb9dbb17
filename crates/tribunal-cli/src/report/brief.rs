//! One word a history, as Axe prints it.

use super::{Malformed, Report, Sheet};
use crate::output::Page;
use std::io::{self, Write};
use tribunal_report::Answer;
use tribunal_report::Case;
use tribunal_report::memory::Racy;

/// Prints `OK`, `NO`, `??` or `--` for each history, with `RACY` beside it if a model says so, or `ERROR`.
pub struct Brief {
    /// Whether models that do not apply are ignored rather than reported.
    pub only_those_that_apply: bool,
}

impl Brief {
    /// The word for these answers: the worst of them.
    fn word(&self, answers: &[Answer]) -> &'static str {
        let any = |word: &str| answers.iter().any(|answer| answer.verdict().word() == word);
        if any("inconsistent") {
            "NO"
        } else if any("undecided") {
            "??"
        } else if !any("consistent") || !self.only_those_that_apply && any("unsupported") {
            "--"
        } else {
            "OK"
        }
    }
}

impl Report for Brief {
    fn history(&self, _: &Case<'_>, answers: &[Answer], sheet: &mut Sheet) -> io::Result<()> {
        let racy = answers.iter().any(|answer| matches!(answer.racy, Some(Racy::Race(_))));
        writeln!(sheet.page, "{}{}", self.word(answers), if racy { " RACY" } else { "" })
    }

    fn malformed(&self, _: &Malformed<'_>, page: &mut Page) -> io::Result<()> {
        writeln!(page, "ERROR")
    }
}

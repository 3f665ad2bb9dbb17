//! One word a history, as Axe prints it.

use super::{Malformed, Report, Sheet};
use crate::output::{MALFORMED, Page, word};
use std::io::{self, Write};
use tribunal_history::verdict::{Bare, Verdict};
use tribunal_report::Answer;
use tribunal_report::Case;
use tribunal_report::memory::Racy;

/// Prints `OK`, `NO`, `??` or `--` for each history, with `RACY` beside it if a model says so, or `ERROR`.
pub struct Brief {
    /// Whether models that do not apply are ignored rather than reported.
    pub only_those_that_apply: bool,
}

impl Brief {
    /// The verdict for these answers: the worst of them.
    fn worst(&self, answers: &[Answer]) -> Bare {
        let of = |word: &str| answers.iter().map(Answer::verdict).find(|verdict| verdict.word() == word);
        let unsupported = of("unsupported").filter(|_| !self.only_those_that_apply);
        let worst = of("inconsistent").or(of("undecided")).or(unsupported).or(of("consistent"));
        worst.unwrap_or(Verdict::Unsupported(()))
    }
}

impl Report for Brief {
    fn history(&self, _: &Case<'_>, answers: &[Answer], sheet: &mut Sheet) -> io::Result<()> {
        let racy = answers.iter().any(|answer| matches!(answer.racy, Some(Racy::Race(_))));
        writeln!(sheet.page, "{}{}", word(self.worst(answers)), if racy { " RACY" } else { "" })
    }

    fn malformed(&self, _: &Malformed<'_>, page: &mut Page) -> io::Result<()> {
        writeln!(page, "{MALFORMED}")
    }
}

//! A line for each history and model asked for, and the explanation of what is inconsistent.

use super::Report;
use crate::args::Budget;
use crate::case::Case;
use crate::failure::Failure;
use crate::output::{BAD, DOUBT, FAINT, GOOD, Stdout};
use std::io::Write;
use tribunal_report::{Finding, Word};

/// Prints lines such as `MP (mp.txt:1): ra: consistent`.
pub struct Lines {
    /// Whether consistent lines are followed by their witness.
    pub witness: bool,
    /// What an explanation may cost.
    pub budget: Budget,
}

impl Report for Lines {
    fn history(
        &mut self,
        case: &Case<'_>,
        findings: &[Finding<'_>],
        out: &mut Stdout,
    ) -> Result<(), Failure> {
        for Finding { ruling, .. } in findings {
            let (style, word) = match ruling.word() {
                Word::Consistent => (GOOD, "consistent"),
                Word::Inconsistent => (BAD, "inconsistent"),
                Word::Undecided => (DOUBT, "undecided"),
                Word::Unsupported => (FAINT, "does not apply"),
            };
            let more = ruling.reason().map_or_else(|| ruling.broken(), |reason| format!(": {reason}"));
            writeln!(out, "{case}: {}: {}{more}", ruling.question(), out.paint(style, word))?;
            let below = match ruling.word() {
                Word::Inconsistent => ruling.explain(&self.budget.limits()),
                Word::Consistent if self.witness => ruling.show_witness(),
                _ => Vec::new(),
            };
            for line in below {
                writeln!(out, "  {line}")?;
            }
        }
        Ok(())
    }
}

//! One word a history, as Axe prints it.

use super::{Case, Finding, Report};
use crate::failure::Failure;
use crate::output::Stdout;
use std::io::Write;
use tribunal::Verdict;

/// Prints `OK`, `NO`, `??` or `--` for each history.
pub struct Brief {
    /// Whether a model that does not apply is passed over, rather than told.
    pub only_those_that_apply: bool,
}

impl Brief {
    /// The word for these findings: the worst of them.
    fn word(&self, findings: &[Finding]) -> &'static str {
        let any =
            |what: fn(&Verdict) -> bool| findings.iter().any(|finding| what(&finding.judgement.verdict));
        if any(Verdict::is_inconsistent) {
            "NO"
        } else if any(|verdict| matches!(verdict, Verdict::Undecided(_))) {
            "??"
        } else if !any(Verdict::is_consistent)
            || !self.only_those_that_apply && any(|verdict| matches!(verdict, Verdict::Unsupported(_)))
        {
            "--"
        } else {
            "OK"
        }
    }
}

impl Report for Brief {
    fn history(&mut self, _: &Case<'_>, findings: &[Finding], out: &mut Stdout) -> Result<(), Failure> {
        Ok(writeln!(out, "{}", self.word(findings))?)
    }
}

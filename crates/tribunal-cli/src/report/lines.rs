//! A line for each history and model asked for, and the explanation of what is inconsistent.

use super::explain::{explain, show_witness};
use super::{Case, Finding, Report};
use crate::failure::Failure;
use crate::output::{BAD, DOUBT, FAINT, GOOD, Stdout};
use std::io::Write;
use tribunal::Verdict;

/// Prints lines such as `MP (mp.txt:1): ra: consistent`.
pub struct Lines {
    /// Whether consistent lines are followed by their witness.
    pub witness: bool,
}

impl Report for Lines {
    fn history(&mut self, case: &Case<'_>, findings: &[Finding], out: &mut Stdout) -> Result<(), Failure> {
        for Finding { model, judgement, .. } in findings {
            let verdict = &judgement.verdict;
            let (style, word, more) = match verdict {
                Verdict::Consistent(_) => (GOOD, "consistent", String::new()),
                Verdict::Inconsistent(violation) => {
                    let axiom = violation.axiom;
                    (BAD, "inconsistent", format!(", breaks {axiom}, {}", axiom.formula()))
                }
                Verdict::Undecided(limit) => (DOUBT, "undecided", format!(": {limit}")),
                Verdict::Unsupported(why) => (FAINT, "does not apply", format!(": {why}")),
            };
            writeln!(out, "{case}: {model}: {}{more}", out.paint(style, word))?;
            let below = match verdict {
                Verdict::Inconsistent(violation) => explain(case.execution, violation),
                Verdict::Consistent(witness) if self.witness => show_witness(case.execution, witness),
                _ => Vec::new(),
            };
            for line in below {
                writeln!(out, "  {line}")?;
            }
        }
        Ok(())
    }
}

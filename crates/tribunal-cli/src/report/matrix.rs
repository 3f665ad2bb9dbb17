//! All models at a glance: a row a history, a column a model.

use super::explain::{explain, show_witness};
use super::{Case, Finding, Report};
use crate::failure::Failure;
use crate::output::{BAD, DOUBT, FAINT, GOOD, STRONG, Stdout};
use std::io::{self, Write};
use tribunal::Verdict;

/// Prints the matrix row by row and, if there is a single row, why.
pub struct Matrix {
    witness: bool,
    rows: u64,
    /// What to say below a single row.
    below: Vec<Reason>,
}

/// What several models say of a history: under each heading those that it is true of, and the explanation they share.
struct Reason {
    headings: Vec<(String, Vec<&'static str>)>,
    lines: Vec<String>,
}

impl Matrix {
    /// A matrix; with `witness`, a single row is also followed by its witnesses.
    pub fn new(witness: bool) -> Self {
        Matrix { witness, rows: 0, below: Vec::new() }
    }

    fn keep_reasons(&mut self, case: &Case<'_>, findings: &[Finding]) {
        for Finding { model, judgement, .. } in findings {
            let (heading, lines) = match &judgement.verdict {
                Verdict::Inconsistent(violation) => {
                    let axiom = violation.axiom;
                    (
                        format!("inconsistent, breaks {axiom}, {}", axiom.formula()),
                        explain(case.execution, violation),
                    )
                }
                Verdict::Consistent(witness) if self.witness => {
                    ("consistent".into(), show_witness(case.execution, witness))
                }
                Verdict::Undecided(limit) => (format!("undecided: {limit}"), Vec::new()),
                Verdict::Unsupported(why) => (format!("does not apply: {why}"), Vec::new()),
                Verdict::Consistent(_) => continue,
            };
            let said = self.below.iter().position(|reason| reason.lines == lines);
            let at = said.unwrap_or(self.below.len());
            if said.is_none() {
                self.below.push(Reason { headings: Vec::new(), lines });
            }
            let reason = &mut self.below[at];
            match reason.headings.iter_mut().find(|(other, _)| *other == heading) {
                Some((_, models)) => models.push(model.name()),
                None => reason.headings.push((heading, vec![model.name()])),
            }
        }
    }
}

impl Report for Matrix {
    fn history(&mut self, case: &Case<'_>, findings: &[Finding], out: &mut Stdout) -> Result<(), Failure> {
        let width = |finding: &Finding| finding.model.name().len().max(3) + 1;
        if self.rows == 0 {
            for finding in findings {
                let name = format!("{:width$}", finding.model.name(), width = width(finding));
                write!(out, "{}", out.paint(STRONG, &name))?;
            }
            writeln!(out, "{}", out.paint(STRONG, "history"))?;
            self.keep_reasons(case, findings);
        } else {
            self.below.clear();
        }
        self.rows += 1;
        for finding in findings {
            let (style, mark) = match finding.judgement.verdict {
                Verdict::Consistent(_) => (GOOD, "yes"),
                Verdict::Inconsistent(_) => (BAD, "no"),
                Verdict::Undecided(_) => (DOUBT, "?"),
                Verdict::Unsupported(_) => (FAINT, "-"),
            };
            let mark = format!("{mark:width$}", width = width(finding));
            write!(out, "{}", out.paint(style, &mark))?;
        }
        Ok(writeln!(out, "{case}")?)
    }

    fn end(&mut self, out: &mut Stdout) -> io::Result<()> {
        for Reason { headings, lines } in &self.below {
            writeln!(out)?;
            for (heading, models) in headings {
                writeln!(out, "{}: {heading}", out.paint(STRONG, &models.join(", ")))?;
            }
            for line in lines {
                writeln!(out, "  {line}")?;
            }
        }
        Ok(())
    }
}

//! All models at a glance: a row a history, a column a model.

use super::{Known, Sheet};
use crate::args::Budget;
use crate::output::{BAD, DOUBT, FAINT, GOOD, Page, STRONG};
use std::io::{self, Write};
use tribunal_report::Case;
use tribunal_report::memory::Racy;
use tribunal_report::{Finding, Question, Word, first_asked, refuted_by};

/// Prints the matrix row by row and, if there is a single row, why.
pub struct Matrix {
    witness: bool,
    /// What an explanation may cost.
    budget: Budget,
}

/// What several models say of a history: under each heading those that it is true of, and the explanation they share.
struct Reason {
    headings: Vec<(String, Vec<String>)>,
    lines: Vec<String>,
}

/// Prints the heading, if the row is the first, and the row's cells as far as they are settled: whether an undecided model is refuted by a
/// weaker one is known only in the end.
pub fn beginning(known: &Known<'_, '_>, out: &mut Page) -> io::Result<()> {
    if known.first {
        heading(known.questions.iter().cloned(), out)?;
    }
    known
        .settled()
        .take_while(|finding| finding.ruling.word() != Word::Undecided)
        .try_for_each(|finding| cell(finding, false, out))
}

/// How wide the column of a model is.
fn width(name: &str) -> usize {
    name.len().max(3) + 1
}

fn heading(questions: impl Iterator<Item = Question>, out: &mut Page) -> io::Result<()> {
    for name in questions.map(|question| question.to_string()) {
        write!(out, "{}", out.paint(STRONG, &format!("{name:width$}", width = width(&name))))?;
    }
    writeln!(out, "{}", out.paint(STRONG, "history"))
}

fn cell(finding: &Finding<'_>, refuted: bool, out: &mut Page) -> io::Result<()> {
    let (style, mark) = match finding.ruling.word() {
        Word::Consistent => (GOOD, "yes"),
        Word::Inconsistent => (BAD, "no"),
        Word::Undecided if refuted => (BAD, "no"),
        Word::Undecided => (DOUBT, "?"),
        Word::Unsupported => (FAINT, "-"),
    };
    let star = if matches!(finding.racy, Some(Racy::Race(_))) { "*" } else { "" };
    let width = width(&finding.ruling.question().to_string());
    write!(out, "{}", out.paint(style, &format!("{:width$}", format!("{mark}{star}"))))
}

impl Matrix {
    /// A matrix; with `witness`, a single row is also followed by its witnesses.
    pub fn new(witness: bool, budget: Budget) -> Self {
        Matrix { witness, budget }
    }

    /// What to say below a single row.
    fn reasons(&self, findings: &[Finding<'_>]) -> Vec<Reason> {
        let mut below: Vec<Reason> = Vec::new();
        let first = first_asked(findings);
        let others = (0..findings.len()).filter(|at| Some(*at) != first);
        for at in first.into_iter().chain(others) {
            let finding = &findings[at];
            let ruling = &finding.ruling;
            let mut say = |heading: String, lines: Vec<String>| {
                let said = below.iter().position(|reason| reason.lines == lines);
                let at = said.unwrap_or(below.len());
                if said.is_none() {
                    below.push(Reason { headings: Vec::new(), lines });
                }
                let reason = &mut below[at];
                match reason.headings.iter_mut().find(|(other, _)| *other == heading) {
                    Some((_, models)) => models.push(ruling.question().to_string()),
                    None => reason.headings.push((heading, vec![ruling.question().to_string()])),
                }
            };
            let reason = ruling.reason().unwrap_or_default();
            match ruling.word() {
                Word::Inconsistent => {
                    say(format!("inconsistent{}", ruling.broken()), ruling.explain(&self.budget.limits()));
                }
                Word::Consistent if self.witness => say("consistent".into(), ruling.show_witness()),
                Word::Undecided => match refuted_by(findings, at) {
                    Some(weaker) => say(format!("inconsistent, since {weaker} is"), Vec::new()),
                    None => say(format!("undecided: {reason}"), Vec::new()),
                },
                Word::Unsupported => say(format!("does not apply: {reason}"), Vec::new()),
                Word::Consistent => {}
            }
            if let Some(beside) = finding.beside().strip_prefix(", ") {
                say(beside.into(), finding.explain_race());
            }
        }
        below
    }

    /// Prints a row, below the heading if it is the first.
    pub fn row(&self, case: &Case<'_>, findings: &[Finding<'_>], sheet: &mut Sheet) -> io::Result<()> {
        let out = &mut sheet.page;
        if sheet.first {
            heading(findings.iter().map(|finding| finding.ruling.question()), out)?;
        }
        for (at, finding) in findings.iter().enumerate() {
            cell(finding, refuted_by(findings, at).is_some(), out)?;
        }
        writeln!(out, "{case}")?;
        if sheet.first {
            self.print_reasons(findings, sheet)?;
        }
        Ok(())
    }

    /// Prints the reasons of a row that may stay the only one.
    fn print_reasons(&self, findings: &[Finding<'_>], sheet: &mut Sheet) -> io::Result<()> {
        let out = &mut sheet.below;
        for Reason { headings, lines } in self.reasons(findings) {
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

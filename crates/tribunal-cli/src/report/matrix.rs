//! All models at a glance: a row a history, a column a model.

use super::overview::Overview;
use super::{Known, Sheet, mark};
use crate::output::{Page, STRONG, indented};
use std::io::{self, Write};
use tribunal_history::verdict::Verdict;
use tribunal_report::Case;
use tribunal_report::memory::Racy;
use tribunal_report::{Answer, Question, first_asked, refuted_by};

/// The verdicts of several models on a history: under each heading those that it is true of, and the explanation they share.
struct Reason {
    headings: Vec<(String, Vec<String>)>,
    lines: Vec<String>,
}

/// Prints the heading, if the row is the first, and the row's cells as far as they are settled: whether an undecided model is refuted by a
/// weaker one is known only in the end.
pub fn beginning(known: &Known<'_>, out: &mut Page) -> io::Result<()> {
    if known.first {
        heading(known.questions.iter().cloned(), out)?;
    }
    known
        .settled()
        .take_while(|answer| answer.verdict().limit().is_none())
        .try_for_each(|answer| cell(answer, false, out))
}

/// The width of the column of a model.
fn width(name: &str) -> usize {
    name.len().max(3) + 1
}

fn heading(questions: impl Iterator<Item = Question>, out: &mut Page) -> io::Result<()> {
    for name in questions.map(|question| question.to_string()) {
        write!(out, "{}", out.paint(STRONG, &format!("{name:width$}", width = width(&name))))?;
    }
    writeln!(out, "{}", out.paint(STRONG, "history"))
}

fn cell(answer: &Answer, refuted: bool, out: &mut Page) -> io::Result<()> {
    let (style, mark) = mark(if refuted { Verdict::Inconsistent(()) } else { answer.verdict() });
    let star = if matches!(answer.racy, Some(Racy::Race(_))) { "*" } else { "" };
    let width = width(&answer.question().to_string());
    write!(out, "{}", out.paint(style, &format!("{:width$}", format!("{mark}{star}"))))
}

/// The text below a single row.
fn reasons(overview: &Overview, answers: &[Answer]) -> Vec<Reason> {
    let mut below: Vec<Reason> = Vec::new();
    let first = first_asked(answers);
    let others = (0..answers.len()).filter(|at| Some(*at) != first);
    for at in first.into_iter().chain(others) {
        let answer = &answers[at];
        let mut say = |heading: String, lines: Vec<String>| {
            let said = below.iter().position(|reason| reason.lines == lines);
            let at = said.unwrap_or(below.len());
            if said.is_none() {
                below.push(Reason { headings: Vec::new(), lines });
            }
            let reason = &mut below[at];
            match reason.headings.iter_mut().find(|(other, _)| *other == heading) {
                Some((_, models)) => models.push(answer.question().to_string()),
                None => reason.headings.push((heading, vec![answer.question().to_string()])),
            }
        };
        let reason = answer.reason().unwrap_or_default();
        match answer.verdict() {
            Verdict::Inconsistent(()) => {
                say(format!("inconsistent{}", answer.broken()), answer.explain(&overview.budget.limits()));
            }
            Verdict::Consistent(()) if overview.witness => say("consistent".into(), answer.show_witness()),
            Verdict::Undecided(_) => match refuted_by(answers, at) {
                Some(weaker) => say(format!("inconsistent, since {weaker} is"), Vec::new()),
                None => say(format!("undecided: {reason}"), Vec::new()),
            },
            Verdict::Unsupported(()) => say(format!("does not apply: {reason}"), Vec::new()),
            Verdict::Consistent(()) => {}
        }
        if let Some(beside) = answer.beside().strip_prefix(", ") {
            say(beside.into(), answer.explain_race());
        }
    }
    below
}

/// Prints a row, below the heading if it is the first; and the reasons of one that may stay the only one.
pub fn row(overview: &Overview, case: &Case<'_>, answers: &[Answer], sheet: &mut Sheet) -> io::Result<()> {
    let (out, below) = (&mut sheet.page, &mut sheet.below);
    if sheet.first {
        heading(answers.iter().map(|answer| answer.question()), out)?;
    }
    for (at, answer) in answers.iter().enumerate() {
        cell(answer, refuted_by(answers, at).is_some(), out)?;
    }
    writeln!(out, "{case}")?;
    let reasons = if sheet.first { reasons(overview, answers) } else { Vec::new() };
    for Reason { headings, lines } in reasons {
        writeln!(below)?;
        for (heading, models) in headings {
            writeln!(below, "{}: {heading}", below.paint(STRONG, &models.join(", ")))?;
        }
        indented(lines, below)?;
    }
    Ok(())
}

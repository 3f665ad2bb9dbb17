//! What an object guarantees: the strongest criteria that its history satisfies, as a whole and method by method.

use super::Sheet;
use super::overview::{Overview, listed};
use crate::output::{BAD, DOUBT, FAINT, GOOD, Page};
use std::io::{self, Write};
use tribunal_engines::object::{Atomic, AtomicMethods, atomic_methods};
use tribunal_history::limits::Limits;
use tribunal_history::object::Criterion;
use tribunal_history::verdict::{Bare, Verdict};
use tribunal_report::Case;
use tribunal_report::Question;
use tribunal_report::object::patient;
use tribunal_report::{Answer, On};
use tribunal_report::{first_asked, printable, refuted_by};

/// Prints the profile of a history and, if it may stay the only one, why the criterion that is asked first fails, and the witness asked for.
pub fn history(
    overview: &Overview,
    case: &Case<'_>,
    answers: &[Answer],
    sheet: &mut Sheet,
) -> io::Result<()> {
    let out = &mut sheet.page;
    beginning(case, Some(answers), out)?;
    for line in methods(answers, &sheet.beside) {
        writeln!(out, "  {}", printable(&line))?;
    }
    if !sheet.first {
        return Ok(());
    }
    let first = first_asked(answers).map(|at| &answers[at]);
    if let Some(answer) = first.filter(|answer| answer.verdict().is_inconsistent()) {
        overview.because(answer, &mut sheet.below)?;
    }
    let criteria = verdicts(answers);
    let strongest = strongest_of(&of(&criteria, "consistent")).first().map(|&criterion| criterion.clone());
    let witness = strongest.filter(|_| overview.witness).and_then(|criterion| {
        let question = Question::Criterion(criterion);
        answers.iter().find(|answer| answer.question() == question)
    });
    witness.map_or(Ok(()), |answer| Overview::witnessed(answer, &mut sheet.below))
}

/// Prints the history's name and, once all is known, which criteria hold: what does not wait for methods and explanations.
pub fn beginning(case: &Case<'_>, answers: Option<&[Answer]>, out: &mut Page) -> io::Result<()> {
    let criteria = answers.map_or_else(Vec::new, verdicts);
    let named = |criteria: Vec<&Criterion>| criteria.into_iter().map(ToString::to_string).collect::<Vec<_>>();
    let rows = [
        ("strongest", GOOD, named(strongest_of(&of(&criteria, "consistent")))),
        ("fails", BAD, named(of(&criteria, "inconsistent"))),
        ("undecided", DOUBT, named(of(&criteria, "undecided"))),
        ("not asked", FAINT, named(of(&criteria, "unsupported"))),
    ];
    listed(case, &rows, out)
}

/// The criteria whose verdict has this word.
fn of<'c>(criteria: &'c [(Criterion, Bare)], word: &str) -> Vec<&'c Criterion> {
    criteria.iter().filter(|(_, verdict)| verdict.word() == word).map(|(criterion, _)| criterion).collect()
}

/// The criteria with their verdicts; one that is undecided fails if a weaker one does.
fn verdicts(answers: &[Answer]) -> Vec<(Criterion, Bare)> {
    let verdict = |(at, answer): (usize, &Answer)| match answer.question() {
        Question::Criterion(criterion) => {
            let refuted = refuted_by(answers, at).map(|_| Verdict::Inconsistent(()));
            Some((criterion, refuted.unwrap_or(answer.verdict())))
        }
        Question::Level(_) | Question::Model(_) => None,
    };
    answers.iter().enumerate().filter_map(verdict).collect()
}

/// The methods that can be called atomic, and what the others are.
fn methods(answers: &[Answer], limits: &Limits<'_>) -> Vec<String> {
    let Some(On::Object { object, .. }) = answers.first().map(|answer| &answer.on) else {
        return Vec::new();
    };
    let verdicts = verdicts(answers);
    let holds = |criterion: &Criterion| match verdicts.iter().find(|(asked, _)| asked == criterion)?.1 {
        Verdict::Consistent(()) => Some(true),
        Verdict::Inconsistent(()) => Some(false),
        Verdict::Undecided(_) | Verdict::Unsupported(()) => None,
    };
    let AtomicMethods { sets, partial } = atomic_methods(&object.typed(), holds, &patient(limits));
    let mut lines = Vec::new();
    for Atomic { methods, others } in &sets {
        let mut said = vec![if methods.is_empty() { "none".into() } else { methods.join(", ") }];
        for (method, criteria) in others {
            let criteria: Vec<_> = criteria.iter().map(ToString::to_string).collect();
            said.push(format!("{method} is {}", criteria.join(" and ")));
        }
        let what = if lines.is_empty() { "atomic" } else { "or" };
        lines.push(format!("{what:9}  {}", said.join("; ")));
    }
    if partial && !lines.is_empty() {
        lines.push(format!("{:9}  perhaps more: not every set of methods was decided", ""));
    }
    lines
}

/// Those of the criteria that include no other.
fn strongest_of<'c>(criteria: &[&'c Criterion]) -> Vec<&'c Criterion> {
    let weaker = |weak: &Criterion, strong: &Criterion| weak != strong && weak.includes(strong);
    let strongest = criteria.iter().filter(|weak| !criteria.iter().any(|strong| weaker(weak, strong)));
    strongest.copied().collect()
}

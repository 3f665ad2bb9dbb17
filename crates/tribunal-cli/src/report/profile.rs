//! What an object guarantees: the strongest criteria that its history satisfies, as a whole and method by method.

use super::Sheet;
use crate::args::Budget;
use crate::output::{BAD, DOUBT, FAINT, GOOD, Page, STRONG};
use std::io::{self, Write};
use tribunal_engines::object::{Atomic, AtomicMethods, atomic_methods};
use tribunal_history::limits::Limits;
use tribunal_history::object::Criterion;
use tribunal_report::Case;
use tribunal_report::Question;
use tribunal_report::object::patient;
use tribunal_report::{Finding, Ruling, Word};
use tribunal_report::{first_asked, printable, refuted_by};

/// Prints the profile of each history and, if there is a single one, why it is not stronger.
pub struct Profile {
    witness: bool,
    /// What explanations may cost.
    budget: Budget,
}

impl Profile {
    /// Profiles; with `witness`, a single one is also followed by a witness of a strongest criterion.
    pub fn new(witness: bool, budget: Budget) -> Self {
        Profile { witness, budget }
    }

    /// Prints the profile of a history.
    pub fn history(&self, case: &Case<'_>, findings: &[Finding<'_>], sheet: &mut Sheet) -> io::Result<()> {
        let out = &mut sheet.page;
        beginning(case, Some(findings), out)?;
        for line in methods(findings, &sheet.beside) {
            writeln!(out, "  {}", printable(&line))?;
        }
        if sheet.first {
            let criteria = words(findings);
            self.reasons(findings, strongest_of(&of(&criteria, Word::Consistent)).first(), &mut sheet.below)?;
        }
        Ok(())
    }

    /// Prints why the criterion that is asked first fails, and the witness asked for.
    fn reasons(
        &self,
        findings: &[Finding<'_>],
        strongest: Option<&&Criterion>,
        below: &mut Page,
    ) -> io::Result<()> {
        let first = first_asked(findings).map(|at| &findings[at].ruling);
        if let Some(ruling) = first.filter(|ruling| ruling.word() == Word::Inconsistent) {
            writeln!(below, "\n{}: inconsistent", ruling.question())?;
            for line in ruling.explain(&self.budget.limits()) {
                writeln!(below, "  {line}")?;
            }
        }
        let witness = strongest.filter(|_| self.witness).and_then(|&criterion| {
            findings
                .iter()
                .find(|finding| finding.ruling.question() == Question::Criterion(criterion.clone()))
        });
        if let Some(Finding { ruling, .. }) = witness {
            writeln!(below, "\n{}: consistent", ruling.question())?;
            for line in ruling.show_witness() {
                writeln!(below, "  {line}")?;
            }
        }
        Ok(())
    }
}

/// Prints the history's name and, once all is known, which criteria hold: what does not wait for methods and explanations.
pub fn beginning(case: &Case<'_>, findings: Option<&[Finding<'_>]>, out: &mut Page) -> io::Result<()> {
    writeln!(out, "{}", out.paint(STRONG, &case.to_string()))?;
    let criteria = findings.map_or_else(Vec::new, words);
    let named = |criteria: Vec<&Criterion>| criteria.into_iter().map(ToString::to_string).collect::<Vec<_>>();
    let rows = [
        ("strongest", GOOD, named(strongest_of(&of(&criteria, Word::Consistent)))),
        ("fails", BAD, named(of(&criteria, Word::Inconsistent))),
        ("undecided", DOUBT, named(of(&criteria, Word::Undecided))),
        ("not asked", FAINT, named(of(&criteria, Word::Unsupported))),
    ];
    for (what, style, names) in rows.iter().filter(|(.., names)| !names.is_empty()) {
        writeln!(out, "  {what:9}  {}", out.paint(*style, &names.join(", ")))?;
    }
    Ok(())
}

/// The criteria with a word.
fn of(criteria: &[(Criterion, Word)], word: Word) -> Vec<&Criterion> {
    criteria.iter().filter(|(_, other)| *other == word).map(|(criterion, _)| criterion).collect()
}

/// The criteria with their words; one that is undecided fails if a weaker one does.
fn words(findings: &[Finding<'_>]) -> Vec<(Criterion, Word)> {
    let word = |(at, finding): (usize, &Finding<'_>)| match finding.ruling.question() {
        Question::Criterion(criterion) => {
            let refuted = refuted_by(findings, at).map(|_| Word::Inconsistent);
            Some((criterion, refuted.unwrap_or(finding.ruling.word())))
        }
        Question::Level(_) | Question::Model(_) => None,
    };
    findings.iter().enumerate().filter_map(word).collect()
}

/// Which methods can be called atomic, and what the others are.
fn methods(findings: &[Finding<'_>], limits: &Limits<'_>) -> Vec<String> {
    let Some(Ruling::Object { typed, .. }) = findings.first().map(|finding| &finding.ruling) else {
        return Vec::new();
    };
    let words = words(findings);
    let holds = |criterion: &Criterion| match words.iter().find(|(asked, _)| asked == criterion)?.1 {
        Word::Consistent => Some(true),
        Word::Inconsistent => Some(false),
        Word::Undecided | Word::Unsupported => None,
    };
    let AtomicMethods { sets, partial } = atomic_methods(typed, holds, &patient(limits));
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

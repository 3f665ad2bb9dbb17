//! What transactions satisfy: the strongest levels and the anomaly, and all levels in a table.

use super::{Sheet, mark};
use crate::args::Budget;
use crate::output::{BAD, DOUBT, FAINT, GOOD, Page, STRONG};
use std::io::{self, Write};
use tribunal_history::transactions::{Base, Isolation, Level};
use tribunal_history::verdict::Verdict;
use tribunal_report::{Answer, Case, Question, refuted_by, satisfied, weakest};

/// The rows of the table, the strongest first.
const ROWS: [(Isolation, &str); 9] = [
    (Isolation::Ser, "ser"),
    (Isolation::Si, "si"),
    (Isolation::Psi, "psi"),
    (Isolation::Pc, "pc"),
    (Isolation::Tcc, "tcc"),
    (Isolation::Rat, "rat"),
    (Isolation::Mav, "mav"),
    (Isolation::Rc, "rc"),
    (Isolation::Ru, "ru"),
];
/// Its columns: what the order must contain.
const COLUMNS: [(Base, &str); 3] =
    [(Base::None, "plain"), (Base::Session, "session-"), (Base::Strict, "strict-")];

/// Prints the strongest levels of each history and, if there is a single one, the table and why it is not stronger.
pub struct Levels {
    witness: bool,
    /// What an explanation may cost.
    budget: Budget,
}

impl Levels {
    /// Tables; with `witness`, a single one is also followed by a witness of a strongest level.
    pub fn new(witness: bool, budget: Budget) -> Self {
        Levels { witness, budget }
    }

    /// Prints what a history satisfies.
    pub fn history(&self, case: &Case<'_>, answers: &[Answer], sheet: &mut Sheet) -> io::Result<()> {
        beginning(case, Some(answers), &mut sheet.page)?;
        if sheet.first {
            table(answers, &mut sheet.below)?;
            self.reasons(answers, &reasons(answers), &mut sheet.below)?;
        }
        Ok(())
    }

    /// Prints why the weakest level fails, from which the others follow, and the witness asked for.
    fn reasons(&self, answers: &[Answer], failing: &[&Answer], below: &mut Page) -> io::Result<()> {
        if let Some(answer) = failing.first() {
            writeln!(below, "\n{}: inconsistent{}", answer.question(), answer.broken())?;
            for line in answer.explain(&self.budget.limits()) {
                writeln!(below, "  {line}")?;
            }
        }
        for name in satisfied(answers).iter().filter(|_| self.witness) {
            let named = |answer: &&Answer| answer.question().to_string() == *name;
            if let Some(answer) = answers.iter().find(named) {
                writeln!(below, "\n{name}: consistent")?;
                for line in answer.show_witness() {
                    writeln!(below, "  {line}")?;
                }
            }
        }
        Ok(())
    }
}

/// Prints the history's name and, once all is known, what it satisfies: what does not wait for explanations.
pub fn beginning(case: &Case<'_>, answers: Option<&[Answer]>, out: &mut Page) -> io::Result<()> {
    writeln!(out, "{}", out.paint(STRONG, &case.to_string()))?;
    let Some(answers) = answers else { return Ok(()) };
    let undecided = answers.iter().filter(|answer| answer.verdict().limit().is_some());
    let undecided = undecided.map(|answer| answer.question().to_string()).collect();
    let anomalies: Vec<String> = reasons(answers)
        .iter()
        .filter_map(|answer| Some(format!("{} ({})", answer.anomaly()?, answer.question())))
        .collect();
    let rows = [
        ("satisfies", GOOD, satisfied(answers)),
        ("anomaly", BAD, anomalies),
        ("undecided", DOUBT, undecided),
    ];
    for (what, style, names) in rows.iter().filter(|(.., names)| !names.is_empty()) {
        writeln!(out, "  {what:9}  {}", out.paint(*style, &names.join(", ")))?;
    }
    Ok(())
}

/// The answers of the weakest levels that fail, those of the least base first.
fn reasons<'f, 'a>(answers: &'f [Answer]) -> Vec<&'f Answer> {
    let mut failing: Vec<&Answer> = weakest(answers).into_iter().map(|at| &answers[at]).collect();
    failing.sort_by_key(|answer| match answer.question() {
        Question::Level(level) => Some((level.base(), level.isolation())),
        _ => None,
    });
    failing
}

/// Prints all levels: isolation by rows, what the order must contain by columns.
fn table(answers: &[Answer], out: &mut Page) -> io::Result<()> {
    let verdict = |level: Level| {
        let asked = |answer: &&Answer| answer.question() == Question::Level(level);
        let at = answers.iter().position(|answer| asked(&answer))?;
        Some(refuted_by(answers, at).map_or(answers[at].verdict(), |_| Verdict::Inconsistent(())))
    };
    let heads: Vec<String> = COLUMNS.iter().map(|(_, name)| format!("{name:10}")).collect();
    writeln!(out, "\n       {}", out.paint(STRONG, heads.concat().trim_end()))?;
    for (isolation, name) in ROWS {
        let mut row = format!("  {}", out.paint(STRONG, &format!("{name:5}")));
        let columns = COLUMNS.map(|(base, _)| Level::new(isolation, base).and_then(verdict));
        let last = columns.iter().rposition(Option::is_some).unwrap_or(0);
        for (column, at) in columns.into_iter().zip(0..=last) {
            let (style, mark) = column.map_or((FAINT, ""), mark);
            let mark = if at == last { mark.to_string() } else { format!("{mark:10}") };
            row += &out.paint(style, &mark);
        }
        writeln!(out, "{row}")?;
    }
    Ok(())
}

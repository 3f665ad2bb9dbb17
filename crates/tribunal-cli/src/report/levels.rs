//! What transactions satisfy: the strongest levels and the anomaly, and all levels in a table.

use super::overview::{Overview, listed};
use super::{Sheet, mark};
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

/// Prints the strongest levels of a history and, if it may stay the only one, the table, why the weakest level fails, from which the others
/// follow, and the witnesses asked for.
pub fn history(
    overview: &Overview,
    case: &Case<'_>,
    answers: &[Answer],
    sheet: &mut Sheet,
) -> io::Result<()> {
    beginning(case, Some(answers), &mut sheet.page)?;
    if !sheet.first {
        return Ok(());
    }
    let below = &mut sheet.below;
    table(answers, below)?;
    if let Some(answer) = reasons(answers).first() {
        overview.because(answer, below)?;
    }
    for name in satisfied(answers).iter().filter(|_| overview.witness) {
        let named = |answer: &&Answer| answer.question().to_string() == *name;
        answers.iter().find(named).map_or(Ok(()), |answer| Overview::witnessed(answer, below))?;
    }
    Ok(())
}

/// Prints the history's name and, once all is known, what it satisfies: what does not wait for explanations.
pub fn beginning(case: &Case<'_>, answers: Option<&[Answer]>, out: &mut Page) -> io::Result<()> {
    let Some(answers) = answers else { return listed(case, &[], out) };
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
    listed(case, &rows, out)
}

/// The answers of the weakest levels that fail, those of the least base first.
fn reasons(answers: &[Answer]) -> Vec<&Answer> {
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

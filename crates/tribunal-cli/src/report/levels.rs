//! What transactions satisfy: the strongest levels and the anomaly, and all levels in a table.

use super::Sheet;
use crate::args::Budget;
use crate::output::{BAD, DOUBT, FAINT, GOOD, Page, STRONG};
use std::io::{self, Write};
use tribunal_history::transactions::{Base, Isolation, Level};
use tribunal_report::{Case, Finding, Question, Ruling, Word, refuted_by, satisfied, weakest};

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
    pub fn history(&self, case: &Case<'_>, findings: &[Finding<'_>], sheet: &mut Sheet) -> io::Result<()> {
        beginning(case, Some(findings), &mut sheet.page)?;
        if sheet.first {
            table(findings, &mut sheet.below)?;
            self.reasons(findings, &reasons(findings), &mut sheet.below)?;
        }
        Ok(())
    }

    /// Prints why the weakest level fails, from which the others follow, and the witness asked for.
    fn reasons(&self, findings: &[Finding<'_>], failing: &[&Ruling<'_>], below: &mut Page) -> io::Result<()> {
        if let Some(ruling) = failing.first() {
            writeln!(below, "\n{}: inconsistent{}", ruling.question(), ruling.broken())?;
            for line in ruling.explain(&self.budget.limits()) {
                writeln!(below, "  {line}")?;
            }
        }
        for name in satisfied(findings).iter().filter(|_| self.witness) {
            let named = |finding: &&Finding<'_>| finding.ruling.question().to_string() == *name;
            if let Some(Finding { ruling, .. }) = findings.iter().find(named) {
                writeln!(below, "\n{name}: consistent")?;
                for line in ruling.show_witness() {
                    writeln!(below, "  {line}")?;
                }
            }
        }
        Ok(())
    }
}

/// Prints the history's name and, once all is known, what it satisfies: what does not wait for explanations.
pub fn beginning(case: &Case<'_>, findings: Option<&[Finding<'_>]>, out: &mut Page) -> io::Result<()> {
    writeln!(out, "{}", out.paint(STRONG, &case.to_string()))?;
    let Some(findings) = findings else { return Ok(()) };
    let of = |word: Word| {
        let those = findings.iter().filter(move |finding| finding.ruling.word() == word);
        those.map(|finding| finding.ruling.question().to_string()).collect::<Vec<_>>()
    };
    let anomalies: Vec<String> = reasons(findings)
        .iter()
        .filter_map(|ruling| Some(format!("{} ({})", ruling.anomaly()?, ruling.question())))
        .collect();
    let rows = [
        ("satisfies", GOOD, satisfied(findings)),
        ("anomaly", BAD, anomalies),
        ("undecided", DOUBT, of(Word::Undecided)),
    ];
    for (what, style, names) in rows.iter().filter(|(.., names)| !names.is_empty()) {
        writeln!(out, "  {what:9}  {}", out.paint(*style, &names.join(", ")))?;
    }
    Ok(())
}

/// The rulings of the weakest levels that fail, those of the least base first.
fn reasons<'f, 'a>(findings: &'f [Finding<'a>]) -> Vec<&'f Ruling<'a>> {
    let mut failing: Vec<&Ruling<'_>> =
        weakest(findings).into_iter().map(|at| &findings[at].ruling).collect();
    failing.sort_by_key(|ruling| match ruling.question() {
        Question::Level(level) => Some((level.base(), level.isolation())),
        _ => None,
    });
    failing
}

/// Prints all levels: isolation by rows, what the order must contain by columns.
fn table(findings: &[Finding<'_>], out: &mut Page) -> io::Result<()> {
    let word = |level: Level| {
        let asked = |finding: &&Finding<'_>| finding.ruling.question() == Question::Level(level);
        let at = findings.iter().position(|finding| asked(&finding))?;
        Some(refuted_by(findings, at).map_or(findings[at].ruling.word(), |_| Word::Inconsistent))
    };
    let heads: Vec<String> = COLUMNS.iter().map(|(_, name)| format!("{name:10}")).collect();
    writeln!(out, "\n       {}", out.paint(STRONG, heads.concat().trim_end()))?;
    for (isolation, name) in ROWS {
        let mut row = format!("  {}", out.paint(STRONG, &format!("{name:5}")));
        let columns = COLUMNS.map(|(base, _)| Level::new(isolation, base).and_then(word));
        let last = columns.iter().rposition(Option::is_some).unwrap_or(0);
        for (column, at) in columns.into_iter().zip(0..=last) {
            let (style, mark) = match column {
                Some(Word::Consistent) => (GOOD, "yes"),
                Some(Word::Inconsistent) => (BAD, "no"),
                Some(Word::Undecided) => (DOUBT, "?"),
                Some(Word::Unsupported) => (FAINT, "-"),
                None => (FAINT, ""),
            };
            let mark = if at == last { mark.to_string() } else { format!("{mark:10}") };
            row += &out.paint(style, &mark);
        }
        writeln!(out, "{row}")?;
    }
    Ok(())
}

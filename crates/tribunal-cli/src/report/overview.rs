//! Everything that applies, of every history: the matrix for memories, the strongest criteria for objects, the levels of transactions.

use super::lines::error_line;
use super::{Begun, Known, Malformed, Report, Sheet, levels, matrix, profile};
use crate::budget::Budget;
use crate::output::{Page, STRONG, indented};
use anstyle::Style;
use std::io::{self, Write};
use tribunal_formats::Subject;
use tribunal_report::{Answer, Case};

/// Prints what of all there is holds of each history and, if there is a single one, why the rest does not.
pub struct Overview {
    /// Whether a single history is also followed by its witnesses.
    pub witness: bool,
    /// The limits of an explanation.
    pub budget: Budget,
}

impl Overview {
    /// Prints why an answer is no.
    pub fn because(&self, answer: &Answer, below: &mut Page) -> io::Result<()> {
        writeln!(below, "\n{}: inconsistent{}", answer.question(), answer.broken())?;
        indented(answer.explain(&self.budget.limits()), below)
    }

    /// Prints why an answer is yes.
    pub fn witnessed(answer: &Answer, below: &mut Page) -> io::Result<()> {
        writeln!(below, "\n{}: consistent", answer.question())?;
        indented(answer.show_witness(), below)
    }
}

/// Prints the history's name, and below it what there is to list, each with its heading.
pub fn listed(case: &Case<'_>, rows: &[(&str, Style, Vec<String>)], out: &mut Page) -> io::Result<()> {
    writeln!(out, "{}", out.paint(STRONG, &case.to_string()))?;
    for (what, style, names) in rows.iter().filter(|(.., names)| !names.is_empty()) {
        writeln!(out, "  {what:9}  {}", out.paint(*style, &names.join(", ")))?;
    }
    Ok(())
}

impl Report for Overview {
    fn history(&self, case: &Case<'_>, answers: &[Answer], sheet: &mut Sheet) -> io::Result<()> {
        match case.subject {
            Subject::Memory(_) => matrix::row(self, case, answers, sheet)?,
            Subject::Object(_) => profile::history(self, case, answers, sheet)?,
            Subject::Transactions(_) => levels::history(self, case, answers, sheet)?,
        }
        if let Begun::Text(printed) = &sheet.begun {
            assert!(sheet.page.text.starts_with(printed), "what was printed is how the page begins");
            sheet.page.text.drain(..printed.len());
        }
        Ok(())
    }

    fn begin(
        &self,
        case: &Case<'_>,
        known: &Known<'_>,
        begun: &mut Begun,
        page: &mut Page,
    ) -> io::Result<()> {
        match case.subject {
            Subject::Memory(_) => matrix::beginning(known, page)?,
            Subject::Object(_) => profile::beginning(case, known.all(), page)?,
            Subject::Transactions(_) => levels::beginning(case, known.all(), page)?,
        }
        if known.lines {
            let whole = page.text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            page.text.truncate(whole);
        }
        let printed = match begun {
            Begun::Text(printed) => std::mem::take(printed),
            Begun::Nothing | Begun::Lines(_) => Vec::new(),
        };
        let more = page.text.split_off(printed.len().min(page.text.len()));
        *begun = Begun::Text([printed, more.clone()].concat());
        page.text = more;
        Ok(())
    }

    fn malformed(&self, malformed: &Malformed<'_>, page: &mut Page) -> io::Result<()> {
        error_line(malformed, page)
    }
}

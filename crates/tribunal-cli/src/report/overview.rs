//! Everything that applies, of every history: the matrix for memories, the strongest criteria for objects, the levels of transactions.

use super::levels::{self, Levels};
use super::lines::error_line;
use super::matrix::{self, Matrix};
use super::profile::{self, Profile};
use super::{Begun, Known, Malformed, Report, Sheet};
use crate::args::Budget;
use crate::output::Page;
use std::io;
use tribunal_formats::Subject;
use tribunal_report::Answer;
use tribunal_report::Case;

/// Prints what of all there is holds of each history and, if there is a single one, why the rest does not.
pub struct Overview {
    matrix: Matrix,
    profile: Profile,
    levels: Levels,
}

impl Overview {
    /// An overview; with `witness`, a single history is also followed by its witnesses.
    pub fn new(witness: bool, budget: &Budget) -> Self {
        Overview {
            matrix: Matrix::new(witness, budget.clone()),
            profile: Profile::new(witness, budget.clone()),
            levels: Levels::new(witness, budget.clone()),
        }
    }
}

impl Report for Overview {
    fn history(&self, case: &Case<'_>, answers: &[Answer], sheet: &mut Sheet) -> io::Result<()> {
        match case.subject {
            Subject::Memory(_) => self.matrix.row(case, answers, sheet)?,
            Subject::Object(_) => self.profile.history(case, answers, sheet)?,
            Subject::Transactions(_) => self.levels.history(case, answers, sheet)?,
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

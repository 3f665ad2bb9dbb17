//! Everything that applies, of every history: the matrix for memories, the strongest criteria for objects, the levels of transactions.

use super::levels::Levels;
use super::lines::error_line;
use super::matrix::Matrix;
use super::profile::Profile;
use super::{Malformed, Report, Sheet};
use crate::args::Budget;
use crate::output::Page;
use std::io;
use tribunal_formats::Subject;
use tribunal_report::Case;
use tribunal_report::Finding;

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
    fn history(&self, case: &Case<'_>, findings: &[Finding<'_>], sheet: &mut Sheet) -> io::Result<()> {
        match case.subject {
            Subject::Memory(_) => self.matrix.row(case, findings, sheet),
            Subject::Object(_) => self.profile.history(case, findings, sheet),
            Subject::Transactions(_) => self.levels.history(case, findings, sheet),
        }
    }

    fn malformed(&self, malformed: &Malformed<'_>, page: &mut Page) -> io::Result<()> {
        error_line(malformed, page)
    }
}

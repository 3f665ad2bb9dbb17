//! What is printed of verdicts: each way in its own file.

mod brief;
mod expect;
mod json;
mod lines;
mod matrix;
mod overview;
mod profile;

pub use brief::Brief;
pub use expect::Expectations;
pub use json::JsonLines;
pub use lines::Lines;
pub use overview::Overview;

use crate::case::Case;
use crate::failure::Failure;
use crate::output::Stdout;
use std::io;
use tribunal_report::Finding;

/// A way of printing findings.
pub trait Report {
    /// Prints the findings on the next history.
    fn history(&mut self, case: &Case<'_>, findings: &[Finding<'_>], out: &mut Stdout)
    -> Result<(), Failure>;

    /// Prints what comes after the last history.
    fn end(&mut self, _out: &mut Stdout) -> io::Result<()> {
        Ok(())
    }
}

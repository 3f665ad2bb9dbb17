//! Printing verdicts: each style in its own file.

mod brief;
mod expect;
mod json;
mod junit;
mod levels;
mod lines;
mod matrix;
mod overview;
mod profile;

pub use brief::Brief;
pub use expect::Expectations;
pub use json::JsonLines;
pub use junit::{Junit, Suites};
pub use lines::Lines;
pub use overview::Overview;

use crate::certificates::Stored;
use crate::failure::Failure;
use crate::output::Page;
use std::io;
use tribunal::Limits;
use tribunal_report::Case;
use tribunal_report::Finding;

/// A way of printing findings.
pub trait Report: Sync {
    /// Prints the findings on a history.
    fn history(&self, case: &Case<'_>, findings: &[Finding<'_>], sheet: &mut Sheet) -> io::Result<()>;

    /// Prints that a history is malformed, with --keep-going.
    fn malformed(&self, malformed: &Malformed<'_>, page: &mut Page) -> io::Result<()>;
}

/// The output for a history.
pub struct Sheet {
    /// What is always printed.
    pub page: Page,
    /// Whether it is the first of its kind, a memory's or an object's.
    pub first: bool,
    /// What is printed at the end if it stays the only one.
    pub below: Page,
    /// What may be spent on what comes beside the answers.
    pub beside: Limits<'static>,
    /// Certificates to store before the page is printed.
    pub stored: Vec<Stored>,
}

/// A history that is malformed.
pub struct Malformed<'a> {
    /// The file's name as given.
    pub file: &'a str,
    /// Its place among the file's histories, from 0.
    pub index: u64,
    /// What is wrong with it.
    pub failure: &'a Failure,
}

//! What is printed of verdicts: each way in its own file.

mod brief;
mod expect;
mod explain;
mod json;
mod lines;
mod matrix;

pub use brief::Brief;
pub use expect::Expectations;
pub use json::JsonLines;
pub use lines::Lines;
pub use matrix::Matrix;

use crate::failure::Failure;
use crate::output::{Stdout, printable};
use std::fmt;
use std::io;
use tribunal::memory::Execution;
use tribunal::{Judgement, Model};

/// A history under judgement, as its readers know it.
pub struct Case<'a> {
    /// The file's name as given.
    pub file: &'a str,
    /// Its place among the file's histories, from 0.
    pub index: u64,
    /// The line where it begins, from 1.
    pub line: u64,
    /// The history.
    pub execution: &'a Execution,
}

/// `MP (litmus.txt:3)`, or `litmus.txt:3` without a name.
impl fmt::Display for Case<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, line) = (printable(self.file), self.line);
        match self.execution.name() {
            Some(name) => write!(f, "{} ({file}:{line})", printable(name)),
            None => write!(f, "{file}:{line}"),
        }
    }
}

/// The verdict of one model on one history.
pub struct Finding {
    /// The model.
    pub model: Model,
    /// Verdict and engine.
    pub judgement: Judgement,
    /// What the judgement took.
    pub micros: u64,
}

/// A way of printing findings.
pub trait Report {
    /// Prints the findings on the next history.
    fn history(&mut self, case: &Case<'_>, findings: &[Finding], out: &mut Stdout) -> Result<(), Failure>;

    /// Prints what comes after the last history.
    fn end(&mut self, _out: &mut Stdout) -> io::Result<()> {
        Ok(())
    }
}

//! The suites, an experiment or two of a paper each.

use crate::{Error, Report, Session, Size, Watch};

/// A named experiment.
pub struct Suite {
    /// How it is called on a command line.
    pub name: &'static str,
    /// What it measures, in a line.
    pub about: &'static str,
    run: fn(&mut Session<'_>) -> Result<(), Error>,
}

impl Suite {
    /// Runs it. What was found until it stopped or failed is in the report in any case.
    pub fn run(&self, size: Size, watch: &mut dyn Watch) -> (Report, Result<(), Error>) {
        let report = Report { name: self.name, about: self.about, sections: Vec::new() };
        let mut session = Session::new(report, size, watch);
        let outcome = (self.run)(&mut session);
        (session.report(), outcome)
    }
}

/// Every suite.
pub static SUITES: &[Suite] = &[];

/// The suite of that name.
pub fn suite(name: &str) -> Option<&'static Suite> {
    SUITES.iter().find(|suite| suite.name == name)
}

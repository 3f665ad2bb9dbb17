//! What was found as JUnit XML: a suite with one test.

use super::Ran;
use crate::output::Page;
use crate::report::Suites;
use crate::report::junit::{element, open};
use std::io::{self, Write};

pub fn document(ran: &Ran<'_>, page: &mut Page) -> io::Result<()> {
    let (program, counts) = (ran.program(), ran.report.counts());
    let mut case = Page::new(false);
    open(&program, &format!("{}: {}", ran.name(), ran.report.model), counts.duration, &mut case)?;
    if let Some(failure) = &ran.report.failure {
        let lines: Vec<String> = failure.text.lines().map(str::to_string).collect();
        element("failure", &failure.kind, &failure.headline, &lines, &mut case)?;
    } else if ran.report.is_unfinished() {
        let why = ran.report.unfinished.as_deref().unwrap_or("a limit was reached");
        element("error", "undecided", why, &[], &mut case)?;
    }
    writeln!(case, "    </testcase>")?;
    let mut suites = Suites::default();
    Suites::begin(page)?;
    suites.add(&case);
    suites.end_file(&program, counts.duration, page)?;
    Suites::end(page)
}

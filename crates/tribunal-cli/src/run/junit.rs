//! What was found as JUnit XML: a suite for each program, with its tests.

use super::Ran;
use crate::output::Page;
use crate::report::Suites;
use crate::report::junit::{element, open};
use std::io::{self, Write};
use std::time::Duration;

/// What was found in programs, those of a file one behind the other.
pub fn document(all: &[Ran], page: &mut Page) -> io::Result<()> {
    let mut suites = Suites::default();
    Suites::begin(page)?;
    for file in all.chunk_by(|one, next| one.program == next.program) {
        let mut duration = Duration::ZERO;
        for ran in file {
            duration += ran.report.counts().duration;
            suites.add(&case(ran)?);
        }
        suites.end_file(&file[0].program, duration, page)?;
    }
    Suites::end(page)
}

fn case(ran: &Ran) -> io::Result<Page> {
    let mut case = Page::new(false);
    let name = format!("{}: {}", ran.name, ran.report.model);
    open(&ran.program, &name, ran.report.counts().duration, &mut case)?;
    if let Some(failure) = &ran.report.failure {
        let lines = failure.text.lines().map(str::to_string).chain(failure.output.iter().cloned());
        let lines: Vec<String> = lines.collect();
        element("failure", &failure.kind, &failure.headline, &lines, &mut case)?;
    } else if ran.report.is_unfinished() {
        let why = ran.report.unfinished.as_deref().unwrap_or("a limit was reached");
        element("error", "undecided", why, &[], &mut case)?;
    }
    writeln!(case, "    </testcase>")?;
    Ok(case)
}

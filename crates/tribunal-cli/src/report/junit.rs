//! JUnit XML, as test benches and their servers read it: a suite a file, a test a history and model.

use super::{Malformed, Report, Sheet};
use crate::budget::Budget;
use crate::output::Page;
use std::io::{self, Write};
use std::time::Duration;
use tribunal_history::verdict::Verdict;
use tribunal_report::{Answer, Case, Verification};

/// Writes a test case for each history and model: an inconsistent verdict is a failure; what is undecided, malformed or not
/// verified is an error, since it must not pass; a model that does not apply is skipped.
pub struct Junit {
    /// The limits of an explanation.
    pub budget: Budget,
}

impl Report for Junit {
    fn history(&self, case: &Case<'_>, answers: &[Answer], sheet: &mut Sheet) -> io::Result<()> {
        let out = &mut sheet.page;
        for answer in answers {
            let name = format!("{case}: {}", answer.question());
            open(case.file, &name, Duration::from_micros(answer.micros), out)?;
            let reason = answer.reason().unwrap_or_default();
            match (&answer.verification, answer.verdict()) {
                (Some(verification @ Verification::Refused(_)), _) => {
                    element("error", "refused", &format!("certificate {verification}"), &[], out)?;
                }
                (Some(verification @ Verification::Undecided(_)), _) => {
                    element("error", "not verified", &format!("certificate {verification}"), &[], out)?;
                }
                (_, Verdict::Consistent(())) => {}
                (_, Verdict::Inconsistent(())) => {
                    let message = format!("inconsistent{}", answer.broken());
                    element(
                        "failure",
                        "inconsistent",
                        &message,
                        &answer.explain(&self.budget.limits()),
                        out,
                    )?;
                }
                (_, Verdict::Undecided(_)) => {
                    element("error", "undecided", &format!("undecided: {reason}"), &[], out)?;
                }
                (_, Verdict::Unsupported(())) => {
                    writeln!(
                        out,
                        "      <skipped message=\"{}\"/>",
                        attribute(&format!("does not apply: {reason}"))
                    )?;
                }
            }
            let race = answer.explain_race();
            if !race.is_empty() {
                writeln!(out, "      <system-out>{}</system-out>", escaped(&race.join("\n")))?;
            }
            writeln!(out, "    </testcase>")?;
        }
        Ok(())
    }

    fn malformed(&self, malformed: &Malformed<'_>, page: &mut Page) -> io::Result<()> {
        let Malformed { file, index, failure } = malformed;
        open(file, &format!("history {index}"), Duration::ZERO, page)?;
        element("error", "malformed", &failure.to_string(), &[], page)?;
        writeln!(page, "    </testcase>")
    }
}

/// Begins a test case.
pub fn open(file: &str, name: &str, time: Duration, out: &mut Page) -> io::Result<()> {
    let (class, name, seconds) = (attribute(file), attribute(name), time.as_secs_f64());
    writeln!(out, "    <testcase classname=\"{class}\" name=\"{name}\" time=\"{seconds:.6}\">")
}

/// What is wrong with a test case.
pub fn element(tag: &str, kind: &str, message: &str, lines: &[String], out: &mut Page) -> io::Result<()> {
    let (message, text) = (attribute(message), escaped(&lines.join("\n")));
    writeln!(out, "      <{tag} type=\"{kind}\" message=\"{message}\">{text}</{tag}>")
}

/// The text as it may stand between tags. XML has no way to write most control characters.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push('\n'),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The text as it may stand in an attribute, where readers take a line break for a space.
fn attribute(text: &str) -> String {
    escaped(text).replace('\n', "&#10;")
}

/// The document: what was written of each file is held until its end, since a suite says first how many tests it has.
#[derive(Default)]
pub struct Suites {
    cases: Vec<u8>,
}

impl Suites {
    /// Begins the document.
    pub fn begin(out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tribunal\">")
    }

    /// Adds test cases to the present suite.
    pub fn add(&mut self, page: &Page) {
        self.cases.extend(&page.text);
    }

    /// Writes the suite of a file.
    pub fn end_file(&mut self, file: &str, time: Duration, out: &mut impl Write) -> io::Result<()> {
        let cases = std::mem::take(&mut self.cases);
        // In what is escaped there is no `<`.
        let count = |tag: &str| cases.windows(tag.len()).filter(|window| *window == tag.as_bytes()).count();
        writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.6}\">",
            attribute(file),
            count("<testcase "),
            count("<failure "),
            count("<error "),
            count("<skipped "),
            time.as_secs_f64(),
        )?;
        out.write_all(&cases)?;
        writeln!(out, "  </testsuite>")
    }

    /// Ends the document.
    pub fn end(out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "</testsuites>")
    }
}

#[cfg(test)]
mod tests {
    use super::{attribute, escaped};

    #[test]
    fn markup_and_controls_are_escaped() {
        assert_eq!(escaped("a<b>&\"c\"\n\u{1b}[31m→"), "a&lt;b&gt;&amp;&quot;c&quot;\n\u{fffd}[31m→");
        assert_eq!(attribute("two\nlines"), "two&#10;lines");
    }
}

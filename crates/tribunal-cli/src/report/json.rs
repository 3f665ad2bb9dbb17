//! One JSON object for each history and model.

use super::{Begun, Known, Malformed, Report, Sheet};
use crate::certificates::Store;
use crate::output::Page;
use serde_json::Value;
use std::io::{self, Write};
use tribunal_report::{Answer, Case, error_line, verdict_line};

/// Prints verdict lines.
pub struct JsonLines {
    /// Whether consistent lines carry their witness.
    pub witness: bool,
    /// The store of large certificates; without it they stand in their lines.
    pub store: Option<Store>,
    /// The addition to the reason of an answer that came too late.
    pub hint: Option<&'static str>,
}

impl Report for JsonLines {
    fn history(&self, case: &Case<'_>, answers: &[Answer], sheet: &mut Sheet) -> io::Result<()> {
        let Sheet { page, stored, begun, .. } = sheet;
        for answer in &answers[begun.lines()..] {
            let certificate = |certificate: Value| match &self.store {
                Some(store) => store.put(case, &answer.question(), certificate.to_string(), stored),
                None => certificate.to_string(),
            };
            writeln!(page, "{}", verdict_line(case, answer, self.witness, self.hint, certificate))?;
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
        // What is stored comes before the line that names it.
        if self.store.is_some() {
            return Ok(());
        }
        for answer in known.settled().skip(begun.lines()) {
            let certificate = |certificate: Value| certificate.to_string();
            writeln!(page, "{}", verdict_line(case, answer, self.witness, self.hint, certificate))?;
            *begun = Begun::Lines(begun.lines() + 1);
        }
        Ok(())
    }

    fn malformed(&self, malformed: &Malformed<'_>, page: &mut Page) -> io::Result<()> {
        let Malformed { file, index, failure } = malformed;
        writeln!(page, "{}", error_line(file, *index, &failure.to_string()))
    }
}

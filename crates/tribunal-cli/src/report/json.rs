//! One JSON object for each history and model.

use super::{Malformed, Report, Sheet};
use crate::case::Case;
use crate::certificates::{Store, Stored};
use crate::output::Page;
use serde_json::{Value, json};
use std::io::{self, Write};
use tribunal_formats::certificate::race_to_json;
use tribunal_report::memory::Racy;
use tribunal_report::{Finding, Question, Ruling, Word};

/// Prints verdict lines.
pub struct JsonLines {
    /// Whether consistent lines carry their witness.
    pub witness: bool,
    /// Where large certificates go; without it they stand in their lines.
    pub store: Option<Store>,
    /// What to add to the reason of an answer that came too late.
    pub hint: Option<&'static str>,
}

impl JsonLines {
    /// What of a certificate stands in the verdict line.
    fn inline(
        &self,
        case: &Case<'_>,
        question: &Question,
        certificate: &Value,
        stored: &mut Vec<Stored>,
    ) -> String {
        let certificate = certificate.to_string();
        match &self.store {
            Some(store) => store.put(case, question, certificate, stored),
            None => certificate,
        }
    }
}

/// A race, null if there is none, or why that is not known.
fn race(ruling: &Ruling<'_>, racy: &Racy) -> Value {
    match (ruling, racy) {
        (Ruling::Memory { execution, .. }, Racy::Race(race)) => race_to_json(execution, race),
        (_, Racy::Undecided(limit)) => json!(limit.to_string()),
        _ => Value::Null,
    }
}

impl Report for JsonLines {
    fn history(&self, case: &Case<'_>, findings: &[Finding<'_>], sheet: &mut Sheet) -> io::Result<()> {
        for Finding { ruling, engine, micros, racy, verification } in findings {
            let (question, word) = (ruling.question(), ruling.word());
            let key = match word {
                Word::Consistent if self.witness => Some("witness"),
                Word::Inconsistent => Some("violation"),
                _ => None,
            };
            let more = match (key, ruling.reason()) {
                (Some(key), _) => match ruling.certificate() {
                    Some(certificate) => {
                        let certificate = self.inline(case, &question, &certificate, &mut sheet.stored);
                        format!(r#","{key}":{certificate}"#)
                    }
                    None => String::new(),
                },
                (None, Some(mut reason)) => {
                    if let Some(hint) = self.hint.filter(|_| ruling.is_late()) {
                        reason = format!("{reason}: {hint}");
                    }
                    format!(r#","reason":{}"#, json!(reason))
                }
                (None, None) => String::new(),
            };
            let verified = match verification {
                Some(verification) => format!(r#","verification":{}"#, verification.to_json()),
                None => String::new(),
            };
            let race =
                racy.as_ref().map_or(String::new(), |racy| format!(r#","race":{}"#, race(ruling, racy)));
            let nil_reads = match case.nil_reads() {
                0 => String::new(),
                count => format!(r#","nil_reads":{count}"#),
            };
            let warning =
                case.warning().map_or(String::new(), |warning| format!(r#","warning":{}"#, json!(warning)));
            // Written key by key to keep the order in which people read them.
            writeln!(
                sheet.page,
                r#"{{"file":{},"index":{},"name":{},"model":{},"verdict":"{word}","engine":{},"events":{},"micros":{micros}{nil_reads}{warning}{race}{verified}{more}}}"#,
                json!(case.file),
                case.index,
                json!(case.name()),
                json!(question.to_string()),
                match word {
                    Word::Unsupported => json!(null),
                    _ => json!(engine),
                },
                case.events(),
            )?;
        }
        Ok(())
    }
    fn malformed(&self, malformed: &Malformed<'_>, page: &mut Page) -> io::Result<()> {
        let Malformed { file, index, failure } = malformed;
        writeln!(
            page,
            r#"{{"file":{},"index":{index},"name":null,"model":null,"verdict":"error","engine":null,"events":null,"micros":0,"error":{}}}"#,
            json!(file),
            json!(failure.to_string()),
        )
    }
}

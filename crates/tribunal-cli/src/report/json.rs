//! One JSON object for each history and model.

use super::Report;
use crate::case::Case;
use crate::certificates::Store;
use crate::failure::Failure;
use crate::output::Stdout;
use serde_json::{Value, json};
use std::io::Write;
use tribunal_report::Question;
use tribunal_report::{Finding, Word};

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
    fn inline(&self, case: &Case<'_>, question: &Question, certificate: &Value) -> Result<String, Failure> {
        let certificate = certificate.to_string();
        match &self.store {
            Some(store) => store.put(case, question, certificate),
            None => Ok(certificate),
        }
    }
}

impl Report for JsonLines {
    fn history(
        &mut self,
        case: &Case<'_>,
        findings: &[Finding<'_>],
        out: &mut Stdout,
    ) -> Result<(), Failure> {
        for Finding { ruling, engine, micros, verification } in findings {
            let (question, word) = (ruling.question(), ruling.word());
            let key = match word {
                Word::Consistent if self.witness => Some("witness"),
                Word::Inconsistent => Some("violation"),
                _ => None,
            };
            // Before the line is begun: if the certificate cannot be stored, there is no line.
            let more = match (key, ruling.reason()) {
                (Some(key), _) => match ruling.certificate() {
                    Some(certificate) => {
                        format!(r#","{key}":{}"#, self.inline(case, &question, &certificate)?)
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
            let nil_reads = match case.nil_reads() {
                0 => String::new(),
                count => format!(r#","nil_reads":{count}"#),
            };
            let warning =
                case.warning().map_or(String::new(), |warning| format!(r#","warning":{}"#, json!(warning)));
            // Written key by key to keep the order in which people read them.
            writeln!(
                out,
                r#"{{"file":{},"index":{},"name":{},"model":{},"verdict":"{word}","engine":{},"events":{},"micros":{micros}{nil_reads}{warning}{verified}{more}}}"#,
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
}

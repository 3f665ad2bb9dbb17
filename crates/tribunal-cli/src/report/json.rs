//! One JSON object for each history and model.

use super::{Case, Finding, Report};
use crate::certificates::Store;
use crate::failure::Failure;
use crate::output::Stdout;
use serde_json::{Value, json};
use std::io::Write;
use tribunal::{Model, Verdict};
use tribunal_formats::certificate::{violation_to_json, witness_to_json};

/// Prints verdict lines.
pub struct JsonLines {
    /// Whether consistent lines carry their witness.
    pub witness: bool,
    /// Where large certificates go; without it they stand in their lines.
    pub store: Option<Store>,
}

impl JsonLines {
    /// What of a certificate stands in the verdict line.
    fn inline(&self, case: &Case<'_>, model: Model, certificate: &Value) -> Result<String, Failure> {
        let certificate = certificate.to_string();
        match &self.store {
            Some(store) => store.put(case, model, certificate),
            None => Ok(certificate),
        }
    }
}

impl Report for JsonLines {
    fn history(&mut self, case: &Case<'_>, findings: &[Finding], out: &mut Stdout) -> Result<(), Failure> {
        let x = case.execution;
        for Finding { model, judgement, micros } in findings {
            // Before the line is begun: if the certificate cannot be stored, there is no line.
            let more = match &judgement.verdict {
                Verdict::Consistent(witness) if self.witness => {
                    let witness = self.inline(case, *model, &witness_to_json(x, witness))?;
                    format!(r#","witness":{witness}"#)
                }
                Verdict::Consistent(_) => String::new(),
                Verdict::Inconsistent(violation) => {
                    let violation = self.inline(case, *model, &violation_to_json(x, violation))?;
                    format!(r#","violation":{violation}"#)
                }
                Verdict::Undecided(limit) => format!(r#","reason":{}"#, json!(limit.to_string())),
                Verdict::Unsupported(why) => format!(r#","reason":{}"#, json!(why.to_string())),
            };
            // Written key by key to keep the order in which people read them.
            writeln!(
                out,
                r#"{{"file":{},"index":{},"name":{},"model":"{model}","verdict":"{}","engine":{},"events":{},"micros":{micros}{more}}}"#,
                json!(case.file),
                case.index,
                json!(x.name()),
                judgement.verdict.word(),
                match judgement.verdict {
                    Verdict::Unsupported(_) => json!(null),
                    _ => json!(judgement.engine.name()),
                },
                x.len(),
            )?;
        }
        Ok(())
    }
}

//! One JSON object for each history and model.

use super::{Case, Finding, Report};
use crate::output::Stdout;
use serde_json::json;
use std::io::{self, Write};
use tribunal::Verdict;
use tribunal_formats::certificate::{violation_to_json, witness_to_json};

/// Prints verdict lines.
pub struct JsonLines {
    /// Whether consistent lines carry their witness.
    pub witness: bool,
}

impl Report for JsonLines {
    fn history(&mut self, case: &Case<'_>, findings: &[Finding], out: &mut Stdout) -> io::Result<()> {
        let x = case.execution;
        for Finding { model, judgement, micros } in findings {
            // Written key by key to keep the order in which people read them.
            write!(
                out,
                r#"{{"file":{},"index":{},"name":{},"model":"{model}","verdict":"{}","engine":{},"events":{},"micros":{micros}"#,
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
            match &judgement.verdict {
                Verdict::Consistent(witness) if self.witness => {
                    write!(out, r#","witness":{}"#, witness_to_json(x, witness))?;
                }
                Verdict::Consistent(_) => {}
                Verdict::Inconsistent(violation) => {
                    write!(out, r#","violation":{}"#, violation_to_json(x, violation))?;
                }
                Verdict::Undecided(limit) => write!(out, r#","reason":{}"#, json!(limit.to_string()))?,
                Verdict::Unsupported(why) => write!(out, r#","reason":{}"#, json!(why.to_string()))?,
            }
            writeln!(out, "}}")?;
        }
        Ok(())
    }
}

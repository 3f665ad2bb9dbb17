//! A verdict as one line of JSON, for programs.

use crate::memory::Racy;
use crate::{Case, Finding, Ruling, Word};
use serde_json::{Value, json};
use tribunal_formats::certificate::{digest, race_to_json};

/// The version of the JSON lines that the command prints: docs/schema describes them. It changes when a key goes or means
/// something else, not when one is added.
pub const SCHEMA: u32 = 1;

/// The verdict line of a finding, without its line break. It always has the violation, and the witness if wanted; `certificate`
/// writes either. `hint` is added to the reason of an answer that took too long.
pub fn verdict_line(
    case: &Case<'_>,
    finding: &Finding<'_>,
    witness: bool,
    hint: Option<&str>,
    certificate: impl FnOnce(Value) -> String,
) -> String {
    let Finding { ruling, engine, micros, racy, verification } = finding;
    let word = ruling.word();
    let key = match word {
        Word::Consistent if witness => Some("witness"),
        Word::Inconsistent => Some("violation"),
        _ => None,
    };
    let more = match (key, ruling.reason()) {
        (Some(key), _) => match ruling.certificate() {
            Some(value) => {
                format!(r#","digest":"{}","{key}":{}"#, digest(case.subject), certificate(value))
            }
            None => String::new(),
        },
        (None, Some(mut reason)) => {
            if let Some(hint) = hint.filter(|_| ruling.is_late()) {
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
    let race = racy.as_ref().map_or(String::new(), |racy| format!(r#","race":{}"#, race(ruling, racy)));
    let nil_reads = match case.nil_reads() {
        0 => String::new(),
        count => format!(r#","nil_reads":{count}"#),
    };
    let warning = case.warning().map_or(String::new(), |warning| format!(r#","warning":{}"#, json!(warning)));
    let anomaly =
        ruling.anomaly().map_or(String::new(), |anomaly| format!(r#","anomaly":{}"#, json!(anomaly)));
    // Written key by key to keep the order in which people read them.
    format!(
        r#"{{"schema":{SCHEMA},"file":{},"index":{},"name":{},"model":{},"verdict":"{word}","engine":{},"events":{},"micros":{micros}{nil_reads}{warning}{race}{anomaly}{verified}{more}}}"#,
        json!(case.file),
        case.index,
        json!(case.name()),
        json!(ruling.question().to_string()),
        match word {
            Word::Unsupported => json!(null),
            _ => json!(engine),
        },
        case.events(),
    )
}

/// The line of a malformed history, without its line break.
pub fn error_line(file: &str, index: u64, error: &str) -> String {
    format!(
        r#"{{"schema":{SCHEMA},"file":{},"index":{index},"name":null,"model":null,"verdict":"error","engine":null,"events":null,"micros":0,"error":{}}}"#,
        json!(file),
        json!(error),
    )
}

/// The race, null if there is none, or why that is unknown.
fn race(ruling: &Ruling<'_>, racy: &Racy) -> Value {
    match (ruling, racy) {
        (Ruling::Memory { execution, .. }, Racy::Race(race)) => race_to_json(execution, race),
        (_, Racy::Undecided(limit)) => json!(limit.to_string()),
        _ => Value::Null,
    }
}

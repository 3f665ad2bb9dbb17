//! A verdict as one line of JSON, for programs.

use crate::memory::Racy;
use crate::{Answer, Case, On};
use serde_json::{Value, json};
use tribunal_engines::Engine;
use tribunal_formats::certificate::{digest, race_to_json};
use tribunal_history::verdict::Verdict;

/// The version of the JSON lines that the command prints: docs/schema describes them. It changes when a key goes or means
/// something else, not when one is added.
pub const SCHEMA: u32 = 1;

/// The verdict line of an answer, without its line break. It always has the violation, and the witness if wanted; `certificate`
/// writes either. `hint` is added to the reason of an answer that took too long.
pub fn verdict_line(
    case: &Case<'_>,
    answer: &Answer,
    witness: bool,
    hint: Option<&str>,
    certificate: impl FnOnce(Value) -> String,
) -> String {
    let Answer { engine, micros, racy, verification, .. } = answer;
    let verdict = answer.verdict();
    let key = match verdict {
        Verdict::Consistent(()) if witness => Some("witness"),
        Verdict::Inconsistent(()) => Some("violation"),
        _ => None,
    };
    let more = match (key, answer.reason()) {
        (Some(key), _) => match answer.certificate() {
            Some(value) => {
                format!(r#","digest":"{}","{key}":{}"#, digest(case.subject), certificate(value))
            }
            None => String::new(),
        },
        (None, Some(mut reason)) => {
            if let Some(hint) = hint.filter(|_| answer.is_late()) {
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
    let race = racy.as_ref().map_or(String::new(), |racy| format!(r#","race":{}"#, race(answer, racy)));
    let nil_reads = match case.nil_reads() {
        0 => String::new(),
        count => format!(r#","nil_reads":{count}"#),
    };
    let warning = case.warning().map_or(String::new(), |warning| format!(r#","warning":{}"#, json!(warning)));
    let anomaly =
        answer.anomaly().map_or(String::new(), |anomaly| format!(r#","anomaly":{}"#, json!(anomaly)));
    // Written key by key to keep the order in which people read them.
    format!(
        r#"{},"engine":{},"events":{},"micros":{micros}{nil_reads}{warning}{race}{anomaly}{verified}{more}}}"#,
        line_head(case, &answer.question().to_string(), verdict.word()),
        json!(engine.map(Engine::name)),
        case.events(),
    )
}

/// How a line begins that says something of a history under a model.
pub fn line_head(case: &Case<'_>, model: &str, verdict: &str) -> String {
    head(case.file, case.index, case.name(), Some(model), verdict)
}

fn head(file: &str, index: u64, name: Option<&str>, model: Option<&str>, verdict: &str) -> String {
    let (file, name, model) = (json!(file), json!(name), json!(model));
    format!(
        r#"{{"schema":{SCHEMA},"file":{file},"index":{index},"name":{name},"model":{model},"verdict":"{verdict}""#
    )
}

/// The line of a malformed history, without its line break.
pub fn error_line(file: &str, index: u64, error: &str) -> String {
    format!(
        r#"{},"engine":null,"events":null,"micros":0,"error":{}}}"#,
        head(file, index, None, None, "error"),
        json!(error),
    )
}

/// The race, null if there is none, or why that is unknown.
fn race(answer: &Answer, racy: &Racy) -> Value {
    match (&answer.on, racy) {
        (On::Memory { execution, .. }, Racy::Race(race)) => race_to_json(execution, race),
        (_, Racy::Undecided(limit)) => json!(limit.to_string()),
        _ => Value::Null,
    }
}

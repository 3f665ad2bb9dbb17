//! The findings of an exploration as JSON, for programs.

use super::Found;
use super::print::{events, summary};
use crate::output::Page;
use serde_json::{Map, Value as Json, json};
use std::io::{self, Write};
use tribunal_explore::failure::{Change, Repair};
use tribunal_explore::text::{FailureKind, Outcomes, Setting, Value};
use tribunal_explore::{End, Estimate, Failure};
use tribunal_report::SCHEMA;

/// One object in a line.
pub fn line(found: &Found<'_>, page: &mut Page) -> io::Result<()> {
    let report = &found.exploration.report;
    let verdict = match &report.failure {
        Some(_) => "failure",
        None if found.is_unfinished() => "undecided",
        None => "no-failure",
    };
    let object = json!({
        "schema": SCHEMA,
        "file": found.job.file,
        "model": found.job.model.name(),
        "settings": settings(&found.job.settings),
        "verdict": verdict,
        "end": end_name(report.end),
        "executions": report.executions,
        "with_mo": report.with_mo,
        "blocked": report.blocked,
        "outside": report.outside,
        "estimate": report.estimate.map(|Estimate { executions, error }| json!({"executions": executions, "error": error})),
        "events": report.events,
        "micros": report.duration.as_micros() as u64,
        "outcomes": outcomes(&found.exploration.outcomes),
        "failure": report.failure.as_ref().map(failure),
        "expected": found.job.case.as_ref().map(|case| json!({
            "line": case.line,
            "met": found.mismatches.is_empty(),
            "mismatches": found.mismatches.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })),
        "unsatisfied": found.missing(),
        "models": found.models.iter().map(|under| json!({
            "model": under.model.name(),
            "end": end_name(under.end),
            "executions": under.executions,
            "failure": under.failure,
        })).collect::<Vec<_>>(),
        "repair": found.repair.as_ref().map(repair),
    });
    writeln!(page, "{object}")
}

fn settings(settings: &[Setting]) -> Json {
    let value = |value: &Value| match value {
        Value::Number(number) => json!(number),
        Value::Order(_) => json!(value.to_string()),
    };
    settings.iter().map(|setting| (setting.name.clone(), value(&setting.value))).collect::<Map<_, _>>().into()
}

/// The end of an exploration as a word.
pub fn end_name(end: End) -> &'static str {
    match end {
        End::Complete => "complete",
        End::Failed => "failed",
        End::MaxExecutions => "max-executions",
        End::MaxDuration => "timeout",
        End::MaxMemory => "max-memory",
        End::Interrupted => "interrupted",
        End::Bounded => "max-preemptions",
        End::Skipped => "skipped",
        End::Sampled => "sampled",
    }
}

fn outcomes(outcomes: &Outcomes) -> Json {
    let rows = outcomes.counts.iter().map(|(values, count)| json!({"values": values, "executions": count}));
    json!({"names": outcomes.names, "rows": rows.collect::<Vec<_>>()})
}

fn repair(repair: &Repair) -> Json {
    let change = |change: &Change| {
        json!({
            "line": change.place.line,
            "column": change.place.column,
            "operation": change.kind.to_string(),
            "from": change.from.name(),
            "to": change.to.name(),
        })
    };
    let sets = |sets: &[Vec<Change>]| -> Vec<Vec<Json>> {
        sets.iter().map(|set| set.iter().map(change).collect()).collect()
    };
    match repair {
        Repair::Orders(orders) => json!({"kind": "orders", "sets": sets(orders)}),
        Repair::NotOrders => json!({"kind": "not-orders"}),
        Repair::Unknown => json!({"kind": "unknown"}),
    }
}

fn failure(failure: &Failure) -> Json {
    let event = |event: super::print::Shown| json!({"event": event.name, "text": event.text, "line": event.place.line, "column": event.place.column});
    json!({
        "kind": FailureKind::of(&failure.problem).name(),
        "message": summary(failure),
        "line": failure.place.line,
        "column": failure.place.column,
        "replay": failure.replay_string(),
        "execution": events(failure).map(event).collect::<Vec<_>>(),
    })
}

//! What was found: as text for people, and as JSON for programs.

use super::Ran;
use super::report::Place;
use crate::explore::{end_name, no_failure};
use crate::output::{BAD, Page, indented};
use serde_json::{Value, json};
use std::io::{self, Write};
use tribunal_explore::{End, Estimate};
use tribunal_report::{SCHEMA, printable, printable_lines};

/// What was found, in a line.
pub fn line(ran: &Ran, page: &mut Page) -> io::Result<()> {
    let verdict = match &ran.report.failure {
        Some(failure) => page.paint(BAD, &printable_lines(&failure.headline)),
        None => no_failure(&ran.report.counts(), page),
    };
    writeln!(page, "{}: {}: {verdict}", printable(&ran.name), printable(&ran.report.model))
}

/// All that was found.
pub fn whole(ran: &Ran, page: &mut Page) -> io::Result<()> {
    line(ran, page)?;
    details(ran, page)?;
    writeln!(page, "  {:.2} s", ran.report.counts().duration.as_secs_f64())
}

/// What does not fit in the line.
pub fn details(ran: &Ran, page: &mut Page) -> io::Result<()> {
    let counts = ran.report.counts();
    if let (End::Complete, Some(unfinished)) = (counts.end, &ran.report.unfinished) {
        writeln!(page, "  {}", printable(unfinished))?;
    }
    if let Some(failure) = &ran.report.failure {
        writeln!(page)?;
        // The line above has its beginning.
        let text = failure.text.strip_prefix(&failure.headline).unwrap_or(&failure.text).trim();
        let lines = text.lines().map(|line| printable(line).into_owned());
        lines.map(|line| format!("  {line}")).try_for_each(|line| writeln!(page, "{}", line.trim_end()))?;
        if !failure.output.is_empty() {
            writeln!(page, "\n  what it printed last:")?;
            indented(failure.output.iter().map(|line| printable(line)), page)?;
        }
        if let Some(history) = &failure.history {
            writeln!(page, "  history: {}", printable(history))?;
        }
    }
    let models = ran.report.models.iter();
    let models = models.map(|under| format!("{}: {}", printable(&under.model), printable(&under.verdict)));
    let repair = ran.report.repair.iter().flat_map(|repair| &repair.lines);
    for lines in [models.collect::<Vec<_>>(), repair.map(|line| printable(line).into_owned()).collect()] {
        if !lines.is_empty() {
            writeln!(page)?;
            indented(lines, page)?;
        }
    }
    Ok(())
}

/// All that was found, as an object in a line.
pub fn json(ran: &Ran, page: &mut Page) -> io::Result<()> {
    let counts = ran.report.counts();
    let verdict = match &ran.report.failure {
        Some(_) => "failure",
        None if ran.report.is_unfinished() => "undecided",
        None => "no-failure",
    };
    let place = |place: &Place| json!({"file": place.file, "line": place.line, "column": place.column});
    let failure = ran.report.failure.as_ref().map(|failure| {
        json!({
            "kind": failure.kind,
            "message": failure.headline,
            "place": failure.place.as_ref().map(place),
            "places": failure.places().map(place).collect::<Vec<Value>>(),
            "thread": failure.thread,
            "replay": failure.replay,
            "text": failure.text,
            "output": failure.output,
            "history": failure.history,
        })
    });
    let models = ran.report.models.iter();
    let models = models.map(|under| json!({"model": under.model, "verdict": under.verdict}));
    let object = json!({
        "schema": SCHEMA,
        "file": ran.program,
        "arguments": ran.words,
        "model": ran.report.model,
        "verdict": verdict,
        "end": end_name(counts.end),
        "executions": counts.executions,
        "with_mo": counts.with_mo,
        "blocked": counts.blocked,
        "outside": counts.outside,
        "estimate": counts.estimate.map(|Estimate { executions, error }| json!({"executions": executions, "error": error})),
        "unfinished": ran.report.unfinished,
        "events": counts.events,
        "micros": counts.duration.as_micros() as u64,
        "failure": failure,
        "models": models.collect::<Vec<Value>>(),
        "repair": ran.report.repair.as_ref().map(|repair| &repair.lines),
        "warnings": ran.warnings,
    });
    writeln!(page, "{object}")
}

//! The findings of an exploration as text, for people.

use super::{ExploreArguments, Found, Job, is_unfinished};
use crate::output::{BAD, DOUBT, FAINT, GOOD, Page, indented};
use std::fmt;
use std::io::{self, Write};
use tribunal_explore::graph::{Event, EventId, Source};
use tribunal_explore::program::{Action, Place};
use tribunal_explore::text::{FREED, Outcomes};
use tribunal_explore::{End, Failure, Problem, Report};
use tribunal_history::limits::Limits;
use tribunal_report::printable;

/// Outcomes in a table, unless all are asked for.
const ROWS: usize = 20;

/// The name of the exploration.
impl fmt::Display for Job<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", printable(self.file))?;
        if !self.settings.is_empty() {
            let settings: Vec<String> = self.settings.iter().map(ToString::to_string).collect();
            write!(f, " [{}]", settings.join(", "))?;
        }
        write!(f, ": {}", self.model)
    }
}

/// The result, in a line.
pub fn line(found: &Found<'_>, page: &mut Page) -> io::Result<()> {
    let report = &found.exploration.report;
    let verdict = match &report.failure {
        // How many executions came before depends on who was faster.
        Some(failure) => page.paint(BAD, &summary(failure)),
        None => no_failure(report, page),
    };
    let expected = match (&found.job.case, found.mismatches.is_empty()) {
        (None, _) => String::new(),
        (Some(_), true) if found.is_unfinished() => String::new(),
        (Some(_), true) => ", as expected".into(),
        (Some(_), false) => format!(", {}", page.paint(BAD, "not as expected")),
    };
    writeln!(page, "{}: {verdict}{expected}", found.job)
}

/// That nothing failed, in how many executions, and why not in all.
pub fn no_failure(report: &Report, page: &Page) -> String {
    let style = if is_unfinished(report.end) { DOUBT } else { GOOD };
    format!("{} in {}", page.paint(style, "no failure"), seen(report))
}

/// What was seen, such as `all 24 executions`.
pub fn seen(report: &Report) -> String {
    let all = match (report.end, report.executions) {
        (End::Complete, 1) => "its ",
        (End::Complete, _) => "all ",
        _ => "",
    };
    format!("{all}{}{}{}", executions(report), ended(report), left(report))
}

fn executions(report: &Report) -> String {
    let plural = if report.executions == 1 { "" } else { "s" };
    let beside = [(report.blocked, "blocked"), (report.outside, "outside of the bound")];
    let beside = beside.into_iter().filter(|(count, _)| *count > 0);
    let beside: Vec<String> = beside.map(|(count, what)| format!("{count} {what}")).collect();
    let beside = if beside.is_empty() { String::new() } else { format!(" ({} beside)", beside.join(", ")) };
    let with_mo = report.with_mo.map_or(String::new(), |with_mo| format!(", {with_mo} with mo"));
    format!("{} execution{plural}{with_mo}{beside}", report.executions)
}

/// The estimated number of executions, if not all were seen.
fn left(report: &Report) -> String {
    match (report.end, report.estimate) {
        (End::Complete | End::Failed | End::Sampled, _) => String::new(),
        (_, Some(estimate)) => format!("; there are {estimate}"),
        (_, None) => "; how many there are is unknown".into(),
    }
}

fn ended(report: &Report) -> &'static str {
    match report.end {
        End::Complete | End::Failed => "",
        End::MaxExecutions => ", then --max-executions ended it",
        End::MaxDuration => ", then --timeout ended it",
        End::MaxMemory => ", then --max-memory ended it",
        End::Interrupted => ", then it was stopped",
        End::Bounded => ", and --max-preemptions left some out",
        End::Skipped => ", outside of what it skips",
        End::Sampled => " by chance",
    }
}

/// The result, and how it differs from what was expected.
pub fn summarized(found: &Found<'_>, page: &mut Page) -> io::Result<()> {
    line(found, page)?;
    for mismatch in &found.mismatches {
        let line = found.job.case.as_ref().map_or(0, |case| case.line);
        writeln!(page, "  line {line}: {mismatch}")?;
    }
    for missing in found.missing() {
        writeln!(page, "  {}: {missing}", page.paint(BAD, "no outcome satisfies"))?;
    }
    Ok(())
}

/// All that was found, unless it is as expected and that is all that was asked.
pub fn detailed(
    found: &Found<'_>,
    arguments: &ExploreArguments,
    limits: &Limits<'_>,
    page: &mut Page,
) -> io::Result<()> {
    if arguments.expect && found.mismatches.is_empty() {
        return Ok(());
    }
    match &found.exploration.report.failure {
        Some(failure) => {
            explained(failure, limits, page)?;
            diagnosed(found, page)
        }
        None => table(&found.exploration.outcomes, arguments.all, page),
    }
}

/// Outcomes, and in how many executions each was seen.
fn table(outcomes: &Outcomes, all: bool, page: &mut Page) -> io::Result<()> {
    const COUNT: &str = "executions";
    if outcomes.names.is_empty() || outcomes.counts.is_empty() {
        return Ok(());
    }
    let shown = if all { outcomes.counts.len() } else { ROWS };
    let rows: Vec<Vec<String>> = (outcomes.counts.iter().take(shown))
        .map(|(values, count)| values.iter().map(i64::to_string).chain([count.to_string()]).collect())
        .collect();
    let heads: Vec<&str> = outcomes.names.iter().map(String::as_str).chain([COUNT]).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([heads[column].chars().count()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let heads =
        heads.iter().zip(&widths).map(|(head, &width)| format!("  {head:>width$}")).collect::<String>();
    writeln!(page, "{}", page.paint(FAINT, &heads))?;
    for row in &rows {
        for (cell, &width) in row.iter().zip(&widths) {
            write!(page, "  {cell:>width$}")?;
        }
        writeln!(page)?;
    }
    match outcomes.counts.len().saturating_sub(shown) {
        0 => Ok(()),
        more => writeln!(page, "  and {more} more outcomes; --all lists them"),
    }
}

/// The fault, in a line.
pub fn summary(failure: &Failure) -> String {
    let threads = |waiting: &[(tribunal_history::memory::ThreadId, Place)]| {
        let one = |(thread, place): &(_, Place)| format!("{} ({place})", thread_name(failure, *thread));
        // That the main thread waits for the others stands nowhere in the program.
        let written = waiting.iter().filter(|(_, place)| place.is_known());
        written.map(one).collect::<Vec<_>>().join(", ")
    };
    match &failure.problem {
        Problem::Panic { message } | Problem::Misuse { message } if !failure.place.is_known() => {
            message.clone()
        }
        Problem::Panic { message } | Problem::Misuse { message } => format!("{message} ({})", failure.place),
        Problem::Race { first, second } => {
            let loc = failure.graph.events().get(first.index()).and_then(Event::loc);
            let loc = loc.map_or(String::new(), |loc| format!(" on {}", location_name(failure, loc)));
            // The second is where the execution stopped.
            let place = |id: &EventId| match (failure.graph.events().get(id.index()), failure.thread) {
                (Some(event), _) => format!("{} ({})", thread_name(failure, event.thread), event.place),
                (None, Some(thread)) => format!("{} ({})", thread_name(failure, thread), failure.place),
                (None, None) => failure.place.to_string(),
            };
            format!("data race{loc}: {} and {}", place(first), place(second))
        }
        // Texts have no such accesses, and do not crash.
        Problem::Conflict { .. } | Problem::Crash { .. } => failure.headline(),
        Problem::Deadlock { waiting } => format!("deadlock: {}", threads(waiting)),
        Problem::Livelock { waiting } => format!("waits for ever: {}", threads(waiting)),
        Problem::Leak { what, place } => format!("leak: {what} ({place})"),
        Problem::Nondeterminism { thread, expected, found } => {
            format!("{} did {found} and before {expected}", thread_name(failure, *thread))
        }
        Problem::TooLong { thread, .. } => {
            format!("{} goes on for too long ({})", thread_name(failure, *thread), failure.place)
        }
    }
}

/// An execution that fails, and why it is possible.
pub fn explained(failure: &Failure, limits: &Limits<'_>, page: &mut Page) -> io::Result<()> {
    writeln!(page)?;
    for line in failure.explanation(limits) {
        match line.is_empty() {
            true => writeln!(page)?,
            false => writeln!(page, "  {line}")?,
        }
    }
    Ok(())
}

/// Models and orders with which it does not fail.
fn diagnosed(found: &Found<'_>, page: &mut Page) -> io::Result<()> {
    if !found.models.is_empty() {
        writeln!(page)?;
    }
    indented(&found.models, page)?;
    let Some(repair) = &found.repair else { return Ok(()) };
    writeln!(page)?;
    indented(repair.to_string().lines(), page)
}

/// An event as it is shown.
pub struct Shown {
    /// `A:1`
    pub name: String,
    /// `R.acq x 0 from B:0`
    pub text: String,
    pub place: Place,
}

/// The accesses and fences of a failing execution, thread by thread.
pub fn events(failure: &Failure) -> impl Iterator<Item = Shown> {
    let graph = &failure.graph;
    // By event, how many accesses and fences its thread has before it.
    let mut counts = vec![0; failure.threads.len().max(1)];
    let mut numbers = Vec::new();
    for event in graph.events() {
        let thread = event.thread.index();
        counts.resize(counts.len().max(thread + 1), 0);
        numbers.push(counts[thread]);
        counts[thread] += u32::from(is_shown(event));
    }
    let mut order: Vec<usize> = (0..graph.events().len()).filter(|&i| is_shown(&graph.events()[i])).collect();
    order.sort_by_key(|&i| (graph.events()[i].thread, graph.events()[i].index));
    order.into_iter().map(move |i| {
        let name = |i: usize| format!("{}:{}", thread_name(failure, graph.events()[i].thread), numbers[i]);
        let event = &graph.events()[i];
        Shown { name: name(i), text: text(failure, event, name), place: event.place }
    })
}

fn is_shown(event: &Event) -> bool {
    event.loc().is_some() || matches!(event.action, Action::Fence { .. })
}

fn text(failure: &Failure, event: &Event, name: impl Fn(usize) -> String) -> String {
    let suffix = event.order().map_or("", |order| order.suffix());
    let loc = event.loc().map_or(String::new(), |loc| location_name(failure, loc));
    let from = match event.source {
        Source::Event(write) => format!(" from {}", name(write.index())),
        Source::Init => " from init".into(),
        _ => String::new(),
    };
    let (read, written) = (event.read as i64, event.written.map(|value| value as i64));
    match (&event.action, written) {
        (Action::Fence { .. }, _) => format!("F{suffix}"),
        (Action::Store { value: FREED, .. }, _) => format!("free {loc}"),
        (Action::Store { value, .. }, _) => format!("W{suffix} {loc} {}", *value as i64),
        _ if event.waiting => format!("waits for {loc}{from}"),
        (_, Some(written)) => format!("U{suffix} {loc} {read}>{written}{from}"),
        (_, None) => format!("R{suffix} {loc} {read}{from}"),
    }
}

fn thread_name(failure: &Failure, thread: tribunal_history::memory::ThreadId) -> String {
    let name = failure.threads.get(thread.index()).filter(|name| !name.is_empty());
    name.cloned().unwrap_or_else(|| format!("T{}", thread.index()))
}

fn location_name(failure: &Failure, loc: tribunal_history::memory::LocId) -> String {
    let name = failure.locations.get(loc.index()).filter(|name| !name.is_empty());
    name.cloned().unwrap_or_else(|| format!("location {}", loc.index()))
}

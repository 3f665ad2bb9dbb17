//! More about a program that fails: under which models, and how to repair it.

use super::{ExploreArguments, ExploreStyle, Found, Job, Replayed, options, print};
use crate::failure::Failure;
use crate::output::{BAD, DOUBT, GOOD, Page, Stdout, spare_inputs};
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;
use tribunal_engines::memory::session::NoSession;
use tribunal_explore::Options;
use tribunal_explore::failure::{MODELS, Replay, by_model, repair, replay, shrink};
use tribunal_explore::text::{Code, Interpreter};
use tribunal_formats::{Format, WriteError};
use tribunal_history::limits::Limits;

fn unexplored(job: &Job<'_>, error: NoSession) -> Failure {
    Failure::Unexplored { file: job.file.into(), source: error.into() }
}

/// The options with which a program is explored.
fn options_of(code: &Code, arguments: &ExploreArguments, job: &Job<'_>) -> Options {
    let options = options(arguments, job.model);
    Options { allow_races: options.allow_races || code.allow_races(), progress: None, ..options }
}

/// Makes a failure small, and finds out what is asked of it, within the limits of the exploration.
pub fn complete(
    found: &mut Found<'_>,
    code: Code,
    arguments: &ExploreArguments,
    limits: &Limits<'_>,
) -> Result<(), Failure> {
    let job = found.job;
    let Some(failure) = found.exploration.report.failure.as_mut().filter(|_| !arguments.expect) else {
        return Ok(());
    };
    let left = || limits.deadline.map(|end| end.saturating_duration_since(Instant::now()));
    let options = || Options { max_duration: left(), ..options_of(&code, arguments, job) };
    let shared = Arc::new(code.clone());
    let make_for = |model| Interpreter::new(Arc::clone(&shared), model);
    let make = || make_for(job.model);
    let (small, _) = shrink(make(), failure, &options()).map_err(|error| unexplored(job, error))?;
    *failure = small;
    write_history(failure, job, arguments)?;
    if arguments.search.models {
        found.models = by_model(make_for, &MODELS, &options()).map_err(|error| unexplored(job, error))?;
    }
    if arguments.search.repair {
        let repair = repair(make, &options(), arguments.search.repair_timeout);
        found.repair = Some(repair.map_err(|error| unexplored(job, error))?);
    }
    Ok(())
}

/// Writes an execution that fails, if that is asked for.
fn write_history(
    failure: &tribunal_explore::Failure,
    job: &Job<'_>,
    arguments: &ExploreArguments,
) -> Result<(), Failure> {
    let Some(path) = &arguments.search.history else { return Ok(()) };
    let history = failure.history().map_err(|error| Failure::History {
        file: job.file.into(),
        line: failure.place.line.into(),
        problem: error.to_string(),
    })?;
    spare_inputs(path, &[job.file])?;
    let output = |source| Failure::output(Some(path), source);
    let file = std::fs::File::create(path).map_err(output)?;
    let format = Format::of_path(path).unwrap_or(Format::Text);
    let written = history.write(std::io::BufWriter::new(file), format);
    written.map_err(|error: WriteError| Failure::writing(error, job.file, Some(path)))
}

/// Runs one execution again.
pub fn replayed(
    code: Code,
    execution: &Replay,
    job: &Job<'_>,
    arguments: &ExploreArguments,
    out: &mut Stdout,
) -> Result<Replayed, Failure> {
    let options = options_of(&code, arguments, job);
    let limits = options.limits();
    let program = Interpreter::new(Arc::new(code), job.model);
    let run = replay(program, execution, &options);
    let (guided, divergence, _) = run.map_err(|error| unexplored(job, error))?;
    let mut page = Page::new(out.color());
    let (replayed, verdict) = match (&guided.failure, &guided.limit, &divergence) {
        (Some(failure), ..) => (Replayed::Fails, page.paint(BAD, &print::summary(failure))),
        (None, Some(limit), _) => (Replayed::Unfinished, page.paint(DOUBT, &format!("undecided: {limit}"))),
        (None, None, Some(_)) => {
            (Replayed::Diverges, page.paint(DOUBT, "no failure, but the replay was not followed"))
        }
        (None, None, None) => (Replayed::Passes, page.paint(GOOD, "no failure")),
    };
    writeln!(page, "{job}: {verdict}")?;
    if let (Some(divergence), None) = (&divergence, &guided.limit) {
        writeln!(page, "  {divergence}")?;
    }
    if let Some(failure) = &guided.failure {
        write_history(failure, job, arguments)?;
        if arguments.style == ExploreStyle::Human {
            print::explained(failure, &limits, &mut page)?;
        }
    }
    out.print(&page)?;
    Ok(replayed)
}

//! A failing execution: made small, written as a history, repaired, run again.

use super::{Job, print};
use crate::failure::Failure as Trouble;
use crate::output::{Page, Sink, Stdout};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tribunal_explore::failure::{self, Repair, Replay};
use tribunal_explore::text::{Code, Interpreter, Unexplored};
use tribunal_explore::{Failure, Options};
use tribunal_formats::Format;

/// How long a repair is looked for, unless it is said how long.
const PATIENCE: Duration = Duration::from_secs(60);

fn program(code: &Arc<Code>, options: &Options) -> Interpreter {
    Interpreter::new(Arc::clone(code), options.model)
}

/// The failure with as few events as can be.
pub fn small(code: &Arc<Code>, failing: &Failure, options: &Options) -> Result<Failure, Unexplored> {
    let (small, _) = failure::shrink(program(code, options), failing, options)?;
    Ok(small)
}

/// The orders that would repair a program.
pub fn repaired(code: &Arc<Code>, options: &Options) -> Result<Repair, Unexplored> {
    let patience = options.max_duration.unwrap_or(PATIENCE);
    Ok(failure::repair(|| program(code, options), options, patience)?)
}

/// Writes the execution as a history, in the format that the file's name says.
pub fn write(failing: &Failure, file: &Path, out: &mut Stdout) -> Result<(), Trouble> {
    let format = Format::of_path(file).unwrap_or(Format::Text);
    let history = failing.history().map_err(|error| Trouble::Usage(format!("no history: {error}")))?;
    let mut sink = Sink::open(Some(file), out)?;
    history.write(&mut sink, format).map_err(|error| Trouble::writing(error, "the execution", Some(file)))?;
    sink.finish()
}

/// Runs one execution again and shows it; says whether it failed.
pub fn replay(
    job: &Job<'_>,
    code: Arc<Code>,
    execution: &Replay,
    options: &Options,
    out: &mut Stdout,
) -> Result<Result<bool, Trouble>, Unexplored> {
    let (guided, divergence, _) = failure::replay(program(&code, options), execution, options)?;
    let mut page = Page::new(out.colour());
    let show = || -> std::io::Result<()> {
        if let Some(divergence) = divergence {
            writeln!(page, "{job}: the program does something else: {divergence}")?;
        }
        match &guided.failure {
            Some(failing) => {
                writeln!(page, "{job}: {}", print::summary(failing))?;
                print::execution(failing, &mut page)?;
            }
            None if guided.complete => writeln!(page, "{job}: no failure in this execution")?,
            None => writeln!(page, "{job}: the execution is blocked")?,
        }
        out.print(&page)
    };
    Ok(show().map(|()| guided.failure.is_some()).map_err(Trouble::from))
}

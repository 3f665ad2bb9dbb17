//! Environment variables for a test, which need no change to the test.
//!
//! | variable | effect on [`explore`](crate::explore) |
//! |---|---|
//! | `TRIBUNAL_REPLAY=STRING` | runs only the execution of this replay string, for example under a debugger |
//! | `TRIBUNAL_DIAGNOSE=SECONDS` | prints a failure at once, and then looks that long for the models under which it goes away and for orders and fences that repair it |
//! | `TRIBUNAL_HISTORY=FILE` | writes the failing execution to a file, for `tribunal explain` and `tribunal view`; as JSON if the name ends in `.json` |
//! | `TRIBUNAL_HANG=SECONDS` | aborts the process if a thread does not come to its next operation for so long, such as at a std Mutex that another one holds; after 5 seconds this is told in any case |
//! | `TRIBUNAL_TRACE=1` | prints each operation of each execution as it is done |
//! | `TRIBUNAL_CHECKPOINT=FILE` | keeps in the file how far an exploration on one core is, if it ends early, and goes on from there; for one test at a time |
//! | `TRIBUNAL_THREADS=NUMBER` | uses that many worker threads |
//! | `TRIBUNAL_REQUIRE_COMPLETE=1` | fails if not every execution was explored: a limit was reached, preemptions are bounded, or executions are picked by chance |

use crate::Failure;
use crate::failure::Replay;
use std::env;
use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;
use tribunal_formats::Format;

/// The execution to be run again, if one is asked for.
///
/// # Panics
/// If the string is not one.
pub(crate) fn replay() -> Option<Replay> {
    let text = env::var("TRIBUNAL_REPLAY").ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|error| panic!("TRIBUNAL_REPLAY: {error}")))
}

/// The time to search for a repair, if a diagnosis is asked for.
pub(crate) fn diagnose() -> Option<Duration> {
    number("TRIBUNAL_DIAGNOSE").map(Duration::from_secs)
}

/// After how many seconds a test that hangs is aborted, if that is asked for.
pub(crate) fn hang() -> Option<u64> {
    number("TRIBUNAL_HANG")
}

/// The number of threads that share the work, if it is said.
pub(crate) fn threads() -> Option<usize> {
    number("TRIBUNAL_THREADS").map(|threads| threads.max(1) as usize)
}

/// Whether each operation is printed.
pub(crate) fn traces() -> bool {
    number("TRIBUNAL_TRACE").is_some_and(|traces| traces != 0)
}

/// The file for checkpoints, if there is to be one.
pub(crate) fn checkpoint() -> Option<PathBuf> {
    env::var_os("TRIBUNAL_CHECKPOINT").filter(|file| !file.is_empty()).map(PathBuf::from)
}

/// Whether an exploration that is not complete fails.
pub(crate) fn requires_complete() -> bool {
    number("TRIBUNAL_REQUIRE_COMPLETE").is_some_and(|required| required != 0)
}

fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}: a number is expected, not `{text}`")))
}

/// Writes the history of a failure, if that is asked for. Says where it went, or why not.
pub(crate) fn write_history(failure: &Failure) -> Option<String> {
    let path = PathBuf::from(env::var_os("TRIBUNAL_HISTORY").filter(|path| !path.is_empty())?);
    let format = if path.extension().is_some_and(|extension| extension == "json") {
        Format::Json
    } else {
        Format::Text
    };
    let written = || -> Result<(), Box<dyn std::error::Error>> {
        failure.history()?.write(File::create(&path)?, format)?;
        Ok(())
    };
    Some(match written() {
        Ok(()) => format!("\nhistory: {}", path.display()),
        Err(error) => format!("\nthe history could not be written to {}: {error}", path.display()),
    })
}

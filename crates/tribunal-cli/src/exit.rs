//! Exit statuses.

use crate::output;
use std::process::ExitCode;

/// How the command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Everything asked was consistent, agreed, or was done.
    Success = 0,
    /// Something was inconsistent, mismatched or refused.
    Inconsistent = 1,
    /// Bad usage or malformed input: the answer is incomplete.
    Malformed = 2,
    /// Something was undecided and nothing inconsistent.
    Undecided = 3,
    /// A bug in Tribunal: the status of a Rust program that panics.
    Panicked = 101,
    /// SIGHUP, by the shells' convention 128 + its number.
    HungUp = 129,
    /// Ctrl-C, by the shells' convention 128 + SIGINT.
    Interrupted = 130,
    /// The reader of standard output left before the work was done, by the shells' convention 128 + SIGPIPE.
    ClosedPipe = 141,
    /// SIGTERM, by the same convention.
    Terminated = 143,
}

/// Ends the process now, and leaves no temporary file behind.
pub fn at_once(status: Status) -> ! {
    let _none_is_made = output::discard();
    #[cfg(feature = "polls")]
    crate::watchdog::tell_gaps();
    std::process::exit(status as i32)
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

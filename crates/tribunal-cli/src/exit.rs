//! Exit statuses, and the tally from which the status of a command follows.

use crate::failure::Failure;
use crate::interrupt;
use crate::output::{self, Stdout, complain};
use std::process::ExitCode;
use tribunal_history::verdict::{Bare, Limit, Verdict};
use tribunal_report::{Verifications, counted};

/// The end of the command.
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

/// The fates of the inputs so far, which a command returns. One that has nothing to count returns an empty one.
#[derive(Debug, Default)]
pub struct Tally {
    /// Histories, tests or programs that were answered.
    pub histories: u64,
    pub consistent: u64,
    /// Answers that are no, or not what was expected.
    pub inconsistent: u64,
    pub undecided: u64,
    /// Of those that are undecided, those that took too long.
    pub late: u64,
    pub unsupported: u64,
    /// The reason why a model did not apply, the first time.
    pub why_unsupported: Option<String>,
    /// Certificates that were checked.
    pub verifications: Verifications,
    /// Inputs that could not be gone through to their end.
    pub malformed: u64,
    /// Malformed histories that were skipped.
    pub skipped: u64,
    /// Whether the reader of the output left before everything was answered.
    pub cut_short: bool,
}

impl Tally {
    /// Counts a verdict.
    pub fn count(&mut self, verdict: Bare) {
        *match verdict {
            Verdict::Consistent(()) => &mut self.consistent,
            Verdict::Inconsistent(()) => &mut self.inconsistent,
            Verdict::Undecided(_) => &mut self.undecided,
            Verdict::Unsupported(()) => &mut self.unsupported,
        } += 1;
        self.late += u64::from(matches!(verdict, Verdict::Undecided(Limit::Time { .. })));
    }

    /// Adds the answers that were counted elsewhere.
    pub fn add(&mut self, other: Tally) {
        self.histories += other.histories;
        self.consistent += other.consistent;
        self.inconsistent += other.inconsistent;
        self.undecided += other.undecided;
        self.late += other.late;
        self.unsupported += other.unsupported;
        self.why_unsupported = self.why_unsupported.take().or(other.why_unsupported);
        self.verifications.add(&other.verifications);
    }

    /// The verdicts in words.
    pub fn verdicts(&self) -> String {
        let Tally { consistent, inconsistent, undecided, unsupported, .. } = self;
        format!(
            "{consistent} consistent, {inconsistent} inconsistent, {undecided} undecided, {unsupported} unsupported"
        )
    }

    /// Writes out what is left, and notes if the reader has left before.
    pub fn read_out(mut self, out: &mut Stdout) -> Result<Self, Failure> {
        out.finish()?;
        self.cut_short |= out.is_closed();
        Ok(self)
    }

    /// The exit status: what is most certain to be wrong comes first.
    pub fn status(&self) -> Status {
        if interrupt::requested() {
            Status::Interrupted
        } else if self.malformed + self.skipped > 0 {
            Status::Malformed
        } else if self.inconsistent + self.verifications.refused > 0 {
            Status::Inconsistent
        } else if self.cut_short {
            Status::ClosedPipe
        } else if self.undecided + self.verifications.undecided > 0 {
            Status::Undecided
        } else {
            Status::Success
        }
    }
}

/// Says how many malformed histories were skipped.
pub fn tell_skipped(tally: &Tally) {
    if tally.skipped > 0 {
        let were = if tally.skipped == 1 { "was" } else { "were" };
        complain(&format!("{} {were} skipped", counted(tally.skipped, "malformed history")));
    }
}

/// Ends the process now, and leaves no temporary file and no program behind.
pub fn at_once(status: Status) -> ! {
    let _none_is_made = output::discard();
    #[cfg(target_os = "linux")]
    crate::run::abandon();
    #[cfg(feature = "polls")]
    crate::watchdog::tell_gaps();
    std::process::exit(status as i32)
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

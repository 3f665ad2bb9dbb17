//! The ways in which the command ends, and errors in one line.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use tribunal_report::printable;

/// An exit status, with the meaning that it has for the command `tribunal`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub u8);

impl Status {
    /// Everything asked was done.
    pub const SUCCESS: Status = Status(0);
    /// Bad usage or malformed input.
    pub const MALFORMED: Status = Status(2);
    /// Something was undecided.
    pub const UNDECIDED: Status = Status(3);
    /// Ctrl-C.
    pub const INTERRUPTED: Status = Status(130);
    /// The reader of standard output left.
    pub const CLOSED_PIPE: Status = Status(141);
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.0)
    }
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A history could not be read; the text begins with `file:line:column`.
    #[error(transparent)]
    Input(#[from] tribunal_formats::Error),
    /// A history is not one that the experiment is about.
    #[error("{file}:{line}: {problem}")]
    History { file: String, line: u64, problem: &'static str },
    /// A document could not be read, or a file could not be written.
    #[error("{file}: {source}", file = .file.display())]
    File { file: PathBuf, source: io::Error },
    /// Standard output could not be written.
    #[error("standard output: {0}")]
    Stdout(#[from] io::Error),
    /// Another package of the laboratory could not be run.
    #[error("cannot run cargo: {0}")]
    Cargo(io::Error),
    /// Arguments that do not fit together, or a suite that failed.
    #[error("{0}")]
    Usage(String),
}

impl Failure {
    /// The exit status that it ends the command with.
    pub fn status(&self) -> Status {
        if self.is_closed_pipe() { Status::CLOSED_PIPE } else { Status::MALFORMED }
    }

    /// Prints the failure on standard error, unless it is only that the reader of the output has left.
    pub fn print(&self) {
        if !self.is_closed_pipe() {
            eprintln!("error: {}", printable(&self.to_string()));
        }
    }

    fn is_closed_pipe(&self) -> bool {
        matches!(self, Failure::Stdout(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

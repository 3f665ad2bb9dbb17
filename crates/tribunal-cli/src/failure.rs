//! Errors, each in one line.

use crate::exit::Status;
use crate::output::complain;
use anstyle::{AnsiColor, Style};
use std::path::{Path, PathBuf};
use std::{fmt, io};
use tribunal_explore::text::{ExploreError, Mistake, TextError};
use tribunal_formats::WriteError;
use tribunal_report::{Case, NotCheckable, printable};

/// The reason why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A history could not be read; the text begins with `file:line:column`.
    #[error(transparent)]
    Input(#[from] tribunal_formats::Error),
    /// A history cannot be checked, or does not fit the others.
    #[error("{file}:{line}: {problem}")]
    History { file: String, line: u64, problem: String },
    /// A program is malformed; the text begins with `file:line:column` where that is known.
    #[error("{file}:{source}")]
    Program { file: String, source: TextError },
    /// The settings of a program are wrong.
    #[error("{file}: {source}")]
    Setting { file: String, source: Mistake },
    /// A program cannot be explored under the model.
    #[error("{file}: {source}")]
    Unexplored { file: String, source: ExploreError },
    /// A program as it is cannot be explored.
    #[cfg(target_os = "linux")]
    #[error("{program}: {source}")]
    Run { program: String, source: crate::run::Problem },
    /// Tests cannot be built.
    #[cfg(target_os = "linux")]
    #[error("{0}")]
    Cargo(String),
    /// A history calls methods that its specification does not have; the text begins with `file:line`.
    #[error("{source}; the history calls {methods}: name its specification with --spec")]
    OtherMethods { source: tribunal_formats::Error, methods: String },
    /// A specification file has an error; the text begins with `file:line:column`.
    #[error(transparent)]
    Specification(#[from] tribunal_spec::SpecError),
    /// An input that is no history file could not be read.
    #[error("{file}: {source}")]
    Read { file: String, source: io::Error },
    /// An output could not be written.
    #[error("{}: {source}", file.display())]
    Write { file: PathBuf, source: io::Error },
    /// Standard output could not be written.
    #[error("standard output: {0}")]
    Stdout(#[from] io::Error),
    /// A history that the output format cannot express.
    #[error("{history}: {source}")]
    Inexpressible { history: String, source: WriteError },
    /// A line of a certificate file is malformed.
    #[error("{file}:{line}: {problem}")]
    Certificate { file: String, line: u64, problem: String },
    /// Arguments that do not fit together.
    #[error("{0}")]
    Usage(String),
    /// No model asked for applies to any history.
    #[error("no model asked for applies to any history: {0}")]
    NothingApplies(String),
    /// --expect, and no history has a label.
    #[error("nothing to compare: no history has a label for a model asked for")]
    NothingCompared,
    /// The port is taken or not allowed.
    #[error("port {port} of 127.0.0.1: {source}; choose another with --port")]
    Listen { port: u16, source: io::Error },
    /// A process that checks histories for the server could not be started.
    #[error("cannot start a worker: {0}")]
    Worker(io::Error),
    /// A worker panicked; the message of the panic is on standard error already.
    #[error(
        "{file}{}: this is a bug in Tribunal; please report it with the history and the lines above",
        line.map(|line| format!(":{line}")).unwrap_or_default()
    )]
    Panicked { file: String, line: Option<u64> },
    /// The signal handler could not be installed.
    #[error("cannot watch for Ctrl-C: {0}")]
    Interrupt(io::Error),
    /// The thread that keeps to the limits could not be started.
    #[error("cannot watch the limits: {0}")]
    Watchdog(io::Error),
}

impl Failure {
    /// An output, a file or standard output, could not be written.
    pub fn output(file: Option<&Path>, source: io::Error) -> Self {
        match file {
            Some(file) => Failure::Write { file: file.into(), source },
            None => Failure::Stdout(source),
        }
    }

    /// Something is wrong with a history.
    pub fn of(case: &Case<'_>, problem: impl fmt::Display) -> Self {
        Failure::History { file: case.file.into(), line: case.line, problem: problem.to_string() }
    }

    /// A history is not fit to be checked.
    pub fn unfit(case: &Case<'_>, why: NotCheckable) -> Self {
        match why {
            NotCheckable::Specification(unknown) => Failure::of(case, unknown),
            NotCheckable::IllTyped(error) => error.into(),
            NotCheckable::OtherMethods { source, methods } => Failure::OtherMethods { source, methods },
        }
    }

    /// A program is malformed, or does not go with the settings.
    pub fn program(file: &str, error: TextError) -> Self {
        match error.at.line {
            0 => Failure::Setting { file: file.into(), source: error.problem },
            _ => Failure::Program { file: file.into(), source: error },
        }
    }

    /// A history could not be written to an output.
    pub fn writing(error: WriteError, history: &str, file: Option<&Path>) -> Self {
        match error {
            WriteError::Io(source) => Failure::output(file, source),
            source => Failure::Inexpressible { history: history.into(), source },
        }
    }

    /// The exit status that it ends the command with.
    pub fn status(&self) -> Status {
        if matches!(self, Failure::Panicked { .. }) { Status::Panicked } else { Status::Malformed }
    }

    /// Whether other histories of the input may still be read.
    pub fn is_of_one_history(&self) -> bool {
        match self {
            Failure::Input(error) => !error.is_of_input(),
            Failure::History { .. } | Failure::OtherMethods { .. } | Failure::Inexpressible { .. } => true,
            _ => false,
        }
    }

    /// Whether it ends the work on all inputs, not only that on one.
    pub fn is_of_all(&self) -> bool {
        matches!(self, Failure::Stdout(_) | Failure::Write { .. } | Failure::Panicked { .. })
    }

    /// Whether the reader of the output has left, which is no error.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Failure::Stdout(error) | Failure::Write { source: error, .. }
            if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Prints the failure on standard error.
    pub fn print(&self) {
        let style = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
        complain(&format!("{style}error:{style:#} {}", printable(&self.to_string())));
    }
}

//! Errors of a suite.

use std::path::PathBuf;
use tribunal_machines::InvalidClients;

/// The reason why a suite failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It was asked to stop.
    #[error("stopped")]
    Stopped,
    /// Clients that no machine can run.
    #[error(transparent)]
    Clients(#[from] InvalidClients),
    /// A file could not be read, or the process that measures memory could not be run.
    #[error("cannot read, or measure memory: {0}")]
    Io(#[from] std::io::Error),
    /// The process that measures memory printed something unexpected.
    #[error("cannot measure memory of {load}: {said}")]
    Memory {
        /// What was to be measured.
        load: String,
        /// What the process said.
        said: String,
    },
    /// An unknown load.
    #[error("unknown load `{0}`")]
    Load(String),
    /// The system does not report the size of a process.
    #[error("this system does not report the size of a process")]
    Unmeasurable,
    /// A folder of logs that cannot be listed.
    #[error("cannot read the logs in {folder}: {source}", folder = .folder.display())]
    Logs {
        /// The folder.
        folder: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A log that cannot be read.
    #[error(transparent)]
    Log(#[from] tribunal_formats::Error),
    /// A litmus test or a model that cannot be read or run.
    #[error("{0}")]
    Litmus(String),
    /// The machine's threads could not be arranged.
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

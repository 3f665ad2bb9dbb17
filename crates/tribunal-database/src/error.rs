//! Errors of a recording.

use tribunal_history::transactions::MalformedHistory;
use tribunal_machines::transactions::InvalidClients;

/// The reason why nothing is recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The clients are invalid.
    #[error(transparent)]
    Clients(#[from] InvalidClients),
    /// A database error that isolation does not explain.
    #[error("{database}: {what}: {problem}")]
    Database {
        /// Its name.
        database: &'static str,
        /// The request.
        what: &'static str,
        /// The answer.
        problem: String,
    },
    /// The database could not be started.
    #[error("{database} cannot be started: {problem}")]
    Start {
        /// Its name.
        database: &'static str,
        /// The reason.
        problem: String,
    },
    /// A list in the database is malformed.
    #[error("the list of key {key} holds `{text}`, expected numbers with a comma before each")]
    List {
        /// The key.
        key: u32,
        /// The text that it holds.
        text: String,
    },
    /// The recorded history is malformed.
    #[error("the recorded history is malformed: {0}")]
    Malformed(#[from] MalformedHistory),
}

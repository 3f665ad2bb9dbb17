//! Why nothing is recorded.

use tribunal::transactions::MalformedHistory;
use tribunal_machines::transactions::InvalidClients;

/// Why nothing is recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The clients cannot run.
    #[error(transparent)]
    Clients(#[from] InvalidClients),
    /// The database does not do what was asked of it, and not for want of isolation.
    #[error("{database}: {what}: {problem}")]
    Database {
        /// Its name.
        database: &'static str,
        /// What was asked.
        what: &'static str,
        /// What it answered.
        problem: String,
    },
    /// The database could not be started.
    #[error("{database} cannot be started: {problem}")]
    Start {
        /// Its name.
        database: &'static str,
        /// Why.
        problem: String,
    },
    /// What was read cannot be understood.
    #[error("the list of key {key} holds `{text}`, expected numbers with a comma before each")]
    List {
        /// The key.
        key: u32,
        /// What it holds.
        text: String,
    },
    /// What was recorded is not a history.
    #[error("what was recorded is no history: {0}")]
    Malformed(#[from] MalformedHistory),
}

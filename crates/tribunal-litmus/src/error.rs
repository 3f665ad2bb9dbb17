//! The reasons why a test cannot be read or run.

use crate::syntax::Position;

/// An error of a test's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{position}: {message}")]
pub struct Error {
    /// The file.
    pub file: String,
    /// Where in it.
    pub position: Position,
    /// What is wrong there: what was expected, or which instruction is not supported.
    pub message: String,
}

/// An error without its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub position: Position,
    pub message: String,
}

impl Fault {
    pub fn new(position: Position, message: impl Into<String>) -> Self {
        Self { position, message: message.into() }
    }

    pub fn of(self, file: &str) -> Error {
        Error { file: file.to_owned(), position: self.position, message: self.message }
    }
}

//! Errors in a model's text, with their place.

use crate::source::{Place, Sources};
use crate::text::{InFile, Located};

/// An error in a model's text, with its place.
pub type Error = InFile<Problem>;

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// An unexpected character.
    #[error("unexpected character {0:?}")]
    Character(char),
    /// An unterminated comment or string.
    #[error("this {0} is not terminated")]
    Unterminated(&'static str),
    /// A syntax error.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What the grammar has here.
        expected: String,
        /// What the text has.
        found: String,
    },
    /// Two operators of the same level whose grouping is ambiguous.
    #[error("{0} needs parentheses here")]
    Parentheses(&'static str),
    /// Too deep nesting.
    #[error("nested deeper than {0} levels")]
    Depth(usize),
    /// Too long a text.
    #[error("the text is longer than {0} bytes")]
    Length(usize),
    /// More files than a model may have.
    #[error("more than {0} files")]
    Files(usize),
    /// An included file that was not found.
    #[error("there is no file {0:?} to include")]
    NoFile(String),
    /// A file that cannot be read.
    #[error("{file:?} cannot be read: {reason}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why not.
        reason: String,
    },
    /// A file that includes itself.
    #[error("{0:?} includes itself")]
    Cycle(String),
    /// An unknown name.
    #[error("there is no `{name}`{}", nearest.as_ref().map_or(String::new(), |n| format!("; did you mean `{n}`?")))]
    Unbound {
        /// The name.
        name: String,
        /// A similar name.
        nearest: Option<String>,
    },
    /// A value of the wrong type.
    #[error("expected {expected}, found {found}")]
    Type {
        /// What is asked for.
        expected: &'static str,
        /// What is there.
        found: &'static str,
    },
    /// A feature of the language that is not supported.
    #[error("{0} is not supported")]
    NotSupported(String),
    /// `fail`, a match without the case, and other errors raised by the text.
    #[error("{0}")]
    Failed(String),
    /// More work than a model may take.
    #[error("the model needs more than {limit} {what}")]
    Limit {
        /// How many there may be.
        limit: usize,
        /// Of what.
        what: &'static str,
    },
    /// A limit of the caller's.
    #[error("a limit was reached before the model's text was evaluated")]
    Stopped,
}

impl Problem {
    /// Whether there was too much work, which no `try` of the text catches.
    pub(crate) fn is_limit(&self) -> bool {
        matches!(self, Problem::Limit { .. } | Problem::Stopped)
    }
}

/// A problem at a place, whose file has a number still.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub at: Place,
    pub problem: Problem,
}

impl Fault {
    pub fn new(at: Place, problem: Problem) -> Box<Fault> {
        Box::new(Fault { at, problem })
    }

    /// The error with its file.
    pub fn locate(self, sources: &Sources) -> Error {
        let Place { file, at } = self.at;
        let source = &sources.0[file.0 as usize];
        Located { at, problem: self.problem }.within(&source.path).with_excerpt(&source.text)
    }
}

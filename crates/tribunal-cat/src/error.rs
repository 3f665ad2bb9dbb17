//! Errors in a model's text, with their place.

use crate::source::{Position, Sources};

/// An error in a model's text, with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {problem}{excerpt}")]
pub struct Error {
    /// The file, as named by the library.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, in characters, from 1.
    pub column: u32,
    /// What is wrong.
    pub problem: Problem,
    /// The line with a caret below the column; empty if there is none.
    pub excerpt: String,
}

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
        expected: &'static str,
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

/// A problem at a position, before the position is turned into a line of a file.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub at: Position,
    pub problem: Problem,
}

impl Fault {
    pub fn new(at: Position, problem: Problem) -> Box<Fault> {
        Box::new(Fault { at, problem })
    }

    /// The error with its place resolved.
    pub fn locate(self, sources: &Sources) -> Error {
        let file = sources.file(self.at);
        let (line, column) = file.line_and_column(self.at.offset);
        Error {
            file: file.path.clone(),
            line,
            column,
            problem: self.problem,
            excerpt: excerpt(file.line(line), column),
        }
    }
}

/// The line and a caret below the column, where the line is one that a terminal shows.
fn excerpt(line: &str, column: u32) -> String {
    const LONGEST: usize = 160;
    if line.trim().is_empty() || line.len() > LONGEST {
        return String::new();
    }
    let caret: String =
        line.chars().take(column as usize - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    format!("\n    {line}\n    {caret}^")
}

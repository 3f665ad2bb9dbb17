//! What is wrong with a model's text, and where.

use crate::source::{Position, Sources};

/// An error in the text of a model: where it is, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {problem}{excerpt}")]
pub struct Error {
    /// The file, as the reader of files calls it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, in characters, from 1.
    pub column: u32,
    /// What is wrong.
    pub problem: Problem,
    /// The line with a caret below the column; empty where there is none to show.
    pub excerpt: String,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A character that no word of the language begins with.
    #[error("unexpected character {0:?}")]
    Character(char),
    /// A comment or a string without its end.
    #[error("this {0} has no end")]
    Unterminated(&'static str),
    /// Other words than the grammar has.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What the grammar has here.
        expected: &'static str,
        /// What the text has.
        found: String,
    },
    /// Two operators of one level that say nothing of which binds tighter.
    #[error("{0} needs parentheses here")]
    Parentheses(&'static str),
    /// Too much nesting.
    #[error("nested deeper than {0} levels")]
    Depth(usize),
    /// Too long a text.
    #[error("the text is longer than {0} bytes")]
    Length(usize),
    /// More files than a model may have.
    #[error("more than {0} files")]
    Files(usize),
    /// A file that is included and was not found.
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
    /// A name that nothing gives a meaning to.
    #[error("there is no `{name}`{}", nearest.as_ref().map_or(String::new(), |n| format!("; did you mean `{n}`?")))]
    Unbound {
        /// The name.
        name: String,
        /// A name like it that there is.
        nearest: Option<String>,
    },
    /// A value of another type than is asked for.
    #[error("expected {expected}, found {found}")]
    Type {
        /// What is asked for.
        expected: &'static str,
        /// What is there.
        found: &'static str,
    },
    /// Something of the language that this implementation does not have.
    #[error("{0} is not supported")]
    NotSupported(String),
    /// `fail`, a match without the case, and other errors that the text makes itself.
    #[error("{0}")]
    Failed(String),
    /// More work than a model may take.
    #[error("the model asks for more than {limit} {what}")]
    Limit {
        /// How many there may be.
        limit: usize,
        /// Of what.
        what: &'static str,
    },
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

    /// The error that the user sees.
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

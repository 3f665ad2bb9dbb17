//! What can be wrong with a declared specification.

use crate::object::Kind;

/// What is wrong with a declared specification, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {fault}")]
pub struct SpecError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// What is wrong there.
    pub fault: SpecFault,
}

/// What is wrong at a place of a declared specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecFault {
    /// A character that starts nothing.
    #[error("unexpected character {0:?}")]
    Character(char),
    /// A text without an end.
    #[error("this text does not end on its line")]
    OpenText,
    /// A backslash before something else than `"`, `\`, `n` or `t`.
    #[error("unknown escape, expected one of \\\" \\\\ \\n \\t")]
    Escape,
    /// A number beyond 64 bits.
    #[error("{0} does not fit in 64 bits")]
    Number(String),
    /// Something else should be there.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What should be there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// Too many things inside each other.
    #[error("nested more than {0} deep")]
    TooDeep(u32),
    /// More than a specification may have.
    #[error("more than {most} {what}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there may be.
        most: usize,
    },
    /// A name that means nothing here.
    #[error("nothing is called `{0}` here")]
    UnknownName(String),
    /// A name that has a meaning already.
    #[error("`{0}` is there already")]
    Duplicate(String),
    /// A name that cannot be used so.
    #[error("`{name}` is {is}, expected {expected}")]
    NotA {
        /// The name.
        name: String,
        /// What it is.
        is: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// A value of the wrong kind.
    #[error("{what} must be {}, found {}", expected.words(), found.words())]
    WrongKind {
        /// What has the value.
        what: &'static str,
        /// The kind that it must have.
        expected: Kind,
        /// The kind that it has.
        found: Kind,
    },
    /// A statement after a return or refusal.
    #[error("this is never reached")]
    Unreachable,
    /// A method that says that it is read-only and is not.
    #[error("`{0}` is said to be read-only, but changes the state")]
    NotReadOnly(String),
    /// A method that says that it has a key and touches more.
    #[error("`{method}` is said to concern only the key `{key}`, but touches more of the state")]
    NotKeyed {
        /// The method.
        method: String,
        /// The parameter named as its key.
        key: String,
    },
    /// A method has another number of parameters.
    #[error("`{method}` has {takes} parameter{}, found {found}", if *takes == 1 { "" } else { "s" })]
    Arity {
        /// The method.
        method: String,
        /// How many parameters it has.
        takes: usize,
        /// How many are named.
        found: usize,
    },
    /// There is no method.
    #[error("the object has no method")]
    NoMethods,
}

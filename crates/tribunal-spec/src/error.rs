//! Errors in a declared specification.

use tribunal_cat::text::InFile;
use tribunal_history::object::Kind;
use tribunal_history::object::text::TextFault;

/// An error in a declared specification, with its place.
pub type SpecError = InFile<SpecFault>;

/// What is wrong at a place in a declared specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecFault {
    /// A syntax error.
    #[error(transparent)]
    Text(#[from] TextFault),
    /// More than a specification may have.
    #[error("more than {most} {what}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there may be.
        most: usize,
    },
    /// An unknown name.
    #[error("unknown name `{0}`")]
    UnknownName(String),
    /// A name that is already declared.
    #[error("`{0}` is already declared")]
    Duplicate(String),
    /// A name used as something it is not.
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
        /// The expected kind.
        expected: Kind,
        /// The kind that it has.
        found: Kind,
    },
    /// A statement after a return or refusal.
    #[error("this is never reached")]
    Unreachable,
    /// A method that is declared read-only and is not.
    #[error("`{0}` is declared read-only, but changes the state")]
    NotReadOnly(String),
    /// A method that is declared to have a key and accesses more.
    #[error("`{method}` is declared to have the key `{key}`, but accesses more of the state")]
    NotKeyed {
        /// The method.
        method: String,
        /// The parameter declared as its key.
        key: String,
    },
    /// A wrong number of parameters.
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

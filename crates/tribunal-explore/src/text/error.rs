//! Errors in a program as text.

use tribunal_cat::text::{Located, Position};
use tribunal_engines::memory::session::NoSession;
use tribunal_history::model::Model;

/// An error in a program as text, with its place.
///
/// ```
/// use tribunal_explore::text::Source;
/// let error = Source::parse("atomic x\nthread A { x = 1 @fast }").and_then(|source| source.compile(&[])).expect_err("no order");
/// assert_eq!(error.to_string(), "2:19: expected an order (na, rlx, acq, rel, acqrel, sc, or one declared with `order`), found `fast`");
/// ```
pub type TextError = Located<Mistake>;

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Mistake {
    /// A syntax error.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What should stand here.
        expected: String,
        /// What does.
        found: String,
    },
    /// An unexpected character.
    #[error("unexpected character `{0}`")]
    Character(char),
    /// A number with more than 63 bits.
    #[error("the number {0} is too large: it must be less than 2^63")]
    LargeNumber(String),
    /// Too deep nesting.
    #[error("nested too deep: at most {0} levels")]
    Deep(usize),
    /// A name that is already declared.
    #[error("`{name}` is already declared, on line {line}")]
    Again {
        /// The name.
        name: String,
        /// Where it was declared.
        line: u32,
    },
    /// The name of an order used for something else.
    #[error("`{0}` is the name of an order and cannot be used otherwise")]
    OrderName(String),
    /// An unknown name.
    #[error("unknown name `{name}`: {hint}")]
    Unknown {
        /// The name.
        name: String,
        /// What could be.
        hint: &'static str,
    },
    /// A register name that several threads use.
    #[error("`{name}` is a register of {first} and of {second}: write `{first}.{name}`")]
    Ambiguous {
        /// The name.
        name: String,
        /// A thread that has it.
        first: String,
        /// Another.
        second: String,
    },
    /// An access without an order.
    #[error("an access to `{0}` needs an order, such as `@rlx`, here or where `{0}` is declared")]
    NoOrder(String),
    /// An order that an access cannot have.
    #[error("{what} cannot be {order}")]
    BadOrder {
        /// The access.
        what: &'static str,
        /// The order.
        order: &'static str,
    },
    /// A location of the wrong kind.
    #[error("`{name}` is {is}, but {wanted} is needed")]
    WrongKind {
        /// The name.
        name: String,
        /// What it is.
        is: &'static str,
        /// What should stand here.
        wanted: &'static str,
    },
    /// A number that must be a constant.
    #[error("{0} must consist of numbers and constants")]
    NotConstant(&'static str),
    /// A constant out of range.
    #[error("{what} is {value}, but must be {wanted}")]
    OutOfRange {
        /// What it is.
        what: &'static str,
        /// Its value.
        value: i64,
        /// What it may be.
        wanted: &'static str,
    },
    /// A setting of an unknown constant.
    #[error("there is no constant `{name}` to set: the program has {known}")]
    NoConstant {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// A statement in the wrong place.
    #[error("only allowed {place}: {what}")]
    Misplaced {
        /// The statement.
        what: &'static str,
        /// Where it may stand.
        place: &'static str,
    },
    /// Something that `await` cannot wait for.
    #[error(
        "`await` waits for a comparison of one load with an expression without loads, or for a cas: other loops are `while .. {{ spin }}`"
    )]
    BadAwait,
    /// A wrong number of arguments.
    #[error("`{name}` takes {wanted} arguments, found {given}")]
    Arguments {
        /// The function.
        name: String,
        /// How many it takes.
        wanted: usize,
        /// How many it has.
        given: usize,
    },
    /// A recursive function.
    #[error("`{0}` calls itself, but functions are inlined and cannot be recursive")]
    Recursion(String),
    /// A program that is too large.
    #[error("the program is too large: at most {0}")]
    TooLarge(&'static str),
    /// An expected outcome with the wrong number of values.
    #[error("an outcome has {wanted} values, but this one has {given}")]
    OutcomeLength {
        /// How many it has.
        wanted: usize,
        /// How many are given.
        given: usize,
    },
}

/// Why a program cannot be explored under a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExploreError {
    /// The model is not supported.
    #[error(transparent)]
    NoSession(#[from] NoSession),
    /// Outcomes have final values, but the model does not define them.
    #[error("{0} has no modification order, so locations have no final values")]
    NoFinalValues(Model),
}

impl Mistake {
    /// The mistake, at its place.
    pub(super) fn at(self, at: Position) -> TextError {
        Located { at, problem: self }
    }
}

//! What can be wrong with a program as text.

use super::syntax::Position;
use tribunal::Model;
use tribunal::session::NoSession;

/// A mistake in a program as text, and where.
///
/// ```
/// use tribunal_explore::text::Source;
/// let error = Source::parse("atomic x\nthread A { x = 1 @fast }").and_then(|source| source.compile(&[])).expect_err("no order");
/// assert_eq!(error.to_string(), "2:19: expected an order (na, rlx, acq, rel, acqrel, sc, or one declared with `order`), found `fast`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {mistake}")]
pub struct TextError {
    /// Where.
    pub at: Position,
    /// What.
    pub mistake: Mistake,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Mistake {
    /// Something else should stand here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What should stand here.
        expected: String,
        /// What does.
        found: String,
    },
    /// A character that no program has.
    #[error("no program has the character `{0}`")]
    Character(char),
    /// A number with more than 63 bits.
    #[error("the number {0} is too large: it must be less than 2^63")]
    LargeNumber(String),
    /// Blocks or parentheses within one another.
    #[error("nested too deeply: at most {0} levels")]
    Deep(usize),
    /// A name that means something already.
    #[error("`{name}` is declared already, on line {line}")]
    Again {
        /// The name.
        name: String,
        /// Where it was declared.
        line: u32,
    },
    /// The name of an order, for something else.
    #[error("`{0}` is the name of an order, and of nothing else")]
    OrderName(String),
    /// A name that means nothing here.
    #[error("nothing here is called `{name}`: {hint}")]
    Unknown {
        /// The name.
        name: String,
        /// What could be.
        hint: &'static str,
    },
    /// A register that several threads have.
    #[error("`{name}` is a register of {first} and of {second}: write `{first}.{name}`")]
    Ambiguous {
        /// The name.
        name: String,
        /// A thread that has it.
        first: String,
        /// Another.
        second: String,
    },
    /// An access that does not say its order.
    #[error("an access of `{0}` needs an order, such as `@rlx`, here or where `{0}` is declared")]
    NoOrder(String),
    /// An order that an access cannot have.
    #[error("{what} cannot be {order}")]
    BadOrder {
        /// The access.
        what: &'static str,
        /// The order.
        order: &'static str,
    },
    /// A location where there should be one of another kind.
    #[error("`{name}` is {is}, and {wanted} is wanted")]
    WrongKind {
        /// The name.
        name: String,
        /// What it is.
        is: &'static str,
        /// What should stand here.
        wanted: &'static str,
    },
    /// A number that must be known before the program runs.
    #[error("{0} must be made of numbers and constants")]
    NotConstant(&'static str),
    /// A constant with a value that it cannot have.
    #[error("{what} is {value}, and must be {wanted}")]
    OutOfRange {
        /// What it is.
        what: &'static str,
        /// Its value.
        value: i64,
        /// What it may be.
        wanted: &'static str,
    },
    /// A setting of a constant that the program does not have.
    #[error("there is no constant `{name}` to set: the program has {known}")]
    NoConstant {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// A statement where it cannot stand.
    #[error("{what} can stand only {place}")]
    Misplaced {
        /// The statement.
        what: &'static str,
        /// Where it may stand.
        place: &'static str,
    },
    /// Something that is waited for and cannot be.
    #[error(
        "`await` waits for a comparison of one load with an expression without loads, or for a cas: other loops are `while .. {{ spin }}`"
    )]
    BadAwait,
    /// A function with another number of arguments.
    #[error("`{name}` takes {wanted} arguments, and has {given}")]
    Arguments {
        /// The function.
        name: String,
        /// How many it takes.
        wanted: usize,
        /// How many it has.
        given: usize,
    },
    /// A function that calls itself.
    #[error("`{0}` calls itself: functions are written out where they are called, so that they cannot")]
    Recursion(String),
    /// A program that is too large.
    #[error("the program is too large: at most {0}")]
    TooLarge(&'static str),
    /// An expected outcome with another number of values.
    #[error("an outcome has {wanted} values, and this one has {given}")]
    OutcomeLength {
        /// How many it has.
        wanted: usize,
        /// How many are given.
        given: usize,
    },
}

/// A program that cannot be explored under a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExploreError {
    /// The model cannot be explored at all.
    #[error(transparent)]
    NoSession(#[from] NoSession),
    /// Outcomes have final values, and the model has none.
    #[error("under {0} there is no modification order, so that locations have no final values")]
    NoFinalValues(Model),
}

impl Mistake {
    /// The mistake, at its place.
    pub(super) fn at(self, at: Position) -> TextError {
        TextError { at, mistake: self }
    }
}

//! Programs as they are written: names are not resolved yet, constants have no values.

use std::ops::RangeInclusive;
use tribunal_cat::text::Position;
use tribunal_history::model::Model;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub text: String,
    pub at: Position,
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    pub constants: Vec<Constant>,
    pub locations: Vec<Location>,
    pub functions: Vec<Function>,
    pub threads: Vec<Thread>,
    pub main: Option<Block>,
    pub last: Option<Block>,
    pub outcome: Option<Vec<(Expr, String)>>,
    pub claims: Vec<Claim>,
    /// Races are allowed if this is not 0.
    pub allow_races: Option<Expr>,
    pub cases: Vec<Case>,
}

/// A constant: a number or an order, which settings may change.
#[derive(Clone, Debug)]
pub(super) struct Constant {
    pub name: Name,
    pub value: ConstantValue,
}

#[derive(Clone, Debug)]
pub(super) enum ConstantValue {
    Number(Expr),
    Order(Name),
}

/// What kind of location it is; they differ in the order of an access that names none.
#[derive(Clone, Debug)]
pub(super) enum LocationKind {
    /// Accesses have this order, or must name one.
    Atomic(Option<Name>),
    /// Accesses are non-atomic.
    Plain,
    /// It is locked and unlocked, nothing else.
    Mutex,
}

/// A shared location or an array of them.
#[derive(Clone, Debug)]
pub(super) struct Location {
    pub name: Name,
    pub kind: LocationKind,
    /// How many, of an array.
    pub length: Option<Expr>,
    pub initial: Initial,
}

#[derive(Clone, Debug)]
pub(super) enum Initial {
    /// One value for all.
    Same(Option<Expr>),
    /// A value for each.
    Each(Vec<Expr>),
}

/// A function, written out wherever it is called.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub name: Name,
    pub parameters: Vec<Name>,
    pub body: Block,
}

/// A thread, or one for each value of a parameter.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    pub name: Name,
    pub copies: Option<(Name, Expr, Expr)>,
    pub body: Block,
}

/// A claim about outcomes.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub kind: ClaimKind,
    pub condition: Expr,
    pub text: String,
    pub at: Position,
}

/// What a claim says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClaimKind {
    /// Some outcome satisfies the condition.
    Exists,
    /// All do.
    Forall,
    /// None does.
    Never,
}

pub(super) type Block = Vec<Statement>;

#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub at: Position,
    pub kind: StatementKind,
}

#[derive(Clone, Debug)]
pub(super) enum StatementKind {
    /// To a register or a location.
    Assign {
        to: Target,
        value: Expr,
        order: Option<Name>,
    },
    /// An expression for its effects.
    Evaluate(Expr),
    Fence(Name),
    /// The register, if there is one, tells whether it timed out.
    Await {
        what: Expr,
        timeout: Option<Name>,
    },
    Assume(Expr),
    Assert {
        condition: Expr,
        text: String,
    },
    If {
        arms: Vec<(Expr, Block)>,
        otherwise: Option<Block>,
    },
    While {
        condition: Expr,
        body: Block,
    },
    For(Box<Counted>),
    Lock(Target),
    Unlock(Target),
    Free(Target),
    Spin,
    Break,
    Continue,
    Return(Option<Expr>),
}

/// A loop that counts.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    pub variable: Name,
    pub from: Expr,
    pub to: Expr,
    pub step: Option<Expr>,
    pub body: Block,
}

/// A name, of an array with an index.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub name: Name,
    pub index: Option<Box<Expr>>,
}

/// An expression. Those of one precedence are in a row, so that long ones are not deep.
#[derive(Clone, Debug)]
pub(super) enum Expr {
    Number(i64),
    /// A register, a constant, or a location with its own order; in outcomes its final value.
    Name(Target),
    /// A register of a thread.
    Register {
        thread: Target,
        register: Name,
    },
    Load {
        from: Target,
        order: Name,
    },
    Rmw {
        at: Target,
        operator: RmwOperator,
        operand: Box<Expr>,
        order: Option<Name>,
    },
    Cas {
        at: Target,
        expected: Box<Expr>,
        new: Box<Expr>,
        success: Option<Name>,
        failure: Option<Name>,
    },
    TryLock(Target),
    Call {
        function: Name,
        arguments: Vec<Expr>,
    },
    Not(Box<Expr>),
    Complement(Box<Expr>),
    Negative(Box<Expr>),
    Row {
        first: Box<Expr>,
        rest: Vec<(Operator, Expr)>,
    },
}

/// What a read-modify-write does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RmwOperator {
    Add,
    Subtract,
    And,
    Or,
    Xor,
    Exchange,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
    BitOr,
    BitXor,
    BitAnd,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// What is expected for some settings under a model.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub at: Position,
    /// Constants and what they are set to.
    pub settings: Vec<(Name, ConstantValue)>,
    pub model: Option<Model>,
    pub items: Vec<(Expectation, Position)>,
}

/// Something that is expected.
#[derive(Clone, Debug)]
pub(super) enum Expectation {
    Executions(u64),
    Blocked(u64),
    /// So many different outcomes.
    OutcomeCount(u64),
    /// Exactly these outcomes.
    Outcomes {
        these: Vec<Vec<Values>>,
        except: Vec<Vec<Values>>,
    },
    Failure(super::FailureKind),
    /// That nothing fails.
    Success,
}

/// The values that a place of an outcome may have.
pub(super) type Values = Vec<RangeInclusive<i64>>;

//! The text of a model as a tree.

use crate::lexer::Symbol;
use crate::plan::{Condition, Effect};
use crate::source::{FileId, Place};

/// An expression, and where it begins (an operator: where it stands).
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub at: Place,
    pub kind: Kind,
}

/// What an expression is. Chains of one operator are lists, so that long ones do not nest.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Name(Symbol),
    Tag(Symbol),
    /// `0`
    Zero,
    /// `_`
    Universe,
    /// `{a, b}`
    Braces(Vec<Expression>),
    Tuple(Vec<Expression>),
    Unary(Unary, Box<Expression>),
    Chain(Chain, Vec<Expression>),
    Product(Box<Expression>, Box<Expression>),
    Apply(Box<Expression>, Box<Expression>),
    Let {
        recursive: bool,
        bindings: Vec<Binding>,
        body: Box<Expression>,
    },
    Function(Box<Function>),
    Try(Box<Expression>, Box<Expression>),
    If(Box<Test>, Box<Expression>, Box<Expression>),
    MatchTag {
        subject: Box<Expression>,
        cases: Vec<(Symbol, Expression)>,
        otherwise: Option<Box<Expression>>,
    },
    MatchSet {
        subject: Box<Expression>,
        empty: Box<Expression>,
        some: Box<Element>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Plus,
    Star,
    Optional,
    Inverse,
    Complement,
    /// `[s]`
    Identity,
}

/// An operator that is written in chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chain {
    /// `a | b`
    Union,
    /// `e ++ s`, from the right
    Add,
    /// `r ; s`
    Sequence,
    /// `a \ b`, from the left
    Difference,
    /// `a & b`
    Intersection,
}

/// `fun x -> e`
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub parameters: Pattern,
    pub body: Expression,
}

/// What a value is given to; none for `_`.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    One(Option<Symbol>),
    Tuple(Vec<Option<Symbol>>),
}

/// `pattern = value`
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub at: Place,
    pub pattern: Pattern,
    pub value: Expression,
}

/// The case of a set that has an element.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    /// `before | element ++ rest`: what comes before the element.
    pub before: Option<Option<Symbol>>,
    pub element: Option<Symbol>,
    pub rest: Option<Symbol>,
    pub body: Expression,
}

/// What `if` asks.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    Variant(Variant),
    Equal(Expression, Expression),
    Subset(Expression, Expression),
    Member(Expression, Expression),
}

/// What `if` asks of the variants that are switched on.
#[derive(Clone, Debug)]
pub(crate) enum Variant {
    Is(String),
    Not(Box<Variant>),
    All(Vec<Variant>),
    Any(Vec<Variant>),
}

/// An instruction, and where it begins.
#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    pub at: Place,
    pub kind: InstructionKind,
}

/// What an instruction does.
#[derive(Clone, Debug)]
pub(crate) enum InstructionKind {
    Let(Vec<Binding>),
    LetRec(Vec<Binding>, Option<Check>),
    Check(Effect, Check),
    /// The name in the text, and the file that it is, if there is one.
    Include(String, Option<FileId>),
    Procedure {
        name: Symbol,
        recursive: bool,
        parameters: Pattern,
        body: Vec<Instruction>,
    },
    Call {
        name: Symbol,
        argument: Expression,
    },
    Forall {
        variable: Symbol,
        set: Expression,
        body: Vec<Instruction>,
    },
    With {
        variable: Symbol,
        from: Expression,
    },
    If {
        condition: Variant,
        then: Vec<Instruction>,
        otherwise: Vec<Instruction>,
    },
    Match {
        subject: Expression,
        cases: Vec<(Symbol, Vec<Instruction>)>,
        otherwise: Option<Vec<Instruction>>,
    },
    Enum(Symbol, Vec<Symbol>),
    /// `instructions R[..]` of bell files: which annotations an instruction may have.
    Instructions,
    /// `show` and the like, which are for drawings.
    Ignored,
}

/// `~acyclic e as name`
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub condition: Condition,
    pub negated: bool,
    pub expression: Expression,
    pub name: Option<Symbol>,
}

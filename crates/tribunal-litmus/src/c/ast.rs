//! The programs of C tests, as trees.

use crate::syntax::Position;
use crate::value::Binary;

/// A memory order of C11.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Relaxed,
    Consume,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// How memory is accessed: with an order of C11, or with annotations, of which a plain access has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Order(Order),
    Annotated(Vec<String>),
}

impl Mode {
    pub const PLAIN: Self = Self::Annotated(Vec::new());
}

#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Int(i64),
    /// A local variable or a parameter.
    Name(String),
    /// What is at an address.
    Load(Box<Expr>, Mode),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Exchange(Box<Expr>, Box<Expr>, Mode),
    /// C11's, of one event.
    Fetch(Box<Expr>, Binary, Box<Expr>, Order),
    /// C11's: object, where the expected value is, the desired one, orders of success and failure, whether it fails only on another value.
    CompareExchange(Box<[Expr; 3]>, Order, Order, bool),
    /// The kernel's: location, old and new value.
    CmpXchg(Box<[Expr; 3]>, Vec<String>),
    /// The kernel's: whether the value before is returned, or the value after.
    AtomicOp {
        location: Box<Expr>,
        op: Binary,
        operand: Box<Expr>,
        fetch: bool,
        annotations: Vec<String>,
    },
    /// The kernel's: adds unless it is equal, and tells whether it did.
    AddUnless(Box<[Expr; 3]>, Vec<String>),
    /// An event of sleepable RCU.
    Srcu(Box<Expr>, Vec<String>),
    TryLock(Box<Expr>),
    IsLocked(Box<Expr>),
    /// A macro.
    Call(String, Vec<Expr>, Position),
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Block(Vec<Statement>),
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    While(Expr, Box<Statement>),
    /// To a local variable, or to none.
    Assign(Option<String>, Expr, Position),
    Store(Expr, Expr, Mode, Position),
    Fence(Mode, Position),
    AtomicOp(Expr, Binary, Expr, Vec<String>, Position),
    Srcu(Expr, Vec<String>, Option<Expr>, Position),
    Lock(Expr, bool, Position),
    Unlock(Expr, bool, Position),
    Call(String, Vec<Expr>, Position),
}

/// `P0 (int* x) { .. }`
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub thread: u32,
    pub parameters: Vec<String>,
    pub body: Vec<Statement>,
    pub position: Position,
}

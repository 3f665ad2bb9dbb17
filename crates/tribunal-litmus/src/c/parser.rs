//! The text of C programs to trees.

use super::ast::{Expr, Function, Mode, Order, Statement};
use crate::error::Fault;
use crate::syntax::{Lexer, Position, Token};
use crate::value::Binary;

/// How deep statements and expressions may be nested.
const MAX_DEPTH: u32 = 150;

pub(crate) struct Parser<'a> {
    pub lexer: Lexer<'a>,
    depth: u32,
}

/// The threads of a program.
pub(crate) fn program(text: &str, position: Position) -> Result<Vec<Function>, Fault> {
    let mut parser = Parser::new(text, position);
    let mut functions = Vec::new();
    while parser.lexer.peek() != Token::End {
        functions.push(parser.function()?);
    }
    if functions.is_empty() {
        return Err(Fault::new(position, "a thread, as in `P0 (int* x) { }`, was expected"));
    }
    Ok(functions)
}

pub(super) fn is_type(word: &str) -> bool {
    matches!(
        word,
        "int"
            | "char"
            | "long"
            | "short"
            | "void"
            | "volatile"
            | "const"
            | "unsigned"
            | "signed"
            | "struct"
            | "_Atomic"
            | "atomic"
            | "_Bool"
            | "bool"
            | "atomic_int"
            | "mutex"
            | "__int128_t"
            | "__uint128_t"
            | "__int128"
            | "__uint128"
    ) || (word.ends_with("_t") && !word.starts_with('_'))
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str, position: Position) -> Self {
        Self { lexer: Lexer::of_c(text, position), depth: 0 }
    }

    fn function(&mut self) -> Result<Function, Fault> {
        let position = self.lexer.position();
        if self.lexer.take("void") {
            self.lexer.take("*");
        }
        let name = self.lexer.word("a thread, as in `P0`,")?;
        let thread = name.strip_prefix('P').and_then(|n| n.parse().ok());
        let thread = thread.ok_or_else(|| {
            Fault::new(position, format!("a thread, as in `P0`, was expected, not `{name}`"))
        })?;
        self.lexer.expect("(")?;
        let mut parameters = Vec::new();
        while !self.lexer.take(")") {
            self.types()?;
            parameters.push(self.lexer.word("a parameter")?.to_owned());
            if !self.lexer.take(",") && !matches!(self.lexer.peek(), Token::Sign(")")) {
                return Err(self.lexer.expected("`,` or `)`"));
            }
        }
        self.lexer.expect("{")?;
        let body = self.statements()?;
        Ok(Function { thread, parameters, body, position })
    }

    /// The words and stars of a type.
    pub(super) fn types(&mut self) -> Result<(), Fault> {
        let mut any = false;
        loop {
            match self.lexer.peek() {
                Token::Word("struct") => {
                    self.lexer.next();
                    self.lexer.word("the name of a struct")?;
                }
                Token::Word(word) if is_type(word) => {
                    self.lexer.next();
                }
                Token::Sign("*") if any => {
                    self.lexer.next();
                }
                Token::Sign("<" | ">") if any => {
                    self.lexer.next();
                }
                _ if any => return Ok(()),
                _ => return Err(self.lexer.expected("a type")),
            }
            any = true;
        }
    }

    /// Up to the closing brace.
    pub fn statements(&mut self) -> Result<Vec<Statement>, Fault> {
        let mut all = Vec::new();
        while !self.lexer.take("}") {
            if self.lexer.peek() == Token::End {
                return Err(self.lexer.expected("`}`"));
            }
            if let Some(statement) = self.statement()? {
                all.push(statement);
            }
        }
        Ok(all)
    }

    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth >= MAX_DEPTH {
            return Err(self.lexer.fault(format!("a program may be nested {MAX_DEPTH} deep")));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// None for a declaration without a value.
    fn statement(&mut self) -> Result<Option<Statement>, Fault> {
        self.deeper(Self::statement_inside)
    }

    fn block(&mut self) -> Result<Box<Statement>, Fault> {
        Ok(Box::new(self.statement()?.unwrap_or(Statement::Block(Vec::new()))))
    }

    fn statement_inside(&mut self) -> Result<Option<Statement>, Fault> {
        let at = self.lexer.position();
        let statement = match self.lexer.peek() {
            Token::Sign("{") => {
                self.lexer.next();
                return Ok(Some(Statement::Block(self.statements()?)));
            }
            Token::Sign(";") => {
                self.lexer.next();
                return Ok(None);
            }
            Token::Word("if") => {
                self.lexer.next();
                self.lexer.expect("(")?;
                let condition = self.expr()?;
                self.lexer.expect(")")?;
                let then = self.block()?;
                let otherwise = if self.lexer.take("else") { Some(self.block()?) } else { None };
                return Ok(Some(Statement::If(condition, then, otherwise)));
            }
            Token::Word("while") => {
                self.lexer.next();
                self.lexer.expect("(")?;
                let condition = self.expr()?;
                self.lexer.expect(")")?;
                return Ok(Some(Statement::While(condition, self.block()?)));
            }
            Token::Word(word @ ("for" | "do" | "goto" | "return" | "switch" | "break" | "continue"))
                // To herd they are names like others.
                if self.lexer.second() != Token::Sign("=") =>
            {
                return Err(self.lexer.fault(format!("`{word}` is not supported")));
            }
            Token::Word(word) if is_type(word) => {
                self.types()?;
                let name = self.lexer.word("the name of a variable")?.to_owned();
                if self.lexer.take(";") {
                    return Ok(None);
                }
                self.lexer.expect("=")?;
                Statement::Assign(Some(name), self.expr()?, at)
            }
            Token::Word(word) if self.lexer.second() == Token::Sign("=") => {
                let name = word.to_owned();
                self.lexer.next();
                self.lexer.next();
                Statement::Assign(Some(name), self.expr()?, at)
            }
            Token::Sign("*") => {
                self.lexer.next();
                let address = self.location()?;
                self.lexer.expect("=")?;
                Statement::Store(address, self.expr()?, Mode::PLAIN, at)
            }
            Token::Word(word) => match self.named(word, at)? {
                Some(statement) => statement,
                None => self.bare(at)?,
            },
            _ => self.bare(at)?,
        };
        self.lexer.expect(";")?;
        Ok(Some(statement))
    }

    fn bare(&mut self, at: Position) -> Result<Statement, Fault> {
        Ok(match self.expr()? {
            Expr::Call(name, arguments, at) => Statement::Call(name, arguments, at),
            expr => Statement::Assign(None, expr, at),
        })
    }

    /// What a `*` on the left side stands before.
    pub(super) fn location(&mut self) -> Result<Expr, Fault> {
        self.deeper(|parser| {
            if parser.lexer.take("*") {
                return Ok(Expr::Load(Box::new(parser.location()?), Mode::PLAIN));
            }
            if parser.lexer.take("(") {
                if matches!(parser.lexer.peek(), Token::Word(word) if is_type(word)) {
                    parser.types()?;
                    parser.lexer.expect(")")?;
                    return parser.location();
                }
                let inner = parser.expr()?;
                parser.lexer.expect(")")?;
                return Ok(inner);
            }
            Ok(Expr::Name(parser.lexer.word("a location")?.to_owned()))
        })
    }

    /// Statements that begin with a word of their own; none if this is not such a word.
    fn named(&mut self, word: &str, at: Position) -> Result<Option<Statement>, Fault> {
        let statement = match word {
            "atomic_store_explicit" => {
                self.lexer.next();
                let (address, value, order) = (self.open()?, self.after_comma()?, self.order_after_comma()?);
                self.lexer.expect(")")?;
                Statement::Store(address, value, Mode::Order(order), at)
            }
            "__store" => {
                self.lexer.next();
                let mode = Mode::Annotated(self.annotations()?);
                let (address, value) = (self.open()?, self.after_comma()?);
                self.lexer.expect(")")?;
                Statement::Store(lvalue(address, at)?, value, mode, at)
            }
            "atomic_thread_fence" => {
                self.lexer.next();
                self.lexer.expect("(")?;
                let order = self.order()?;
                self.lexer.expect(")")?;
                Statement::Fence(Mode::Order(order), at)
            }
            "__fence" => {
                self.lexer.next();
                Statement::Fence(Mode::Annotated(self.annotations()?), at)
            }
            "lock" | "mtx_lock" | "__lock" | "unlock" | "mtx_unlock" | "__unlock" => {
                self.lexer.next();
                let kernel = word.starts_with('_');
                let address = self.open()?;
                self.lexer.expect(")")?;
                if word.ends_with("unlock") {
                    Statement::Unlock(address, kernel, at)
                } else {
                    Statement::Lock(address, kernel, at)
                }
            }
            "__atomic_op" => {
                self.lexer.next();
                let annotations = if matches!(self.lexer.peek(), Token::Sign("{")) {
                    self.annotations()?
                } else {
                    Vec::new()
                };
                let address = self.open()?;
                self.lexer.expect(",")?;
                let op = self.operator()?;
                let operand = self.after_comma()?;
                self.lexer.expect(")")?;
                Statement::AtomicOp(address, op, operand, annotations, at)
            }
            "__srcu" => {
                self.lexer.next();
                let annotations = self.annotations()?;
                let address = self.open()?;
                let value = if self.lexer.take(",") { Some(self.expr()?) } else { None };
                self.lexer.expect(")")?;
                Statement::Srcu(address, annotations, value, at)
            }
            _ => return Ok(None),
        };
        Ok(Some(statement))
    }

    pub(super) fn open(&mut self) -> Result<Expr, Fault> {
        self.lexer.expect("(")?;
        self.expr()
    }

    pub(super) fn after_comma(&mut self) -> Result<Expr, Fault> {
        self.lexer.expect(",")?;
        self.expr()
    }

    pub(super) fn order_after_comma(&mut self) -> Result<Order, Fault> {
        self.lexer.expect(",")?;
        self.order()
    }

    pub(super) fn order(&mut self) -> Result<Order, Fault> {
        let order = match self.lexer.peek() {
            Token::Word("memory_order_relaxed") => Order::Relaxed,
            Token::Word("memory_order_consume") => Order::Consume,
            Token::Word("memory_order_acquire") => Order::Acquire,
            Token::Word("memory_order_release") => Order::Release,
            Token::Word("memory_order_acq_rel") => Order::AcqRel,
            Token::Word("memory_order_seq_cst") => Order::SeqCst,
            _ => return Err(self.lexer.expected("a memory order")),
        };
        self.lexer.next();
        Ok(order)
    }

    /// `{once, release}`; names may have a `-`.
    pub(super) fn annotations(&mut self) -> Result<Vec<String>, Fault> {
        self.lexer.expect("{")?;
        let mut all = Vec::new();
        loop {
            let mut name = self.lexer.word("an annotation")?.to_owned();
            while self.lexer.take("-") {
                name.push('-');
                name.push_str(self.lexer.word("the rest of an annotation")?);
            }
            all.push(name);
            if !self.lexer.take(",") {
                break;
            }
        }
        self.lexer.expect("}")?;
        Ok(all)
    }

    pub(super) fn operator(&mut self) -> Result<Binary, Fault> {
        let op = match self.lexer.peek() {
            Token::Sign("+") => Binary::Add,
            Token::Sign("-") => Binary::Sub,
            Token::Sign("&") => Binary::And,
            Token::Sign("|") => Binary::Or,
            Token::Sign("^") => Binary::Xor,
            _ => return Err(self.lexer.expected("an operator")),
        };
        self.lexer.next();
        Ok(if op == Binary::And && self.lexer.take("~") { Binary::AndNot } else { op })
    }
}

/// The kernel's accesses name what they access, not where it is.
pub(super) fn lvalue(expr: Expr, at: Position) -> Result<Expr, Fault> {
    match expr {
        Expr::Load(address, mode) if mode == Mode::PLAIN => Ok(*address),
        // An argument of a macro: known after its expansion.
        Expr::Name(name) => Ok(Expr::Call("&".to_owned(), vec![Expr::Name(name)], at)),
        Expr::Call(..) => Ok(Expr::Call("&".to_owned(), vec![expr], at)),
        _ => Err(Fault::new(at, "what is accessed was expected: `*x`")),
    }
}

//! The text of C programs to trees.

use super::ast::{Expr, Function, Mode, Order, Statement};
use crate::error::Fault;
use crate::syntax::Litmus;
use crate::value::Binary;
use tribunal_cat::text::{Cursor, Grammar, Position, Token};

pub(crate) struct Parser<'a> {
    pub cursor: Cursor<'a, Litmus<true>>,
}

impl<'a> Grammar<'a> for Parser<'a> {
    type Language = Litmus<true>;

    fn cursor(&mut self) -> &mut Cursor<'a, Litmus<true>> {
        &mut self.cursor
    }
}

/// The threads of a program.
pub(crate) fn program(text: &str, position: Position) -> Result<Vec<Function>, Fault> {
    let mut parser = Parser::new(text, position);
    let mut functions = Vec::new();
    while parser.cursor.peek() != Token::End {
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
        Self { cursor: Cursor::new(text, position) }
    }

    fn function(&mut self) -> Result<Function, Fault> {
        let position = self.cursor.at();
        if self.cursor.take("void") {
            self.cursor.take("*");
        }
        let name = self.cursor.name("a thread, as in `P0`,")?;
        let thread = name.strip_prefix('P').and_then(|n| n.parse().ok());
        let thread = thread.ok_or_else(|| {
            Fault::new(position, format!("a thread, as in `P0`, was expected, not `{name}`"))
        })?;
        self.cursor.expect("(")?;
        let mut parameters = Vec::new();
        while !self.cursor.take(")") {
            self.types()?;
            parameters.push(self.cursor.name("a parameter")?.to_owned());
            if !self.cursor.take(",") && !self.cursor.is(")") {
                return Err(self.cursor.expected("`,` or `)`"));
            }
        }
        self.cursor.expect("{")?;
        let body = self.statements()?;
        Ok(Function { thread, parameters, body, position })
    }

    /// The words and stars of a type.
    pub(super) fn types(&mut self) -> Result<(), Fault> {
        let mut any = false;
        loop {
            match self.cursor.peek() {
                Token::Name("struct") => {
                    self.cursor.next();
                    self.cursor.name("the name of a struct")?;
                }
                Token::Name(word) if is_type(word) => {
                    self.cursor.next();
                }
                Token::Sign("*") if any => {
                    self.cursor.next();
                }
                Token::Sign("<" | ">") if any => {
                    self.cursor.next();
                }
                _ if any => return Ok(()),
                _ => return Err(self.cursor.expected("a type")),
            }
            any = true;
        }
    }

    /// Up to the closing brace.
    pub fn statements(&mut self) -> Result<Vec<Statement>, Fault> {
        let mut all = Vec::new();
        while !self.cursor.take("}") {
            if self.cursor.peek() == Token::End {
                return Err(self.cursor.expected("`}`"));
            }
            if let Some(statement) = self.statement()? {
                all.push(statement);
            }
        }
        Ok(all)
    }

    /// None for a declaration without a value.
    fn statement(&mut self) -> Result<Option<Statement>, Fault> {
        self.deeper(Self::statement_inside)
    }

    fn block(&mut self) -> Result<Box<Statement>, Fault> {
        Ok(Box::new(self.statement()?.unwrap_or(Statement::Block(Vec::new()))))
    }

    fn statement_inside(&mut self) -> Result<Option<Statement>, Fault> {
        let at = self.cursor.at();
        let statement = match self.cursor.peek() {
            Token::Sign("{") => {
                self.cursor.next();
                return Ok(Some(Statement::Block(self.statements()?)));
            }
            Token::Sign(";") => {
                self.cursor.next();
                return Ok(None);
            }
            Token::Name("if") => {
                self.cursor.next();
                self.cursor.expect("(")?;
                let condition = self.expr()?;
                self.cursor.expect(")")?;
                let then = self.block()?;
                let otherwise = if self.cursor.take("else") { Some(self.block()?) } else { None };
                return Ok(Some(Statement::If(condition, then, otherwise)));
            }
            Token::Name("while") => {
                self.cursor.next();
                self.cursor.expect("(")?;
                let condition = self.expr()?;
                self.cursor.expect(")")?;
                return Ok(Some(Statement::While(condition, self.block()?)));
            }
            Token::Name(word @ ("for" | "do" | "goto" | "return" | "switch" | "break" | "continue"))
                // To herd they are names like others.
                if self.cursor.second() != Token::Sign("=") =>
            {
                return Err(self.cursor.fault(format!("`{word}` is not supported")));
            }
            Token::Name(word) if is_type(word) => {
                self.types()?;
                let name = self.cursor.name("the name of a variable")?.to_owned();
                if self.cursor.take(";") {
                    return Ok(None);
                }
                self.cursor.expect("=")?;
                Statement::Assign(Some(name), self.expr()?, at)
            }
            Token::Name(word) if self.cursor.second() == Token::Sign("=") => {
                let name = word.to_owned();
                self.cursor.next();
                self.cursor.next();
                Statement::Assign(Some(name), self.expr()?, at)
            }
            Token::Sign("*") => {
                self.cursor.next();
                let address = self.location()?;
                self.cursor.expect("=")?;
                Statement::Store(address, self.expr()?, Mode::PLAIN, at)
            }
            Token::Name(word) => match self.named(word, at)? {
                Some(statement) => statement,
                None => self.bare(at)?,
            },
            _ => self.bare(at)?,
        };
        self.cursor.expect(";")?;
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
            if parser.cursor.take("*") {
                return Ok(Expr::Load(Box::new(parser.location()?), Mode::PLAIN));
            }
            if parser.cursor.take("(") {
                if matches!(parser.cursor.peek(), Token::Name(word) if is_type(word)) {
                    parser.types()?;
                    parser.cursor.expect(")")?;
                    return parser.location();
                }
                let inner = parser.expr()?;
                parser.cursor.expect(")")?;
                return Ok(inner);
            }
            Ok(Expr::Name(parser.cursor.name("a location")?.to_owned()))
        })
    }

    /// Statements that begin with a word of their own; none if this is not such a word.
    fn named(&mut self, word: &str, at: Position) -> Result<Option<Statement>, Fault> {
        let statement = match word {
            "atomic_store_explicit" => {
                self.cursor.next();
                let (address, value, order) = (self.open()?, self.after_comma()?, self.order_after_comma()?);
                self.cursor.expect(")")?;
                Statement::Store(address, value, Mode::Order(order), at)
            }
            "__store" => {
                self.cursor.next();
                let mode = Mode::Annotated(self.annotations()?);
                let (address, value) = (self.open()?, self.after_comma()?);
                self.cursor.expect(")")?;
                Statement::Store(lvalue(address, at)?, value, mode, at)
            }
            "atomic_thread_fence" => {
                self.cursor.next();
                self.cursor.expect("(")?;
                let order = self.order()?;
                self.cursor.expect(")")?;
                Statement::Fence(Mode::Order(order), at)
            }
            "__fence" => {
                self.cursor.next();
                Statement::Fence(Mode::Annotated(self.annotations()?), at)
            }
            "lock" | "mtx_lock" | "__lock" | "unlock" | "mtx_unlock" | "__unlock" => {
                self.cursor.next();
                let kernel = word.starts_with('_');
                let address = self.open()?;
                self.cursor.expect(")")?;
                if word.ends_with("unlock") {
                    Statement::Unlock(address, kernel, at)
                } else {
                    Statement::Lock(address, kernel, at)
                }
            }
            "__atomic_op" => {
                self.cursor.next();
                let annotations = if self.cursor.is("{") { self.annotations()? } else { Vec::new() };
                let address = self.open()?;
                self.cursor.expect(",")?;
                let op = self.operator()?;
                let operand = self.after_comma()?;
                self.cursor.expect(")")?;
                Statement::AtomicOp(address, op, operand, annotations, at)
            }
            "__srcu" => {
                self.cursor.next();
                let annotations = self.annotations()?;
                let address = self.open()?;
                let value = if self.cursor.take(",") { Some(self.expr()?) } else { None };
                self.cursor.expect(")")?;
                Statement::Srcu(address, annotations, value, at)
            }
            _ => return Ok(None),
        };
        Ok(Some(statement))
    }

    pub(super) fn open(&mut self) -> Result<Expr, Fault> {
        self.cursor.expect("(")?;
        self.expr()
    }

    pub(super) fn after_comma(&mut self) -> Result<Expr, Fault> {
        self.cursor.expect(",")?;
        self.expr()
    }

    pub(super) fn order_after_comma(&mut self) -> Result<Order, Fault> {
        self.cursor.expect(",")?;
        self.order()
    }

    pub(super) fn order(&mut self) -> Result<Order, Fault> {
        let order = match self.cursor.peek() {
            Token::Name("memory_order_relaxed") => Order::Relaxed,
            Token::Name("memory_order_consume") => Order::Consume,
            Token::Name("memory_order_acquire") => Order::Acquire,
            Token::Name("memory_order_release") => Order::Release,
            Token::Name("memory_order_acq_rel") => Order::AcqRel,
            Token::Name("memory_order_seq_cst") => Order::SeqCst,
            _ => return Err(self.cursor.expected("a memory order")),
        };
        self.cursor.next();
        Ok(order)
    }

    /// `{once, release}`; names may have a `-`.
    pub(super) fn annotations(&mut self) -> Result<Vec<String>, Fault> {
        self.cursor.expect("{")?;
        let mut all = Vec::new();
        loop {
            let mut name = self.cursor.name("an annotation")?.to_owned();
            while self.cursor.take("-") {
                name.push('-');
                name.push_str(self.cursor.name("the rest of an annotation")?);
            }
            all.push(name);
            if !self.cursor.take(",") {
                break;
            }
        }
        self.cursor.expect("}")?;
        Ok(all)
    }

    pub(super) fn operator(&mut self) -> Result<Binary, Fault> {
        let op = match self.cursor.peek() {
            Token::Sign("+") => Binary::Add,
            Token::Sign("-") => Binary::Sub,
            Token::Sign("&") => Binary::And,
            Token::Sign("|") => Binary::Or,
            Token::Sign("^") => Binary::Xor,
            _ => return Err(self.cursor.expected("an operator")),
        };
        self.cursor.next();
        Ok(if op == Binary::And && self.cursor.take("~") { Binary::AndNot } else { op })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_limited_since_they_nest() {
        let sum = |operators: usize| {
            program(&format!("P0 () {{ int r = 1{}; }}", " + 1".repeat(operators)), Position::START)
        };
        assert!(sum(1000).is_ok());
        assert!(sum(1_000_000).is_err_and(|fault| fault.problem == "a program may be nested 150 deep"));
    }
}

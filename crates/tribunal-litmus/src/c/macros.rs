//! Macros: names for expressions and statements, as files such as linux-kernel.def define them.

use std::cell::Cell;

use rustc_hash::FxHashMap;

use super::ast::{Expr, Mode, Statement};
use super::parser::Parser;
use crate::error::{Error, Fault};
use tribunal_cat::text::{Position, Token};

#[derive(Clone, Debug)]
pub(super) enum Body {
    Expr(Expr),
    Block(Statement),
}

#[derive(Clone, Debug)]
pub(super) struct Macro {
    pub formals: Vec<String>,
    pub body: Body,
}

/// Macros by name.
#[derive(Clone, Debug, Default)]
pub struct Macros(FxHashMap<String, Macro>);

impl Macros {
    /// Reads a file of definitions: `name(a, b) expression`, or `name(a) { statements }`. A later one of a name takes the place of an earlier one.
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        let mut macros = Self::default();
        macros.read(text).map_err(|fault| fault.within(file))?;
        Ok(macros)
    }

    fn read(&mut self, text: &str) -> Result<(), Fault> {
        let mut parser = Parser::new(text, Position::START);
        while parser.cursor.peek() != Token::End {
            let name = parser.cursor.name("the name of a macro")?.to_owned();
            parser.cursor.expect("(")?;
            let mut formals = Vec::new();
            while !parser.cursor.take(")") {
                formals.push(parser.cursor.name("a parameter")?.to_owned());
                if !parser.cursor.take(",") && !parser.cursor.is(")") {
                    return Err(parser.cursor.expected("`,` or `)`"));
                }
            }
            let body = if parser.cursor.take("{") {
                Body::Block(Statement::Block(parser.statements()?))
            } else {
                let body = Body::Expr(parser.expr()?);
                parser.cursor.take(";");
                body
            };
            self.0.insert(name, Macro { formals, body });
        }
        Ok(())
    }

    pub(super) fn get(&self, name: &str) -> Option<&Macro> {
        self.0.get(name)
    }
}

/// How large a macro's body may be with its arguments, in expressions.
const MAX_BODY: usize = 1 << 16;

/// What formals stand for.
pub(super) struct Arguments<'a> {
    formals: &'a [String],
    actuals: &'a [Expr],
    /// How many expressions each of the actuals is of.
    sizes: Vec<usize>,
    /// How many more expressions there may be. Once it is used up, bodies are cut off: `fit` says so.
    left: Cell<usize>,
}

impl<'a> Arguments<'a> {
    pub fn new(formals: &'a [String], actuals: &'a [Expr]) -> Self {
        let sizes = actuals.iter().map(size).collect();
        Self { formals, actuals, sizes, left: Cell::new(MAX_BODY) }
    }

    /// Whether what was expanded is whole.
    pub fn fit(&self, at: Position) -> Result<(), Fault> {
        if self.left.get() > 0 {
            return Ok(());
        }
        Err(Fault::new(at, format!("with its arguments a macro may be of {MAX_BODY} expressions")))
    }

    /// Takes room for so many expressions, if there is some.
    fn take(&self, expressions: usize) -> bool {
        self.left.set(self.left.get().saturating_sub(expressions));
        self.left.get() > 0
    }
}

/// How many expressions an expression is of.
fn size(expr: &Expr) -> usize {
    let all = |inner: &[&Expr]| 1 + inner.iter().map(|e| size(e)).sum::<usize>();
    match expr {
        Expr::Int(_) | Expr::Name(_) => 1,
        Expr::Load(a, _) | Expr::Srcu(a, _) | Expr::TryLock(a) | Expr::IsLocked(a) => all(&[a]),
        Expr::Binary(_, a, b) | Expr::Exchange(a, b, _) | Expr::Fetch(a, _, b, _) => all(&[a, b]),
        Expr::AtomicOp { location, operand, .. } => all(&[location, operand]),
        Expr::CompareExchange(three, ..) | Expr::CmpXchg(three, _) | Expr::AddUnless(three, _) => {
            all(&[&three[0], &three[1], &three[2]])
        }
        Expr::Call(_, arguments, _) => 1 + arguments.iter().map(size).sum::<usize>(),
    }
}

impl Arguments<'_> {
    fn get(&self, name: &str) -> Option<&Expr> {
        self.formals.iter().position(|f| f == name).and_then(|index| self.actuals.get(index))
    }

    fn boxed(&self, expr: &Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    fn three(&self, three: &[Expr; 3]) -> Box<[Expr; 3]> {
        Box::new([self.expr(&three[0]), self.expr(&three[1]), self.expr(&three[2])])
    }

    /// The expression with its arguments. Bodies are nested no deeper than the parser allows.
    pub fn expr(&self, expr: &Expr) -> Expr {
        if !self.take(1) {
            return Expr::Int(0);
        }
        match expr {
            Expr::Int(_) => expr.clone(),
            Expr::Name(name) => {
                let known = self.formals.iter().position(|f| f == name);
                match known.and_then(|index| Some((self.actuals.get(index)?, self.sizes.get(index)?))) {
                    Some((actual, size)) if self.take(*size) => actual.clone(),
                    Some(_) => Expr::Int(0),
                    None => expr.clone(),
                }
            }
            Expr::Load(address, mode) => Expr::Load(self.boxed(address), mode.clone()),
            Expr::Binary(op, l, r) => Expr::Binary(*op, self.boxed(l), self.boxed(r)),
            Expr::Exchange(a, v, mode) => Expr::Exchange(self.boxed(a), self.boxed(v), mode.clone()),
            Expr::Fetch(a, op, v, order) => Expr::Fetch(self.boxed(a), *op, self.boxed(v), *order),
            Expr::CompareExchange(three, s, f, strong) => {
                Expr::CompareExchange(self.three(three), *s, *f, *strong)
            }
            Expr::CmpXchg(three, annotations) => Expr::CmpXchg(self.three(three), annotations.clone()),
            Expr::AtomicOp { location, op, operand, fetch, annotations } => Expr::AtomicOp {
                location: self.boxed(location),
                op: *op,
                operand: self.boxed(operand),
                fetch: *fetch,
                annotations: annotations.clone(),
            },
            Expr::AddUnless(three, annotations) => Expr::AddUnless(self.three(three), annotations.clone()),
            Expr::Srcu(a, annotations) => Expr::Srcu(self.boxed(a), annotations.clone()),
            Expr::TryLock(a) => Expr::TryLock(self.boxed(a)),
            Expr::IsLocked(a) => Expr::IsLocked(self.boxed(a)),
            Expr::Call(name, arguments, at) => {
                let arguments: Vec<Expr> = arguments.iter().map(|a| self.expr(a)).collect();
                match (name.as_str(), arguments.as_slice()) {
                    // The address of what an argument names.
                    ("&", [Expr::Load(address, mode)]) if *mode == Mode::PLAIN => (**address).clone(),
                    _ => Expr::Call(name.clone(), arguments, *at),
                }
            }
        }
    }

    pub fn statement(&self, statement: &Statement) -> Statement {
        let name = |name: &Option<String>| match name.as_deref().and_then(|n| self.get(n)) {
            Some(Expr::Name(actual)) => Some(actual.clone()),
            _ => name.clone(),
        };
        match statement {
            Statement::Block(all) => Statement::Block(all.iter().map(|s| self.statement(s)).collect()),
            Statement::If(c, t, e) => {
                let e = e.as_ref().map(|e| Box::new(self.statement(e)));
                Statement::If(self.expr(c), Box::new(self.statement(t)), e)
            }
            Statement::While(c, body) => Statement::While(self.expr(c), Box::new(self.statement(body))),
            Statement::Assign(to, e, at) => Statement::Assign(name(to), self.expr(e), *at),
            Statement::Store(a, v, mode, at) => {
                Statement::Store(self.expr(a), self.expr(v), mode.clone(), *at)
            }
            Statement::Fence(..) => statement.clone(),
            Statement::AtomicOp(a, op, v, annotations, at) => {
                Statement::AtomicOp(self.expr(a), *op, self.expr(v), annotations.clone(), *at)
            }
            Statement::Srcu(a, annotations, v, at) => {
                Statement::Srcu(self.expr(a), annotations.clone(), v.as_ref().map(|v| self.expr(v)), *at)
            }
            Statement::Lock(a, kernel, at) => Statement::Lock(self.expr(a), *kernel, *at),
            Statement::Unlock(a, kernel, at) => Statement::Unlock(self.expr(a), *kernel, *at),
            Statement::Call(n, arguments, at) => {
                Statement::Call(n.clone(), arguments.iter().map(|a| self.expr(a)).collect(), *at)
            }
        }
    }
}

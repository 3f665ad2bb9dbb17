//! Expressions of C.

use super::ast::{Expr, Mode, Order};
use super::parser::{Parser, is_type, lvalue};
use crate::error::Fault;
use crate::syntax::{Position, Token};
use crate::value::Binary;

const LEVELS: [&[(&str, Binary)]; 6] = [
    &[("|", Binary::Or)],
    &[("^", Binary::Xor)],
    &[("&", Binary::And)],
    &[
        ("==", Binary::Eq),
        ("!=", Binary::Ne),
        ("<=", Binary::Le),
        (">=", Binary::Ge),
        ("<", Binary::Lt),
        (">", Binary::Gt),
    ],
    &[("+", Binary::Add), ("-", Binary::Sub)],
    &[("*", Binary::Mul), ("/", Binary::Div)],
];

impl Parser<'_> {
    pub fn expr(&mut self) -> Result<Expr, Fault> {
        self.deeper(|parser| parser.binary(0))
    }

    fn binary(&mut self, level: usize) -> Result<Expr, Fault> {
        let Some(operators) = LEVELS.get(level) else { return self.primary() };
        let mut left = self.binary(level + 1)?;
        loop {
            let next = match self.lexer.peek() {
                Token::Sign(sign @ ("&&" | "||" | "?" | "<<" | ">>" | "++" | "--" | "+=" | "-=")) => {
                    return Err(self.lexer.fault(format!("`{sign}` is not supported")));
                }
                Token::Sign(sign) => operators.iter().find(|(o, _)| *o == sign),
                _ => None,
            };
            let Some((_, op)) = next else { return Ok(left) };
            self.lexer.next();
            let right = self.binary(level + 1)?;
            left = Expr::Binary(*op, Box::new(left), Box::new(right));
        }
    }

    fn primary(&mut self) -> Result<Expr, Fault> {
        self.deeper(Self::primary_inside)
    }

    fn primary_inside(&mut self) -> Result<Expr, Fault> {
        let at = self.lexer.position();
        match self.lexer.peek() {
            Token::Number(_) | Token::Sign("-") => self.lexer.number("a number").map(Expr::Int),
            Token::Sign("*") => {
                self.lexer.next();
                Ok(Expr::Load(Box::new(self.location()?), Mode::PLAIN))
            }
            Token::Sign("(") => {
                self.lexer.next();
                if matches!(self.lexer.peek(), Token::Word(word) if is_type(word)) {
                    self.types()?;
                    self.lexer.expect(")")?;
                    return self.primary();
                }
                let inner = self.expr()?;
                self.lexer.expect(")")?;
                Ok(inner)
            }
            Token::Sign(sign @ ("&" | "!" | "~")) => {
                Err(self.lexer.fault(format!("`{sign}` before an expression is not supported")))
            }
            Token::Word(word) => {
                self.lexer.next();
                self.word(word, at)
            }
            _ => Err(self.lexer.expected("an expression")),
        }
    }

    fn word(&mut self, word: &str, at: Position) -> Result<Expr, Fault> {
        let fetch = |op: &str| {
            Some(match op {
                "add" => Binary::Add,
                "sub" => Binary::Sub,
                "or" => Binary::Or,
                "xor" => Binary::Xor,
                "and" => Binary::And,
                _ => return None,
            })
        };
        let fetched =
            word.strip_prefix("atomic_fetch_").and_then(|w| w.strip_suffix("_explicit")).and_then(fetch);
        let expr = match word {
            "atomic_load_explicit" => {
                let (address, order) = (self.open()?, self.order_after_comma()?);
                Expr::Load(Box::new(address), Mode::Order(order))
            }
            "atomic_exchange_explicit" => {
                let (address, value, order) = (self.open()?, self.after_comma()?, self.order_after_comma()?);
                Expr::Exchange(Box::new(address), Box::new(value), Mode::Order(order))
            }
            _ if fetched.is_some() => {
                let op = fetched.unwrap_or(Binary::Add);
                let (address, value, order) = (self.open()?, self.after_comma()?, self.order_after_comma()?);
                Expr::Fetch(Box::new(address), op, Box::new(value), order)
            }
            "atomic_compare_exchange_strong_explicit" | "atomic_compare_exchange_weak_explicit" => {
                let three = Box::new([self.open()?, self.after_comma()?, self.after_comma()?]);
                let (success, failure) = (self.order_after_comma()?, self.order_after_comma()?);
                Expr::CompareExchange(three, success, failure, word.contains("strong"))
            }
            "atomic_compare_exchange_strong" | "atomic_compare_exchange_weak" | "SCAS" | "WCAS" => {
                let three = Box::new([self.open()?, self.after_comma()?, self.after_comma()?]);
                Expr::CompareExchange(
                    three,
                    Order::SeqCst,
                    Order::SeqCst,
                    word.contains("strong") || word == "SCAS",
                )
            }
            "__load" => {
                let mode = Mode::Annotated(self.annotations()?);
                let address = self.open()?;
                Expr::Load(Box::new(lvalue(address, at)?), mode)
            }
            "__xchg" => {
                let mode = Mode::Annotated(self.annotations()?);
                Expr::Exchange(Box::new(self.open()?), Box::new(self.after_comma()?), mode)
            }
            "__cmpxchg" => {
                let annotations = self.annotations()?;
                Expr::CmpXchg(Box::new([self.open()?, self.after_comma()?, self.after_comma()?]), annotations)
            }
            "__atomic_op_return" | "__atomic_fetch_op" => {
                let annotations = self.annotations()?;
                let location = Box::new(self.open()?);
                self.lexer.expect(",")?;
                let op = self.operator()?;
                let operand = Box::new(self.after_comma()?);
                Expr::AtomicOp { location, op, operand, fetch: word == "__atomic_fetch_op", annotations }
            }
            "__atomic_add_unless" => {
                let annotations = self.annotations()?;
                Expr::AddUnless(
                    Box::new([self.open()?, self.after_comma()?, self.after_comma()?]),
                    annotations,
                )
            }
            "__srcu" => {
                let annotations = self.annotations()?;
                Expr::Srcu(Box::new(self.open()?), annotations)
            }
            "__trylock" => Expr::TryLock(Box::new(self.open()?)),
            "__islocked" => Expr::IsLocked(Box::new(self.open()?)),
            _ if matches!(self.lexer.peek(), Token::Sign("(")) => {
                self.lexer.next();
                let mut arguments = Vec::new();
                while !matches!(self.lexer.peek(), Token::Sign(")")) {
                    arguments.push(self.expr()?);
                    if !self.lexer.take(",") {
                        break;
                    }
                }
                Expr::Call(word.to_owned(), arguments, at)
            }
            _ => return Ok(Expr::Name(word.to_owned())),
        };
        self.lexer.expect(")")?;
        Ok(expr)
    }
}

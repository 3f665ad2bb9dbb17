//! Expressions of C.

use super::ast::{Expr, Mode, Order};
use super::parser::{Parser, is_type, lvalue};
use crate::error::Fault;
use crate::syntax::{Litmus, number};
use crate::value::Binary;
use tribunal_cat::text::{Grammar, Infix, Language, Operators, Position, Token};

/// How many operators a row may have, whose tree is as deep as it is long. A thread's expressions nest less.
const LONGEST: usize = 2000;

impl<'a> Operators<'a, Expr> for Parser<'a> {
    type Operator = Binary;
    fn operator(written: &str, _least: u8) -> Option<(u8, Binary)> {
        Some(match written {
            "|" => (1, Binary::Or),
            "^" => (2, Binary::Xor),
            "&" => (3, Binary::And),
            "==" => (4, Binary::Eq),
            "!=" => (4, Binary::Ne),
            "<=" => (4, Binary::Le),
            ">=" => (4, Binary::Ge),
            "<" => (4, Binary::Lt),
            ">" => (4, Binary::Gt),
            "+" => (5, Binary::Add),
            "-" => (5, Binary::Sub),
            "*" => (6, Binary::Mul),
            "/" => (6, Binary::Div),
            _ => return None,
        })
    }

    fn operand(&mut self, _least: u8) -> Result<Expr, Fault> {
        self.primary()
    }

    fn combine(&mut self, left: Expr, infix: Infix<Binary>, right: Expr) -> Result<Expr, Fault> {
        Ok(Expr::Binary(infix.operator, Box::new(left), Box::new(right)))
    }

    fn check(&mut self, _binding: u8, length: usize) -> Result<(), Fault> {
        match self.cursor.peek() {
            Token::Sign(sign @ ("&&" | "||" | "?" | "<<" | ">>" | "++" | "--" | "+=" | "-=")) => {
                Err(self.cursor.fault(format!("`{sign}` is not supported")))
            }
            _ if length > LONGEST => Err(self.cursor.fault(Litmus::<true>::too_deep())),
            _ => Ok(()),
        }
    }
}

impl Parser<'_> {
    pub fn expr(&mut self) -> Result<Expr, Fault> {
        self.deeper(|parser| parser.climb(1))
    }

    fn primary(&mut self) -> Result<Expr, Fault> {
        self.deeper(Self::primary_inside)
    }

    fn primary_inside(&mut self) -> Result<Expr, Fault> {
        let at = self.cursor.at();
        match self.cursor.peek() {
            Token::Number(_) | Token::Sign("-") => number(&mut self.cursor, "a number").map(Expr::Int),
            Token::Sign("*") => {
                self.cursor.next();
                Ok(Expr::Load(Box::new(self.location()?), Mode::PLAIN))
            }
            Token::Sign("(") => {
                self.cursor.next();
                if matches!(self.cursor.peek(), Token::Name(word) if is_type(word)) {
                    self.types()?;
                    self.cursor.expect(")")?;
                    return self.primary();
                }
                let inner = self.expr()?;
                self.cursor.expect(")")?;
                Ok(inner)
            }
            Token::Sign(sign @ ("&" | "!" | "~")) => {
                Err(self.cursor.fault(format!("`{sign}` before an expression is not supported")))
            }
            Token::Name(word) => {
                self.cursor.next();
                self.word(word, at)
            }
            _ => Err(self.cursor.expected("an expression")),
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
                self.cursor.expect(",")?;
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
            _ if self.cursor.is("(") => {
                self.cursor.next();
                let mut arguments = Vec::new();
                while !self.cursor.is(")") {
                    arguments.push(self.expr()?);
                    if !self.cursor.take(",") {
                        break;
                    }
                }
                Expr::Call(word.to_owned(), arguments, at)
            }
            _ => return Ok(Expr::Name(word.to_owned())),
        };
        self.cursor.expect(")")?;
        Ok(expr)
    }
}

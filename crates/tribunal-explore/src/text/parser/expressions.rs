//! Reading expressions.

use super::{Parsed, Parser};
use crate::text::syntax::{Expr, Name, Operator, RmwOperator, Target};
use crate::text::token::Token;

const EXPRESSION: &str = "an expression";

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| parser.row(1))
    }

    /// Operands and the operators between them that bind at least so tightly.
    fn row(&mut self, least: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        // The precedence of the row that `left` is, if it is one that can go on.
        let mut open = None;
        while let Token::Sign(sign) = self.token() {
            let Some((operator, binding)) = Operator::of(sign).filter(|&(_, binding)| binding >= least)
            else {
                break;
            };
            if open == Some(binding) && binding == Operator::COMPARISON {
                return self.expected("no second comparison: put one in parentheses");
            }
            self.skip();
            let right = self.row(binding + 1)?;
            match &mut left {
                Expr::Row { rest, .. } if open == Some(binding) => rest.push((operator, right)),
                _ => left = Expr::Row { first: Box::new(left), rest: vec![(operator, right)] },
            }
            open = Some(binding);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let kind: fn(Box<Expr>) -> Expr = match self.token() {
            Token::Sign("!") => Expr::Not,
            Token::Sign("~") => Expr::Complement,
            Token::Sign("-") => Expr::Negative,
            _ => return self.primary(),
        };
        self.skip();
        self.deeper(Self::unary).map(|operand| kind(Box::new(operand)))
    }

    fn primary(&mut self) -> Parsed<Expr> {
        match self.token() {
            Token::Number(number) => {
                self.skip();
                Ok(Expr::Number(number))
            }
            Token::Sign("(") => {
                self.skip();
                let inner = self.expression()?;
                self.sign(")")?;
                Ok(inner)
            }
            Token::Word("cas") => self.cas(),
            Token::Word("xchg") => self.exchange(),
            Token::Word("trylock") => {
                self.skip();
                Ok(Expr::TryLock(self.target_in_parentheses()?))
            }
            Token::Word("main") => {
                let name = Name { text: "main".into(), at: self.at() };
                self.skip();
                self.sign(".")?;
                let thread = Target { name, index: None };
                Ok(Expr::Register { thread, register: self.name("the name of a register")? })
            }
            Token::Word(_) => self.named(),
            _ => self.expected(EXPRESSION),
        }
    }

    /// What begins with a name.
    fn named(&mut self) -> Parsed<Expr> {
        let begin = self.next;
        let name = self.name(EXPRESSION)?;
        if self.takes("(") {
            let mut arguments = Vec::new();
            while !self.takes(")") {
                if !arguments.is_empty() {
                    self.sign(",")?;
                }
                arguments.push(self.expression()?);
            }
            return Ok(Expr::Call { function: name, arguments });
        }
        self.next = begin;
        let target = self.target(EXPRESSION)?;
        if self.takes(".") {
            return Ok(Expr::Register { thread: target, register: self.name("the name of a register")? });
        }
        // An order behind a register belongs to the store in which it stands, as in `x = r @rel`.
        if !self.is_location(&target.name.text) {
            return Ok(Expr::Name(target));
        }
        let operator = match self.token() {
            Token::Sign("+=") => RmwOperator::Add,
            Token::Sign("-=") => RmwOperator::Subtract,
            Token::Sign("&=") => RmwOperator::And,
            Token::Sign("|=") => RmwOperator::Or,
            Token::Sign("^=") => RmwOperator::Xor,
            _ => {
                return Ok(match self.order()? {
                    Some(order) => Expr::Load { from: target, order },
                    None => Expr::Name(target),
                });
            }
        };
        self.skip();
        let operand = Box::new(self.expression()?);
        Ok(Expr::Rmw { at: target, operator, operand, order: self.order()? })
    }

    /// `xchg(x, v) @o`
    fn exchange(&mut self) -> Parsed<Expr> {
        self.skip();
        self.sign("(")?;
        let at = self.target("a location")?;
        self.sign(",")?;
        let operand = Box::new(self.expression()?);
        self.sign(")")?;
        Ok(Expr::Rmw { at, operator: RmwOperator::Exchange, operand, order: self.order()? })
    }

    /// `cas(x, e -> n) @s/f`
    fn cas(&mut self) -> Parsed<Expr> {
        self.skip();
        self.sign("(")?;
        let at = self.target("a location")?;
        self.sign(",")?;
        let expected = Box::new(self.expression()?);
        self.sign("->")?;
        let new = Box::new(self.expression()?);
        self.sign(")")?;
        let success = self.order()?;
        let failure = if success.is_some() && self.takes("/") { Some(self.order_name()?) } else { None };
        Ok(Expr::Cas { at, expected, new, success, failure })
    }

    pub(super) fn target(&mut self, what: &str) -> Parsed<Target> {
        let name = self.name(what)?;
        let mut index = None;
        if self.takes("[") {
            index = Some(Box::new(self.expression()?));
            self.sign("]")?;
        }
        Ok(Target { name, index })
    }

    pub(super) fn target_in_parentheses(&mut self) -> Parsed<Target> {
        self.sign("(")?;
        let target = self.target("a location")?;
        self.sign(")")?;
        Ok(target)
    }

    /// `@o`, if it is next.
    pub(super) fn order(&mut self) -> Parsed<Option<Name>> {
        if self.takes("@") { self.order_name().map(Some) } else { Ok(None) }
    }

    pub(super) fn order_name(&mut self) -> Parsed<Name> {
        self.name("an order")
    }
}

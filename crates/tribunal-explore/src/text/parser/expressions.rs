//! Reading expressions.

use super::{Parsed, Parser};
use crate::text::syntax::{Expr, Name, Operator, RmwOperator, Target};
use tribunal_cat::text::{Grammar, Infix, Operators, Token};

const EXPRESSION: &str = "an expression";

/// How tightly comparisons bind; there is one at most in a row.
const COMPARISON: u8 = 3;

impl<'a> Operators<'a, Expr> for Parser<'a> {
    type Operator = Operator;
    fn operator(written: &str, _least: u8) -> Option<(u8, Operator)> {
        Some(match written {
            "||" => (1, Operator::Or),
            "&&" => (2, Operator::And),
            "==" => (COMPARISON, Operator::Equal),
            "!=" => (COMPARISON, Operator::NotEqual),
            "<" => (COMPARISON, Operator::Less),
            "<=" => (COMPARISON, Operator::AtMost),
            ">" => (COMPARISON, Operator::Greater),
            ">=" => (COMPARISON, Operator::AtLeast),
            "|" => (4, Operator::BitOr),
            "^" => (5, Operator::BitXor),
            "&" => (6, Operator::BitAnd),
            "<<" => (7, Operator::ShiftLeft),
            ">>" => (7, Operator::ShiftRight),
            "+" => (8, Operator::Add),
            "-" => (8, Operator::Subtract),
            "*" => (9, Operator::Multiply),
            "/" => (9, Operator::Divide),
            "%" => (9, Operator::Remainder),
            _ => return None,
        })
    }

    fn operand(&mut self, _least: u8) -> Parsed<Expr> {
        let kind: fn(Box<Expr>) -> Expr = match self.cursor.peek() {
            Token::Sign("!") => Expr::Not,
            Token::Sign("~") => Expr::Complement,
            Token::Sign("-") => Expr::Negative,
            _ => return self.primary(),
        };
        self.cursor.next();
        self.deeper(|parser| parser.operand(1)).map(|operand| kind(Box::new(operand)))
    }

    fn combine(&mut self, mut left: Expr, infix: Infix<Operator>, right: Expr) -> Parsed<Expr> {
        match &mut left {
            Expr::Row { rest, .. } if infix.continues => rest.push((infix.operator, right)),
            _ => left = Expr::Row { first: Box::new(left), rest: vec![(infix.operator, right)] },
        }
        Ok(left)
    }

    fn check(&mut self, binding: u8, _length: usize) -> Parsed<()> {
        let another = matches!(self.cursor.peek(), Token::Sign("==" | "!=" | "<" | "<=" | ">" | ">="));
        if binding == COMPARISON && another {
            return Err(self.cursor.expected("no second comparison: put one in parentheses"));
        }
        Ok(())
    }
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| parser.climb(1))
    }

    fn primary(&mut self) -> Parsed<Expr> {
        match self.cursor.peek() {
            Token::Number(_) => Ok(Expr::Number(self.whole_number(EXPRESSION)? as i64)),
            Token::Sign("(") => {
                self.cursor.next();
                let inner = self.expression()?;
                self.cursor.expect(")")?;
                Ok(inner)
            }
            Token::Word("cas") => self.cas(),
            Token::Word("xchg") => self.exchange(),
            Token::Word("trylock") => {
                self.cursor.next();
                Ok(Expr::TryLock(self.target_in_parentheses()?))
            }
            Token::Word("main") => {
                let name = Name { text: "main".into(), at: self.cursor.at() };
                self.cursor.next();
                self.cursor.expect(".")?;
                let thread = Target { name, index: None };
                Ok(Expr::Register { thread, register: self.name("the name of a register")? })
            }
            Token::Name(_) => self.named(),
            _ => Err(self.cursor.expected(EXPRESSION)),
        }
    }

    /// What begins with a name.
    fn named(&mut self) -> Parsed<Expr> {
        let name = self.name(EXPRESSION)?;
        if self.cursor.take("(") {
            let mut arguments = Vec::new();
            while !self.cursor.take(")") {
                if !arguments.is_empty() {
                    self.cursor.expect(",")?;
                }
                arguments.push(self.expression()?);
            }
            return Ok(Expr::Call { function: name, arguments });
        }
        let target = self.target_of(name)?;
        if self.cursor.take(".") {
            return Ok(Expr::Register { thread: target, register: self.name("the name of a register")? });
        }
        // An order behind a register belongs to the store in which it stands, as in `x = r @rel`.
        if !self.is_location(&target.name.text) {
            return Ok(Expr::Name(target));
        }
        let operator = match self.cursor.peek() {
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
        self.cursor.next();
        let operand = Box::new(self.expression()?);
        Ok(Expr::Rmw { at: target, operator, operand, order: self.order()? })
    }

    /// `xchg(x, v) @o`
    fn exchange(&mut self) -> Parsed<Expr> {
        self.cursor.next();
        self.cursor.expect("(")?;
        let at = self.target("a location")?;
        self.cursor.expect(",")?;
        let operand = Box::new(self.expression()?);
        self.cursor.expect(")")?;
        Ok(Expr::Rmw { at, operator: RmwOperator::Exchange, operand, order: self.order()? })
    }

    /// `cas(x, e -> n) @s/f`
    fn cas(&mut self) -> Parsed<Expr> {
        self.cursor.next();
        self.cursor.expect("(")?;
        let at = self.target("a location")?;
        self.cursor.expect(",")?;
        let expected = Box::new(self.expression()?);
        self.cursor.expect("->")?;
        let new = Box::new(self.expression()?);
        self.cursor.expect(")")?;
        let success = self.order()?;
        let failure =
            if success.is_some() && self.cursor.take("/") { Some(self.order_name()?) } else { None };
        Ok(Expr::Cas { at, expected, new, success, failure })
    }

    pub(super) fn target(&mut self, what: &str) -> Parsed<Target> {
        let name = self.name(what)?;
        self.target_of(name)
    }

    fn target_of(&mut self, name: Name) -> Parsed<Target> {
        let mut index = None;
        if self.cursor.take("[") {
            index = Some(Box::new(self.expression()?));
            self.cursor.expect("]")?;
        }
        Ok(Target { name, index })
    }

    pub(super) fn target_in_parentheses(&mut self) -> Parsed<Target> {
        self.cursor.expect("(")?;
        let target = self.target("a location")?;
        self.cursor.expect(")")?;
        Ok(target)
    }

    /// `@o`, if it is next.
    pub(super) fn order(&mut self) -> Parsed<Option<Name>> {
        if self.cursor.take("@") { self.order_name().map(Some) } else { Ok(None) }
    }

    pub(super) fn order_name(&mut self) -> Parsed<Name> {
        self.name("an order")
    }
}

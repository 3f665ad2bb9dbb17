//! Expressions, from the loosest binding to the tightest:
//! `else`; `or`; `and`; `not`; `== != < <= > >= in`, `is empty`; `+ -`; `*`; `-x`; `x[i]`.

use crate::error::SpecFault;
use crate::parser::{Meaning, Parsed, Parser, kind_of};
use crate::syntax::{End, Expr, Operator, Shape, Source, StateId};
use tribunal_cat::text::{Grammar, Infix, Operators, Position, Token};
use tribunal_history::object::text::literal;
use tribunal_history::object::{Kind, Value};

/// An expression with what is known of its kind.
pub(crate) struct Typed {
    pub(crate) expr: Expr,
    pub(crate) kind: Kind,
}

fn typed(expr: Expr, kind: Kind) -> Typed {
    Typed { expr, kind }
}

const COMPARISONS: [(&str, Operator); 6] = [
    ("==", Operator::Equal),
    ("!=", Operator::Unequal),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

/// How tightly sums bind. `not` and comparisons, which make no rows and are no operands of sums, stand between `and` and them.
const SUM: u8 = 5;

/// Operands have their places: where they begin, and a row where its last operand does.
impl<'a> Operators<'a, (Typed, Position)> for Parser<'a> {
    type Operator = Operator;
    const NESTS: bool = true;

    fn operator(written: &str, least: u8) -> Option<(u8, Operator)> {
        Some(match written {
            "else" => (1, Operator::Else),
            "or" => (2, Operator::Or),
            "and" => (3, Operator::And),
            "+" if least >= SUM => (SUM, Operator::Plus),
            "-" if least >= SUM => (SUM, Operator::Minus),
            "*" if least >= SUM => (SUM + 1, Operator::Times),
            _ => return None,
        })
    }

    fn operand(&mut self, least: u8) -> Parsed<(Typed, Position)> {
        let place = self.cursor.at();
        Ok((if least < SUM { self.negation()? } else { self.negative()? }, place))
    }

    fn combine(
        &mut self,
        left: (Typed, Position),
        infix: Infix<Operator>,
        (right, _): (Typed, Position),
    ) -> Parsed<(Typed, Position)> {
        Ok((self.binary(infix.operator, left, (right, infix.right))?, infix.right))
    }
}

impl<'a> Parser<'a> {
    pub(crate) fn expression(&mut self) -> Parsed<Typed> {
        self.deeper(|parser| Ok(parser.climb(1)?.0))
    }

    fn sum(&mut self) -> Parsed<Typed> {
        Ok(self.climb(SUM)?.0)
    }

    fn negation(&mut self) -> Parsed<Typed> {
        if !self.cursor.take("not") {
            return self.comparison();
        }
        self.deeper(|parser| {
            let place = parser.cursor.at();
            let value = parser.negation()?;
            parser.must_be(&value, Kind::Bool, "what follows `not`", place)?;
            Ok(typed(Expr::Not(Box::new(value.expr)), Kind::Bool))
        })
    }

    fn comparison(&mut self) -> Parsed<Typed> {
        let place = self.cursor.at();
        // A part of the state before `is empty` is looked at where it is, not copied.
        if let Token::Name(name) = self.cursor.peek()
            && let Some(Meaning::State(state, shape)) = self.meaning(name)
            && !matches!(shape, Shape::Value(_))
            && matches!(self.cursor.second(), Token::Name("is"))
        {
            self.cursor.next();
            return self.is_empty(Source::State(state));
        }
        let left = self.sum()?;
        if self.cursor.is("is") {
            return self.is_empty(Source::Expr(Box::new(left.expr)));
        }
        if self.cursor.take("in") {
            return self.membership(left);
        }
        let Some((_, operator)) = COMPARISONS.into_iter().find(|(sign, _)| self.cursor.take(sign)) else {
            return Ok(left);
        };
        let here = self.cursor.at();
        let right = self.sum()?;
        self.binary(operator, (left, place), (right, here))
    }

    fn is_empty(&mut self, source: Source) -> Parsed<Typed> {
        self.cursor.next();
        let negated = self.cursor.take("not");
        if !self.cursor.take("empty") {
            return Err(self.cursor.expected("`empty` or `not empty`"));
        }
        let zero = Box::new(Expr::Constant(Value::Int(0)));
        let operator = if negated { Operator::Unequal } else { Operator::Equal };
        Ok(typed(Expr::Binary(operator, Box::new(Expr::Size(source)), zero), Kind::Bool))
    }

    fn membership(&mut self, left: Typed) -> Parsed<Typed> {
        if let Token::Name(name) = self.cursor.peek()
            && let Some(Meaning::State(state, Shape::Sequence | Shape::Map)) = self.meaning(name)
        {
            self.cursor.next();
            return Ok(typed(Expr::Has(state, Box::new(left.expr)), Kind::Bool));
        }
        let place = self.cursor.at();
        let right = self.sum()?;
        self.must_be(&right, Kind::List, "what follows `in`", place)?;
        let binary = Expr::Binary(Operator::In, Box::new(left.expr), Box::new(right.expr));
        Ok(typed(binary, Kind::Bool))
    }

    fn negative(&mut self) -> Parsed<Typed> {
        if !self.cursor.take("-") {
            return self.primary();
        }
        self.deeper(|parser| {
            let place = parser.cursor.at();
            let value = parser.negative()?;
            parser.must_be(&value, Kind::Int, "what follows `-`", place)?;
            Ok(typed(Expr::Negative(Box::new(value.expr)), Kind::Int))
        })
    }

    fn binary(
        &mut self,
        operator: Operator,
        (left, left_place): (Typed, Position),
        (right, right_place): (Typed, Position),
    ) -> Parsed<Typed> {
        let kind = match operator {
            Operator::Else if left.kind == right.kind => left.kind,
            Operator::Else => Kind::Any,
            Operator::Or | Operator::And => {
                self.must_be(&left, Kind::Bool, "each side of `and` and `or`", left_place)?;
                self.must_be(&right, Kind::Bool, "each side of `and` and `or`", right_place)?;
                Kind::Bool
            }
            Operator::Minus | Operator::Times => {
                self.must_be(&left, Kind::Int, "each side of `-` and `*`", left_place)?;
                self.must_be(&right, Kind::Int, "each side of `-` and `*`", right_place)?;
                Kind::Int
            }
            Operator::Plus => {
                // Numbers, texts or lists, and both sides the same.
                let known = if left.kind == Kind::Any { right.kind } else { left.kind };
                let expected = if matches!(known, Kind::Null | Kind::Bool) { Kind::Int } else { known };
                self.must_be(&left, expected, "each side of `+`", left_place)?;
                self.must_be(&right, expected, "each side of `+`", right_place)?;
                known
            }
            _ => Kind::Bool,
        };
        Ok(typed(Expr::Binary(operator, Box::new(left.expr), Box::new(right.expr)), kind))
    }

    /// A value, and elements taken out of it.
    pub(crate) fn primary(&mut self) -> Parsed<Typed> {
        let mut place = self.cursor.at();
        let mut value = self.atom()?;
        let mut length = 0;
        while self.cursor.take("[") {
            length += 1;
            self.cursor.enter()?;
            self.must_be(&value, Kind::List, "what has elements", place)?;
            place = self.cursor.at();
            let index = self.expression_of(Kind::Int, "the number of an element")?;
            self.cursor.expect("]")?;
            value = typed(Expr::Element(Box::new(value.expr), Box::new(index)), Kind::Any);
        }
        self.cursor.leave(length);
        Ok(value)
    }

    fn atom(&mut self) -> Parsed<Typed> {
        let constant = |parser: &mut Self, value: Value| {
            parser.cursor.next();
            let kind = kind_of(&value);
            Ok(typed(Expr::Constant(value), kind))
        };
        let name = match self.cursor.peek() {
            Token::Sign("(") => {
                self.cursor.next();
                let value = self.expression()?;
                self.cursor.expect(")")?;
                return Ok(value);
            }
            Token::Sign("[") => return self.list(),
            Token::Name("null") => return constant(self, Value::Null),
            Token::Name("true") => return constant(self, Value::Bool(true)),
            Token::Name("false") => return constant(self, Value::Bool(false)),
            Token::Name(name) => name,
            token => match literal(token) {
                Some(value) => return constant(self, value),
                None => return Err(self.cursor.expected("a value")),
            },
        };
        match self.meaning(name) {
            Some(Meaning::Local(local, kind)) => {
                self.cursor.next();
                Ok(typed(Expr::Local(local), kind))
            }
            Some(Meaning::State(state, shape)) => self.of_state(state, shape),
            None if self.cursor.second() == Token::Sign("(") => self.function(name),
            None => Err(self.cursor.fault(SpecFault::UnknownName(name.into()))),
        }
    }

    fn list(&mut self) -> Parsed<Typed> {
        self.cursor.next();
        let mut values = Vec::new();
        while !self.cursor.take("]") {
            if !values.is_empty() {
                self.cursor.expect(",")?;
            }
            values.push(self.expression()?.expr);
        }
        Ok(typed(Expr::List(values), Kind::List))
    }

    /// `s`, `s[e]`, `s.pop_back()` or `s.pop_front()`.
    fn of_state(&mut self, state: StateId, shape: Shape) -> Parsed<Typed> {
        self.cursor.next();
        if let Shape::Value(kind) = shape {
            return Ok(typed(Expr::State(state), kind));
        }
        if self.cursor.take("[") {
            let kind = if shape == Shape::Sequence { Kind::Int } else { Kind::Any };
            let index = self.expression_of(kind, "the number of an element")?;
            self.cursor.expect("]")?;
            return Ok(typed(Expr::Entry(state, Box::new(index)), Kind::Any));
        }
        if !self.cursor.take(".") {
            return Ok(typed(Expr::State(state), Kind::List));
        }
        let end = if shape == Shape::Sequence && self.cursor.take("pop_back") {
            End::Back
        } else if shape == Shape::Sequence && self.cursor.take("pop_front") {
            End::Front
        } else {
            return Err(self
                .cursor
                .expected("push_back, push_front, pop_back, pop_front or clear of a sequence"));
        };
        self.cursor.expect("(")?;
        self.cursor.expect(")")?;
        Ok(typed(Expr::Pop(state, end), Kind::Any))
    }

    /// `size(e)`, `least(m)`, `greatest(m)`, `keys(m)`, `values(m)`.
    fn function(&mut self, name: &str) -> Parsed<Typed> {
        if !matches!(name, "size" | "least" | "greatest" | "keys" | "values") {
            return Err(self.cursor.fault(SpecFault::UnknownName(name.into())));
        }
        self.cursor.next();
        self.cursor.next();
        let value = if name == "size" {
            let source = match self.cursor.peek() {
                Token::Name(name) => match self.meaning(name) {
                    Some(Meaning::State(state, Shape::Sequence | Shape::Map))
                        if self.cursor.second() == Token::Sign(")") =>
                    {
                        Some(state)
                    }
                    _ => None,
                },
                _ => None,
            };
            let source = match source {
                Some(state) => {
                    self.cursor.next();
                    Source::State(state)
                }
                None => Source::Expr(Box::new(self.expression()?.expr)),
            };
            typed(Expr::Size(source), Kind::Int)
        } else {
            let (map, _) = self.state_named("a map", |shape| shape == Shape::Map)?;
            match name {
                "least" => typed(Expr::Least(map), Kind::Any),
                "greatest" => typed(Expr::Greatest(map), Kind::Any),
                "keys" => typed(Expr::Keys(map), Kind::List),
                _ => typed(Expr::Values(map), Kind::List),
            }
        };
        self.cursor.expect(")")?;
        Ok(value)
    }
}

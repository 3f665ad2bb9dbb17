//! Expressions, from the loosest binding to the tightest:
//! `else`; `or`; `and`; `not`; `== != < <= > >= in`, `is empty`; `+ -`; `*`; `-x`; `x[i]`.

use crate::error::SpecFault;
use crate::parser::{Meaning, Parsed, Parser, kind_of};
use crate::syntax::{End, Expr, Operator, Shape, Source, StateId};
use tribunal_history::object::text::Token;
use tribunal_history::object::{Kind, Value};

/// An expression with what is known of its kind.
pub(crate) struct Typed {
    pub(crate) expr: Expr,
    pub(crate) kind: Kind,
}

fn typed(expr: Expr, kind: Kind) -> Typed {
    Typed { expr, kind }
}

/// The operators by how tightly they bind, with their words.
const LEVELS: [&[(&str, Operator)]; 4] = [
    &[("else", Operator::Else)],
    &[("or", Operator::Or)],
    &[("and", Operator::And)],
    &[("+", Operator::Plus), ("-", Operator::Minus)],
];

const COMPARISONS: [(&str, Operator); 6] = [
    ("==", Operator::Equal),
    ("!=", Operator::Unequal),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

impl Parser {
    pub(crate) fn expression(&mut self) -> Parsed<Typed> {
        self.cursor.enter()?;
        let value = self.level(0)?;
        self.cursor.leave();
        Ok(value)
    }

    fn operator(&mut self, level: usize) -> Option<Operator> {
        let word = match self.cursor.peek() {
            Token::Name(name) => name.as_str(),
            Token::Mark(mark) => mark,
            _ => return None,
        };
        let (_, operator) = *LEVELS[level].iter().find(|(its, _)| *its == word)?;
        self.cursor.next();
        Some(operator)
    }

    /// Operators of one level, grouped from the left. A chain counts as nesting: its tree is as deep as it is long.
    fn level(&mut self, level: usize) -> Parsed<Typed> {
        let tighter = |parser: &mut Self| match level {
            2 => parser.negation(),
            3 => parser.product(),
            _ => parser.level(level + 1),
        };
        let mut place = self.cursor.here();
        let mut left = tighter(self)?;
        let mut length = 0;
        while let Some(operator) = self.operator(level) {
            length += 1;
            self.cursor.enter()?;
            let here = self.cursor.here();
            let right = tighter(self)?;
            left = self.binary(operator, (left, place), (right, here))?;
            place = here;
        }
        for _ in 0..length {
            self.cursor.leave();
        }
        Ok(left)
    }

    fn negation(&mut self) -> Parsed<Typed> {
        if !self.cursor.take_word("not") {
            return self.comparison();
        }
        self.cursor.enter()?;
        let place = self.cursor.here();
        let value = self.negation()?;
        self.must_be(&value, Kind::Bool, "what follows `not`", place)?;
        self.cursor.leave();
        Ok(typed(Expr::Not(Box::new(value.expr)), Kind::Bool))
    }

    fn comparison(&mut self) -> Parsed<Typed> {
        let place = self.cursor.here();
        // A part of the state before `is empty` is looked at where it is, not copied.
        if let Token::Name(name) = self.cursor.peek()
            && let Some(Meaning::State(state, shape)) = self.meaning(name)
            && !matches!(shape, Shape::Value(_))
            && matches!(self.cursor.peek_after(1), Token::Name(word) if word == "is")
        {
            self.cursor.next();
            return self.is_empty(Source::State(state));
        }
        let left = self.level(3)?;
        if self.cursor.at_word("is") {
            return self.is_empty(Source::Expr(Box::new(left.expr)));
        }
        if self.cursor.take_word("in") {
            return self.membership(left);
        }
        let Token::Mark(mark) = *self.cursor.peek() else { return Ok(left) };
        let Some((_, operator)) = COMPARISONS.into_iter().find(|(its, _)| *its == mark) else {
            return Ok(left);
        };
        self.cursor.next();
        let here = self.cursor.here();
        let right = self.level(3)?;
        self.binary(operator, (left, place), (right, here))
    }

    fn is_empty(&mut self, source: Source) -> Parsed<Typed> {
        self.cursor.next();
        let negated = self.cursor.take_word("not");
        if !self.cursor.take_word("empty") {
            return self.unexpected("`empty` or `not empty`");
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
        let place = self.cursor.here();
        let right = self.level(3)?;
        self.must_be(&right, Kind::List, "what follows `in`", place)?;
        let binary = Expr::Binary(Operator::In, Box::new(left.expr), Box::new(right.expr));
        Ok(typed(binary, Kind::Bool))
    }

    fn product(&mut self) -> Parsed<Typed> {
        let mut place = self.cursor.here();
        let mut left = self.negative()?;
        let mut length = 0;
        while self.cursor.take_mark("*") {
            length += 1;
            self.cursor.enter()?;
            let here = self.cursor.here();
            let right = self.negative()?;
            left = self.binary(Operator::Times, (left, place), (right, here))?;
            place = here;
        }
        for _ in 0..length {
            self.cursor.leave();
        }
        Ok(left)
    }

    fn negative(&mut self) -> Parsed<Typed> {
        if !self.cursor.take_mark("-") {
            return self.primary();
        }
        self.cursor.enter()?;
        let place = self.cursor.here();
        let value = self.negative()?;
        self.must_be(&value, Kind::Int, "what follows `-`", place)?;
        self.cursor.leave();
        Ok(typed(Expr::Negative(Box::new(value.expr)), Kind::Int))
    }

    fn binary(
        &mut self,
        operator: Operator,
        (left, left_place): (Typed, (u32, u32)),
        (right, right_place): (Typed, (u32, u32)),
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
        let mut place = self.cursor.here();
        let mut value = self.atom()?;
        let mut length = 0;
        while self.cursor.take_mark("[") {
            length += 1;
            self.cursor.enter()?;
            self.must_be(&value, Kind::List, "what has elements", place)?;
            place = self.cursor.here();
            let index = self.expression_of(Kind::Int, "the number of an element")?;
            self.cursor.expect("]")?;
            value = typed(Expr::Element(Box::new(value.expr), Box::new(index)), Kind::Any);
        }
        for _ in 0..length {
            self.cursor.leave();
        }
        Ok(value)
    }

    fn atom(&mut self) -> Parsed<Typed> {
        let constant = |parser: &mut Self, value: Value| {
            parser.cursor.next();
            let kind = kind_of(&value);
            Ok(typed(Expr::Constant(value), kind))
        };
        let name = match self.cursor.peek() {
            Token::Int(number) => {
                let number = Value::Int(*number);
                return constant(self, number);
            }
            Token::Text(text) => {
                let text = Value::from(text.as_str());
                return constant(self, text);
            }
            Token::Mark("(") => {
                self.cursor.next();
                let value = self.expression()?;
                self.cursor.expect(")")?;
                return Ok(value);
            }
            Token::Mark("[") => return self.list(),
            Token::Name(name) => name.clone(),
            _ => return self.unexpected("a value"),
        };
        match &*name {
            "null" => return constant(self, Value::Null),
            "true" => return constant(self, Value::Bool(true)),
            "false" => return constant(self, Value::Bool(false)),
            _ => (),
        }
        match self.meaning(&name) {
            Some(Meaning::Local(local, kind)) => {
                self.cursor.next();
                Ok(typed(Expr::Local(local), kind))
            }
            Some(Meaning::State(state, shape)) => self.of_state(state, shape),
            None if *self.cursor.peek_after(1) == Token::Mark("(") => self.function(&name),
            None => self.fault(SpecFault::UnknownName(name)),
        }
    }

    fn list(&mut self) -> Parsed<Typed> {
        self.cursor.next();
        let mut values = Vec::new();
        while !self.cursor.take_mark("]") {
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
        if self.cursor.take_mark("[") {
            let kind = if shape == Shape::Sequence { Kind::Int } else { Kind::Any };
            let index = self.expression_of(kind, "the number of an element")?;
            self.cursor.expect("]")?;
            return Ok(typed(Expr::Entry(state, Box::new(index)), Kind::Any));
        }
        if !self.cursor.take_mark(".") {
            return Ok(typed(Expr::State(state), Kind::List));
        }
        let end = if shape == Shape::Sequence && self.cursor.take_word("pop_back") {
            End::Back
        } else if shape == Shape::Sequence && self.cursor.take_word("pop_front") {
            End::Front
        } else {
            return self.unexpected("push_back, push_front, pop_back, pop_front or clear of a sequence");
        };
        self.cursor.expect("(")?;
        self.cursor.expect(")")?;
        Ok(typed(Expr::Pop(state, end), Kind::Any))
    }

    /// `size(e)`, `least(m)`, `greatest(m)`, `keys(m)`, `values(m)`.
    fn function(&mut self, name: &str) -> Parsed<Typed> {
        if !matches!(name, "size" | "least" | "greatest" | "keys" | "values") {
            return self.fault(SpecFault::UnknownName(name.into()));
        }
        self.skip(2);
        let value = if name == "size" {
            let source = match self.cursor.peek() {
                Token::Name(name) => match self.meaning(name) {
                    Some(Meaning::State(state, Shape::Sequence | Shape::Map))
                        if *self.cursor.peek_after(1) == Token::Mark(")") =>
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

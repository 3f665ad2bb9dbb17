//! Expressions. From loosest to tightest: `|`, `++`, `;`, `\`, `&`, then `*` of sets, postfix `*` `+` `?` and prefix `~`, then `^-1`,
//! then application.

use super::{DEPTH, Parsed, Parser};
use crate::error::Problem;
use crate::lexer::Symbol;
use crate::source::Place;
use crate::syntax::{Binding, Chain, Element, Expression, Function, Kind, Pattern, Test, Unary, Variant};
use crate::text::{Grammar, Infix, Operators, Token};

fn expression(at: Place, kind: Kind) -> Expression {
    Expression { at, kind }
}

impl<'a> Operators<'a, Expression> for Parser<'a> {
    type Operator = Chain;
    fn operator(written: &str, _least: u8) -> Option<(u8, Chain)> {
        Some(match written {
            "|" => (1, Chain::Union),
            "++" => (2, Chain::Add),
            ";" => (3, Chain::Sequence),
            "\\" => (4, Chain::Difference),
            "&" => (5, Chain::Intersection),
            _ => return None,
        })
    }

    fn operand(&mut self, _least: u8) -> Parsed<Expression> {
        self.tight()
    }

    fn combine(
        &mut self,
        mut left: Expression,
        infix: Infix<Chain>,
        right: Expression,
    ) -> Parsed<Expression> {
        match &mut left.kind {
            Kind::Chain(_, operands) if infix.continues => operands.push(right),
            _ => {
                let at = Place { file: self.file, at: infix.at };
                left = expression(at, Kind::Chain(infix.operator, vec![left, right]));
            }
        }
        Ok(left)
    }
}

/// `"a" || "b" && not "c"`
impl<'a> Operators<'a, Variant> for Parser<'a> {
    type Operator = fn(Vec<Variant>) -> Variant;
    fn operator(written: &str, _least: u8) -> Option<(u8, Self::Operator)> {
        Some(match written {
            "||" => (1, Variant::Any),
            "&&" => (2, Variant::All),
            _ => return None,
        })
    }

    fn operand(&mut self, _least: u8) -> Parsed<Variant> {
        if self.cursor.take("not") {
            let inner = self.deeper(|parser| Operators::<Variant>::operand(parser, 1))?;
            return Ok(Variant::Not(Box::new(inner)));
        }
        if self.cursor.take("(") {
            let inner = self.variant()?;
            self.cursor.expect(")")?;
            return Ok(inner);
        }
        self.cursor.take("variant");
        Ok(Variant::Is(self.string()?))
    }

    fn combine(
        &mut self,
        mut left: Variant,
        infix: Infix<Self::Operator>,
        right: Variant,
    ) -> Parsed<Variant> {
        match &mut left {
            Variant::All(parts) | Variant::Any(parts) if infix.continues => parts.push(right),
            _ => left = (infix.operator)(vec![left, right]),
        }
        Ok(left)
    }
}

impl Parser<'_> {
    /// An expression, or a tuple of operands without parentheses.
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.deeper(|parser| parser.expression_here())
    }

    fn expression_here(&mut self) -> Parsed<Expression> {
        let at = self.place();
        let kind = match self.cursor.peek() {
            Token::Word("let") => self.let_in()?,
            Token::Word("fun") => self.function()?,
            Token::Word("try") => self.try_with()?,
            Token::Word("if") => self.if_then_else()?,
            Token::Word("match") => self.match_with()?,
            _ => {
                let first = self.single()?;
                if !self.cursor.is(",") {
                    return Ok(first);
                }
                let mut parts = vec![first];
                while self.cursor.take(",") {
                    parts.push(self.single()?);
                }
                Kind::Tuple(parts)
            }
        };
        Ok(expression(at, kind))
    }

    /// An expression without tuples and keywords, unless in parentheses.
    pub(super) fn single(&mut self) -> Parsed<Expression> {
        self.climb(1)
    }

    /// Products, closures and complements, which do not mix without parentheses: of `a * b+` or `~a*` nothing says what is meant.
    fn tight(&mut self) -> Parsed<Expression> {
        let at = self.place();
        if self.cursor.take("~") {
            let inner = if self.cursor.is("~") { self.deeper(Self::tight)? } else { self.inverse()? };
            if matches!(self.cursor.peek(), Token::Sign("+" | "?" | "*")) {
                return Err(self.cursor.fault(Problem::Parentheses("an operator after `~`")));
            }
            return Ok(expression(at, Kind::Unary(Unary::Complement, Box::new(inner))));
        }
        let mut operand = self.inverse()?;
        for _ in 0..DEPTH {
            let at = self.place();
            let closure = match self.cursor.peek() {
                Token::Sign("+") => Unary::Plus,
                Token::Sign("?") => Unary::Optional,
                Token::Sign("*") => {
                    self.cursor.next();
                    if self.begins_operand() {
                        return self.product(at, operand);
                    }
                    operand = expression(at, Kind::Unary(Unary::Star, Box::new(operand)));
                    continue;
                }
                // After a closure: `r+^-1`.
                Token::Sign("^") => {
                    operand = self.inverses_of(operand)?;
                    continue;
                }
                _ => return Ok(operand),
            };
            self.cursor.next();
            operand = expression(at, Kind::Unary(closure, Box::new(operand)));
        }
        Err(self.cursor.fault(Problem::Depth(DEPTH)))
    }

    /// The right side of a product.
    fn product(&mut self, at: Place, left: Expression) -> Parsed<Expression> {
        let right = if self.cursor.is("~") { self.deeper(Self::tight)? } else { self.inverse()? };
        if matches!(self.cursor.peek(), Token::Sign("+" | "?" | "*")) {
            return Err(self.cursor.fault(Problem::Parentheses("an operator after a product")));
        }
        Ok(expression(at, Kind::Product(Box::new(left), Box::new(right))))
    }

    fn begins_operand(&self) -> bool {
        matches!(
            self.cursor.peek(),
            Token::Name(_)
                | Token::Tag(_)
                | Token::Sign("0" | "{" | "_" | "(" | "[" | "~")
                | Token::Word("begin")
        )
    }

    fn inverse(&mut self) -> Parsed<Expression> {
        let operand = self.application()?;
        self.inverses_of(operand)
    }

    fn inverses_of(&mut self, mut operand: Expression) -> Parsed<Expression> {
        for _ in 0..DEPTH {
            let at = self.place();
            if !self.cursor.take("^") {
                return Ok(operand);
            }
            self.cursor.expect("-1")?;
            operand = expression(at, Kind::Unary(Unary::Inverse, Box::new(operand)));
        }
        Err(self.cursor.fault(Problem::Depth(DEPTH)))
    }

    /// A name with its arguments, or something that is not a function.
    fn application(&mut self) -> Parsed<Expression> {
        if !matches!(self.cursor.peek(), Token::Name(_)) {
            return self.simple();
        }
        let at = self.place();
        let mut function = expression(at, Kind::Name(self.name()?));
        for _ in 0..DEPTH {
            let at = self.place();
            let argument = match self.cursor.peek() {
                Token::Name(_) => expression(at, Kind::Name(self.name()?)),
                Token::Sign("~") => return Ok(function),
                _ if self.begins_operand() => self.simple()?,
                _ => return Ok(function),
            };
            function = expression(at, Kind::Apply(Box::new(function), Box::new(argument)));
        }
        Err(self.cursor.fault(Problem::Depth(DEPTH)))
    }

    /// What stands for itself, or is in brackets of some kind.
    pub(super) fn simple(&mut self) -> Parsed<Expression> {
        let at = self.place();
        let kind = match self.cursor.peek() {
            Token::Tag(_) => Kind::Tag(self.tag()?),
            Token::Sign("0") => {
                self.cursor.next();
                Kind::Zero
            }
            Token::Sign("_") => {
                self.cursor.next();
                Kind::Universe
            }
            Token::Sign("{") => {
                self.cursor.next();
                let elements = self.deeper(|p| p.operands("}"))?;
                Kind::Braces(elements)
            }
            Token::Sign("(") => {
                self.cursor.next();
                if self.cursor.take(")") {
                    return Ok(expression(at, Kind::Tuple(Vec::new())));
                }
                let inner = self.expression()?;
                self.cursor.expect(")")?;
                return Ok(inner);
            }
            Token::Word("begin") => {
                self.cursor.next();
                let inner = self.expression()?;
                self.cursor.expect("end")?;
                return Ok(inner);
            }
            Token::Sign("[") => {
                self.cursor.next();
                let inner = self.expression()?;
                self.cursor.expect("]")?;
                Kind::Unary(Unary::Identity, Box::new(inner))
            }
            _ => return Err(self.cursor.expected("an expression")),
        };
        Ok(expression(at, kind))
    }

    /// Operands with commas between them, up to and with what closes them.
    pub(super) fn operands(&mut self, close: &str) -> Parsed<Vec<Expression>> {
        let mut operands = Vec::new();
        if self.cursor.take(close) {
            return Ok(operands);
        }
        loop {
            operands.push(self.single()?);
            if self.cursor.take(close) {
                return Ok(operands);
            }
            if !self.cursor.take(",") {
                return Err(self.cursor.expected(&format!("`{close}`")));
            }
        }
    }

    fn let_in(&mut self) -> Parsed<Kind> {
        self.cursor.next();
        let recursive = self.cursor.take("rec");
        let bindings = self.bindings()?;
        self.cursor.expect("in")?;
        let body = Box::new(self.expression()?);
        Ok(Kind::Let { recursive, bindings, body })
    }

    fn function(&mut self) -> Parsed<Kind> {
        self.cursor.next();
        let parameters = self.parameters()?;
        self.cursor.expect("->")?;
        let body = self.expression()?;
        Ok(Kind::Function(Box::new(Function { parameters, body })))
    }

    fn try_with(&mut self) -> Parsed<Kind> {
        self.cursor.next();
        let tried = Box::new(self.expression()?);
        self.cursor.expect("with")?;
        Ok(Kind::Try(tried, Box::new(self.expression()?)))
    }

    fn if_then_else(&mut self) -> Parsed<Kind> {
        self.cursor.next();
        let test = Box::new(self.test()?);
        self.cursor.expect("then")?;
        let then = Box::new(self.expression()?);
        self.cursor.expect("else")?;
        Ok(Kind::If(test, then, Box::new(self.expression()?)))
    }

    fn test(&mut self) -> Parsed<Test> {
        let mut opened = self.cursor;
        while opened.take("(") {}
        if let Token::Text(_) | Token::Word("not" | "variant") = opened.peek() {
            return Ok(Test::Variant(self.variant()?));
        }
        let left = self.expression()?;
        let make = match self.cursor.peek() {
            Token::Sign("=") => Test::Equal,
            Token::Word("subset") => Test::Subset,
            Token::Word("in") => Test::Member,
            _ => return Err(self.cursor.expected("`=`, `subset` or `in`")),
        };
        self.cursor.next();
        Ok(make(left, self.expression()?))
    }

    pub(super) fn variant(&mut self) -> Parsed<Variant> {
        self.deeper(|parser| parser.climb(1))
    }

    fn match_with(&mut self) -> Parsed<Kind> {
        self.cursor.next();
        let subject = Box::new(self.expression()?);
        self.cursor.expect("with")?;
        self.cursor.take("||");
        let of_tags = match self.cursor.peek() {
            Token::Tag(_) => true,
            Token::Sign("_") => self.cursor.second() == Token::Sign("->"),
            _ => false,
        };
        let kind = if of_tags { self.match_tag(subject)? } else { self.match_set(subject)? };
        self.cursor.expect("end")?;
        Ok(kind)
    }

    fn match_tag(&mut self, subject: Box<Expression>) -> Parsed<Kind> {
        let mut cases = Vec::new();
        let mut otherwise = None;
        loop {
            if self.cursor.take("_") {
                self.cursor.expect("->")?;
                otherwise = Some(Box::new(self.expression()?));
                break;
            }
            let tag = self.tag()?;
            self.cursor.expect("->")?;
            cases.push((tag, self.expression()?));
            if !self.cursor.take("||") {
                break;
            }
        }
        Ok(Kind::MatchTag { subject, cases, otherwise })
    }

    fn match_set(&mut self, subject: Box<Expression>) -> Parsed<Kind> {
        if self.cursor.is("{") {
            let empty = Box::new(self.empty_case()?);
            self.cursor.expect("||")?;
            return Ok(Kind::MatchSet { subject, empty, some: Box::new(self.element_case()?) });
        }
        let some = Box::new(self.element_case()?);
        self.cursor.expect("||")?;
        Ok(Kind::MatchSet { subject, empty: Box::new(self.empty_case()?), some })
    }

    fn empty_case(&mut self) -> Parsed<Expression> {
        if !self.cursor.take("{") {
            return Err(self.cursor.expected("the case `{}`"));
        }
        self.cursor.expect("}")?;
        self.cursor.expect("->")?;
        self.expression()
    }

    fn element_case(&mut self) -> Parsed<Element> {
        let first = self.parameter("a tag, `{}` or an element")?;
        let (before, element) = if self.cursor.take("|") {
            (Some(first), self.parameter("a name or `_`")?)
        } else {
            (None, first)
        };
        self.cursor.expect("++")?;
        let rest = self.parameter("a name or `_`")?;
        self.cursor.expect("->")?;
        Ok(Element { before, element, rest, body: self.expression()? })
    }

    /// `x = e and f(y) = e and (a, b) = e`
    pub(super) fn bindings(&mut self) -> Parsed<Vec<Binding>> {
        let mut bindings = vec![self.binding()?];
        while self.cursor.take("and") {
            bindings.push(self.binding()?);
        }
        Ok(bindings)
    }

    fn binding(&mut self) -> Parsed<Binding> {
        let at = self.place();
        if self.cursor.is("(") {
            let pattern = self.parameters()?;
            self.cursor.expect("=")?;
            return Ok(Binding { at, pattern, value: self.expression()? });
        }
        let name = self.parameter("a name")?;
        if self.cursor.is(",") {
            let mut names = vec![name];
            while self.cursor.take(",") {
                names.push(self.parameter("a name")?);
            }
            self.cursor.expect("=")?;
            return Ok(Binding { at, pattern: Pattern::Tuple(names), value: self.expression()? });
        }
        if self.cursor.take("=") {
            return Ok(Binding { at, pattern: Pattern::One(name), value: self.expression()? });
        }
        if !matches!(self.cursor.peek(), Token::Name(_) | Token::Sign("(" | "_")) {
            return Err(self.cursor.expected("`=` or parameters"));
        }
        let parameters = self.parameters()?;
        self.cursor.expect("=")?;
        let body = self.expression()?;
        let value = expression(at, Kind::Function(Box::new(Function { parameters, body })));
        Ok(Binding { at, pattern: Pattern::One(name), value })
    }

    /// One name, or names in parentheses.
    pub(super) fn parameters(&mut self) -> Parsed<Pattern> {
        if !self.cursor.take("(") {
            return Ok(Pattern::One(self.parameter("a parameter")?));
        }
        let mut names = Vec::new();
        if !self.cursor.take(")") {
            names.push(self.parameter("a parameter")?);
            while self.cursor.take(",") {
                names.push(self.parameter("a parameter")?);
            }
            self.cursor.expect(")")?;
        }
        Ok(match names[..] {
            [one] => Pattern::One(one),
            _ => Pattern::Tuple(names),
        })
    }

    fn parameter(&mut self, expected: &str) -> Parsed<Option<Symbol>> {
        if self.cursor.take("_") {
            return Ok(None);
        }
        let name = self.cursor.name(expected)?;
        Ok(Some(self.names.symbol(name)))
    }
}

//! Expressions. From loosest to tightest: `|`, `++`, `;`, `\`, `&`, then `*` of sets, postfix `*` `+` `?` and prefix `~`, then `^-1`,
//! then application.

use super::{DEPTH, Parsed, Parser};
use crate::error::Problem;
use crate::lexer::{Symbol, Token, Word};
use crate::source::Position;
use crate::syntax::{Binding, Chain, Element, Expression, Function, Kind, Pattern, Test, Unary, Variant};

/// The operators that are written in chains, loosest first.
const CHAINS: [(Word, Chain); 5] = [
    (Word::Bar, Chain::Union),
    (Word::Pluses, Chain::Add),
    (Word::Semicolon, Chain::Sequence),
    (Word::Backslash, Chain::Difference),
    (Word::Ampersand, Chain::Intersection),
];

fn expression(at: Position, kind: Kind) -> Expression {
    Expression { at, kind }
}

impl Parser<'_> {
    /// An expression, or a tuple of operands without parentheses.
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.nested(|parser| parser.expression_here())
    }

    fn expression_here(&mut self) -> Parsed<Expression> {
        let at = self.position();
        let kind = match self.peek() {
            Token::Word(Word::Let) => self.let_in()?,
            Token::Word(Word::Fun) => self.function()?,
            Token::Word(Word::Try) => self.try_with()?,
            Token::Word(Word::If) => self.if_then_else()?,
            Token::Word(Word::Match) => self.match_with()?,
            _ => {
                let first = self.operand()?;
                if !self.is(Word::Comma) {
                    return Ok(first);
                }
                let mut parts = vec![first];
                while self.skip(Word::Comma) {
                    parts.push(self.operand()?);
                }
                Kind::Tuple(parts)
            }
        };
        Ok(expression(at, kind))
    }

    /// An expression without tuples and keywords, unless in parentheses.
    pub(super) fn operand(&mut self) -> Parsed<Expression> {
        self.chain(0)
    }

    /// Operands and the operators between them of this level and tighter ones: precedence climbing.
    fn chain(&mut self, level: usize) -> Parsed<Expression> {
        let mut left = self.tight()?;
        loop {
            let Token::Word(word) = self.peek() else { return Ok(left) };
            let Some(found) =
                CHAINS.iter().position(|&(sign, _)| sign == word).filter(|&found| found >= level)
            else {
                return Ok(left);
            };
            let at = self.position();
            let mut operands = vec![left];
            while self.skip(word) {
                operands.push(self.chain(found + 1)?);
            }
            left = expression(at, Kind::Chain(CHAINS[found].1, operands));
        }
    }

    /// Products, closures and complements, which do not mix without parentheses: of `a * b+` or `~a*` nothing says what is meant.
    fn tight(&mut self) -> Parsed<Expression> {
        let at = self.position();
        if self.skip(Word::Tilde) {
            let inner = if self.is(Word::Tilde) { self.nested(Self::tight)? } else { self.inverse()? };
            if matches!(self.peek(), Token::Word(Word::Plus | Word::Question | Word::Star)) {
                return Err(self.fault(Problem::Parentheses("an operator after `~`")));
            }
            return Ok(expression(at, Kind::Unary(Unary::Complement, Box::new(inner))));
        }
        let mut operand = self.inverse()?;
        for _ in 0..DEPTH {
            let at = self.position();
            let closure = match self.peek() {
                Token::Word(Word::Plus) => Unary::Plus,
                Token::Word(Word::Question) => Unary::Optional,
                Token::Word(Word::Star) => {
                    self.advance();
                    if self.begins_operand() {
                        return self.product(at, operand);
                    }
                    operand = expression(at, Kind::Unary(Unary::Star, Box::new(operand)));
                    continue;
                }
                // After a closure: `r+^-1`.
                Token::Word(Word::Caret) => {
                    operand = self.inverses_of(operand)?;
                    continue;
                }
                _ => return Ok(operand),
            };
            self.advance();
            operand = expression(at, Kind::Unary(closure, Box::new(operand)));
        }
        Err(self.fault(Problem::Depth(DEPTH)))
    }

    /// The right side of a product.
    fn product(&mut self, at: Position, left: Expression) -> Parsed<Expression> {
        let right = if self.is(Word::Tilde) { self.nested(Self::tight)? } else { self.inverse()? };
        if matches!(self.peek(), Token::Word(Word::Plus | Word::Question | Word::Star)) {
            return Err(self.fault(Problem::Parentheses("an operator after a product")));
        }
        Ok(expression(at, Kind::Product(Box::new(left), Box::new(right))))
    }

    fn begins_operand(&self) -> bool {
        match self.peek() {
            Token::Name(_) | Token::Tag(_) => true,
            Token::Word(word) => matches!(
                word,
                Word::Zero
                    | Word::OpenBrace
                    | Word::Underscore
                    | Word::Open
                    | Word::Begin
                    | Word::OpenBracket
                    | Word::Tilde
            ),
            _ => false,
        }
    }

    fn inverse(&mut self) -> Parsed<Expression> {
        let operand = self.application()?;
        self.inverses_of(operand)
    }

    fn inverses_of(&mut self, mut operand: Expression) -> Parsed<Expression> {
        for _ in 0..DEPTH {
            let at = self.position();
            if !self.skip(Word::Caret) {
                return Ok(operand);
            }
            self.expect(Word::MinusOne)?;
            operand = expression(at, Kind::Unary(Unary::Inverse, Box::new(operand)));
        }
        Err(self.fault(Problem::Depth(DEPTH)))
    }

    /// A name with its arguments, or something that is not a function.
    fn application(&mut self) -> Parsed<Expression> {
        let Token::Name(name) = self.peek() else { return self.simple() };
        let at = self.position();
        self.advance();
        let mut function = expression(at, Kind::Name(name));
        for _ in 0..DEPTH {
            let at = self.position();
            let argument = match self.peek() {
                Token::Name(name) => {
                    self.advance();
                    expression(at, Kind::Name(name))
                }
                Token::Word(Word::Tilde) => return Ok(function),
                _ if self.begins_operand() => self.simple()?,
                _ => return Ok(function),
            };
            function = expression(at, Kind::Apply(Box::new(function), Box::new(argument)));
        }
        Err(self.fault(Problem::Depth(DEPTH)))
    }

    /// What stands for itself, or is in brackets of some kind.
    pub(super) fn simple(&mut self) -> Parsed<Expression> {
        let at = self.position();
        let kind = match self.peek() {
            Token::Tag(tag) => {
                self.advance();
                Kind::Tag(tag)
            }
            Token::Word(Word::Zero) => {
                self.advance();
                Kind::Zero
            }
            Token::Word(Word::Underscore) => {
                self.advance();
                Kind::Universe
            }
            Token::Word(Word::OpenBrace) => {
                self.advance();
                let elements = self.nested(|p| p.operands(Word::CloseBrace))?;
                Kind::Braces(elements)
            }
            Token::Word(Word::Open) => {
                self.advance();
                if self.skip(Word::Close) {
                    return Ok(expression(at, Kind::Tuple(Vec::new())));
                }
                let inner = self.expression()?;
                self.expect(Word::Close)?;
                return Ok(inner);
            }
            Token::Word(Word::Begin) => {
                self.advance();
                let inner = self.expression()?;
                self.expect(Word::End)?;
                return Ok(inner);
            }
            Token::Word(Word::OpenBracket) => {
                self.advance();
                let inner = self.expression()?;
                self.expect(Word::CloseBracket)?;
                Kind::Unary(Unary::Identity, Box::new(inner))
            }
            _ => return Err(self.expected("an expression")),
        };
        Ok(expression(at, kind))
    }

    /// Operands with commas between them, up to and with what closes them.
    pub(super) fn operands(&mut self, close: Word) -> Parsed<Vec<Expression>> {
        let mut operands = Vec::new();
        if self.skip(close) {
            return Ok(operands);
        }
        loop {
            operands.push(self.operand()?);
            if self.skip(close) {
                return Ok(operands);
            }
            if !self.skip(Word::Comma) {
                return Err(self.expected(super::quoted(close)));
            }
        }
    }

    fn let_in(&mut self) -> Parsed<Kind> {
        self.advance();
        let recursive = self.skip(Word::Rec);
        let bindings = self.bindings()?;
        self.expect(Word::In)?;
        let body = Box::new(self.expression()?);
        Ok(Kind::Let { recursive, bindings, body })
    }

    fn function(&mut self) -> Parsed<Kind> {
        self.advance();
        let parameters = self.parameters()?;
        self.expect(Word::Arrow)?;
        let body = self.expression()?;
        Ok(Kind::Function(Box::new(Function { parameters, body })))
    }

    fn try_with(&mut self) -> Parsed<Kind> {
        self.advance();
        let tried = Box::new(self.expression()?);
        self.expect(Word::With)?;
        Ok(Kind::Try(tried, Box::new(self.expression()?)))
    }

    fn if_then_else(&mut self) -> Parsed<Kind> {
        self.advance();
        let test = Box::new(self.test()?);
        self.expect(Word::Then)?;
        let then = Box::new(self.expression()?);
        self.expect(Word::Else)?;
        Ok(Kind::If(test, then, Box::new(self.expression()?)))
    }

    fn test(&mut self) -> Parsed<Test> {
        let opened = self.tokens[self.next..].iter().find(|(token, _)| *token != Token::Word(Word::Open));
        if let Some((Token::Text(..) | Token::Word(Word::Not | Word::Variant), _)) = opened {
            return Ok(Test::Variant(self.variant()?));
        }
        let left = self.expression()?;
        let make = match self.peek() {
            Token::Word(Word::Equal) => Test::Equal,
            Token::Word(Word::Subset) => Test::Subset,
            Token::Word(Word::In) => Test::Member,
            _ => return Err(self.expected("`=`, `subset` or `in`")),
        };
        self.advance();
        Ok(make(left, self.expression()?))
    }

    /// `"a" || "b" && not "c"`
    pub(super) fn variant(&mut self) -> Parsed<Variant> {
        self.nested(|parser| {
            let mut any = vec![parser.variant_all()?];
            while parser.skip(Word::Bars) {
                any.push(parser.variant_all()?);
            }
            Ok(Variant::Any(any))
        })
    }

    fn variant_all(&mut self) -> Parsed<Variant> {
        let mut all = vec![self.variant_one()?];
        while self.skip(Word::Ampersands) {
            all.push(self.variant_one()?);
        }
        Ok(Variant::All(all))
    }

    fn variant_one(&mut self) -> Parsed<Variant> {
        if self.skip(Word::Not) {
            return Ok(Variant::Not(Box::new(self.nested(Self::variant_one)?)));
        }
        if self.skip(Word::Open) {
            let inner = self.variant()?;
            self.expect(Word::Close)?;
            return Ok(inner);
        }
        self.skip(Word::Variant);
        Ok(Variant::Is(self.string()?))
    }

    fn match_with(&mut self) -> Parsed<Kind> {
        self.advance();
        let subject = Box::new(self.expression()?);
        self.expect(Word::With)?;
        self.skip(Word::Bars);
        let of_tags = match self.peek() {
            Token::Tag(_) => true,
            Token::Word(Word::Underscore) => self.peek_second() == Token::Word(Word::Arrow),
            _ => false,
        };
        let kind = if of_tags { self.match_tag(subject)? } else { self.match_set(subject)? };
        self.expect(Word::End)?;
        Ok(kind)
    }

    fn match_tag(&mut self, subject: Box<Expression>) -> Parsed<Kind> {
        let mut cases = Vec::new();
        let mut otherwise = None;
        loop {
            if self.skip(Word::Underscore) {
                self.expect(Word::Arrow)?;
                otherwise = Some(Box::new(self.expression()?));
                break;
            }
            let tag = self.tag()?;
            self.expect(Word::Arrow)?;
            cases.push((tag, self.expression()?));
            if !self.skip(Word::Bars) {
                break;
            }
        }
        Ok(Kind::MatchTag { subject, cases, otherwise })
    }

    fn match_set(&mut self, subject: Box<Expression>) -> Parsed<Kind> {
        if self.is(Word::OpenBrace) {
            let empty = Box::new(self.empty_case()?);
            self.expect(Word::Bars)?;
            return Ok(Kind::MatchSet { subject, empty, some: Box::new(self.element_case()?) });
        }
        let some = Box::new(self.element_case()?);
        self.expect(Word::Bars)?;
        Ok(Kind::MatchSet { subject, empty: Box::new(self.empty_case()?), some })
    }

    fn empty_case(&mut self) -> Parsed<Expression> {
        if !self.skip(Word::OpenBrace) {
            return Err(self.expected("the case `{}`"));
        }
        self.expect(Word::CloseBrace)?;
        self.expect(Word::Arrow)?;
        self.expression()
    }

    fn element_case(&mut self) -> Parsed<Element> {
        let first = self.parameter("a tag, `{}` or an element")?;
        let (before, element) = if self.skip(Word::Bar) {
            (Some(first), self.parameter("a name or `_`")?)
        } else {
            (None, first)
        };
        self.expect(Word::Pluses)?;
        let rest = self.parameter("a name or `_`")?;
        self.expect(Word::Arrow)?;
        Ok(Element { before, element, rest, body: self.expression()? })
    }

    /// `x = e and f(y) = e and (a, b) = e`
    pub(super) fn bindings(&mut self) -> Parsed<Vec<Binding>> {
        let mut bindings = vec![self.binding()?];
        while self.skip(Word::And) {
            bindings.push(self.binding()?);
        }
        Ok(bindings)
    }

    fn binding(&mut self) -> Parsed<Binding> {
        let at = self.position();
        if self.is(Word::Open) {
            let pattern = self.parameters()?;
            self.expect(Word::Equal)?;
            return Ok(Binding { at, pattern, value: self.expression()? });
        }
        let name = self.parameter("a name")?;
        if self.is(Word::Comma) {
            let mut names = vec![name];
            while self.skip(Word::Comma) {
                names.push(self.parameter("a name")?);
            }
            self.expect(Word::Equal)?;
            return Ok(Binding { at, pattern: Pattern::Tuple(names), value: self.expression()? });
        }
        if self.skip(Word::Equal) {
            return Ok(Binding { at, pattern: Pattern::One(name), value: self.expression()? });
        }
        if !matches!(self.peek(), Token::Name(_) | Token::Word(Word::Open | Word::Underscore)) {
            return Err(self.expected("`=` or parameters"));
        }
        let parameters = self.parameters()?;
        self.expect(Word::Equal)?;
        let body = self.expression()?;
        let value = expression(at, Kind::Function(Box::new(Function { parameters, body })));
        Ok(Binding { at, pattern: Pattern::One(name), value })
    }

    /// One name, or names in parentheses.
    pub(super) fn parameters(&mut self) -> Parsed<Pattern> {
        if !self.skip(Word::Open) {
            return Ok(Pattern::One(self.parameter("a parameter")?));
        }
        let mut names = Vec::new();
        if !self.skip(Word::Close) {
            names.push(self.parameter("a parameter")?);
            while self.skip(Word::Comma) {
                names.push(self.parameter("a parameter")?);
            }
            self.expect(Word::Close)?;
        }
        Ok(match names[..] {
            [one] => Pattern::One(one),
            _ => Pattern::Tuple(names),
        })
    }

    fn parameter(&mut self, expected: &'static str) -> Parsed<Option<Symbol>> {
        let name = match self.peek() {
            Token::Name(name) => Some(name),
            Token::Word(Word::Underscore) => None,
            _ => return Err(self.expected(expected)),
        };
        self.advance();
        Ok(name)
    }
}

//! Statements: what methods do, one thing after another.

use crate::error::SpecFault;
use crate::parser::{Meaning, Parsed, Parser};
use crate::syntax::{Block, End, Expr, Local, Shape, StateId, Statement};
use tribunal_cat::text::{Grammar, Located, Position, Token};
use tribunal_history::object::{Kind, Value};

impl<'a> Parser<'a> {
    /// Statements in braces, and whether every way through them returns or refuses.
    pub(crate) fn block(&mut self) -> Parsed<(Block, bool)> {
        self.deeper(|parser| {
            parser.cursor.expect("{")?;
            let outer = parser.scope.len();
            let mut block = Block::new();
            let mut ends = false;
            while !parser.cursor.take("}") {
                if ends {
                    return Err(parser.cursor.fault(SpecFault::Unreachable));
                }
                let (statement, ended) = parser.statement()?;
                block.push(statement);
                ends = ended;
            }
            parser.scope.truncate(outer);
            Ok((block, ends))
        })
    }

    fn statement(&mut self) -> Parsed<(Statement, bool)> {
        let Token::Name(word) = self.cursor.peek() else {
            return Err(self.cursor.expected("a statement or `}`"));
        };
        let place = self.cursor.at();
        Ok(match word {
            "let" => {
                self.cursor.next();
                let name = self.fresh_name()?;
                self.cursor.expect("=")?;
                let value = self.expression()?;
                // What begins as null may become anything.
                let kind = if value.kind == Kind::Null { Kind::Any } else { value.kind };
                (Statement::Let(self.declare(name, kind, true)?, value.expr), false)
            }
            "when" => {
                self.cursor.next();
                self.when()?
            }
            "for" => {
                self.cursor.next();
                let name = self.fresh_name()?;
                self.cursor.expect("in")?;
                let list = self.expression_of(Kind::List, "what `for` runs over")?;
                let outer = self.scope.len();
                let local = self.declare(name, Kind::Any, false)?;
                let (body, _) = self.block()?;
                self.scope.truncate(outer);
                (Statement::For(local, list, body), false)
            }
            "require" => {
                self.cursor.next();
                (Statement::Require(self.expression_of(Kind::Bool, "what is required")?), false)
            }
            "refuse" => {
                self.cursor.next();
                (Statement::Require(Expr::Constant(Value::Bool(false))), true)
            }
            "return" => {
                self.cursor.next();
                (Statement::Return(self.expression_of(self.returns, "the return")?), true)
            }
            "remove" => {
                self.cursor.next();
                let (map, _) = self.state_named("a map", |shape| shape == Shape::Map)?;
                (Statement::Remove(map, self.key()?), false)
            }
            _ => (self.effect(word, place)?, false),
        })
    }

    /// `when condition { ... } otherwise ...`; a chain of them is read in a loop and folded from its end.
    fn when(&mut self) -> Parsed<(Statement, bool)> {
        let mut cases = Vec::new();
        let (mut rest, mut ends) = (Block::new(), true);
        loop {
            self.cursor.enter()?;
            let condition = self.expression_of(Kind::Bool, "the condition")?;
            let (block, ended) = self.block()?;
            ends &= ended;
            cases.push((condition, block));
            if !self.cursor.take("otherwise") {
                ends = false;
                break;
            }
            if !self.cursor.take("when") {
                let (block, ended) = self.block()?;
                rest = block;
                ends &= ended;
                break;
            }
        }
        self.cursor.leave(cases.len());
        while let Some((condition, block)) = cases.pop() {
            rest = vec![Statement::When(condition, block, rest)];
        }
        match rest.pop() {
            Some(when) => Ok((when, ends)),
            None => Err(self.cursor.expected("a condition")),
        }
    }

    /// `[e]`
    fn key(&mut self) -> Parsed<Expr> {
        if !self.cursor.take("[") {
            return Err(self.cursor.expected("["));
        }
        let key = self.expression()?;
        self.cursor.expect("]")?;
        Ok(key.expr)
    }

    /// A statement that begins with a name: an assignment or a method of a sequence or map.
    fn effect(&mut self, word: &str, place: Position) -> Parsed<Statement> {
        let Some(meaning) = self.meaning(word) else {
            return Err(self.cursor.fault(SpecFault::UnknownName(word.into())));
        };
        let (state, shape) = match meaning {
            Meaning::Local(local, kind) => return self.assign_local(word, local, kind, place),
            Meaning::State(state, shape) => (state, shape),
        };
        if self.cursor.second() == Token::Sign(".") {
            return self.call(state, shape, word);
        }
        self.cursor.next();
        match shape {
            Shape::Map => {
                let key = self.key()?;
                self.cursor.expect("=")?;
                Ok(Statement::Put(state, key, self.expression()?.expr))
            }
            Shape::Sequence => {
                Err(self.cursor.expected("`.push_back(...)` or another change of the sequence"))
            }
            Shape::Value(kind) => {
                self.cursor.expect("=")?;
                Ok(Statement::Assign(state, self.expression_of(kind, "the new value")?))
            }
        }
    }

    fn assign_local(&mut self, word: &str, local: Local, kind: Kind, place: Position) -> Parsed<Statement> {
        let assignable = self.scope.iter().any(|&(_, its, _, assignable)| its == local && assignable);
        if !assignable {
            let (name, is) = (word.into(), "a parameter or the variable of a loop");
            return Err(Located::new(place, SpecFault::NotA { name, is, expected: "a `let`" }));
        }
        self.cursor.next();
        self.cursor.expect("=")?;
        Ok(Statement::Let(local, self.expression_of(kind, "the new value")?))
    }

    /// `.push_back(e)`, `.push_front(e)`, `.clear()`, or a pop whose value is not used.
    fn call(&mut self, state: StateId, shape: Shape, name: &str) -> Parsed<Statement> {
        let before = self.cursor;
        let [_, _, method] = [(); 3].map(|()| self.cursor.next());
        let end = match method {
            Token::Name("push_back") => End::Back,
            Token::Name("push_front") => End::Front,
            Token::Name("clear") if !matches!(shape, Shape::Value(_)) => {
                self.cursor.expect("(")?;
                self.cursor.expect(")")?;
                return Ok(Statement::Clear(state));
            }
            _ => {
                self.cursor = before;
                return Ok(Statement::Evaluate(self.primary()?.expr));
            }
        };
        if shape != Shape::Sequence {
            let (name, is) = (name.into(), shape.words());
            return Err(Located::new(before.at(), SpecFault::NotA { name, is, expected: "a sequence" }));
        }
        self.cursor.expect("(")?;
        let value = self.expression()?;
        self.cursor.expect(")")?;
        Ok(Statement::Push(state, end, value.expr))
    }
}

//! Statements: what methods do, one thing after another.

use crate::error::SpecFault;
use crate::parser::{Meaning, Parsed, Parser};
use crate::syntax::{Block, End, Expr, Local, Shape, StateId, Statement};
use tribunal_history::object::text::Token;
use tribunal_history::object::{Kind, Value};

impl Parser {
    /// Statements in braces, and whether every way through them returns or refuses.
    pub(crate) fn block(&mut self) -> Parsed<(Block, bool)> {
        self.cursor.enter()?;
        self.cursor.expect("{")?;
        let outer = self.scope.len();
        let mut block = Block::new();
        let mut ends = false;
        while !self.cursor.take_mark("}") {
            if ends {
                return self.fault(SpecFault::Unreachable);
            }
            let (statement, ended) = self.statement()?;
            block.push(statement);
            ends = ended;
        }
        self.scope.truncate(outer);
        self.cursor.leave();
        Ok((block, ends))
    }

    fn statement(&mut self) -> Parsed<(Statement, bool)> {
        let word = match self.cursor.peek() {
            Token::Name(name) => name.clone(),
            _ => return self.unexpected("a statement or `}`"),
        };
        let place = self.cursor.here();
        Ok(match &*word {
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
                if !self.cursor.take_word("in") {
                    return self.unexpected("`in`");
                }
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
                self.cursor.expect("[")?;
                let key = self.expression()?;
                self.cursor.expect("]")?;
                (Statement::Remove(map, key.expr), false)
            }
            _ => (self.effect(&word, place)?, false),
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
            if !self.cursor.take_word("otherwise") {
                ends = false;
                break;
            }
            if !self.cursor.take_word("when") {
                let (block, ended) = self.block()?;
                rest = block;
                ends &= ended;
                break;
            }
        }
        for _ in 1..cases.len() {
            self.cursor.leave();
        }
        self.cursor.leave();
        while let Some((condition, block)) = cases.pop() {
            rest = vec![Statement::When(condition, block, rest)];
        }
        match rest.pop() {
            Some(when) => Ok((when, ends)),
            None => self.unexpected("a condition"),
        }
    }

    /// A statement that begins with a name: an assignment or a method of a sequence or map.
    fn effect(&mut self, word: &str, place: (u32, u32)) -> Parsed<Statement> {
        let Some(meaning) = self.meaning(word) else {
            return self.fault(SpecFault::UnknownName(word.into()));
        };
        let (state, shape) = match meaning {
            Meaning::Local(local, kind) => return self.assign_local(word, local, kind, place),
            Meaning::State(state, shape) => (state, shape),
        };
        if *self.cursor.peek_after(1) == Token::Mark(".") {
            return self.call(state, shape, word);
        }
        self.cursor.next();
        match shape {
            Shape::Map => {
                self.cursor.expect("[")?;
                let key = self.expression()?;
                self.cursor.expect("]")?;
                self.cursor.expect("=")?;
                Ok(Statement::Put(state, key.expr, self.expression()?.expr))
            }
            Shape::Sequence => self.unexpected("`.push_back(...)` or another change of the sequence"),
            Shape::Value(kind) => {
                self.cursor.expect("=")?;
                Ok(Statement::Assign(state, self.expression_of(kind, "the new value")?))
            }
        }
    }

    fn assign_local(&mut self, word: &str, local: Local, kind: Kind, place: (u32, u32)) -> Parsed<Statement> {
        let assignable = self.scope.iter().any(|&(_, its, _, assignable)| its == local && assignable);
        if !assignable {
            let (name, is) = (word.into(), "a parameter or the variable of a loop");
            return Err(self.fault_at(place, SpecFault::NotA { name, is, expected: "a `let`" }));
        }
        self.cursor.next();
        self.cursor.expect("=")?;
        Ok(Statement::Let(local, self.expression_of(kind, "the new value")?))
    }

    /// `.push_back(e)`, `.push_front(e)`, `.clear()`, or a pop whose value is not used.
    fn call(&mut self, state: StateId, shape: Shape, name: &str) -> Parsed<Statement> {
        let before = self.cursor.here();
        let end = match self.method_after_dot() {
            Some("push_back") => End::Back,
            Some("push_front") => End::Front,
            Some("clear") if !matches!(shape, Shape::Value(_)) => {
                self.skip(3);
                self.cursor.expect("(")?;
                self.cursor.expect(")")?;
                return Ok(Statement::Clear(state));
            }
            _ => return Ok(Statement::Evaluate(self.primary()?.expr)),
        };
        if shape != Shape::Sequence {
            let (name, is) = (name.into(), shape.words());
            return Err(self.fault_at(before, SpecFault::NotA { name, is, expected: "a sequence" }));
        }
        self.skip(3);
        self.cursor.expect("(")?;
        let value = self.expression()?;
        self.cursor.expect(")")?;
        Ok(Statement::Push(state, end, value.expr))
    }

    fn method_after_dot(&self) -> Option<&str> {
        match self.cursor.peek_after(2) {
            Token::Name(name) => Some(name),
            _ => None,
        }
    }

    pub(crate) fn skip(&mut self, words: u32) {
        for _ in 0..words {
            self.cursor.next();
        }
    }
}

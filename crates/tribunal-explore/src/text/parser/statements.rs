//! Reading statements.

use super::{Parsed, Parser};
use crate::text::syntax::{Block, Counted, Expr, Statement, StatementKind};
use tribunal_cat::text::{Grammar, Token};

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Parsed<Block> {
        self.deeper(|parser| {
            parser.cursor.expect("{")?;
            parser.separators();
            let mut block = Vec::new();
            while !parser.cursor.take("}") {
                block.push(parser.statement()?);
                parser.end_of_statement()?;
            }
            Ok(block)
        })
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let at = self.cursor.at();
        let (Token::Word(word) | Token::Name(word)) = self.cursor.peek() else {
            return Err(self.cursor.expected("a statement or `}`"));
        };
        let begin = self.cursor;
        self.cursor.next();
        let kind = match word {
            "fence" => {
                self.cursor.expect("@")?;
                StatementKind::Fence(self.order_name()?)
            }
            "await" => {
                let what = self.expression()?;
                let timeout = match self.cursor.take("timeout") {
                    true => Some(self.name("a register")?),
                    false => None,
                };
                StatementKind::Await { what, timeout }
            }
            "assume" => StatementKind::Assume(self.expression()?),
            "assert" => {
                let first = self.cursor;
                let condition = self.expression()?;
                StatementKind::Assert { condition, text: self.text_since(&first) }
            }
            "if" => self.branches()?,
            "while" => {
                let condition = self.expression()?;
                StatementKind::While { condition, body: self.block()? }
            }
            "loop" => StatementKind::While { condition: Expr::Number(1), body: self.block()? },
            "for" => {
                let variable = self.name("the variable of the loop")?;
                self.cursor.expect("in")?;
                let from = self.expression()?;
                self.cursor.expect("..")?;
                let to = self.expression()?;
                let step = if self.cursor.take("step") { Some(self.expression()?) } else { None };
                StatementKind::For(Box::new(Counted { variable, from, to, step, body: self.block()? }))
            }
            "lock" => StatementKind::Lock(self.target_in_parentheses()?),
            "unlock" => StatementKind::Unlock(self.target_in_parentheses()?),
            "free" => StatementKind::Free(self.target_in_parentheses()?),
            "spin" => StatementKind::Spin,
            "break" => StatementKind::Break,
            "continue" => StatementKind::Continue,
            "return" => {
                let alone = matches!(self.cursor.peek(), Token::End | Token::Sign("}" | "\n" | ";"));
                StatementKind::Return(if alone { None } else { Some(self.expression()?) })
            }
            _ => {
                self.cursor = begin;
                self.assignment()?
            }
        };
        Ok(Statement { at, kind })
    }

    /// `if c { .. } else if d { .. } else { .. }`; `else` may stand on a new line.
    fn branches(&mut self) -> Parsed<StatementKind> {
        let condition = self.expression()?;
        let mut arms = vec![(condition, self.block()?)];
        loop {
            let end = self.cursor;
            self.separators();
            if !self.cursor.take("else") {
                self.cursor = end;
                return Ok(StatementKind::If { arms, otherwise: None });
            }
            if !self.cursor.take("if") {
                let otherwise = Some(self.block()?);
                return Ok(StatementKind::If { arms, otherwise });
            }
            let condition = self.expression()?;
            arms.push((condition, self.block()?));
        }
    }

    /// An assignment, or an expression for its effects.
    fn assignment(&mut self) -> Parsed<StatementKind> {
        let begin = self.cursor;
        if !matches!(self.cursor.peek(), Token::Word("cas" | "xchg" | "trylock")) {
            let to = self.target("a statement")?;
            if self.cursor.take("=") {
                let value = self.expression()?;
                return Ok(StatementKind::Assign { to, value, order: self.order()? });
            }
        }
        self.cursor = begin;
        self.expression().map(StatementKind::Evaluate)
    }
}

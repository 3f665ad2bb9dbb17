//! Reading statements.

use super::{Parsed, Parser};
use crate::text::syntax::{Block, Counted, Expr, Statement, StatementKind};
use crate::text::token::Token;

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Parsed<Block> {
        self.deeper(|parser| {
            parser.sign("{")?;
            parser.separators();
            let mut block = Vec::new();
            while !parser.takes("}") {
                block.push(parser.statement()?);
                parser.end_of_statement()?;
            }
            Ok(block)
        })
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let at = self.at();
        let Token::Word(word) = self.token() else { return self.expected("a statement or `}`") };
        let begin = self.next;
        self.skip();
        let kind = match word {
            "fence" => {
                self.sign("@")?;
                StatementKind::Fence(self.order_name()?)
            }
            "await" => {
                let what = self.expression()?;
                let timeout = match self.takes_word("timeout") {
                    true => Some(self.name("a register")?),
                    false => None,
                };
                StatementKind::Await { what, timeout }
            }
            "assume" => StatementKind::Assume(self.expression()?),
            "assert" => {
                let first = self.next;
                let condition = self.expression()?;
                StatementKind::Assert { condition, text: self.text_of(first, self.next) }
            }
            "if" => self.branches()?,
            "while" => {
                let condition = self.expression()?;
                StatementKind::While { condition, body: self.block()? }
            }
            "loop" => StatementKind::While { condition: Expr::Number(1), body: self.block()? },
            "for" => {
                let variable = self.name("the variable of the loop")?;
                self.word("in")?;
                let from = self.expression()?;
                self.sign("..")?;
                let to = self.expression()?;
                let step = if self.takes_word("step") { Some(self.expression()?) } else { None };
                StatementKind::For(Box::new(Counted { variable, from, to, step, body: self.block()? }))
            }
            "lock" => StatementKind::Lock(self.target_in_parentheses()?),
            "unlock" => StatementKind::Unlock(self.target_in_parentheses()?),
            "free" => StatementKind::Free(self.target_in_parentheses()?),
            "spin" => StatementKind::Spin,
            "break" => StatementKind::Break,
            "continue" => StatementKind::Continue,
            "return" => {
                let alone = matches!(self.token(), Token::Separator | Token::End | Token::Sign("}"));
                StatementKind::Return(if alone { None } else { Some(self.expression()?) })
            }
            _ => {
                self.next = begin;
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
            let end = self.next;
            self.separators();
            if !self.takes_word("else") {
                self.next = end;
                return Ok(StatementKind::If { arms, otherwise: None });
            }
            if !self.takes_word("if") {
                let otherwise = Some(self.block()?);
                return Ok(StatementKind::If { arms, otherwise });
            }
            let condition = self.expression()?;
            arms.push((condition, self.block()?));
        }
    }

    /// An assignment, or an expression for its effects.
    fn assignment(&mut self) -> Parsed<StatementKind> {
        let begin = self.next;
        if !matches!(self.token(), Token::Word("cas" | "xchg" | "trylock")) {
            let to = self.target("a statement")?;
            if self.takes("=") {
                let value = self.expression()?;
                return Ok(StatementKind::Assign { to, value, order: self.order()? });
            }
        }
        self.next = begin;
        self.expression().map(StatementKind::Evaluate)
    }
}

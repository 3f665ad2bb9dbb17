//! Instructions.

use super::{Parsed, Parser};
use crate::lexer::{Symbol, Token, Word};
use crate::plan::{Condition, Effect};
use crate::syntax::{Check, Instruction, InstructionKind, Kind};

impl Parser<'_> {
    /// Instructions, as many as there are.
    pub(super) fn instructions(&mut self) -> Parsed<Vec<Instruction>> {
        let mut instructions = Vec::new();
        while let Some(instruction) = self.nested(Self::instruction)? {
            instructions.push(instruction);
        }
        Ok(instructions)
    }

    fn instruction(&mut self) -> Parsed<Option<Instruction>> {
        let at = self.position();
        let Token::Word(word) = self.peek() else { return Ok(None) };
        let kind = match word {
            Word::Let => self.let_instruction()?,
            Word::Match => self.match_instruction()?,
            Word::Acyclic | Word::Irreflexive | Word::Empty | Word::Tilde => {
                InstructionKind::Check(Effect::Require, self.check()?)
            }
            Word::Flag => self.check_with(Effect::Flag)?,
            Word::UndefinedUnless => self.check_with(Effect::UndefinedUnless)?,
            Word::Assert => self.check_with(Effect::Assert)?,
            Word::Show => self.show()?,
            Word::Unshow => {
                self.advance();
                self.name_list()?;
                InstructionKind::Ignored
            }
            Word::Include => {
                self.advance();
                InstructionKind::Include(self.string()?, None)
            }
            Word::Procedure => self.procedure()?,
            Word::Call => {
                self.advance();
                let name = self.name()?;
                let argument = self.simple()?;
                self.optional_name()?;
                InstructionKind::Call { name, argument }
            }
            Word::Debug => {
                self.advance();
                self.expression()?;
                InstructionKind::Ignored
            }
            Word::Forall => {
                self.advance();
                let variable = self.name()?;
                self.expect(Word::In)?;
                let set = self.expression()?;
                self.expect(Word::Do)?;
                let body = self.instructions()?;
                self.expect(Word::End)?;
                InstructionKind::Forall { variable, set, body }
            }
            Word::With => {
                self.advance();
                let variable = self.name()?;
                self.expect(Word::From)?;
                InstructionKind::With { variable, from: self.expression()? }
            }
            Word::If => self.if_instruction()?,
            Word::Enum => self.enumeration()?,
            Word::Instructions | Word::Default => {
                self.advance();
                self.name()?;
                self.expect(Word::OpenBracket)?;
                self.operands(Word::CloseBracket)?;
                InstructionKind::Instructions
            }
            _ => return Ok(None),
        };
        Ok(Some(Instruction { at, kind }))
    }

    fn let_instruction(&mut self) -> Parsed<InstructionKind> {
        self.advance();
        let recursive = self.skip(Word::Rec);
        let bindings = self.bindings()?;
        let when = if recursive && self.skip(Word::When) { Some(self.check()?) } else { None };
        self.skip(Word::In);
        Ok(if recursive { InstructionKind::LetRec(bindings, when) } else { InstructionKind::Let(bindings) })
    }

    fn check_with(&mut self, effect: Effect) -> Parsed<InstructionKind> {
        self.advance();
        Ok(InstructionKind::Check(effect, self.check()?))
    }

    fn check(&mut self) -> Parsed<Check> {
        let negated = self.skip(Word::Tilde);
        let condition = match self.peek() {
            Token::Word(Word::Acyclic) => Condition::Acyclic,
            Token::Word(Word::Irreflexive) => Condition::Irreflexive,
            Token::Word(Word::Empty) => Condition::Empty,
            _ => return Err(self.expected("`acyclic`, `irreflexive` or `empty`")),
        };
        self.advance();
        let expression = self.expression()?;
        Ok(Check { condition, negated, expression, name: self.optional_name()? })
    }

    fn optional_name(&mut self) -> Parsed<Option<Symbol>> {
        if self.skip(Word::As) { Ok(Some(self.name()?)) } else { Ok(None) }
    }

    /// `show a, b` or `show e as a`
    fn show(&mut self) -> Parsed<InstructionKind> {
        self.advance();
        let shown = self.nested(Self::operand)?;
        if self.is(Word::Comma) && matches!(shown.kind, Kind::Name(_)) {
            self.advance();
            self.name_list()?;
        } else if self.optional_name()?.is_none() && !matches!(shown.kind, Kind::Name(_)) {
            return Err(self.expected("`as`"));
        }
        Ok(InstructionKind::Ignored)
    }

    fn name_list(&mut self) -> Parsed<()> {
        self.name()?;
        while self.skip(Word::Comma) {
            self.name()?;
        }
        Ok(())
    }

    fn procedure(&mut self) -> Parsed<InstructionKind> {
        self.advance();
        let recursive = self.skip(Word::Rec);
        let name = self.name()?;
        let parameters = self.parameters()?;
        self.expect(Word::Equal)?;
        let body = self.instructions()?;
        self.expect(Word::End)?;
        Ok(InstructionKind::Procedure { name, recursive, parameters, body })
    }

    fn if_instruction(&mut self) -> Parsed<InstructionKind> {
        self.advance();
        let condition = self.variant()?;
        let then = self.instructions()?;
        let otherwise = if self.skip(Word::Else) { self.instructions()? } else { Vec::new() };
        self.expect(Word::End)?;
        Ok(InstructionKind::If { condition, then, otherwise })
    }

    fn match_instruction(&mut self) -> Parsed<InstructionKind> {
        self.advance();
        let subject = self.expression()?;
        self.expect(Word::With)?;
        self.skip(Word::Bars);
        let mut cases = Vec::new();
        let mut otherwise = None;
        loop {
            if self.skip(Word::Underscore) {
                self.expect(Word::Arrow)?;
                otherwise = Some(self.instructions()?);
                break;
            }
            let tag = self.tag()?;
            self.expect(Word::Arrow)?;
            cases.push((tag, self.instructions()?));
            if !self.skip(Word::Bars) {
                break;
            }
        }
        self.expect(Word::End)?;
        Ok(InstructionKind::Match { subject, cases, otherwise })
    }

    fn enumeration(&mut self) -> Parsed<InstructionKind> {
        self.advance();
        let name = self.name()?;
        self.expect(Word::Equal)?;
        self.skip(Word::Bars);
        let mut tags = vec![self.tag()?];
        while self.skip(Word::Bars) {
            tags.push(self.tag()?);
        }
        Ok(InstructionKind::Enum(name, tags))
    }
}

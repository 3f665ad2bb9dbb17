//! Instructions.

use super::{Parsed, Parser};
use crate::lexer::Symbol;
use crate::plan::{Condition, Effect};
use crate::syntax::{Check, Instruction, InstructionKind, Kind};
use crate::text::{Grammar, Token};

impl Parser<'_> {
    /// Instructions, as many as there are.
    pub(super) fn instructions(&mut self) -> Parsed<Vec<Instruction>> {
        let mut instructions = Vec::new();
        while let Some(instruction) = self.deeper(Self::instruction)? {
            instructions.push(instruction);
        }
        Ok(instructions)
    }

    fn instruction(&mut self) -> Parsed<Option<Instruction>> {
        let at = self.place();
        let (Token::Word(word) | Token::Sign(word)) = self.cursor.peek() else { return Ok(None) };
        let kind = match word {
            "let" => self.let_instruction()?,
            "match" => self.match_instruction()?,
            "acyclic" | "irreflexive" | "empty" | "~" => {
                InstructionKind::Check(Effect::Require, self.check()?)
            }
            "flag" => self.check_with(Effect::Flag)?,
            "undefined_unless" => self.check_with(Effect::UndefinedUnless)?,
            "assert" => self.check_with(Effect::Assert)?,
            "show" => self.show()?,
            "unshow" => {
                self.cursor.next();
                self.name_list()?;
                InstructionKind::Ignored
            }
            "include" => {
                self.cursor.next();
                InstructionKind::Include(self.string()?, None)
            }
            "procedure" => self.procedure()?,
            "call" => {
                self.cursor.next();
                let name = self.name()?;
                let argument = self.simple()?;
                self.optional_name()?;
                InstructionKind::Call { name, argument }
            }
            "debug" => {
                self.cursor.next();
                self.expression()?;
                InstructionKind::Ignored
            }
            "forall" => {
                self.cursor.next();
                let variable = self.name()?;
                self.cursor.expect("in")?;
                let set = self.expression()?;
                self.cursor.expect("do")?;
                let body = self.instructions()?;
                self.cursor.expect("end")?;
                InstructionKind::Forall { variable, set, body }
            }
            "with" => {
                self.cursor.next();
                let variable = self.name()?;
                self.cursor.expect("from")?;
                InstructionKind::With { variable, from: self.expression()? }
            }
            "if" => self.if_instruction()?,
            "enum" => self.enumeration()?,
            "instructions" | "default" => {
                self.cursor.next();
                self.name()?;
                self.cursor.expect("[")?;
                self.operands("]")?;
                InstructionKind::Instructions
            }
            _ => return Ok(None),
        };
        Ok(Some(Instruction { at, kind }))
    }

    fn let_instruction(&mut self) -> Parsed<InstructionKind> {
        self.cursor.next();
        let recursive = self.cursor.take("rec");
        let bindings = self.bindings()?;
        let when = if recursive && self.cursor.take("when") { Some(self.check()?) } else { None };
        self.cursor.take("in");
        Ok(if recursive { InstructionKind::LetRec(bindings, when) } else { InstructionKind::Let(bindings) })
    }

    fn check_with(&mut self, effect: Effect) -> Parsed<InstructionKind> {
        self.cursor.next();
        Ok(InstructionKind::Check(effect, self.check()?))
    }

    fn check(&mut self) -> Parsed<Check> {
        let negated = self.cursor.take("~");
        let condition = match self.cursor.peek() {
            Token::Word("acyclic") => Condition::Acyclic,
            Token::Word("irreflexive") => Condition::Irreflexive,
            Token::Word("empty") => Condition::Empty,
            _ => return Err(self.cursor.expected("`acyclic`, `irreflexive` or `empty`")),
        };
        self.cursor.next();
        let expression = self.expression()?;
        Ok(Check { condition, negated, expression, name: self.optional_name()? })
    }

    fn optional_name(&mut self) -> Parsed<Option<Symbol>> {
        if self.cursor.take("as") { Ok(Some(self.name()?)) } else { Ok(None) }
    }

    /// `show a, b` or `show e as a`
    fn show(&mut self) -> Parsed<InstructionKind> {
        self.cursor.next();
        let shown = self.deeper(Self::single)?;
        if self.cursor.is(",") && matches!(shown.kind, Kind::Name(_)) {
            self.cursor.next();
            self.name_list()?;
        } else if self.optional_name()?.is_none() && !matches!(shown.kind, Kind::Name(_)) {
            return Err(self.cursor.expected("`as`"));
        }
        Ok(InstructionKind::Ignored)
    }

    fn name_list(&mut self) -> Parsed<()> {
        self.name()?;
        while self.cursor.take(",") {
            self.name()?;
        }
        Ok(())
    }

    fn procedure(&mut self) -> Parsed<InstructionKind> {
        self.cursor.next();
        let recursive = self.cursor.take("rec");
        let name = self.name()?;
        let parameters = self.parameters()?;
        self.cursor.expect("=")?;
        let body = self.instructions()?;
        self.cursor.expect("end")?;
        Ok(InstructionKind::Procedure { name, recursive, parameters, body })
    }

    fn if_instruction(&mut self) -> Parsed<InstructionKind> {
        self.cursor.next();
        let condition = self.variant()?;
        let then = self.instructions()?;
        let otherwise = if self.cursor.take("else") { self.instructions()? } else { Vec::new() };
        self.cursor.expect("end")?;
        Ok(InstructionKind::If { condition, then, otherwise })
    }

    fn match_instruction(&mut self) -> Parsed<InstructionKind> {
        self.cursor.next();
        let subject = self.expression()?;
        self.cursor.expect("with")?;
        self.cursor.take("||");
        let mut cases = Vec::new();
        let mut otherwise = None;
        loop {
            if self.cursor.take("_") {
                self.cursor.expect("->")?;
                otherwise = Some(self.instructions()?);
                break;
            }
            let tag = self.tag()?;
            self.cursor.expect("->")?;
            cases.push((tag, self.instructions()?));
            if !self.cursor.take("||") {
                break;
            }
        }
        self.cursor.expect("end")?;
        Ok(InstructionKind::Match { subject, cases, otherwise })
    }

    fn enumeration(&mut self) -> Parsed<InstructionKind> {
        self.cursor.next();
        let name = self.name()?;
        self.cursor.expect("=")?;
        self.cursor.take("||");
        let mut tags = vec![self.tag()?];
        while self.cursor.take("||") {
            tags.push(self.tag()?);
        }
        Ok(InstructionKind::Enum(name, tags))
    }
}

//! Expressions: their value ends up on top of the stack.

use super::access::What;
use super::{Compiled, Compiler, Frame, Meaning};
use crate::text::code::Instruction;
use crate::text::error::Mistake;
use crate::text::setting::Value;
use crate::text::syntax::{Expr, Name, Operator, Target};

impl<'a> Compiler<'a> {
    pub(super) fn expression(&mut self, expression: &'a Expr) -> Compiled<()> {
        self.deeper(|compiler| compiler.value_of(expression))
    }

    fn value_of(&mut self, expression: &'a Expr) -> Compiled<()> {
        match expression {
            Expr::Number(number) => self.emit(Instruction::Push(*number))?,
            Expr::Name(target) if self.locations.contains_key(target.name.text.as_str()) => {
                return self.load(target, None);
            }
            Expr::Name(target) => return self.local(target),
            Expr::Register { thread, .. } if !self.joined => {
                let (what, place) = ("a register of another thread", "in `final` and in outcomes");
                return Err(Mistake::Misplaced { what, place }.at(thread.name.at));
            }
            Expr::Register { thread, register } => {
                let register = self.register_of(thread, register)?;
                self.emit(Instruction::Get(register))?
            }
            Expr::Load { from, order } => return self.load(from, Some(order)),
            Expr::Rmw { at, operator, operand, order } => {
                let (access, default) = self.value_access(at)?;
                let order = self.access_order(What::Rmw, order.as_ref(), default, at)?;
                self.expression(operand)?;
                self.emit_at(at.name.at, Instruction::Rmw { at: access, operator: *operator, order })?
            }
            Expr::Cas { at, expected, new, success, failure } => {
                let (access, default) = self.value_access(at)?;
                let (success, failure) = self.cas_orders(at, default, success.as_ref(), failure.as_ref())?;
                self.expression(expected)?;
                self.expression(new)?;
                self.emit_at(at.name.at, Instruction::Cas { at: access, success, failure })?
            }
            Expr::TryLock(mutex) => {
                let access = self.mutex(mutex)?;
                self.emit_at(mutex.name.at, Instruction::TryLock(access))?
            }
            Expr::Call { function, arguments } => return self.call(function, arguments),
            Expr::Not(operand) => self.unary(operand, Instruction::Not)?,
            Expr::Complement(operand) => self.unary(operand, Instruction::Complement)?,
            Expr::Negative(operand) => self.unary(operand, Instruction::Negative)?,
            Expr::Row { first, rest } => return self.row(first, rest),
        };
        Ok(())
    }

    fn unary(&mut self, operand: &'a Expr, instruction: Instruction) -> Compiled<u32> {
        self.expression(operand)?;
        self.emit(instruction)
    }

    fn load(&mut self, from: &'a Target, order: Option<&'a Name>) -> Compiled<()> {
        if self.frames.is_empty() {
            return self.final_value(from, order);
        }
        let (at, default) = self.value_access(from)?;
        let order = self.access_order(What::Load, order, default, from)?;
        self.emit_at(from.name.at, Instruction::Load { at, order })?;
        Ok(())
    }

    /// A register, a constant or a parameter.
    fn local(&mut self, target: &'a Target) -> Compiled<()> {
        let Name { text, at } = &target.name;
        if target.index.is_some() {
            let (is, wanted) = ("no array", "an array");
            return Err(Mistake::WrongKind { name: text.clone(), is, wanted }.at(*at));
        }
        let meaning = self.frames.last().and_then(|frame| frame.names.get(text.as_str()).copied());
        let instruction = match (meaning, self.constants.get(text.as_str())) {
            (Some(Meaning::Register(register)), _) => Instruction::Get(register),
            (Some(Meaning::Constant(value)), _) => Instruction::Push(value),
            (None, Some(&Value::Number(value))) => Instruction::Push(value),
            _ if self.joined && self.frames.len() < 2 => Instruction::Get(self.register_named(&target.name)?),
            _ => return Err(unknown(&target.name)),
        };
        self.emit(instruction)?;
        Ok(())
    }

    /// A function, written out.
    fn call(&mut self, name: &'a Name, arguments: &'a [Expr]) -> Compiled<()> {
        let Some(&function) = self.functions.get(name.text.as_str()) else {
            let hint = "functions are declared with `fn`";
            return Err(Mistake::Unknown { name: name.text.clone(), hint }.at(name.at));
        };
        if self.frames.is_empty() {
            let (what, place) = ("a function", "in threads, `main` and `final`");
            return Err(Mistake::Misplaced { what, place }.at(name.at));
        }
        let (wanted, given) = (function.parameters.len(), arguments.len());
        if wanted != given {
            return Err(Mistake::Arguments { name: name.text.clone(), wanted, given }.at(name.at));
        }
        if self.frames.iter().any(|frame| frame.function == Some(name.text.as_str())) {
            return Err(Mistake::Recursion(name.text.clone()).at(name.at));
        }
        for argument in arguments {
            self.expression(argument)?;
        }
        let mut frame = Frame { function: Some(&function.name.text), ..Frame::default() };
        for parameter in function.parameters.iter().rev() {
            let register = self.new_register();
            frame.names.insert(self.new_local(parameter)?, Meaning::Register(register));
            self.emit(Instruction::Set(register))?;
        }
        let at = self.at;
        self.frames.push(frame);
        self.block(&function.body)?;
        self.emit(Instruction::Push(0))?;
        let returns = self.frames.pop().map(|frame| frame.returns).unwrap_or_default();
        self.land(&returns);
        self.at = at;
        Ok(())
    }

    /// Operators of one precedence, from left to right.
    fn row(&mut self, first: &'a Expr, rest: &'a [(Operator, Expr)]) -> Compiled<()> {
        self.expression(first)?;
        for (operator, right) in rest {
            match operator {
                Operator::And => {
                    let skip = self.emit(Instruction::JumpIfZero(0))?;
                    self.truth(right)?;
                    let end = self.emit(Instruction::Jump(0))?;
                    self.land(&[skip]);
                    self.emit(Instruction::Push(0))?;
                    self.land(&[end]);
                }
                Operator::Or => {
                    let go_on = self.emit(Instruction::JumpIfZero(0))?;
                    self.emit(Instruction::Push(1))?;
                    let end = self.emit(Instruction::Jump(0))?;
                    self.land(&[go_on]);
                    self.truth(right)?;
                    self.land(&[end]);
                }
                operator => {
                    self.expression(right)?;
                    self.emit(Instruction::Binary(*operator))?;
                }
            }
        }
        Ok(())
    }

    /// 1 if the value is not 0.
    fn truth(&mut self, expression: &'a Expr) -> Compiled<()> {
        self.expression(expression)?;
        self.emit(Instruction::Push(0))?;
        self.emit(Instruction::Binary(Operator::NotEqual))?;
        Ok(())
    }
}

pub(super) fn unknown(name: &Name) -> crate::text::TextError {
    let hint = "registers are assigned before they are read, locations and constants are declared";
    Mistake::Unknown { name: name.text.clone(), hint }.at(name.at)
}

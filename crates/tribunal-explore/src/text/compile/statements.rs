//! Statements: the stack is the same before and behind them.

use super::access::What;
use super::{Compiled, Compiler, Loop, Meaning};
use crate::text::code::{Address, Instruction, Register};
use crate::text::error::Mistake;
use crate::text::syntax::{Block, Counted, Expr, Name, Operator, Statement, StatementKind, Target};
use tribunal_cat::text::Position;

impl<'a> Compiler<'a> {
    pub(super) fn block(&mut self, block: &'a Block) -> Compiled<()> {
        self.deeper(|compiler| block.iter().try_for_each(|statement| compiler.statement(statement)))
    }

    fn statement(&mut self, Statement { at, kind }: &'a Statement) -> Compiled<()> {
        self.at = *at;
        match kind {
            StatementKind::Assign { to, value, order } => self.assign(to, value, order.as_ref())?,
            StatementKind::Evaluate(expression) => {
                self.expression(expression)?;
                self.emit(Instruction::Pop)?;
            }
            StatementKind::Fence(order) => {
                if let Some(order) = self.fence_order(order)? {
                    self.emit(Instruction::Fence(order))?;
                }
            }
            StatementKind::Await { what, timeout } => {
                self.wait(what, timeout.is_some(), *at)?;
                match timeout {
                    Some(name) => {
                        let register = self.register(name, true)?;
                        self.emit(Instruction::Set(register))?;
                    }
                    None => _ = self.emit(Instruction::Pop)?,
                }
            }
            StatementKind::Assume(condition) => {
                self.expression(condition)?;
                self.emit(Instruction::Assume)?;
            }
            StatementKind::Assert { condition, text } => {
                self.expression(condition)?;
                self.code.texts.push(text.clone());
                self.emit(Instruction::Assert(self.code.texts.len() as u32 - 1))?;
            }
            StatementKind::If { arms, otherwise } => self.branches(arms, otherwise.as_ref())?,
            StatementKind::While { condition, body } => self.repeat(condition, body)?,
            StatementKind::For(counted) => self.count(counted)?,
            StatementKind::Lock(mutex) => {
                let access = self.mutex(mutex)?;
                self.emit(Instruction::Lock(access))?;
                self.emit(Instruction::Pop)?;
            }
            StatementKind::Unlock(mutex) => {
                let access = self.mutex(mutex)?;
                self.emit(Instruction::Unlock(access))?;
            }
            StatementKind::Free(target) => {
                let (access, _) = self.value_access(target)?;
                self.code.frees = true;
                self.emit(Instruction::Free(access))?;
            }
            StatementKind::Spin => _ = self.emit(Instruction::Yield)?,
            StatementKind::Break => {
                let jump = self.emit(Instruction::Jump(0))?;
                self.innermost("`break`", *at)?.breaks.push(jump);
            }
            StatementKind::Continue => {
                let jump = self.emit(Instruction::Jump(0))?;
                self.innermost("`continue`", *at)?.continues.push(jump);
            }
            StatementKind::Return(value) => self.leave(value.as_ref(), *at)?,
        }
        Ok(())
    }

    fn assign(&mut self, to: &'a Target, value: &'a Expr, order: Option<&'a Name>) -> Compiled<()> {
        if self.locations.contains_key(to.name.text.as_str()) {
            let (at, default) = self.value_access(to)?;
            let order = self.access_order(What::Store, order, default, to)?;
            self.expression(value)?;
            self.emit_at(to.name.at, Instruction::Store { at, order })?;
            return Ok(());
        }
        if order.is_some() || to.index.is_some() {
            let hint = "locations are declared with `atomic`, `plain` or `mutex`, registers have neither order nor index";
            return Err(Mistake::Unknown { name: to.name.text.clone(), hint }.at(to.name.at));
        }
        self.expression(value)?;
        let register = self.register(&to.name, true)?;
        self.emit(Instruction::Set(register))?;
        Ok(())
    }

    /// The register of this name, new or not.
    fn register(&mut self, name: &'a Name, shown: bool) -> Compiled<Register> {
        let text = self.new_local(name)?;
        match self.frame().names.get(text) {
            Some(&Meaning::Register(register)) => Ok(register),
            Some(Meaning::Constant(_)) => {
                let (is, wanted) = ("the parameter of the thread", "a register");
                Err(Mistake::WrongKind { name: text.into(), is, wanted }.at(name.at))
            }
            None => {
                let register = self.new_register();
                let frame = self.frame();
                frame.names.insert(text, Meaning::Register(register));
                if shown {
                    frame.shown.push((text, register));
                }
                Ok(register)
            }
        }
    }

    /// A name that may be a register or a parameter.
    pub(super) fn new_local(&self, name: &'a Name) -> Compiled<&'a str> {
        let text = name.text.as_str();
        let is = if self.constants.contains_key(text) {
            "a constant"
        } else if self.locations.contains_key(text) {
            "a location"
        } else {
            return Ok(text);
        };
        Err(Mistake::WrongKind { name: text.into(), is, wanted: "a register or a parameter" }.at(name.at))
    }

    /// Waits for a comparison of one load with what has no effects, or for a cas. Leaves a value on the stack: if it may time out, whether it did.
    fn wait(&mut self, what: &'a Expr, timed: bool, at: Position) -> Compiled<()> {
        if let Expr::Cas { at: target, expected, new, success, failure: None } = what {
            let (access, default) = self.value_access(target)?;
            let order = self.access_order(What::Rmw, success.as_ref(), default, target)?;
            self.expression(expected)?;
            self.expression(new)?;
            self.emit_at(target.name.at, Instruction::AwaitCas { at: access, order, timed })?;
            return Ok(());
        }
        let Expr::Row { first, rest } = what else { return Err(Mistake::BadAwait.at(at)) };
        let [(operator, second)] = rest.as_slice() else { return Err(Mistake::BadAwait.at(at)) };
        let Some(turned) = turned(*operator) else { return Err(Mistake::BadAwait.at(at)) };
        let (target, order, operator, operand) = match (self.as_load(first), self.as_load(second)) {
            (Some((target, order)), None) => (target, order, *operator, second),
            (None, Some((target, order))) => (target, order, turned, &**first),
            _ => return Err(Mistake::BadAwait.at(at)),
        };
        if !self.is_pure(operand) {
            return Err(Mistake::BadAwait.at(at));
        }
        let (access, default) = self.value_access(target)?;
        let order = self.access_order(What::Load, order, default, target)?;
        self.expression(operand)?;
        self.emit_at(target.name.at, Instruction::Await { at: access, operator, order, timed })?;
        Ok(())
    }

    /// The location and the order of an expression that is a load.
    fn as_load(&self, expression: &'a Expr) -> Option<(&'a Target, Option<&'a Name>)> {
        match expression {
            Expr::Load { from, order } => Some((from, Some(order))),
            Expr::Name(target) if self.locations.contains_key(target.name.text.as_str()) => {
                Some((target, None))
            }
            _ => None,
        }
    }

    /// Whether an expression has no access.
    fn is_pure(&self, expression: &'a Expr) -> bool {
        match expression {
            Expr::Number(_) | Expr::Register { .. } => true,
            Expr::Name(_) => self.as_load(expression).is_none(),
            Expr::Load { .. }
            | Expr::Rmw { .. }
            | Expr::Cas { .. }
            | Expr::TryLock(_)
            | Expr::Call { .. } => false,
            Expr::Not(operand) | Expr::Complement(operand) | Expr::Negative(operand) => self.is_pure(operand),
            Expr::Row { first, rest } => {
                self.is_pure(first) && rest.iter().all(|(_, operand)| self.is_pure(operand))
            }
        }
    }

    fn branches(&mut self, arms: &'a [(Expr, Block)], otherwise: Option<&'a Block>) -> Compiled<()> {
        let mut ends = Vec::new();
        for (condition, block) in arms {
            self.expression(condition)?;
            let skip = self.emit(Instruction::JumpIfZero(0))?;
            self.block(block)?;
            ends.push(self.emit(Instruction::Jump(0))?);
            self.land(&[skip]);
        }
        if let Some(block) = otherwise {
            self.block(block)?;
        }
        self.land(&ends);
        Ok(())
    }

    /// A loop whose body is empty waits: each round ends with `spin`.
    fn repeat(&mut self, condition: &'a Expr, body: &'a Block) -> Compiled<()> {
        let begin = self.next();
        self.expression(condition)?;
        let out = self.emit(Instruction::JumpIfZero(0))?;
        if body.is_empty() {
            self.emit(Instruction::Yield)?;
        }
        let rounds = self.rounds(body)?;
        self.land_at(&rounds.continues, begin);
        self.emit(Instruction::Jump(begin))?;
        self.land(&[out]);
        self.land(&rounds.breaks);
        Ok(())
    }

    /// A loop that counts; its bounds are computed once.
    fn count(&mut self, counted: &'a Counted) -> Compiled<()> {
        let Counted { variable, from, to, step, body } = counted;
        let [end, stride] = [self.new_register(), self.new_register()];
        self.expression(from)?;
        self.expression(to)?;
        self.emit(Instruction::Set(end))?;
        match step {
            Some(step) => self.expression(step)?,
            None => _ = self.emit(Instruction::Push(1))?,
        }
        self.emit(Instruction::Set(stride))?;
        let counter = self.register(variable, false)?;
        self.emit(Instruction::Set(counter))?;
        let begin = self.next();
        for instruction in
            [Instruction::Get(counter), Instruction::Get(end), Instruction::Binary(Operator::Less)]
        {
            self.emit(instruction)?;
        }
        let out = self.emit(Instruction::JumpIfZero(0))?;
        let rounds = self.rounds(body)?;
        self.land(&rounds.continues);
        for instruction in [
            Instruction::Get(counter),
            Instruction::Get(stride),
            Instruction::Binary(Operator::Add),
            Instruction::Set(counter),
            Instruction::Jump(begin),
        ] {
            self.emit(instruction)?;
        }
        self.land(&[out]);
        self.land(&rounds.breaks);
        Ok(())
    }

    /// The body of a loop, and the jumps out of it.
    fn rounds(&mut self, body: &'a Block) -> Compiled<Loop> {
        self.frame().loops.push(Loop::default());
        self.block(body)?;
        Ok(self.frame().loops.pop().unwrap_or_default())
    }

    fn innermost(&mut self, what: &'static str, at: Position) -> Compiled<&mut Loop> {
        let place = "in a loop";
        self.frame().loops.last_mut().ok_or_else(|| Mistake::Misplaced { what, place }.at(at))
    }

    /// Leaves a function with a value, or a thread.
    fn leave(&mut self, value: Option<&'a Expr>, at: Position) -> Compiled<()> {
        let in_function = self.frame().function.is_some();
        match value {
            Some(value) if in_function => self.expression(value)?,
            Some(_) => {
                let (what, place) = ("`return` with a value", "in a function");
                return Err(Mistake::Misplaced { what, place }.at(at));
            }
            None if in_function => _ = self.emit(Instruction::Push(0))?,
            None => {}
        }
        let jump: Address = self.emit(Instruction::Jump(0))?;
        self.frame().returns.push(jump);
        Ok(())
    }
}

/// The comparison with its sides exchanged.
fn turned(operator: Operator) -> Option<Operator> {
    Some(match operator {
        Operator::Equal | Operator::NotEqual => operator,
        Operator::Less => Operator::Greater,
        Operator::AtMost => Operator::AtLeast,
        Operator::Greater => Operator::Less,
        Operator::AtLeast => Operator::AtMost,
        _ => return None,
    })
}

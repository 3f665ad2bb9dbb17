//! Instructions.

use super::scope::Scope;
use super::value::{ProcedureId, Value};
use super::{Elaborator, Evaluated, Procedure};
use crate::error::{Fault, Problem};
use crate::lexer::Symbol;
use crate::plan::{Check, Condition, Effect, Type};
use crate::source::Place;
use crate::syntax::{self, Expression, Instruction, InstructionKind, Pattern};

impl<'m> Elaborator<'m> {
    /// Instructions one after the other; the names after the last.
    pub(super) fn run(&mut self, instructions: &'m [Instruction], scope: Scope) -> Evaluated<Scope> {
        let mut scope = scope;
        for instruction in instructions {
            self.step(instruction.at)?;
            scope = self.run_one(instruction, scope)?;
        }
        Ok(scope)
    }

    fn run_one(&mut self, instruction: &'m Instruction, scope: Scope) -> Evaluated<Scope> {
        let at = instruction.at;
        match &instruction.kind {
            InstructionKind::Let(bindings) => self.let_all(bindings, &scope),
            InstructionKind::LetRec(bindings, when) => {
                let scope = self.let_rec(bindings, &scope, at)?;
                if let Some(check) = when {
                    self.check(Effect::Require, check, &scope, at)?;
                }
                Ok(scope)
            }
            InstructionKind::Check(effect, check) => {
                self.check(*effect, check, &scope, at)?;
                Ok(scope)
            }
            InstructionKind::Include(name, None) => Err(Fault::new(at, Problem::NoFile(name.clone()))),
            InstructionKind::Include(_, Some(file)) => {
                let model = self.model;
                self.deeper(at, |this| this.run(&model.tree(*file).instructions, scope))
            }
            InstructionKind::Procedure { name, recursive, parameters, body } => {
                Ok(self.procedure(*name, *recursive, parameters, body, scope))
            }
            InstructionKind::Call { name, argument } => {
                self.call(*name, argument, &scope, at)?;
                Ok(scope)
            }
            InstructionKind::Forall { variable, set, body } => {
                self.forall(*variable, set, body, &scope)?;
                Ok(scope)
            }
            InstructionKind::With { variable, from } => self.with(*variable, from, scope, at),
            InstructionKind::If { condition, then, otherwise } => {
                let body = if self.variant(condition) { then } else { otherwise };
                self.deeper(at, |this| this.run(body, scope))
            }
            InstructionKind::Match { subject, cases, otherwise } => {
                let tag = self.eval_tag(subject, &scope)?;
                let case = cases.iter().find(|(case, _)| *case == tag).map(|(_, body)| body);
                let body = case.or(otherwise.as_ref()).ok_or_else(|| self.no_case(tag, at))?;
                self.deeper(at, |this| this.run(body, scope))
            }
            InstructionKind::Enum(name, tags) => {
                self.tags.extend(tags);
                let tags = tags.iter().map(|&tag| Value::Tag(tag)).collect();
                Ok(scope.with(*name, Ok(self.set_of(tags, at)?)))
            }
            InstructionKind::Instructions | InstructionKind::Ignored => Ok(scope),
        }
    }

    fn check(&mut self, effect: Effect, check: &'m syntax::Check, scope: &Scope, at: Place) -> Evaluated<()> {
        let value = self.eval(&check.expression, scope)?;
        let relation = self.typed(&value, Type::Relation);
        let node = match (relation, check.condition) {
            (None, Condition::Empty) => self.typed(&value, Type::Set),
            (relation, _) => relation,
        };
        let node = node.ok_or_else(|| {
            let expected = match check.condition {
                Condition::Empty => "a set or a relation",
                _ => "a relation",
            };
            self.mismatch(check.expression.at, expected, &value)
        })?;
        self.add_check(effect, check.condition, check.negated, node, check.name, at);
        Ok(())
    }

    fn add_check(
        &mut self,
        effect: Effect,
        condition: Condition,
        negated: bool,
        node: crate::plan::NodeId,
        name: Option<Symbol>,
        at: Place,
    ) {
        let source = self.model.sources.file(at);
        let check = Check {
            effect,
            condition,
            negated,
            node,
            name: name.map(|name| self.text(name).to_owned()),
            line: at.at.line,
            file: source.path.clone(),
        };
        self.graph.plan.checks.push(check);
    }

    fn procedure(
        &mut self,
        name: Symbol,
        recursive: bool,
        parameters: &'m Pattern,
        body: &'m [Instruction],
        scope: Scope,
    ) -> Scope {
        let id = ProcedureId(self.procedures.len() as u32);
        let after = scope.with(name, Ok(Value::Procedure(id)));
        let scope = if recursive { after.clone() } else { scope };
        self.procedures.push(Procedure { parameters, body, scope });
        after
    }

    /// Names that a procedure defines are its own; its checks count.
    fn call(&mut self, name: Symbol, argument: &'m Expression, scope: &Scope, at: Place) -> Evaluated<()> {
        let Value::Procedure(ProcedureId(id)) = self.lookup(name, at, scope)? else {
            return Err(Fault::new(at, Problem::Failed(format!("`{}` is not a procedure", self.text(name)))));
        };
        let argument_at = argument.at;
        let argument = self.eval(argument, scope)?;
        let Procedure { parameters, body, scope } = &self.procedures[id as usize];
        let (parameters, body, scope) = (*parameters, *body, scope.clone());
        let inner = self.bind_arguments(scope, parameters, argument, argument_at)?;
        self.deeper(at, |this| this.run(body, inner))?;
        Ok(())
    }

    fn forall(
        &mut self,
        variable: Symbol,
        set: &'m Expression,
        body: &'m [Instruction],
        scope: &Scope,
    ) -> Evaluated<()> {
        let value = self.eval(set, scope)?;
        let elements: Vec<Value> = match self.listed(value, set.at)? {
            Value::Set(list) => list.items().to_vec(),
            Value::Events(list) => list.items().iter().map(|&event| Value::Event(event)).collect(),
            Value::Pairs(list) => list.items().iter().map(|&(a, b)| Value::Pair(a, b)).collect(),
            _ => Vec::new(),
        };
        for element in elements {
            self.step(set.at)?;
            let inner = scope.with(variable, Ok(element));
            self.deeper(set.at, |this| this.run(body, inner))?;
        }
        Ok(())
    }

    /// One order of many is chosen; of one, that one; of none, no execution is of the model.
    fn with(&mut self, variable: Symbol, from: &'m Expression, scope: Scope, at: Place) -> Evaluated<Scope> {
        let value = self.eval(from, &scope)?;
        let text = self.text(variable);
        let chosen = match &value {
            Value::Orders(orders) => Value::Node(self.graph.choice(text, *orders)),
            Value::Set(list) => match list.items() {
                [] => return Ok(self.refuse(scope, variable, at)),
                [one] => one.clone(),
                many => {
                    let message = format!("choosing `{text}` among {} values that are listed", many.len());
                    return Err(Fault::new(from.at, Problem::NotSupported(message)));
                }
            },
            Value::Empty => return Ok(self.refuse(scope, variable, at)),
            other => return Err(self.mismatch(from.at, "a set of orders", other)),
        };
        Ok(scope.with(variable, Ok(chosen)))
    }

    /// No execution is of the model: there is nothing in nothing.
    fn refuse(&mut self, scope: Scope, variable: Symbol, at: Place) -> Scope {
        let nothing = self.graph.empty(Type::Relation);
        self.add_check(Effect::Require, Condition::Empty, true, nothing, Some(variable), at);
        scope.with(variable, Ok(Value::Empty))
    }
}

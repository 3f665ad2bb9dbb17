//! Expressions.

use super::scope::Scope;
use super::value::{FunctionId, List, Value};
use super::{Closure, Elaborator, Evaluated, NESTING};
use crate::error::{Fault, Problem};
use crate::lexer::Symbol;
use crate::plan::Type;
use crate::source::Place;
use crate::syntax::{Binding, Chain, Element, Expression, Function, Kind, Test, Variant};

/// What an expression comes to: a value, or that of another expression.
enum Next<'m> {
    Value(Value),
    Tail(&'m Expression, Scope),
}

impl<'m> Elaborator<'m> {
    pub(super) fn eval(&mut self, expression: &'m Expression, scope: &Scope) -> Evaluated<Value> {
        let at = expression.at;
        self.step(at)?;
        match &expression.kind {
            Kind::Name(name) => self.lookup(*name, at, scope),
            Kind::Tag(tag) if self.tags.contains(tag) => Ok(Value::Tag(*tag)),
            Kind::Tag(tag) => self.no_tag(*tag, at),
            Kind::Zero => Ok(Value::Node(self.graph.empty(Type::Relation))),
            Kind::Universe => Ok(Value::Universe),
            Kind::Function(function) => Ok(self.closure(function, scope)),
            _ => self.deeper(at, |this| {
                let mut next = this.eval_compound(expression, scope)?;
                loop {
                    match next {
                        Next::Value(value) => return Ok(value),
                        Next::Tail(expression, scope) => {
                            this.step(expression.at)?;
                            next = this.eval_compound(expression, &scope)?;
                        }
                    }
                }
            }),
        }
    }

    fn no_tag(&self, tag: Symbol, at: Place) -> Evaluated<Value> {
        let name = format!("'{}", self.text(tag));
        Err(Fault::new(at, Problem::Unbound { name, nearest: None }))
    }

    /// Expressions with others inside. Each kind has a function of its own, so that frames of the stack stay small.
    fn eval_compound(&mut self, expression: &'m Expression, scope: &Scope) -> Evaluated<Next<'m>> {
        let at = expression.at;
        let tail = |expression: &'m Expression| Ok(Next::Tail(expression, scope.clone()));
        let value = match &expression.kind {
            Kind::Apply(function, argument) => return self.eval_apply(function, argument, scope, at),
            Kind::Let { recursive, bindings, body } => {
                let inner = match recursive {
                    true => self.let_rec(bindings, scope, at)?,
                    false => self.let_all(bindings, scope)?,
                };
                return Ok(Next::Tail(body, inner));
            }
            Kind::Try(tried, otherwise) => match self.eval_try(tried, scope)? {
                Some(value) => value,
                None => return tail(otherwise),
            },
            Kind::If(test, then, otherwise) => {
                let holds = self.test(test, scope, at)?;
                return tail(if holds { then } else { otherwise });
            }
            Kind::MatchTag { subject, cases, otherwise } => {
                let tag = self.eval_tag(subject, scope)?;
                let case = cases.iter().find(|(case, _)| *case == tag).map(|(_, body)| body);
                return tail(case.or(otherwise.as_deref()).ok_or_else(|| self.no_case(tag, at))?);
            }
            Kind::MatchSet { subject, empty, some } => {
                return match self.eval_match(subject, some, scope)? {
                    Some(inner) => Ok(Next::Tail(&some.body, inner)),
                    None => tail(empty),
                };
            }
            Kind::Braces(elements) => self.eval_braces(elements, scope, at)?,
            Kind::Tuple(parts) => self.eval_tuple(parts, scope, at)?,
            Kind::Unary(operator, inner) => {
                let value = self.eval(inner, scope)?;
                self.unary(*operator, value, inner.at)?
            }
            Kind::Chain(chain, operands) => self.eval_chain(*chain, operands, scope)?,
            Kind::Product(left, right) => self.eval_product(left, right, scope)?,
            Kind::Name(_) | Kind::Tag(_) | Kind::Zero | Kind::Universe | Kind::Function(_) => {
                self.eval(expression, scope)?
            }
        };
        Ok(Next::Value(value))
    }

    pub(super) fn closure(&mut self, function: &'m Function, scope: &Scope) -> Value {
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(Closure { function, scope: scope.clone() });
        Value::Function(id)
    }

    fn eval_apply(
        &mut self,
        function: &'m Expression,
        argument: &'m Expression,
        scope: &Scope,
        at: Place,
    ) -> Evaluated<Next<'m>> {
        let called = self.eval(function, scope)?;
        let argument = self.eval(argument, scope)?;
        match called {
            Value::Function(FunctionId(id)) => {
                let Closure { function, scope } = &self.functions[id as usize];
                let (function, scope) = (*function, scope.clone());
                let inner = self.bind_arguments(scope, &function.parameters, argument, at)?;
                Ok(Next::Tail(&function.body, inner))
            }
            Value::Primitive(primitive) => self.apply_primitive(primitive, argument, at).map(Next::Value),
            _ => Err(self.mismatch(at, "a function", &called)),
        }
    }

    /// Gives arguments to parameters; too many or too few are an error of the call.
    pub(super) fn bind_arguments(
        &mut self,
        scope: Scope,
        parameters: &crate::syntax::Pattern,
        argument: Value,
        at: Place,
    ) -> Evaluated<Scope> {
        if let crate::syntax::Pattern::Tuple(names) = parameters {
            self.parts(&argument, names.len(), at)?;
        }
        self.bind(scope, parameters, Ok(argument), at)
    }

    /// Definitions that do not see each other.
    pub(super) fn let_all(&mut self, bindings: &'m [Binding], scope: &Scope) -> Evaluated<Scope> {
        let mut inner = scope.clone();
        for binding in bindings {
            let value = self.eval(&binding.value, scope);
            if let (crate::syntax::Pattern::One(Some(name)), Ok(Value::Node(node))) =
                (&binding.pattern, &value)
            {
                self.graph.name(*node, self.model.names.text(*name));
            }
            inner = self.bind(inner, &binding.pattern, value, binding.at)?;
        }
        Ok(inner)
    }

    fn eval_braces(&mut self, elements: &'m [Expression], scope: &Scope, at: Place) -> Evaluated<Value> {
        let mut values: Vec<Value> = Vec::with_capacity(elements.len());
        for element in elements {
            let value = self.eval(element, scope)?;
            if value == Value::Universe {
                return Err(self.mismatch(element.at, "an element", &value));
            }
            if !values.contains(&value) {
                values.push(value);
            }
        }
        self.set_of(values, at)
    }

    fn eval_tuple(&mut self, parts: &'m [Expression], scope: &Scope, at: Place) -> Evaluated<Value> {
        let parts = parts.iter().map(|part| self.eval(part, scope)).collect::<Evaluated<Vec<Value>>>()?;
        self.shallow(Value::Tuple(parts.into()), at)
    }

    /// The same value, unless it nests too deep.
    pub(super) fn shallow(&self, value: Value, at: Place) -> Evaluated<Value> {
        if value.depth() > NESTING {
            return Err(Fault::new(at, Problem::Depth(NESTING)));
        }
        Ok(value)
    }

    fn eval_chain(&mut self, chain: Chain, operands: &'m [Expression], scope: &Scope) -> Evaluated<Value> {
        let mut values = Vec::with_capacity(operands.len());
        for operand in operands {
            values.push((self.eval(operand, scope)?, operand.at));
        }
        self.chain(chain, values)
    }

    fn eval_product(
        &mut self,
        left: &'m Expression,
        right: &'m Expression,
        scope: &Scope,
    ) -> Evaluated<Value> {
        let from = self.eval(left, scope)?;
        let from = self.set(&from, left.at)?;
        let to = self.eval(right, scope)?;
        let to = self.set(&to, right.at)?;
        Ok(Value::Node(self.graph.product(from, to)))
    }

    /// The value, if it is not an error.
    fn eval_try(&mut self, tried: &'m Expression, scope: &Scope) -> Evaluated<Option<Value>> {
        let silent = std::mem::replace(&mut self.silent, true);
        let (depth, result) = (self.depth, self.eval(tried, scope));
        self.silent = silent;
        self.depth = depth;
        match result {
            Ok(value) => Ok(Some(value)),
            Err(fault) if fault.problem.is_limit() => Err(fault),
            Err(_) => Ok(None),
        }
    }

    pub(super) fn eval_tag(&mut self, subject: &'m Expression, scope: &Scope) -> Evaluated<Symbol> {
        match self.eval(subject, scope)? {
            Value::Tag(tag) => Ok(tag),
            other => Err(self.mismatch(subject.at, "a tag", &other)),
        }
    }

    pub(super) fn no_case(&self, tag: Symbol, at: Place) -> Box<Fault> {
        Fault::new(at, Problem::Failed(format!("no case for '{}", self.text(tag))))
    }

    /// The names of the case of a set with an element; none where there is no element.
    fn eval_match(
        &mut self,
        subject: &'m Expression,
        some: &'m Element,
        scope: &Scope,
    ) -> Evaluated<Option<Scope>> {
        let value = self.eval(subject, scope)?;
        let listed = self.listed(value, subject.at)?;
        let (element, rest) = match &listed {
            Value::Set(list) => (list.items().first().cloned(), Value::Set(list.rest())),
            Value::Events(list) => {
                (list.items().first().map(|&e| Value::Event(e)), Value::Events(list.rest()))
            }
            Value::Pairs(list) => {
                (list.items().first().map(|&(a, b)| Value::Pair(a, b)), Value::Pairs(list.rest()))
            }
            _ => (None, Value::Empty),
        };
        let Some(element) = element else { return Ok(None) };
        let mut inner = scope.clone();
        let mut bind = |name: Option<Symbol>, value: Value| {
            if let Some(name) = name {
                inner = inner.with(name, Ok(value));
            }
        };
        // The element is the first: before it there is nothing.
        bind(some.before.flatten(), Value::Empty);
        bind(some.element, element);
        bind(some.rest, rest);
        Ok(Some(inner))
    }

    /// A set or relation as a list of what is in it; `Empty` where there is nothing.
    pub(super) fn listed(&mut self, value: Value, at: Place) -> Evaluated<Value> {
        let unknown = |what: &str| {
            let message = format!(
                "going through {what} without an execution, or that depends on orders that are chosen,"
            );
            Fault::new(at, Problem::NotSupported(message))
        };
        match value {
            Value::Empty | Value::Set(_) | Value::Events(_) | Value::Pairs(_) => Ok(value),
            Value::Tag(_) => Ok(Value::Set(List::new(vec![value]))),
            Value::Event(event) => Ok(Value::Events(List::new(vec![event]))),
            Value::Pair(a, b) => Ok(Value::Pairs(List::new(vec![(a, b)]))),
            Value::Universe => {
                let contents = self.contents.ok_or_else(|| unknown("all events"))?;
                Ok(Value::Events(List::new((0..contents.events()).collect())))
            }
            Value::Node(node) if self.graph.is_empty(node) => Ok(Value::Empty),
            Value::Node(node) => match self.graph.ty(node) {
                Type::Set => {
                    let events = self.contents.and_then(|c| self.events_of(c, node));
                    Ok(Value::Events(List::new(events.ok_or_else(|| unknown("a set"))?)))
                }
                Type::Relation => {
                    let pairs = self.contents.and_then(|c| c.relation(&self.graph.plan, node));
                    Ok(Value::Pairs(List::new(pairs.ok_or_else(|| unknown("a relation"))?)))
                }
            },
            Value::Orders(_) => Err(unknown("orders")),
            other => Err(self.mismatch(at, "a set", &other)),
        }
    }

    fn test(&mut self, test: &'m Test, scope: &Scope, at: Place) -> Evaluated<bool> {
        let (left, right) = match test {
            Test::Variant(variant) => return Ok(self.variant(variant)),
            Test::Equal(left, right) | Test::Subset(left, right) | Test::Member(left, right) => (left, right),
        };
        let (a, b) = (self.eval(left, scope)?, self.eval(right, scope)?);
        self.compare(test, a, b, at)
    }

    pub(super) fn variant(&self, variant: &Variant) -> bool {
        match variant {
            Variant::Is(name) => self.environment.has_variant(name),
            Variant::Not(inner) => !self.variant(inner),
            Variant::All(parts) => parts.iter().all(|part| self.variant(part)),
            Variant::Any(parts) => parts.iter().any(|part| self.variant(part)),
        }
    }
}

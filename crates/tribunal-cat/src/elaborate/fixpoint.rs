//! `let rec`.

use super::scope::Scope;
use super::value::{FunctionId, Value};
use super::{Elaborator, Evaluated};
use crate::error::{Fault, Problem};
use crate::lexer::Symbol;
use crate::plan::{FixpointId, NodeId, Op, Type};
use crate::source::Place;
use crate::syntax::{Binding, Function, Kind, Pattern};

/// A function of a `let rec`, and its name.
type Named<'m> = (Symbol, &'m Function);

impl<'m> Elaborator<'m> {
    /// Definitions that see themselves and each other: functions, or sets and relations, of which the least are meant.
    pub(super) fn let_rec(&mut self, bindings: &'m [Binding], scope: &Scope, at: Place) -> Evaluated<Scope> {
        let mut functions: Vec<Named<'m>> = Vec::new();
        let mut values = Vec::new();
        for binding in bindings {
            match (&binding.pattern, &binding.value.kind) {
                (Pattern::One(Some(name)), Kind::Function(function)) => functions.push((*name, function)),
                (Pattern::One(None), _) => {}
                (Pattern::One(Some(name)), _) => values.push((*name, binding)),
                (Pattern::Tuple(_), _) => {
                    let message = "a recursive definition of a tuple".to_owned();
                    return Err(Fault::new(binding.at, Problem::NotSupported(message)));
                }
            }
        }
        if values.is_empty() {
            return Ok(self.bind_functions(scope.clone(), &functions));
        }
        let kinds = self.kinds(&values, &functions, scope, at)?;
        let mut inner = scope.clone();
        let mut types = Vec::with_capacity(values.len());
        let mut typed = Vec::with_capacity(values.len());
        for (value, kind) in values.into_iter().zip(kinds) {
            match kind {
                Value::Node(node) => {
                    types.push(self.graph.ty(node));
                    typed.push(value);
                }
                // Nothing says whether it is a set or a relation: it is `{}` or `_`, whatever the others are.
                kind => inner = inner.with(value.0, Ok(kind)),
            }
        }
        let (values, mut outer) = (typed, inner.clone());
        let (fixpoint, variables) = self.graph.fixpoint(&types);
        for ((name, _), &variable) in values.iter().zip(&variables) {
            self.graph.name(variable, self.model.names.text(*name));
            inner = inner.with(*name, Ok(Value::Node(variable)));
        }
        let inner = self.bind_functions(inner, &functions);
        let mut bodies = Vec::with_capacity(values.len());
        for (((_, binding), &ty), &variable) in values.iter().zip(&types).zip(&variables) {
            let value = self.eval(&binding.value, &inner)?;
            let body = self.typed(&value, ty);
            let body = body.ok_or_else(|| self.mismatch(at, "a value of one type in each round", &value))?;
            // What is itself stays what it begins with.
            bodies.push(if body == variable { self.graph.empty(ty) } else { body });
        }
        let results = self.close(fixpoint, &variables, bodies, &types);
        for ((name, _), result) in values.iter().zip(results) {
            self.graph.name(result, self.model.names.text(*name));
            outer = outer.with(*name, Ok(Value::Node(result)));
        }
        Ok(self.bind_functions(outer, &functions))
    }

    /// Functions that see themselves, each other and a scope.
    fn bind_functions(&mut self, scope: Scope, functions: &[Named<'m>]) -> Scope {
        let first = self.functions.len();
        let mut scope = scope;
        for (name, function) in functions {
            let value = self.closure(function, &scope);
            scope = scope.with(*name, Ok(value));
        }
        for id in first..self.functions.len() {
            self.functions[FunctionId(id as u32).0 as usize].scope = scope.clone();
        }
        scope
    }

    /// What kind of value each name of a fixpoint has: `{}` or `_`, which are both sets and relations, or an empty set or relation, for its
    /// type. Names begin with `{}`, so that a body has the type of what else is in it; one that still has none may have one when the others
    /// have theirs.
    fn kinds(
        &mut self,
        values: &[(Symbol, &'m Binding)],
        functions: &[Named<'m>],
        scope: &Scope,
        at: Place,
    ) -> Evaluated<Vec<Value>> {
        let mut kinds = vec![Value::Empty; values.len()];
        let mut inner = scope.clone();
        for (name, _) in values {
            inner = inner.with(*name, Ok(Value::Empty));
        }
        // A kind changes twice at most, if bodies are monotone.
        for _ in 0..2 * values.len() + 1 {
            let before = kinds.clone();
            for (i, (name, binding)) in values.iter().enumerate() {
                if matches!(kinds[i], Value::Node(_)) {
                    continue;
                }
                let with_functions = self.bind_functions(inner.clone(), functions);
                kinds[i] = match self.eval(&binding.value, &with_functions)? {
                    Value::Node(node) => Value::Node(self.graph.empty(self.graph.ty(node))),
                    Value::Event(_) | Value::Events(_) => Value::Node(self.graph.empty(Type::Set)),
                    Value::Pair(..) | Value::Pairs(_) => Value::Node(self.graph.empty(Type::Relation)),
                    kind @ (Value::Empty | Value::Universe) => kind,
                    other => return Err(self.mismatch(binding.at, "a set or a relation", &other)),
                };
                inner = inner.with(*name, Ok(kinds[i].clone()));
            }
            if kinds == before || kinds.iter().all(|kind| matches!(kind, Value::Node(_))) {
                return Ok(kinds);
            }
        }
        Err(Fault::new(at, Problem::Failed("this recursion does not terminate".to_owned())))
    }

    /// What the names are outside the fixpoint. One that is not recursive is its body, and one that is a transitive closure is that.
    fn close(
        &mut self,
        fixpoint: FixpointId,
        variables: &[NodeId],
        bodies: Vec<NodeId>,
        types: &[Type],
    ) -> Vec<NodeId> {
        let recursive = self.depends_on(variables);
        if !bodies.iter().any(|&body| recursive(body)) {
            return bodies;
        }
        if let ([variable], [body]) = (variables, &bodies[..])
            && let Some(closure) = self.as_closure(*variable, *body, &recursive)
        {
            return vec![closure];
        }
        self.graph.plan.fixpoints[fixpoint.0 as usize].bodies = bodies;
        types.iter().enumerate().map(|(i, &ty)| self.graph.fixed(fixpoint, i, ty)).collect()
    }

    /// Which nodes depend on the variables: only nodes that came after them can.
    fn depends_on(&self, variables: &[NodeId]) -> impl Fn(NodeId) -> bool + use<> {
        let first = variables.first().map_or(0, |variable| variable.0 as usize);
        let nodes = &self.graph.plan.nodes;
        let mut depends = vec![false; nodes.len() - first];
        for (i, node) in nodes[first..].iter().enumerate() {
            depends[i] = variables.contains(&NodeId((first + i) as u32))
                || self
                    .graph
                    .plan
                    .operands(&node.op)
                    .any(|operand| operand.0 as usize >= first && depends[operand.0 as usize - first]);
        }
        move |node: NodeId| depends.get((node.0 as usize).wrapping_sub(first)).copied().unwrap_or(false)
    }

    /// `let rec x = r | x; x` is `r+`, `x = r | s; x` is `s*; r`, and `x = r | x; s` is `r; s*`.
    fn as_closure(
        &mut self,
        variable: NodeId,
        body: NodeId,
        recursive: &dyn Fn(NodeId) -> bool,
    ) -> Option<NodeId> {
        let (mut start, mut before, mut after, mut both) = (None, None, None, false);
        let mut terms = vec![body];
        while let Some(term) = terms.pop() {
            if !recursive(term) {
                start = Some(start.map_or(term, |known| self.graph.union(term, known)));
                continue;
            }
            match *self.graph.op(term) {
                Op::Union(a, b) => terms.extend([b, a]),
                Op::Sequence(a, b) if a == variable && b == variable => both = true,
                Op::Sequence(a, b) if b == variable && !recursive(a) => {
                    before = Some(before.map_or(a, |known| self.graph.union(a, known)));
                }
                Op::Sequence(a, b) if a == variable && !recursive(b) => {
                    after = Some(after.map_or(b, |known| self.graph.union(b, known)));
                }
                _ if term == variable => {}
                _ => return None,
            }
        }
        let Some(start) = start else { return Some(self.graph.empty(Type::Relation)) };
        match (both, before, after) {
            (true, None, None) => Some(self.graph.plus(start)),
            (false, Some(step), None) => {
                let steps = self.graph.star(step);
                Some(self.graph.sequence(steps, start))
            }
            (false, None, Some(step)) => {
                let steps = self.graph.star(step);
                Some(self.graph.sequence(start, steps))
            }
            _ => None,
        }
    }
}

//! `let rec`.

use super::scope::Scope;
use super::value::{FunctionId, Value};
use super::{Elaborator, Evaluated};
use crate::error::{Fault, Problem};
use crate::lexer::Symbol;
use crate::plan::{FixpointId, NodeId, Op, Type};
use crate::source::Position;
use crate::syntax::{Binding, Function, Kind, Pattern};

/// A function of a `let rec`, and its name.
type Named<'m> = (Symbol, &'m Function);

impl<'m> Elaborator<'m> {
    /// Definitions that see themselves and each other: functions, or sets and relations, of which the least are meant.
    pub(super) fn let_rec(
        &mut self,
        bindings: &'m [Binding],
        scope: &Scope,
        at: Position,
    ) -> Evaluated<Scope> {
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
        let Some(types) = self.types(&values, &functions, scope)? else {
            // Nothing says what they are; they are empty.
            let mut inner = scope.clone();
            for (name, _) in &values {
                inner = inner.with(*name, Ok(Value::Empty));
            }
            return Ok(self.bind_functions(inner, &functions));
        };
        let (fixpoint, variables) = self.graph.fixpoint(&types);
        let mut inner = scope.clone();
        for ((name, _), &variable) in values.iter().zip(&variables) {
            self.graph.name(variable, self.model.names.text(*name));
            inner = inner.with(*name, Ok(Value::Node(variable)));
        }
        let inner = self.bind_functions(inner, &functions);
        let mut bodies = Vec::with_capacity(values.len());
        for ((_, binding), &ty) in values.iter().zip(&types) {
            let value = self.eval(&binding.value, &inner)?;
            let body = self.typed(&value, ty);
            bodies.push(body.ok_or_else(|| self.mismatch(at, "a value of one type in each round", &value))?);
        }
        let results = self.close(fixpoint, &variables, bodies, &types);
        let mut outer = scope.clone();
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

    /// The types of the names of a fixpoint; none where all are `{}`. Names begin with `{}`, so that a body has the type of what else is
    /// in it; a body that still has none may have one when the others have theirs.
    fn types(
        &mut self,
        values: &[(Symbol, &'m Binding)],
        functions: &[Named<'m>],
        scope: &Scope,
    ) -> Evaluated<Option<Vec<Type>>> {
        let mut types: Vec<Option<Type>> = vec![None; values.len()];
        loop {
            let before = types.clone();
            let mut inner = scope.clone();
            for ((name, _), ty) in values.iter().zip(&types) {
                inner = inner.with(*name, Ok(self.nothing(*ty)));
            }
            for (i, (name, binding)) in values.iter().enumerate() {
                if types[i].is_some() {
                    continue;
                }
                let with_functions = self.bind_functions(inner.clone(), functions);
                let value = self.eval(&binding.value, &with_functions)?;
                types[i] = match value {
                    Value::Node(node) => Some(self.graph.ty(node)),
                    Value::Empty => None,
                    Value::Universe | Value::Pair(..) | Value::Pairs(_) => Some(Type::Relation),
                    Value::Event(_) | Value::Events(_) => Some(Type::Set),
                    other => return Err(self.mismatch(binding.at, "a set or a relation", &other)),
                };
                inner = inner.with(*name, Ok(self.nothing(types[i])));
            }
            if let Some(all) = types.iter().copied().collect::<Option<Vec<Type>>>() {
                return Ok(Some(all));
            }
            if types == before {
                // What never gets a type is empty, as a relation as well as as a set.
                let known = types.iter().any(Option::is_some);
                return Ok(known.then(|| types.iter().map(|ty| ty.unwrap_or(Type::Relation)).collect()));
            }
        }
    }

    fn nothing(&mut self, ty: Option<Type>) -> Value {
        ty.map_or(Value::Empty, |ty| Value::Node(self.graph.empty(ty)))
    }

    /// What the names are outside of the fixpoint. One that is not recursive is its body, and one that is a transitive closure is that.
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
                || super::finish::operands(&node.op, &self.graph.plan)
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

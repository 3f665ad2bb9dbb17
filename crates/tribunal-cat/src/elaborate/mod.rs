//! Text to plan: an interpreter whose values are nodes of the plan.
//!
//! Functions are applied, variants decided, files included, names resolved; what is left are the operations on sets and relations.
//!
//! A definition whose value is an error is an error only where the name is used, as in herd, where definitions are lazy: files define things
//! that other architectures have. So every definition is evaluated where it stands, and its error kept.

mod expression;
mod finish;
mod fixpoint;
mod graph;
mod instruction;
mod nearest;
mod operator;
mod primitive;
mod scope;
mod value;

use crate::environment::{Environment, Given};
use crate::error::{Error, Fault, Problem};
use crate::lexer::Symbol;
use crate::limits::Limits;
use crate::model::Model;
use crate::plan::{Check, Node, NodeId, Plan, Type};
use crate::source::Place;
use crate::syntax::{Function, Instruction, Pattern};
use graph::Graph;
use primitive::Primitive;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::Scope;
use std::rc::Rc;
use value::Value;

/// How many expressions may be evaluated: a second's work or so.
const STEPS: usize = 10_000_000;
/// How many operations a plan may have.
const NODES: usize = 2_000_000;
/// How many steps there are between two polls of the limits.
const POLLS: usize = 1024;
/// How deep expressions and calls may nest; what a function ends with is not deeper than its call.
const DEPTH: usize = 500;
/// How deep tuples and sets of values may nest.
const NESTING: usize = 20;

/// The execution that a plan is for, if the text iterates over the events of a set.
///
/// A number of events is one: the only set it knows is `_`.
pub trait Contents {
    /// The number of events.
    fn events(&self) -> u32;
    /// The events of a set; `None` if they are unknown, for example because they depend on an order that is not chosen yet.
    fn set(&self, plan: &Plan, set: NodeId) -> Option<Vec<u32>>;
    /// The pairs of a relation; `None` if they are unknown.
    fn relation(&self, plan: &Plan, relation: NodeId) -> Option<Vec<(u32, u32)>>;
}

impl Contents for u32 {
    fn events(&self) -> u32 {
        *self
    }

    fn set(&self, _plan: &Plan, _set: NodeId) -> Option<Vec<u32>> {
        None
    }

    fn relation(&self, _plan: &Plan, _relation: NodeId) -> Option<Vec<(u32, u32)>> {
        None
    }
}

type Evaluated<T> = Result<T, Box<Fault>>;

/// The plan of a model.
pub(crate) fn plan(
    model: &Model,
    environment: &Environment,
    contents: Option<&dyn Contents>,
    limits: &mut dyn Limits,
) -> Result<Plan, Error> {
    let mut elaborator = Elaborator::new(model, environment, contents, limits);
    match elaborator.run_model() {
        Ok(()) => {
            Ok(finish::reachable(elaborator.graph.plan, elaborator.implicit.as_ref().map(|i| i.choice)))
        }
        Err(fault) => Err(fault.locate(&model.sources)),
    }
}

/// A function of the text, and the names where it is defined.
struct Closure<'m> {
    function: &'m Function,
    scope: Scope,
}

/// A procedure of the text, and the names where it is defined.
struct Procedure<'m> {
    parameters: &'m Pattern,
    body: &'m [Instruction],
    scope: Scope,
}

/// Coherence order where the text uses it and never says where it comes from.
struct Implicit {
    scope: Scope,
    choice: usize,
}

struct Elaborator<'m> {
    model: &'m Model,
    environment: &'m Environment,
    contents: Option<&'m dyn Contents>,
    limits: &'m mut dyn Limits,
    graph: Graph,
    functions: Vec<Closure<'m>>,
    procedures: Vec<Procedure<'m>>,
    /// Sets by the annotations of the bell file.
    annotations: FxHashMap<String, Given>,
    tags: FxHashSet<Symbol>,
    /// The names after the standard library.
    standard: Scope,
    implicit: Option<Implicit>,
    /// Whether errors are caught, so that nobody reads them.
    silent: bool,
    steps: usize,
    depth: usize,
}

impl<'m> Elaborator<'m> {
    fn new(
        model: &'m Model,
        environment: &'m Environment,
        contents: Option<&'m dyn Contents>,
        limits: &'m mut dyn Limits,
    ) -> Self {
        let annotations = model
            .annotations()
            .map(|tag| (primitive::set_of_tag(tag), Given { ty: Type::Set, empty: false }))
            .collect();
        Elaborator {
            model,
            environment,
            contents,
            limits,
            graph: Graph::default(),
            functions: Vec::new(),
            procedures: Vec::new(),
            annotations,
            tags: FxHashSet::default(),
            standard: Scope::new(model.names.len()),
            implicit: None,
            silent: false,
            steps: 0,
            depth: 0,
        }
    }

    /// The standard library, the bell file, the model.
    fn run_model(&mut self) -> Evaluated<()> {
        let model = self.model;
        self.standard = self.run(&model.tree(model.stdlib).instructions, self.standard.clone())?;
        let mut scope = self.standard.clone();
        if let Some(bell) = model.bell {
            scope = self.run(&model.tree(bell).instructions, scope)?;
        }
        self.run(&model.tree(model.main).instructions, scope)?;
        Ok(())
    }

    fn text(&self, name: Symbol) -> &'m str {
        self.model.names.text(name)
    }

    /// Counts a step of work at a place in the text.
    fn step(&mut self, at: Place) -> Evaluated<()> {
        self.steps += 1;
        if self.steps > STEPS {
            return Err(Fault::new(at, Problem::Limit { limit: STEPS, what: "steps of evaluation" }));
        }
        let Plan { nodes, checks, .. } = &self.graph.plan;
        if nodes.len() + checks.len() > NODES {
            return Err(Fault::new(at, Problem::Limit { limit: NODES, what: "operations" }));
        }
        if self.steps.is_multiple_of(POLLS) {
            // Every node is also a key of the map that knows it; a check has a name and a file.
            let bytes = 3 * nodes.len() * size_of::<Node>()
                + 2 * checks.len() * size_of::<Check>()
                + self.functions.len() * size_of::<Closure<'_>>();
            let within = self.limits.check(bytes, self.steps as u64);
            within.map_err(|_| Fault::new(at, Problem::Stopped))?;
        }
        Ok(())
    }

    /// Evaluates something one level deeper.
    fn deeper<T>(&mut self, at: Place, inner: impl FnOnce(&mut Self) -> Evaluated<T>) -> Evaluated<T> {
        if self.depth == DEPTH {
            return Err(Fault::new(at, Problem::Limit { limit: DEPTH, what: "levels of nesting" }));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// The value of a name.
    fn lookup(&mut self, name: Symbol, at: Place, scope: &Scope) -> Evaluated<Value> {
        if let Some(bound) = scope.get(name) {
            return bound.clone().map_err(|fault| Box::new(Fault::clone(&fault)));
        }
        let text = self.text(name);
        if let Some(primitive) = Primitive::of_name(text) {
            return Ok(Value::Primitive(primitive));
        }
        if let Some(given) = self.given(text) {
            let node = self.base(text, given);
            if text == "X" && self.model.names_exclusives() {
                let exclusives = self.given("EX").map(|given| self.base("EX", given));
                return Ok(Value::Node(
                    exclusives.map_or(node, |exclusives| self.graph.difference(node, exclusives)),
                ));
            }
            return Ok(Value::Node(node));
        }
        if matches!(text, "co" | "coi" | "coe" | "fr" | "fri" | "fre") {
            let scope = self.implicit_orders()?;
            if let Some(Ok(value)) = scope.get(name) {
                return Ok(value.clone());
            }
        }
        let nearest = if self.silent { None } else { self.nearest(text, scope) };
        Err(Fault::new(at, Problem::Unbound { name: text.to_owned(), nearest }))
    }

    /// What the environment says of a name.
    fn given(&self, name: &str) -> Option<Given> {
        self.environment.get(name).or_else(|| self.annotations.get(name).copied())
    }

    fn base(&mut self, name: &str, given: Given) -> NodeId {
        match (given.empty, name) {
            (true, _) => self.graph.empty(given.ty),
            (false, "id") => self.graph.id(),
            (false, _) => self.graph.base(name, given.ty),
        }
    }

    /// Models that use `co` and say nothing of it mean coherence order.
    fn implicit_orders(&mut self) -> Evaluated<Scope> {
        if let Some(implicit) = &self.implicit {
            return Ok(implicit.scope.clone());
        }
        let model = self.model;
        let choice = self.graph.plan.choices.len();
        let scope = self.run(&model.tree(model.cos).instructions, self.standard.clone())?;
        self.implicit = Some(Implicit { scope: scope.clone(), choice });
        Ok(scope)
    }

    /// Like names that there are.
    fn nearest(&self, name: &str, scope: &Scope) -> Option<String> {
        let bound = scope.names();
        let bound = bound.iter().map(|&symbol| self.text(symbol));
        let others = self.environment.all_names().chain(self.annotations.keys().map(String::as_str));
        nearest::nearest(name, bound.chain(others).chain(Primitive::NAMES.iter().copied())).map(str::to_owned)
    }

    /// An error of this type of value.
    fn mismatch(&self, at: Place, expected: &'static str, found: &Value) -> Box<Fault> {
        let found = found.what(|node| self.graph.ty(node));
        Fault::new(at, Problem::Type { expected, found })
    }

    /// Gives a value to the names of a pattern.
    fn bind(
        &mut self,
        scope: Scope,
        pattern: &Pattern,
        value: Evaluated<Value>,
        at: Place,
    ) -> Evaluated<Scope> {
        let value = match value {
            Err(fault) if fault.problem.is_limit() => return Err(fault),
            other => other,
        };
        match pattern {
            Pattern::One(None) => Ok(scope),
            Pattern::One(Some(name)) => Ok(scope.with(*name, value.map_err(Rc::from))),
            Pattern::Tuple(names) => {
                let parts = value.and_then(|value| self.parts(&value, names.len(), at));
                let mut scope = scope;
                for (i, name) in names.iter().enumerate() {
                    let Some(name) = name else { continue };
                    let part = match &parts {
                        Ok(parts) => Ok(parts[i].clone()),
                        Err(fault) => Err(Rc::from(fault.clone())),
                    };
                    scope = scope.with(*name, part);
                }
                Ok(scope)
            }
        }
    }

    /// The parts of a tuple of so many.
    fn parts(&self, value: &Value, count: usize, at: Place) -> Evaluated<Rc<[Value]>> {
        match value {
            Value::Tuple(parts) if parts.len() == count => Ok(parts.clone()),
            Value::Pair(a, b) if count == 2 => Ok([Value::Event(*a), Value::Event(*b)].into()),
            Value::Tuple(parts) => {
                let message = format!("{count} values are expected here, and there are {}", parts.len());
                Err(Fault::new(at, Problem::Failed(message)))
            }
            other => Err(self.mismatch(at, "a tuple", other)),
        }
    }
}

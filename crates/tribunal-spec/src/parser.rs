//! Recursive descent from tokens to the tree: one function per construct.
//! Names are resolved and kinds checked on the way. This file has the declarations; statements and expressions have their own.

use crate::error::SpecFault;
use crate::expressions::Typed;
use crate::syntax::{Cell, Commutes, Expr, Local, Method, Shape, State, StateId};
use crate::{Declared, analysis};
use tribunal_cat::text::{Cursor, Grammar, Located, Position, Token};
use tribunal_history::object::text::{self, TextFault, Words};
use tribunal_history::object::{Kind, Signature, Value};

/// Words that cannot be names.
const RESERVED: [&str; 22] = [
    "state",
    "method",
    "commutes",
    "let",
    "when",
    "otherwise",
    "for",
    "in",
    "return",
    "refuse",
    "require",
    "remove",
    "null",
    "true",
    "false",
    "and",
    "or",
    "not",
    "else",
    "is",
    "empty",
    "object",
];

/// Parameters and `let`s that a method may have.
const MOST_LOCALS: usize = 256;

/// What a name means inside a method.
#[derive(Clone, Copy)]
pub(crate) enum Meaning {
    State(StateId, Shape),
    Local(Local, Kind),
}

pub(crate) struct Parser<'a> {
    pub(crate) cursor: Cursor<'a, Words<SpecFault>>,
    states: Vec<State>,
    methods: Vec<Method>,
    signatures: Vec<Signature>,
    /// The locals in scope, innermost last. Parameters and loop variables cannot be assigned.
    pub(crate) scope: Vec<(&'a str, Local, Kind, bool)>,
    locals: usize,
    /// What the method may return.
    pub(crate) returns: Kind,
}

pub(crate) type Parsed<T> = Result<T, Located<SpecFault>>;

pub(crate) fn parse(source: &str) -> Parsed<Declared> {
    text::read(source, |cursor| {
        let (states, methods, signatures, scope) = Default::default();
        Parser { cursor, states, methods, signatures, scope, locals: 0, returns: Kind::Any }.object()
    })
}

impl<'a> Grammar<'a> for Parser<'a> {
    type Language = Words<SpecFault>;

    fn cursor(&mut self) -> &mut Cursor<'a, Self::Language> {
        &mut self.cursor
    }
}

impl<'a> Parser<'a> {
    fn object(mut self) -> Parsed<Declared> {
        self.cursor.expect("object")?;
        let name = self.cursor.name("a name")?;
        self.cursor.expect("{")?;
        let mut commutes = Vec::new();
        loop {
            if self.cursor.take("state") {
                if !self.methods.is_empty() {
                    return Err(self.cursor.fault(TextFault::Unexpected {
                        expected: "the state before the methods".into(),
                        found: "`state`".into(),
                    }));
                }
                self.state()?;
            } else if self.cursor.take("method") {
                self.method()?;
            } else if self.cursor.take("commutes") {
                commutes.push(self.commutes()?);
            } else if self.cursor.take("}") {
                break;
            } else {
                return Err(self.cursor.expected("`state`, `method`, `commutes` or `}`"));
            }
        }
        if self.methods.is_empty() {
            return Err(self.cursor.fault(SpecFault::NoMethods));
        }
        self.cursor.end("the end")?;
        let Parser { states, methods, signatures, .. } = self;
        Ok(Declared { name: name.into(), states, methods, signatures, commutes })
    }

    /// A new name, which must not be in use.
    pub(crate) fn fresh_name(&mut self) -> Parsed<&'a str> {
        let place = self.cursor.at();
        if let Token::Name(name) = self.cursor.peek()
            && RESERVED.contains(&name)
        {
            return Err(self.cursor.expected("a name"));
        }
        let name = self.cursor.name("a name")?;
        if self.meaning(name).is_some() {
            return Err(Located::new(place, SpecFault::Duplicate(name.into())));
        }
        Ok(name)
    }

    pub(crate) fn meaning(&self, name: &str) -> Option<Meaning> {
        let local = self.scope.iter().rev().find(|(its, ..)| *its == name);
        if let Some(&(_, local, kind, _)) = local {
            return Some(Meaning::Local(local, kind));
        }
        let at = self.states.iter().position(|state| state.name == name)?;
        Some(Meaning::State(StateId(at), self.states[at].shape))
    }

    /// `name: shape = constant`; without a shape it is a value.
    fn state(&mut self) -> Parsed<()> {
        let name = self.fresh_name()?;
        let shape = if self.cursor.take(":") {
            if self.cursor.take("sequence") {
                Shape::Sequence
            } else if self.cursor.take("map") {
                Shape::Map
            } else {
                Shape::Value(self.kind()?)
            }
        } else {
            Shape::Value(Kind::Any)
        };
        self.cursor.expect("=")?;
        let initial = self.initial(shape)?;
        self.states.push(State { name: name.into(), shape, initial });
        Ok(())
    }

    fn initial(&mut self, shape: Shape) -> Parsed<Cell> {
        let place = self.cursor.at();
        let opens = self.cursor.peek();
        let value = text::constant(&mut self.cursor)?;
        let found = kind_of(&value);
        let wrong = |expected| {
            let fault = SpecFault::WrongKind { what: "the initial state", expected, found };
            Err(Located::new(place, fault))
        };
        match (shape, value) {
            (Shape::Value(kind), value) if kind.admits(&value) => Ok(Cell::Value(value)),
            (Shape::Value(kind), _) => wrong(kind),
            (Shape::Sequence, Value::List(values)) if opens == Token::Sign("[") => {
                Ok(Cell::Sequence(values.iter().cloned().collect()))
            }
            (Shape::Map, Value::List(entries)) if opens == Token::Sign("{") => {
                let pairs = entries.iter().filter_map(|entry| match entry {
                    Value::List(pair) => Some((pair.first()?.clone(), pair.get(1)?.clone())),
                    _ => None,
                });
                Ok(Cell::Map(pairs.collect()))
            }
            (shape, _) => {
                let expected = if shape == Shape::Map { "a map such as {}" } else { "a sequence such as []" };
                let fault = TextFault::Unexpected { expected: expected.into(), found: found.words().into() };
                Err(Located::new(place, fault))
            }
        }
    }

    fn kind(&mut self) -> Parsed<Kind> {
        const KINDS: [(&str, Kind); 6] = [
            ("any", Kind::Any),
            ("null", Kind::Null),
            ("truth", Kind::Bool),
            ("number", Kind::Int),
            ("text", Kind::Text),
            ("list", Kind::List),
        ];
        let kind = KINDS.into_iter().find(|(name, _)| self.cursor.take(name));
        kind.map(|(_, kind)| kind)
            .ok_or_else(|| self.cursor.expected("any, null, truth, number, text or list"))
    }

    /// `name(param: kind, ...) -> kind read-only key param { ... }`.
    fn method(&mut self) -> Parsed<()> {
        let place = self.cursor.at();
        let name = self.cursor.name("a name")?;
        if self.methods.iter().any(|method| method.name == name) {
            return Err(Located::new(place, SpecFault::Duplicate(name.into())));
        }
        self.locals = 0;
        self.cursor.expect("(")?;
        let mut args = Vec::new();
        while !self.cursor.take(")") {
            if !args.is_empty() {
                self.cursor.expect(",")?;
            }
            let param = self.fresh_name()?;
            let kind = if self.cursor.take(":") { self.kind()? } else { Kind::Any };
            self.declare(param, kind, false)?;
            args.push(kind);
        }
        self.returns = if self.cursor.take("->") { self.kind()? } else { Kind::Any };
        let (mut says_read_only, mut says_key) = (None, None);
        loop {
            let here = self.cursor.at();
            if self.cursor.take("read-only") {
                says_read_only = Some(here);
            } else if self.cursor.take("key") {
                let here = self.cursor.at();
                let param = self.cursor.name("a name")?;
                match self.meaning(param) {
                    Some(Meaning::Local(local, _)) => says_key = Some((here, param, local)),
                    _ => return Err(Located::new(here, SpecFault::UnknownName(param.into()))),
                }
            } else {
                break;
            }
        }
        let end = self.cursor.at();
        let (body, ends) = self.block()?;
        if !ends && !self.returns.admits(&Value::Null) {
            let fault =
                SpecFault::WrongKind { what: "the return", expected: self.returns, found: Kind::Null };
            return Err(Located::new(end, fault));
        }
        let read_only = analysis::read_only(&body);
        let maps = |state: StateId| self.states[state.0].shape == Shape::Map;
        let key = analysis::key(&body, args.len(), &maps);
        if let (Some(here), false) = (says_read_only, read_only) {
            return Err(Located::new(here, SpecFault::NotReadOnly(name.into())));
        }
        if let Some((here, param, local)) = says_key
            && key != Some(local)
        {
            return Err(Located::new(here, SpecFault::NotKeyed { method: name.into(), key: param.into() }));
        }
        self.scope.clear();
        let params = args.len();
        self.signatures.push(Signature {
            method: name.to_owned().into(),
            args: args.into(),
            returns: self.returns,
        });
        self.methods.push(Method { name: name.into(), params, locals: self.locals, body, read_only, key });
        Ok(())
    }

    pub(crate) fn declare(&mut self, name: &'a str, kind: Kind, assignable: bool) -> Parsed<Local> {
        if self.locals == MOST_LOCALS {
            return Err(self
                .cursor
                .fault(SpecFault::TooMany { what: "names in a method", most: MOST_LOCALS }));
        }
        let local = Local(self.locals);
        self.locals += 1;
        self.scope.push((name, local, kind, assignable));
        Ok(local)
    }

    /// The state of the name that comes next, which must be of some shape.
    pub(crate) fn state_named(
        &mut self,
        expected: &'static str,
        fits: fn(Shape) -> bool,
    ) -> Parsed<(StateId, Shape)> {
        let place = self.cursor.at();
        let name = self.cursor.name("a name")?;
        let is = match self.meaning(name) {
            Some(Meaning::State(state, shape)) if fits(shape) => return Ok((state, shape)),
            Some(Meaning::State(_, shape)) => shape.words(),
            Some(Meaning::Local(..)) => "a name of the method",
            None => return Err(Located::new(place, SpecFault::UnknownName(name.into()))),
        };
        Err(Located::new(place, SpecFault::NotA { name: name.into(), is, expected }))
    }

    /// `a(x, ...) with b(y, ...) when condition`; without parameters, for all arguments.
    fn commutes(&mut self) -> Parsed<Commutes> {
        self.locals = 0;
        let one = self.commuting()?;
        self.cursor.expect("with")?;
        let other = self.commuting()?;
        let condition = if self.cursor.take("when") {
            // The condition is about arguments alone: no state is in sight.
            let states = std::mem::take(&mut self.states);
            let condition = self.expression_of(Kind::Bool, "the condition");
            self.states = states;
            Some(condition?)
        } else {
            None
        };
        self.scope.clear();
        Ok(Commutes { methods: [one, other], condition })
    }

    fn commuting(&mut self) -> Parsed<usize> {
        let place = self.cursor.at();
        let name = self.cursor.name("a name")?;
        let Some(method) = self.methods.iter().position(|method| method.name == name) else {
            return Err(Located::new(place, SpecFault::UnknownName(name.into())));
        };
        let kinds = self.signatures[method].args.clone();
        self.cursor.expect("(")?;
        let mut found = 0;
        while !self.cursor.take(")") {
            if found > 0 {
                self.cursor.expect(",")?;
            }
            let param = self.fresh_name()?;
            self.declare(param, kinds.get(found).copied().unwrap_or(Kind::Any), false)?;
            found += 1;
        }
        let takes = kinds.len();
        if takes != found {
            return Err(Located::new(place, SpecFault::Arity { method: name.into(), takes, found }));
        }
        Ok(method)
    }

    pub(crate) fn expression_of(&mut self, expected: Kind, what: &'static str) -> Parsed<Expr> {
        let place = self.cursor.at();
        let value = self.expression()?;
        self.must_be(&value, expected, what, place)?;
        Ok(value.expr)
    }

    /// Refuses an expression that is certainly of another kind.
    pub(crate) fn must_be(
        &self,
        value: &Typed,
        expected: Kind,
        what: &'static str,
        place: Position,
    ) -> Parsed<()> {
        let found = value.kind;
        if expected == Kind::Any || found == Kind::Any || expected == found {
            return Ok(());
        }
        Err(Located::new(place, SpecFault::WrongKind { what, expected, found }))
    }
}

pub(crate) fn kind_of(value: &Value) -> Kind {
    match value {
        Value::Null => Kind::Null,
        Value::Bool(_) => Kind::Bool,
        Value::Int(_) => Kind::Int,
        Value::Text(_) => Kind::Text,
        Value::List(_) => Kind::List,
    }
}

//! Functions that the language itself has.

use super::value::{List, Value};
use super::{Elaborator, Evaluated};
use crate::error::{Fault, Problem};
use crate::plan::{NodeId, Orders, Type};
use crate::source::Place;

macro_rules! primitives {
    ($($variant:ident $name:literal),* $(,)?) => {
        /// A function that the language itself has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Primitive { $($variant),* }

        impl Primitive {
            pub fn of_name(name: &str) -> Option<Primitive> {
                match name { $($name => Some(Primitive::$variant),)* _ => None }
            }

            pub fn name(self) -> &'static str {
                match self { $(Primitive::$variant => $name),* }
            }

            pub const NAMES: &'static [&'static str] = &[$($name),*];
        }
    };
}

primitives! {
    Domain "domain", Range "range", Linearizations "linearisations", OrdersByLocation "orders-by-location",
    CrossProduct "cross-product", DifferentValues "different-values", SameOa "same-oa", OaChanges "oa-changes",
    AtLeastOneWritable "at-least-one-writable", TagToEvents "tag2events", TagToScope "tag2scope", TagToLevel "tag2level",
    TagToFenced "tag2fenced", FromTo "fromto", InterTransitive "inter_transitive", AsTransitive "as_transitive",
    Fail "fail", ClassesLoc "classes-loc", Classes "classes", Lift "lift", Delift "delift", DeliftInter "deliftinter",
    Bisimulation "bisimulation", LocToEvents "loc2events",
}

/// How many relations a product of sets of relations may have.
const PRODUCT: usize = 100_000;

/// The set of the events with an annotation: the tag with a capital.
pub(super) fn set_of_tag(tag: &str) -> String {
    let mut characters = tag.chars();
    characters
        .next()
        .map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + characters.as_str())
}

impl<'m> Elaborator<'m> {
    pub(super) fn apply_primitive(
        &mut self,
        primitive: Primitive,
        argument: Value,
        at: Place,
    ) -> Evaluated<Value> {
        let node = match primitive {
            Primitive::Domain | Primitive::Range => {
                if matches!(argument, Value::Empty | Value::Universe) {
                    return Ok(argument);
                }
                let relation = self.relation(&argument, at)?;
                match primitive {
                    Primitive::Domain => self.graph.domain(relation),
                    _ => self.graph.range(relation),
                }
            }
            Primitive::Linearizations => {
                let (events, base) = self.set_and_relation(&argument, at)?;
                return Ok(Value::Orders(Orders::Linearizations { events, base }));
            }
            Primitive::OrdersByLocation => {
                let (events, base) = self.set_and_relation(&argument, at)?;
                return Ok(Value::Orders(Orders::Locations { events, base }));
            }
            Primitive::CrossProduct => return self.cross_product(argument, at),
            Primitive::DifferentValues | Primitive::SameOa => {
                let relation = self.relation(&argument, at)?;
                let base = self.named(primitive.name(), Type::Relation, at)?;
                self.graph.intersection(relation, base)
            }
            // In herd's newer library it is of a relation.
            Primitive::AtLeastOneWritable if !matches!(argument, Value::Tuple(_)) => {
                let relation = self.relation(&argument, at)?;
                if !self.graph.is_empty(relation) {
                    return Err(self.not_supported(primitive, at));
                }
                relation
            }
            Primitive::OaChanges | Primitive::AtLeastOneWritable => {
                let (set, _) = self.set_and_relation(&argument, at)?;
                if !self.graph.is_empty(set) {
                    return Err(self.not_supported(primitive, at));
                }
                set
            }
            Primitive::TagToEvents => {
                let name = set_of_tag(self.tag_text(&argument, at)?);
                self.named(&name, Type::Set, at)?
            }
            Primitive::TagToScope | Primitive::TagToLevel => {
                // With its quote, a scope cannot be taken for a relation of the same name.
                let name = format!("'{}", self.tag_text(&argument, at)?);
                self.graph.base(&name, Type::Relation)
            }
            Primitive::FromTo => {
                let set = self.set(&argument, at)?;
                let po = self.named("po", Type::Relation, at)?;
                let barrier = self.graph.identity(set);
                let after = self.graph.sequence(barrier, po);
                self.graph.sequence(po, after)
            }
            Primitive::InterTransitive => {
                let parts = self.parts(&argument, 2, at)?;
                let (r, s) = (self.relation(&parts[0], at)?, self.relation(&parts[1], at)?);
                let closed = self.graph.plus(r);
                self.graph.intersection(closed, s)
            }
            Primitive::AsTransitive => {
                let relation = self.relation(&argument, at)?;
                self.graph.plus(relation)
            }
            Primitive::Fail => {
                return Err(Fault::new(at, Problem::Failed("the model fails here".to_owned())));
            }
            Primitive::ClassesLoc
            | Primitive::Classes
            | Primitive::Lift
            | Primitive::Delift
            | Primitive::DeliftInter
            | Primitive::Bisimulation
            | Primitive::LocToEvents
            | Primitive::TagToFenced => return Err(self.not_supported(primitive, at)),
        };
        Ok(Value::Node(node))
    }

    fn not_supported(&self, primitive: Primitive, at: Place) -> Box<Fault> {
        Fault::new(at, Problem::NotSupported(format!("`{}`", primitive.name())))
    }

    fn tag_text(&self, value: &Value, at: Place) -> Evaluated<&'m str> {
        match value {
            Value::Tag(tag) => Ok(self.text(*tag)),
            other => Err(self.mismatch(at, "a tag", other)),
        }
    }

    /// What the environment gives by this name.
    fn named(&mut self, name: &str, ty: Type, at: Place) -> Evaluated<NodeId> {
        match self.given(name) {
            Some(given) if given.ty == ty => Ok(self.base(name, given)),
            _ => Err(Fault::new(at, Problem::Unbound { name: name.to_owned(), nearest: None })),
        }
    }

    fn set_and_relation(&mut self, argument: &Value, at: Place) -> Evaluated<(NodeId, NodeId)> {
        let parts = self.parts(argument, 2, at)?;
        Ok((self.set(&parts[0], at)?, self.relation(&parts[1], at)?))
    }

    /// All unions of one relation of each set: of no sets, the empty relation alone.
    fn cross_product(&mut self, argument: Value, at: Place) -> Evaluated<Value> {
        let sets = match argument {
            Value::Empty => Vec::new(),
            Value::Set(sets) => sets.items().to_vec(),
            Value::Node(node) if self.graph.is_empty(node) => Vec::new(),
            other => return Err(self.mismatch(at, "a set of sets of relations", &other)),
        };
        let mut unions = vec![self.graph.empty(Type::Relation)];
        for set in sets {
            let relations = match &set {
                Value::Empty => Vec::new(),
                Value::Set(relations) => relations.items().to_vec(),
                other => return Err(self.mismatch(at, "a set of relations", other)),
            };
            let mut longer = Vec::with_capacity(unions.len() * relations.len());
            for relation in &relations {
                let relation = self.relation(relation, at)?;
                for &union in &unions {
                    self.step(at)?;
                    longer.push(self.graph.union(union, relation));
                }
            }
            if longer.len() > PRODUCT {
                return Err(Fault::new(at, Problem::Limit { limit: PRODUCT, what: "choices" }));
            }
            unions = longer;
        }
        let values = unions.into_iter().map(Value::Node).collect();
        Ok(Value::Set(List::new(values)))
    }
}

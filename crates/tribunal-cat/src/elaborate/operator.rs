//! Operators on values. `{}` and `_` are sets or relations by what they are combined with.

use super::value::{List, Value};
use super::{Contents, Elaborator, Evaluated};
use crate::error::{Fault, Problem};
use crate::plan::{NodeId, Op, Type};
use crate::source::Place;
use crate::syntax::{Chain, Test, Unary};

impl Elaborator<'_> {
    /// A value as a set of events.
    pub(super) fn set(&mut self, value: &Value, at: Place) -> Evaluated<NodeId> {
        self.typed(value, Type::Set).ok_or_else(|| self.mismatch(at, "a set of events", value))
    }

    /// A value as a relation.
    pub(super) fn relation(&mut self, value: &Value, at: Place) -> Evaluated<NodeId> {
        self.typed(value, Type::Relation).ok_or_else(|| self.mismatch(at, "a relation", value))
    }

    /// A value as a set or as a relation, if it is one.
    pub(super) fn typed(&mut self, value: &Value, ty: Type) -> Option<NodeId> {
        match value {
            Value::Node(node) => (self.graph.ty(*node) == ty).then_some(*node),
            Value::Empty => Some(self.graph.empty(ty)),
            Value::Universe => Some(self.graph.universe(ty)),
            Value::Event(event) if ty == Type::Set => Some(self.graph.event(*event)),
            Value::Events(list) if ty == Type::Set => {
                let mut all = self.graph.empty(ty);
                for &event in list.items() {
                    let one = self.graph.event(event);
                    all = self.graph.union(all, one);
                }
                Some(all)
            }
            Value::Pair(a, b) if ty == Type::Relation => Some(self.pair(*a, *b)),
            Value::Pairs(list) if ty == Type::Relation => {
                let mut all = self.graph.empty(ty);
                for &(a, b) in list.items() {
                    let one = self.pair(a, b);
                    all = self.graph.union(all, one);
                }
                Some(all)
            }
            _ => None,
        }
    }

    fn pair(&mut self, a: u32, b: u32) -> NodeId {
        let (a, b) = (self.graph.event(a), self.graph.event(b));
        self.graph.product(a, b)
    }

    /// A value of events as a node; others as they are. A tag is the set of itself.
    fn node_or_set(&mut self, value: Value) -> Value {
        match value {
            Value::Event(_) | Value::Events(_) => self.typed(&value, Type::Set).map_or(value, Value::Node),
            Value::Pair(..) | Value::Pairs(_) => {
                self.typed(&value, Type::Relation).map_or(value, Value::Node)
            }
            Value::Tag(_) => Value::Set(List::new(vec![value])),
            other => other,
        }
    }

    pub(super) fn unary(&mut self, operator: Unary, value: Value, at: Place) -> Evaluated<Value> {
        match (operator, &value) {
            (Unary::Complement, Value::Empty) => return Ok(Value::Universe),
            (Unary::Complement, Value::Universe) => return Ok(Value::Empty),
            (Unary::Plus | Unary::Inverse, Value::Empty | Value::Universe)
            | (Unary::Identity, Value::Empty)
            | (Unary::Star | Unary::Optional, Value::Universe) => return Ok(value),
            (Unary::Inverse, &Value::Pair(a, b)) => return Ok(Value::Pair(b, a)),
            _ => {}
        }
        let node = match operator {
            Unary::Complement => match self.node_or_set(value) {
                Value::Node(node) => self.graph.complement(node),
                other => return Err(self.mismatch(at, "a set or a relation", &other)),
            },
            Unary::Identity => {
                let set = self.set(&value, at)?;
                self.graph.identity(set)
            }
            _ => {
                let relation = self.relation(&value, at)?;
                match operator {
                    Unary::Plus => self.graph.plus(relation),
                    Unary::Star => self.graph.star(relation),
                    Unary::Optional => self.graph.optional(relation),
                    _ => self.graph.inverse(relation),
                }
            }
        };
        Ok(Value::Node(node))
    }

    pub(super) fn chain(&mut self, chain: Chain, values: Vec<(Value, Place)>) -> Evaluated<Value> {
        match chain {
            Chain::Sequence => self.sequence(values),
            Chain::Union => self.fold(values, Self::union),
            Chain::Intersection => self.fold(values, Self::intersection),
            Chain::Difference => self.fold(values, Self::difference),
            Chain::Add => {
                let mut values = values.into_iter().rev();
                let Some((mut set, _)) = values.next() else { return Ok(Value::Empty) };
                for (element, at) in values {
                    set = self.add(element, set, at)?;
                }
                Ok(set)
            }
        }
    }

    fn fold(
        &mut self,
        values: Vec<(Value, Place)>,
        combine: fn(&mut Self, Value, Value, Place) -> Evaluated<Value>,
    ) -> Evaluated<Value> {
        let mut values = values.into_iter();
        let first = values.next().map_or(Value::Empty, |(value, _)| value);
        let mut result = self.node_or_set(first);
        for (value, at) in values {
            let value = self.node_or_set(value);
            result = combine(self, result, value, at)?;
        }
        Ok(result)
    }

    /// From the right, as `[a]; r; [b]` is `[a]; (r; [b])`.
    fn sequence(&mut self, values: Vec<(Value, Place)>) -> Evaluated<Value> {
        let mut values = values.into_iter().rev();
        let Some((last, at)) = values.next() else { return Ok(Value::Empty) };
        let mut nothing = last == Value::Empty;
        let mut result = self.relation(&last, at)?;
        for (value, at) in values {
            nothing |= value == Value::Empty;
            let relation = self.relation(&value, at)?;
            result = self.graph.sequence(relation, result);
        }
        Ok(if nothing { Value::Empty } else { Value::Node(result) })
    }

    fn union(&mut self, a: Value, b: Value, at: Place) -> Evaluated<Value> {
        match (a, b) {
            (Value::Empty, other) | (other, Value::Empty) => Ok(other),
            (Value::Universe, _) | (_, Value::Universe) => Ok(Value::Universe),
            (Value::Node(a), Value::Node(b)) if self.graph.ty(a) == self.graph.ty(b) => {
                Ok(Value::Node(self.graph.union(a, b)))
            }
            (Value::Set(a), Value::Set(b)) => {
                let mut all = a.items().to_vec();
                for value in b.items() {
                    if !all.contains(value) {
                        all.push(value.clone());
                    }
                }
                Ok(Value::Set(List::new(all)))
            }
            (a, b) => Err(self.no_mix(&a, &b, at)),
        }
    }

    fn intersection(&mut self, a: Value, b: Value, at: Place) -> Evaluated<Value> {
        match (a, b) {
            (Value::Universe, other) | (other, Value::Universe) => Ok(other),
            (Value::Empty, _) | (_, Value::Empty) => Ok(Value::Empty),
            (Value::Node(a), Value::Node(b)) if self.graph.ty(a) == self.graph.ty(b) => {
                Ok(Value::Node(self.graph.intersection(a, b)))
            }
            (Value::Set(a), Value::Set(b)) => {
                let both = a.items().iter().filter(|value| b.items().contains(value)).cloned().collect();
                Ok(Value::Set(List::new(both)))
            }
            (a, b) => Err(self.no_mix(&a, &b, at)),
        }
    }

    fn difference(&mut self, a: Value, b: Value, at: Place) -> Evaluated<Value> {
        match (a, b) {
            (_, Value::Universe) | (Value::Empty, _) => Ok(Value::Empty),
            (a, Value::Empty) => Ok(a),
            (Value::Universe, Value::Node(b)) => Ok(Value::Node(self.graph.complement(b))),
            (Value::Node(a), Value::Node(b)) if self.graph.ty(a) == self.graph.ty(b) => {
                Ok(Value::Node(self.graph.difference(a, b)))
            }
            (Value::Set(a), Value::Set(b)) => {
                let left = a.items().iter().filter(|value| !b.items().contains(value)).cloned().collect();
                Ok(Value::Set(List::new(left)))
            }
            (a, b) => Err(self.no_mix(&a, &b, at)),
        }
    }

    fn no_mix(&self, a: &Value, b: &Value, at: Place) -> Box<Fault> {
        let expected = match a {
            Value::Node(node) => match self.graph.ty(*node) {
                Type::Set => "a set of events, as on the left",
                Type::Relation => "a relation, as on the left",
            },
            Value::Set(_) => "a set of values, as on the left",
            _ => return self.mismatch(at, "a set or a relation on the left", a),
        };
        self.mismatch(at, expected, b)
    }

    /// `element ++ set`
    fn add(&mut self, element: Value, set: Value, at: Place) -> Evaluated<Value> {
        match (element, set) {
            (Value::Universe, _) => Err(self.mismatch(at, "an element", &Value::Universe)),
            (_, Value::Universe) => Ok(Value::Universe),
            (element, Value::Empty) => self.set_of(vec![element], at),
            (element, Value::Set(set)) => {
                let mut all = set.items().to_vec();
                if !all.contains(&element) {
                    all.push(element);
                }
                self.shallow(Value::Set(List::new(all)), at)
            }
            (element, set) => {
                let element = match element {
                    Value::Tuple(parts) => match parts[..] {
                        [Value::Event(a), Value::Event(b)] => Value::Pair(a, b),
                        _ => Value::Tuple(parts),
                    },
                    other => other,
                };
                if !matches!(element, Value::Event(_) | Value::Pair(..)) {
                    return Err(self.mismatch(at, "an event or a pair of events", &element));
                }
                let (element, set) = (self.node_or_set(element), self.node_or_set(set));
                self.union(element, set, at)
            }
        }
    }

    /// `{..}` of values: events make a set of events, pairs a relation.
    pub(super) fn set_of(&mut self, values: Vec<Value>, at: Place) -> Evaluated<Value> {
        match values.first() {
            None => Ok(Value::Empty),
            Some(Value::Event(_) | Value::Pair(..)) => {
                let values = values.into_iter().map(|value| (value, at)).collect();
                self.fold(values, Self::union)
            }
            Some(_) => self.shallow(Value::Set(List::new(values)), at),
        }
    }

    /// The events of a set, as far as they can be told.
    pub(super) fn events_of(&self, contents: &dyn Contents, set: NodeId) -> Option<Vec<u32>> {
        match *self.graph.op(set) {
            Op::Universe => Some((0..contents.events()).collect()),
            Op::Event(event) => Some(vec![event]),
            _ => contents.set(&self.graph.plan, set),
        }
    }

    /// What `if` asks of two values, where that can be told.
    pub(super) fn compare(&mut self, test: &Test, a: Value, b: Value, at: Place) -> Evaluated<bool> {
        if matches!(test, Test::Equal(..)) && a == b {
            return Ok(true);
        }
        if let (Test::Equal(..), Value::Tag(_), Value::Tag(_)) = (test, &a, &b) {
            return Ok(false);
        }
        let a = match test {
            Test::Member(..) => self.set_of(vec![a], at)?,
            _ => a,
        };
        let (a, b) = (self.listed(a, at)?, self.listed(b, at)?);
        fn within<T: PartialEq>(a: &List<T>, b: &List<T>) -> bool {
            a.items().iter().all(|item| b.items().contains(item))
        }
        let subset = |a: &Value, b: &Value| match (a, b) {
            (Value::Empty, _) => Some(true),
            (Value::Set(a), Value::Set(b)) => Some(within(a, b)),
            (Value::Events(a), Value::Events(b)) => Some(within(a, b)),
            (Value::Pairs(a), Value::Pairs(b)) => Some(within(a, b)),
            (Value::Set(a), _) => a.items().is_empty().then_some(true),
            (Value::Events(a), Value::Empty) => Some(a.items().is_empty()),
            (Value::Pairs(a), Value::Empty) => Some(a.items().is_empty()),
            _ => None,
        };
        let holds = match test {
            Test::Equal(..) => subset(&a, &b).zip(subset(&b, &a)).map(|(there, back)| there && back),
            _ => subset(&a, &b),
        };
        holds.ok_or_else(|| Fault::new(at, Problem::NotSupported("comparing these values".to_owned())))
    }
}

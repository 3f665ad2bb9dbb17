//! Many independent objects of one kind: the first argument of each method is the key of the object.

use super::tree;
use crate::object::{Collection, Invocation, Kind, Others, Signature, Spec, Value};
use std::collections::BTreeMap;

/// Independent objects of one kind by key, as in Jepsen's `independent` tests.
///
/// ```
/// use tribunal::object::{Invocation, Spec, Value, specs::{CasRegister, Keyed}};
/// let registers = Keyed::new(CasRegister::new(Value::from(0)));
/// let mut state = registers.initial();
/// let write = [Value::from("x"), Value::from(1)];
/// registers.step(&mut state, Invocation { method: "write", args: &write });
/// let read = |key| [Value::from(key)];
/// assert_eq!(registers.step(&mut state, Invocation { method: "read", args: &read("x") }), Some(Value::from(1)));
/// assert_eq!(registers.step(&mut state, Invocation { method: "read", args: &read("y") }), Some(Value::from(0)));
/// ```
#[derive(Clone, Debug)]
pub struct Keyed<S: Spec> {
    name: String,
    signatures: Vec<Signature>,
    spec: S,
}

impl<S: Spec> Keyed<S> {
    /// Objects of this kind.
    pub fn new(spec: S) -> Self {
        let mut signatures = spec.signatures().to_vec();
        for signature in &mut signatures {
            signature.args.to_mut().insert(0, Kind::Any);
        }
        Keyed { name: format!("keyed {}", spec.name()), signatures, spec }
    }
}

/// The key, and the invocation of its object.
fn split(call: Invocation<'_>) -> Option<(&Value, Invocation<'_>)> {
    let (key, args) = call.args.split_first()?;
    Some((key, Invocation { method: call.method, args }))
}

impl<S: Spec> Spec for Keyed<S> {
    /// The objects that are not as they were at first.
    type State = BTreeMap<Value, S::State>;

    fn name(&self) -> &str {
        &self.name
    }

    fn signatures(&self) -> &[Signature] {
        &self.signatures
    }

    fn initial(&self) -> Self::State {
        BTreeMap::new()
    }

    fn bytes(&self, state: &Self::State) -> usize {
        let objects: usize = state.values().map(|state| self.spec.bytes(state)).sum();
        size_of_val(state) + tree(state.len(), size_of::<(Value, S::State)>()) + objects
    }

    fn step(&self, state: &mut Self::State, call: Invocation<'_>) -> Option<Value> {
        let (key, call) = split(call)?;
        let initial = self.spec.initial();
        if let Some(object) = state.get_mut(key) {
            let ret = self.spec.step(object, call);
            if *object == initial {
                state.remove(key);
            }
            return ret;
        }
        let mut object = initial.clone();
        let ret = self.spec.step(&mut object, call);
        if object != initial {
            state.insert(key.clone(), object);
        }
        ret
    }

    fn key(&self, call: Invocation<'_>) -> Option<Value> {
        call.args.first().cloned()
    }

    fn commute(&self, a: Invocation<'_>, b: Invocation<'_>) -> bool {
        match (split(a), split(b)) {
            (Some((one, a)), Some((other, b))) => one != other || self.spec.commute(a, b),
            _ => false,
        }
    }

    fn read_only(&self, call: Invocation<'_>) -> bool {
        split(call).is_some_and(|(_, call)| self.spec.read_only(call))
    }

    fn unchanged(&self, call: Invocation<'_>, ret: &Value) -> bool {
        split(call).is_some_and(|(_, call)| self.spec.unchanged(call, ret))
    }

    fn opaque(&self, call: Invocation<'_>) -> Option<usize> {
        let (_, call) = split(call)?;
        self.spec.opaque(call).map(|index| index + 1)
    }

    fn reachable<'h>(
        &self,
        state: &Self::State,
        call: Invocation<'_>,
        ret: &Value,
        others: Others<'_, 'h>,
    ) -> bool {
        let Some((key, call)) = split(call) else { return true };
        let mut others =
            others.filter_map(|other| split(other).filter(|(its, _)| *its == key)).map(|(_, other)| other);
        match state.get(key) {
            Some(object) => self.spec.reachable(object, call, ret, Others::new(&mut others)),
            None => self.spec.reachable(&self.spec.initial(), call, ret, Others::new(&mut others)),
        }
    }

    fn collection(&self) -> Option<Collection> {
        self.spec
            .collection()
            .filter(|collection| *collection == Collection::List)
            .map(|_| Collection::KeyedList)
    }
}

//! Registers read and written in transactions: `txn([["r", x, null], ["w", y, 1], ...])` → the same list with the reads
//! filled in.
//!
//! A read may be given a value, `["r", x, 1]`; then the transaction can take effect only if the read finds that
//! value. `read` and `write` are accepted for `r` and `w`. Later reads see earlier writes of the transaction.

use super::tree;
use crate::object::{Invocation, Kind, Signature, Spec, Value};
use std::collections::BTreeMap;

/// Registers by name, with initial values; the others hold null.
#[derive(Clone, Debug, Default)]
pub struct MultiRegister {
    initial: BTreeMap<Value, Value>,
}

impl MultiRegister {
    /// Registers with these initial values.
    ///
    /// ```
    /// use tribunal::object::{Invocation, Spec, Value, specs::MultiRegister};
    /// let registers = MultiRegister::new([(Value::from("x"), Value::from(7))]);
    /// let read = |value| [Value::list([Value::list([Value::from("r"), Value::from("x"), value])])];
    /// let args = read(Value::Null);
    /// let ret = registers.step(&mut registers.initial(), Invocation { method: "txn", args: &args });
    /// assert_eq!(ret, Some(read(Value::from(7))[0].clone()));
    /// ```
    pub fn new(initial: impl IntoIterator<Item = (Value, Value)>) -> Self {
        MultiRegister { initial: initial.into_iter().filter(|(_, value)| *value != Value::Null).collect() }
    }
}

const SIGNATURES: &[Signature] = &[Signature::new("txn", &[Kind::List], Kind::List)];

/// One access of a transaction.
enum Micro<'a> {
    Read(&'a Value, &'a Value),
    Write(&'a Value, &'a Value),
}

impl Micro<'_> {
    fn register(&self) -> &Value {
        match self {
            Micro::Read(register, _) | Micro::Write(register, _) => register,
        }
    }
}

fn micro(value: &Value) -> Option<Micro<'_>> {
    let Value::List(parts) = value else { return None };
    let [Value::Text(what), register, value] = &**parts else { return None };
    match &**what {
        "r" | "read" => Some(Micro::Read(register, value)),
        "w" | "write" => Some(Micro::Write(register, value)),
        _ => None,
    }
}

/// The accesses of a transaction; none are there if it is not one.
fn accesses(call: Invocation<'_>) -> impl Iterator<Item = Option<Micro<'_>>> {
    let list = match call.args {
        [Value::List(list)] => &**list,
        _ => &[],
    };
    list.iter().map(micro)
}

impl Spec for MultiRegister {
    /// The registers that do not hold null.
    type State = BTreeMap<Value, Value>;

    fn name(&self) -> &str {
        "multi-register"
    }

    fn signatures(&self) -> &[Signature] {
        SIGNATURES
    }

    fn initial(&self) -> Self::State {
        self.initial.clone()
    }

    fn bytes(&self, state: &Self::State) -> usize {
        size_of_val(state) + tree(state.len(), size_of::<(Value, Value)>())
    }

    fn step(&self, state: &mut Self::State, call: Invocation<'_>) -> Option<Value> {
        let ("txn", [txn @ Value::List(list)]) = (call.method, call.args) else { return None };
        let mut filled: Option<Vec<Value>> = None;
        for (at, access) in list.iter().enumerate() {
            match micro(access)? {
                Micro::Write(register, Value::Null) => drop(state.remove(register)),
                Micro::Write(register, value) => drop(state.insert(register.clone(), value.clone())),
                Micro::Read(register, expected) => {
                    let Some(value) = state.get(register) else {
                        if *expected == Value::Null {
                            continue;
                        }
                        return None;
                    };
                    if *expected == Value::Null {
                        let Value::List(parts) = access else { return None };
                        let read = Value::list([parts[0].clone(), register.clone(), value.clone()]);
                        filled.get_or_insert_with(|| list.to_vec())[at] = read;
                    } else if value != expected {
                        return None;
                    }
                }
            }
        }
        Some(filled.map_or_else(|| txn.clone(), Value::list))
    }

    fn key(&self, call: Invocation<'_>) -> Option<Value> {
        let mut accesses = accesses(call);
        let first = accesses.next()??;
        let rest = accesses.all(|access| access.is_some_and(|access| access.register() == first.register()));
        rest.then(|| first.register().clone())
    }

    fn commute(&self, a: Invocation<'_>, b: Invocation<'_>) -> bool {
        accesses(a).all(|one| {
            accesses(b).all(|other| match (&one, other) {
                (Some(Micro::Read(..)), Some(Micro::Read(..))) => true,
                (Some(one), Some(other)) => one.register() != other.register(),
                _ => false,
            })
        })
    }

    fn read_only(&self, call: Invocation<'_>) -> bool {
        accesses(call).all(|access| matches!(access, Some(Micro::Read(..))))
    }
}

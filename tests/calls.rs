//! Calls of every method of an object, for tests of what specifications promise. They include this file by `#[path]`.

use tribunal_history::object::{Kind, Signature, Value};

/// A call that a test owns.
pub type Call = (String, Vec<Value>);

/// Every method with every choice of a few arguments.
pub fn calls(signatures: &[Signature]) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    for signature in signatures {
        let mut lists: Vec<Vec<Value>> = vec![Vec::new()];
        for kind in signature.args.iter() {
            let values: Vec<Value> = match kind {
                Kind::Any | Kind::Int => vec![1.into(), 2.into()],
                Kind::Text => vec!["a".into(), "b".into()],
                Kind::Bool => vec![false.into(), true.into()],
                Kind::Null => vec![Value::Null],
                Kind::List => transactions(),
            };
            let longer = |args: &Vec<Value>| {
                let args = args.clone();
                values
                    .iter()
                    .map(move |value| [&args[..], std::slice::from_ref(value)].concat())
                    .collect::<Vec<_>>()
            };
            lists = lists.iter().flat_map(longer).collect();
        }
        calls.extend(lists.into_iter().map(|args| (signature.method.to_string(), args)));
    }
    calls
}

fn transactions() -> Vec<Value> {
    let access =
        |what: &str, register: &str, value: Value| Value::list([what.into(), register.into(), value]);
    let accesses = [
        vec![access("r", "x", Value::Null)],
        vec![access("w", "x", 1.into())],
        vec![access("w", "y", 1.into())],
        vec![access("r", "y", 1.into()), access("w", "x", 2.into())],
    ];
    accesses.map(Value::list).into()
}

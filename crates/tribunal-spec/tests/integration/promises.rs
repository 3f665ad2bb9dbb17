//! What declared specifications say of themselves, held against what they do.

use std::path::Path;
use tribunal_engines::object::{BrokenPromise, Explored, Promise, check_promises};
use tribunal_history::object::{Invocation, Kind, Signature, Spec, Value};
use tribunal_spec::Declared;

/// A call that a test owns.
type Call = (String, Vec<Value>);

/// Every method with every choice of a few arguments.
fn calls(signatures: &[Signature]) -> Vec<Call> {
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

fn check<S: Spec>(spec: &S, depth: usize) -> Result<Explored, Box<BrokenPromise>> {
    let calls = calls(spec.signatures());
    let calls: Vec<_> = calls.iter().map(|(method, args)| Invocation { method, args }).collect();
    check_promises(spec, &calls, depth)
}

#[test]
fn what_is_declared_keeps_its_promises() {
    let source = "object o {
        state m: map = {} state s: sequence = []
        method get(k) { return m[k] }
        method put(k, v) { m[k] = v }
        method push(v) { s.push_back(v) }
        method pop() { return s.pop_back() }
        method all() { return s }
        commutes pop() with put(k, v)
    }";
    let declared = |source: &str| Declared::parse(source, "o").expect("a specification");
    check(&declared(source), 2).unwrap_or_else(|broken| panic!("{broken}"));
    // What is said to commute is believed by the engines, and found out here.
    let broken =
        check(&declared(&source.replace("put(k, v)\n    }", "push(v)\n    }")), 2).expect_err("a lie");
    assert_eq!(
        (broken.promise, &broken.calls[..]),
        (Promise::Commute, &["push(1)".into(), "pop()".into()][..])
    );
}

#[test]
fn the_examples_keep_their_promises() {
    let mut count = 0;
    for folder in ["specs", "case-study"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(folder);
        for entry in std::fs::read_dir(folder).expect("the examples") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|extension| extension != "spec") {
                continue;
            }
            let name = path.display().to_string();
            let source = std::fs::read_to_string(&path).expect("a text");
            let spec = Declared::parse(&source, &name).expect("a specification");
            check(&spec, 2).unwrap_or_else(|broken| panic!("{name}: {broken}"));
            count += 1;
        }
    }
    assert!(count > 10, "only {count} examples");
}

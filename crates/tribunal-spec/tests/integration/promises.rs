//! What declared specifications say of themselves, held against what they do.

use std::path::Path;
use tribunal_engines::object::{BrokenPromise, Explored, Promise, check_promises};
use tribunal_history::object::{Invocation, Spec};
use tribunal_spec::Declared;

#[path = "../../../../tests/calls.rs"]
mod calls;

use calls::calls;

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

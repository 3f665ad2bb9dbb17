//! The specifications of `examples/specs` against the built-in ones: on random calls, and as judges of histories.

use std::path::{Path, PathBuf};
use tribunal_engines::object::{Monitor, Status, check};
use tribunal_history::limits::Limits;
use tribunal_history::object::specs::{NAMES, named};
use tribunal_history::object::{Criterion, History, Specification, Value, Verdict};
use tribunal_history::verdict::Limit;
use tribunal_machines::objects::{Clients, Values};
use tribunal_spec::Declared;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/specs")
}

fn declared(name: &str) -> Declared {
    let path = folder().join(format!("{name}.spec"));
    let source = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Declared::parse(&source, &path.display().to_string()).unwrap_or_else(|error| panic!("{error}"))
}

fn histories(name: &str, count: u64, operations: u32, lies: f64) -> impl Iterator<Item = History> {
    let name = name.to_string();
    (0..count).map(move |seed| {
        let values = if seed % 2 == 0 { Values::Upto(3) } else { Values::Distinct };
        let pending = if seed % 3 == 0 { 0.1 } else { 0.0 };
        Clients { processes: 3, operations, values, concurrency: 60, pending, lies, seed }.run(&name)
    })
}

#[test]
fn every_built_in_one_is_declared() {
    for name in NAMES {
        let (ours, native) = (declared(name), named(name).expect(name));
        let ours: &dyn Specification = &ours;
        assert_eq!(ours.name(), native.name());
        let sorted = |spec: &dyn Specification| {
            let mut signatures = spec.signatures().to_vec();
            signatures.sort_by(|a, b| a.method.cmp(&b.method));
            signatures
        };
        assert_eq!(sorted(ours), sorted(&*native), "{name}");
    }
    for entry in std::fs::read_dir(folder()).expect("the folder of examples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "spec") {
            declared(&path.file_stem().expect("a name").to_string_lossy());
        }
    }
}

/// Calls one after another give the same returns, and a call that cannot take effect in one cannot in the other.
#[test]
fn declared_and_native_step_alike() {
    for name in NAMES {
        let (ours, native) = (declared(name), named(name).expect(name));
        let ours: &dyn Specification = &ours;
        for history in histories(name, 60, 100, 0.0) {
            let (mut one, mut other) = (ours.replay(), native.replay());
            for op in history.ops() {
                let call = history.called(op);
                let (mine, theirs) = (one.call(call), other.call(call));
                assert_eq!(mine, theirs, "{name}: {call}");
                if mine.is_none() {
                    one.restart();
                    other.restart();
                }
            }
        }
    }
}

/// What a declared specification claims, the native one claims as well. Calls of different keys are claimed to commute.
#[test]
fn declared_claims_are_native_claims() {
    for name in NAMES {
        let (ours, native) = (declared(name), named(name).expect(name));
        let ours: &dyn Specification = &ours;
        for history in histories(name, 20, 40, 0.0) {
            for a in history.ops() {
                let call = history.called(a);
                assert!(!ours.read_only(call) || native.read_only(call), "{name}: {call}");
                for b in history.ops() {
                    let other = history.called(b);
                    assert!(
                        !ours.commute(call, other) || native.commute(call, other),
                        "{name}: {call} {other}"
                    );
                }
            }
        }
    }
}

/// Declared and native specifications give the same verdicts, on true histories and on others.
#[test]
fn declared_and_native_judge_alike() {
    for name in NAMES {
        let (ours, native) = (declared(name), named(name).expect(name));
        let mut no = 0;
        for (lies, count) in [(0.0, 20), (0.15, 60)] {
            for history in histories(name, count, 10, lies) {
                let verdict = check(&history.typed(&*native).expect("typed"), &Criterion::Linearizable);
                let mine = check(&history.typed(&ours).expect("typed"), &Criterion::Linearizable);
                assert_eq!(mine.word(), verdict.word(), "{name}");
                assert!(lies > 0.0 || verdict.is_consistent(), "{name}: a run of an atomic object");
                no += u32::from(verdict.is_inconsistent());
            }
        }
        // A mutex returns null always: there is nothing to lie about.
        assert!(no > 0 || name == "mutex", "{name}");
    }
}

/// The example of the documentation is a specification.
#[test]
fn the_documented_example_is_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/specifications.md");
    let text = std::fs::read_to_string(path).expect("the documentation");
    let example: Vec<_> = text
        .lines()
        .skip_while(|line| !line.starts_with("    # Tickets"))
        .take_while(|line| line.is_empty() || line.starts_with("    "))
        .collect();
    Declared::parse(&example.join("\n"), "docs/specifications.md").unwrap_or_else(|error| panic!("{error}"));
}

/// What `double` and `nest` make of a state: at some point the search gives up, and no sooner.
#[test]
fn states_that_grow_without_bound_are_given_up() {
    let spec = Declared::parse(
        "object growing {
             state l: list = [0]
             state s: sequence = []
             method double() { l = [l, l] }
             method nest() { l = [l] }
             method pile() { s.push_back(l) l = [l, l] }
             method copy() { s.push_back(l) }
         }",
        "growing.spec",
    )
    .expect("a specification");
    let history = |methods: &[(&str, u64)]| {
        let mut b = History::builder();
        let p = b.process("0");
        let calls = methods.iter().flat_map(|&(method, count)| (0..count).map(move |_| method));
        for (time, method) in (0..).zip(calls) {
            let op = b.call(p, method, &[], 2 * time);
            b.ret(op, Value::Null, 2 * time + 1);
        }
        b.build().expect("a history")
    };
    for (calls, decided) in [
        (&[("double", 18)][..], true),
        (&[("double", 300)], false),
        (&[("nest", 250)], true),
        (&[("nest", 2000)], false),
        (&[("pile", 300)], false),
        (&[("double", 17), ("copy", 5)], true),
        (&[("double", 17), ("copy", 300)], false),
    ] {
        let history = history(calls);
        for criterion in [Criterion::Linearizable, Criterion::Sequential, Criterion::Weak] {
            let verdict = check(&history.typed(&spec).expect("calls that fit"), &criterion);
            if decided {
                assert!(verdict.is_consistent(), "{calls:?} {criterion}: {verdict:?}");
            } else if history.len() <= 512 || criterion != Criterion::Weak {
                assert_eq!(verdict, Verdict::Undecided(Limit::Step), "{calls:?} {criterion}");
            }
            let mut monitor = Monitor::new(&spec, criterion, Limits::default());
            for op in history.ops() {
                monitor.call("0", history.called(op).method, &[]).expect("a call");
                monitor.ret("0", Value::Null).expect("a return");
            }
            let end = monitor.finish();
            assert_eq!(end == Status::Consistent, decided, "{calls:?}: {end:?}");
        }
    }
}

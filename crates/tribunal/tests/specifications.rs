//! The specifications of `examples/specs` against the built-in ones: on random calls, and as judges of histories.

use std::path::{Path, PathBuf};
use tribunal::object::specs::{Declared, NAMES, named};
use tribunal::object::{Criterion, History, Specification, check};
use tribunal_machines::objects::{Clients, Values};

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

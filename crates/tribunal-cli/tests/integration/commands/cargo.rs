//! `cargo tribunal test` on a package without dependencies.

use crate::command::{Place, Ran};
use std::path::Path;
use std::process::Command;

const PACKAGE: &str = "[package]\nname = \"counting\"\nedition = \"2021\"\n[workspace]\n";

const LIBRARY: &str = r#"
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
pub fn add(counter: &AtomicUsize) {
    let now = counter.load(Relaxed);
    counter.store(now + 1, Relaxed);
}
"#;

const TESTS: &str = r#"
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::{sync::Arc, thread};
fn twice(add: fn(&AtomicUsize)) {
    let counter = Arc::new(AtomicUsize::new(0));
    let other = counter.clone();
    let adding = thread::spawn(move || add(&other));
    add(&counter);
    adding.join().unwrap();
    assert_eq!(counter.load(Relaxed), 2, "an increment is lost");
}
#[test]
fn adds() { twice(|counter| drop(counter.fetch_add(1, Relaxed))) }
#[test]
fn loses() { twice(counting::add) }
#[test]
#[should_panic(expected = "on purpose")]
fn panics() { panic!("on purpose") }
#[test]
#[ignore]
fn waits() { panic!() }
"#;

fn test(place: &Place, words: &[&str]) -> Ran {
    let command = Path::new(env!("CARGO_BIN_EXE_cargo-tribunal"));
    let path = [command.parent().expect("a folder").into(), std::env::var_os("PATH").unwrap_or_default()];
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tribunal", "test"]).args(words).current_dir(place.path("."));
    cargo
        .env("PATH", path.join(std::ffi::OsStr::new(":")))
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("RUSTFLAGS");
    cargo.output().expect("cargo runs").into()
}

#[test]
#[ignore = "builds a package, and needs the library of `tribunal run`"]
fn tests_of_a_package() {
    let place = Place::with("Cargo.toml", PACKAGE);
    std::fs::create_dir_all(place.path("src")).expect("a folder");
    std::fs::create_dir_all(place.path("tests")).expect("a folder");
    place.write("src/lib.rs", LIBRARY);
    place.write("tests/count.rs", TESTS);

    let ran = test(&place, &[]);
    let lines: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("test ")).collect();
    assert_eq!(ran.status, 1, "{ran:?}");
    assert_eq!(lines.len(), 5, "{ran:?}");
    assert!(lines[0].starts_with("test adds ... ok, "), "{ran:?}");
    let lost = "test loses ... FAILED: panic at tests/count.rs:10:5: assertion `left == right` failed: an increment is lost";
    assert_eq!(lines[1], lost);
    assert_eq!(lines[2], "test panics ... ok, its 1 execution");
    assert_eq!(lines[3], "test waits ... ignored");
    assert!(
        lines[4].starts_with("test result: FAILED. 2 passed; 1 failed; 0 undecided; 1 ignored; "),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("lib.rs:4"), "{ran:?}");

    let some = test(&place, &["adds", "--", "--random", "10", "--style", "brief"]);
    assert_eq!(
        (some.status, some.stdout.as_str()),
        (0, "adds: rc20: no failure in 10 executions by chance\n"),
        "{some:?}"
    );
}

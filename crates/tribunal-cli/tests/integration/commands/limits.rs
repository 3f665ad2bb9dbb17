//! Limits that hold whatever is asked: memory that there is not, files without an end, numbers without sense.

use crate::command::{Place, Ran, SEEN};
use std::fs::File;
use std::os::unix::fs::symlink;
use std::process::Command;

/// Runs the command where the system gives it so many kilobytes of address space.
fn within(place: &Place, kilobytes: u32, arguments: &str) -> Ran {
    let line = format!("ulimit -v {kilobytes}; exec {} {arguments}", env!("CARGO_BIN_EXE_tribunal"));
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).current_dir(place.path(""));
    shell.output().expect("a shell").into()
}

#[test]
fn without_memory_the_answers_so_far_are_printed_and_the_rest_is_undecided() {
    let place = Place::with("seen.txt", SEEN);
    // One line of a quarter of a gigabyte.
    File::create(place.path("long.txt"))
        .and_then(|file| file.set_len(250 << 20))
        .expect("a file with a hole");
    let ran = within(&place, 400_000, "check -m sc --style brief --threads 1 -f text seen.txt long.txt");
    assert_eq!((ran.status, ran.stdout.as_str()), (3, "OK\n"), "{ran:?}");
    assert!(ran.stderr.starts_with("undecided: out of memory"), "{ran:?}");
}

#[test]
fn texts_without_an_end_are_errors() {
    let place = Place::with("seen.txt", SEEN);
    place.write("include.cat", "test\ninclude \"endless.cat\"\n");
    place.write("mp.litmus", "C mp\n{}\nP0 (atomic_int* x) { *x = 1; }\nexists (x=1)\n");
    for name in
        ["endless.cat", "endless.spec", "endless.prog", "endless.litmus", "endless.def", "endless.html"]
    {
        symlink("/dev/zero", place.path(name)).expect("a link");
    }
    for arguments in [
        &["check", "-m", "endless.cat", "seen.txt"][..],
        &["check", "-m", "include.cat", "seen.txt"],
        &["check", "--spec", "endless.spec", "seen.txt"],
        &["explore", "endless.prog"],
        &["litmus", "endless.litmus"],
        &["litmus", "--macros", "endless.def", "mp.litmus"],
        &["record", "memory", "--program", "endless.litmus"],
        &["generate", "hard", "sat", "--dimacs", "endless.prog"],
        &["serve", "--port", "0", "--page", "endless.html"],
    ] {
        let ran = place.run(arguments);
        assert_eq!(ran.status, 2, "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains("more than 64 MiB"), "{arguments:?}: {ran:?}");
    }
}

#[test]
fn histories_that_nothing_could_hold_are_not_generated() {
    let place = Place::new();
    for (what, option, number) in [
        ("sat", "--variables", "1000000000"),
        ("sat", "--clauses", "4294967295"),
        ("triangles", "--nodes", "4294967295"),
        ("triangles", "--edges", "4294967295"),
    ] {
        let ran = place.run(&["generate", "hard", what, option, number]);
        assert_eq!(ran.status, 2, "{option}: {ran:?}");
    }
    let ran = place.run(&["generate", "hard", "sat", "--variables", "1000000", "--ratio", "900"]);
    assert_eq!(
        (ran.status, ran.stderr.as_str()),
        (2, "error: the formula would have more than 4194304 clauses\n")
    );
}

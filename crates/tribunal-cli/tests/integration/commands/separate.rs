//! `tribunal separate`, and what docs/models.md shows of it.

use crate::command::Place;

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The stored separations, as a shell would expand examples/separations/*.txt.
fn stored() -> Vec<String> {
    let files = std::fs::read_dir(root().join("examples/separations")).expect("the folder of separations");
    let name = |file: std::io::Result<std::fs::DirEntry>| file.expect("a file").file_name().into_string();
    let mut names: Vec<String> = files.map(|file| name(file).expect("a name")).collect();
    names.sort();
    names.iter().map(|name| format!("examples/separations/{name}")).collect()
}

/// The indented block of a document that begins with this line, without the line.
fn block(document: &str, first: &str) -> String {
    let text = std::fs::read_to_string(root().join(document)).expect("a document");
    let lines = text.lines().skip_while(|line| line.trim() != first).skip(1);
    let lines = lines.take_while(|line| line.is_empty() || line.starts_with("    "));
    let block: Vec<&str> = lines.map(|line| line.strip_prefix("    ").unwrap_or("")).collect();
    block.join("\n").trim_end().to_string()
}

/// How the models relate is found anew, and is what the document and the picture say.
#[test]
fn the_table_and_the_picture_are_true() {
    const MAKE: &str = "tribunal separate --known examples/separations/*.txt --svg docs/hierarchy.svg";
    let place = Place::new();
    let svg = place.path("hierarchy.svg");
    let ran = Command::new(env!("CARGO_BIN_EXE_tribunal"))
        .args(["separate", "--svg"])
        .arg(&svg)
        .arg("--known")
        .args(stored())
        .current_dir(root())
        .output()
        .expect("the command runs");
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    let table = String::from_utf8(ran.stdout).expect("text");
    let shown = block("docs/models.md", "$ tribunal separate --known examples/separations/*.txt");
    assert_eq!(shown, table.trim_end(), "docs/models.md is to show what this prints: {MAKE}");
    let picture = std::fs::read_to_string(root().join("docs/hierarchy.svg")).expect("the picture");
    assert_eq!(picture, place.read("hierarchy.svg"), "docs/hierarchy.svg is drawn anew by: {MAKE}");
}

#[test]
fn criteria_are_separated_too_and_inclusions_are_not() {
    let place = Place::new();
    let ran = place.run(&["separate", "--in", "hbvis", "--out", "mr"]);
    assert_eq!((ran.status, ran.last_line()), (0, "3 operations separate hbvis and mr; no fewer do"));
    for (allows, forbids) in [("tso", "pso"), ("sc", "cc"), ("linearizable", "weak"), ("strict-ser", "rc")] {
        let ran = place.run(&["separate", "--in", allows, "--out", forbids, "--events", "8"]);
        let none = format!(
            "{allows} is included in {forbids}: every history that {allows} allows, {forbids} allows\n"
        );
        assert_eq!((ran.status, ran.stdout), (1, none));
    }
}

#[test]
fn a_history_is_found_and_explained() {
    let ran = Place::new().run(&["separate", "--in", "pso", "--out", "tso"]);
    assert_eq!((ran.status, &*ran.stderr), (0, ""));
    assert!(ran.stdout.starts_with("name: pso, not tso\nT0: "), "{}", ran.stdout);
    assert!(ran.stdout.contains("\npso: consistent\ntso: inconsistent, breaks global"), "{}", ran.stdout);
    assert_eq!(ran.last_line(), "4 events separate pso and tso; no fewer do");
}

#[test]
fn a_history_is_written_alone() {
    let place = Place::new();
    let ran = place.run(&["separate", "--in", "rmo", "--out", "coherence", "-o", "found.jsonl"]);
    assert_eq!((ran.status, &*ran.stdout), (0, ""));
    assert_eq!(ran.stderr, "3 events separate rmo and coherence; no fewer do\n");
    let checked = place.run(&["check", "--model", "rmo,coherence", "--style", "brief", "found.jsonl"]);
    assert_eq!((checked.status, &*checked.stdout), (1, "NO\n"));
    let checked = place.run(&["check", "--model", "rmo", "--style", "brief", "found.jsonl"]);
    assert_eq!((checked.status, &*checked.stdout), (0, "OK\n"));
    let ran = place.run(&["separate", "--in", "weak", "--out", "ryw", "--spec", "counter", "--to", "edn"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.stdout.contains(":inc"), "{}", ran.stdout);
}

#[test]
fn none_is_an_answer() {
    let place = Place::new();
    // Nothing is known of what a pair includes.
    let tso = "po-mm=RR+RW+WW;rf-mm=rfe";
    let ran = place.run(&["separate", "--in", "sc", "--out", tso, "--events", "4"]);
    assert_eq!(ran.status, 3);
    let none = format!("none up to 4 events: {tso} allows what sc allows (");
    assert!(ran.stdout.starts_with(&none), "{}", ran.stdout);
    let ran = place.run(&["separate", "--in", "sc", "--out", tso, "--events", "8", "--timeout", "0.2"]);
    assert_eq!(ran.status, 3);
    assert!(ran.stdout.starts_with("undecided: the time limit was reached; none up to "), "{}", ran.stdout);
    let ran = place.run(&["separate", "--in", "hbvis", "--out", "mr", "--events", "2"]);
    assert_eq!(ran.status, 3);
    assert!(ran.stdout.starts_with("none up to 2 operations: mr allows"), "{}", ran.stdout);
}

#[test]
fn a_known_history_stands_in() {
    let place = Place::with("known.txt", "T0: W x 1; W y 1\nT1: R y 1; R x 0\n");
    let ran = place.run(&["separate", "--in", "pso", "--out", "tso", "--known", "known.txt"]);
    assert_eq!(ran.status, 0);
    assert!(ran.stdout.starts_with("T0: W x 1; W y 1\nT1: R y 1; R x 0\n"), "{}", ran.stdout);
    assert_eq!(ran.last_line(), "4 events separate pso and tso; no fewer do");
    let ran =
        place.run(&["separate", "--in", "pso", "--out", "tso", "--known", "known.txt", "--events", "2"]);
    assert_eq!(ran.last_line(), "4 events separate pso and tso; perhaps fewer do");
}

#[test]
fn what_cannot_be_separated_is_refused() {
    let place = Place::new();
    for (arguments, problem) in [
        (&["--in", "sc", "--out", "sc"][..], "nothing that sc allows is forbidden by itself"),
        (&["--in", "sc", "--out", "weak"], "which have none in common"),
        (&["--in", "sc"], "--out <MODEL>"),
        (&["--in", "sc", "--out", "tso", "--events", "9"], "9 is not in 1..=8"),
        (&["--in", "sc", "--out", "tso", "--known", "nothing.txt"], "nothing.txt: "),
        (&["--in", "weak", "--out", "ryw", "--spec", "quoue"], "--spec quoue"),
    ] {
        let mut all = vec!["separate"];
        all.extend(arguments);
        let ran = place.run(&all);
        assert_eq!((ran.status, &*ran.stdout), (2, ""), "{arguments:?}");
        assert!(ran.stderr.contains(problem), "{arguments:?}: {}", ran.stderr);
    }
}

/// Whoever reads it may leave early, and a user may stop it.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_search() {
    use std::process::Stdio;
    let child = Command::new(env!("CARGO_BIN_EXE_tribunal"))
        .args(["separate", "--in", "sc", "--out", "po-mm=RR+RW+WW;rf-mm=rfe", "--events", "8"])
        .stdout(Stdio::null())
        .spawn()
        .expect("the command runs");
    std::thread::sleep(std::time::Duration::from_millis(500));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it is running");
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(130));
}

#[test]
fn levels_are_separated_by_their_anomalies() {
    let place = Place::new();
    for (allows, forbids, name, size) in [
        ("si", "ser", "write skew", 4),
        ("pc", "psi", "lost update", 4),
        ("mav", "rat", "non-repeatable read", 3),
        ("ru", "rc", "G1a", 2),
        ("rat", "session-rat", "stale session read", 2),
        ("session-ser", "strict-rc", "G1c-realtime", 2),
    ] {
        let ran = place.run(&["separate", "--in", allows, "--out", forbids]);
        assert_eq!(ran.status, 0, "{allows} {forbids}: {}", ran.stderr);
        assert!(ran.stdout.contains(name), "{allows} {forbids}: {}", ran.stdout);
        let smallest = format!("{size} operations separate {allows} and {forbids}; no fewer do");
        assert!(ran.stdout.contains(&smallest), "{allows} {forbids}: {}", ran.stdout);
    }
    let ran = place.run(&["separate", "--in", "ser", "--out", "si"]);
    assert_eq!(ran.status, 1, "{}", ran.stdout);
}

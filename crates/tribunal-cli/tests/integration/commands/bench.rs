//! `tribunal bench`: what surrounds the measuring. The suites are tested in tribunal-bench, and measured by hand.

use crate::command::Place;

#[test]
fn the_suites_are_listed_and_named_in_the_document() {
    let place = Place::with("d.md", "");
    let list = place.run(&["bench", "--list"]).stdout;
    let document = std::fs::read_to_string("../../docs/measurements.md").expect("a document");
    for suite in ["c11", "incremental", "sc", "tso", "kernel", "subset", "weak"] {
        assert!(list.lines().any(|line| line.starts_with(&format!("{suite} "))), "{suite}: {list}");
    }
    for line in list.lines() {
        let suite = line.split(' ').next().expect("a name");
        for mark in [format!("<!-- bench {suite} -->\n"), format!("<!-- end bench {suite} -->\n")] {
            assert_eq!(document.matches(&mark).count(), 1, "{mark}");
        }
    }
}

#[test]
fn a_document_without_a_place_for_the_figures_is_refused_before_anything_is_measured() {
    let place = Place::with("d.md", "words\n");
    let ran = place.run(&["bench", "sc", "--into", "d.md"]);
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    assert_eq!(ran.stderr, "error: d.md: no line `<!-- bench sc -->` to put the figures of sc at\n");
}

#[test]
fn unknown_suites_and_loads_are_bad_usage() {
    let place = Place::with("d.md", "");
    assert_eq!(place.run(&["bench", "speed"]).status, 2);
    assert_eq!(place.run(&["bench"]).status, 2);
    assert_eq!(place.run(&["bench", "--measure-memory", "view", "ra", "many"]).status, 2);
}

#[test]
fn a_process_weighs_itself() {
    let place = Place::with("d.md", "");
    let ran = place.run(&["bench", "--measure-memory", "view", "ra", "10000"]);
    if ran.status == 2 && ran.stderr.contains("does not say") {
        return;
    }
    let figures: Vec<f64> = ran.stdout.split_whitespace().map(|f| f.parse().expect("a figure")).collect();
    let [history, building, checking] = figures[..] else { panic!("{}", ran.stdout) };
    assert!(0.0 < history && history < building && history < checking, "{figures:?}");
}

/// What was measured until then is printed.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_suite() {
    use std::process::{Command, Stdio};
    let place = Place::new();
    let child = Command::new(env!("CARGO_BIN_EXE_tribunal"))
        .args(["bench", "sc"])
        .current_dir(place.path("."))
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command runs");
    std::thread::sleep(std::time::Duration::from_millis(500));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it is running");
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(130));
    assert!(ended.stdout.starts_with(b"sc: "), "{}", String::from_utf8_lossy(&ended.stdout));
}

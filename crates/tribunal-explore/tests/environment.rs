//! What a user asks of a failing test by variables of the environment.

use std::process::Command;
use tribunal_explore::sync::atomic::{AtomicBool, Ordering::*};
use tribunal_explore::{explore, thread};

/// Fails: Dekker's entry with one store too weak.
#[test]
#[ignore = "it fails, and is run by the others"]
fn dekker() {
    explore(|| {
        static X: AtomicBool = AtomicBool::new(false);
        static Y: AtomicBool = AtomicBool::new(false);
        let thread = thread::spawn(|| {
            Y.store(true, Release);
            X.load(SeqCst)
        });
        X.store(true, SeqCst);
        let seen = Y.load(SeqCst);
        assert!(thread.join().expect("it does not panic") || seen, "both went in");
    });
}

/// What the failing test says.
fn said(variables: &[(&str, &str)]) -> String {
    let tests = std::env::current_exe().expect("a test has a path");
    let run = Command::new(tests)
        .args(["--ignored", "--exact", "dekker", "--nocapture", "--test-threads=1"])
        .envs(variables.iter().copied())
        .output()
        .expect("the tests run");
    assert!(!run.status.success());
    String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr)
}

#[test]
fn a_failure_has_a_replay_that_fails_again() {
    let first = said(&[]);
    assert!(first.contains("both went in") && first.contains("store buffering"), "{first}");
    let replay = first.lines().find_map(|line| line.strip_prefix("replay: ")).expect("a replay");
    let again = said(&[("TRIBUNAL_REPLAY", replay)]);
    assert!(
        again.contains("in the execution of TRIBUNAL_REPLAY") && again.contains("both went in"),
        "{again}"
    );
    let wrong = said(&[("TRIBUNAL_REPLAY", "nonsense")]);
    assert!(wrong.contains("TRIBUNAL_REPLAY: "), "{wrong}");
}

#[test]
fn a_diagnosis_names_the_repair() {
    let said = said(&[("TRIBUNAL_DIAGNOSE", "20"), ("TRIBUNAL_THREADS", "2")]);
    assert!(said.contains("seq_cst instead of release"), "{said}");
    assert!(said.contains("sc ") && said.contains("passes"), "{said}");
}

#[test]
fn a_history_is_written() {
    let path = std::env::temp_dir().join(format!("tribunal-{}.txt", std::process::id()));
    let path = path.to_str().expect("a name in UTF-8");
    let said = said(&[("TRIBUNAL_HISTORY", path)]);
    assert!(said.contains(&format!("history: {path}")), "{said}");
    let history = std::fs::read_to_string(path).expect("it is there");
    std::fs::remove_file(path).expect("it is ours");
    assert!(history.contains("W.sc") || history.contains("W"), "{history}");
}

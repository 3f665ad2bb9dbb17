//! What a user asks of a failing test by variables of the environment.

use std::process::Command;
use tribunal_explore::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
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
    said_by("dekker", variables)
}

fn said_by(test: &str, variables: &[(&str, &str)]) -> String {
    let tests = std::env::current_exe().expect("a test has a path");
    let run = Command::new(tests)
        .args(["--ignored", "--exact", &format!("environment::{test}"), "--nocapture", "--test-threads=1"])
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

/// Hangs: a thread waits for a lock of std that the main thread holds at an operation.
#[test]
#[ignore = "it hangs, and is run by another"]
fn a_std_mutex() {
    explore(|| {
        static X: AtomicBool = AtomicBool::new(false);
        static LOCK: std::sync::Mutex<()> = std::sync::Mutex::new(());
        let guard = LOCK.lock();
        let thread = thread::spawn(|| {
            X.store(true, Relaxed);
            let _guard = LOCK.lock();
        });
        thread.join().expect("it does not panic");
        drop(guard);
    });
}

#[test]
fn a_test_that_hangs_says_where() {
    let said = said_by("a_std_mutex", &[("TRIBUNAL_HANG", "7")]);
    assert!(said.contains("a std Mutex") && said.contains("T1 has not come to another operation"), "{said}");
    assert!(
        said.contains("since its operation at crates/tribunal-explore/tests/integration/environment.rs:"),
        "{said}"
    );
}

/// Fails: the order of a map differs from run to run.
#[test]
#[ignore = "it fails, and is run by another"]
fn a_hash_map() {
    explore(|| {
        static X: AtomicUsize = AtomicUsize::new(0);
        static Y: AtomicUsize = AtomicUsize::new(0);
        let map: std::collections::HashMap<usize, usize> = (0..20).map(|i| (i, i)).collect();
        let thread = thread::spawn(|| {
            X.store(1, Relaxed);
            Y.store(1, Relaxed);
        });
        for key in map.keys() {
            if key % 2 == 0 {
                X.load(Relaxed);
            } else {
                Y.load(Relaxed);
            }
        }
        thread.join().expect("it does not panic");
    });
}

#[test]
fn a_test_that_is_not_deterministic_names_likely_causes() {
    let said = said_by("a_hash_map", &[]);
    assert!(said.contains("the test is not deterministic") && said.contains("BTreeMap"), "{said}");
    assert!(said.contains("instead of a load (relaxed) at "), "{said}");
    assert!(said.contains("alloc::Deterministic"), "{said}");
}

/// The panic that fails a test is at the test's own line, not at one of this crate.
#[test]
fn a_failure_is_at_the_line_of_the_test() {
    let said = said_by("dekker", &[]);
    let line = said.lines().find(|line| line.contains("panicked at")).expect("a panic");
    assert!(line.contains("tests/integration/environment.rs:"), "{line}");
}

#[test]
fn a_diagnosis_comes_after_the_failure() {
    let said = said_by("dekker", &[("TRIBUNAL_DIAGNOSE", "20")]);
    let [failure, panic, repair] =
        ["both went in", "panicked at", "an ordering bug"].map(|text| said.find(text).expect("it is said"));
    assert!(failure < panic && panic < repair, "{said}");
}

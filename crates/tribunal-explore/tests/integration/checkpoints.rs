//! Explorations that end early go on where they were, and what is traced is what happens.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use tribunal_explore::sync::Mutex;
use tribunal_explore::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tribunal_explore::{End, Explorer, thread};

/// A file of this test's own, which is not there.
fn file(name: &str) -> PathBuf {
    let file = std::env::temp_dir().join(format!("tribunal-{name}-{}", std::process::id()));
    let _ = fs::remove_file(&file);
    file
}

/// Threads that count, under a lock and without.
fn counting(threads: usize) -> impl Fn() + Send + Sync + 'static {
    move || {
        let counts = std::sync::Arc::new((Mutex::new(0), AtomicUsize::new(0)));
        let add = |counts: &(Mutex<usize>, AtomicUsize)| {
            *counts.0.lock().expect("no panic") += 1;
            counts.1.load(Relaxed);
            counts.1.store(1, Relaxed);
        };
        let spawned: Vec<_> = (1..threads)
            .map(|_| {
                let counts = counts.clone();
                thread::spawn(move || add(&counts))
            })
            .collect();
        add(&counts);
        spawned.into_iter().for_each(|thread| thread.join().expect("no panic"));
    }
}

/// Explored in parts, there are as many executions as at once, blocked ones too, whatever ended the parts.
#[test]
fn parts_make_a_whole() {
    for bound in [None, Some(1)] {
        let explorer = Explorer::new().max_preemptions(bound);
        let whole = explorer.check(counting(3));
        for part in [1, 7, 50] {
            let file = file(&format!("parts-{part}-{}", bound.is_some()));
            let mut parts = 0;
            let end = loop {
                let most = part * (parts + 1);
                let report = explorer.clone().max_executions(most).checkpoint(&file, 3).check(counting(3));
                parts += 1;
                if report.end != End::MaxExecutions {
                    break report;
                }
                assert_eq!(report.executions, most, "it goes on counting");
                assert!(file.exists());
            };
            assert_eq!((end.end, end.executions), (whole.end, whole.executions), "{part} {bound:?}");
            assert_eq!((end.blocked, end.outside), (whole.blocked, whole.outside), "{part} {bound:?}");
            assert!(parts >= whole.executions / part, "{parts} parts of {part}");
            // With nothing left to do there is nothing to go on with.
            assert!(!file.exists(), "{part} {bound:?}");
        }
    }
}

/// Ended by time, again and again, it comes to its end.
#[test]
fn time_does_not_matter() {
    let whole = Explorer::new().check(counting(4));
    let file = file("time");
    let mut most = std::time::Duration::from_millis(2);
    let end = loop {
        let report = Explorer::new().max_duration(most).checkpoint(&file, 10).check(counting(4));
        if report.end != End::MaxDuration {
            break report;
        }
        most += std::time::Duration::from_millis(2);
    };
    assert_eq!((end.end, end.executions, end.blocked), (End::Complete, whole.executions, whole.blocked));
}

/// What is of another program, or is no checkpoint, is not gone on from.
#[test]
fn another_program_is_explored_from_the_beginning() {
    let file = file("other");
    let first = Explorer::new().max_executions(100).checkpoint(&file, 10).check(counting(4));
    assert_eq!(first.end, End::MaxExecutions);
    let two = Explorer::new().check(counting(2));
    let other = Explorer::new().checkpoint(&file, 10).check(counting(2));
    assert_eq!((other.end, other.executions), (End::Complete, two.executions));
    fs::write(&file, "nonsense").expect("a file");
    let again = Explorer::new().checkpoint(&file, 10).check(counting(2));
    assert_eq!((again.end, again.executions), (End::Complete, two.executions));
}

#[test]
#[ignore = "it is run by the other"]
fn traced() {
    tribunal_explore::explore(|| {
        let x = std::sync::Arc::new(AtomicUsize::new(0));
        let other = x.clone();
        let thread = thread::spawn(move || other.store(7, Relaxed));
        x.load(Relaxed);
        thread.join().expect("no panic");
    });
}

#[test]
fn operations_are_printed() {
    let test = std::env::current_exe().expect("a test");
    let ran = Command::new(test)
        .args(["--ignored", "--exact", "checkpoints::traced", "--nocapture"])
        .env("TRIBUNAL_TRACE", "1")
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&ran.stderr);
    for line in ["run 1", "run 2", "a store of 7 (relaxed) of", " = 7", " = 0", "a spawn", "main: its end"] {
        assert!(said.contains(line), "{line}:\n{said}");
    }
    assert!(said.contains("checkpoints.rs:"), "{said}");
}

//! Ends of explorations that did not see all: bounds on preemptions, limits, and estimates of what is left.

use std::process::Command;
use std::sync::Arc as StdArc;
use tribunal_explore::sync::atomic::{AtomicU32, Ordering::*};
use tribunal_explore::sync::{Arc, Condvar, Mutex};
use tribunal_explore::text::{Source, explore};
use tribunal_explore::{End, Explorer, Options, Problem, Report, hint, thread};

fn panics(report: &Report) -> bool {
    report.failure.as_ref().is_some_and(|failure| matches!(failure.problem, Problem::Panic { .. }))
}

/// Two threads take turns. Whoever gives way waits, so there is no preemption, however often they do.
#[test]
fn a_ping_pong_of_threads_that_wait_needs_no_preemption() {
    fn spinning(end: bool) {
        let turn = Arc::new(AtomicU32::new(0));
        let other = turn.clone();
        let take_turns = |turn: &AtomicU32, parity: u32| {
            for round in 0..3 {
                while turn.load(Acquire) != 2 * round + parity {
                    hint::spin_loop();
                }
                turn.store(2 * round + parity + 1, Release);
            }
        };
        let thread = thread::spawn(move || take_turns(&other, 1));
        take_turns(&turn, 0);
        thread.join().expect("it ends");
        assert!(end, "both have come to their end");
    }
    fn with_condvar(end: bool) {
        let shared = Arc::new((Mutex::new(0), Condvar::new()));
        let other = shared.clone();
        let take_turns = |(turn, changed): &(Mutex<u32>, Condvar), parity: u32| {
            for round in 0..2 {
                let mut turn = turn.lock().expect("not poisoned");
                while *turn != 2 * round + parity {
                    turn = changed.wait(turn).expect("not poisoned");
                }
                *turn += 1;
                changed.notify_all();
            }
        };
        let thread = thread::spawn(move || take_turns(&other, 1));
        take_turns(&shared, 0);
        thread.join().expect("it ends");
        assert!(end, "both have come to their end");
    }
    for bound in 0..4 {
        let explorer = Explorer::new().max_preemptions(bound);
        for program in [spinning, with_condvar] {
            let fails = explorer.check(move || program(false));
            assert!(panics(&fails), "bound {bound}: {:?} {:?}", fails.end, fails.unfinished());
            let passes = explorer.check(move || program(true));
            assert!(passes.failure.is_none() && passes.executions > 0, "bound {bound}: {passes:?}");
        }
    }
}

/// Two threads that never wait: the one that sees the other's last answer has left it, and been left, three times.
#[test]
fn a_ping_pong_of_threads_that_do_not_wait_needs_its_preemptions() {
    let text = |assertion: &str| {
        format!(
            "atomic x, y
             thread A {{ x = 1 @rel; if y @acq == 1 {{ x = 2 @rel; a = y @acq; {assertion} }} }}
             thread B {{ if x @acq == 1 {{ y = 1 @rel; if x @acq == 2 {{ y = 2 @rel }} }} }}"
        )
    };
    let found = |assertion: &str, bound: Option<usize>| {
        let code = Source::parse(&text(assertion)).and_then(|source| source.compile(&[]));
        let options = Options { max_preemptions: bound, ..Options::default() };
        explore(StdArc::new(code.expect("a program")), &options).expect("rc20").report
    };
    let fails: Vec<bool> = (0..5).map(|bound| panics(&found("assert a != 2", Some(bound)))).collect();
    assert_eq!(fails[3..], [true, true]);
    let all = found("", None);
    let within: Vec<u64> = (0..5).map(|bound| found("", Some(bound)).executions).collect();
    // With none: A before B, and B before A.
    assert_eq!(within[0], 2, "{within:?}");
    assert!(within.is_sorted() && within[2] < within[3], "{within:?}");
    assert_eq!(within[3], all.executions);
    assert_eq!(all.end, End::Complete);
}

fn limited(text: &str, executions: u64) -> Report {
    let code = Source::parse(text).and_then(|source| source.compile(&[])).expect("a program");
    let options = Options { max_executions: Some(executions), ..Options::default() };
    explore(StdArc::new(code), &options).expect("rc20").report
}

/// Trees whose size is known: 3^k independent reads, in either order of threads, and n! orders of RMWs.
#[test]
fn estimates_of_trees_of_known_size() {
    let independent = |k: usize, readers_first: bool| {
        let names: Vec<String> = (0..k).map(|i| format!("x{i}")).collect();
        let writes: String = names.iter().map(|x| format!("{x} = 1; {x} = 2; ")).collect();
        let reads: String = names.iter().enumerate().map(|(i, x)| format!("r{i} = {x}; ")).collect();
        let (first, second) = if readers_first { (reads, writes) } else { (writes, reads) };
        format!("atomic {} @rlx\nthread A {{ {first} }}\nthread B {{ {second} }}", names.join(", "))
    };
    let factorial = |n: usize| {
        let threads: String = (0..n).map(|i| format!("thread T{i} {{ x += 1 }}\n")).collect();
        format!("atomic x @rlx\n{threads}")
    };
    let powers = [(5, 243.0), (12, 531_441.0), (31, 617_673_396_283_947.0)];
    let mut trees: Vec<(String, f64)> = Vec::new();
    for (k, size) in powers {
        trees.extend([false, true].map(|readers_first| (independent(k, readers_first), size)));
    }
    trees.extend([(5, 120.0), (8, 40_320.0)].map(|(n, size)| (factorial(n), size)));
    let mut known = 0;
    for (text, size) in &trees {
        for seen in [50, 4000] {
            let report = limited(text, seen);
            println!("{size}: {:?} {:?}", report.end, report.unfinished());
            if report.end == End::Complete {
                assert_eq!((report.executions as f64, report.estimate), (*size, None));
                continue;
            }
            assert_eq!((report.end, report.executions), (End::MaxExecutions, seen));
            if let Some(estimate) = report.estimate {
                known += 1;
                let off = (estimate.executions - size).abs();
                assert!(off <= 2.0 * estimate.error + 1e-9 * size, "{estimate} of {size}\n{text}");
            }
        }
    }
    assert!(known >= 7, "{known}");
}

/// What a limit leaves out is said; whether it fails is up to the environment.
#[test]
#[ignore = "it is run by the others"]
fn limited_run() {
    Explorer::new().max_executions(10).run(|| {
        static X: AtomicU32 = AtomicU32::new(0);
        let threads: Vec<_> = (0..4).map(|_| thread::spawn(|| X.fetch_add(1, Relaxed))).collect();
        threads.into_iter().for_each(|thread| _ = thread.join());
    });
}

/// Not one execution is complete.
#[test]
#[ignore = "it is run by the others"]
fn limited_run_that_shows_nothing() {
    Explorer::new().max_duration(std::time::Duration::ZERO).run(|| ());
}

fn said(test: &str, variables: &[(&str, &str)]) -> (bool, String) {
    let tests = std::env::current_exe().expect("a test has a path");
    let run = Command::new(tests)
        .args(["--ignored", "--exact", &format!("bounds::{test}"), "--test-threads=1"])
        .envs(variables.iter().copied())
        .output()
        .expect("the tests run");
    (run.status.success(), String::from_utf8_lossy(&[run.stdout, run.stderr].concat()).into_owned())
}

#[test]
fn an_end_that_is_not_complete_says_so() {
    let (passes, text) = said("limited_run", &[]);
    assert!(passes, "{text}");
    let line = text.lines().find(|line| line.contains("not complete")).expect("a line");
    assert!(line.contains("bounds.rs:") && line.contains("10 executions; the limit of executions"), "{line}");
    assert!(line.contains("there are about 24 (± 0 %)"), "{line}");
    let (passes, text) = said("limited_run", &[("TRIBUNAL_REQUIRE_COMPLETE", "0")]);
    assert!(passes, "{text}");
    let (passes, text) = said("limited_run", &[("TRIBUNAL_REQUIRE_COMPLETE", "1")]);
    assert!(!passes && text.contains("not complete: 10 executions"), "{text}");
    let (passes, text) = said("limited_run_that_shows_nothing", &[]);
    assert!(!passes && text.contains("no execution is complete; the limit of time was reached"), "{text}");
}

//! Programs in C and C++ that reach what the runtime takes over from libc: each is compiled as it is, and explored.
//!
//! Counts of executions are those that the program's own synchronization leaves open, reasoned out where that is not obvious.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The folder of the programs.
const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/integration/programs");

/// The folder of cargo's output for this profile.
fn output() -> PathBuf {
    let own = std::env::current_exe().expect("a test has a file");
    own.ancestors().nth(2).expect("tests are in `deps`").to_path_buf()
}

/// The runtime under the names that compilers give it, in a folder of its own.
fn runtime() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let output = output();
        let places = [output.join("deps/libtribunal_run.so"), output.join("libtribunal_run.so")];
        let found = places.iter().find(|place| place.exists()).unwrap_or_else(|| {
            let mut build = Command::new(env!("CARGO"));
            build.args(["build", "-p", "tribunal-run", "--target-dir"]).arg(output.parent().expect("target"));
            if output.ends_with("release") {
                build.arg("--release");
            }
            assert!(build.status().expect("cargo runs").success(), "the runtime is not built");
            &places[1]
        });
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runtime");
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        for name in ["libtsan.so.2", "libtsan.so", "libclang_rt.tsan-x86_64.so"] {
            let link = folder.join(name);
            let _ = std::fs::remove_file(&link);
            std::os::unix::fs::symlink(found, link).expect("a link can be made");
        }
        folder
    })
}

/// Compiles a program, unless that was done: its file, or none if there is no such compiler.
fn compiled(compiler: &str, program: &str) -> Option<PathBuf> {
    let source = Path::new(PROGRAMS).join(program);
    let name = format!("{}-{compiler}", program.replace('.', "-"));
    let binary = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let changed = |file: &Path| file.metadata().and_then(|data| data.modified()).ok();
    if changed(&binary) > changed(&source) {
        return Some(binary);
    }
    let mut command = Command::new(compiler);
    command.args(["-g", "-O1", "-fsanitize=thread"]);
    if program.ends_with(".cpp") {
        command.args(["-std=c++20", "-latomic"]);
    }
    if compiler.starts_with("clang") {
        command.arg("-shared-libsan");
    }
    command.arg(&source).arg("-o").arg(&binary).arg(runtime().join("libtsan.so.2"));
    match command.output() {
        Ok(output) => {
            assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
            Some(binary)
        }
        Err(_) => {
            println!("{program}: skipped, there is no {compiler}");
            None
        }
    }
}

/// What the runtime reports of a program under a model.
fn report(compiler: &str, program: &str, model: &str) -> Option<Value> {
    let binary = compiled(compiler, program)?;
    let mut command = Command::new("setarch");
    command.arg("-R").arg(binary).current_dir(PROGRAMS).env("LD_LIBRARY_PATH", runtime());
    command.env("TRIBUNAL_REPORT", "1").env("TRIBUNAL_MODEL", model).env("TRIBUNAL_TIMEOUT", "60");
    let output = command.output().expect("it is started");
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let reports = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut reports = reports.filter_map(|mut line| line.get_mut("report").map(Value::take));
    let Some(report) = reports.next() else {
        panic!("{program} does not report: {lines}{}", String::from_utf8_lossy(&output.stderr));
    };
    Some(report)
}

/// It has so many executions, and no failure.
fn passes(compiler: &str, program: &str, executions: u64) {
    if let Some(report) = report(compiler, program, "rc20") {
        assert_eq!(report["failure"], Value::Null, "{program}: {}", report["failure"]["text"]);
        assert_eq!(report["end"], "complete", "{program}");
        assert_eq!(report["executions"], executions, "{program}");
    }
}

/// It has no failure under a model. The number of executions depends on how often a library asks before it waits.
fn completes(compiler: &str, program: &str, model: &str) {
    if let Some(report) = report(compiler, program, model) {
        assert_eq!(report["failure"], Value::Null, "{program}: {}", report["failure"]["text"]);
        assert_eq!(report["end"], "complete", "{program}");
    }
}

/// It has a failure of this kind, whose headline has these words in it.
fn fails(compiler: &str, program: &str, kind: &str, words: &str) {
    if let Some(report) = report(compiler, program, "rc20") {
        assert_eq!(report["failure"]["kind"], kind, "{program}: {report}");
        let headline = report["failure"]["headline"].as_str().unwrap_or_default();
        assert!(headline.contains(words), "{program}: {headline}");
    }
}

/// Tests of programs: how they are compiled, and how many executions they have, or what fails.
macro_rules! programs {
    ($($name:ident: $compiler:literal $program:literal $outcome:ident($($expected:expr),*);)*) => {$(
        #[test]
        fn $name() {
            $outcome($compiler, $program, $($expected),*);
        }
    )*};
}

programs! {
    // Who adds first.
    mutex_kinds: "gcc" "mutex_kinds.c" passes(2);
    timed_lock: "gcc" "timed_lock.c" passes(1);
    // Whether main waits.
    condition: "gcc" "condition.c" passes(2);
    lost_signal: "gcc" "lost_signal.c" fails("deadlock", "main at lost_signal.c:16");
    timed_condition: "gcc" "timed_condition.c" passes(1);
    // The readers' four operations have 6 orders. The writer has 3 moments without readers in the 2 in which they do not overlap, and 2 in each of the others.
    rwlock: "gcc" "rwlock.c" passes(14);
    rwlock_race: "gcc" "rwlock_race.c" fails("race", "data race on value");
    spin_lock: "gcc" "spin_lock.c" passes(2);
    // Who is last the first time, and the second time; who is not last the first time may see it before or after the second time has begun.
    barrier: "gcc" "barrier.c" passes(6);
    // Who is first, and whether the other comes before or after that is done.
    once: "gcc" "once.c" passes(4);
    semaphore: "gcc" "semaphore.c" passes(2);
    keys: "gcc" "keys.c" passes(1);
    // Whether the first attempt to join comes too early.
    thread_misc: "gcc" "thread_misc.c" passes(2);
    cancel: "gcc" "cancel.c" fails("misuse", "pthread_cancel cannot be explored");
    fork: "gcc" "fork.c" fails("misuse", "fork cannot be explored");
    // The 4 of once, and the 2 of a condition variable.
    c11: "gcc" "c11.c" passes(8);
    // The flag is seen at once, by the system call, or after a wait.
    futex: "gcc" "futex.c" passes(3);
    futex_lost: "gcc" "futex_lost.c" fails("deadlock", "main at futex_lost.c");
    at_exit: "gcc" "at_exit.c" passes(1);
    at_exit_fails: "gcc" "at_exit_fails.c" fails("panic", "assertion fails: value == 0");
    time: "gcc" "time.c" passes(1);
    bytes: "gcc" "bytes.c" passes(1);
    bytes_by_clang: "clang-19" "bytes.c" passes(1);
    bytes_race: "gcc" "bytes_race.c" fails("race", "data race on from[0]");
    bytes_race_by_clang: "clang-19" "bytes_race.c" fails("race", "data race on from[0]");
    // Which section is first, and what is chosen.
    verifier: "gcc" "verifier.c" passes(4);
    verifier_error: "gcc" "verifier_error.c" fails("panic", "an error is reached");
    verifier_spin: "gcc" "verifier_spin.c" passes(1);
    annotations: "gcc" "annotations.c" passes(1);
    // Who gives up each of the counts first.
    reference_count: "gcc" "reference_count.c" passes(4);

    // Who comes first; whether the other finds it done, or waits.
    static_local: "g++" "static_local.cpp" passes(4);
    static_local_by_clang: "clang++-19" "static_local.cpp" passes(4);
    static_throws: "g++" "static_throws.cpp" passes(1);
    // Who is first; whether the other comes between the first's two unlocks.
    locks: "g++" "locks.cpp" passes(4);
    condition_variable: "g++" "condition.cpp" passes(2);
    exceptions: "g++" "exceptions.cpp" passes(1);
    atomic_wait: "g++" "atomic_wait.cpp" completes("rc20");
    counting_semaphore: "g++" "semaphore.cpp" completes("rc20");
    barrier_of_threads: "g++" "barrier.cpp" completes("rc20");
    // libstdc++ asks whether somebody waits after a release, which C++ lets happen in the other order, but no store buffer does.
    latch: "g++" "latch.cpp" fails("deadlock", "main at latch.cpp");
    latch_on_x86: "g++" "latch.cpp" completes("tso");
    atomic_wait_release: "g++" "atomic_wait_release.cpp" fails("deadlock", "main at atomic_wait_release.cpp");
    future: "g++" "future.cpp" passes(4);
    async_call: "g++" "async.cpp" passes(1);
    thread_local: "g++" "thread_local.cpp" passes(1);
    // None of the other's stores, one, or both are seen.
    generic_atomics: "g++" "generic_atomics.cpp" passes(3);
}

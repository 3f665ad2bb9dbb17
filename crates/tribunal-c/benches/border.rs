//! The cost of a call from C over the same call from Rust: the same loops in both, in turns.
//!
//! The C side runs in a process of its own and is linked with the shared library, as most programs are.

#[path = "../tests/integration/c/toolchain.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod toolchain;

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;
use toolchain::{Installed, Linking, is_there, run};
use tribunal_engines::memory::monitor::Monitor;
use tribunal_engines::memory::session::Session;
use tribunal_history::memory::Op;
use tribunal_history::memory::Order::{Acquire, Release};
use tribunal_history::memory::{LocId, ThreadId};
use tribunal_history::{limits::Limits, model::Model};

const THREADS: u32 = 4;
const LOCATIONS: u32 = 4;
const STEPS: u32 = 64;
/// How many events a monitor has had before it counts.
const WARM: u64 = 200_000;
/// How many turns there are, and runs on each side in a turn. The quickest run counts, since whatever else the machine does only adds:
/// a run takes a millisecond or two, so that some are left alone.
const TURNS: usize = 5;
const RUNS: usize = 100;

/// What a loop is called, its model, and how many rounds or events it has.
const LOOPS: [(&str, Model, u64); 7] = [
    ("lookup", Model::Ra, 100_000),
    ("session", Model::Ra, 100),
    ("session", Model::Tso, 50),
    ("candidates", Model::Ra, 100),
    ("candidates", Model::Tso, 20),
    ("monitor", Model::Ra, 10_000),
    ("monitor", Model::Tso, 5_000),
];

fn main() {
    if !is_there() {
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/border.c");
    let program = Installed::new("border").compile("border", &[&source], Linking::Shared, &["-O2"]);
    println!(
        "{:<12}{:<6}{:>12}{:>12}{:>12}{:>8}",
        "calls", "model", "Rust, ns", "C, ns", "border, ns", "ratio"
    );
    for (name, model, count) in LOOPS {
        let (mut rust, mut c) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..TURNS {
            rust = rust.min(in_rust(name, model, count));
            let output = run(&[], &program, &[name, model.name(), &count.to_string(), &RUNS.to_string()]);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let told = String::from_utf8_lossy(&output.stdout);
            c = c.min(told.trim().parse().expect("the program prints a number"));
        }
        println!("{name:<12}{:<6}{rust:>12.1}{c:>12.1}{:>12.1}{:>8.2}", model.name(), c - rust, c / rust);
    }
}

/// The nanoseconds of a call, in the quickest of the runs.
fn in_rust(name: &str, model: Model, count: u64) -> f64 {
    let quickest = |run: &dyn Fn() -> f64| (0..RUNS).map(|_| run()).fold(f64::INFINITY, f64::min);
    match name {
        "lookup" => quickest(&|| lookup(model, count)),
        "monitor" => monitor(model, count),
        name => quickest(&|| session(model, name == "candidates", count)),
    }
}

/// The least that a call can do.
fn lookup(model: Model, calls: u64) -> f64 {
    let mut s = Session::new(model).expect("there are sessions of the model");
    let loc = s.location();
    let write = s.initial(loc).expect("nothing is retired");
    let begin = Instant::now();
    for _ in 0..calls {
        assert_eq!(black_box(&s).location_of(black_box(write)), Some(loc));
    }
    begin.elapsed().as_nanos() as f64 / calls as f64
}

fn session(model: Model, candidates: bool, rounds: u64) -> f64 {
    let mut s = Session::new(model).expect("there are sessions of the model");
    for _ in 0..THREADS {
        s.thread();
    }
    for _ in 0..LOCATIONS {
        s.location();
    }
    let mut calls = 0;
    let begin = Instant::now();
    for _ in 0..rounds {
        let mark = s.mark();
        for step in 0..STEPS {
            let (thread, loc) = (step % THREADS, LocId(step / THREADS % LOCATIONS));
            let reader = ThreadId((thread + 1) % THREADS);
            let write = s.write(ThreadId(thread), loc, Release);
            if candidates {
                black_box(s.candidates(reader, loc, Acquire));
            }
            s.read(reader, write, Acquire).expect("it is the latest write");
        }
        s.undo(mark);
        calls += 2 + u64::from(STEPS) * if candidates { 3 } else { 2 };
    }
    begin.elapsed().as_nanos() as f64 / calls as f64
}

/// Writes, each of which the next thread reads, in a monitor that has run for a while.
fn monitor(model: Model, events: u64) -> f64 {
    let mut m = Monitor::new(model, 100).expect("there are monitors of the model");
    for name in ["a", "b", "c", "d"] {
        m.thread(name);
        m.location(name, 0);
    }
    let limits = Limits::default();
    let mut push = |thread: u32, op: Op| {
        m.event(ThreadId(thread), op);
        if m.is_due(false) {
            m.settle(&limits);
        }
        assert!(m.found().is_none(), "every write is read by the next thread");
    };
    let mut value = 0;
    let mut run = |events: u64| {
        let begin = Instant::now();
        for _ in 0..events / 2 {
            value += 1;
            let (thread, loc) = ((value % 4) as u32, LocId((value / 4 % 4) as u32));
            push(thread, Op::write(loc, value).order(Release));
            push((thread + 1) % THREADS, Op::read(loc, value).order(Acquire));
        }
        begin.elapsed().as_nanos() as f64 / events as f64
    };
    run(WARM);
    (0..RUNS).map(|_| run(events)).fold(f64::INFINITY, f64::min)
}

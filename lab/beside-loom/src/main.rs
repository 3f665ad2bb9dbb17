//! The same programs explored by Tribunal and by loom, in one run: executions, times, and their ratio.

mod programs;

use programs::{looms, ours};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tribunal_explore::{End, Explorer};

/// How long loom may take for a program.
const PROGRAM_TIME: Duration = Duration::from_secs(20);

/// A program's name, and the program with our types and with loom's.
type Program = (&'static str, fn(), fn());

fn main() {
    let programs: &[Program] = &[
        ("SB", ours::store_buffering, looms::store_buffering),
        ("MP", ours::message_passing, looms::message_passing),
        ("2+2W", ours::two_plus_two_writes, looms::two_plus_two_writes),
        ("IRIW-acq-sc", ours::iriw, looms::iriw),
        ("CoRR1", ours::corr1, looms::corr1),
        ("LB+incMPs", ours::lb_incmps, looms::lb_incmps),
        ("wcas 3", ours::wcas3, looms::wcas3),
        ("wrw 3", ours::wrw3, looms::wrw3),
        ("ainc 4", ours::increments4, looms::increments4),
        ("fib_bench 3", ours::fibonacci3, looms::fibonacci3),
        ("eratosthenes 5", ours::eratosthenes5, looms::eratosthenes5),
    ];
    println!(
        "{:<16}{:>12}{:>14}{:>12}{:>14}{:>10}",
        "program", "executions", "time", "loom's", "time", "ratio"
    );
    for &(name, ours, looms) in programs {
        let report = Explorer::new().check(ours);
        assert_eq!(report.end, End::Complete, "{name}");
        let runs = Arc::new(AtomicU64::new(0));
        let count = runs.clone();
        let mut builder = loom::model::Builder::new();
        (builder.max_duration, builder.checkpoint_interval) = (Some(PROGRAM_TIME), 1_000);
        let start = Instant::now();
        builder.check(move || {
            count.fetch_add(1, Relaxed);
            looms();
        });
        let time = start.elapsed();
        println!(
            "{name:<16}{:>12}{:>14}{:>12}{:>14}{:>10}",
            report.executions,
            format!("{:.3?}", report.duration),
            format!("{}{}", if time < PROGRAM_TIME { "" } else { "> " }, runs.load(Relaxed)),
            format!("{}{:.3?}", if time < PROGRAM_TIME { "" } else { "> " }, time),
            format!("{:.0}", time.as_secs_f64() / report.duration.as_secs_f64()),
        );
    }
}

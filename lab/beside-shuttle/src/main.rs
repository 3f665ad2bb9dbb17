//! The same programs sampled by Tribunal and by shuttle, in one run: runs a second by number of events, and their ratio.
//!
//! Without arguments, all of it; with a number, up to so many events. With `NAME EVENTS random|pct SECONDS`, Tribunal alone, for a profiler.

mod programs;

use programs::{ours, shuttles};
use std::time::{Duration, Instant};
use tribunal_explore::{Explorer, Mode};

type Body = fn(usize);

/// A program by name, for both.
const PROGRAMS: &[(&str, Body, Body)] = &[
    ("counter", ours::counter, shuttles::counter),
    ("relaxed", ours::relaxed, shuttles::relaxed),
    ("release-acquire", ours::release_acquire, shuttles::release_acquire),
    ("seq_cst", ours::seq_cst, shuttles::seq_cst),
    ("many locations", ours::many_locations, shuttles::many_locations),
    ("lock", ours::lock, shuttles::lock),
    ("channel", ours::channel, shuttles::channel),
];

const EVENTS: [usize; 5] = [100, 300, 1_000, 3_000, 10_000];
const DEPTH: usize = 3;
/// How often each side is measured, in turns, and for how long.
const TURNS: usize = 5;
const TIME: Duration = Duration::from_millis(200);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [name, events, mode, seconds] = &arguments[..] {
        let events = events.parse().expect("a number of events");
        let (_, body, _) = PROGRAMS.iter().find(|program| program.0 == name).expect("a program");
        let seconds = seconds.parse().expect("seconds");
        let rounds = rounds(*body, events);
        println!("{:.0} runs/s", of_ours(*body, rounds, mode == "pct", Duration::from_secs_f64(seconds)));
        return;
    }
    let most = arguments.first().and_then(|most| most.parse().ok()).unwrap_or(usize::MAX);
    println!(
        "{:<16}{:>8}{:>8}{:>12}{:>12}{:>8}{:>12}{:>12}{:>8}",
        "program", "events", "rounds", "random", "shuttle's", "ratio", "pct", "shuttle's", "ratio"
    );
    for &(name, ours, shuttles) in PROGRAMS {
        for events in EVENTS.into_iter().filter(|&events| events <= most) {
            let rounds = rounds(ours, events);
            print!("{name:<16}{events:>8}{rounds:>8}");
            for pct in [false, true] {
                let (mut us, mut them) = (Vec::new(), Vec::new());
                for _ in 0..TURNS {
                    us.push(of_ours(ours, rounds, pct, TIME));
                    them.push(of_shuttle(shuttles, rounds, pct, TIME));
                }
                let (us, them) = (median(us), median(them));
                print!("{us:>12.0}{them:>12.0}{:>8.2}", them / us);
            }
            println!();
        }
    }
}

/// The rounds that give a program about so many events.
fn rounds(body: Body, events: usize) -> usize {
    let length = |rounds| Explorer::new().threads(1).random(1, 1).check(move || body(rounds)).events;
    let (few, more) = (length(4), length(12));
    ((events.saturating_sub(few)) * 8 / (more - few) + 4).max(1)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Runs a second, as many as fit into the time. `run` makes so many.
fn speed(time: Duration, mut run: impl FnMut(usize)) -> f64 {
    let start = Instant::now();
    let (mut runs, mut batch) = (0, 1);
    while start.elapsed() < time {
        run(batch);
        runs += batch;
        batch = (batch * 2).min(1_000);
        let left = time.saturating_sub(start.elapsed()).as_secs_f64();
        batch = batch.min((runs as f64 / start.elapsed().as_secs_f64() * left) as usize + 1);
    }
    runs as f64 / start.elapsed().as_secs_f64()
}

fn of_ours(body: Body, rounds: usize, pct: bool, time: Duration) -> f64 {
    let mut seed = 0;
    speed(time, |executions| {
        seed += 1;
        let explorer = Explorer::new().threads(1).max_events(1 << 20);
        let executions = executions as u64;
        let explorer = match pct {
            false => explorer.random(seed, executions),
            true => explorer.pct(seed, executions, DEPTH as u32),
        };
        debug_assert!(!matches!(explorer.options().mode, Mode::Exhaustive));
        let report = explorer.check(move || body(rounds));
        assert!(report.failure.is_none() && report.executions == executions, "{report:?}");
    })
}

fn of_shuttle(body: Body, rounds: usize, pct: bool, time: Duration) -> f64 {
    speed(time, |runs| match pct {
        false => shuttle::check_random(move || body(rounds), runs),
        true => shuttle::check_pct(move || body(rounds), runs, DEPTH),
    })
}

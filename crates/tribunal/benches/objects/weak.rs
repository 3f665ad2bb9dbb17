//! Minimal visibilities against all of them, and against linearizability: the experiment of Fig. 8 of Emmi and Enea (CAV
//! 2018), on histories of a simulated concurrent map.

use crate::table::{Table, ratio, time};
use std::time::{Duration, Instant};
use tribunal::Limits;
use tribunal::object::specs::Map;
use tribunal::object::{Criterion, Engine, History, Verdict, check, judge_by};
use tribunal_machines::objects::Walks;

/// As in the paper: an engine that has not answered after a second is stopped.
const PATIENCE: Duration = Duration::from_secs(1);

/// Below this, what a run takes is mostly chance.
const FLOOR: Duration = Duration::from_micros(1);

/// What a history is, by the criteria it satisfies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Linearizable,
    /// Not linearizable, but `hbvis`.
    Weak,
    Inconsistent,
}

const CLASSES: [Class; 3] = [Class::Linearizable, Class::Weak, Class::Inconsistent];

/// How many histories of each class to take. Runs that show that walks are not atomic are rare, about one in fifty, so a sample
/// of all runs would say little about them.
struct Mix {
    name: &'static str,
    of: [usize; 3],
}

const MIXES: [Mix; 2] = [
    Mix { name: "some with a lie", of: [2_600, 1_200, 200] },
    Mix { name: "without lies", of: [2_800, 1_200, 0] },
];

/// The first runs, by seed, of each class: up to 15 random operations of 3 processes on a map whose `size` and
/// `contains_value` walk over the keys.
fn sample(mix: &Mix) -> Vec<(u64, Class, History)> {
    let mut left = mix.of;
    let mut taken = Vec::with_capacity(left.iter().sum());
    for seed in 0.. {
        let lies = if seed % 4 == 0 && mix.of[Class::Inconsistent as usize] > 0 { 1.0 } else { 0.0 };
        let walks = Walks { operations: 6 + (seed % 10) as u32, lies, seed, ..Walks::default() };
        let history = walks.run();
        let class = if check(&history, &Map, &Criterion::Linearizable).is_consistent() {
            Class::Linearizable
        } else if check(&history, &Map, &Criterion::Hbvis).is_consistent() {
            Class::Weak
        } else {
            Class::Inconsistent
        };
        assert!(class != Class::Inconsistent || lies > 0.0, "run {seed} told the truth");
        if left[class as usize] > 0 {
            left[class as usize] -= 1;
            taken.push((seed, class, history));
        }
        if left == [0; 3] {
            break;
        }
    }
    taken
}

/// A verdict, and the fastest of some runs: the shorter a run, the more of them.
fn timed(history: &History, criterion: &Criterion, engine: Engine) -> (Verdict, Duration) {
    let run = || {
        let start = Instant::now();
        let limits = Limits { deadline: Some(start + PATIENCE), max_states: u64::MAX, ..Limits::default() };
        let verdict = judge_by(history, &Map, criterion, engine, &limits);
        (verdict, start.elapsed())
    };
    let (verdict, mut best) = run();
    let again = (Duration::from_millis(1).as_nanos() / best.as_nanos().max(1)).clamp(5, 30);
    let again = if best >= PATIENCE / 2 { 0 } else { again };
    for _ in 0..again {
        best = best.min(run().1);
    }
    (verdict, best)
}

/// What the histories of a class took.
#[derive(Clone, Copy, Default)]
struct Totals {
    histories: usize,
    minimal: Duration,
    naive: Duration,
    linearizable: Duration,
    naive_stopped: u32,
    /// The largest time of minimal by naive on one history, with its seed.
    worst: (f64, u64),
}

/// Judges the histories by `hbvis` with both engines, and by linearizability, and prints what that takes.
pub fn run() {
    for mix in &MIXES {
        let mut totals = [Totals::default(); 3];
        for (seed, class, history) in sample(mix) {
            totals[class as usize].add(seed, class, &history);
        }
        print(mix, &totals);
    }
}

impl Totals {
    fn add(&mut self, seed: u64, class: Class, history: &History) {
        let (verdict, mut minimal) = timed(history, &Criterion::Hbvis, Engine::Minimal);
        let (all, mut naive) = timed(history, &Criterion::Hbvis, Engine::Naive);
        let (total, linearizable) = timed(history, &Criterion::Linearizable, Engine::Search);
        let stopped = matches!(all, Verdict::Undecided(_));
        assert!(stopped || verdict.word() == all.word(), "run {seed}");
        assert_eq!(verdict.is_consistent(), class != Class::Inconsistent, "run {seed}");
        assert_eq!(total.is_consistent(), class == Class::Linearizable, "run {seed}");
        let slower = |minimal: Duration, naive: Duration| ratio(minimal, naive.max(FLOOR));
        // A machine with other things to do: before saying that it is slow, look again.
        for _ in 0..10 {
            if slower(minimal, naive) > 1.5 {
                minimal = minimal.min(timed(history, &Criterion::Hbvis, Engine::Minimal).1);
                naive = naive.min(timed(history, &Criterion::Hbvis, Engine::Naive).1);
            }
        }
        self.histories += 1;
        self.minimal += minimal;
        self.naive += naive;
        self.linearizable += linearizable;
        self.naive_stopped += u32::from(stopped);
        if slower(minimal, naive) > self.worst.0 {
            self.worst = (slower(minimal, naive), seed);
        }
    }

    fn and(self, other: &Totals) -> Totals {
        Totals {
            histories: self.histories + other.histories,
            minimal: self.minimal + other.minimal,
            naive: self.naive + other.naive,
            linearizable: self.linearizable + other.linearizable,
            naive_stopped: self.naive_stopped + other.naive_stopped,
            worst: if self.worst.0 < other.worst.0 { other.worst } else { self.worst },
        }
    }
}

fn print(mix: &Mix, totals: &[Totals; 3]) {
    let mut table = Table::new(&[
        "",
        "histories",
        "minimal",
        "naive",
        "stopped",
        "linearizable",
        "naive by minimal",
        "minimal by linearizable",
        "minimal by naive, worst",
    ]);
    let all = totals.iter().fold(Totals::default(), Totals::and);
    for (name, of) in CLASSES.map(|class| format!("{class:?}").to_lowercase()).iter().zip(totals) {
        table.row(row(name, of));
    }
    table.row(row("all", &all));
    table.print(&format!(
        "{} histories of a map of up to 15 operations by 3 processes, {}: hbvis, and linearizability by search",
        all.histories, mix.name
    ));
    println!();
    println!("    naive by minimal, in all: {:.1} (at least 10)", ratio(all.naive, all.minimal));
    println!("    minimal by naive, worst: {:.2} (at most 2; seed {})", all.worst.0, all.worst.1);
    println!("    minimal by linearizable, in all: {:.2} (at most 2)", ratio(all.minimal, all.linearizable));
}

fn row(name: &str, of: &Totals) -> [String; 9] {
    let by = |a, b| if of.histories == 0 { String::new() } else { format!("{:.2}", ratio(a, b)) };
    [
        name.into(),
        of.histories.to_string(),
        time(of.minimal),
        time(of.naive),
        of.naive_stopped.to_string(),
        time(of.linearizable),
        by(of.naive, of.minimal),
        by(of.minimal, of.linearizable),
        format!("{:.2}", of.worst.0),
    ]
}

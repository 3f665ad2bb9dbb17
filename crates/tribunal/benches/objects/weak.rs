//! Minimal visibilities against all of them, and against linearizability: the experiment of Fig. 8 of Emmi and Enea (CAV
//! 2018), on histories of a simulated concurrent map.

use crate::table::{Table, ratio, time};
use std::time::{Duration, Instant};
use tribunal::Limits;
use tribunal::object::specs::Map;
use tribunal::object::{Builder, Criterion, Engine, History, OpId, ProcessId, Value, Verdict, judge_by};

const HISTORIES: u64 = 4_000;

/// As in the paper: an engine that has not answered after a second is stopped.
const PATIENCE: Duration = Duration::from_secs(1);

const PROCESSES: u64 = 3;
const KEYS: u64 = 3;
const VALUES: u64 = 3;

/// Small numbers that look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

/// How far an operation that has been called has come.
enum Open {
    /// It takes effect at once, at some time: its method, key and value.
    Atomic(&'static str, usize, i64),
    /// It goes through the map key by key while others change it, as `size` and `contains_value` of concurrent maps do: how many
    /// entries it has counted, of which value, and the next key.
    Traversal { counted: i64, of: Option<i64>, next: usize },
    /// It returns this.
    Done(Value),
}

/// A run of up to 15 random invocations by up to 3 processes on a map whose traversals are not atomic.
fn history(seed: u64) -> History {
    let mut dice = Dice(seed);
    let mut b = Builder::default();
    let mut entries: [Option<i64>; KEYS as usize] = [None; KEYS as usize];
    let count = 2 + dice.below(PROCESSES - 1);
    let processes: Vec<ProcessId> = (0..count).map(|name| b.process(&name.to_string())).collect();
    let mut open: Vec<Option<(OpId, Open)>> = processes.iter().map(|_| None).collect();
    let mut left = 3 + dice.below(13);
    // One history in five has an answer that is wrong.
    let mut lie = (dice.below(5) == 0).then(|| dice.below(left));
    let mut clock = 0;
    while left > 0 || open.iter().any(Option::is_some) {
        let at = dice.below(count) as usize;
        clock += 1;
        open[at] = match open[at].take() {
            None if left == 0 => None,
            None => {
                left -= 1;
                Some(call(&mut dice, &mut b, processes[at], clock))
            }
            Some((op, Open::Done(ret))) => {
                let lies = lie.take_if(|lie| *lie <= u64::from(op.0) && ret != Value::Null).is_some();
                b.ret(op, if lies { other(ret) } else { ret }, clock);
                None
            }
            Some((op, running)) => Some((op, step(running, &mut entries))),
        };
    }
    b.build().expect("times go up and a process waits for its operation")
}

/// Another answer of the same type.
fn other(ret: Value) -> Value {
    match ret {
        Value::Bool(truth) => Value::from(!truth),
        Value::Int(number) => Value::from((number + 1) % VALUES as i64),
        ret => ret,
    }
}

fn call(dice: &mut Dice, b: &mut Builder, process: ProcessId, clock: u64) -> (OpId, Open) {
    let (key, value) = (dice.below(KEYS) as usize, dice.below(VALUES) as i64);
    let (k, v) = (Value::from(key as i64), Value::from(value));
    let (method, args, open) = match dice.below(8) {
        0..3 => ("put", vec![k, v], Open::Atomic("put", key, value)),
        3 => ("remove", vec![k], Open::Atomic("remove", key, value)),
        4 => ("get", vec![k], Open::Atomic("get", key, value)),
        5 => ("contains_key", vec![k], Open::Atomic("contains_key", key, value)),
        6 => ("contains_value", vec![v], Open::Traversal { counted: 0, of: Some(value), next: 0 }),
        _ => ("size", vec![], Open::Traversal { counted: 0, of: None, next: 0 }),
    };
    (b.call(process, method, &args, clock), open)
}

fn step(running: Open, entries: &mut [Option<i64>]) -> Open {
    let shown = |entry: Option<i64>| entry.map_or(Value::Null, Value::from);
    match running {
        Open::Atomic("put", key, value) => Open::Done(shown(entries[key].replace(value))),
        Open::Atomic("remove", key, _) => Open::Done(shown(entries[key].take())),
        Open::Atomic("get", key, _) => Open::Done(shown(entries[key])),
        Open::Atomic(_, key, _) => Open::Done(Value::from(entries[key].is_some())),
        Open::Traversal { counted, of, next } if next < entries.len() => {
            let counts = entries[next].is_some() && (of.is_none() || of == entries[next]);
            Open::Traversal { counted: counted + i64::from(counts), of, next: next + 1 }
        }
        Open::Traversal { counted, of: None, .. } => Open::Done(Value::from(counted)),
        Open::Traversal { counted, .. } => Open::Done(Value::from(counted > 0)),
        done @ Open::Done(_) => done,
    }
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

#[derive(Default)]
struct Totals {
    minimal: Duration,
    naive: Duration,
    linearizable: Duration,
    consistent: u32,
    linearizations: u32,
    naive_stopped: u32,
    /// The largest time of minimal by naive on one history, with its seed.
    worst: (f64, u64),
}

/// Judges the histories by `hbvis` with both engines, and by linearizability, and prints what that takes.
pub fn run() {
    let mut totals = Totals::default();
    for seed in 0..HISTORIES {
        let history = history(seed);
        let (verdict, minimal) = timed(&history, &Criterion::Hbvis, Engine::Minimal);
        let (all, naive) = timed(&history, &Criterion::Hbvis, Engine::Naive);
        let (total, linearizable) = timed(&history, &Criterion::Linearizable, Engine::Search);
        if matches!(all, Verdict::Undecided(_)) {
            totals.naive_stopped += 1;
        } else {
            assert_eq!(verdict.word(), all.word(), "history {seed}");
        }
        assert!(!total.is_consistent() || verdict.is_consistent(), "history {seed}");
        totals.minimal += minimal;
        totals.naive += naive;
        totals.linearizable += linearizable;
        totals.consistent += u32::from(verdict.is_consistent());
        totals.linearizations += u32::from(total.is_consistent());
        let slower = ratio(minimal, naive);
        if slower > totals.worst.0 {
            totals.worst = (slower, seed);
        }
    }
    totals.print();
}

impl Totals {
    fn print(&self) {
        let mut table = Table::new(&["", "total", "consistent", "stopped"]);
        let mut row = |name: &str, total, consistent: u32, stopped: u32| {
            table.row([name.into(), time(total), consistent.to_string(), stopped.to_string()]);
        };
        row("hbvis, minimal", self.minimal, self.consistent, 0);
        row("hbvis, naive", self.naive, self.consistent, self.naive_stopped);
        row("linearizable, search", self.linearizable, self.linearizations, 0);
        table.print(&format!("{HISTORIES} histories of a map of up to 15 operations by up to 3 processes"));
        println!();
        println!("    naive by minimal, total: {:.1} (at least 10)", ratio(self.naive, self.minimal));
        println!("    minimal by naive, worst: {:.2} (at most 2; history {})", self.worst.0, self.worst.1);
        println!(
            "    minimal by linearizable, total: {:.2} (at most 2)",
            ratio(self.minimal, self.linearizable)
        );
    }
}

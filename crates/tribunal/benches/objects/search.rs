//! The general search beside Wing and Gong's as it stands, on what no collection's algorithm covers.

use crate::cost::timed;
use crate::table::{Table, ratio, time};
use std::error::Error;
use std::time::Duration;
use tribunal::object::specs::named;
use tribunal::object::{Criterion, Engine, History};
use tribunal_machines::objects::{Clients, Values};

const RUNS: u64 = 20;

fn run(name: &str, processes: u32, operations: u32, lies: f64, seed: u64) -> History {
    let values = Values::Upto(5);
    let concurrency = 60;
    Clients { processes, operations, values, concurrency, pending: 0.0, lies, seed }.run(name)
}

pub fn report() -> Result<(), Box<dyn Error>> {
    let mut table =
        Table::new(&["spec", "clients", "ops", "lies", "search", "longest", "plain", "gave up", "ratio"]);
    for name in ["cas-register", "map", "counter", "list", "bank({\"a\": 10, \"b\": 10})"] {
        let spec = named(name)?;
        for (processes, operations, lies) in [(4, 40, 0.0), (4, 40, 0.05), (8, 100, 0.0), (8, 100, 0.02)] {
            let (mut total, mut longest, mut plain, mut gave_up) =
                (Duration::ZERO, Duration::ZERO, Duration::ZERO, 0);
            for seed in 0..RUNS {
                let history = run(name, processes, operations, lies, seed);
                let ours = timed(&history, &*spec, &Criterion::Linearizable, Some(Engine::Search));
                assert!(ours.decided(), "{name}");
                assert!(
                    lies > 0.0 || ours.judgement.verdict.is_consistent(),
                    "{name}: a run of an atomic object"
                );
                total += ours.time;
                longest = longest.max(ours.time);
                // The baseline gets a second, and its first five histories stand for all: it gives up on most.
                if seed < 5 {
                    let baseline = baseline(&history, &*spec);
                    plain += baseline.0;
                    gave_up += u32::from(!baseline.1);
                }
            }
            let (mean, plain) = (total / RUNS as u32, plain / 5);
            table.row([
                name.into(),
                processes.to_string(),
                operations.to_string(),
                format!("{lies}"),
                time(mean),
                time(longest),
                format!("{}{}", if gave_up > 0 { "> " } else { "" }, time(plain)),
                format!("{gave_up} of 5"),
                format!("{:.0}", ratio(plain, mean)),
            ]);
        }
    }
    table.print("search: 20 runs each, mean times; plain is given 1 s for each of 5");
    growth()
}

fn baseline(history: &History, spec: &dyn tribunal::object::Specification) -> (Duration, bool) {
    let start = std::time::Instant::now();
    let limits = tribunal::Limits {
        deadline: Some(start + Duration::from_secs(1)),
        max_states: u64::MAX,
        ..tribunal::Limits::default()
    };
    let verdict = tribunal::object::judge_by(history, spec, &Criterion::Linearizable, Engine::Plain, &limits);
    (start.elapsed(), !matches!(verdict, tribunal::object::Verdict::Undecided(_)))
}

/// Time and configurations grow with the history, not with the number of its orders.
fn growth() -> Result<(), Box<dyn Error>> {
    let mut table = Table::new(&["spec", "clients", "12.5k", "100k", "100k/12.5k"]);
    for name in ["cas-register", "map", "keyed cas-register"] {
        let spec = named(name)?;
        let (small, large) = (run(name, 8, 12_500, 0.0, 1), run(name, 8, 100_000, 0.0, 1));
        let judge = |history| timed(history, &*spec, &Criterion::Linearizable, Some(Engine::Search));
        let (one, eight) = (judge(&small), judge(&large));
        let growth = ratio(eight.time, one.time);
        table.row([name.into(), "8".into(), one.show(), eight.show(), format!("{growth:.1}")]);
    }
    table.print("search: growth");
    Ok(())
}

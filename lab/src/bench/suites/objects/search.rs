//! The general search beside Wing and Gong's as it stands, on what no collection's algorithm covers.

use super::cost::Question;
use super::{ENGINE_TIME, object};
use crate::bench::table::{ratio, time};
use crate::bench::{Error, Plot, Session, Table};
use std::time::Duration;
use tribunal_engines::Engine;
use tribunal_history::object::History;
use tribunal_machines::objects::{Clients, Values};

/// The baseline's patience is short, since it gives up on most histories; its first ones stand for all.
const BASELINE: Duration = Duration::from_secs(1);
const BASELINE_RUNS: u64 = 5;

fn run(name: &str, processes: u32, operations: u32, lies: f64, seed: u64) -> History {
    let values = Values::Upto(5);
    let concurrency = 60;
    Clients { processes, operations, values, concurrency, pending: 0.0, lies, seed }.run(name)
}

pub(super) fn report(session: &mut Session<'_>) -> Result<(), Error> {
    beside_plain(session)?;
    growth(session)
}

fn beside_plain(session: &mut Session<'_>) -> Result<(), Error> {
    const SPECS: [&str; 5] = ["cas-register", "map", "counter", "list", "bank({\"a\": 10, \"b\": 10})"];
    const LOADS: [(u32, u32, f64); 4] = [(4, 40, 0.0), (4, 40, 0.05), (8, 100, 0.0), (8, 100, 0.02)];
    let runs = session.pick(10, 20);
    let baseline_runs = session.pick(2, BASELINE_RUNS);
    let mut table = Table::new(
        format!(
            "the search beside Wing and Gong's as published (wing-gong): means of {runs} runs; wing-gong has {} for each of {baseline_runs}",
            time(BASELINE)
        ),
        &["object", "clients", "operations", "lies", "search", "longest", "wing-gong", "gave up", "ratio"],
    );
    session.begin("search", (SPECS.len() * LOADS.len()) as u64 * runs);
    for name in SPECS {
        let spec = object(name);
        for (processes, operations, lies) in LOADS {
            let (mut total, mut longest) = (Duration::ZERO, Duration::ZERO);
            let (mut baseline_time, mut gave_up) = (Duration::ZERO, 0);
            for seed in 0..runs {
                let history = run(name, processes, operations, lies, seed);
                let question = Question::linearizable(&history, &*spec);
                let ours = question.timed(Some(Engine::Search), ENGINE_TIME);
                assert!(ours.decided(), "{name}, run {seed}");
                assert!(lies > 0.0 || ours.consistent(), "{name}, run {seed}: of an atomic object");
                total += ours.time;
                longest = longest.max(ours.time);
                if seed < baseline_runs {
                    let baseline = question.timed(Some(Engine::WingGong), BASELINE);
                    let agree = baseline.consistent() == ours.consistent();
                    assert!(agree || !baseline.decided(), "{name}, run {seed}: wing-gong says otherwise");
                    baseline_time += baseline.time;
                    gave_up += u64::from(!baseline.decided());
                }
                session.step()?;
            }
            let (mean, baseline) = (total / runs as u32, baseline_time / baseline_runs as u32);
            table.row([
                name.into(),
                processes.to_string(),
                operations.to_string(),
                format!("{:.0} %", lies * 100.0),
                time(mean),
                time(longest),
                format!("{}{}", if gave_up > 0 { "> " } else { "" }, time(baseline)),
                format!("{gave_up} of {baseline_runs}"),
                format!("{:.1}", ratio(baseline, mean)),
            ]);
        }
    }
    session.table(table);
    Ok(())
}

/// Time grows with the history, not with the number of its orders.
fn growth(session: &mut Session<'_>) -> Result<(), Error> {
    const SPECS: [&str; 3] = ["cas-register", "map", "keyed cas-register"];
    let sizes =
        session.pick(&[25, 50, 100, 400, 1_600, 12_800][..], &[25, 50, 100, 400, 1_600, 12_500, 100_000]);
    let mut table = Table::new(
        format!("growing histories of 8 clients; wing-gong has {} for each", time(BASELINE)),
        &["object", "operations", "search", "an operation", "wing-gong"],
    );
    let mut plot =
        Plot::new("objects-search", "Linearizability of a cas-register by search, 8 clients", "operations");
    session.begin("growth", (SPECS.len() * sizes.len()) as u64);
    for name in SPECS {
        let spec = object(name);
        let mut out = false;
        for &operations in sizes {
            let history = run(name, 8, operations, 0.0, 1);
            let question = Question::linearizable(&history, &*spec);
            let ours = question.best(3, Some(Engine::Search), ENGINE_TIME);
            // What has given up is not asked about longer histories.
            let baseline = (!out).then(|| question.timed(Some(Engine::WingGong), BASELINE));
            out |= baseline.as_ref().is_some_and(|baseline| !baseline.decided());
            for (engine, timed) in [("search", Some(&ours)), ("wing-gong", baseline.as_ref())] {
                let Some(timed) = timed else { continue };
                assert!(timed.consistent() || !timed.decided(), "{name}: a run of an atomic object");
                if name == SPECS[0] {
                    plot.point(engine, f64::from(operations), timed.time, !timed.decided());
                }
            }
            table.row([
                name.into(),
                operations.to_string(),
                ours.show(),
                time(ours.time / operations),
                baseline.map_or("-".into(), |baseline| baseline.show()),
            ]);
            session.step()?;
        }
    }
    session.table(table);
    session.plot(plot);
    Ok(())
}

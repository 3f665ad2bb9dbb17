//! Traces of store buffers: how Axe would fare, and how time and memory grow.

use crate::cost::{Timed, best, timed};
use crate::memory;
use crate::table::{Table, kept, rate, ratio, time};
use std::error::Error;
use std::time::Duration;
use tribunal::Model;
use tribunal::memory::{Execution, Order};
use tribunal_machines::{Clients, InvalidClients, Machine, Mix, execution};

/// Half writes, half reads, on 32 addresses.
pub fn trace(machine: Machine, threads: u32, events: u64) -> Result<Execution, InvalidClients> {
    let clients = Clients {
        threads,
        events,
        locations: 32,
        writes: 0.5,
        rmws: 0.0,
        fences: 0.0,
        orders: Mix::only(Order::Relaxed),
        seed: 1,
        ..Clients::default()
    };
    execution(machine, &clients)
}

/// What Axe takes on such traces on this class of machine, in seconds.
const AXE: [(u32, Model, f64); 5] = [
    (4, Model::Tso, 0.49),
    (16, Model::Tso, 4.4),
    (32, Model::Tso, 17.8),
    (32, Model::Wmo, 3.7),
    (32, Model::Sc, 1.4),
];

pub fn report() -> Result<(), Box<dyn Error>> {
    const EVENTS: u64 = 32_000;
    let mut table =
        Table::new(&["threads", "model", "verdict", "engine", "time", "events", "Axe", "ratio", ">= 20"]);
    for threads in [4, 16, 32] {
        let x = trace(Machine::Tso, threads, EVENTS)?;
        for model in [Model::Tso, Model::Wmo, Model::Pso, Model::Sc] {
            let timed = best(5, &x, model);
            let verdict = &timed.judgement.verdict;
            assert!(
                model == Model::Sc || !verdict.is_inconsistent(),
                "{model}: a store buffer's trace is tso"
            );
            let axe = AXE.iter().find(|axe| (axe.0, axe.1) == (threads, model));
            let axe = axe.map(|&(_, _, seconds)| Duration::from_secs_f64(seconds));
            table.row([
                threads.to_string(),
                model.to_string(),
                verdict.word().into(),
                timed.judgement.engine.name().into(),
                timed.show(),
                rate(EVENTS, timed.time),
                axe.map_or(String::new(), time),
                axe.map_or(String::new(), |axe| format!("{:.0}", ratio(axe, timed.time))),
                axe.map_or(String::new(), |axe| kept(ratio(axe, timed.time) >= 20.0)),
            ]);
        }
    }
    table.print("buffers: traces of the tso machine, half writes, 32 addresses, 32000 events; best of 5");
    Ok(())
}

/// From 125,000 to a million events. A round judges the small trace eight times and the large one once, so that noise
/// falls on both alike; the median ratio of the rounds is reported.
pub fn scale() -> Result<(), Box<dyn Error>> {
    const ROUNDS: usize = 3;
    const SMALL: u64 = 125_000;
    const LARGE: u64 = 1_000_000;
    let mut table =
        Table::new(&["model", "125k", "1M", "125k", "1M", "1M/125k", "<= 12", "history", "peak", "<= 400"]);
    let (small, large) = (trace(Machine::Tso, 32, SMALL)?, trace(Machine::Tso, 32, LARGE)?);
    for model in [Model::Tso, Model::Pso, Model::Wmo] {
        // The budgets are for tso.
        let budget = |keeps| if model == Model::Tso { kept(keeps) } else { String::new() };
        let once = |x: &Execution| {
            let timed = timed(x, model, None);
            assert!(timed.consistent() || !timed.decided(), "{model}: a store buffer's trace is tso");
            timed
        };
        let probes = [once(&small), once(&large)];
        if !probes.iter().all(Timed::decided) {
            let [small, large] = probes.map(|timed| timed.show());
            let cells = [model.name(), &small, &large, "-", "-", "-", &budget(false), "-", "-", "-"];
            table.row(cells.map(String::from));
            continue;
        }
        let times = |x: &Execution, times: u32| -> Duration { (0..times).map(|_| once(x).time).sum() };
        let mut rounds: Vec<(Duration, Duration)> = (0..ROUNDS)
            .map(|_| (times(&small, (LARGE / SMALL) as u32) / (LARGE / SMALL) as u32, times(&large, 1)))
            .collect();
        rounds.sort_by(|a, b| ratio(a.1, a.0).total_cmp(&ratio(b.1, b.0)));
        let (small, large) = rounds[ROUNDS / 2];
        let growth = ratio(large, small);
        let memory = memory::of(model, "buffers")?;
        table.row([
            model.to_string(),
            time(small),
            time(large),
            rate(SMALL, small),
            rate(LARGE, large),
            format!("{growth:.2}"),
            budget(growth <= 12.0),
            memory.as_ref().map_or("-".into(), |memory| format!("{:.0}", memory.history)),
            memory.as_ref().map_or("-".into(), |memory| format!("{:.0}", memory.peak)),
            memory.as_ref().map_or("-".into(), |memory| budget(memory.peak <= 400.0)),
        ]);
    }
    table.print(
        "scale: traces of the tso machine, 32 threads, 32 addresses; the median of 3 rounds; bytes an event, the history \
         included",
    );
    Ok(())
}

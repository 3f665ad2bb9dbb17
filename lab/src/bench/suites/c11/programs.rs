//! Many small histories, as a model checker has them checked (Tunç et al. 2023, Table 1): the average time of a check.

use super::baseline::time_baseline;
use super::cores_of;
use super::writes_before::{Edges, EventClocks};
use crate::bench::table::{kept, ratio, time};
use crate::bench::{Error, Plot, Session, Table};
use std::time::{Duration, Instant};
use tribunal_engines::memory::Checker;
use tribunal_history::memory::{Execution, Order};
use tribunal_history::model::Model;
use tribunal_machines::{Clients, Machine, Mix, execution};

/// What programs of a kind do.
struct Kind {
    name: &'static str,
    threads: u32,
    locations: u32,
    writes: f64,
    rmws: f64,
}

const KINDS: [Kind; 3] = [
    // Like spinlock, mutex, ticketlock: who takes the lock, or does not get it.
    Kind { name: "locks", threads: 4, locations: 1, writes: 0.2, rmws: 0.4 },
    // Like buf-ring, mpmc, ms-queue: an index that is taken, a place that is written and read.
    Kind { name: "queues", threads: 4, locations: 8, writes: 0.3, rmws: 0.2 },
    // Like dekker, peterson, szymanski: flags, no RMWs.
    Kind { name: "flags", threads: 3, locations: 4, writes: 0.3, rmws: 0.0 },
];

pub(super) fn report(session: &mut Session<'_>) -> Result<(), Error> {
    let sizes: &[u64] = session.pick(&[30, 100, 300, 1_000], &[30, 100, 300, 1_000, 3_000]);
    // All the histories of a size have about as many events, except for the largest.
    let events_a_size = session.pick(6_000, 60_000);
    let one = cores_of(1)?;
    session.begin("small histories", (KINDS.len() * sizes.len()) as u64);
    let mut table = Table::new(
        "small histories: average time of a check of ra, by a checker that is kept, one core; a ratio by join >= 1",
        &[
            "programs",
            "threads",
            "locations",
            "events",
            "histories",
            "tribunal",
            "wb by pairs",
            "ratio",
            "wb by join",
            "ratio",
            ">= 1",
        ],
    );
    let mut checker = Checker::new(Model::Ra);
    let mut plot = Plot::new("c11-small", "Programs with locks, ra: average time of a check", "events");
    let mut ratios = Vec::new();
    for kind in &KINDS {
        for &events in sizes {
            let histories = (events_a_size / events).clamp(3, 1_000);
            let (mut ours, mut theirs) = (Duration::ZERO, [Duration::ZERO; 2]);
            for seed in 0..histories {
                let x = execution(Machine::View, &kind.clients(events, seed))?;
                let clocks = EventClocks::new(&x).expect("the view machine does not read ahead");
                ours += one.install(|| time_check(&mut checker, &x).min(time_check(&mut checker, &x)));
                for (theirs, edges) in theirs.iter_mut().zip(Edges::ALL) {
                    *theirs += time_baseline(&x, &clocks, edges).min(time_baseline(&x, &clocks, edges));
                }
            }
            let average = |total: Duration| total / histories as u32;
            let [pairs, join] = theirs.map(average);
            let ours = average(ours);
            ratios.push(ratio(pairs, ours));
            if kind.name == "locks" {
                for (name, time) in [("tribunal", ours), ("wb by pairs", pairs), ("wb by join", join)] {
                    plot.point(name, events as f64, time, false);
                }
            }
            table.row([
                kind.name.into(),
                kind.threads.to_string(),
                kind.locations.to_string(),
                events.to_string(),
                histories.to_string(),
                time(ours),
                time(pairs),
                format!("{:.1}", ratio(pairs, ours)),
                time(join),
                format!("{:.1}", ratio(join, ours)),
                kept(ratio(join, ours) >= 1.0),
            ]);
            session.step()?;
        }
    }
    session.table(table);
    session.plot(plot);
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let most = ratios.iter().copied().fold(0.0, f64::max);
    session.note(format!(
        "The paper's Table 1 has Algorithm 3 in place of TruSt's writes-before: 36 times as fast in the \
         geometric mean, 162 times at most, where TruSt takes 0.07 s to 1.6 s a check. Here the ratio is \
         {mean:.1} in the mean over all rows, by pairs, and {most:.0} at most. The paper does not say how \
         many events its executions have; where they have a hundred or less, both take microseconds."
    ));
    Ok(())
}

/// Histories that are consistent by construction, checked over and over by one checker: what a call costs.
pub(super) fn calls(session: &mut Session<'_>) -> Result<(), Error> {
    const HISTORIES: u64 = 500;
    let rounds = session.pick(5, 20);
    let acq_rel = || Mix::only(Order::AcqRel);
    let mut cases: Vec<(String, Machine, Clients, Model, f64)> = Vec::new();
    for kind in &KINDS {
        for (model, orders) in [(Model::Ra, acq_rel()), (Model::Rc20, Mix::default())] {
            let clients = Clients { orders, ..kind.clients(30, 0) };
            cases.push((format!("view, {}", kind.name), Machine::View, clients, model, 1.5));
        }
    }
    let stores = Clients { threads: 4, locations: 4, writes: 0.4, events: 20, ..Clients::default() };
    cases.push(("tso, as generated".into(), Machine::Tso, stores, Model::Tso, 4.0));
    session.begin("calls", cases.len() as u64);
    let mut table = Table::new(
        format!("calls: {HISTORIES} histories, {rounds} times by one checker, one core; the best average"),
        &["machine", "threads", "locations", "events", "model", "a history", "budget", ""],
    );
    for (name, machine, clients, model, budget) in cases {
        let of = |seed| execution(machine, &Clients { seed, ..clients.clone() });
        let histories = (0..HISTORIES).map(of).collect::<Result<Vec<Execution>, _>>()?;
        let mut checker = Checker::new(model);
        let round = || {
            let start = Instant::now();
            let consistent = histories.iter().all(|x| checker.check(x).is_consistent());
            let elapsed = start.elapsed();
            assert!(consistent, "{model}: the {machine} machine is consistent by construction");
            elapsed
        };
        let best = std::iter::repeat_with(round).take(rounds).min().unwrap_or_default() / HISTORIES as u32;
        table.row([
            name,
            clients.threads.to_string(),
            clients.locations.to_string(),
            clients.events.to_string(),
            model.to_string(),
            time(best),
            format!("<= {budget} us"),
            kept(best.as_secs_f64() * 1e6 <= budget),
        ]);
        session.step()?;
    }
    session.table(table);
    Ok(())
}

/// The time of checking a consistent history once.
fn time_check(checker: &mut Checker, x: &Execution) -> Duration {
    let start = Instant::now();
    let verdict = checker.check(x);
    let elapsed = start.elapsed();
    assert!(verdict.is_consistent(), "the view machine is consistent by construction");
    elapsed
}

impl Kind {
    fn clients(&self, events: u64, seed: u64) -> Clients {
        Clients {
            threads: self.threads,
            locations: self.locations,
            writes: self.writes,
            rmws: self.rmws,
            fences: 0.0,
            orders: Mix::only(Order::AcqRel),
            events,
            seed,
            ..Clients::default()
        }
    }
}

//! The algorithms for collections: how their time grows, whatever the concurrency.

use super::cost::Question;
use super::{ENGINE_TIME, object};
use crate::bench::table::{kept, rate, ratio, time};
use crate::bench::{Error, Plot, Session, Table};
use std::time::Duration;
use tribunal_engines::Engine;
use tribunal_history::object::History;
use tribunal_machines::objects::{Clients, Values};

const COLLECTIONS: [&str; 7] = ["register", "set", "queue", "stack", "priority-queue", "list", "kv-store"];

pub(super) fn report(session: &mut Session<'_>) -> Result<(), Error> {
    growth(session)?;
    beside_search(session)
}

fn growth(session: &mut Session<'_>) -> Result<(), Error> {
    const PROCESSES: [u32; 2] = [8, 1000];
    let [small, large] = session.pick([12_500, 100_000], [125_000, 1_000_000]);
    let mut table = Table::new(
        format!(
            "runs of atomic objects, distinct values, {small} and {large} operations, best of 3; budget: a million in 5 s"
        ),
        &[
            "collection",
            "clients",
            &small.to_string(),
            &large.to_string(),
            "rate",
            "growth",
            "budget",
            "verify",
        ],
    );
    session.begin("collections", (COLLECTIONS.len() * PROCESSES.len()) as u64);
    for name in COLLECTIONS {
        let spec = object(name);
        for processes in PROCESSES {
            let (fewer, more) = (run(name, processes, small), run(name, processes, large));
            let [few, many] = [&fewer, &more].map(|history| {
                let question = Question::linearizable(history, &*spec);
                let timed = question.best(3, Some(Engine::Collection), ENGINE_TIME);
                assert!(timed.consistent(), "{name}: a run of an atomic object");
                timed
            });
            table.row([
                name.into(),
                processes.to_string(),
                time(few.time),
                time(many.time),
                rate(large.into(), many.time),
                format!("{:.1}", ratio(many.time, few.time)),
                kept(many.time < Duration::from_secs(5).mul_f64(f64::from(large) / 1e6)),
                Question::linearizable(&more, &*spec).verified(&many.verdict),
            ]);
            session.step()?;
        }
    }
    session.table(table);
    Ok(())
}

/// The same histories by searches, which do not know what a collection is.
fn beside_search(session: &mut Session<'_>) -> Result<(), Error> {
    const ENGINES: [Engine; 3] = [Engine::Collection, Engine::Search, Engine::WingGong];
    let sizes = session.pick(&[30, 100, 1_000, 10_000][..], &[30, 100, 1_000, 10_000, 100_000]);
    let patience = session.pick(Duration::from_secs(1), ENGINE_TIME);
    let names = ENGINES.map(Engine::name);
    let mut table = Table::new(
        format!("the same of 8 clients by searches; at most {} a history", time(patience)),
        &[&["collection", "operations"][..], &names].concat(),
    );
    let mut plot = Plot::new(
        "objects-collections",
        "Linearizability of a queue, distinct values, 8 clients",
        "operations",
    );
    session.begin("collections by search", (COLLECTIONS.len() * sizes.len()) as u64);
    for name in COLLECTIONS {
        let spec = object(name);
        let mut out = [false; ENGINES.len()];
        for &operations in sizes {
            let history = run(name, 8, operations);
            let mut row = vec![name.to_string(), operations.to_string()];
            for (engine, out) in ENGINES.into_iter().zip(&mut out) {
                // What has given up is not asked about longer histories.
                if *out {
                    row.push("-".into());
                    continue;
                }
                let timed = Question::linearizable(&history, &*spec).timed(Some(engine), patience);
                assert!(timed.consistent() || !timed.decided(), "{name}: a run of an atomic object");
                *out = !timed.decided();
                if name == "queue" {
                    plot.point(engine.name(), f64::from(operations), timed.time, *out);
                }
                row.push(timed.show());
            }
            table.row(row);
            session.step()?;
        }
    }
    session.table(table);
    session.plot(plot);
    Ok(())
}

fn run(name: &str, processes: u32, operations: u32) -> History {
    let clients = Clients {
        processes,
        operations,
        values: Values::Distinct,
        concurrency: 90,
        pending: 0.0,
        lies: 0.0,
        seed: 1,
    };
    clients.run(name)
}

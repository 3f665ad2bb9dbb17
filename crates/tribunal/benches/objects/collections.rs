//! The algorithms for collections: how their time grows, whatever the concurrency.

use crate::cost::{best, verified};
use crate::table::{Table, kept, rate, ratio, time};
use std::error::Error;
use std::time::Duration;
use tribunal::object::specs::named;
use tribunal::object::{Criterion, Engine};
use tribunal_machines::objects::{Clients, Values};

pub fn report() -> Result<(), Box<dyn Error>> {
    const SMALL: u32 = 125_000;
    const LARGE: u32 = 1_000_000;
    let mut table =
        Table::new(&["collection", "clients", "125k", "1M", "1M", "1M/125k", "< 5 s", "verify 1M"]);
    for name in ["register", "set", "queue", "stack", "priority-queue"] {
        let spec = named(name)?;
        for processes in [8, 1000] {
            let run = |operations| {
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
            };
            let (small, large) = (run(SMALL), run(LARGE));
            let judge = |history, runs| {
                best(runs, history, &*spec, &Criterion::Linearizable, Some(Engine::Collection))
            };
            let (one, eight) = (judge(&small, 5), judge(&large, 3));
            for timed in [&one, &eight] {
                assert!(timed.judgement.verdict.is_consistent(), "{name}: a run of an atomic object");
            }
            let growth = ratio(eight.time, one.time);
            table.row([
                name.into(),
                processes.to_string(),
                time(one.time),
                time(eight.time),
                rate(LARGE.into(), eight.time),
                format!("{growth:.1}"),
                kept(eight.time < Duration::from_secs(5)),
                verified(&large, &*spec, &Criterion::Linearizable, &eight.judgement.verdict),
            ]);
        }
    }
    table.print("collections: runs of atomic objects, distinct values; best of 5 and of 3");
    Ok(())
}

//! Going on without end: sessions that retire what cannot be observed any more.

use super::replay::{Checker, Event, Grown, Revealed};
use crate::bench::table::time;
use crate::bench::{Error, Session, Table};
use std::time::{Duration, Instant};
use tribunal_history::memory::Order;
use tribunal_history::model::Model;
use tribunal_machines::{Clients, Machine, Mix, run};

pub(super) fn report(session: &mut Session<'_>) -> Result<(), Error> {
    let sizes: &[u64] = session.pick(&[100_000], &[1_000_000, 10_000_000]);
    let cases = [
        (Model::Ra, Machine::View, 1_000_000),
        (Model::Rc20, Machine::View, 1_000_000),
        (Model::Tso, Machine::Tso, 300_000),
        (Model::Sc, Machine::Atomic, 300_000),
    ];
    session.begin("endless", (cases.len() * sizes.len()) as u64);
    let mut table = Table::new(
        "without end: 8 threads, 16 locations, retiring every 65536 events",
        &["model", "machine", "events", "an event", "a second", "budget", "", "most memory", "left"],
    );
    for (model, machine, budget) in cases {
        for &events in sizes {
            let clients = Clients { threads: 8, locations: 16, events, ..clients(model) };
            let cost = endless(model, run(machine, &clients)?, &clients);
            let rate = cost.events as f64 / cost.time.as_secs_f64();
            table.row([
                model.to_string(),
                machine.to_string(),
                events.to_string(),
                time(cost.time.div_f64(cost.events as f64)),
                format!("{:.2} M", rate / 1e6),
                format!(">= {} M", f64::from(budget) / 1e6),
                if rate >= f64::from(budget) { "kept".into() } else { "MISSED".into() },
                format!("{:.1} MB", cost.bytes as f64 / 1e6),
                cost.left.to_string(),
            ]);
            session.step()?;
        }
    }
    session.table(table);
    Ok(())
}

fn clients(model: Model) -> Clients {
    match model {
        Model::Ra => Clients { fences: 0.0, orders: Mix::only(Order::AcqRel), ..Clients::default() },
        _ => Clients::default(),
    }
}

struct Endless {
    time: Duration,
    events: u64,
    bytes: usize,
    left: usize,
}

/// Reveals all events and retires now and then.
fn endless(model: Model, steps: impl Iterator<Item = tribunal_machines::Step>, clients: &Clients) -> Endless {
    const BATCH: usize = 65_536;
    let mut checker = Grown::new(model, clients.threads, clients.locations);
    let mut events = Revealed::new(steps, clients.locations);
    let mut batch: Vec<Event> = Vec::with_capacity(BATCH);
    let mut cost = Endless { time: Duration::ZERO, events: 0, bytes: 0, left: 0 };
    loop {
        batch.clear();
        batch.extend(events.by_ref().take(BATCH));
        if batch.is_empty() {
            return cost;
        }
        let start = Instant::now();
        for &event in &batch {
            assert!(checker.reveal(event), "event {}: consistent by construction", cost.events);
            cost.events += 1;
        }
        cost.bytes = cost.bytes.max(checker.session.bytes());
        checker.session.retire();
        cost.time += start.elapsed();
        cost.left = checker.session.execution().map_or(0, |left| left.len());
    }
}

//! A memory that is watched: events a second and what is held, as text on one core.

use crate::bench::table::{kept, rate};
use crate::bench::{Error, Session, Table};
use std::fmt::Write as _;
use std::io::Cursor;
use std::time::{Duration, Instant};
use tribunal_engines::memory::monitor::Monitor;
use tribunal_formats::{Format, Observed, observations};
use tribunal_history::memory::{Kind, Op};
use tribunal_history::{limits::Limits, model::Model};
use tribunal_machines::{Clients, Machine, Mix, Step, run as run_machine};

/// What a model is monitored on, and how many events a second are asked for.
const ROWS: [(Model, Machine, &str, u64); 8] = [
    (Model::Ra, Machine::View, "acq_rel", 1_000_000),
    (Model::Rc20, Machine::View, "relaxed=2,acquire=1,release=1,acq_rel=1", 1_000_000),
    (Model::Rc11, Machine::View, "acq_rel", 0),
    (Model::Relaxed, Machine::View, "relaxed", 0),
    (Model::Wra, Machine::View, "acq_rel", 0),
    (Model::Sc, Machine::Atomic, "relaxed", 0),
    (Model::Tso, Machine::Tso, "relaxed", 300_000),
    (Model::Pso, Machine::Pso, "relaxed", 0),
];

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    let events = session.pick(100_000, 2_000_000);
    let mut table = Table::new(
        format!("monitor: {events} events of 8 threads on 16 locations, read as text on one core"),
        &["model", "machine", "events a second", "asked for", "most held", "answer"],
    );
    session.begin("models", ROWS.len() as u64);
    for (model, machine, orders, asked) in ROWS {
        let orders: Mix = orders.parse().expect("a mix");
        let clients = Clients {
            threads: 8,
            locations: 16,
            events,
            orders,
            rmws: 0.05,
            fences: 0.02,
            ..Clients::default()
        };
        let Watched { took, bytes, answer } = watched(model, machine, &clients)?;
        table.row([
            model.to_string(),
            machine.to_string(),
            rate(events, took),
            if asked == 0 { String::new() } else { kept(events as f64 / took.as_secs_f64() >= asked as f64) },
            format!("{:.1} MB", bytes as f64 / 1e6),
            answer,
        ]);
        session.step()?;
    }
    session.table(table);
    Ok(())
}

struct Watched {
    took: Duration,
    bytes: usize,
    answer: String,
}

/// Watches what a machine does, as text that is there.
fn watched(model: Model, machine: Machine, clients: &Clients) -> Result<Watched, Error> {
    let names: Vec<_> = (0..clients.threads).map(|t| format!("T{t}")).collect();
    let mut text = format!("threads: {}\n", names.join(" "));
    run_machine(machine, clients)?.for_each(|step| put(&mut text, &step));
    let start = Instant::now();
    let mut monitor = Monitor::new(model, 4096).expect("a model with sessions");
    let mut bytes = 0;
    let observed = observations(Cursor::new(text.into_bytes()), "-", Some(Format::Text)).expect("text");
    for observed in observed {
        match observed.expect("well-formed") {
            Observed::Event { thread, op, .. } => {
                monitor.event(thread, op);
                if monitor.events().is_multiple_of(1 << 12) {
                    bytes = bytes.max(monitor.bytes());
                }
            }
            Observed::Thread(name) => _ = monitor.thread(&name),
            Observed::Location(name, init) => _ = monitor.location(&name, init),
            Observed::End => {}
        }
    }
    monitor.finish(&Limits::default());
    let answer = match (monitor.found(), monitor.unsettled()) {
        (Some(violation), _) => format!("inconsistent: {}", violation.why),
        (None, unsettled) if unsettled.is_empty() => "consistent".into(),
        (None, unsettled) => format!("{} events not settled", unsettled.events),
    };
    Ok(Watched { took: start.elapsed(), bytes, answer })
}

/// A step as a line of the text form.
fn put(text: &mut String, Step { thread, op, .. }: &Step) {
    let order = op.order.suffix();
    let Op { loc, value, read, .. } = *op;
    let (thread, loc) = (thread.0, loc.0);
    let put = match op.kind {
        Kind::Read => writeln!(text, "T{thread}: R{order} x{loc} {value}"),
        Kind::Write => writeln!(text, "T{thread}: W{order} x{loc} {value}"),
        Kind::Rmw => writeln!(text, "T{thread}: U{order} x{loc} {read}>{value}"),
        Kind::Fence => writeln!(text, "T{thread}: F{order}"),
    };
    put.expect("a string takes everything");
}

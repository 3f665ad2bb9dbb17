//! Data races: listing them, in histories with many and with none.

use crate::bench::table::time;
use crate::bench::{Error, Session, Table};
use std::time::Instant;
use tribunal_engines::memory::races::{RacesError, races};
use tribunal_history::memory::{Execution, Op, Order, Slot, Source};
use tribunal_history::{limits::Limits, model::Model};
use tribunal_machines::{Clients, Machine, execution};

const THREADS: u32 = 8;
const LOCATIONS: u32 = 16;

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    let events = session.pick(100_000, 10_000_000);
    let mut table = Table::new(
        format!("races: {THREADS} threads, {LOCATIONS} locations; one race for each pair of places"),
        &["history", "events", "races", "time", "a million events"],
    );
    session.begin("histories", 4);
    for (name, history) in [("view, a third na", shared as fn(u64) -> _), ("handed over", handed_over)] {
        for events in [events / 10, events] {
            let x = history(events)?;
            let start = Instant::now();
            let found = match races(&x, Model::Rc20, &Limits::default()) {
                Ok(races) => races.len().to_string(),
                Err(RacesError::Limit(limit)) => limit.to_string(),
                Err(unlisted) => unreachable!("{unlisted}"),
            };
            let took = start.elapsed();
            let million = took.mul_f64(1e6 / x.len() as f64);
            table.row([name.into(), x.len().to_string(), found, time(took), time(million)]);
            session.step()?;
        }
    }
    session.table(table);
    Ok(())
}

/// Everyone accesses everything: nearly every pair of places has a race.
fn shared(events: u64) -> Result<Execution, Error> {
    let orders = "na=2,relaxed=1,acquire=1,release=1,acq_rel=1".parse().expect("a mix");
    let clients = Clients { threads: THREADS, locations: LOCATIONS, events, orders, ..Clients::default() };
    Ok(execution(Machine::View, &clients)?)
}

/// The locations are handed from thread to thread by a flag, and there is no race: the dear case, since every access is held against
/// the latest of every thread.
fn handed_over(events: u64) -> Result<Execution, Error> {
    const ACCESSES: u64 = 30;
    let mut b = Execution::builder();
    let threads: Vec<_> = (0..THREADS).map(|t| b.thread(&format!("T{t}"))).collect();
    let data: Vec<_> = (1..LOCATIONS).map(|loc| b.location(&format!("x{loc}"))).collect();
    let flag = b.location("flag");
    let mut latest: Vec<Option<(Slot, u64)>> = vec![None; data.len()];
    let (mut handed, mut pushed) = (None, 0);
    while pushed < events {
        let turn = pushed / (ACCESSES + 2);
        let thread = threads[(turn % u64::from(THREADS)) as usize];
        let source = handed.map_or(Source::Init, Source::At);
        b.push(thread, Op::read(flag, turn).order(Order::Acquire).from(source));
        for i in 0..ACCESSES {
            let at = ((turn + i) % data.len() as u64) as usize;
            let op = match latest[at] {
                Some((slot, value)) if i % 3 > 0 => Op::read(data[at], value).from(Source::At(slot)),
                _ => Op::write(data[at], pushed + i + 1),
            };
            let slot = b.push(thread, op.order(Order::NonAtomic));
            if op.source == Source::ByValue {
                latest[at] = Some((slot, op.value));
            }
        }
        handed = Some(b.push(thread, Op::write(flag, turn + 1).order(Order::Release)));
        pushed += ACCESSES + 2;
    }
    Ok(b.build().expect("every source is a write of that value"))
}

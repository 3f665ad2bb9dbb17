//! seq_cst: what it costs beside the same history with acq_rel in its place, how that grows, and beside sc.

use super::cores_of;
use super::histories::time_check;
use crate::bench::table::{kept, ratio, time};
use crate::bench::{Error, Session, Table};
use std::time::Duration;
use tribunal_history::memory::{Execution, Order};
use tribunal_history::model::Model;
use tribunal_machines::{Clients, Machine, Mix, run};

/// How many times as large the large history is.
const TIMES: u64 = 8;

/// A history of the view machine in which this order takes the place of seq_cst.
fn history(orders: &str, fences: f64, events: u64, instead: Order) -> Result<Execution, Error> {
    let orders: Mix = orders.parse().expect("a mix of orders");
    let clients =
        Clients { threads: 8, locations: 16, events, orders, fences, seed: 1, ..Clients::default() };
    let mut builder = Execution::builder();
    (0..clients.threads).for_each(|thread| _ = builder.thread(&format!("T{thread}")));
    (0..clients.locations).for_each(|loc| _ = builder.location(&format!("x{loc}")));
    for step in run(Machine::View, &clients)? {
        let order = if step.op.order == Order::SeqCst { instead } else { step.op.order };
        builder.push(step.thread, step.op.order(order));
    }
    Ok(builder.build().expect("histories of machines are well-formed"))
}

/// The best time of some rounds.
fn best(x: &Execution, model: Model, rounds: usize) -> Duration {
    (0..rounds).map(|_| time_check(x, model)).min().unwrap_or_default()
}

pub(super) fn report(session: &mut Session<'_>) -> Result<(), Error> {
    /// One access in ten is seq_cst, and one event in fifty is a seq_cst fence.
    const SOME: (&str, f64) = ("relaxed=38,acquire=19,release=19,acq_rel=14,seq_cst=10", 0.125);
    let events = session.pick(100_000, 1_000_000);
    let rounds = session.pick(3, 5);
    session.begin("seq_cst", 3);
    let one = cores_of(1)?;
    let timed = |x: &Execution, model: Model| one.install(|| best(x, model, rounds));
    let mut table = Table::new(
        format!("seq_cst: rc20, {events} events, 8 threads, 16 locations, one core; best of {rounds} rounds"),
        &["history", "with it", "without", "ratio", "budget", ""],
    );
    let mut row = |name: &str, with: Duration, without: Duration, budget: f64| {
        let ratio = ratio(with, without);
        let budget_name = format!("<= {budget}");
        table.row([
            name.into(),
            time(with),
            time(without),
            format!("{ratio:.2}"),
            budget_name,
            kept(ratio <= budget),
        ]);
    };
    let few = timed(&history(SOME.0, SOME.1, events, Order::SeqCst)?, Model::Rc20);
    let plain = timed(&history(SOME.0, SOME.1, events, Order::AcqRel)?, Model::Rc20);
    row("10 % of accesses, 2 % fences; acq_rel instead", few, plain, 4.0);
    session.step()?;
    let many = timed(&history(SOME.0, SOME.1, TIMES * events, Order::SeqCst)?, Model::Rc20);
    row("the same, eight times as many events; and as above", many, few, 10.0);
    session.step()?;
    let all = history("seq_cst=1", 0.02, events, Order::SeqCst)?;
    row("all events; sc instead", timed(&all, Model::Rc20), timed(&all, Model::Sc), 3.0);
    session.step()?;
    session.table(table);
    Ok(())
}

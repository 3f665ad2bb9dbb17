//! The causal family and wsc on long histories.

use crate::cost::{best, timed};
use crate::memory;
use crate::table::{Table, kept, rate, ratio, time};
use std::error::Error;
use std::time::Duration;
use tribunal::Model;
use tribunal::memory::{Execution, Order};
use tribunal_machines::{Clients, InvalidClients, Machine, Mix, execution};

const MODELS: [Model; 7] =
    [Model::Cc, Model::Ccv, Model::Pram, Model::Cm, Model::Ccm, Model::Wccm, Model::Wsc];

/// A history of atomic memory, 8 threads and 16 locations, half writes: consistent with every model.
pub fn history(events: u64) -> Result<Execution, InvalidClients> {
    let clients = Clients {
        threads: 8,
        events,
        locations: 16,
        writes: 0.5,
        rmws: 0.0,
        fences: 0.0,
        orders: Mix::only(Order::Relaxed),
        seed: 1,
        ..Clients::default()
    };
    execution(Machine::Atomic, &clients)
}

pub fn report() -> Result<(), Box<dyn Error>> {
    let (small, large) = (history(100_000)?, history(1_000_000)?);
    let mut table =
        Table::new(&["model", "100k", "1M", "1M/100k", "1M", "<= 1 s", "history", "peak", "<= 200"]);
    for model in MODELS {
        let few = best(3, &small, model);
        let many = if few.decided() { best(2, &large, model) } else { timed(&large, model, None) };
        for timed in [&few, &many] {
            assert!(timed.consistent() || !timed.decided(), "{model}: atomic memory is everything");
        }
        let memory = if many.decided() { memory::of(model, "causal")? } else { None };
        // The budgets are for cc and ccv.
        let budget = |keeps: bool| {
            if matches!(model, Model::Cc | Model::Ccv) { kept(keeps) } else { String::new() }
        };
        table.row([
            model.to_string(),
            few.show(),
            many.show(),
            if many.decided() { format!("{:.1}", ratio(many.time, few.time)) } else { "-".into() },
            if many.decided() { rate(1_000_000, many.time) } else { "-".into() },
            budget(many.time <= Duration::from_secs(1)),
            memory.as_ref().map_or("-".into(), |memory| format!("{:.0}", memory.history)),
            memory.as_ref().map_or("-".into(), |memory| format!("{:.0}", memory.peak)),
            memory.as_ref().map_or(String::new(), |memory| budget(memory.peak <= 200.0)),
        ]);
    }
    table.print(&format!(
        "causal: atomic memory, 8 threads, 16 locations, half writes; at most {} a history; bytes an event, the history \
         included",
        time(crate::cost::PATIENCE)
    ));
    Ok(())
}

//! The cost of the causal models and wsc on long histories.

use crate::bench::cost::{best, timed};
use crate::bench::memory::{self, Load};
use crate::bench::table::{kept, ratio, time};
use crate::bench::{Error, Plot, Session, Table};
use std::time::Duration;
use tribunal_history::model::Model;

const MODELS: [Model; 7] =
    [Model::Cc, Model::Ccv, Model::Pram, Model::Cm, Model::Ccm, Model::Wccm, Model::Wsc];

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    let patience = Duration::from_secs(10);
    let (small, large): (u64, u64) = session.pick((20_000, 200_000), (100_000, 1_000_000));
    let mut table = Table::new(
        format!(
            "saturations: atomic memory, 8 threads, 16 locations, half writes; at most {} a history; bytes an event at {large} \
             events, the history included",
            time(patience)
        ),
        &[
            "model",
            &small.to_string(),
            &large.to_string(),
            "growth",
            "an event",
            "<= 1 s",
            "history",
            "peak",
            "<= 200",
        ],
    );
    let mut plot =
        Plot::new("kernel-saturations", "saturations: atomic memory, 8 threads", "events").without_ratio();
    session.begin("saturations", MODELS.len() as u64);
    for model in MODELS {
        let [few, many] = [small, large].map(|events| Load::Atomic.history(model, events));
        let (few, many) = (few?, many?);
        let few = best(3, &few, model, patience);
        let many =
            if few.decided() { best(2, &many, model, patience) } else { timed(&many, model, None, patience) };
        for (timed, events) in [(&few, small), (&many, large)] {
            assert!(timed.consistent() || !timed.decided(), "{model}: atomic memory is everything");
            // pram is none of the papers' saturations.
            if model != Model::Pram {
                plot.point(model.name(), events as f64, timed.time, !timed.decided());
            }
        }
        let memory = if many.decided() { memory::of(Load::Atomic, model, large)? } else { None };
        // The budgets are for cc and ccv.
        let budget =
            |keeps: bool| if matches!(model, Model::Cc | Model::Ccv) { kept(keeps) } else { String::new() };
        table.row([
            model.to_string(),
            few.show(),
            many.show(),
            if many.decided() { format!("{:.1}", ratio(many.time, few.time)) } else { "-".into() },
            if many.decided() { time(many.time / large as u32) } else { "-".into() },
            budget(many.time <= Duration::from_secs(1)),
            memory.map_or("-".into(), |memory| format!("{:.0}", memory.history)),
            memory.map_or("-".into(), |memory| format!("{:.0}", memory.checking)),
            memory.map_or(String::new(), |memory| budget(memory.checking <= 200.0)),
        ]);
        session.step()?;
    }
    session.table(table);
    session.plot(plot);
    Ok(())
}

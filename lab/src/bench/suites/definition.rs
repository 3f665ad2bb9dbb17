//! Models by their texts, beside the engines that decide the same: traces of machines, and histories of the size of litmus tests.

use super::tso::trace;
use crate::bench::cost::{best, timed};
use crate::bench::table::{kept, ratio, time};
use crate::bench::{Error, Session, Table};
use std::time::Duration;
use tribunal_engines::Engine;
use tribunal_history::memory::Execution;
use tribunal_history::model::Model;
use tribunal_machines::hard::{Mutation, mutate};
use tribunal_machines::{Clients, Machine, execution};

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    traces(session)?;
    small(session)
}

fn traces(session: &mut Session<'_>) -> Result<(), Error> {
    let (sizes, patience) =
        session.pick((vec![1_000], Duration::from_secs(20)), (vec![1_000, 10_000], Duration::from_secs(60)));
    let mut table = Table::new(
        format!("traces of 8 threads, by the text and by the engine: at most {} each", time(patience)),
        &["history", "events", "model", "verdict", "by text", "by engine", "ratio", "<= 100"],
    );
    let models = [Model::Sc, Model::Tso, Model::Ra, Model::Rc20];
    session.begin("traces", (2 * sizes.len() * models.len()) as u64);
    for &events in &sizes {
        let clients = Clients { threads: 8, events, rmws: 0.05, seed: 1, ..Clients::default() };
        let atomic = execution(Machine::Atomic, &clients)?;
        let redirected = mutate(&atomic, &Mutation { reads: 3, distance: 20, seed: 1 });
        for model in models {
            let buffered = if model == Model::Tso { trace(8, events)? } else { atomic.clone() };
            for (name, x) in [("consistent", &buffered), ("reads redirected", &redirected)] {
                let text = timed(x, model, Some(Engine::Definition), patience);
                let engine = best(5, x, model, patience);
                let factor = ratio(text.time, engine.time);
                assert!(!text.decided() || text.consistent() == engine.consistent(), "{model}");
                table.row([
                    name.to_string(),
                    events.to_string(),
                    model.to_string(),
                    engine.verdict.word().into(),
                    text.show(),
                    engine.show(),
                    format!("{factor:.1}"),
                    kept(text.decided() && factor <= 100.0),
                ]);
                session.step()?;
            }
        }
    }
    session.table(table);
    Ok(())
}

/// What a history of so many events takes, of many that are alike.
fn small(session: &mut Session<'_>) -> Result<(), Error> {
    let count = session.pick(200, 2_000);
    let patience = Duration::from_secs(10);
    let histories = |events: u64| -> Result<Vec<Execution>, Error> {
        let one = |seed| {
            let clients = Clients { threads: 3, events, locations: 3, seed, ..Clients::default() };
            Ok(execution(Machine::Tso, &clients)?)
        };
        (0..count).map(one).collect()
    };
    let mut table = Table::new(
        format!("{count} histories of 3 threads: the mean of one"),
        &["events", "model", "consistent", "by text", "by engine", "ratio"],
    );
    let rows = [8, 16, 32];
    session.begin("small", rows.len() as u64);
    for events in rows {
        let histories = histories(events)?;
        for model in [Model::Sc, Model::Tso, Model::Rc11, Model::Cm] {
            let mut total = [Duration::ZERO; 2];
            let mut consistent = 0;
            for x in &histories {
                let text = timed(x, model, Some(Engine::Definition), patience);
                let engine = timed(x, model, None, patience);
                assert_eq!(text.consistent(), engine.consistent(), "{model}");
                consistent += u32::from(text.consistent());
                total[0] += text.time;
                total[1] += engine.time;
            }
            let [text, engine] = total.map(|total| total / count as u32);
            table.row([
                events.to_string(),
                model.to_string(),
                consistent.to_string(),
                time(text),
                time(engine),
                format!("{:.1}", ratio(text, engine)),
            ]);
        }
        session.step()?;
    }
    session.table(table);
    Ok(())
}

//! The weaker multiprocessor models with fences: whether eight times the events take eight times as long; and the completions of
//! Zennou et al. 2019 and 2020 by enumeration.

use super::tso::trace;
use crate::bench::cost::{Timed, Times, timed};
use crate::bench::papers::Set;
use crate::bench::table::{kept, ratio, time};
use crate::bench::{Error, Session, Table};
use std::time::Duration;
use tribunal_engines::Engine;
use tribunal_history::memory::Execution;
use tribunal_history::model::Model;
use tribunal_machines::hard::{Mutation, drop_fences, mutate};
use tribunal_machines::{Clients, InvalidClients, Machine, execution};

/// Where a history comes from.
#[derive(Clone, Copy)]
enum Source {
    /// Random clients: 35 % writes, 5 % RMWs, 2 % fences of mixed orders, 16 locations.
    Machine(Machine),
    /// The same with a thousandth of the reads redirected.
    Redirected(Machine),
    /// The same with a tenth of the fences dropped, which does no harm.
    Fewer(Machine),
    /// Store buffers without fences: half writes, 32 locations.
    Buffers,
}

impl Source {
    fn name(self) -> String {
        match self {
            Source::Machine(machine) => machine.to_string(),
            Source::Redirected(machine) => format!("{machine}, reads redirected"),
            Source::Fewer(machine) => format!("{machine}, fences dropped"),
            Source::Buffers => "tso, without fences".into(),
        }
    }

    fn history(self, threads: u32, events: u64) -> Result<Execution, InvalidClients> {
        let clients =
            Clients { threads, events, rmws: 0.05, fences: 0.02, deps: 0.0, seed: 1, ..Clients::default() };
        Ok(match self {
            Source::Machine(machine) => execution(machine, &clients)?,
            Source::Redirected(machine) => {
                let reads = u32::try_from(events / 1000).unwrap_or(u32::MAX);
                mutate(&execution(machine, &clients)?, &Mutation { reads, distance: 20, seed: 1 })
            }
            Source::Fewer(machine) => drop_fences(&execution(machine, &clients)?, 0.1, 1),
            Source::Buffers => trace(threads, events)?,
        })
    }
}

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    growth(session)?;
    completions(session)
}

fn growth(session: &mut Session<'_>) -> Result<(), Error> {
    let rows = [
        (Source::Machine(Machine::Rmo), 32, Model::Rmo),
        (Source::Machine(Machine::Pso), 32, Model::Rmo),
        (Source::Machine(Machine::Pso), 32, Model::Pso),
        (Source::Buffers, 32, Model::Pso),
        (Source::Buffers, 8, Model::Wmo),
        (Source::Fewer(Machine::Rmo), 32, Model::Rmo),
        (Source::Redirected(Machine::Rmo), 32, Model::Rmo),
    ];
    let (small, patience) = session.pick((5_000, Duration::from_secs(5)), (125_000, Duration::from_secs(60)));
    let large = 8 * small;
    let mut table = Table::new(
        format!("growth: at most {} a history", time(patience)),
        &[
            "machine",
            "threads",
            "model",
            "verdict",
            "engine",
            &small.to_string(),
            &large.to_string(),
            "an event",
            "growth",
            "<= 10",
        ],
    );
    session.begin("growth", rows.len() as u64);
    for (source, threads, model) in rows {
        let [few, many] = [small, large].map(|events| -> Result<Timed, Error> {
            Ok(timed(&source.history(threads, events)?, model, None, patience))
        });
        let (few, many) = (few?, many?);
        let growth = ratio(many.time, few.time);
        let wrong = matches!(source, Source::Redirected(_));
        assert!([&few, &many].iter().all(|by| !by.decided() || by.consistent() != wrong), "{model}");
        table.row([
            source.name(),
            threads.to_string(),
            model.to_string(),
            many.verdict.word().into(),
            many.engine.name().into(),
            few.show(),
            many.show(),
            time(many.time / large as u32),
            format!("{growth:.2}"),
            // Where in a history a violation is found is chance.
            if wrong { String::new() } else { kept(many.decided() && growth <= 10.0) },
        ]);
        session.step()?;
    }
    session.table(table);
    session.note(
        "35 % writes, 5 % RMWs, 2 % fences (relaxed, acquire, release and acq_rel), 16 locations; without fences: half writes, 32 \
         locations.",
    );
    Ok(())
}

/// Completing what a saturation orders: all orders that extend it, or a SAT solver's.
fn completions(session: &mut Session<'_>) -> Result<(), Error> {
    let ways = [
        (Model::Sc, Engine::CcmEnum),
        (Model::Sc, Engine::WscEnum),
        (Model::Sc, Engine::Sat),
        (Model::Tso, Engine::WccmEnum),
        (Model::Tso, Engine::Sat),
    ];
    let (histories, patience) = session.pick((3, Duration::from_millis(500)), (20, Duration::from_secs(10)));
    let sizes = [(2, 100), (4, 200), (6, 300), (8, 400), (16, 800)];
    let mut heads = vec!["threads".to_string(), "events".into()];
    heads.extend(ways.iter().map(|(model, engine)| format!("{model}, {}", engine.name())));
    let mut table = Table::new(
        format!(
            "completions: valid histories of caches, {histories} of a size: mean times; at most {} a history",
            time(patience)
        ),
        &heads.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    session.begin("completions", sizes.len() as u64 * histories);
    for (threads, events) in sizes {
        let mut times = ways.map(|_| Times::default());
        for seed in 0..histories {
            let x = Set::Valid.history(Model::Sc, threads, events, seed)?;
            for (&(model, engine), times) in ways.iter().zip(&mut times) {
                // What gave up on a history of this size is not asked again.
                if times.undecided == 0 {
                    let by = timed(&x, model, Some(engine), patience);
                    assert!(!by.decided() || by.consistent(), "{model} by {}: seed {seed}", engine.name());
                    times.add(&by);
                }
            }
            session.step()?;
        }
        let known = [threads.to_string(), events.to_string()];
        table.row(known.into_iter().chain(times.iter().map(Times::show)));
    }
    session.table(table);
    session.note(
        "`ccm-enum` and `wccm-enum` are SC-CCM+Enum and TSO-CCM+Enum of the 2019 paper, `wsc-enum` the same from the saturation of \
         sc; `sat` is wSC+ENUM of the 2020 paper, which completes by a SAT solver.",
    );
    Ok(())
}

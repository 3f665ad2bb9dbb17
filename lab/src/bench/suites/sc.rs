//! Sequential consistency: the experiments of Zennou et al. 2020 (Figs. 6 to 9) and 2019 (Figs. 4 and 5), and beyond.

use crate::bench::cost::timed;
use crate::bench::experiment::{Axis, Experiment};
use crate::bench::papers::{Set, caches, clients};
use crate::bench::table::{ratio, time};
use crate::bench::{Error, Plot, Session, Table};
use std::time::Duration;
use tribunal_engines::Engine;
use tribunal_history::model::Model;
use tribunal_machines::execution;

const THREADS: Axis = Axis::Threads(&[4, 8, 12, 16, 64]);

#[rustfmt::skip]
static EXPERIMENTS: [Experiment; 8] = [
    sc("sc-operations", "2020, Fig. 6", Set::Valid, 200, Axis::Operations(6, &[200, 300, 400, 500, 600, 700, 800])),
    sc("sc-threads", "2020, Fig. 7", Set::Valid, 200, THREADS),
    sc("sc-threads-mixed", "2020, Fig. 8", Set::Mixed, 200, THREADS),
    sc("sc-threads-redirected", "2020, Fig. 9", Set::Redirected, 100, THREADS),
    sc("sc-threads-reordered", "2020, Fig. 9 again", Set::Reordered, 50, THREADS),
    sc("sc-cpus-operations", "2019, Fig. 4a", Set::Valid, 200, Axis::Operations(4, &[100, 200, 300, 400, 500])),
    sc("sc-cpus", "2019, Fig. 4b", Set::Valid, 200, Axis::Threads(&[2, 3, 4, 5, 6])),
    sc("sc-cpus-reordered", "2019, Fig. 5", Set::Reordered, 143, Axis::Threads(&[2, 3, 4, 5, 6, 7, 8])),
];

const fn sc(plot: &'static str, figure: &'static str, set: Set, histories: u64, axis: Axis) -> Experiment {
    Experiment { plot, figure, model: Model::Sc, set, histories, axis }
}

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    session.note(
        "Random clients of MI, MESI and MOESI in turn, half writes, 16 locations. `search` and `sat` stand where the 2020 paper has \
         wSC+DBCOP and wSC+ENUM. `memoized` is DBCOP's search, without saturation. `ccm` is only the saturation that CCM+ENUM \
         begins with: the suite `jumps` completes it. What gives up on a size is tried on one history of the next.",
    );
    let mut undecided = 0;
    for experiment in &EXPERIMENTS {
        undecided += experiment.run(session)?;
    }
    session.note(format!("{undecided} histories of these are undecided."));
    weaker(session)?;
    enumeration(session)?;
    long(session)
}

/// Which violations of sc the models below it see.
fn weaker(session: &mut Session<'_>) -> Result<(), Error> {
    const MODELS: [Model; 4] = [Model::Cc, Model::Ccv, Model::Ccm, Model::Wsc];
    let mut table = Table::new(
        "violations of sc that weaker models refuse, 50 operations a thread; the papers say: redirected, ccm 98.75 % and wsc all \
         of 400; reordered, cc or ccv 50 % and ccm all of 1000",
        &["set", "threads", "histories", "cc", "cc or ccv", "ccm", "wsc"],
    );
    let rows: [(Set, &[u32], u64); 2] = [
        (Set::Redirected, &[4, 8, 12, 16], session.pick(10, 100)),
        (Set::Reordered, &[2, 3, 4, 5, 6, 7, 8], session.pick(10, 143)),
    ];
    session.begin(
        "violations by weaker models",
        rows.iter().map(|(_, threads, histories)| threads.len() as u64 * histories).sum(),
    );
    for (set, threads, histories) in rows {
        let mut refused = [0; MODELS.len()];
        for &threads in threads {
            for seed in 0..histories {
                let x = set.history(Model::Sc, threads, 50 * u64::from(threads), seed)?;
                let by = MODELS.map(|model| !timed(&x, model, None, Duration::from_secs(60)).consistent());
                // Each model is contained in those before it.
                assert!(by.is_sorted(), "{set:?}: {threads} threads, seed {seed}");
                for (refused, by) in refused.iter_mut().zip(by) {
                    *refused += u64::from(by);
                }
                session.step()?;
            }
        }
        let all = threads.len() as u64 * histories;
        let shares = refused.map(|refused| format!("{:.2} %", 100.0 * refused as f64 / all as f64));
        let known =
            [set.name().into(), format!("{} to {}", threads[0], threads[threads.len() - 1]), all.to_string()];
        table.row(known.into_iter().chain(shares));
    }
    session.table(table);
    Ok(())
}

/// Where trying every mo comes to an end.
fn enumeration(session: &mut Session<'_>) -> Result<(), Error> {
    const ENGINES: [Option<Engine>; 4] =
        [None, Some(Engine::Enum), Some(Engine::Subset), Some(Engine::Memoized)];
    let mut table = Table::new(
        "every mo tried: sc, valid histories of 4 threads on 4 locations",
        &["events", "writes", "tribunal", "enum", "subset", "memoized", "enum/tribunal"],
    );
    let mut plot = Plot::new("sc-enum", "every mo tried: sc, valid", "operations, 4 threads");
    let patience = Duration::from_secs(session.pick(1, 10));
    let sizes = [10, 20, 30, 40, 50, 60];
    session.begin("every mo", sizes.len() as u64);
    for events in sizes {
        let x = execution(caches(0), &clients(4, 4, events, 1))?;
        let by = ENGINES.map(|engine| timed(&x, Model::Sc, engine, patience));
        for (timed, engine) in by.iter().zip(ENGINES) {
            let name = engine.map_or("tribunal", Engine::name);
            assert!(timed.consistent() || !timed.decided(), "{name}: {events} events");
            plot.point(name, events as f64, timed.time, !timed.decided());
        }
        let gain = ratio(by[1].time, by[0].time);
        let known = [events.to_string(), x.features().writes.to_string()];
        let gain = format!("{}{gain:.0}", if by[1].decided() { "" } else { "> " });
        table.row(known.into_iter().chain(by.iter().map(|timed| timed.show())).chain([gain]));
        session.step()?;
    }
    session.table(table);
    session.plot(plot);
    Ok(())
}

/// Up to a million events.
fn long(session: &mut Session<'_>) -> Result<(), Error> {
    let mut table = Table::new(
        "long histories: sc, 16 locations; given a minute each",
        &["set", "threads", "events", "verdict", "engine", "time", "an event"],
    );
    let mut plot = Plot::new("sc-long", "long histories: sc, by threads", "events").without_ratio();
    let sizes: &[u64] = session.pick(&[10_000, 100_000], &[10_000, 100_000, 1_000_000]);
    let sets = [
        (Set::Valid, "valid", 8),
        (Set::Valid, "valid", 64),
        (Set::Redirected, "redirected", 8),
        (Set::Redirected, "redirected", 64),
    ];
    // An event takes a row as wide as there are threads: of many threads, fewer events.
    let fits = |threads: u32, events: u64| u64::from(threads) * events <= 8_000_000;
    let cases = || {
        let of = |set: (Set, &'static str, u32)| sizes.iter().map(move |&events| (set, events));
        sets.into_iter().flat_map(of).filter(|&((_, _, threads), events)| fits(threads, events))
    };
    session.begin("long histories", cases().count() as u64);
    for ((set, curve, threads), events) in cases() {
        let x = set.history(Model::Sc, threads, events, 1)?;
        let by = timed(&x, Model::Sc, None, Duration::from_secs(60));
        assert!(!by.decided() || by.consistent() == set.is_consistent(1), "{set:?}: {threads}, {events}");
        plot.point(&format!("{curve} {threads}"), events as f64, by.time, !by.decided());
        table.row([
            set.name().into(),
            threads.to_string(),
            events.to_string(),
            by.verdict.word().into(),
            by.engine.name().into(),
            by.show(),
            time(by.time / events as u32),
        ]);
        session.step()?;
    }
    session.table(table);
    session.plot(plot);
    Ok(())
}

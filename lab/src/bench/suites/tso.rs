//! Total store order: the experiment of Zennou et al. 2019, Fig. 6; traces of store buffers beside Axe; how time and memory
//! grow.

use crate::bench::cost::{Timed, best, timed};
use crate::bench::experiment::{Axis, Experiment};
use crate::bench::memory::{self, Load, Memory};
use crate::bench::papers::{Set, clients};
use crate::bench::table::{kept, ratio, time};
use crate::bench::{Error, Plot, Session, Table};
use std::time::Duration;
use tribunal_history::memory::Execution;
use tribunal_history::model::Model;
use tribunal_machines::{InvalidClients, Machine, execution};

#[rustfmt::skip]
static EXPERIMENTS: [Experiment; 4] = [
    tso("tso-cpus-operations", "2019, Fig. 6a", Set::Valid, Axis::Operations(4, &[100, 200, 300, 400, 500])),
    tso("tso-cpus", "2019, Fig. 6b", Set::Valid, Axis::Threads(&[2, 3, 4, 5, 6])),
    tso("tso-threads-buffered", "2019, Fig. 6b again", Set::Buffered, Axis::Threads(&[2, 4, 6, 8, 16, 64])),
    tso("tso-threads-mixed", "2020, Fig. 8, for tso", Set::Mixed, Axis::Threads(&[4, 8, 12, 16, 64])),
];

const fn tso(plot: &'static str, figure: &'static str, set: Set, axis: Axis) -> Experiment {
    Experiment { plot, figure, model: Model::Tso, set, histories: 200, axis }
}

/// What Axe takes on traces of 32,000 events on this class of machine, in seconds.
const AXE: [(u32, Model, f64); 5] = [
    (4, Model::Tso, 0.49),
    (16, Model::Tso, 4.4),
    (32, Model::Tso, 17.8),
    (32, Model::Wmo, 3.7),
    (32, Model::Sc, 1.4),
];

/// A trace of store buffers: half writes, 32 addresses.
pub(super) fn trace(threads: u32, events: u64) -> Result<Execution, InvalidClients> {
    execution(Machine::Tso, &clients(threads, 32, events, 1))
}

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    session.note(
        "Random clients of MI, MESI and MOESI in turn, or of store buffers, half writes, 16 locations. `wccm` is only the saturation \
         that TSO-CCM+Enum begins with; `memoized` is DBCOP's search, without saturation.",
    );
    let mut undecided = 0;
    for experiment in &EXPERIMENTS {
        undecided += experiment.run(session)?;
    }
    session.note(format!("{undecided} histories of these are undecided."));
    axe(session)?;
    growth(session)
}

/// Beside what Axe takes.
fn axe(session: &mut Session<'_>) -> Result<(), Error> {
    const EVENTS: u64 = 32_000;
    const MODELS: [Model; 4] = [Model::Tso, Model::Wmo, Model::Pso, Model::Sc];
    let (runs, patience) = session.pick((2, Duration::from_secs(3)), (5, Duration::from_secs(10)));
    let mut table = Table::new(
        format!("traces of store buffers: half writes, 32 addresses, {EVENTS} events; best of {runs}"),
        &["threads", "model", "verdict", "engine", "tribunal", "an event", "Axe", "ratio", ">= 20"],
    );
    let mut plot = Plot::new("tso-axe", "tso: traces of store buffers, 32,000 events", "threads");
    let threads = [4, 16, 32];
    session.begin("traces beside Axe", (threads.len() * MODELS.len()) as u64);
    for threads in threads {
        let x = trace(threads, EVENTS)?;
        for model in MODELS {
            let timed = best(runs, &x, model, patience);
            let verdict = &timed.verdict;
            assert!(
                model == Model::Sc || !verdict.is_inconsistent(),
                "{model}: a store buffer's trace is tso"
            );
            let axe = AXE.iter().find(|axe| (axe.0, axe.1) == (threads, model));
            let axe = axe.map(|&(_, _, seconds)| Duration::from_secs_f64(seconds));
            if let (Model::Tso, Some(axe)) = (model, axe) {
                plot.point("tribunal", f64::from(threads), timed.time, !timed.decided());
                plot.point("Axe", f64::from(threads), axe, false);
            }
            table.row([
                threads.to_string(),
                model.to_string(),
                verdict.word().into(),
                timed.engine.name().into(),
                timed.show(),
                time(timed.time / EVENTS as u32),
                axe.map_or(String::new(), time),
                axe.map_or(String::new(), |axe| format!("{:.0}", ratio(axe, timed.time))),
                axe.map_or(String::new(), |axe| kept(ratio(axe, timed.time) >= 20.0)),
            ]);
            session.step()?;
        }
    }
    session.table(table);
    session.plot(plot);
    Ok(())
}

/// Eight times as many events. For tso there are rounds, which judge the small trace eight times and the large one once, so that
/// noise falls on both alike; the median ratio is reported.
fn growth(session: &mut Session<'_>) -> Result<(), Error> {
    const TIMES: u32 = 8;
    const ROUNDS: u64 = 2;
    const MODELS: [Model; 3] = [Model::Tso, Model::Pso, Model::Wmo];
    let (small, patience) =
        session.pick((12_500, Duration::from_secs(3)), (125_000, Duration::from_secs(30)));
    let large = small * u64::from(TIMES);
    let mut table = Table::new(
        format!(
            "growth: traces of store buffers, 32 threads, 32 addresses; the median of {} for tso; bytes an event at {large} \
             events, the history included; at most {} a trace",
            ROUNDS + 1,
            time(patience)
        ),
        &[
            "model",
            &small.to_string(),
            &large.to_string(),
            "an event",
            "growth",
            "<= 12",
            "history",
            "peak",
            "<= 400",
        ],
    );
    let mut plot = Plot::new("tso-growth", "traces of store buffers, 32 threads", "events").without_ratio();
    session.begin("growth of traces", MODELS.len() as u64 + ROUNDS);
    let (few, many) = (trace(32, small)?, trace(32, large)?);
    for model in MODELS {
        // The budgets are for tso.
        let budget = |keeps| if model == Model::Tso { kept(keeps) } else { String::new() };
        let once = |x: &Execution| {
            let timed = timed(x, model, None, patience);
            assert!(timed.consistent() || !timed.decided(), "{model}: a store buffer's trace is tso");
            timed
        };
        let probes = [once(&few), once(&many)];
        let (times, growth, memory) = if probes.iter().all(Timed::decided) {
            let mean = |x: &Execution, times: u32| -> Duration {
                (0..times).map(|_| once(x).time).sum::<Duration>() / times
            };
            let mut all = vec![probes.map(|timed| timed.time)];
            for _ in 0..if model == Model::Tso { ROUNDS } else { 0 } {
                all.push([mean(&few, TIMES), mean(&many, 1)]);
                session.step()?;
            }
            all.sort_by(|[a, b], [c, d]| ratio(*b, *a).total_cmp(&ratio(*d, *c)));
            let [few, many] = all[all.len() / 2];
            plot.point(model.name(), small as f64, few, false);
            plot.point(model.name(), large as f64, many, false);
            ([few, many].map(time), Some((many, ratio(many, few))), memory::of(Load::Buffers, model, large)?)
        } else {
            for (probe, events) in probes.iter().zip([small, large]) {
                plot.point(model.name(), events as f64, probe.time, !probe.decided());
            }
            (probes.map(|timed| timed.show()), None, None)
        };
        let [few, many] = times;
        let of = |figure: fn(&Memory) -> f64| memory.as_ref().map(figure);
        let bytes = |figure: Option<f64>| figure.map_or("-".into(), |bytes| format!("{bytes:.0}"));
        let peak = of(|memory| memory.checking);
        table.row([
            model.to_string(),
            few,
            many,
            growth.map_or("-".into(), |(many, _)| time(many / large as u32)),
            growth.map_or("-".into(), |(_, growth)| format!("{growth:.2}")),
            budget(growth.is_some_and(|(_, growth)| growth <= 12.0)),
            bytes(of(|memory| memory.history)),
            bytes(peak),
            peak.map_or(String::new(), |peak| budget(peak <= 400.0)),
        ]);
        session.step()?;
    }
    session.table(table);
    session.plot(plot);
    Ok(())
}

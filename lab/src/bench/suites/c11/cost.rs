//! Time: how it grows with the events and with the threads, and what a second core is worth.

use super::cores_of;
use super::histories::{history, time_check};
use crate::bench::table::{kept, rate, ratio, time};
use crate::bench::{Error, Session, Table};
use rayon::ThreadPool;
use std::time::Duration;
use tribunal_history::memory::Execution;
use tribunal_history::model::Model;

/// How many times as large the large history is.
const TIMES: u32 = 8;

fn small(session: &Session<'_>) -> u64 {
    session.pick(100_000, 1_000_000)
}

/// 100_000 is 0.1M.
fn millions(events: u64) -> String {
    format!("{}M", events as f64 / 1e6)
}

/// Events of 8 threads on 16 locations, and eight times as many.
///
/// The machine's noise must not favor the shorter run: a round checks the small history eight times and the large one
/// once, so that both take about as long, and the ratio is that of the round. The median of the rounds is reported.
pub(super) fn scale(session: &mut Session<'_>) -> Result<(), Error> {
    const MODELS: [Model; 3] = [Model::Rc20, Model::Ra, Model::Wra];
    let rounds = session.pick(3, 5);
    let one = cores_of(1)?;
    let few = small(session);
    let many = few * u64::from(TIMES);
    session.begin("scale", MODELS.len() as u64);
    let [few_name, many_name] = [few, many].map(|events| format!("{} events", millions(events)));
    let mut table = Table::new(
        format!("scale: 8 threads, 16 locations, one core; best times of {rounds} rounds, median ratio"),
        &["model", &few_name, &many_name, "a second", "a second", ">= 4 M/s", "ratio", "<= 9"],
    );
    for model in MODELS {
        let (small, large) = (history(model, 8, 16, few)?, history(model, 8, 16, many)?);
        let times =
            |x: &Execution, times: u32| one.install(|| (0..times).map(|_| time_check(x, model)).sum());
        let mut timed: Vec<(Duration, Duration)> = Vec::new();
        for _ in 0..rounds {
            let small: Duration = times(&small, TIMES);
            timed.push((small / TIMES, times(&large, 1)));
        }
        timed.sort_by(|a, b| ratio(a.1, a.0).total_cmp(&ratio(b.1, b.0)));
        let growth = ratio(timed[rounds / 2].1, timed[rounds / 2].0);
        let best =
            |time: fn(&(Duration, Duration)) -> Duration| timed.iter().map(time).min().unwrap_or_default();
        let (small, large) = (best(|round| round.0), best(|round| round.1));
        let fast = |events: u64, time: Duration| events as f64 / time.as_secs_f64() >= 4e6;
        table.row([
            model.to_string(),
            time(small),
            time(large),
            rate(few, small),
            rate(many, large),
            kept(fast(few, small) && fast(many, large)),
            format!("{growth:.2}"),
            kept(growth <= 9.0),
        ]);
        session.step()?;
    }
    session.table(table);
    Ok(())
}

/// 8 and 64 threads.
pub(super) fn threads(session: &mut Session<'_>) -> Result<(), Error> {
    const BUDGETS: [(Model, f64); 4] =
        [(Model::Rc20, 8.0), (Model::Ra, 8.0), (Model::Wra, 8.0), (Model::Relaxed, 1.5)];
    let one = cores_of(1)?;
    let events = small(session);
    session.begin("threads", BUDGETS.len() as u64);
    let mut table = Table::new(
        format!("threads: {} events, 16 locations, one core", millions(events)),
        &["model", "8 threads", "64 threads", "64/8", "budget", ""],
    );
    for (model, budget) in BUDGETS {
        let (few, many) = (history(model, 8, 16, events)?, history(model, 64, 16, events)?);
        let [few, many] = best([(&one, &few), (&one, &many)], model, 5);
        table.row([
            model.to_string(),
            time(few),
            time(many),
            format!("{:.2}", ratio(many, few)),
            format!("<= {budget}"),
            kept(ratio(many, few) <= budget),
        ]);
        session.step()?;
    }
    session.table(table);
    Ok(())
}

/// One core and all of them. For information: it depends on the machine.
pub(super) fn cores(session: &mut Session<'_>) -> Result<(), Error> {
    const MODELS: [Model; 4] = [Model::Rc20, Model::Ra, Model::Wra, Model::Relaxed];
    let (one, all) = (cores_of(1)?, cores_of(0)?);
    let events = small(session) * u64::from(TIMES);
    session.begin("cores", MODELS.len() as u64);
    let mut table = Table::new(
        format!(
            "cores: {} events, 8 threads, 16 locations, {} cores",
            millions(events),
            all.current_num_threads()
        ),
        &["model", "one core", "all cores", "one/all"],
    );
    for model in MODELS {
        let large = history(model, 8, 16, events)?;
        let [alone, together] = best([(&one, &large), (&all, &large)], model, 3);
        table.row([model.to_string(), time(alone), time(together), format!("{:.2}", ratio(alone, together))]);
        session.step()?;
    }
    session.table(table);
    Ok(())
}

/// The best times of checking two consistent histories, each on a pool. They take turns, so that what else the
/// machine does falls on both.
fn best(cases: [(&ThreadPool, &Execution); 2], model: Model, rounds: usize) -> [Duration; 2] {
    let mut best = [Duration::MAX; 2];
    for _ in 0..rounds {
        for (best, (pool, x)) in best.iter_mut().zip(cases) {
            *best = (*best).min(pool.install(|| time_check(x, model)));
        }
    }
    best
}

//! Time: how it grows with the events and with the threads, and what a second core is worth.

use crate::histories::history;
use crate::table::{Table, kept, rate, ratio, time};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::error::Error;
use std::time::{Duration, Instant};
use tribunal::memory::Execution;
use tribunal::{Model, check};

const SMALL: u64 = 1_000_000;
const LARGE: u64 = 8_000_000;

/// 1M and 8M events of 8 threads on 16 locations.
///
/// The machine's noise must not favour the shorter run: a round checks the small history eight times and the large one
/// once, so that both take about as long, and the ratio is that of the round. The median of the rounds is reported.
pub fn scale() -> Result<(), Box<dyn Error>> {
    const ROUNDS: usize = 5;
    let one = cores_of(1)?;
    let mut table = Table::new(&["model", "1M events", "8M events", "1M", "8M", ">= 4 M/s", "8M/1M", "<= 9"]);
    for model in [Model::Rc20, Model::Ra, Model::Wra] {
        let (small, large) = (history(model, 8, 16, SMALL)?, history(model, 8, 16, LARGE)?);
        let times =
            |x: &Execution, times: u32| one.install(|| (0..times).map(|_| time_check(x, model)).sum());
        let mut rounds: Vec<(Duration, Duration)> = Vec::new();
        for _ in 0..ROUNDS {
            let small: Duration = times(&small, (LARGE / SMALL) as u32);
            rounds.push((small / (LARGE / SMALL) as u32, times(&large, 1)));
        }
        rounds.sort_by(|a, b| ratio(a.1, a.0).total_cmp(&ratio(b.1, b.0)));
        let growth = ratio(rounds[ROUNDS / 2].1, rounds[ROUNDS / 2].0);
        let best =
            |time: fn(&(Duration, Duration)) -> Duration| rounds.iter().map(time).min().unwrap_or_default();
        let (small, large) = (best(|round| round.0), best(|round| round.1));
        let fast = |events: u64, time: Duration| events as f64 / time.as_secs_f64() >= 4e6;
        table.row([
            model.to_string(),
            time(small),
            time(large),
            rate(SMALL, small),
            rate(LARGE, large),
            kept(fast(SMALL, small) && fast(LARGE, large)),
            format!("{growth:.2}"),
            kept(growth <= 9.0),
        ]);
    }
    table.print("scale: 8 threads, 16 locations, one core; best times of 5 rounds, median ratio");
    Ok(())
}

/// 8 and 64 threads.
pub fn threads() -> Result<(), Box<dyn Error>> {
    let one = cores_of(1)?;
    let mut table = Table::new(&["model", "8 threads", "64 threads", "64/8", "budget", ""]);
    for (model, budget) in [(Model::Rc20, 8.0), (Model::Ra, 8.0), (Model::Wra, 8.0), (Model::Relaxed, 1.5)] {
        let (few, many) = (history(model, 8, 16, SMALL)?, history(model, 64, 16, SMALL)?);
        let [few, many] = best([(&one, &few, 5), (&one, &many, 5)], model);
        table.row([
            model.to_string(),
            time(few),
            time(many),
            format!("{:.2}", ratio(many, few)),
            format!("<= {budget}"),
            kept(ratio(many, few) <= budget),
        ]);
    }
    table.print("threads: 1M events, 16 locations, one core");
    Ok(())
}

/// One core and all of them. For information: it depends on the machine.
pub fn cores() -> Result<(), Box<dyn Error>> {
    let (one, all) = (cores_of(1)?, cores_of(0)?);
    let mut table = Table::new(&["model", "one core", "all cores", "one/all"]);
    for model in [Model::Rc20, Model::Ra, Model::Wra, Model::Relaxed] {
        let large = history(model, 8, 16, LARGE)?;
        let [alone, together] = best([(&one, &large, 3), (&all, &large, 3)], model);
        table.row([model.to_string(), time(alone), time(together), format!("{:.2}", ratio(alone, together))]);
    }
    table.print(&format!("cores: 8M events, 8 threads, 16 locations, {} cores", all.current_num_threads()));
    Ok(())
}

/// A pool of that many threads; 0 stands for one a core.
pub fn cores_of(count: usize) -> Result<ThreadPool, rayon::ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(count).build()
}

/// The best times of checking two consistent histories, each on a pool and so many times. They take turns, so that what
/// else the machine does falls on both.
fn best(cases: [(&ThreadPool, &Execution, u32); 2], model: Model) -> [Duration; 2] {
    let mut best = [Duration::MAX; 2];
    let rounds = cases.iter().map(|&(_, _, times)| times).max().unwrap_or(0);
    for round in 0..rounds {
        for (best, (pool, x, times)) in best.iter_mut().zip(cases) {
            if round < times {
                *best = (*best).min(pool.install(|| time_check(x, model)));
            }
        }
    }
    best
}

/// The time of checking a consistent history once.
pub fn time_check(x: &Execution, model: Model) -> Duration {
    let start = Instant::now();
    let verdict = check(x, model);
    let elapsed = start.elapsed();
    assert!(verdict.is_consistent(), "{model}: the view machine is consistent by construction");
    elapsed
}

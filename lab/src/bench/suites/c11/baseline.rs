//! The library against the writes-before baseline, on ra.

use super::cores_of;
use super::histories::{arbitrary, history, time_check};
use super::writes_before::{Edges, EventClocks, consistent};
use crate::bench::table::{ratio, time};
use crate::bench::{Error, Plot, Session, Table};
use std::time::{Duration, Instant};
use tribunal_engines::memory::check;
use tribunal_history::memory::Execution;
use tribunal_history::model::Model;

/// How many of so many small histories of all kinds are consistent. The baseline must agree.
fn agreement(histories: u64) -> u64 {
    let mut yes = 0;
    for seed in 0..histories {
        let x = arbitrary(seed);
        let (clocks, verdict) = (EventClocks::new(&x), check(&x, Model::Ra).is_consistent());
        for edges in Edges::ALL {
            let theirs = clocks.as_ref().is_some_and(|clocks| consistent(&x, clocks, edges));
            assert_eq!(verdict, theirs, "arbitrary({seed})");
        }
        yes += u64::from(verdict);
    }
    assert!(yes > 0 && yes < histories, "{yes} of {histories} are consistent");
    yes
}

/// The baseline gives the same verdicts.
pub(super) fn agree(session: &mut Session<'_>) {
    let histories = session.pick(2_000, 20_000);
    let yes = agreement(histories);
    session.note(format!(
        "The baseline, writes-before, gives the same verdicts on {histories} small histories, of which \
         {yes} are consistent. It is not charged with its clocks, which a model checker has anyway; the \
         library computes its own, and an mo."
    ));
}

/// 1k to 20k events of 8 threads on 1 to 16 locations, on one core.
pub(super) fn report(session: &mut Session<'_>) -> Result<(), Error> {
    let sizes: &[u64] = session.pick(&[1_000, 4_000], &[1_000, 3_000, 10_000, 20_000]);
    let locations: &[u32] = session.pick(&[1, 4], &[1, 2, 4, 16]);
    let one = cores_of(1)?;
    session.begin("writes-before", (sizes.len() * locations.len()) as u64);
    let mut table = Table::new(
        "writes-before: ra, 8 threads, one core; a ratio >= 100 at 10000 events on few locations, and growing",
        &["locations", "events", "tribunal", "wb by pairs", "ratio", "wb by join", "ratio"],
    );
    let mut plot =
        Plot::new("c11-writes-before", "ra, 8 threads on one location, one core: time of a check", "events");
    for &locations in locations {
        for &events in sizes {
            let x = history(Model::Ra, 8, locations, events)?;
            let clocks = EventClocks::new(&x).expect("the view machine does not read ahead");
            let ours = one.install(|| best_within(Duration::from_millis(100), || time_check(&x, Model::Ra)));
            let [pairs, join] = Edges::ALL
                .map(|edges| best_within(Duration::from_millis(300), || time_baseline(&x, &clocks, edges)));
            if locations == 1 {
                for (name, time) in [("tribunal", ours), ("wb by pairs", pairs), ("wb by join", join)] {
                    plot.point(name, events as f64, time, false);
                }
            }
            table.row([
                locations.to_string(),
                events.to_string(),
                time(ours),
                time(pairs),
                format!("{:.0}", ratio(pairs, ours)),
                time(join),
                format!("{:.0}", ratio(join, ours)),
            ]);
            session.step()?;
        }
    }
    session.table(table);
    session.plot(plot);
    Ok(())
}

/// The time of the baseline for a consistent history.
pub(super) fn time_baseline(x: &Execution, clocks: &EventClocks, edges: Edges) -> Duration {
    let start = Instant::now();
    let verdict = consistent(x, clocks, edges);
    let elapsed = start.elapsed();
    assert!(verdict, "the view machine is consistent by construction");
    elapsed
}

/// The best of as many runs as fit in a time, at least one.
fn best_within(budget: Duration, mut run: impl FnMut() -> Duration) -> Duration {
    let start = Instant::now();
    let mut best = run();
    while start.elapsed() < budget {
        best = best.min(run());
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_baseline_gives_the_same_verdicts() {
        assert!(agreement(2_000) > 100);
    }
}

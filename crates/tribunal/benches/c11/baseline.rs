//! The library against the writes-before baseline, on ra.

use crate::cost::{cores_of, time_check};
use crate::histories::{arbitrary, history};
use crate::table::{Table, ratio, time};
use crate::writes_before::{Edges, EventClocks, consistent};
use std::error::Error;
use std::time::{Duration, Instant};
use tribunal::{Model, check};

/// The same verdicts on small histories of all kinds.
pub fn agreement() -> Result<(), Box<dyn Error>> {
    const HISTORIES: u64 = 20_000;
    let mut yes = 0;
    for seed in 0..HISTORIES {
        let x = arbitrary(seed)?;
        let (clocks, verdict) = (EventClocks::new(&x), check(&x, Model::Ra).is_consistent());
        for edges in [Edges::ByPairs, Edges::ByJoin] {
            let theirs = clocks.as_ref().is_some_and(|clocks| consistent(&x, clocks, edges));
            assert_eq!(verdict, theirs, "arbitrary({seed})");
        }
        yes += u64::from(verdict);
    }
    assert!(yes > 0 && yes < HISTORIES, "{yes} of {HISTORIES} are consistent");
    println!("\nbaseline: same verdicts on {HISTORIES} small histories, {yes} of them consistent");
    Ok(())
}

/// 1k to 20k events of 8 threads on 1 to 16 locations, on one core. The baseline is not charged with its clocks, which
/// a model checker has anyway; the library computes its own, and an mo.
pub fn report() -> Result<(), Box<dyn Error>> {
    agreement()?;
    let one = cores_of(1)?;
    let mut table =
        Table::new(&["locations", "events", "tribunal", "wb by pairs", "ratio", "wb by join", "ratio"]);
    for locations in [1, 2, 4, 16] {
        for events in [1_000, 3_000, 10_000, 20_000] {
            let x = history(Model::Ra, 8, locations, events)?;
            let clocks = EventClocks::new(&x).ok_or("po ∪ rf is cyclic")?;
            let ours = one.install(|| best_within(Duration::from_millis(100), || time_check(&x, Model::Ra)));
            let [pairs, join] = [Edges::ByPairs, Edges::ByJoin].map(|edges| {
                best_within(Duration::from_millis(300), || {
                    let start = Instant::now();
                    let verdict = consistent(&x, &clocks, edges);
                    let elapsed = start.elapsed();
                    assert!(verdict, "the view machine is consistent by construction");
                    elapsed
                })
            });
            table.row([
                locations.to_string(),
                events.to_string(),
                time(ours),
                time(pairs),
                format!("{:.0}", ratio(pairs, ours)),
                time(join),
                format!("{:.0}", ratio(join, ours)),
            ]);
        }
    }
    table.print("baseline: ra, 8 threads, one core; >= 100 at 10000 events on few locations, and growing");
    Ok(())
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

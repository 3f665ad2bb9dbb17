//! Shrinking a long trace with one wrong read, beside checking it.

use super::tso::trace;
use crate::bench::cost::timed;
use crate::bench::table::{kept, ratio, time};
use crate::bench::{Error, Session, Table};
use std::time::{Duration, Instant};
use tribunal_engines::memory::shrink;
use tribunal_history::memory::Execution;
use tribunal_history::{limits::Limits, model::Model};
use tribunal_machines::hard::{Mutation, mutate};

const ENGINE_TIME: Duration = Duration::from_secs(60);

pub(super) fn run(session: &mut Session<'_>) -> Result<(), Error> {
    let events = session.pick(100_000, 1_000_000);
    let threads = [4, 32];
    // Wrong reads are planted one at a time, by how far the write is from the read.
    let distances = [20, 1_000, 20_000];
    let mut table = Table::new(
        format!(
            "shrinking: traces of store buffers, {events} events, 32 addresses, one read redirected; tso"
        ),
        &["threads", "distance", "check", "shrink", "checks", "ratio", "<= 5", "left"],
    );
    session.begin("traces to shrink", (threads.len() * distances.len()) as u64);
    for threads in threads {
        let x = trace(threads, events)?;
        for distance in distances {
            if let Some((mutant, first)) = planted(&x, distance) {
                let check = first.min(timed(&mutant, Model::Tso, None, ENGINE_TIME).time);
                let (start, mut checks) = (Instant::now(), 1);
                let shrunk = shrink(&mutant, Model::Tso, &Limits::default(), |_| checks += 1);
                let took = start.elapsed();
                let shrunk = shrunk.expect("it is inconsistent");
                table.row([
                    threads.to_string(),
                    distance.to_string(),
                    time(check),
                    time(took),
                    checks.to_string(),
                    format!("{:.2}", ratio(took, check)),
                    kept(ratio(took, check) <= 5.0),
                    shrunk.part.kept.len().to_string(),
                ]);
            }
            session.step()?;
        }
    }
    session.table(table);
    Ok(())
}

/// The first trace in which a wrong read is noticed, and how long the check took that noticed it.
fn planted(x: &Execution, distance: u32) -> Option<(Execution, Duration)> {
    (1..50).find_map(|seed| {
        let mutant = mutate(x, &Mutation { reads: 1, distance, seed });
        let checked = timed(&mutant, Model::Tso, None, ENGINE_TIME);
        checked.verdict.is_inconsistent().then_some((mutant, checked.time))
    })
}

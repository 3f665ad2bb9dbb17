//! Shrinking a long trace with one wrong read, beside checking it.

use crate::buffers::trace;
use crate::cost::timed;
use crate::table::{Table, kept, ratio, time};
use std::error::Error;
use std::time::{Duration, Instant};
use tribunal::memory::Execution;
use tribunal::{Limits, Model, shrink};
use tribunal_machines::Machine;
use tribunal_machines::hard::{Mutation, mutate};

const EVENTS: u64 = 1_000_000;
/// Wrong reads planted one at a time, by how far the write is from the read.
const DISTANCES: [u32; 3] = [20, 1_000, 20_000];

/// The first trace in which a wrong read is noticed, and how long the check took that noticed it.
fn planted(x: &Execution, distance: u32) -> Option<(Execution, Duration)> {
    (1..50).find_map(|seed| {
        let mutant = mutate(x, &Mutation { reads: 1, distance, seed });
        let checked = timed(&mutant, Model::Tso, None);
        checked.judgement.verdict.is_inconsistent().then_some((mutant, checked.time))
    })
}

pub fn report() -> Result<(), Box<dyn Error>> {
    let mut table =
        Table::new(&["threads", "distance", "check", "shrink", "checks", "ratio", "<= 5", "left"]);
    for threads in [4, 32] {
        let x = trace(Machine::Tso, threads, EVENTS)?;
        for distance in DISTANCES {
            let Some((mutant, first)) = planted(&x, distance) else { continue };
            let check = first.min(timed(&mutant, Model::Tso, None).time);
            let (start, mut checks) = (Instant::now(), 1);
            let shrunk = shrink(&mutant, Model::Tso, &Limits::default(), |_| checks += 1);
            let took = start.elapsed();
            let left =
                shrunk.map_err(|verdict| format!("{}, not inconsistent", verdict.word()))?.events.len();
            table.row([
                threads.to_string(),
                distance.to_string(),
                time(check),
                time(took),
                checks.to_string(),
                format!("{:.2}", ratio(took, check)),
                kept(ratio(took, check) <= 5.0),
                left.to_string(),
            ]);
        }
    }
    table.print(&format!(
        "shrink: traces of the tso machine, {EVENTS} events, 32 addresses, one read redirected; under tso"
    ));
    Ok(())
}

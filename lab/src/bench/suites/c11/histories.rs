//! The histories that are measured.

use std::time::{Duration, Instant};
use tribunal_engines::memory::check;
use tribunal_history::memory::{Execution, LocId, Op, Order, ThreadId};
use tribunal_history::model::Model;
use tribunal_machines::{Clients, InvalidClients, Machine, Mix, execution};

/// A history of the view machine that the model allows: mixed orders for rc20 and relaxed, and acq_rel alone for the
/// models that take every access for that.
pub(super) fn history(
    model: Model,
    threads: u32,
    locations: u32,
    events: u64,
) -> Result<Execution, InvalidClients> {
    let orders = match model {
        Model::Rc20 | Model::Relaxed => Mix::default(),
        _ => Mix::only(Order::AcqRel),
    };
    execution(Machine::View, &Clients { threads, locations, events, orders, seed: 1, ..Clients::default() })
}

/// The time of checking a consistent history once.
pub(super) fn time_check(x: &Execution, model: Model) -> Duration {
    let start = Instant::now();
    let verdict = check(x, model);
    let elapsed = start.elapsed();
    assert!(verdict.is_consistent(), "{model}: the view machine is consistent by construction");
    elapsed
}

/// A small history in which reads read from any write at all, also from later ones: consistent or not, as it happens.
pub(super) fn arbitrary(seed: u64) -> Execution {
    let mut state = seed;
    let mut below = |bound: u64| {
        // SplitMix64 (Steele, Lea and Flood, 2014).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % bound
    };
    let (threads, locations, events) = (2 + below(3), 1 + below(2), 4 + below(9));
    let mut written = vec![0; locations as usize];
    let mut shape = Vec::new();
    for _ in 0..events {
        let (thread, loc, kind) = (below(threads), below(locations), below(5));
        // Two in five are writes and one is an RMW; each writes the next value of its location.
        let value = if kind < 3 {
            written[loc as usize] += 1;
            written[loc as usize]
        } else {
            0
        };
        shape.push((ThreadId(thread as u32), LocId(loc as u32), kind, value));
    }
    let mut builder = Execution::builder();
    for thread in 0..threads {
        builder.thread(&format!("T{thread}"));
    }
    for loc in 0..locations {
        builder.location(&format!("x{loc}"));
    }
    for (thread, loc, kind, value) in shape {
        let read = below(written[loc.index()] + 1);
        builder.push(
            thread,
            match kind {
                0 | 1 => Op::write(loc, value),
                2 => Op::rmw(loc, if read == value { 0 } else { read }, value),
                _ => Op::read(loc, read),
            },
        );
    }
    builder.build().expect("every value is written once")
}

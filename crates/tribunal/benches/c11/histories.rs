//! The histories that are measured.

use tribunal::Model;
use tribunal::memory::{Execution, LocId, MalformedHistory, Op, Order, ThreadId};
use tribunal_machines::{Clients, InvalidClients, Machine, Mix, execution};

/// Clients of the view machine whose histories a model allows: mixed orders for rc20 and relaxed, and acq_rel alone for
/// the models that take every access for that.
pub fn clients(model: Model, threads: u32, locations: u32, events: u64) -> Clients {
    let orders = match model {
        Model::Rc20 | Model::Relaxed => Mix::default(),
        _ => Mix::only(Order::AcqRel),
    };
    Clients { threads, locations, events, orders, seed: 1, ..Clients::default() }
}

pub fn history(model: Model, threads: u32, locations: u32, events: u64) -> Result<Execution, InvalidClients> {
    execution(Machine::View, &clients(model, threads, locations, events))
}

/// A small history in which reads read from any write at all, also from later ones: consistent or not, as it happens.
pub fn arbitrary(seed: u64) -> Result<Execution, MalformedHistory> {
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
    builder.build()
}

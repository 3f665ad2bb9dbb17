//! The cost of a step of a session, there and back.

use std::time::Instant;
use tribunal_engines::memory::session::{Session, Step};
use tribunal_history::memory::{LocId, Order, ThreadId};
use tribunal_history::model::Model;

/// A step, with its source by the number of the write at its location.
#[derive(Clone, Copy)]
enum Kind {
    Write,
    Read,
    Rmw,
    Fence,
}

/// Threads in turn, each with a few kinds of events in turn.
fn program(events: usize, order: Order, fences: bool) -> Vec<(ThreadId, LocId, Kind, Order)> {
    let kinds = [Kind::Write, Kind::Read, Kind::Read, Kind::Rmw, Kind::Read];
    (0..events)
        .map(|i| {
            let kind = if fences && i % 4 == 3 { Kind::Fence } else { kinds[(i / 3) % kinds.len()] };
            let order = match (kind, fences) {
                (Kind::Fence, _) => Order::SeqCst,
                (_, true) => Order::Relaxed,
                _ => order,
            };
            (ThreadId((i % 3) as u32), LocId(((i * 7 / 3) % 4) as u32), kind, order)
        })
        .collect()
}

/// Leads a session through a program, each read reading from the oldest candidate or the latest in turn; a mark before each
/// event, and all the way back. Returns nanoseconds an event, and candidates an event.
fn cost(make: fn(Model) -> Session, events: usize, order: Order, fences: bool) -> (f64, f64) {
    let mut session = make(Model::Rc20);
    (0..3).for_each(|_| _ = session.thread());
    (0..4).for_each(|_| _ = session.location());
    let program = program(events, order, fences);
    let start = session.mark();
    let rounds = 20_000;
    let (mut asked, mut began) = (0u64, Instant::now());
    for round in 0..rounds + rounds / 10 {
        if round == rounds / 10 {
            (asked, began) = (0, Instant::now());
        }
        for (i, &(thread, loc, kind, order)) in program.iter().enumerate() {
            session.mark();
            let step = match kind {
                Kind::Write => Step::Write { thread, loc, order },
                Kind::Fence => Step::Fence { thread, order },
                Kind::Read | Kind::Rmw => {
                    let rmw = matches!(kind, Kind::Rmw);
                    let found = match rmw {
                        true => session.rmw_candidates(thread, loc, order),
                        false => session.candidates(thread, loc, order),
                    };
                    asked += found.len() as u64;
                    let from = found[if i % 2 == 0 { 0 } else { found.len() - 1 }];
                    match rmw {
                        true => Step::Rmw { thread, from, order },
                        false => Step::Read { thread, from, order },
                    }
                }
            };
            session.step(step).expect("a candidate");
        }
        session.undo(start);
    }
    let all = (rounds * events) as f64;
    (began.elapsed().as_nanos() as f64 / all, asked as f64 / all)
}

fn main() {
    let new: fn(Model) -> Session = |model| Session::new(model).expect("a model with sessions");
    let exact: fn(Model) -> Session = |model| Session::exact(model).expect("a model with sessions");
    for events in [15, 30, 60] {
        for (what, order, fences) in [
            ("relaxed", Order::Relaxed, false),
            ("acq_rel", Order::AcqRel, false),
            ("seq_cst", Order::SeqCst, false),
            ("seq_cst fences", Order::Relaxed, true),
        ] {
            let ((plain, many), (decided, few)) =
                (cost(new, events, order, fences), cost(exact, events, order, fences));
            println!(
                "{events} events, {what}: {plain:.0} ns an event ({many:.2} candidates), exact {decided:.0} ns ({few:.2})"
            );
        }
    }
}

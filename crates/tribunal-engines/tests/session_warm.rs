//! Where a session has been before, it takes nothing of the heap. By itself in its process, as `checker_memory`.

#[path = "../../../tests/allocations.rs"]
mod allocations;

use allocations::peak_of;
use tribunal_engines::memory::session::Session;
use tribunal_history::memory::{Order, ThreadId};
use tribunal_history::model::Model;
use tribunal_random::Random;

const MODELS: [Model; 9] = [
    Model::Rc20,
    Model::Rc11,
    Model::Ra,
    Model::Relaxed,
    Model::Wra,
    Model::Sra,
    Model::Sc,
    Model::Tso,
    Model::Pso,
];

/// Leads a session, the same way each time, through some events, with candidates, spawns, joins and places in mo.
fn lead(session: &mut Session, depth: usize) {
    let mut random = Random::new(1);
    let mut below = |bound: usize| random.index(bound);
    let x = [session.location(), session.location()];
    let child = session.spawn(ThreadId(0));
    for i in 0..depth {
        let thread = [ThreadId(0), ThreadId(1), child][below(3)];
        let (loc, order) = (x[below(2)], Order::AcqRel);
        match below(8) {
            0 => session.fence(thread, order),
            1..3 => _ = session.write(thread, loc, order),
            3 => {
                let found = session.coherence_positions(thread, loc, order);
                if let Some(&place) = found.get(below(found.len().max(1))) {
                    session.write_after(thread, loc, order, place).expect("a position");
                }
            }
            4 => {
                let found = session.rmw_candidates(thread, loc, order);
                if let Some(&from) = found.get(below(found.len().max(1))) {
                    session.rmw(thread, from, order).expect("a candidate");
                }
            }
            _ => {
                let found = session.candidates(thread, loc, order);
                if let Some(&from) = found.get(below(found.len().max(1))) {
                    session.read(thread, from, order).expect("a candidate");
                }
            }
        }
        if i % 5 == 0 {
            let mark = session.mark();
            session.write(thread, loc, order);
            session.undo(mark);
        }
    }
    session.join(ThreadId(0), child);
}

#[test]
fn where_a_session_has_been_it_allocates_nothing() {
    for model in MODELS {
        let mut session = Session::new(model).expect("a model with sessions");
        session.thread();
        session.thread();
        let mark = session.mark();
        for _ in 0..2 {
            lead(&mut session, 40);
            session.undo(mark);
        }
        let ((), peak) = peak_of(|| {
            for depth in [40, 10, 30, 40] {
                lead(&mut session, depth);
                session.undo(mark);
            }
        });
        assert_eq!(peak, 0, "{model}");
    }
}

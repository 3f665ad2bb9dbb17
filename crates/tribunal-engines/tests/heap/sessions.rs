//! What sessions take of the heap: no more than so much if they retire.

use crate::allocations::{alone, peak_of};
use tribunal_engines::memory::session::{Session, WriteId};
use tribunal_history::memory::{Kind, LocId, Order};
use tribunal_history::model::Model;
use tribunal_machines::{Clients, Machine, Mix, run};

/// Histories of machines on 8 threads, in sessions that retire: how many bytes they take at most.
fn endless(model: Model, machine: Machine, events: u64) -> usize {
    let mut clients = Clients { threads: 8, locations: 16, events, ..Clients::default() };
    if matches!(model, Model::Ra | Model::Wra) {
        (clients.fences, clients.orders) = (0.0, Mix::only(Order::AcqRel));
    }
    let mut session = Session::new(model).expect("a model with sessions");
    (0..8).for_each(|_| _ = session.thread());
    // A write of a value that is retired is not read any more.
    let mut writes: Vec<std::collections::HashMap<u64, WriteId>> = Vec::new();
    for _ in 0..16 {
        let loc = session.location();
        writes.push([(0, session.initial(loc).expect("it is new"))].into());
    }
    let mut most = 0;
    for (i, step) in run(machine, &clients).expect("clients").enumerate() {
        let (thread, op) = (step.thread, step.op);
        let loc: LocId = op.loc;
        let written = match op.kind {
            Kind::Write => Some(session.write(thread, loc, op.order)),
            Kind::Read => {
                let from = writes[loc.index()][&op.value];
                session.read(thread, from, op.order).expect("consistent by construction");
                None
            }
            Kind::Rmw => {
                let from = writes[loc.index()][&op.read];
                Some(session.rmw(thread, from, op.order).expect("consistent by construction"))
            }
            Kind::Fence => {
                session.fence(thread, op.order);
                None
            }
        };
        if let Some(written) = written {
            writes[loc.index()].insert(op.value, written);
        }
        if i % 4096 == 4095 {
            most = most.max(session.bytes());
            session.retire();
            for of in &mut writes {
                of.retain(|_, write| session.location_of(*write).is_some());
            }
        }
    }
    most
}

#[test]
fn a_session_without_end_takes_no_more_than_so_much() {
    let _alone = alone();
    let machines = [
        (Model::Ra, Machine::View),
        (Model::Rc20, Machine::View),
        (Model::Wra, Machine::View),
        (Model::Sc, Machine::Atomic),
        (Model::Sra, Machine::Atomic),
        (Model::Tso, Machine::Tso),
        (Model::Pso, Machine::Pso),
    ];
    for (model, machine) in machines {
        let [short, long] = [40_000, 160_000].map(|events| peak_of(|| endless(model, machine, events)).0);
        assert!(long < 16 << 20 && long < 2 * short, "{model}: {short} bytes, then {long}");
    }
}

/// Takes minutes: `cargo test --release -p tribunal-engines --test heap -- --ignored`.
#[test]
#[ignore = "it takes minutes"]
fn a_hundred_million_events_take_less_than_a_gigabyte() {
    let _alone = alone();
    for (model, machine) in [(Model::Rc20, Machine::View), (Model::Tso, Machine::Tso)] {
        let (held, peak) = peak_of(|| endless(model, machine, 100_000_000));
        println!("{model}: {held} bytes of the session, {peak} of all");
        assert!(peak < 1 << 30, "{model}: {peak} bytes");
    }
}

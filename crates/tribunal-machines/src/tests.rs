//! What holds for every machine, and what each promises.

use crate::{Clients, InvalidClients, Machine, Mix, Step, execution, run};
use std::collections::HashSet;
use tribunal_engines::Engine;
use tribunal_engines::memory::judge_by;
use tribunal_history::memory::{Execution, Kind, LocId, Op, Order};
use tribunal_history::verdict::ModificationOrder;
use tribunal_history::{limits::Limits, model::Model};
use tribunal_verify::evaluate;

/// FNV-1a over what a history consists of.
fn digest(machine: Machine) -> u64 {
    let clients = Clients { events: 20_000, seed: 42, ..Clients::default() };
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for Step { thread, op, .. } in run(machine, &clients).expect("valid clients") {
        // Relaxed is 0, as it was when the digests were taken.
        let order = (op.order as u64).wrapping_sub(Order::Relaxed as u64);
        for word in [thread.0.into(), op.kind as u64, order, op.loc.0.into(), op.value, op.read] {
            for byte in word.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    hash
}

/// A seed means the same history forever.
#[test]
fn known_histories() {
    let digests = Machine::ALL.map(|machine| format!("{machine} {:016x}", digest(machine)));
    assert_eq!(
        digests,
        [
            "atomic ac5943a7a7842ea2",
            "mi 8c7126faca3caf4f",
            "mesi 3f7a6b2643f54d13",
            "moesi 7230bcea4e863613",
            "mi-snooping 617c32a3a7506557",
            "mesi-snooping 2369e019dc4fcc00",
            "moesi-snooping 817f5235c27d4d51",
            "tso 202a5a1a8cbe01ec",
            "pso 8b6b034748fb5be7",
            "rmo 42b6b737634ffa8e",
            "view 547d76d83f449459"
        ]
    );
}

#[test]
fn seeds_differ() {
    let first = |seed| {
        let clients = Clients { seed, ..Clients::default() };
        run(Machine::Atomic, &clients).expect("valid clients").take(20).collect::<Vec<_>>()
    };
    assert_ne!(first(0), first(1));
}

#[test]
fn values_name_their_writes() {
    for machine in Machine::ALL {
        let clients = Clients { threads: 4, events: 5000, locations: 5, ..Clients::default() };
        let steps: Vec<Step> = run(machine, &clients).expect("valid clients").collect();
        let mut written = [const { Vec::new() }; 5];
        for Step { op, .. } in steps.iter().filter(|step| matches!(step.op.kind, Kind::Write | Kind::Rmw)) {
            written[op.loc.index()].push(op.value);
        }
        for Step { op, .. } in &steps {
            let most = written[op.loc.index()].len() as u64;
            match op.kind {
                Kind::Read => assert!(op.value <= most, "{machine}"),
                Kind::Rmw => assert!(op.read <= most, "{machine}"),
                Kind::Write | Kind::Fence => {}
            }
        }
        for mut values in written {
            // Caches and windows complete writes in another order than they are issued.
            if matches!(machine, Machine::Caches(..) | Machine::Snooping(..) | Machine::Rmo) {
                values.sort_unstable();
            }
            assert!(values.iter().copied().eq(1..=values.len() as u64), "{machine}");
        }
    }
}

#[test]
fn shares_are_kept() {
    let clients = Clients {
        threads: 5,
        events: 200_000,
        locations: 7,
        writes: 0.3,
        rmws: 0.2,
        fences: 0.1,
        orders: "relaxed=1,acq_rel=1,seq_cst=2".parse().expect("a mix"),
        seed: 3,
        ..Clients::default()
    };
    let steps: Vec<Step> = run(Machine::Pso, &clients).expect("valid clients").collect();
    let share = |holds: &dyn Fn(&Step) -> bool| {
        steps.iter().filter(|step| holds(step)).count() as f64 / steps.len() as f64
    };
    let near = |share: f64, expected: f64| assert!((share - expected).abs() < 0.01, "{share} {expected}");
    near(share(&|s| s.op.kind == Kind::Fence), 0.1);
    near(share(&|s| s.op.kind == Kind::Write), 0.27);
    near(share(&|s| s.op.kind == Kind::Rmw), 0.18);
    near(share(&|s| s.op.kind == Kind::Read), 0.45);
    near(share(&|s| s.thread.0 == 4), 0.2);
    near(share(&|s| s.op.kind != Kind::Fence && s.op.loc.0 == 6), 0.9 / 7.0);
    near(share(&|s| s.op.kind == Kind::Read && s.op.order == Order::Acquire), 0.45 / 4.0);
    near(share(&|s| s.op.kind == Kind::Write && s.op.order == Order::Release), 0.27 / 4.0);
    near(share(&|s| s.op.kind == Kind::Rmw && s.op.order == Order::AcqRel), 0.18 / 4.0);
    near(share(&|s| s.op.kind == Kind::Fence && s.op.order == Order::SeqCst), 0.1 * 2.0 / 3.0);
    assert!(!steps.iter().any(|s| s.op.kind == Kind::Fence && s.op.order == Order::Relaxed));
}

#[test]
fn nonsense_is_refused() {
    let refusal = |machine, clients: Clients| run(machine, &clients).map(|_| ()).expect_err("nonsense");
    let sane = Clients::default;
    assert_eq!(refusal(Machine::Tso, Clients { threads: 0, ..sane() }), InvalidClients::NoThreads);
    assert_eq!(refusal(Machine::Tso, Clients { locations: 0, ..sane() }), InvalidClients::NoLocations);
    assert_eq!(
        refusal(Machine::Tso, Clients { fences: 1.5, ..sane() }),
        InvalidClients::Share { what: "fences", share: 1.5 }
    );
    assert!(matches!(
        refusal(Machine::Tso, Clients { writes: f64::NAN, ..sane() }),
        InvalidClients::Share { what: "writes", .. }
    ));
    assert_eq!(
        refusal(Machine::Tso, Clients { writes: 0.6, rmws: 0.5, ..sane() }),
        InvalidClients::SharesExceedOne { writes: 0.6, rmws: 0.5 }
    );
    for (threads, locations) in [(u32::MAX, 1), (1, u32::MAX), (u32::MAX, u32::MAX)] {
        let huge = Clients { threads, locations, ..sane() };
        assert!(matches!(refusal(Machine::View, huge), InvalidClients::TooLarge { .. }));
    }
    let many = Clients { events: u64::from(u32::MAX), ..sane() };
    assert!(matches!(execution(Machine::Tso, &many), Err(InvalidClients::TooManyEvents { .. })));
}

#[test]
fn atomic_memory_returns_the_latest_value() {
    let clients = Clients { events: 50_000, ..Clients::default() };
    let mut latest = vec![0; clients.locations as usize];
    for Step { op, .. } in run(Machine::Atomic, &clients).expect("valid clients") {
        match op.kind {
            Kind::Read => assert_eq!(op.value, latest[op.loc.index()]),
            Kind::Write => latest[op.loc.index()] = op.value,
            Kind::Rmw => assert_eq!(op.read, std::mem::replace(&mut latest[op.loc.index()], op.value)),
            Kind::Fence => {}
        }
    }
}

/// Small clients of many kinds; `seed` is also what they vary by.
fn small_clients(seed: u64, orders: Mix) -> Clients {
    Clients {
        threads: 2 + (seed % 3) as u32,
        events: 6 + seed % 8,
        locations: 2 + (seed / 3 % 2) as u32,
        writes: 0.4,
        rmws: [0.0, 0.1, 0.2][(seed / 6 % 3) as usize],
        fences: [0.0, 0.15][(seed / 18 % 2) as usize],
        orders,
        seed,
        ..Clients::default()
    }
}

/// Whether an mo satisfies the model's definition, which is evaluated.
pub(crate) fn satisfies(x: &Execution, model: Model, mo: &ModificationOrder) -> bool {
    evaluate(x, model, Some(mo), &Limits::default()).is_ok()
}

/// Checks that small histories satisfy `promised`, and that some break each of the stronger axioms.
fn keeps_no_more_than(machine: Machine, orders: &str, promised: Model, stronger: &[Model]) {
    let orders: Mix = orders.parse().expect("a mix");
    let mut broken = vec![0; stronger.len()];
    for seed in 0..2500 {
        let clients = small_clients(seed, orders);
        let x = execution(machine, &clients).expect("valid clients");
        let consistent = |model| {
            let judged = judge_by(&x, model, Engine::Definition, &Limits::default());
            judged.expect("every model has a text").0.is_consistent()
        };
        if !consistent(promised) {
            let events: Vec<String> = x.events().map(|e| x.show(e).to_string()).collect();
            panic!("{machine}, seed {seed}: not {promised:?}: {events:?}");
        }
        for (broken, &stronger) in broken.iter_mut().zip(stronger) {
            *broken += u32::from(!consistent(stronger));
        }
    }
    assert!(broken.iter().all(|&broken| broken > 0), "{machine}: {stronger:?} broken {broken:?} times");
}

#[test]
fn atomic_is_sc() {
    keeps_no_more_than(Machine::Atomic, "relaxed", Model::Sc, &[]);
}

#[test]
fn tso_is_tso() {
    keeps_no_more_than(Machine::Tso, "relaxed=3,acq_rel=1,seq_cst=1", Model::Tso, &[Model::Sc]);
}

#[test]
fn pso_is_pso() {
    let orders = "relaxed=3,acquire=1,release=1,acq_rel=1,seq_cst=1";
    keeps_no_more_than(Machine::Pso, orders, Model::Pso, &[Model::Tso]);
}

#[test]
fn view_is_rc20() {
    let orders = "relaxed=2,acquire=1,release=1,acq_rel=1";
    keeps_no_more_than(Machine::View, orders, Model::Rc20, &[Model::Ra, Model::Pso]);
}

#[test]
fn view_with_seq_cst_is_rc20() {
    let orders = "relaxed=2,acquire=1,release=1,seq_cst=2";
    keeps_no_more_than(Machine::View, orders, Model::Rc20, &[Model::Ra, Model::Pso, Model::Sc]);
    keeps_no_more_than(Machine::View, "seq_cst", Model::Sc, &[]);
}

#[test]
fn view_of_acq_rel_accesses_is_ra() {
    keeps_no_more_than(Machine::View, "acq_rel", Model::Ra, &[Model::Tso]);
}

/// Whether some run of two threads has exactly this history, up to the names of threads.
fn occurs(machine: Machine, shape: [[Op; 2]; 2], orders: Mix) -> bool {
    let seeds = (0..40_000).map(|seed| Clients {
        threads: 2,
        events: 4,
        locations: 2,
        writes: 0.5,
        rmws: 0.0,
        fences: 0.0,
        orders,
        seed,
        ..Clients::default()
    });
    let shape: HashSet<Vec<String>> =
        shape.iter().map(|ops| ops.iter().map(|op| format!("{op:?}")).collect()).collect();
    seeds.into_iter().any(|clients| {
        let mut threads = [Vec::new(), Vec::new()];
        for Step { thread, op, .. } in run(machine, &clients).expect("valid clients") {
            threads[thread.index()].push(format!("{op:?}"));
        }
        threads.into_iter().collect::<HashSet<_>>() == shape
    })
}

#[test]
fn weak_behaviors_occur_where_they_may() {
    let (x, y) = (LocId(0), LocId(1));
    let relaxed = Mix::only(Order::Relaxed);
    let sb = [[Op::write(x, 1), Op::read(y, 0)], [Op::write(y, 1), Op::read(x, 0)]];
    let seen = |shape| Machine::ALL.map(|machine| occurs(machine, shape, relaxed));
    let from = |first: Machine| {
        let at = Machine::ALL.iter().position(|&machine| machine == first).expect("a machine");
        std::array::from_fn(|machine| machine >= at)
    };
    assert_eq!(seen(sb), from(Machine::Tso));

    let mp = [[Op::write(x, 1), Op::write(y, 1)], [Op::read(y, 1), Op::read(x, 0)]];
    assert_eq!(seen(mp), from(Machine::Pso));

    let acq_rel = [
        [Op::write(x, 1).order(Order::Release), Op::write(y, 1).order(Order::Release)],
        [Op::read(y, 1).order(Order::Acquire), Op::read(x, 0).order(Order::Acquire)],
    ];
    assert!(!occurs(Machine::View, acq_rel, Mix::only(Order::AcqRel)));

    let with = |order: Order| sb.map(|thread| thread.map(|op| op.order(order)));
    assert!(!occurs(Machine::View, with(Order::SeqCst), Mix::only(Order::SeqCst)));
    let mixed = [with(Order::SeqCst)[0], with(Order::Relaxed)[1]];
    assert!(occurs(Machine::View, mixed, "relaxed,seq_cst".parse().expect("a mix")));
}

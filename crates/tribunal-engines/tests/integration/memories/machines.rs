//! Histories of simulated memories, consistent by construction, and larger than litmus size.

use tribunal_engines::memory::{check, judge};
use tribunal_history::memory::Order;
use tribunal_history::{limits::Limits, model::Model, verdict::Verdict};
use tribunal_machines::{Bug, Clients, InvalidClients, Machine, Mix, Protocol, execution};
use tribunal_verify::verify;

/// Clients of many shapes, up to thousands of events.
fn clients() -> impl Iterator<Item = Clients> {
    let sizes = [(2, 1, 60), (3, 2, 400), (4, 3, 1_000), (8, 16, 4_000), (16, 5, 3_000)];
    let shares = [(0.3, 0.0, 0.0), (0.35, 0.1, 0.02), (0.1, 0.6, 0.1)];
    (0..4).flat_map(move |seed| {
        sizes.into_iter().flat_map(move |(threads, locations, events)| {
            shares.into_iter().map(move |(writes, rmws, fences)| Clients {
                threads,
                locations,
                events,
                writes,
                rmws,
                fences,
                seed,
                ..Clients::default()
            })
        })
    })
}

fn consistent(machine: Machine, clients: &Clients, models: &[Model]) -> Result<(), InvalidClients> {
    let x = execution(machine, clients)?;
    for &model in models.iter().filter(|model| model.unsupported(&x).is_none()) {
        let verdict = check(&x, model);
        // sra with RMWs may reach its limit, but not say no.
        if model == Model::Sra && clients.rmws > 0.0 && matches!(verdict, Verdict::Undecided(_)) {
            continue;
        }
        assert_eq!(verdict.word(), "consistent", "{model}: {machine}, {clients:?}");
        if let Err(refusal) = verify(&x, model, &verdict) {
            panic!("{model}: {machine}, {clients:?}: {refusal}");
        }
    }
    Ok(())
}

#[test]
fn the_view_machine_is_rc20() -> Result<(), InvalidClients> {
    clients().try_for_each(|clients| consistent(Machine::View, &clients, &[Model::Rc20, Model::Relaxed]))
}

/// Fences that are acq_rel add nothing to accesses that are.
#[test]
fn the_view_machine_with_acq_rel_accesses_is_ra() -> Result<(), InvalidClients> {
    let acq_rel = |clients| Clients { orders: Mix::only(Order::AcqRel), ..clients };
    let models = [Model::Ra, Model::Wra, Model::Rc20, Model::Relaxed];
    clients().map(acq_rel).try_for_each(|clients| consistent(Machine::View, &clients, &models))
}

/// Each machine has histories that the next stronger models refuse, and its own does not. Nothing is stronger than sc, which atomic
/// memory and caches without bugs implement.
#[test]
fn no_machine_is_stronger_than_it_says() -> Result<(), InvalidClients> {
    let (mixed, acq_rel) = (Mix::default(), Mix::only(Order::AcqRel));
    for (machine, orders, model, stronger) in [
        (Machine::Tso, mixed, Model::Tso, &[Model::Sc][..]),
        (Machine::Pso, mixed, Model::Pso, &[Model::Tso]),
        (Machine::Rmo, mixed, Model::Rmo, &[Model::Pso, Model::Wmo, Model::Coherence]),
        (Machine::View, acq_rel, Model::Ra, &[Model::Sra, Model::Tso]),
        (Machine::View, mixed, Model::Rc20, &[Model::Ra]),
    ] {
        for &stronger in stronger {
            let clients = |seed| Clients {
                threads: 3,
                events: 60,
                locations: 3,
                rmws: 0.0,
                fences: 0.0,
                orders,
                seed,
                ..Clients::default()
            };
            let refused = |&seed: &u64| {
                execution(machine, &clients(seed)).map(|x| check(&x, stronger).is_inconsistent())
            };
            let seed = (0..100).find(|seed| refused(seed) == Ok(true));
            let seed = seed.unwrap_or_else(|| panic!("{machine}: {stronger} allows everything"));
            consistent(machine, &clients(seed), &[model])?;
        }
    }
    Ok(())
}

#[test]
fn atomic_memory_is_everything() -> Result<(), InvalidClients> {
    clients().try_for_each(|clients| consistent(Machine::Atomic, &clients, &Model::ALL))
}

/// Every machine with caches.
fn caches() -> impl Iterator<Item = Machine> {
    let has_caches = |machine: &Machine| machine.with(Bug::SplitRmw).is_some();
    Machine::ALL.into_iter().filter(has_caches)
}

#[test]
fn caches_are_sc() -> Result<(), InvalidClients> {
    for machine in caches() {
        let local = |clients| Clients { locality: 0.5, ..clients };
        clients().map(local).try_for_each(|clients| consistent(machine, &clients, &[Model::Sc]))?;
    }
    Ok(())
}

/// Each bug shows in histories of 200 events, and soon.
#[test]
fn every_bug_of_a_cache_is_caught() -> Result<(), InvalidClients> {
    for caches in caches() {
        for broken in Bug::ALL.into_iter().filter_map(|bug| caches.with(bug)) {
            let caught = |seed| {
                let clients = Clients {
                    threads: 4,
                    events: 200,
                    locations: 8,
                    fences: 0.0,
                    seed,
                    ..Clients::default()
                };
                let x = execution(broken, &clients).expect("clients that can run");
                check(&x, Model::Sc).is_inconsistent()
            };
            assert!((0..1_000).any(caught), "{broken:?}");
        }
    }
    let clients = Clients { fences: 0.0, ..Clients::default() };
    let none_to_invalidate = Machine::Caches(Protocol::Mi, Some(Bug::LostInvalidation));
    assert!(matches!(execution(none_to_invalidate, &clients), Err(InvalidClients::Bug { .. })));
    Ok(())
}

#[test]
fn execution_out_of_order_is_rmo() -> Result<(), InvalidClients> {
    let deps = |clients| Clients { deps: 0.2, ..clients };
    clients().map(deps).try_for_each(|clients| consistent(Machine::Rmo, &clients, &[Model::Rmo]))
}

#[test]
fn store_buffers_are_tso() -> Result<(), InvalidClients> {
    let models = [
        Model::Tso,
        Model::Pso,
        Model::Wmo,
        Model::Rmo,
        Model::Coherence,
        Model::Wccm,
        Model::Sra,
        Model::Ra,
    ];
    clients().try_for_each(|clients| consistent(Machine::Tso, &clients, &models))
}

#[test]
fn store_buffers_for_each_location_are_pso() -> Result<(), InvalidClients> {
    let models = [Model::Pso, Model::Wmo, Model::Rmo, Model::Coherence];
    clients().try_for_each(|clients| consistent(Machine::Pso, &clients, &models))
}

/// Saturation sees through acquire and release fences: nothing is left to a search that goes back.
#[test]
fn fences_leave_nothing_to_go_back_on() -> Result<(), InvalidClients> {
    let limits = Limits { max_states: 0, ..Limits::default() };
    let clients = Clients { threads: 16, events: 20_000, rmws: 0.05, deps: 0.0, ..Clients::default() };
    for (machine, model) in [
        (Machine::Rmo, Model::Rmo),
        (Machine::Pso, Model::Rmo),
        (Machine::Pso, Model::Pso),
        (Machine::Pso, Model::Wmo),
    ] {
        let x = execution(machine, &clients)?;
        assert!(judge(&x, model, &limits).0.is_consistent(), "{model}: {machine}");
    }
    Ok(())
}

#[test]
fn every_verdict_on_a_machine_verifies() -> Result<(), InvalidClients> {
    let (mut yes, mut no) = (0, 0);
    for clients in clients() {
        for machine in Machine::ALL {
            let x = execution(machine, &clients)?;
            for model in Model::ALL {
                match check(&x, model) {
                    Verdict::Undecided(_) if model == Model::Sra && clients.rmws > 0.0 => {}
                    verdict => {
                        if let Err(refusal) = verify(&x, model, &verdict) {
                            panic!("{model}: {machine}, {clients:?}: {refusal}");
                        }
                        *if verdict.is_consistent() { &mut yes } else { &mut no } += 1;
                    }
                }
            }
        }
    }
    assert!(yes > 0 && no > 0, "{yes} consistent, {no} inconsistent");
    Ok(())
}

#[cfg(feature = "parallel")]
#[test]
fn the_number_of_cores_does_not_matter() -> Result<(), Box<dyn std::error::Error>> {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let (one, several) = (pool(1)?, pool(4)?);
    let large = Clients { threads: 8, locations: 16, events: 300_000, seed: 3, ..Clients::default() };
    for (machine, clients) in clients()
        .step_by(4)
        .map(|clients| (Machine::View, clients))
        .chain([(Machine::View, large.clone()), (Machine::Atomic, large)])
    {
        let x = execution(machine, &clients)?;
        for model in [Model::Rc20, Model::Ra, Model::Wra, Model::Relaxed] {
            let verdicts = [&one, &several].map(|pool| pool.install(|| check(&x, model)));
            assert_eq!(verdicts[0], verdicts[1], "{model}: {machine}, {clients:?}");
        }
    }
    Ok(())
}

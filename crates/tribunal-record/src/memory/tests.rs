//! What recorded histories are, on any machine, with one core or many.

use super::*;
use tribunal_engines::memory::check;
use tribunal_history::memory::{EventId, Order};
use tribunal_history::model::Model;

/// Clients of many kinds: short and long, with and without RMWs and fences, of one order and of all but seq_cst.
fn clients() -> impl Iterator<Item = (Clients, usize)> {
    let sizes = [(2, 2, 8, 500), (2, 3, 24, 200), (3, 4, 60, 50), (4, 16, 2000, 2)];
    let shares = [(0.5, 0.0, 0.0), (0.4, 0.1, 0.1)];
    sizes.into_iter().flat_map(move |(threads, locations, events, histories)| {
        shares.into_iter().map(move |(writes, rmws, fences)| {
            let locality = if rmws > 0.0 { 0.3 } else { 0.0 };
            (Clients { threads, locations, events, writes, rmws, fences, locality, ..litmus() }, histories)
        })
    })
}

#[cfg(target_arch = "x86_64")]
const PROMISED: &[Model] = &[Model::Tso, Model::Rc20];
#[cfg(not(target_arch = "x86_64"))]
const PROMISED: &[Model] = &[Model::Rc20];

#[test]
fn histories_are_what_the_processor_promises() -> Result<(), Box<dyn std::error::Error>> {
    for layout in Layout::ALL {
        for (clients, histories) in clients() {
            for history in Recorder::new(clients.clone(), layout)?.take(histories) {
                let history = history?;
                assert_eq!(history.len() as u64, clients.events);
                for &model in PROMISED {
                    let verdict = check(&history, model);
                    assert!(verdict.is_consistent(), "{model}: {layout}, {clients:?}, {:?}", history.name());
                }
            }
        }
    }
    Ok(())
}

/// Accesses that are all seq_cst are sc on every processor.
#[test]
fn seq_cst_accesses_are_sc() -> Result<(), Box<dyn std::error::Error>> {
    let clients = Clients { orders: Mix::only(Order::SeqCst), ..litmus() };
    for history in Recorder::new(clients, Layout::Mixed)?.take(500) {
        assert!(check(&history?, Model::Sc).is_consistent());
    }
    Ok(())
}

/// A store-buffering violation takes two cores that run at the same time, which is for the machine to give.
#[cfg(target_arch = "x86_64")]
#[test]
#[ignore = "needs two cores of its own"]
fn some_history_is_not_sc() -> Result<(), Box<dyn std::error::Error>> {
    let mut recorder = Recorder::new(litmus(), Layout::Mixed)?;
    assert_eq!(recorder.pinning(), Pinning::Apart);
    assert!(
        recorder
            .by_ref()
            .take(20_000)
            .any(|history| { history.is_ok_and(|history| check(&history, Model::Sc).is_inconsistent()) })
    );
    Ok(())
}

/// What is recorded is the program of the seed: only what reads return is the machine's.
#[test]
fn programs_follow_from_the_seed() -> Result<(), Box<dyn std::error::Error>> {
    let program = |seed, skip| {
        let clients = Clients { rmws: 0.2, fences: 0.1, seed, ..litmus() };
        let history = Recorder::new(clients, Layout::Line)?.nth(skip).ok_or("endless")??;
        let does = |e: EventId| {
            let label = history.label(e);
            (label, history.loc(e), label.writes().then(|| history.value(e)))
        };
        Ok::<_, Box<dyn std::error::Error>>(history.events().map(does).collect::<Vec<_>>())
    };
    assert_eq!(program(7, 0)?, program(7, 0)?);
    // Also across batches.
    assert_eq!(program(7, 3000)?, program(3007, 0)?);
    assert_ne!(program(7, 0)?, program(8, 0)?);
    Ok(())
}

/// One thread reads what it wrote.
#[test]
fn one_thread_is_sequential() -> Result<(), Box<dyn std::error::Error>> {
    let clients = Clients { threads: 1, rmws: 0.2, fences: 0.1, ..litmus() };
    for history in Recorder::new(clients, Layout::Packed)?.take(500) {
        assert!(check(&history?, Model::Sc).is_consistent());
    }
    Ok(())
}

#[test]
fn nonsense_is_refused() {
    let refusal = |clients, layout| Recorder::new(clients, layout).map(drop).expect_err("nonsense");
    let nobody = Clients { threads: 0, ..litmus() };
    assert!(matches!(refusal(nobody, Layout::Line), Unrecordable::Clients(InvalidClients::NoThreads)));
    let wide = Clients { locations: 3000, ..litmus() };
    assert!(matches!(
        refusal(wide.clone(), Layout::Page),
        Unrecordable::Locations { locations: 3000, most: 2048, .. }
    ));
    assert!(Recorder::new(Clients { events: 0, ..wide }, Layout::Line).is_ok());
    let unknown = "lines".parse::<Layout>().expect_err("no such layout").to_string();
    assert_eq!(
        unknown,
        "unknown layout `lines` (did you mean `line`?); expected one of line, packed, page, mixed"
    );
}

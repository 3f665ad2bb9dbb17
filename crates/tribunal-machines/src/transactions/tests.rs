//! That stores do what they say, and that their bugs show.

use super::*;
use tribunal_engines::transactions::{Anomaly, check};
use tribunal_history::limits::Limits;
use tribunal_history::transactions::{Level, Status, Verdict};

/// Whether the history satisfies the level; there must be an answer.
fn satisfies(history: &History, level: Level) -> bool {
    match check(history, level) {
        Verdict::Consistent(_) => true,
        Verdict::Inconsistent(_) => false,
        other => panic!("{level}: {other:?}"),
    }
}

/// Clients of several kinds.
fn some(seed: u64) -> Clients {
    Clients {
        sessions: 2 + (seed % 5) as u32,
        transactions: 10 + (seed % 40) as u32,
        keys: 1 + (seed % 7) as u32,
        ops: 1 + (seed % 6) as u32,
        lists: [0.0, 1.0, 0.5][(seed % 3) as usize],
        skew: (seed % 2) as u32,
        unknown: 0.05,
        seed,
        ..Clients::default()
    }
}

#[test]
fn stores_satisfy_their_level() {
    for store in Store::ALL {
        for seed in 0..300 {
            let history = run(store, None, &some(seed)).expect("clients that can run");
            assert!(satisfies(&history, store.level()), "{store}, seed {seed}: {history:?}");
        }
    }
}

#[test]
fn stores_satisfy_no_stronger_level() {
    for store in Store::ALL {
        let stronger = |level: &Level| store.level().includes(*level) && *level != store.level();
        for level in Level::ALL.into_iter().filter(stronger) {
            let breaks = |seed| !satisfies(&run(store, None, &some(seed)).expect("they can run"), level);
            assert!((0..300).any(breaks), "{store} always satisfies {level}");
        }
    }
}

#[test]
fn every_bug_is_found() {
    for store in Store::ALL {
        for &bug in store.bugs() {
            for lists in [0.0, 1.0] {
                let breaks = |&seed: &u64| {
                    let clients = Clients { seed, lists, ..Clients::default() };
                    let history = run(store, Some(bug), &clients).expect("clients that can run");
                    assert_eq!(history.len(), 50);
                    !satisfies(&history, store.level())
                };
                assert!((0..1000).find(breaks).is_some(), "{store} with {bug}, lists {lists}");
            }
        }
    }
}

/// What each bug of registers is known by.
fn names(store: Store, bug: StoreBug) -> &'static [&'static str] {
    match (bug, store) {
        (StoreBug::LostUpdate, _) => &["lost update"],
        (StoreBug::MissedConflict, _) => &["write skew"],
        (StoreBug::StaleSnapshot, Store::ReadCommitted) => &["non-monotonic read"],
        (StoreBug::StaleSnapshot, _) => &["stale read", "stale session read"],
        (StoreBug::TornCommit, _) => &["fractured read", "non-monotonic read"],
        (StoreBug::AbortedRead, _) => &["G1a"],
        (StoreBug::DirtyRead, _) => &["G1b"],
        (StoreBug::EarlyDelivery, _) => &["causality violation"],
    }
}

#[test]
fn every_bug_has_its_name() {
    let limits = Limits::default();
    for store in Store::ALL {
        for &bug in store.bugs() {
            let is_named = |seed| {
                let clients = Clients { seed, ..Clients::default() };
                let history = run(store, Some(bug), &clients).expect("clients that can run");
                let Verdict::Inconsistent(violation) = check(&history, store.level()) else {
                    return false;
                };
                let smallest = Anomaly::smallest(&history, store.level(), &violation, &limits);
                names(store, bug).contains(&smallest.anomaly.to_string().as_str())
            };
            assert!((0..1000).any(is_named), "{store} with {bug}");
        }
    }
}

#[test]
fn all_kinds_of_ends_occur_and_runs_come_again() {
    for store in Store::ALL {
        let clients = Clients { transactions: 500, lists: 0.5, seed: 7, ..Clients::default() };
        let history = run(store, None, &clients).expect("clients that can run");
        assert_eq!(history.len(), 500);
        for status in [Status::Committed, Status::Aborted, Status::Unknown] {
            let count = history.transactions().filter(|&txn| history.status(txn) == status).count();
            assert!(count > 2, "{store}: {count} {status:?}");
        }
        let again = run(store, None, &clients).expect("clients that can run");
        assert_eq!(format!("{history:?}"), format!("{again:?}"));
    }
}

#[test]
fn impossible_clients_are_refused() {
    let refused = |clients: Clients| run(Store::Serial, None, &clients).expect_err("refused").to_string();
    assert_eq!(refused(Clients { sessions: 0, ..Clients::default() }), "clients need at least one session");
    assert_eq!(
        refused(Clients { reads: 1.5, ..Clients::default() }),
        "the share of reads is 1.5, expected a number from 0 to 1"
    );
    assert_eq!(
        run(Store::Serial, Some(StoreBug::LostUpdate), &Clients::default()).expect_err("refused").to_string(),
        "the serial store cannot have lost-update; it can have stale-snapshot, torn-commit, aborted-read"
    );
    assert!("mvc".parse::<Store>().is_err_and(|error| error.to_string().contains("`mvcc`?")));
}

//! Limits hold for every level: an answer is right or there is none. And parts that are as small as possible.

use std::sync::atomic::AtomicBool;
use tribunal::Limits;
use tribunal::transactions::{History, Level, Op, Status, Verdict, judge, shrink};
use tribunal::verdict::Limit;
use tribunal_machines::hard::Formula;
use tribunal_machines::transactions::families::{BlindWrites, satisfiability};
use tribunal_machines::transactions::{Clients, Store, StoreBug, run};

#[test]
fn tiny_limits_leave_questions_open() {
    let history = BlindWrites { transactions: 400, keys: 40, ..BlindWrites::default() }.history();
    let stop = AtomicBool::new(true);
    for level in Level::ALL.into_iter().filter(|level| !level.needs_times()) {
        let memory = Limits { max_memory: 1000, ..Limits::default() };
        let verdict = judge(&history, level, &memory);
        assert!(matches!(verdict, Verdict::Undecided(Limit::Memory { .. })), "{level}: {verdict:?}");
        for max_memory in [100_000, 300_000, 1_000_000] {
            let verdict = judge(&history, level, &Limits { max_memory, ..Limits::default() });
            assert!(!verdict.is_inconsistent(), "{level}: {verdict:?}");
        }
        let stopped = Limits { stop: Some(&stop), ..Limits::default() };
        let verdict = judge(&history, level, &stopped);
        assert!(!verdict.is_inconsistent(), "{level}: {verdict:?}");
    }
}

#[test]
fn a_hard_history_ends_at_its_limit() {
    let formula = Formula::random(40, 4.3, 1).expect("enough variables");
    let history = satisfiability(&formula);
    for level in ["ser", "si"] {
        let limits = Limits { max_states: 20_000, ..Limits::default() };
        let verdict = judge(&history, level.parse().expect("a level"), &limits);
        assert!(!matches!(verdict, Verdict::Unsupported(_)), "{level}: {verdict:?}");
    }
}

/// Many reads of a value that many wrote.
#[test]
fn repeated_values_share_what_they_may_be_from() {
    let mut b = History::builder();
    let x = b.key("x");
    for session in 0..400 {
        let session = b.session(&format!("{session}"));
        b.transaction(session, Status::Committed, None, &[Op::Write(x, 1)]);
        b.transaction(session, Status::Committed, None, &[Op::Read(x, Some(1))]);
    }
    let history = b.build().expect("well-formed");
    assert!(history.bytes() < 100_000, "{}", history.bytes());
    assert!(judge(&history, "session-ser".parse().expect("a level"), &Limits::default()).is_consistent());
}

#[test]
fn what_is_left_is_as_small_as_can_be() {
    for (store, bug) in [(Store::Snapshot, StoreBug::LostUpdate), (Store::Locking, StoreBug::MissedConflict)]
    {
        let level = store.level();
        let found = (0..100).find_map(|seed| {
            let clients = Clients { transactions: 60, seed, ..Clients::default() };
            let history = run(store, Some(bug), &clients).expect("clients");
            judge(&history, level, &Limits::default()).is_inconsistent().then_some(history)
        });
        let history = found.expect("the bug shows");
        let shrunk = shrink(&history, level, &Limits::default(), |_| ()).expect("inconsistent");
        assert!(judge(&shrunk.history, level, &Limits::default()).is_inconsistent());
        assert!(shrunk.history.len() <= 4, "{store:?}: {}", shrunk.history.len());
        assert_eq!(shrunk.history.len(), shrunk.transactions.len());
    }
}

//! Limits hold for every level: an answer is right or there is none. And parts that are as small as possible.

use std::sync::atomic::AtomicBool;
use tribunal::Limits;
use tribunal::transactions::{Engine, History, Level, Op, Status, Verdict, judge, judge_by, shrink};
use tribunal::verdict::Limit;
use tribunal::verify::transactions::verify;
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

/// Engines that choose agree with each other on formulas, some of which are satisfiable, and with what verifies them.
#[test]
fn engines_agree_where_they_have_to_choose() {
    let mut answers = [0, 0];
    for seed in 0..12 {
        let formula = Formula::random(12, 4.8, seed).expect("enough variables");
        let history = satisfiability(&formula);
        for level in ["ser", "si", "pc", "session-psi"].map(|name| name.parse().expect("a level")) {
            let verdicts = [Engine::Search, Engine::Sat].map(|engine| {
                let verdict = judge_by(&history, level, Some(engine), &Limits::default());
                verify(&history, level, &verdict)
                    .unwrap_or_else(|refusal| panic!("{seed}: {level} by {engine:?}: {refusal}"));
                verdict.is_consistent()
            });
            assert_eq!(verdicts[0], verdicts[1], "{seed}: {level}");
            answers[usize::from(verdicts[0])] += 1;
        }
    }
    assert!(answers.iter().all(|&count| count > 5), "{answers:?}");
}

/// The solver keeps to its limits as well.
#[test]
fn the_solver_ends_at_its_limit() {
    let formula = Formula::random(60, 4.3, 1).expect("enough variables");
    let history = satisfiability(&formula);
    let by = |limits: &Limits<'_>| judge_by(&history, Level::SER, Some(Engine::Sat), limits);
    for max_memory in [1 << 20, 6 << 20] {
        let verdict = by(&Limits { max_memory, ..Limits::default() });
        assert!(matches!(verdict, Verdict::Undecided(Limit::Memory { .. })), "{verdict:?}");
    }
    let verdict = by(&Limits { max_states: 5_000, ..Limits::default() });
    assert!(matches!(verdict, Verdict::Undecided(Limit::States { .. })), "{verdict:?}");
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

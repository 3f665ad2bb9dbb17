//! Limits hold for every level: an answer is right or there is none. And parts that are as small as possible.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tribunal_engines::Engine;
use tribunal_engines::transactions::{judge, judge_by, shrink};
use tribunal_history::limits::Limits;
use tribunal_history::transactions::{History, Level, Op, Span, Status, Verdict};
use tribunal_history::verdict::Limit;
use tribunal_machines::hard::Formula;
use tribunal_machines::transactions::families::{BlindWrites, satisfiability};
use tribunal_machines::transactions::{Clients, Store, StoreBug, run};
use tribunal_verify::transactions::verify;

#[test]
fn tiny_limits_leave_questions_open() {
    let history = BlindWrites { transactions: 400, keys: 40, ..BlindWrites::default() }.history();
    let stop = AtomicBool::new(true);
    for level in Level::ALL.into_iter().filter(|level| !level.needs_times()) {
        let memory = Limits { max_memory: 1000, ..Limits::default() };
        let verdict = judge(&history, level, &memory).0;
        assert!(matches!(verdict, Verdict::Undecided(Limit::Memory { .. })), "{level}: {verdict:?}");
        for max_memory in [100_000, 300_000, 1_000_000] {
            let verdict = judge(&history, level, &Limits { max_memory, ..Limits::default() }).0;
            assert!(!verdict.is_inconsistent(), "{level}: {verdict:?}");
        }
        let stopped = Limits { stop: Some(&stop), ..Limits::default() };
        let verdict = judge(&history, level, &stopped).0;
        assert!(!verdict.is_inconsistent(), "{level}: {verdict:?}");
    }
}

#[test]
fn a_hard_history_ends_at_its_limit() {
    let formula = Formula::random(40, 4.3, 1).expect("enough variables");
    let history = satisfiability(&formula);
    for level in ["ser", "si"] {
        let limits = Limits { max_states: 20_000, ..Limits::default() };
        let verdict = judge(&history, level.parse().expect("a level"), &limits).0;
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
                let verdict = judge_by(&history, level, engine, &Limits::default())
                    .expect("it decides strong levels")
                    .0;
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
    let by =
        |limits: &Limits<'_>| judge_by(&history, Level::SER, Engine::Sat, limits).expect("sat decides ser").0;
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
    assert!(judge(&history, "session-ser".parse().expect("a level"), &Limits::default()).0.is_consistent());
}

#[test]
fn what_is_left_is_as_small_as_can_be() {
    for (store, bug) in [(Store::Snapshot, StoreBug::LostUpdate), (Store::Locking, StoreBug::MissedConflict)]
    {
        let level = store.level();
        let found = (0..100).find_map(|seed| {
            let clients = Clients { transactions: 60, seed, ..Clients::default() };
            let history = run(store, Some(bug), &clients).expect("clients");
            judge(&history, level, &Limits::default()).0.is_inconsistent().then_some(history)
        });
        let history = found.expect("the bug shows");
        let shrunk = shrink(&history, level, &Limits::default(), |_| ()).expect("inconsistent").part;
        assert!(judge(&shrunk.history, level, &Limits::default()).0.is_inconsistent());
        assert!(shrunk.history.len() <= 4, "{store:?}: {}", shrunk.history.len());
        assert_eq!(shrunk.history.len(), shrunk.kept.len());
    }
}

fn level(name: &str) -> Level {
    name.parse().expect("a level")
}

fn quick() -> Limits<'static> {
    Limits {
        deadline: Some(Instant::now() + Duration::from_secs(5)),
        max_memory: 50 << 20,
        ..Limits::default()
    }
}

/// Judges a history, verifies the certificate, and gives the answer; panics if there is none.
fn judged(history: &History, name: &str) -> bool {
    let verdict = judge(history, level(name), &quick()).0;
    verify(history, level(name), &verdict).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
    verdict.is_consistent()
}

/// Many who read one version of a list, and as many who append after it: edges are as many as both together, not their product.
#[test]
fn readers_and_writers_of_one_version_are_not_multiplied() {
    for many in [20, 4000] {
        for both in [false, true] {
            let mut b = History::builder();
            let x = b.key("x");
            let first = b.session("first");
            b.transaction(first, Status::Committed, None, &[Op::Append(x, 0)]);
            for session in 0..many {
                let reader = b.session(&format!("r{session}"));
                b.transaction(reader, Status::Committed, None, &[Op::ReadList(x, &[0])]);
                let writer = b.session(&format!("w{session}"));
                // One that does both is fine, two are a lost update.
                let does_both = both && session < 2 || session == 0;
                let reads = does_both.then_some(Op::ReadList(x, &[0]));
                let ops: Vec<Op<'_>> = reads.into_iter().chain([Op::Append(x, session + 1)]).collect();
                b.transaction(writer, Status::Committed, None, &ops);
            }
            let history = b.build().expect("well-formed");
            // Under si many lost updates of many sessions take clocks, and those more memory.
            let clocks = both && many > 1000;
            let names =
                if clocks { &["ser", "session-ser"][..] } else { &["ser", "session-ser", "si", "pc"] };
            for &name in names {
                assert_eq!(judged(&history, name), !both || name == "pc", "{many} {both} {name}");
            }
        }
    }
}

/// The same with initial values of registers, where only a search shows that there is no order.
#[test]
fn readers_of_initial_values_are_not_multiplied() {
    for (many, wrong) in [(20, false), (20, true), (1000, false), (1000, true)] {
        let mut b = History::builder();
        let (x, y) = (b.key("x"), b.key("y"));
        for session in 0..many {
            let (reader, writer) = (b.session(&format!("r{session}")), b.session(&format!("w{session}")));
            let reads = [Op::Read(x, None), Op::Read(y, None)];
            b.transaction(reader, Status::Committed, None, &reads);
            b.transaction(writer, Status::Committed, None, &[Op::Write(x, session)]);
        }
        // Write skew, and who sees one of the two.
        if wrong {
            let (one, two) = (b.session("one"), b.session("two"));
            b.transaction(one, Status::Committed, None, &[Op::Read(x, None), Op::Write(y, 1)]);
            b.transaction(two, Status::Committed, None, &[Op::Read(y, Some(1)), Op::Read(x, Some(3))]);
            b.transaction(two, Status::Committed, None, &[Op::Read(y, None)]);
        }
        let history = b.build().expect("well-formed");
        for name in ["session-ser", "session-si", "session-pc"] {
            assert_eq!(judged(&history, name), !wrong, "{many} {wrong} {name}");
        }
    }
}

/// A transaction with many reads of one key, each from another transaction.
#[test]
fn many_reads_of_one_key_are_not_multiplied() {
    for many in [3, 6000] {
        let mut b = History::builder();
        let x = b.key("x");
        let span = |begin| Some(Span { begin, end: Some(begin + 1) });
        for value in 0..many {
            let session = b.session(&format!("{value}"));
            b.transaction(session, Status::Committed, span(0), &[Op::Write(x, value)]);
        }
        let reader = b.session("reader");
        let reads: Vec<Op<'_>> = (0..many).map(|value| Op::Read(x, Some(value))).collect();
        b.transaction(reader, Status::Committed, span(10), &reads);
        let history = b.build().expect("well-formed");
        for (name, expected) in [("mav", true), ("rat", false), ("strict-rat", false), ("strict-mav", true)] {
            assert_eq!(judged(&history, name), expected, "{many} {name}");
        }
    }
}

/// Many that overlap and were read after they had ended.
#[test]
fn many_that_overlap_are_not_multiplied() {
    for many in [3, 6000] {
        let mut b = History::builder();
        let x = b.key("x");
        for value in 0..many {
            let session = b.session(&format!("{value}"));
            let span = Some(Span { begin: 0, end: Some(10 + value) });
            b.transaction(session, Status::Committed, span, &[Op::Write(x, value)]);
            let reader = b.session(&format!("r{value}"));
            let span = Some(Span { begin: 10 + many + value, end: Some(20 + 3 * many) });
            b.transaction(reader, Status::Committed, span, &[Op::Read(x, Some(value))]);
        }
        let history = b.build().expect("well-formed");
        for (name, expected) in [("strict-rat", false), ("session-rat", true)] {
            assert_eq!(judged(&history, name), expected, "{many} {name}");
        }
    }
}

/// Those that may have written a value are kept once for it, not for each read, though a reader that writes it is none of its own.
#[test]
fn reads_and_writes_of_one_value_share_what_they_may_be_from() {
    let mut b = History::builder();
    let x = b.key("x");
    for session in 0..30_000 {
        let session = b.session(&format!("{session}"));
        b.transaction(session, Status::Committed, None, &[Op::Read(x, Some(1)), Op::Write(x, 1)]);
    }
    let history = b.build().expect("well-formed");
    assert!(history.bytes() < 5_000_000, "{}", history.bytes());
    let read = history.reads().open().next().expect("an open read");
    assert_eq!(history.reads().candidates(read).len(), 29_999);
}

/// Those that wait for a key are tried one by one.
#[test]
fn many_writers_of_one_key_take_turns() {
    let mut b = History::builder();
    let (x, y) = (b.key("x"), b.key("y"));
    for value in 0..20_000 {
        let session = b.session(&format!("{value}"));
        let ops = [Op::Write(x, value), Op::Write(y, value)];
        b.transaction(session, Status::Committed, None, &ops[..1 + value as usize % 2]);
    }
    let history = b.build().expect("well-formed");
    for name in ["si", "pc", "ser"] {
        assert!(judge(&history, level(name), &quick()).0.is_consistent(), "{name}");
    }
}

/// What decided is said: nothing had to be chosen, a search chose, or the solver did.
#[test]
fn an_answer_says_what_decided() {
    let mut b = History::builder();
    let (a, c, x) = (b.session("a"), b.session("c"), b.key("x"));
    b.transaction(a, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 1)]);
    b.transaction(c, Status::Committed, None, &[Op::Read(x, None), Op::Write(x, 2)]);
    let history = b.build().expect("well-formed");
    let by = |history: &History| judge(history, Level::SER, &Limits::default()).1;
    assert_eq!(by(&history), Engine::Saturation);
    let engines: Vec<Engine> = (0..6)
        .map(|seed| by(&satisfiability(&Formula::random(12, 4.8, seed).expect("enough variables"))))
        .collect();
    assert!(engines.contains(&Engine::Search) || engines.contains(&Engine::Sat), "{engines:?}");
}

//! Histories of simulated stores, larger than definitions can be tried on: certificates verify, inclusions hold, and neither times nor the order of
//! sessions and names of keys matter where a level does not mention them.

use tribunal_engines::transactions::judge;
use tribunal_history::limits::Limits;
use tribunal_history::transactions::{History, Level, Op, SessionId, Verdict};
use tribunal_machines::transactions::{Clients, Store, run};
use tribunal_verify::transactions::verify;

/// The same history: its sessions in the opposite order, its keys with other names, and without times if so asked.
fn changed(history: &History, timed: bool) -> History {
    let mut b = History::builder();
    b.init(history.init());
    for session in (0..history.session_count() as u32).rev().map(SessionId) {
        let name = b.session(history.session_name(session));
        for txn in history.session(session) {
            b.begin(name);
            for op in history.ops_of(txn).map(|op| history.op(op)) {
                let key = b.key(&format!("other {}", history.key_name(op.key())));
                b.op(match op {
                    Op::Write(_, value) => Op::Write(key, value),
                    Op::Append(_, value) => Op::Append(key, value),
                    Op::Read(_, value) => Op::Read(key, value),
                    Op::ReadList(_, list) => Op::ReadList(key, list),
                    Op::Unknown(_) => Op::Unknown(key),
                });
            }
            b.end(history.status(txn), history.span(txn).filter(|_| timed));
        }
    }
    b.build().expect("well-formed")
}

#[test]
fn verdicts_of_larger_histories_hold() {
    let mut refuted = 0;
    for store in Store::ALL {
        for bug in store.bugs().iter().copied().map(Some).chain([None]) {
            for (seed, lists) in [(1, 0.0), (2, 1.0)] {
                let clients =
                    Clients { sessions: 6, transactions: 36, keys: 6, lists, seed, ..Clients::default() };
                let history = run(store, bug, &clients).expect("clients");
                let told = format!("{store:?} {bug:?} {seed}");
                let verdicts = Level::ALL.map(|level| judge(&history, level, &Limits::default()).0);
                let holds = verdicts.each_ref().map(Verdict::is_consistent);
                for (level, verdict) in Level::ALL.into_iter().zip(&verdicts) {
                    verify(&history, level, verdict)
                        .unwrap_or_else(|refusal| panic!("{told}: {level}: {refusal}"));
                    refuted += u32::from(verdict.is_inconsistent());
                    for (weak, holds_weak) in Level::ALL.into_iter().zip(holds) {
                        assert!(
                            !weak.includes(level) || !verdict.is_consistent() || holds_weak,
                            "{told}: {level} {weak}"
                        );
                    }
                }
                assert!(
                    bug.is_some() || judge(&history, store.level(), &Limits::default()).0.is_consistent(),
                    "{told}"
                );
                let (other, untimed) = (changed(&history, true), changed(&history, false));
                for (level, holds) in Level::ALL.into_iter().zip(holds) {
                    assert_eq!(
                        judge(&other, level, &Limits::default()).0.is_consistent(),
                        holds,
                        "{told}: {level}"
                    );
                    if !level.needs_times() {
                        let verdict = judge(&untimed, level, &Limits::default()).0;
                        assert_eq!(verdict.is_consistent(), holds, "{told}: {level} without times");
                        verify(&untimed, level, &verdict)
                            .unwrap_or_else(|refusal| panic!("{told}: {level}: {refusal}"));
                    }
                }
            }
        }
    }
    assert!(refuted > 100, "{refuted}");
}

/// Thousands of transactions on few keys, most of them blind writes: in the order of time they are soon decided.
#[test]
fn long_histories_of_stores_are_decided_in_the_order_of_time() {
    for store in [Store::Serial, Store::Locking, Store::Optimistic, Store::Snapshot] {
        let clients = Clients { sessions: 50, transactions: 4_000, keys: 6, ..Clients::default() };
        let history = run(store, None, &clients).expect("clients");
        for level in
            ["si", "psi", "pc", "session-si", "strict-si"].map(|level| level.parse().expect("a level"))
        {
            let verdict = judge(&history, level, &Limits { max_states: 100, ..Limits::default() }).0;
            assert!(verdict.is_consistent(), "{store:?} {level}: {}", verdict.word());
            verify(&history, level, &verdict)
                .unwrap_or_else(|refusal| panic!("{store:?} {level}: {refusal}"));
        }
    }
}

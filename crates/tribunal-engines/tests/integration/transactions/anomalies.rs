//! The anomalies of the table of names, each by its example and by the weakest level that forbids it.

use tribunal_engines::transactions::{judge, normal, strongest_levels};
use tribunal_history::limits::Limits;
use tribunal_history::transactions::{
    End, History, HistoryBuilder, KeyId, Level, Op, Proof, Span, Status, Step, TxnId, Verdict, Violation,
};
use tribunal_machines::transactions::{Clients, Store, StoreBug, run};
use tribunal_verify::transactions::verify;

/// `[rx0 wx1] [ry[1,2]]! // [ax1]@1-2`: sessions between `//`, `!` aborted, `?` unknown, `rx0` reads the initial value.
fn history(text: &str) -> History {
    let mut b = History::builder();
    for (number, session) in text.split("//").enumerate() {
        for txn in session.trim().split(" [").map(|txn| txn.trim().trim_start_matches('[')) {
            transaction(&mut b, number, txn);
        }
    }
    b.build().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn transaction(b: &mut HistoryBuilder, session: usize, text: &str) {
    let (ops, rest) = text.rsplit_once(']').expect("a transaction");
    let session = b.session(&session.to_string());
    b.begin(session);
    for op in ops.split_whitespace() {
        operation(b, op);
    }
    let status = match rest.chars().next() {
        Some('!') => Status::Aborted,
        Some('?') => Status::Unknown,
        _ => Status::Committed,
    };
    let span = rest.split_once('@').and_then(|(_, times)| times.split_once('-')).map(|(begin, end)| Span {
        begin: begin.parse().expect("a time"),
        end: Some(end.parse().expect("a time")),
    });
    b.end(status, span);
}

fn operation(b: &mut HistoryBuilder, op: &str) {
    let key: KeyId = b.key(&op[1..2]);
    let value = &op[2..];
    match (&op[..1], value.strip_prefix('[')) {
        ("w", _) => b.op(Op::Write(key, value.parse().expect("a value"))),
        ("a", _) => b.op(Op::Append(key, value.parse().expect("a value"))),
        (_, Some(list)) => {
            let list = list.trim_end_matches(']').split(',').filter(|element| !element.is_empty());
            let list: Vec<i64> = list.map(|element| element.parse().expect("an element")).collect();
            b.op(Op::ReadList(key, &list));
        }
        _ => b.op(Op::Read(key, value.parse().ok().filter(|&value| value != 0))),
    }
}

#[test]
fn each_anomaly_has_its_name() {
    let table = [
        ("[ax1 ay1] // [ax2 ay2] // [rx[1,2]] // [ry[2,1]]", "G0", "ru"),
        ("[wx1]! // [rx1]", "G1a", "rc"),
        ("[wx1 wx2] // [rx1]", "G1b", "rc"),
        ("[wx1 ry1] // [wy1 rx1]", "G1c", "rc"),
        ("[wx1 wy1] // [rx1 ry0]", "non-monotonic read", "mav"),
        ("[wx1] // [rx1 rx0]", "non-monotonic read", "mav"),
        ("[wx1 wy1] // [ry0 rx1]", "fractured read", "rat"),
        ("[wx1] // [rx0 rx1]", "non-repeatable read", "rat"),
        ("[wx1] [rx0]", "stale session read", "session-rat"),
        ("[wx1]@1-2 // [rx0]@3-4", "stale read", "strict-rat"),
        ("[wx1] // [rx1 wy1] // [ry1 rx0]", "causality violation", "pc"),
        ("[rx0 wx1] // [rx0 wx2]", "lost update", "psi"),
        ("[ax1 ay1] // [ax2 ry[]] // [rx[1,2]]", "G-single", "psi"),
        ("[wx1] // [wy1] // [rx1 ry0] // [rx0 ry1]", "long fork", "pc"),
        ("[rx0 ry0 wx1] // [rx0 ry0 wy1]", "write skew", "ser"),
        ("[ry0 wy1] // [rx0 ry0 wx1] // [rx0 ry1]", "G2-item", "ser"),
        ("[rx5]", "thin air", "ru"),
        ("[wx1 rx2] // [wx2]", "internal", "ru"),
        ("[rx1 wx1]", "future read", "ru"),
        ("[ax1] // [rx[1,1]]", "duplicate elements", "ru"),
        ("[ax1]! // [ax2] // [rx[1,2]]", "dirty update", "rc"),
        ("[ax1] // [ax2] // [rx[1,2]] // [rx[2,1]]", "incompatible order", "ru"),
    ];
    for (text, name, level) in table {
        let history = history(text);
        let found = strongest_levels(&history, &Limits::default());
        let smallest = found.anomaly.unwrap_or_else(|| panic!("{text} satisfies everything"));
        assert_eq!((smallest.anomaly.to_string().as_str(), smallest.level.name()), (name, level), "{text}");
        let verdict = Verdict::Inconsistent(smallest.violation);
        verify(&history, smallest.level, &verdict).unwrap_or_else(|refusal| panic!("{text}: {refusal}"));
    }
}

#[test]
fn strongest_levels_are_those_that_hold() {
    for text in [
        "[rx0 wx1] // [rx0 wx2]",
        "[wx1] [rx0]",
        "[wx1] // [wy1] // [rx1 ry0] // [rx0 ry1]",
        "[wx1]@1-2 // [rx0]@3-4",
    ] {
        let history = history(text);
        let found = strongest_levels(&history, &Limits::default());
        for level in Level::ALL.into_iter().filter(|level| !level.needs_times() || history.is_timed()) {
            let holds = judge(&history, level, &Limits::default()).0.is_consistent();
            let follows = found.strongest.iter().any(|&strong| level.includes(strong));
            assert_eq!(holds, follows, "{text}: {level}");
        }
    }
}

/// What a case of a proof supposes, from the outermost on.
type Supposed = Vec<(KeyId, TxnId, TxnId)>;

/// Every case of a proof: what it supposes, and its steps. A proof that goes on to cases has no steps of its own, so that each case stands by itself.
fn cases<'a>(proof: &'a Proof, supposed: &mut Supposed, found: &mut Vec<(Supposed, &'a [Step])>) {
    match &proof.end {
        End::Cycle(_) => found.push((supposed.clone(), &proof.steps)),
        &End::Cases { key, first, second, ref forward, ref backward } => {
            assert!(proof.steps.is_empty(), "what all cases share is told in each");
            for (pair, case) in [((key, first, second), forward), ((key, second, first), backward)] {
                supposed.push(pair);
                cases(case, supposed, found);
                supposed.pop();
            }
        }
    }
}

/// What people are told is a proof that can be verified, and no case of it repeats or contradicts what it supposes, or rests on what another supposes.
#[test]
fn no_case_contradicts_itself() {
    let mut split = 0;
    for (store, bug) in [
        (Store::Snapshot, StoreBug::LostUpdate),
        (Store::Locking, StoreBug::MissedConflict),
        (Store::Optimistic, StoreBug::MissedConflict),
    ] {
        for seed in 0..12 {
            let transactions = 20 + 10 * (seed as u32 % 4);
            let clients = Clients { transactions, sessions: 4, seed, ..Clients::default() };
            let history = run(store, Some(bug), &clients).expect("clients");
            for level in ["strict-ser", "session-ser", "ser", "si", "strict-psi", "pc"] {
                let level: Level = level.parse().expect("a level");
                let Verdict::Inconsistent(violation) = judge(&history, level, &Limits::default()).0 else {
                    continue;
                };
                let told = normal(&history, level, &violation);
                verify(&history, level, &Verdict::Inconsistent(told.clone())).expect("a certificate");
                let Violation::Proof(proof) = &told else { continue };
                let mut found = Vec::new();
                cases(proof, &mut Vec::new(), &mut found);
                split += usize::from(found.len() > 1);
                for (supposed, steps) in found {
                    let reversed = |&(key, first, second): &(KeyId, TxnId, TxnId)| (key, second, first);
                    for (at, pair) in supposed.iter().enumerate() {
                        let before = &supposed[..at];
                        assert!(!before.contains(pair), "{store:?} {seed} {level}: supposed twice");
                        assert!(!before.contains(&reversed(pair)), "{store:?} {seed} {level}: both supposed");
                    }
                    for step in steps {
                        let pair = (step.key, step.first, step.second);
                        assert!(!supposed.contains(&pair), "{store:?} {seed} {level}: proved and supposed");
                        assert!(!supposed.contains(&reversed(&pair)), "{store:?} {seed} {level}: denied");
                    }
                }
            }
        }
    }
    assert!(split > 5, "{split}");
}

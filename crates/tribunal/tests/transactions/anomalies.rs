//! The anomalies of the table of names, each by its example and by the weakest level that forbids it.

use tribunal::Limits;
use tribunal::transactions::{
    History, HistoryBuilder, KeyId, Level, Op, Span, Status, Verdict, judge, strongest_levels,
};
use tribunal::verify::transactions::verify;

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
            let holds = judge(&history, level, &Limits::default()).is_consistent();
            let follows = found.strongest.iter().any(|&strong| level.includes(strong));
            assert_eq!(holds, follows, "{text}: {level}");
        }
    }
}
